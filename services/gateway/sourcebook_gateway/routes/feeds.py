"""The live feed: hints of what to fetch again."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID

from fastapi import Request
from fastapi.responses import Response, StreamingResponse

from sourcebook_core.errors import DatabaseAway, RequestError
from sourcebook_core.store import health
from sourcebook_gateway import metrics
from sourcebook_gateway.access import check_owned, gated_router, identify, needs
from sourcebook_gateway.answers import STREAM_HEADERS
from sourcebook_gateway.deps import Caller, CallerDep, Shared, SharedDep
from sourcebook_gateway.feed import Hint
from sourcebook_gateway.json_answers import dumps

router = gated_router("feed")
_POLL_S = 1.0
_UNSEEN_S = 4.0  # until it is noticed that Redis hangs; what changed in that time is told by the rows
_STREAM: dict[int | str, dict[str, Any]] = {200: {"description": "Server-sent events.", "content": {"text/event-stream": {}}}}


@router.get("/events", summary="The live feed", response_class=Response, responses=_STREAM, openapi_extra=needs("read"))
async def feed(request: Request, caller: CallerDep, shared: SharedDep) -> Response:
    """`hello`, then `source`, `turn`, `notebook` and `health` with ids. Hints only: fetch what they name. One per browser."""
    return _stream(_told(request, shared, caller, None))


@router.get(
    "/notebooks/{notebook_id}/events", summary="A notebook's feed", response_class=Response, responses=_STREAM,
    openapi_extra=needs("read"),
)  # fmt: skip
async def notebook_feed(request: Request, notebook_id: UUID, caller: CallerDep, shared: SharedDep) -> Response:
    """The same, only what concerns this notebook."""
    async with shared.db.transaction() as conn:
        await check_owned(conn, caller, notebook_id)
    return _stream(_told(request, shared, caller, str(notebook_id)))


def _stream(body: AsyncIterator[bytes]) -> Response:
    return StreamingResponse(body, media_type="text/event-stream; charset=utf-8", headers=STREAM_HEADERS)


def _concerns(hint: Hint, notebook_id: str | None) -> bool:
    if notebook_id is None:
        return True
    return notebook_id in (hint.get("notebook_id"), hint.get("id")) or notebook_id in (hint.get("notebook_ids") or ())


async def _told(request: Request, shared: Shared, caller: Caller, notebook_id: str | None) -> AsyncIterator[bytes]:
    with metrics.streams.labels("feed").track_inprogress():
        async with shared.feed.listen(caller.person_id) as queue:
            yield b"event: hello\ndata: {}\n\n"
            said_at = checked_at = looked_at = time.monotonic()
            while not shared.is_closing:
                if time.monotonic() - checked_at >= shared.settings.comment_s:
                    if not await _is_still_signed_in(shared, request):
                        return
                    checked_at = time.monotonic()
                began_at = time.monotonic()
                hints = await _next(shared, caller, queue, looked_at)
                looked_at = began_at
                lines = [_frame(hint) for hint in hints if _concerns(hint, notebook_id)]
                if lines:
                    yield b"".join(lines)
                    said_at = time.monotonic()
                elif time.monotonic() - said_at >= shared.settings.comment_s:
                    yield b": still here\n\n"
                    said_at = time.monotonic()


async def _is_still_signed_in(shared: Shared, request: Request) -> bool:
    """A feed outlives its sign-in by one comment at most: a session that ended, or a token that was taken away, hears no more."""
    try:
        await identify(shared, request)
    except DatabaseAway:
        return True
    except RequestError:
        return False
    return True


def _frame(hint: Hint) -> bytes:
    facts = {name: value for name, value in hint.items() if name != "what"}
    return b"event: %s\ndata: %s\n\n" % (str(hint["what"]).encode(), dumps(facts))


async def _next(shared: Shared, caller: Caller, queue: asyncio.Queue[Hint], looked_at: float) -> list[Hint]:
    """Hints that came, waiting about a second; with Redis away, the sources whose rows changed since `looked_at` and shortly before."""
    try:
        async with asyncio.timeout(_POLL_S):
            first = await queue.get()
    except TimeoutError:
        return await _from_rows(shared, caller, time.monotonic() - looked_at + _UNSEEN_S) if shared.feed.is_away else []
    found = [first]
    while not queue.empty():
        found.append(queue.get_nowait())
    return found


async def _from_rows(shared: Shared, caller: Caller, seconds: float) -> list[Hint]:
    try:
        async with shared.db.transaction() as conn:
            changed = await health.changes(conn, caller.person_id, seconds)
    except DatabaseAway:
        return []
    names = ("what", "id", "notebook_id", "conversation_id")
    return [{name: str(getattr(one, name)) for name in names if getattr(one, name) is not None} for one in changed]

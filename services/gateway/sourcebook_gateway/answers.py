"""How an answer leaves: SSE, NDJSON or one JSON object, by the Accept header."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from typing import Any, Literal, cast
from uuid import UUID

from fastapi import Request, Response
from fastapi.responses import StreamingResponse

from sourcebook_core.errors import CODES, RequestError
from sourcebook_core.profiles import NOTEBOOK
from sourcebook_core.store import accounts, turn_looks
from sourcebook_gateway import leaving, metrics, relay, wording
from sourcebook_gateway.deps import Caller, Shared
from sourcebook_gateway.json_answers import JsonAnswer, dumps
from sourcebook_gateway.relay import Frame

Form = Literal["text/event-stream", "application/x-ndjson", "application/json"]
STREAM_HEADERS = {"Cache-Control": "no-cache, no-transform", "X-Accel-Buffering": "no"}
_ENDS = frozenset({"done", "error"})
COMMENT = b": still here\n\n"
_EMPTY_LINE = b"\n"


def form_of(request: Request) -> Form:
    """The first of our three forms that Accept names; JSON for `*/*` and anything else."""
    for part in request.headers.get("accept", "").lower().split(","):
        name = part.partition(";")[0].strip()
        if name in ("text/event-stream", "application/x-ndjson", "application/json"):
            return cast(Form, name)
    return "application/json"


def sse(frame: Frame) -> bytes:
    """One SSE frame: id, event, one data line, blank line."""
    return b"id: %d\nevent: %s\ndata: %s\n\n" % (frame.number, frame.name.encode(), dumps(frame.data))


def ndjson(frame: Frame) -> bytes:
    """The same object with a `type`, on a line of its own."""
    return dumps({"type": frame.name, **frame.data}) + b"\n"


async def answer(shared: Shared, request: Request, turn_id: UUID, person_id: UUID, last: int, *, wait: bool) -> Response:
    """The response that tells a turn. With `wait`, an early refusal is an ordinary HTTP error (api section 4)."""
    form = form_of(request)
    frames = relay.follow(shared, turn_id, person_id, last)
    caller: Caller | None = getattr(request.state, "caller", None)
    if caller is not None and caller.is_visitor:
        frames = _without_cost(frames)
    if form == "application/json":
        return JsonAnswer(await whole(shared, frames))
    async with shared.db.transaction() as conn:
        profile = await turn_looks.profile_of(conn, turn_id) or NOTEBOOK
    first = await first_of(frames, profile.answer.first_event_s or shared.settings.first_event_s) if wait else []
    write = sse if form == "text/event-stream" else wording.product if profile.wording == "product" else ndjson
    silence = COMMENT if form == "text/event-stream" else _EMPTY_LINE
    left = leaving.stopping(shared, turn_id, person_id) if profile.answer.on_disconnect == "cancel" else None
    body = streamed(first, frames, write, silence, shared.settings.comment_s, left)
    return StreamingResponse(body, media_type=f"{form}; charset=utf-8" if form == "text/event-stream" else form, headers=STREAM_HEADERS)


async def _without_cost(frames: AsyncGenerator[list[Frame]]) -> AsyncGenerator[list[Frame]]:
    """The same for a visitor: what an answer costs is between its owner and the provider."""
    async with aclosing(frames):
        async for batch in frames:
            yield [Frame(one.number, one.name, costless(one.data)) for one in batch]


def costless(told: dict[str, Any]) -> dict[str, Any]:
    """An answer's fields without what it cost."""
    usage = told.get("usage")
    return {**told, "usage": {**usage, "cost": None}} if usage else told


async def whole(shared: Shared, frames: AsyncGenerator[list[Frame]]) -> dict[str, Any]:
    """What `done` says, once it is there. Raises how the turn failed, 404 when it went meanwhile, 503 when this process ends."""
    try:
        async with aclosing(frames):
            async for batch in frames:
                for frame in batch:
                    if frame.name == "done":
                        return frame.data
                    if frame.name == "error":
                        raise _refused(frame)
    except relay.Gone:
        pass
    if shared.is_closing:
        raise RequestError(503, "busy", retry_after_s=2)
    raise RequestError(404, "not_found")


async def first_of(frames: AsyncGenerator[list[Frame]], wait_s: float) -> list[Frame]:
    """Everything up to `open`, or whatever came within `wait_s`. Raises the refusal when one comes before `open`."""
    got: list[Frame] = []
    until = time.monotonic() + wait_s
    async for batch in frames:
        got += batch
        names = {frame.name for frame in got}
        if "error" in names and "open" not in names:
            await frames.aclose()
            raise _refused(next(frame for frame in got if frame.name == "error"))
        if "open" in names or time.monotonic() > until:
            break
    return got


def _refused(frame: Frame) -> RequestError:
    code, is_later = str(frame.data["code"]), bool(frame.data.get("retryable"))
    wait_s = frame.data.get("retry_after_s")
    lasting = 409 if code == "no_sources" else 502 if code.startswith("model_") else 500
    status = 402 if code == accounts.CODE else 503 if is_later else lasting
    message = str(frame.data.get("message") or CODES.get(code, CODES["internal"]))
    return RequestError(status, code, message, retry_after_s=int(wait_s) if wait_s else (2 if is_later else None))


async def streamed(
    first: list[Frame],
    frames: AsyncGenerator[list[Frame]],
    write: Callable[[Frame], bytes],
    silence: bytes,
    comment_s: float,
    left: Callable[[], None] | None = None,
    head: bytes = b"",
) -> AsyncIterator[bytes]:
    """The bytes of the stream: `head`, each frame as `write` puts it, `silence` after every `comment_s` seconds without a word; `left`
    is called when its reader goes before the end."""
    is_over = any(frame.name in _ENDS for frame in first)
    with metrics.streams.labels("answer").track_inprogress():
        said_at = time.monotonic()
        try:
            # Without a first frame the headers leave at once, also through proxies that wait for a first byte.
            yield head + b"".join(write(frame) for frame in first) or silence
            async with aclosing(frames):
                async for batch in frames:
                    is_over = is_over or any(frame.name in _ENDS for frame in batch)
                    told = b"".join(write(frame) for frame in batch)
                    if told:
                        said_at = time.monotonic()
                        yield told
                    elif time.monotonic() - said_at >= comment_s:
                        said_at = time.monotonic()
                        yield silence
            is_over = True  # or this process is to end: the reader comes back to the next one
        except relay.Gone:
            is_over = True
            yield write(Frame(2**53 - 1, "error", {"code": "not_found", "message": CODES["not_found"], "retryable": False}))
        finally:
            if left is not None and not is_over:
                left()

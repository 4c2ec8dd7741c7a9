"""How an answer leaves: SSE, NDJSON or one JSON object, by the Accept header."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from typing import Literal, cast
from uuid import UUID

from fastapi import Request, Response
from fastapi.responses import StreamingResponse

from sourcebook_core.errors import CODES, RequestError
from sourcebook_gateway import metrics, relay
from sourcebook_gateway.deps import Shared
from sourcebook_gateway.json_answers import JsonAnswer, dumps
from sourcebook_gateway.relay import Frame

Form = Literal["text/event-stream", "application/x-ndjson", "application/json"]
STREAM_HEADERS = {"Cache-Control": "no-cache, no-transform", "X-Accel-Buffering": "no"}
_COMMENT = b": still here\n\n"
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
    frames = cast(AsyncGenerator[list[Frame]], relay.follow(shared, turn_id, person_id, last))
    if form == "application/json":
        return await _whole(shared, frames)
    first = await _first(frames, shared.settings.first_event_s) if wait else []
    write = sse if form == "text/event-stream" else ndjson
    silence = _COMMENT if form == "text/event-stream" else _EMPTY_LINE
    body = _told(first, frames, write, silence, shared.settings.comment_s)
    return StreamingResponse(body, media_type=f"{form}; charset=utf-8" if form == "text/event-stream" else form, headers=STREAM_HEADERS)


async def _whole(shared: Shared, frames: AsyncGenerator[list[Frame]]) -> Response:
    try:
        async with aclosing(frames):
            async for batch in frames:
                for frame in batch:
                    if frame.name == "done":
                        return JsonAnswer(frame.data)
                    if frame.name == "error":
                        raise _refused(frame)
    except relay.Gone:
        pass
    if shared.is_closing:
        raise RequestError(503, "busy", retry_after_s=2)
    raise RequestError(404, "not_found")


async def _first(frames: AsyncGenerator[list[Frame]], wait_s: float) -> list[Frame]:
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
    status = 503 if is_later else 409 if code == "no_sources" else 502 if code.startswith("model_") else 500
    message = str(frame.data.get("message") or CODES.get(code, CODES["internal"]))
    return RequestError(status, code, message, retry_after_s=int(wait_s) if wait_s else (2 if is_later else None))


async def _told(
    first: list[Frame], frames: AsyncGenerator[list[Frame]], write: Callable[[Frame], bytes], silence: bytes, comment_s: float
) -> AsyncIterator[bytes]:
    with metrics.streams.labels("answer").track_inprogress():
        said_at = time.monotonic()
        if first:
            yield b"".join(write(frame) for frame in first)
        else:
            yield silence  # the headers leave at once, also through proxies that wait for a first byte
        try:
            async with aclosing(frames):
                async for batch in frames:
                    if batch:
                        said_at = time.monotonic()
                        yield b"".join(write(frame) for frame in batch)
                    elif time.monotonic() - said_at >= comment_s:
                        said_at = time.monotonic()
                        yield silence
        except relay.Gone:
            yield write(Frame(2**53 - 1, "error", {"code": "not_found", "message": CODES["not_found"], "retryable": False}))

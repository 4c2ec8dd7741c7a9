"""The bodies that the fake provider sends: whole replies, streams with their faults, vectors."""

from __future__ import annotations

import asyncio
import base64
import json
import re
import struct
from collections.abc import AsyncIterator
from typing import Any

from starlette.responses import JSONResponse, Response, StreamingResponse

from tests.fakes.script import Reply, Request, Script
from tests.fakes.vectors import token_count

POLL_S = 0.02  # how often a held reply looks whether it was let go


class Broken(Exception):
    """Raised inside a response to cut its connection."""


async def let_go(hold: str, script: Script) -> None:
    """Wait until somebody releases `hold`."""
    while not script.is_released(hold):
        await asyncio.sleep(POLL_S)


def _usage(request: Request, reply: Reply) -> dict[str, int]:
    asked = reply.prompt_tokens if reply.prompt_tokens is not None else token_count(request.said)
    said = reply.completion_tokens if reply.completion_tokens is not None else token_count((reply.text or "") + reply.reasoning)
    return {"prompt_tokens": asked, "completion_tokens": said, "total_tokens": asked + said}


def _frame(request: Request, **fields: Any) -> dict[str, Any]:
    return {"id": f"fake-{request.number}", "created": int(request.at), "model": request.model, **fields}


def whole(request: Request, reply: Reply) -> dict[str, Any]:
    """A chat completion in one body."""
    message: dict[str, Any] = {"role": "assistant", "content": "".join(reply.pieces) if reply.pieces else reply.text or ""}
    if reply.reasoning:
        message["reasoning_content"] = reply.reasoning
    if reply.calls:
        message |= {"content": message["content"] or None, "tool_calls": _tool_calls(request, reply)}
    given = {"words": reply.words, "turned": reply.turned, "unreadable": reply.unreadable}
    message |= {name: value for name, value in given.items() if value is not None}
    choice = {"index": 0, "message": message, "finish_reason": _finish(reply)}
    usage = {"usage": _usage(request, reply)} if reply.usage else {}
    return _frame(request, object="chat.completion", choices=[choice], **usage)


def _finish(reply: Reply) -> str | None:
    return "tool_calls" if reply.calls else reply.finish


def _tool_calls(request: Request, reply: Reply) -> list[dict[str, Any]]:
    return [
        {"id": f"call_{request.number}_{place}", "type": "function", "function": {"name": name, "arguments": arguments}}
        for place, (name, arguments) in enumerate(reply.calls)
    ]


def _call_pieces(request: Request, reply: Reply) -> list[dict[str, Any]]:
    """Uses of tools as a stream brings them: of each its name first, then its arguments in two parts."""
    pieces: list[dict[str, Any]] = []
    for place, call in enumerate(_tool_calls(request, reply)):
        name, written = call["function"]["name"], call["function"]["arguments"]
        half = len(written) // 2
        pieces.append({"index": place, "id": call["id"], "type": "function", "function": {"name": name, "arguments": ""}})
        pieces += [{"index": place, "function": {"arguments": part}} for part in (written[:half], written[half:])]
    return [{"tool_calls": [piece]} for piece in pieces]


def heard(request: Request, reply: Reply) -> Response:
    """A transcription, or half of one."""
    if reply.broken == "cut":
        return StreamingResponse(_cut_short(), media_type="application/json")
    return JSONResponse(_transcript(request, reply))


def _transcript(request: Request, reply: Reply) -> dict[str, Any]:
    """Text alone, or with segments where they were asked for and the model tells times."""
    spoken = reply.segments
    if spoken is None:
        sentences = [one for one in re.split(r"(?<=[.!?]) ", reply.text or "") if one]
        spoken = tuple((5.0 * place, 5.0 * place + 5.0, f" {one}") for place, one in enumerate(sentences))
    text = reply.text if reply.text is not None and reply.segments is None else "".join(said for _, _, said in spoken).strip()
    if reply.timeless or request.body.get("response_format") != "verbose_json":
        return {"text": text}
    segments = [{"id": place, "start": start, "end": end, "text": said} for place, (start, end, said) in enumerate(spoken)]
    return {"task": "transcribe", "language": "english", "duration": spoken[-1][1] if spoken else 0.0, "text": text, "segments": segments}


async def _cut_short() -> AsyncIterator[bytes]:
    """The beginning of a transcription; then the connection is gone."""
    yield b'{"text": "half of wh'
    raise Broken


def _pieces(reply: Reply) -> tuple[str, ...]:
    if reply.pieces is not None:
        return reply.pieces
    *words, last = (reply.text or "").split(" ")
    return (*(word + " " for word in words), last)


async def streamed(request: Request, reply: Reply, script: Script) -> AsyncIterator[bytes]:
    """A chat completion as server-sent events, with the reply's hold or fault after `after` pieces (default: all)."""

    def chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return _line(json.dumps(_frame(request, object="chat.completion.chunk", choices=[choice])))

    pieces = _pieces(reply)
    stop_at = len(pieces) if reply.after is None else min(reply.after, len(pieces))
    yield chunk({"role": "assistant", "content": ""})
    if reply.reasoning:
        yield chunk({"reasoning_content": reply.reasoning})
    for place in range(len(pieces) + 1):
        if place == stop_at:
            if reply.hold and reply.after is not None:
                await let_go(reply.hold, script)
            if reply.broken == "end":
                return
            yield _fault(reply)
        if place < len(pieces):
            yield chunk({"content": pieces[place]})
            await asyncio.sleep(reply.piece_delay_s)
    yield b"".join(map(chunk, _call_pieces(request, reply)))
    if finish := _finish(reply):
        yield chunk({}, finish)
    if reply.usage and (request.body.get("stream_options") or {}).get("include_usage"):
        yield _line(json.dumps(_frame(request, object="chat.completion.chunk", choices=[], usage=_usage(request, reply))))
    yield _line("[DONE]")


def _line(text: str) -> bytes:
    return f"data: {text}\n\n".encode()


def _fault(reply: Reply) -> bytes:
    if reply.broken == "utf8":
        return b'data: {"choices": [{"index": 0, "delta": {"content": "\xff\xfe"}}]}\n\n'
    if reply.broken == "json":
        return _line('{"choices": [{"index": 0, "del')
    if reply.broken == "error":
        return _line(json.dumps({"error": {"message": reply.message, "code": reply.code}}))
    if reply.broken == "cut":
        raise Broken
    return b""


def vectors(request: Request, reply: Reply, script: Script) -> dict[str, Any]:
    """The embeddings of the request's texts, with the reply's faults."""
    dimension = reply.dimension or request.body.get("dimensions") or script.rules.dimension
    rows: list[dict[str, Any]] = [
        {"object": "embedding", "index": place, "embedding": script.pins.vector(text, dimension)}
        for place, text in enumerate(request.texts)
    ]
    if reply.value:
        rows[-1]["embedding"] = [{"nan": float("nan"), "zero": 0.0, "infinite": float("inf")}[reply.value]] * dimension
    rows = rows[: len(rows) - reply.drop]
    if reply.shuffle:
        rows.reverse()
    if request.body.get("encoding_format") == "base64":
        for row in rows:
            row["embedding"] = base64.b64encode(struct.pack(f"<{dimension}f", *row["embedding"])).decode()
    tokens = sum(token_count(text) for text in request.texts)
    usage = {"usage": {"prompt_tokens": tokens, "total_tokens": tokens}} if reply.usage else {}
    return {"object": "list", "model": request.model, "data": rows, **usage}

"""The least that can stream tokens as server-sent events: one route, one generator, no sign-in (`python -m … PORT`)."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator

import orjson
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.routing import Route

from tests.load.relay import TOKEN, TOKENS


async def _frames() -> AsyncIterator[bytes]:
    at = 0
    for _ in range(TOKENS):
        yield b"id: %d\nevent: token\ndata: %s\n\n" % (at, orjson.dumps({"text": TOKEN, "at": at}))
        at += len(TOKEN)
    yield b"event: done\ndata: {}\n\n"


async def _stream(_: Request) -> StreamingResponse:
    return StreamingResponse(_frames(), media_type="text/event-stream")


async def _healthz(_: Request) -> StreamingResponse:
    return StreamingResponse(iter([b"{}"]))


if __name__ == "__main__":
    app = Starlette(routes=[Route("/", _stream), Route("/healthz", _healthz)])
    uvicorn.run(app, port=int(sys.argv[1]), loop="uvloop", http="httptools", ws="none", log_config=None, access_log=False)

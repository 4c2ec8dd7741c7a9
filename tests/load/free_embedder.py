"""The least that can answer as an embedding model: one vector for every text, at no cost (`python -m tests.load.free_embedder PORT`)."""

from __future__ import annotations

import base64
import contextlib
import subprocess
import sys
from collections.abc import Iterator

import numpy as np
import orjson
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from sourcebook.client import answers
from tests.rig import free_port, until_sync

DIMENSION = 384
_ROW = base64.b64encode(np.full(DIMENSION, DIMENSION**-0.5, "<f4").tobytes()).decode()


async def _embeddings(request: Request) -> Response:
    count = len(orjson.loads(await request.body())["input"])
    rows = [{"object": "embedding", "index": place, "embedding": _ROW} for place in range(count)]
    usage = {"prompt_tokens": 300 * count, "total_tokens": 300 * count}
    return Response(orjson.dumps({"object": "list", "model": "free", "data": rows, "usage": usage}), media_type="application/json")


async def _models(_: Request) -> Response:
    return Response(b'{"object": "list", "data": [{"id": "free", "object": "model"}]}', media_type="application/json")


@contextlib.contextmanager
def running() -> Iterator[str]:
    """Its address, while a process of its own serves it."""
    port = free_port()
    process = subprocess.Popen([sys.executable, "-m", "tests.load.free_embedder", str(port)])
    try:
        until_sync(lambda: answers(f"http://127.0.0.1:{port}/v1/models") == 200, 30, "the free embedder")
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.kill()
        process.wait()


if __name__ == "__main__":
    app = Starlette(routes=[Route("/v1/embeddings", _embeddings, methods=["POST"]), Route("/v1/models", _models)])
    uvicorn.run(app, port=int(sys.argv[1]), loop="uvloop", http="httptools", ws="none", log_config=None, access_log=False)

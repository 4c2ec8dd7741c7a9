"""Web applications and folders that an example starts itself, on 127.0.0.1 in a thread of its own."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route


@contextlib.contextmanager
def served(app: Any, port: int) -> Iterator[str]:
    """The address of an ASGI application while the block runs. Port 0 is a free one."""
    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listening.bind(("127.0.0.1", port))
    listening.listen(64)
    config = uvicorn.Config(app, log_config=None, log_level="critical", lifespan="off", timeout_graceful_shutdown=1, ws="none")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[listening])), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(10)
        listening.close()


def website(folder: Path) -> Starlette:
    """The HTML files of a folder as a website."""

    pages = {path.name: path.read_text("utf-8") for path in folder.glob("*.html")}

    async def page(request: Request) -> Response:
        found = pages.get(request.path_params["name"])
        return HTMLResponse(found) if found is not None else PlainTextResponse("Not found", 404)

    return Starlette(routes=[Route("/{name}", page)])

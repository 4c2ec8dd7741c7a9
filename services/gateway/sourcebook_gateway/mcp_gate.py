"""Lets requests in to the MCP face, which is loaded with the first of them: its SDK takes half a second of a start."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import Protocol

from fastapi import Request
from starlette.types import Receive, Scope, Send

from sourcebook_core.errors import RequestError, SourcebookError
from sourcebook_gateway import limits, refusals
from sourcebook_gateway.access import identify
from sourcebook_gateway.deps import Shared
from sourcebook_gateway.json_answers import JsonAnswer

PATH = "/mcp"
_FACE = "sourcebook_gateway.mcp_face"


class Serving(Protocol):
    """What serves the requests that were let in, while `run` lasts."""

    def run(self) -> AbstractAsyncContextManager[None]:
        """Once."""

    async def handle_request(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""


class McpGate:
    """The MCP server behind our gate: a request gets through once its bearer token is known; browsers' cookies never count here."""

    def __init__(self, limit_bytes: int) -> None:
        self._limit_bytes = limit_bytes
        self._wanted, self._over = asyncio.Event(), asyncio.Event()
        self._serving: asyncio.Future[Serving] | None = None

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Serve what comes within the block."""
        self._serving = asyncio.get_running_loop().create_future()
        running = asyncio.create_task(self._run(self._serving))
        try:
            yield
        finally:
            self._over.set()
            self._wanted.set()
            await running

    async def _run(self, serving: asyncio.Future[Serving]) -> None:
        """In one task from start to end, as the SDK's tasks must be begun and ended."""
        await self._wanted.wait()
        if self._over.is_set():
            return
        async with AsyncExitStack() as stack:
            try:
                face = await asyncio.to_thread(_load, self._limit_bytes)
                await stack.enter_async_context(face.run())
            except Exception as error:  # noqa: BLE001 - told by whoever waits for it, and so in the log
                serving.set_exception(error)
                return
            serving.set_result(face)
            await self._over.wait()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        request = Request(scope)
        shared: Shared = request.app.state.shared
        try:
            if request.method == "GET":  # a stream of what the server says by itself: it says nothing, and would be held open for nobody
                message = "This address does not know that method."
                body = refusals.problem("method_not_allowed", message, refusals.request_id_of(request))
                await JsonAnswer(body, status_code=405, headers={"Allow": "POST"})(scope, receive, send)
                return
            if "authorization" not in request.headers:
                raise RequestError(401, "not_signed_in")
            request.state.caller = await identify(shared, request)
            await limits.count_token(shared, request, request.state.caller)
        except SourcebookError as error:
            await refusals.refusal(error, refusals.request_id_of(request))(scope, receive, send)
            return
        assert self._serving is not None, "it is open"
        self._wanted.set()
        face = await asyncio.shield(self._serving)  # one who leaves takes it from nobody
        await face.handle_request(scope, receive, send)


def _load(limit_bytes: int) -> Serving:
    made: Serving = importlib.import_module(_FACE).manager(limit_bytes)
    return made

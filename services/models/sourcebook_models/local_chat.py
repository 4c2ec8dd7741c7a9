"""The writing model: keeps its process running, hands a request to the writing model's process and its reply back, as it comes."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import httpx2
import structlog
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from sourcebook_models.presence import GONE_STATUS, unless_gone
from sourcebook_models.refused import Refused
from sourcebook_models.writer import EXIT_PERMANENT

MODEL = "qwen2.5-coder-1.5b"
MODEL_OF_FILE = "local-gguf"
PATH = "/v1/chat/completions"
MAX_WAITING = 4  # requests at work and in line; one takes 5 to 60 s
RESTART_S = (1.0, 5.0, 30.0)  # after a crash; the last one again and again
LOADING_S = 5  # Retry-After while it loads

log = structlog.get_logger()


@dataclass(frozen=True)
class Choice:
    """What to run: where joined models are kept, another file instead, and how many tokens fit."""

    folder: Path
    gguf: Path | None
    context_tokens: int


class LocalChat:
    """The writing model's process: started beside the server, started again when it dies, reached by HTTP."""

    def __init__(self, choice: Choice) -> None:
        self.choice = choice
        self.model = MODEL if choice.gguf is None else MODEL_OF_FILE
        self.state: Literal["loading", "ready", "failed"] = "loading"
        self.why = ""
        self._address = ""
        self._waiting = 0
        # No connection is kept: the model's server closes idle ones, and a request on one just closed is lost.
        limits = httpx2.Limits(max_keepalive_connections=0)
        self._http = httpx2.AsyncClient(trust_env=False, timeout=httpx2.Timeout(None, connect=5.0), limits=limits)

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Keep the process running inside this block."""
        keeping = asyncio.create_task(self._keep())
        try:
            yield
        finally:
            keeping.cancel()
            await asyncio.gather(keeping, return_exceptions=True)
            await self._http.aclose()

    async def answer(self, request: Request, body: object) -> Response:
        """The model's reply to a body that was read, streamed when asked for; OpenAI's error object while it loads or is busy."""
        if self.state != "ready":
            sentence = self.why or "The writing model is loading. Ask again in a moment."
            return Refused(sentence, status=503, code="model_not_ready").response({"Retry-After": str(LOADING_S)})
        if self._waiting >= MAX_WAITING:
            return Refused("The writing model is busy.", status=429, code="rate_limit_exceeded").response({"Retry-After": "10"})
        self._waiting += 1
        try:
            response = await unless_gone(request, self._sent(_checked(body, self.model)))
        except Refused as refused:
            self._waiting -= 1
            return refused.response()
        except BaseException:  # also cancelled: the place in line must not be lost
            self._waiting -= 1
            raise
        if response is None:
            self._waiting -= 1
            return Response(status_code=GONE_STATUS)
        return _Relayed(response, self._leave)

    async def _sent(self, body: dict[str, Any]) -> httpx2.Response:
        try:
            return await self._http.send(self._http.build_request("POST", self._address + PATH, json=body), stream=True)
        except httpx2.TransportError:
            raise Refused("The writing model stopped. It is being started again.", status=503, code="model_not_ready") from None

    def _leave(self) -> None:
        self._waiting -= 1

    async def _keep(self) -> None:
        for crashes in itertools.count():
            self.state, self.why = "loading", ""
            code = await self._run()
            if code == EXIT_PERMANENT:
                self.state = "failed"
                log.error("writer.not_started", why=self.why)
                return
            wait = RESTART_S[min(crashes, len(RESTART_S) - 1)]
            self.state, self.why = "loading", "The writing model stopped. It is being started again."
            log.warning("writer.stopped", code=code, again_in_s=wait)
            await asyncio.sleep(wait)

    async def _run(self) -> int:
        """One life of the process, and its exit code."""
        arguments = ["--folder", str(self.choice.folder), "--name", self.model, "--context", str(self.choice.context_tokens)]
        if self.choice.gguf is not None:
            arguments += ["--gguf", str(self.choice.gguf)]
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "sourcebook_models.writer", *arguments, stdin=PIPE, stdout=PIPE
        )
        try:
            told = await _told(process)
            if "address" in told:
                self._address, self.state = str(told["address"]).rstrip("/"), "ready"
                log.info("writer.started", model=self.model)
            self.why = str(told.get("error", ""))
            while process.stdout is not None and await process.stdout.readline():
                pass  # what its runtime prints must not fill the pipe
            return await process.wait()
        finally:
            await _ended(process)


async def _told(process: Process) -> dict[str, Any]:
    """The JSON line in which the process says its address or its error; other lines are its runtime's own."""
    if process.stdout is None:
        return {}
    while line := await process.stdout.readline():
        with contextlib.suppress(ValueError):
            told = json.loads(line)
            if isinstance(told, dict):
                return told
    return {}


async def _ended(process: Process) -> None:
    """Let the process end by closing its input; kill it when it does not within three seconds."""
    if process.returncode is not None:
        return
    if process.stdin is not None:
        process.stdin.close()
    try:
        await asyncio.wait_for(process.wait(), 3.0)
    except TimeoutError:
        process.kill()
        await process.wait()


def _checked(body: object, model: str) -> dict[str, Any]:
    if not isinstance(body, dict) or not isinstance(body.get("messages"), list):
        raise Refused("messages is a list of messages.", param="messages")
    if body.get("model") not in {None, model}:
        raise Refused(f"The writing model here is {model}.", status=404, code="model_not_found", param="model")
    return body


class _Relayed(StreamingResponse):
    """A reply passed on as it comes; the connection behind it is closed however this one ends."""

    def __init__(self, reply: httpx2.Response, leave: Callable[[], None]) -> None:
        super().__init__(reply.aiter_raw(), reply.status_code, media_type=reply.headers.get("content-type"))
        self._reply, self._leave = reply, leave

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._leave()
            await self._reply.aclose()

"""A model in a process of its own: started when it is needed, one piece of work at a time, killed when it hangs, gone when idle."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import struct
import sys
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable, Sequence
from typing import Any

import structlog

from sourcebook_models.line import Full
from sourcebook_models.refused import Refused

# One thread for every library: two threads on two busy cores are slower than one (measured). No model is ever looked for on a network.
ENVIRONMENT = ("OMP_THREAD_LIMIT=1", "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1", "HF_HUB_OFFLINE=1", "HF_HUB_DISABLE_TELEMETRY=1")
TRIES = 2  # a process can be killed by anybody; work that ends it twice is at fault itself
LONGEST_WAIT_S = 10  # of Retry-After: our own clients leave longer waits to their jobs
HEAD = struct.Struct("!II")  # lengths of the JSON and of the bytes that follow it

log = structlog.get_logger()


class Bench:
    """The process `python -m module`, which speaks the protocol of `bench_child`."""

    def __init__(self, module: str, arguments: Sequence[str], *, most: int, silent_s: float, idle_s: float) -> None:
        """`most` pieces at work or in line; `silent_s` without a sign of life kills it, `idle_s` without work ends it."""
        self._command = ("env", *ENVIRONMENT, sys.executable, "-m", module, *arguments)
        self._name = module.rsplit(".", 1)[-1]
        self._most, self._silent_s, self._idle_s = most, silent_s, idle_s
        self._process: Process | None = None
        self._turn = asyncio.Lock()
        self._leaving: asyncio.Task[None] | None = None
        self._seconds = 2.0  # of one piece, a running mean
        self.waiting = 0

    @property
    def state(self) -> str:
        """`off` until it is needed, then `idle` or `busy`."""
        is_up = self._process is not None and self._process.returncode is None
        return "busy" if self._turn.locked() else "idle" if is_up else "off"

    @property
    def pid(self) -> int | None:
        """The process, while there is one."""
        return self._process.pid if self._process is not None and self._process.returncode is None else None

    def check(self) -> None:
        """Raise Full when no more work is taken in."""
        if self.waiting >= self._most:
            raise Full(max(1, min(LONGEST_WAIT_S, round(self._seconds * self.waiting / 2))))

    async def ask(self, head: dict[str, Any], body: Callable[[], bytes]) -> dict[str, Any]:
        """The process's reply to one piece of work, `body` fetched when its turn comes.

        Raises Full, and Refused for work that it refuses, that ends it twice, or that it says nothing about for `silent_s`.
        Cancelling (the caller went away) ends the process when it is at this work.
        """
        self.check()
        self.waiting += 1
        try:
            async with self._turn:
                if self._leaving is not None:
                    self._leaving.cancel()
                began = time.monotonic()
                try:
                    reply = await self._answered(head, await asyncio.to_thread(body))
                finally:
                    self._leaving = asyncio.create_task(self._leave())
                self._seconds += 0.2 * (time.monotonic() - began - self._seconds)
        finally:
            self.waiting -= 1
        if "refused" in reply:
            raise Refused(str(reply["refused"]), code=reply.get("code"), param=reply.get("param"))
        return reply

    async def close(self) -> None:
        """End the process."""
        if self._leaving is not None:
            self._leaving.cancel()
            await asyncio.gather(self._leaving, return_exceptions=True)
        await self._end()

    async def _answered(self, head: dict[str, Any], body: bytes) -> dict[str, Any]:
        for tried in range(1, TRIES + 1):
            is_over = False
            try:
                reply = await self._exchange(head, body)
                is_over = True
                return reply
            except TimeoutError:
                log.warning("bench.silent", model=self._name, seconds=self._silent_s)
                raise Refused("This takes too long here; nothing was read.", code="too_hard") from None
            except (OSError, asyncio.IncompleteReadError, ValueError) as error:  # it ended, or wrote nonsense
                log.warning("bench.ended", model=self._name, tried=tried, why=type(error).__name__)
            finally:
                if not is_over:
                    await self._end()
        raise Refused("This ended the model's process twice; nothing was read.", code="too_hard")

    async def _exchange(self, head: dict[str, Any], body: bytes) -> dict[str, Any]:
        process = await self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        said = json.dumps(head).encode()
        async with asyncio.timeout(self._silent_s):
            process.stdin.write(HEAD.pack(len(said), len(body)) + said)
            process.stdin.write(body)
            await process.stdin.drain()
        while True:
            async with asyncio.timeout(self._silent_s):
                length, _ = HEAD.unpack(await process.stdout.readexactly(HEAD.size))
                reply = json.loads(await process.stdout.readexactly(length))
            if not isinstance(reply, dict):
                raise ValueError("not an object")
            if "going_on" not in reply:
                return reply

    async def _started(self) -> Process:
        if self._process is None or self._process.returncode is not None:
            # A session of its own: what it starts can be killed with it.
            self._process = await asyncio.create_subprocess_exec(*self._command, stdin=PIPE, stdout=PIPE, start_new_session=True)
            log.info("bench.started", model=self._name, pid=self._process.pid)
        return self._process

    async def _leave(self) -> None:
        await asyncio.sleep(self._idle_s)
        async with self._turn:
            await self._end()

    async def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)  # it keeps nothing that could be lost
        await process.wait()

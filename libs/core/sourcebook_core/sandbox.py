"""Readers of untrusted bytes in killable, walled child processes: one child per file, forked from a preloaded server."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import sys
import tempfile
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sourcebook_core import log
from sourcebook_core.errors import PermanentError, TransientError
from sourcebook_core.sandbox_talk import HEADER
from sourcebook_core.settings import Limits

_log = log.get(__name__)
_START_S = 60.0  # a fork with its imports, on a busy machine
_LARGEST_HEAD_BYTES = 64_000_000
_LARGEST_BODY_BYTES = 64_000_000
# A child that used so much of its memory before it died most likely died of that.
_NEAR_LIMIT = 0.4
PRELOADED = ("sourcebook_core.pdf_child",)


class Crashed(PermanentError):
    """The child ended, hung or broke its limits while it worked on a part: an error of that part, not of this process."""


@dataclass(frozen=True, slots=True)
class Part:
    """One piece of a child's answer."""

    head: dict[str, Any]
    body: bytes


@dataclass(slots=True)
class _End:
    done: asyncio.Event
    status: int = 0
    peak_bytes: int = 0


class Child:
    """The fork server of this process; starts at first use, starts anew when it dies, ends with this process."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._process: asyncio.subprocess.Process | None = None
        self._orders: socket.socket | None = None
        self._news: asyncio.Task[None] | None = None
        self._lock = asyncio.Lock()
        self._last = 0
        self._ends: dict[int, _End] = {}

    @asynccontextmanager
    async def open(self, module: str, source: Path | bytes | int, name: str) -> AsyncIterator[Opened]:
        """A child of its own for one file, whose calls are `module.CALLS`; it is killed when the block ends.

        `source` reaches it as an open descriptor (given, or of a path or bytes), never as a path. `name` is the file's
        name for messages. Raises TransientError `busy` when no child can be started.
        """
        descriptor, is_ours = _descriptor(source)
        ours, theirs = socket.socketpair()
        writer: asyncio.StreamWriter | None = None
        order = 0
        try:
            order = await self._order(module, [descriptor, theirs.fileno()])
            theirs.close()
            reader, writer = await asyncio.open_unix_connection(sock=ours)
            opened = Opened(reader, writer, self._ends[order], self.limits, name)
            await opened.begin()
            yield opened
        finally:
            theirs.close()
            if writer is None:
                ours.close()
            else:
                writer.close()
            if is_ours:
                os.close(descriptor)
            self._kill(order)

    @property
    def process_number(self) -> int | None:
        """The fork server's; its children are the readers at work."""
        return self._process.pid if self._process is not None else None

    async def walls(self) -> dict[str, bool]:
        """Which walls really stand, found by trying to break each from inside a child."""
        with tempfile.TemporaryFile() as empty:
            async with self.open("sourcebook_core.sandbox_probe", empty.fileno(), "probe") as opened:
                found = [part.head async for part in opened.call("try", 20.0)]
        return {str(wall): bool(stands) for wall, stands in found[0].items()}

    async def close(self) -> None:
        """End the server and every child of it."""
        if self._orders is not None:
            self._orders.close()
        if self._process is not None:
            try:
                async with asyncio.timeout(3):
                    await self._process.wait()
            except TimeoutError:
                self._process.kill()
                await self._process.wait()
        if self._news is not None:
            self._news.cancel()
            await asyncio.gather(self._news, return_exceptions=True)

    async def _order(self, module: str, descriptors: Sequence[int]) -> int:
        async with self._lock:
            if self._process is None or self._process.returncode is not None:
                await self._start()
            assert self._orders is not None
            self._last += 1
            self._ends[self._last] = _End(asyncio.Event())
            message = {"op": "open", "id": self._last, "module": module, "memory_bytes": self.limits.child_memory_bytes}
            try:
                socket.send_fds(self._orders, [json.dumps(message).encode()], list(descriptors))
            except OSError as error:
                raise TransientError("busy") from error
            return self._last

    async def _start(self) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "sourcebook_core.sandbox_server", str(theirs.fileno()), *PRELOADED,
                stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, pass_fds=[theirs.fileno()],
                # Nothing of our environment: it holds keys.
                env={"PATH": os.defpath, "LANG": "C.UTF-8", "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
                     "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "1"},
            )  # fmt: skip
        self._orders = ours
        self._news = asyncio.create_task(self._hear(self._process, ours))

    async def _hear(self, process: asyncio.subprocess.Process, orders: socket.socket) -> None:
        assert process.stdout is not None
        known = self._ends
        while line := await process.stdout.readline():
            news = json.loads(line)
            end = known.pop(news["id"], None)
            if end is not None:
                end.status, end.peak_bytes = news["status"], news["peak_bytes"]
                end.done.set()
        await process.wait()
        orders.close()
        for end in list(known.values()):
            end.done.set()
        known.clear()

    def _kill(self, order: int) -> None:
        if self._orders is not None and order in self._ends:
            with suppress(OSError):
                self._orders.send(json.dumps({"op": "kill", "id": order}).encode())


class Opened:
    """One child with one file."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, end: _End, limits: Limits, name: str) -> None:
        self._reader, self._writer, self._end, self._limits, self._name = reader, writer, end, limits, name

    async def begin(self) -> None:
        """Wait until the child stands behind its walls."""
        try:
            async with asyncio.timeout(_START_S):
                await self._frame()
        except (TimeoutError, asyncio.IncompleteReadError, ConnectionError) as error:
            raise TransientError("busy") from error

    async def call(self, name: str, seconds: float, **args: Any) -> AsyncGenerator[Part, None]:
        """Call a function of the child's reader; yields the parts of its answer as they come.

        `seconds` bounds the time to each part, wall and processor. Raises PermanentError with the reader's verdict;
        Crashed with `resource_limit` (time or memory) or `damaged_file` when the child ended or hung: it is of no use then.
        """
        text = json.dumps({"name": name, "seconds": seconds, "args": args}).encode()
        self._writer.write(HEADER.pack(len(text), 0) + text)
        while True:
            try:
                async with asyncio.timeout(seconds + 1):
                    part = await self._frame()
            except TimeoutError:
                _log.warning("child.stopped", call=name, reason="time")
                raise Crashed("resource_limit", name=self._name) from None
            except (asyncio.IncompleteReadError, ConnectionError):
                raise await self._death(name) from None
            if "error" in part.head:
                _log.info("child.refused", call=name, code=part.head["error"], why=part.head["facts"].get("why"))
                kind = Crashed if part.head.get("broke") else PermanentError
                raise kind(part.head["error"], **{"name": self._name, **part.head["facts"]})
            if "end" in part.head:
                return
            yield Part(part.head["part"], part.body)

    async def _frame(self) -> Part:
        head, body = HEADER.unpack(await self._reader.readexactly(HEADER.size))
        if head > _LARGEST_HEAD_BYTES or body > _LARGEST_BODY_BYTES:
            raise ConnectionError("the child's answer is larger than any answer may be")
        return Part(json.loads(await self._reader.readexactly(head)), await self._reader.readexactly(body))

    async def _death(self, call: str) -> Crashed:
        with suppress(TimeoutError):
            async with asyncio.timeout(5):
                await self._end.done.wait()
        number = os.WTERMSIG(self._end.status) if os.WIFSIGNALED(self._end.status) else 0
        is_over = number in (signal.SIGXCPU, signal.SIGKILL) or self._end.peak_bytes > _NEAR_LIMIT * self._limits.child_memory_bytes
        _log.warning("child.died", call=call, signal=number, peak_bytes=self._end.peak_bytes)
        return Crashed("resource_limit" if is_over else "damaged_file", name=self._name)


def _descriptor(source: Path | bytes | int) -> tuple[int, bool]:
    """An open descriptor of the source, and whether it is ours to close. Raises LookupError for a path that is not there."""
    if isinstance(source, int):
        return source, False
    if isinstance(source, Path):
        try:
            return os.open(source, os.O_RDONLY | os.O_CLOEXEC), True
        except FileNotFoundError:
            raise LookupError(str(source)) from None
    try:
        with tempfile.TemporaryFile() as held:
            held.write(source)
            held.flush()
            return os.dup(held.fileno()), True
    except OSError as error:
        raise TransientError("tmp_full") from error

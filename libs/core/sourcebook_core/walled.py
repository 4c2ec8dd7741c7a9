"""A program of others (ffmpeg) run behind walls: bounded in memory, time and output, without network, files or other programs."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from sourcebook_core.errors import TransientError

ERRORS_KEPT_BYTES = 64_000
_PIECE_BYTES = 65_536
_LONGEST_LINE_BYTES = 65_536
# Told each line of standard output; True when it means that the program got on, which gives it `stall_s` again.
Listener = Callable[[str], Awaitable[bool]]


@dataclass(frozen=True, slots=True)
class Bounds:
    """What one run may take. `stall_s` is the longest time without a sign of getting on, `seconds` the longest in all."""

    memory_bytes: int
    file_bytes: int = 0
    output_bytes: int = 1_000_000
    seconds: float = 30.0
    stall_s: float = 30.0


@dataclass(frozen=True, slots=True)
class Ended:
    """How a run ended. `status`: exit code, negative for a signal; `errors`: the end of what it wrote to standard error."""

    status: int
    output: bytes
    errors: str
    is_late: bool
    is_too_much: bool

    @property
    def broke_bounds(self) -> bool:
        """True when it was ended because of time, processor time, memory or output."""
        is_killed = -self.status in (signal.SIGXCPU, signal.SIGXFSZ, signal.SIGKILL)
        return self.is_late or self.is_too_much or is_killed or "Cannot allocate memory" in self.errors


class _TooMuch(Exception):
    """More output than the bounds allow."""


async def run(
    program: str, arguments: Sequence[str], bounds: Bounds, *, descriptors: Sequence[int] = (), heard: Listener | None = None
) -> Ended:
    """Run a program to its end with these open descriptors (same numbers there), standard input closed, in an empty folder.

    With `heard`, standard output goes to it line by line, else into `Ended.output`. The program and all it started are
    killed when the bounds are broken, when this call is cancelled, and when this process dies. Raises TransientError
    `tmp_full` or `busy` when it cannot be started.
    """
    order = {
        "program": program, "arguments": list(arguments), "parent": os.getpid(), "memory_bytes": bounds.memory_bytes,
        "file_bytes": bounds.file_bytes, "cpu_seconds": bounds.seconds,
    }  # fmt: skip
    try:
        folder = tempfile.TemporaryDirectory(prefix="sourcebook-walled-")
    except OSError as error:
        raise TransientError("tmp_full") from error
    with folder as empty:
        try:
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "sourcebook_core.walled_launch", json.dumps(order),
                stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
                pass_fds=list(descriptors), cwd=empty, start_new_session=True,
                env={"PATH": os.defpath, "LANG": "C.UTF-8", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            )  # fmt: skip
        except OSError as error:
            raise TransientError("busy") from error
        try:
            return await _to_its_end(process, bounds, heard)
        finally:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()


async def _to_its_end(process: asyncio.subprocess.Process, bounds: Bounds, heard: Listener | None) -> Ended:
    assert process.stdout is not None and process.stderr is not None
    errors, output = bytearray(), bytearray()
    is_late = is_too_much = False
    reading = asyncio.create_task(_keep_end(process.stderr, errors))
    try:
        async with asyncio.timeout(min(bounds.seconds, bounds.stall_s)) as clock:
            if heard is None:
                await _keep(process.stdout, output, bounds.output_bytes)
            else:
                await _tell(process.stdout, heard, clock, bounds)
            await process.wait()
    except TimeoutError:
        is_late = True
    except _TooMuch:
        is_too_much = True
    finally:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        await asyncio.gather(reading)
    return Ended(await process.wait(), bytes(output), errors.decode("utf-8", "replace"), is_late, is_too_much)


async def _keep_end(stream: asyncio.StreamReader, kept: bytearray) -> None:
    """Read to the end, or the program would wait for ever with a full pipe (B25); only the end is kept."""
    while piece := await stream.read(_PIECE_BYTES):
        kept += piece
        del kept[:-ERRORS_KEPT_BYTES]


async def _keep(stream: asyncio.StreamReader, kept: bytearray, limit: int) -> None:
    while piece := await stream.read(_PIECE_BYTES):
        kept += piece
        if len(kept) > limit:
            raise _TooMuch


async def _tell(stream: asyncio.StreamReader, heard: Listener, clock: asyncio.Timeout, bounds: Bounds) -> None:
    now = asyncio.get_running_loop().time
    end = now() + bounds.seconds
    begun = b""
    while piece := await stream.read(_PIECE_BYTES):
        *lines, begun = (begun + piece).split(b"\n")
        if len(begun) > _LONGEST_LINE_BYTES:
            raise _TooMuch
        for line in lines:
            if await heard(line.decode("utf-8", "replace").strip()):
                clock.reschedule(min(end, now() + bounds.stall_s))

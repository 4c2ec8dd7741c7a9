"""Tries to break out of the child's walls, to tell which of them stand."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sourcebook_core.sandbox_talk import Answer

_TOO_MUCH_BYTES = 4_000_000_000


def _fails(attempt: Callable[[], object]) -> bool:
    try:
        attempt()
    except (OSError, MemoryError):
        return True
    return False


def _fork() -> None:
    if os.fork() == 0:
        os._exit(0)


def _try(_: dict[str, Any]) -> Answer:
    yield (
        {
            "files": _fails(lambda: Path("/etc/passwd").read_bytes()),
            "writing": _fails(lambda: Path("/tmp/sourcebook-probe").write_bytes(b"x")),
            "sockets": _fails(lambda: socket.socket(socket.AF_INET).close()),
            "programs": _fails(lambda: os.execv("/bin/true", ["true"])),  # noqa: S606 - it must fail
            "processes": _fails(_fork),
            "signals": _fails(lambda: os.kill(os.getppid(), 0)),
            "memory": _fails(lambda: bytearray(_TOO_MUCH_BYTES)),
            "user": os.geteuid() != 0,
        },
        b"",
    )


CALLS = {"try": _try}

"""Keeps the logs of the stack's processes small while they are being written."""

import shutil
from pathlib import Path

MAX_BYTES = 10_000_000
KEPT = 3


def rotate(log: Path, max_bytes: int = MAX_BYTES, kept: int = KEPT) -> bool:
    """Copy a log that has grown over `max_bytes` to `<log>.1` (older ones move on, `kept` of them stay) and empty it.

    Its writer goes on: it appends (O_APPEND). What it writes between copy and cut is lost; that is a line or two in 10 MB.
    """
    try:
        if log.stat().st_size <= max_bytes:
            return False
    except FileNotFoundError:
        return False
    for number in range(kept, 1, -1):
        older = log.with_name(f"{log.name}.{number - 1}")
        if older.exists():
            older.replace(log.with_name(f"{log.name}.{number}"))
    shutil.copyfile(log, log.with_name(f"{log.name}.1"))
    with open(log, "r+b") as sink:
        sink.truncate(0)
    return True

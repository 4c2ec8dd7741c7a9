"""Secrets that live in a file of the data folder."""

import contextlib
import os
import secrets
from pathlib import Path


def kept_secret(path: Path) -> str:
    """The secret kept in `path` (0600), made of 32 random bytes when the file is missing. Safe from two processes at once."""
    try:
        return path.read_text("ascii").strip()
    except FileNotFoundError:
        pass
    fresh = path.with_name(f".{path.name}-{secrets.token_hex(4)}")
    fd = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(fd, "w", encoding="ascii") as sink:
        sink.write(f"{secrets.token_urlsafe(32)}\n")
    with contextlib.suppress(FileExistsError):  # someone was quicker: then theirs counts
        os.link(fresh, path)
    fresh.unlink()
    return path.read_text("ascii").strip()

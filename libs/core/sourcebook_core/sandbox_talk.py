"""What both sides of the sandbox agree on: frames, descriptors, and how a reader refuses its file."""

from __future__ import annotations

import struct
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

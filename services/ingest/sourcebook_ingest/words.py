"""How many words a text has, for reports."""

from __future__ import annotations

import re

_WITHOUT_BLANKS = re.compile("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")


def count_words(text: str) -> int:
    """Words between blanks; in scripts without blanks two characters count as one word."""
    if text.isascii():
        return len(text.split())
    joined, found = _WITHOUT_BLANKS.subn(" ", text)
    return len(joined.split()) + (found + 1) // 2

"""Words that a person typed, made fit for one line of a prompt: nothing in them can close a fence or begin a line. Source: N-12."""

from __future__ import annotations

import re

_UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u2028\u2029\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]")


def one_line(text: str, limit: int) -> str:
    """The text on one line, without angle brackets and unseen characters, blanks collapsed, at most `limit` code points with "..."."""
    plain = " ".join(_UNSEEN.sub(" ", text).replace("<", " ").replace(">", " ").split())
    return plain if len(plain) <= limit else plain[: limit - 3].rstrip() + "..."

"""Words of a reply that are for the program: NOT_COVERED, USED, and a line about sources that only the program may write."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum
from functools import lru_cache

from sourcebook_core.store.citations import LINE_SIGN
from sourcebook_rag import lines

_NOT_COVERED = re.compile(r"[*_`\"\[(]{0,4}NOT_COVERED(?![A-Za-z0-9])[*_`\"\])]{0,4}[.:!\s]*")
_NOT_COVERED_START = re.compile(r"[*_`\"\[(]{0,4}([A-Z_]{0,11})$")
# Every beginning of a line that one of the two patterns takes is taken by one of them too, so cutting changes nothing.
_USED = re.compile(r"[*_`]{0,4}USED:[*_`]{0,4}[\d\s,;\[\]#]*(?:-|n|no|non|none)?[*_`]{0,4}\.?\s*$", re.IGNORECASE)
_USED_START = re.compile(r"[*_`]{0,4}(U?S?E?D?:?)$", re.IGNORECASE)
_BEFORE_OWN = re.compile(r"[*_> \t\u00a0-]{0,8}")  # emphasis, a quotation or list sign


@lru_cache
def own_beginnings() -> tuple[str, ...]:
    """How the line that names the sources begins, in every language, folded, without its sign. Source: S3-13."""
    told = [lines.line("minted", language).partition("{sources}")[0] for language in lines.LANGUAGES]
    return tuple(one.removeprefix(LINE_SIGN).strip().casefold() for one in told)


class Is(Enum):
    """Whether words are what was looked for: yes, no, or not to be told before more of them came."""

    YES = 1
    NO = 2
    OPEN = 3


def not_covered(text: str, *, final: bool) -> tuple[Is, int]:
    """Whether a reply begins with the mark NOT_COVERED, and how many characters it takes with the blanks behind it."""
    match = _NOT_COVERED.match(text)
    if match is not None:
        return (Is.YES, match.end()) if match.end() < len(text) or final else (Is.OPEN, 0)
    start = _NOT_COVERED_START.match(text)
    may_come = start is not None and "NOT_COVERED".startswith(start.group(1)) and not final
    return (Is.OPEN if may_come else Is.NO), 0


def used(text: str, *, final: bool) -> tuple[Is, list[int]]:
    """Whether what is left of a reply is its last line "USED: 1, 3" ("USED: none"), and the numbers in it, each once."""
    if _USED.match(text):
        return (Is.YES, list(dict.fromkeys(int(one) for one in re.findall(r"\d{1,3}", text)))) if final else (Is.OPEN, [])
    start = _USED_START.match(text)
    return (Is.OPEN if start and "USED:".startswith(start.group(1).upper()) and not final else Is.NO), []


def own_line(line: str, beginnings: Sequence[str], *, final: bool) -> Is:
    """Whether a line of a reply begins like the one that only the program writes: with its sign or one of `beginnings` (folded)."""
    if not beginnings:
        return Is.NO
    match = _BEFORE_OWN.match(line)
    words = line[match.end() if match else 0 :].casefold()
    if words.startswith((LINE_SIGN, *beginnings)):
        return Is.YES
    return Is.OPEN if not final and "\n" not in line and any(one.startswith(words) for one in beginnings) else Is.NO

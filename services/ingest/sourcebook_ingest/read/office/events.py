"""What a reader in the child tells of a file: passages in order, facts, warnings. Plain JSON, for it crosses the wall."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

Event = dict[str, Any]
Events = Iterator[Event]
PASSAGE_CHARS = 200_000  # as of a text: a longer passage would be sent whole to a reader that shows one line of it
_YEAR = re.compile(r"\s*((?:19|20)\d\d)")
_AUTHORS_APART = re.compile(r"\s*[;\n]\s*")
# What programs write in for a person that they do not know.
_NOBODY = frozenset({"", "python-docx", "openpyxl", "unknown", "user", "admin", "administrator", "windows user", "microsoft office user"})
# What programs call a file that nobody gave a title.
_NO_TITLE = frozenset({
    "powerpoint presentation", "powerpoint-präsentation", "présentation powerpoint", "presentación de powerpoint",
    "prezentace aplikace powerpoint",
    "presentation", "word document", "document", "untitled", "unknown",
})  # fmt: skip
AUTHORS = 50
LINE_CHARS = 300


@dataclass(slots=True)
class Told:
    """Warnings gathered while reading; each is told once."""

    warnings: dict[str, str] = field(default_factory=dict)

    def warn(self, code: str, message: str) -> None:
        """Keep a warning; the last one of a code stands."""
        self.warnings[code] = message

    def events(self) -> Events:
        """What was gathered."""
        for code, message in self.warnings.items():
            yield {"warn": [code, message]}


def passage(text: str, **place: Any) -> Event:
    """A passage; `place` holds what is known of `page`, `heading`, `sheet`, `row_from`, `row_to`, `lead`, `outline`."""
    return {"passage": {"text": text, **{name: value for name, value in place.items() if value is not None}}}


def facts(*, title: str | None = None, authors: str | None = None, date: str | None = None, **more: Any) -> Event:
    """Title, authors and year as a file's own record gives them, and `more` (pages, gap)."""
    names = [one_line(name) for name in _AUTHORS_APART.split(authors or "")]
    year = _YEAR.match(date or "")
    words = one_line(title or "")
    return {
        "facts": {
            "title": words if words.casefold() not in _NO_TITLE and words else None,
            "authors": [name for name in names if name.casefold() not in _NOBODY][:AUTHORS],
            "year": int(year.group(1)) if year else None,
            **more,
        }
    }


def one_line(text: str) -> str:
    """The words on one line, at most `LINE_CHARS`."""
    return " ".join(text.split())[:LINE_CHARS].rstrip()


def listed(names: list[str], most: int = 5) -> str:
    """Names in a sentence: the first few, and how many more."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more

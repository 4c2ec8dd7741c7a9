"""What a reader gives: windows of passages on the way, and facts about the whole."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from sourcebook_core.store.passages import Passage

# What programs write into a file's title when nobody gave one: the file's own name, or the program's.
_NO_TITLE = re.compile(r"(?i)^(microsoft|untitled|document\s*\d*$|slide\s*\d)|\.(docx?|pdf|tex|dvi|indd|pptx?|xlsx?|odt|html?)$")
_TITLE_CHARS = 300


def usable_title(found: str | None) -> str | None:
    """The title that stands in a source, if it is one that a person would recognise it by."""
    title = " ".join((found or "").split())[:_TITLE_CHARS]
    return title if re.search(r"[^\W\d_]{2}", title) and not _NO_TITLE.search(title) else None


@dataclass(frozen=True, slots=True)
class Window:
    """Passages read together, to be stored in one commit; `done` of `total` parts (pages, or characters) are read then."""

    passages: list[Passage]
    done: int
    total: int | None


@dataclass(slots=True)
class Facts:
    """What is known of a source when it is read to its end. `gap` is the break between passages in the whole text."""

    pages: int | None = None
    title: str | None = None
    authors: list[str] = field(default_factory=list)
    year: int | None = None
    outline: list[dict[str, Any]] = field(default_factory=list)
    warnings: list[dict[str, str]] = field(default_factory=list)
    meta: dict[str, Any] = field(default_factory=dict)
    gap: int = 0

    def warn(self, code: str, message: str) -> None:
        """Note something that a person should know, once."""
        found = {"code": code, "message": message}
        if found not in self.warnings:
            self.warnings.append(found)

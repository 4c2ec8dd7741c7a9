"""What a reader gives: windows of passages on the way, and facts about the whole."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from sourcebook_core.store.calls import Call
from sourcebook_core.store.passages import Passage

# What programs write into a file's title when nobody gave one: the file's own name, or the program's.
_NO_TITLE = re.compile(
    r"(?i)^(microsoft|untitled|slide\s*\d|(document|scan|scanned (image|document)|powerpoint presentation|print)[\s_-]*\d*$"
    r"|adobe (acrobat|photoshop|illustrator|indesign)[\s\d.]*(pdf|document)?$)"
    r"|\.(docx?|pdf|tex|dvi|indd|pptx?|xlsx?|odt|html?|psd|tiff?|jpe?g)$"
)
_TITLE_CHARS = 300


def usable_title(found: str | None) -> str | None:
    """The title that stands in a source, if it is one that a person would recognise it by."""
    title = " ".join((found or "").split())[:_TITLE_CHARS]
    return title if re.search(r"[^\W\d_]{2}", title) and not _NO_TITLE.search(title) else None


@dataclass(frozen=True, slots=True)
class Paid:
    """A provider call that was made, to be finished in the commit of what it bought; `cost` None = unknown."""

    call: Call
    response: dict[str, Any]
    units: dict[str, Any]
    cost: Decimal | None


@dataclass(frozen=True, slots=True)
class Window:
    """Passages read together, to be stored in one commit; `done` of `total` parts (pages, or characters) are read then.

    `paid` are the calls that bought them. `may_pause` is false while further paid calls are on their way: giving back the
    slot now would throw their results away.
    """

    passages: list[Passage]
    done: int
    total: int | None
    paid: tuple[Paid, ...] = ()
    may_pause: bool = True


class NeedsApproval(Exception):
    """Reading on would cost much: a person is asked first. `estimate` is {pages, calls, cost, currency}."""

    def __init__(self, estimate: dict[str, Any]) -> None:
        super().__init__("needs_approval")
        self.estimate = estimate


@dataclass(slots=True)
class Facts:
    """What is known of a source when it is read to its end. `gap` is the break between passages in the whole text."""

    pages: int | None = None
    duration_ms: int | None = None
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

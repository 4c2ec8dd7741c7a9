"""The parts of what leaves for other programs, in whatever form it leaves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sourcebook_core.checks import Citation


@dataclass(frozen=True, slots=True)
class Section:
    """A heading (empty: none), Markdown in which "[n]" stands for the citation n, and what stands behind these marks."""

    heading: str
    text: str
    citations: Sequence[Citation] = ()
    remark: str = ""


def place_of(citation: Citation) -> str:
    """Title, place in the source and quote of a citation, on one line."""
    parts = [line(citation.source_title) or "Source removed"]
    if citation.page is not None:
        parts.append(f"page {citation.page}")
    if citation.heading:
        parts.append(line(citation.heading))
    if citation.sheet:
        parts.append(f"sheet {line(citation.sheet)}")
    if citation.rows:
        first, last = citation.rows
        parts.append(f"row {first}" if first == last else f"rows {first}–{last}")
    if citation.start_ms is not None:
        parts.append(f"{citation.start_ms // 60_000}:{citation.start_ms // 1000 % 60:02}")
    quote = f": “{line(citation.quote)}”" if citation.quote else ""
    return ", ".join(parts) + quote


def line(text: str | None) -> str:
    """The words on one line."""
    return " ".join((text or "").split())

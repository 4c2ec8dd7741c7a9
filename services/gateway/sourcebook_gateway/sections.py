"""The parts of what leaves for other programs, in whatever form it leaves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from sourcebook_core.checks import Citation


@dataclass(frozen=True, slots=True)
class Section:
    """A heading (empty: none), Markdown in which "[n]" stands for the citation n, and what stands behind these marks.

    `checked` are lines on what the checks found wanting: a letter must not look surer than the page did.
    """

    heading: str
    text: str
    citations: Sequence[Citation] = ()
    remark: str = ""
    checked: Sequence[str] = ()


def numbered(sections: Iterable[Section]) -> Iterator[tuple[Section, dict[int, int]]]:
    """Each section, and for its citations' numbers those in the whole: they go on from section to section."""
    before = 0
    for section in sections:
        numbers = {one.n: before + one.n for one in section.citations}
        yield section, numbers
        before = max(numbers.values(), default=before)


def place_of(citation: Citation) -> str:
    """Title, place in the source and quote of a citation, on one line."""
    parts = [line(citation.source_title) or "Source removed"]
    if citation.kind == "note":
        parts.append("your note")
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

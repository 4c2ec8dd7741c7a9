"""Blocks with heading levels, made into passages: one per section, as Markdown is read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from sourcebook_core.text.scripts import has_visible
from sourcebook_ingest.read.office.events import PASSAGE_CHARS, Event, Events, one_line, passage
from sourcebook_ingest.read.office.tables import line_of
from sourcebook_ingest.read.text import CUT_LEVEL

# A level (1 to 6, or 0 for words that are no heading) and the words.
Block = tuple[int, str]
_DEEPEST = 6
TABLE_ROWS = 100  # of a table in a text that stand in one block


def passages_of(blocks: Iterator[Block]) -> Events:
    """One passage per section down to level `CUT_LEVEL`, headings marked as in Markdown, so that recipes by heading cut there too.

    A heading without words of its own stays with the section below it; a long section goes on in further passages. Each
    block ends with a blank line, so the passages tile the whole text.
    """
    section = _Section()
    for level, raw in blocks:
        words = one_line(raw) if level else raw.strip("\n").rstrip()
        if not has_visible(words):
            continue
        if level:
            if section.has_body and level <= CUT_LEVEL:
                yield from section.taken()
            section.head(min(level, _DEEPEST), words)
        else:
            for piece in _pieces(words):
                if section.size and section.size + len(piece) > PASSAGE_CHARS:
                    yield from section.taken()
                section.body(piece)
    yield from section.taken()


def table_blocks(rows: Iterable[Sequence[str]]) -> Iterator[Block]:
    """A table in a text, a row a line; rows without a word are left out."""
    lines = (f"| {line_of(cells)} |" for cells in rows if any(cells))
    while some := list(islice(lines, TABLE_ROWS)):
        yield 0, "\n".join(some)


class _Section:
    def __init__(self) -> None:
        self._above: list[tuple[int, str]] = []
        self._parts: list[str] = []
        self._outline: list[tuple[int, str, int]] = []
        self._path: str | None = None
        self.size, self.has_body = 0, False

    def head(self, level: int, title: str) -> None:
        while self._above and self._above[-1][0] >= level:
            self._above.pop()
        self._above.append((level, title))
        self._outline.append((level, title, self.size))
        self._add(f"{'#' * level} {title}\n\n")
        if not self.has_body:
            self._path = self._here()

    def body(self, words: str) -> None:
        if not self.has_body:
            self.has_body, self._path = True, self._here()
        self._add(f"{words}\n\n")

    def taken(self) -> Iterator[Event]:
        if self._parts:
            yield passage("".join(self._parts), heading=self._path, outline=self._outline or None)
        self._parts, self._outline = [], []
        self.size, self.has_body, self._path = 0, False, self._here()

    def _add(self, text: str) -> None:
        self._parts.append(text)
        self.size += len(text)

    def _here(self) -> str | None:
        return " > ".join(title for _, title in self._above) or None


def _pieces(words: str) -> Iterator[str]:
    """Pieces of at most `PASSAGE_CHARS`, cut at a blank where there is one."""
    while len(words) > PASSAGE_CHARS:
        cut = max(words.rfind("\n", 0, PASSAGE_CHARS), words.rfind(" ", 0, PASSAGE_CHARS)) + 1 or PASSAGE_CHARS
        yield words[:cut].rstrip()
        words = words[cut:]
    yield words

"""Rows of a sheet made into passages: header row apart and before each, one row a line, the cells between bars."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice, pairwise

from sourcebook_ingest.read.office.events import PASSAGE_CHARS, Events, Told, listed, passage

BLOCK_ROWS = 200
BLOCK_CHARS = 10_000  # about ten chunks: a passage is what a reader is sent around a citation
BLANK_ROWS = 3  # more in a row part what stands above from what stands below
HEAD_ROWS = 12  # a header stands under a title and a note or two, not deeper
CELL_CHARS = 32_767  # what a cell of a workbook may hold
NAME_CHARS = 200  # of a column: longer words are a text
LEAD_CHARS = 1500  # goes before each chunk: a header longer than this would leave no room for the row
BAR = " | "
_YEAR = re.compile(r"(?:1[5-9]|20|21)\d\d")
# A bar that would read as the edge of a cell, shown as a broken one: one for one, so that the cells of a line stay known.
_EDGE = re.compile(r"(?:(?<=\s)|^)\|(?=\s|$)")

# A row's number from 1, its cells from the first column, each as shown, and which of them are words (no number, no date).
Row = tuple[int, list[str], list[bool]]


@dataclass(slots=True)
class Caps:
    """Cells and characters of the whole workbook that may still be read, columns of a sheet; and what was left out.

    Characters, for one long string may stand in every cell: a file of a megabyte would be gigabytes of text.
    """

    cells: int
    columns: int
    characters: int = 40_000_000
    cut_sheets: list[str] = field(default_factory=list)
    wide_sheets: list[str] = field(default_factory=list)
    long_cells: int = 0

    def tell(self, told: Told) -> None:
        """Warn of what was left out, by name."""
        if self.cut_sheets:
            told.warn("table_cut", f"The table is larger than is read of one file: rows were left out of {listed(self.cut_sheets)}.")
        if self.wide_sheets:
            told.warn("columns_cut", f"Only the first {self.columns} columns were read of {listed(self.wide_sheets)}.")
        if self.long_cells:
            told.warn("cells_cut", f"{self.long_cells} very long cells were cut: at {CELL_CHARS} characters, or where their row was full.")


def shown(text: str) -> str:
    """A cell's words on one line, such that `BAR` never stands in them."""
    words = " ".join(text.split())
    return _EDGE.sub("\u00a6", words) if "|" in words else words


def passages_of(sheet: str | None, rows: Iterator[Row], caps: Caps) -> Events:
    """The passages of one sheet. Rows come in order; those left out between them are blank.

    Line k of a passage is row `row_from` + k. The rows down to the header are a passage of their own; the header line
    is the `lead` of every passage below it.
    """
    name = sheet or "the table"
    bounded = _bounded(name, rows, caps)
    first = list(islice(bounded, HEAD_ROWS))
    header = header_place(first)
    lead = ""
    if header is not None:
        lead = _shortened(line_of(first[header][1]))
        yield from _blocks(sheet, iter(first[: header + 1]), "")
        first = first[header + 1 :]
    yield from _blocks(sheet, chain(first, bounded), lead)


def line_of(cells: Sequence[str]) -> str:
    """The cells as one line."""
    return BAR.join(cells)


def _shortened(line: str) -> str:
    return line if len(line) <= LEAD_CHARS else line[:LEAD_CHARS].rpartition(BAR)[0]


def header_place(rows: Sequence[Row]) -> int | None:
    """Which of a sheet's first rows names its columns, or None.

    The first row as wide as the rows below it (at least two cells), all words (or years in a row) and none twice, that is
    followed by a row.
    A table of one column has a header when its first row alone is words.
    """
    if len(rows) < 2:
        return None
    widths = [sum(1 for cell in cells if cell) for _, cells, _ in rows]
    widest = max(widths)
    if widest < 2:
        others = [words for _, cells, are in rows[1:] for cell, words in zip(cells, are, strict=True) if cell]
        return 0 if _all_words(rows[0]) and not any(others) else None
    for place, row in enumerate(rows[:-1]):
        if widths[place] >= 2 and widths[place] * 2 > widest and widths[place] >= widths[place + 1] - 1:
            names = [cell.casefold() for cell in row[1] if cell]
            return place if _all_words(row) and len(set(names)) == len(names) else None
    return None


def _all_words(row: Row) -> bool:
    """Whether every cell is words; years that follow one another name columns too."""
    values = [cell for cell, is_words in zip(row[1], row[2], strict=True) if cell and not is_words]
    return (not values or _are_years(values)) and all(len(cell) <= NAME_CHARS for cell in row[1])


def _are_years(values: Sequence[str]) -> bool:
    years = [int(value) for value in values if _YEAR.fullmatch(value)]
    return len(years) == len(values) >= 2 and {after - before for before, after in pairwise(years)} <= {years[1] - years[0]} - {0}


def _bounded(name: str, rows: Iterator[Row], caps: Caps) -> Iterator[Row]:
    """The rows without trailing empty cells, and without what is over the caps; blank rows are left out."""
    for number, given, given_words in rows:
        cells, are_words = _trimmed(given), given_words
        if len(cells) > caps.columns:
            cells = _trimmed(cells[: caps.columns])
            if name not in caps.wide_sheets:
                caps.wide_sheets.append(name)
        if not cells:
            continue
        cells = _cut(cells, caps)
        caps.cells -= len(cells) - cells.count("")
        caps.characters -= sum(map(len, cells)) + len(BAR) * len(cells)
        if caps.cells < 0 or caps.characters < 0:
            caps.cut_sheets.append(name)
            return
        yield number, cells, are_words[: len(cells)]


def _cut(cells: list[str], caps: Caps) -> list[str]:
    """The cells with long ones cut, and all of a row that would be longer than a passage may be."""
    longest = min(CELL_CHARS, PASSAGE_CHARS // len(cells)) if sum(map(len, cells)) > PASSAGE_CHARS else CELL_CHARS
    if max(map(len, cells)) <= longest:
        return cells
    caps.long_cells += sum(1 for cell in cells if len(cell) > longest)
    return [cell if len(cell) <= longest else cell[: longest - 1] + "\u2026" for cell in cells]


def _trimmed(cells: list[str]) -> list[str]:
    end = len(cells)
    while end and not cells[end - 1]:
        end -= 1
    return cells[:end]


def _blocks(sheet: str | None, rows: Iterator[Row], lead: str) -> Events:
    lines: list[str] = []
    start, size = 0, 0
    for number, cells, _ in rows:
        line = line_of(cells)
        gap = number - start - len(lines)
        if lines and (len(lines) + gap >= BLOCK_ROWS or size + len(line) > BLOCK_CHARS or gap > BLANK_ROWS):
            yield _block(sheet, start, lines, lead)
            lines, size = [], 0
        if not lines:
            start, gap = number, 0
        lines.extend([""] * gap)
        lines.append(line)
        size += len(line) + gap + 1
    if lines:
        yield _block(sheet, start, lines, lead)


def _block(sheet: str | None, start: int, lines: list[str], lead: str) -> dict[str, object]:
    return passage("\n".join(lines), sheet=sheet, row_from=start, row_to=start + len(lines) - 1, lead=lead or None)

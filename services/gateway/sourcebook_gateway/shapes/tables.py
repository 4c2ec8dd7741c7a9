"""Shapes of a table as it was read: its sheets, and rows cut into their cells."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import Field

from sourcebook_core.store.passages import Passage
from sourcebook_gateway.shapes.lists import Told

CELLS_APART = " | "  # what reading puts between the cells of a line; it never stands in one


class TableSheet(Told):
    """A sheet of a table."""

    name: str = Field(description='Its name; "" for the only one of a table as text.')
    rows: int = Field(description="Its last row.")


class TableRow(Told):
    """A row of a sheet, a line of its passage."""

    row: int = Field(description="Its number in the sheet, from 1.")
    passage: int
    start: int = Field(description="Where its line begins in the passage, in code points.")
    end: int = Field(description="Where its line ends.")
    cells: list[str] = Field(description="Its cells from the first column on, as they are shown; empty ones at its end are left out.")

    @classmethod
    def of(cls, passage: Passage, first: int, last: int) -> Iterator[TableRow]:
        """The rows of a passage that lie in `first` to `last`; blank ones are left out."""
        start = 0
        for number, line in enumerate(passage.text.split("\n"), passage.row_from or 1):
            end = start + len(line)
            if line and first <= number <= last:
                yield cls(row=number, passage=passage.ordinal, start=start, end=end, cells=line.split(CELLS_APART))
            start = end + 1


class Table(Told):
    """Rows of one sheet of a reading."""

    sheets: list[TableSheet] = Field(description="All sheets, in their order.")
    sheet: str = Field(description="The sheet these rows are of.")
    header: list[str] | None = Field(description="The names of its columns, where a row names them; that row is among its rows too.")
    from_: int = Field(alias="from", description="First row asked for.")
    to: int = Field(description="Last row looked at: before the one asked for where rows are very long.")
    rows: list[TableRow] = Field(description="The rows that hold something.")
    total: int = Field(description="The last row of the sheet.")

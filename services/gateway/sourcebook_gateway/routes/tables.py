"""A table as it was read: rows with their cells, a block at a time."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import Query

from sourcebook_core.store import passages
from sourcebook_gateway.access import gated_router, needs
from sourcebook_gateway.deps import CallerDep, SharedDep
from sourcebook_gateway.refusals import not_found
from sourcebook_gateway.routes.reading import ReadingQuery, own_reading
from sourcebook_gateway.shapes.tables import CELLS_APART, Table, TableRow, TableSheet

router = gated_router("reading")
ROWS = 500  # of one answer
_CHARS = 4_000_000  # of one answer: a row may be as long as a passage, and all of an answer is held in memory
_LAST = 2**31 - 1


@router.get("/sources/{source_id}/table", summary="Rows of a table", openapi_extra=needs("read"))
async def get_table(
    source_id: UUID, caller: CallerDep, shared: SharedDep, reading: ReadingQuery = None,
    sheet: Annotated[str, Query(max_length=1000, description="Name of the sheet; the first one by default.")] = "",
    first: Annotated[int, Query(alias="from", ge=1, le=_LAST, description="First row.")] = 1,
    to: Annotated[int | None, Query(ge=1, le=_LAST, description=f"Last row; {ROWS} rows at most are given.")] = None,
) -> Table:  # fmt: skip
    """Rows of a sheet, cut into their cells; fewer where they are very long. 404 for what is no table or has no such sheet."""
    last = min(to if to is not None else first + ROWS - 1, first + ROWS - 1)
    async with shared.db.transaction() as conn:
        _, found = await own_reading(conn, caller, source_id, reading)
        sheets = await passages.list_sheets(conn, found.id)
        chosen = next((known for known in sheets if known.name == sheet), sheets[0] if sheets and not sheet else None)
        if chosen is None:
            raise not_found()
        held = await passages.list_of_rows(conn, found.id, chosen.name, first, last, _CHARS)
    if sum(len(passage.text) for passage in held) >= _CHARS:
        last = min(last, held[-1].row_to or last)
    rows = [row for passage in held for row in TableRow.of(passage, first, last)]
    return Table(
        sheets=[TableSheet(name=known.name, rows=known.rows) for known in sheets], sheet=chosen.name,
        header=chosen.lead.split(CELLS_APART) if chosen.lead else None, rows=rows, total=chosen.rows,
        **{"from": first, "to": last},
    )  # fmt: skip

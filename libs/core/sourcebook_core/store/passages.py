"""Rows of `corpus.passages`: the pieces that tile a reading, each with its locator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from sourcebook_core.db import Conn

# Stands between two pages in a reading's whole text, so that their words do not run together; text kinds tile without it.
PAGE_BREAK = "\f"
TOGETHER_CHARS = 4_000_000  # a passage may have 200,000, and hundreds are asked for at once


@dataclass(frozen=True, slots=True)
class Passage:
    """One piece of a reading. `page` is 1-based; `offset_at` its place in the whole text (None until the reading is closed).

    `row_from` to `row_to` are the rows of `sheet` (1-based, inclusive), one a line: line k of the text is row `row_from` + k.
    `start_ms` to `end_ms` is its part of a recording. `lead` goes before each of its chunks in what is indexed and is never
    shown. `boxes` are the words of a picture as [start, end, x0, y0, x1, y1]: code points of the text, places in 0..1 from
    the top left.
    """

    ordinal: int
    text: str
    page: int | None = None
    heading: str | None = None
    state: str = "read"
    code: str | None = None
    method: str = "text"
    meta: dict[str, Any] = field(default_factory=dict)
    offset_at: int | None = None
    sheet: str | None = None
    row_from: int | None = None
    row_to: int | None = None
    start_ms: int | None = None
    end_ms: int | None = None
    lead: str = ""
    boxes: list[list[float]] | None = None


# Written by `insert_many` and read by every query here; `boxes` are read by `boxes_of` alone, for there may be thousands.
_PLACES = ("sheet", "row_from", "row_to", "start_ms", "end_ms", "lead")
_COLUMNS = ("ordinal", "text", "page", "heading", "state", "code", "method", "meta", *_PLACES)


async def insert_many(conn: Conn, reading_id: UUID, source_id: UUID, items: Sequence[Passage]) -> None:
    """Add passages to an open reading."""
    rows = [(reading_id, source_id, len(p.text), p.boxes, *(getattr(p, name) for name in _COLUMNS)) for p in items]
    columns = ["reading_id", "source_id", "characters", "boxes", *_COLUMNS]
    await conn.copy_records_to_table("passages", schema_name="corpus", records=rows, columns=columns)


async def ordinals(conn: Conn, reading_id: UUID) -> set[int]:
    """Which passages a reading has already."""
    rows = await conn.fetch("select ordinal from corpus.passages where reading_id = $1", reading_id)
    return {row["ordinal"] for row in rows}


async def characters(conn: Conn, reading_id: UUID) -> int:
    """How much text a reading has already."""
    return int(await conn.fetchval("select coalesce(sum(characters), 0) from corpus.passages where reading_id = $1", reading_id))


async def delete_unread(conn: Conn, source_id: UUID, *, also_wordless: bool) -> None:
    """Forget the passages that could not be read in a reading that is not finished, so that they are tried again;
    `also_wordless`: and pictures in which no words were found, which another model may describe."""
    await conn.execute(
        """
        delete from corpus.passages p using corpus.readings r
        where r.id = p.reading_id and r.source_id = $1 and r.state = 'open'
            and (p.state = 'unread' or ($2 and p.meta ->> 'reason' = 'no_words'))
        """,
        source_id,
        also_wordless,
    )


async def list_from(conn: Conn, reading_id: UUID, first: int, limit: int) -> list[Passage]:
    """Passages in order, from ordinal `first`, at most `limit`, and no more than about `TOGETHER_CHARS` (but at least one)."""
    rows = await conn.fetch(
        """
        with near as (
            select ordinal, sum(characters) over (order by ordinal) - characters as before from corpus.passages
            where reading_id = $1 and ordinal >= $2 order by ordinal limit $3)
        select ordinal, text, page, heading, state, code, method, meta, offset_at, sheet, row_from, row_to, start_ms, end_ms, lead
        from corpus.passages where reading_id = $1 and ordinal in (select ordinal from near where before < $4) order by ordinal
        """,
        reading_id, first, limit, TOGETHER_CHARS,
    )  # fmt: skip
    return [Passage(**dict(row)) for row in rows]


async def next_ordinal(conn: Conn, reading_id: UUID, last: int) -> int | None:
    """The ordinal of the passage after `last`; None at the end."""
    found: int | None = await conn.fetchval(
        "select min(ordinal) from corpus.passages where reading_id = $1 and ordinal > $2", reading_id, last
    )
    return found


async def find(conn: Conn, reading_id: UUID, ordinal: int) -> Passage | None:
    """One passage."""
    found = await list_from(conn, reading_id, ordinal, 1)
    return found[0] if found and found[0].ordinal == ordinal else None


async def find_last_open(conn: Conn, source_id: UUID) -> Passage | None:
    """The last passage of the source's reading that was begun and is not finished."""
    row = await conn.fetchrow(
        """
        select p.ordinal, p.text, p.page, p.heading, p.state, p.code, p.method, p.meta, p.offset_at, p.sheet, p.row_from, p.row_to,
            p.start_ms, p.end_ms, p.lead
        from corpus.passages p join corpus.readings r on r.id = p.reading_id
        where r.source_id = $1 and r.state = 'open' order by r.number desc, p.ordinal desc limit 1
        """,
        source_id,
    )
    return Passage(**dict(row)) if row is not None else None


async def find_page(conn: Conn, reading_id: UUID, page: int) -> Passage | None:
    """The passage of a page (1-based)."""
    row = await conn.fetchrow(
        """
        select ordinal, text, page, heading, state, code, method, meta, offset_at, sheet, row_from, row_to, start_ms, end_ms, lead
        from corpus.passages where reading_id = $1 and page = $2 order by ordinal limit 1
        """,
        reading_id,
        page,
    )
    return Passage(**dict(row)) if row is not None else None


async def boxes_of(conn: Conn, reading_id: UUID, ordinal: int) -> list[list[float]]:
    """The words of a passage that was read from a picture with their places; empty where they are not known."""
    found = await conn.fetchval("select boxes from corpus.passages where reading_id = $1 and ordinal = $2", reading_id, ordinal)
    return found or []


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sheet of a table: its name ("" for the only one of a table as text), its last row, and the line of its header or ""."""

    name: str
    rows: int
    lead: str


async def list_sheets(conn: Conn, reading_id: UUID) -> list[Sheet]:
    """The sheets of a reading in their order; none when it is no table."""
    rows = await conn.fetch(
        """
        select coalesce(sheet, '') as name, max(row_to) as rows, max(lead) as lead
        from corpus.passages where reading_id = $1 and row_to is not null group by sheet order by min(ordinal)
        """,
        reading_id,
    )
    return [Sheet(**dict(row)) for row in rows]


async def list_of_rows(conn: Conn, reading_id: UUID, sheet: str, first: int, last: int, most: int) -> list[Passage]:
    """The passages of a sheet that hold any of the rows `first` to `last` (from 1, inclusive), in order, until they have `most`
    characters (at least one)."""
    rows = await conn.fetch(
        """
        select ordinal, text, page, heading, state, code, method, meta, offset_at, sheet, row_from, row_to, start_ms, end_ms, lead
        from (
            select *, sum(characters) over (order by ordinal) - characters as before from corpus.passages
            where reading_id = $1 and coalesce(sheet, '') = $2 and row_to >= $3 and row_from <= $4
        ) as found
        where before < $5 order by ordinal
        """,
        reading_id, sheet, first, last, most,
    )  # fmt: skip
    return [Passage(**dict(row)) for row in rows]


def placed(passage: Passage, place: int) -> str:
    """The passage with the breaks before it, in a whole text that has `place` code points so far: it then stands at its `offset_at`."""
    gap = (place if passage.offset_at is None else passage.offset_at) - place
    return PAGE_BREAK * gap + passage.text


@dataclass(frozen=True, slots=True)
class PassageState:
    """How one passage was read, without its text."""

    ordinal: int
    page: int | None
    state: str
    code: str | None
    method: str
    characters: int
    meta: dict[str, Any]


async def list_states(conn: Conn, reading_id: UUID) -> list[PassageState]:
    """How each passage of a reading was read, in order."""
    rows = await conn.fetch(
        "select ordinal, page, state, code, method, characters, meta from corpus.passages where reading_id = $1 order by ordinal",
        reading_id,
    )
    return [PassageState(**dict(row)) for row in rows]


async def head(conn: Conn, reading_id: UUID, characters: int) -> str:
    """About the first `characters` of what was read, pages joined by blanks."""
    rows = await conn.fetch(
        """
        select left(text, $2) as text from corpus.passages
        where reading_id = $1 and state = 'read' order by ordinal limit 20
        """,
        reading_id, characters,
    )  # fmt: skip
    return " ".join(row["text"] for row in rows)[:characters]

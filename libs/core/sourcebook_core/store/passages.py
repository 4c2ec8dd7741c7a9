"""Rows of `corpus.passages`: the pieces that tile a reading, each with its locator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from sourcebook_core.db import Conn

# Stands between two pages in a reading's whole text, so that their words do not run together; text kinds tile without it.
PAGE_BREAK = "\f"


@dataclass(frozen=True, slots=True)
class Passage:
    """One piece of a reading. `page` is 1-based; `offset_at` its place in the whole text (None until the reading is closed)."""

    ordinal: int
    text: str
    page: int | None = None
    heading: str | None = None
    state: str = "read"
    code: str | None = None
    method: str = "text"
    meta: dict[str, Any] = field(default_factory=dict)
    offset_at: int | None = None


async def insert_many(conn: Conn, reading_id: UUID, source_id: UUID, items: Sequence[Passage]) -> None:
    """Add passages to an open reading."""
    rows = [(reading_id, p.ordinal, source_id, p.text, len(p.text), p.page, p.heading, p.state, p.code, p.method, p.meta) for p in items]
    await conn.copy_records_to_table(
        "passages", schema_name="corpus", records=rows,
        columns=["reading_id", "ordinal", "source_id", "text", "characters", "page", "heading", "state", "code", "method", "meta"],
    )  # fmt: skip


async def ordinals(conn: Conn, reading_id: UUID) -> set[int]:
    """Which passages a reading has already."""
    rows = await conn.fetch("select ordinal from corpus.passages where reading_id = $1", reading_id)
    return {row["ordinal"] for row in rows}


async def list_from(conn: Conn, reading_id: UUID, first: int, limit: int) -> list[Passage]:
    """Passages in order, from ordinal `first`, at most `limit`."""
    rows = await conn.fetch(
        """
        select ordinal, text, page, heading, state, code, method, meta, offset_at from corpus.passages
        where reading_id = $1 and ordinal >= $2 order by ordinal limit $3
        """,
        reading_id, first, limit,
    )  # fmt: skip
    return [Passage(**dict(row)) for row in rows]


async def find(conn: Conn, reading_id: UUID, ordinal: int) -> Passage | None:
    """One passage."""
    found = await list_from(conn, reading_id, ordinal, 1)
    return found[0] if found and found[0].ordinal == ordinal else None


async def find_page(conn: Conn, reading_id: UUID, page: int) -> Passage | None:
    """The passage of a page (1-based)."""
    row = await conn.fetchrow(
        """
        select ordinal, text, page, heading, state, code, method, meta, offset_at from corpus.passages
        where reading_id = $1 and page = $2 order by ordinal limit 1
        """,
        reading_id, page,
    )  # fmt: skip
    return Passage(**dict(row)) if row is not None else None


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
    characters: int
    meta: dict[str, Any]


async def list_states(conn: Conn, reading_id: UUID) -> list[PassageState]:
    """How each passage of a reading was read, in order."""
    rows = await conn.fetch(
        "select ordinal, page, state, code, characters, meta from corpus.passages where reading_id = $1 order by ordinal", reading_id
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

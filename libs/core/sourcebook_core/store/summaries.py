"""What a source is about: its paragraph in `sources`, and the pieces of a reading that are nearest to its middle."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from sourcebook_core.db import Conn


@dataclass(frozen=True, slots=True)
class Kept:
    """Which reading the summary of a source is of, and whether it is `written` or `quoted`."""

    reading_id: UUID | None
    kind: str | None


@dataclass(frozen=True, slots=True)
class Piece:
    """A range of a passage (half-open, code points) with the passage's text."""

    passage: int
    start: int
    end: int
    text: str


async def find(conn: Conn, source_id: UUID) -> Kept | None:
    """What there is; None for a source that is gone."""
    row = await conn.fetchrow("select summary_reading_id as reading_id, summary_kind as kind from sources where id = $1", source_id)
    return Kept(**dict(row)) if row is not None else None


async def write(conn: Conn, source_id: UUID, reading_id: UUID, kind: str | None, summary: str | None) -> None:
    """Put a summary in the place of the one before; `kind` is `written` or `quoted`, None without one."""
    await conn.execute(
        "update sources set summary = $4, summary_kind = $3, summary_reading_id = $2, updated_at = now() where id = $1",
        source_id, reading_id, kind, summary,
    )  # fmt: skip


async def central(conn: Conn, reading_id: UUID, limit: int) -> list[Piece]:
    """The chunks of a reading whose vectors, in the space in use, are nearest to the mean of them all, nearest first.

    Empty while no recipe has all its vectors there.
    """
    rows = await conn.fetch(
        """
        with whole as (
            select i.source_id, i.recipe_id, i.space_id from corpus.indexes i join spaces s on s.id = i.space_id and s.state = 'in_use'
            where i.reading_id = $1 and i.state = 'full' order by i.recipe_id limit 1),
        mine as (
            select v.chunk_id, v.e from corpus.chunk_vec v join whole w
            on w.source_id = v.source_id and w.recipe_id = v.recipe_id and w.space_id = v.space_id where v.reading_id = $1),
        middle as (select avg(e) as e from mine)
        select c.passage, c.start_at as start, c.end_at as end, p.text
        from mine m cross join middle join corpus.chunks c on c.id = m.chunk_id
        join corpus.passages p on p.reading_id = c.reading_id and p.ordinal = c.passage
        order by m.e <=> middle.e, c.ordinal limit $2
        """,
        reading_id, limit,
    )  # fmt: skip
    return [Piece(**dict(row)) for row in rows]


async def first(conn: Conn, reading_id: UUID, limit: int) -> list[Piece]:
    """The first passages that were read, in order."""
    rows = await conn.fetch(
        """
        select ordinal as passage, 0 as start, least(characters, 20000) as end, left(text, 20000) as text
        from corpus.passages where reading_id = $1 and state = 'read' order by ordinal limit $2
        """,
        reading_id, limit,
    )  # fmt: skip
    return [Piece(**dict(row)) for row in rows]

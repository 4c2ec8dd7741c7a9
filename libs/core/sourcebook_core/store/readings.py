"""Rows of `corpus.readings`: the extracted texts of a source, each cut into passages."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sourcebook_core.db import Conn


@dataclass(frozen=True, slots=True)
class Reading:
    """One extracted text. `number` counts from 1 per source; `fingerprint` names bytes, capture mode and reader version."""

    id: UUID
    source_id: UUID
    number: int
    fingerprint: str
    state: str
    language: str | None
    page_count: int | None
    characters: int
    outline: list[dict[str, Any]]


async def find_open(conn: Conn, source_id: UUID, fingerprint: str) -> Reading | None:
    """The reading of these very bytes that was begun and not finished, if any."""
    row = await conn.fetchrow(
        """
        select id, source_id, number, fingerprint, state, language, page_count, characters, outline
        from corpus.readings where source_id = $1 and fingerprint = $2 and state = 'open'
        order by number desc limit 1
        """,
        source_id, fingerprint,
    )  # fmt: skip
    return Reading(**dict(row)) if row is not None else None


async def insert(conn: Conn, reading_id: UUID, source_id: UUID, fingerprint: str) -> Reading:
    """Begin a new reading of a source; its number is one above the last."""
    row = await conn.fetchrow(
        """
        insert into corpus.readings (id, source_id, number, fingerprint)
        values ($1, $2, (select coalesce(max(number), 0) + 1 from corpus.readings where source_id = $2), $3)
        returning id, source_id, number, fingerprint, state, language, page_count, characters, outline
        """,
        reading_id, source_id, fingerprint,
    )  # fmt: skip
    if row is None:
        raise LookupError("an insert returned no row")
    return Reading(**dict(row))


async def get(conn: Conn, reading_id: UUID) -> Reading:
    """The reading with this id. Raises LookupError."""
    row = await conn.fetchrow(
        """
        select id, source_id, number, fingerprint, state, language, page_count, characters, outline
        from corpus.readings where id = $1
        """,
        reading_id,
    )
    if row is None:
        raise LookupError(f"no reading {reading_id}")
    return Reading(**dict(row))


async def read_at(conn: Conn, reading_id: UUID) -> datetime | None:
    """When a reading was finished; of one that is still open, when it was begun. None when there is no such reading."""
    found: datetime | None = await conn.fetchval("select coalesce(closed_at, created_at) from corpus.readings where id = $1", reading_id)
    return found


async def close(
    conn: Conn, reading_id: UUID, *, language: str | None, page_count: int | None, outline: list[dict[str, Any]], gap: int
) -> None:
    """Finish a reading: give each passage its place in the whole text and add up its characters.

    `gap` is the number of characters that stand between two passages in the whole text (`passages.PAGE_BREAK`).
    """
    await conn.execute(
        """
        update corpus.passages p set offset_at = o.place from (
            select ordinal, sum(characters + $2) over (order by ordinal) - characters - $2 as place
            from corpus.passages where reading_id = $1) o
        where p.reading_id = $1 and p.ordinal = o.ordinal and p.offset_at is distinct from o.place
        """,
        reading_id, gap,
    )  # fmt: skip
    await conn.execute(
        """
        update corpus.readings set state = 'closed', closed_at = now(), language = $2, page_count = $3, outline = $4,
            characters = (select coalesce(sum(characters), 0) from corpus.passages where reading_id = $1)
        where id = $1
        """,
        reading_id, language, page_count, outline,
    )  # fmt: skip


async def delete_abandoned(conn: Conn, source_id: UUID, keep: UUID) -> None:
    """Remove readings of a source that were begun and given up, but for `keep`."""
    await conn.execute("delete from corpus.readings where source_id = $1 and state = 'open' and id <> $2", source_id, keep)


async def delete_superseded(conn: Conn, source_id: UUID, current: UUID) -> None:
    """Remove earlier readings of a source that no answer cites; a cited one keeps its passages, never its chunks.

    A rebuilt index of an older reading would be an answer from text that is no longer the source's.
    """
    await conn.execute("delete from corpus.chunk_lex where source_id = $1 and reading_id <> $2", source_id, current)
    await conn.execute("delete from corpus.chunk_vec where source_id = $1 and reading_id <> $2", source_id, current)
    await conn.execute("delete from corpus.chunks where source_id = $1 and reading_id <> $2", source_id, current)
    await conn.execute("delete from corpus.indexes where source_id = $1 and reading_id <> $2", source_id, current)
    await conn.execute(
        """
        delete from corpus.readings r where source_id = $1 and id <> $2 and state = 'closed'
            and not exists (select from citations c where c.reading_id = r.id)
        """,
        source_id, current,
    )  # fmt: skip


async def newest_closed(conn: Conn, source_id: UUID) -> UUID | None:
    """The last finished reading of a source."""
    found: UUID | None = await conn.fetchval(
        "select id from corpus.readings where source_id = $1 and state = 'closed' order by number desc limit 1", source_id
    )
    return found


async def find_unindexed(conn: Conn, source_id: UUID, fingerprint: str) -> UUID | None:
    """The last finished reading of these very bytes, when its source never became ready with it: a retry goes on from there."""
    found: UUID | None = await conn.fetchval(
        """
        select r.id from corpus.readings r join sources s on s.id = r.source_id
        where r.source_id = $1 and r.state = 'closed' and r.fingerprint = $2 and (s.ready_at is null or s.reading_id <> r.id)
            and r.number = (select max(n.number) from corpus.readings n where n.source_id = $1)
        """,
        source_id, fingerprint,
    )  # fmt: skip
    return found

"""The working side of `sources`: what a worker needs to read one, and how far it is. Written by ingest alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from sourcebook_core.db import Conn

NOT_READ_AGAIN = "not_read_again"  # the warning of a source that could not be read again and is ready all the same


@dataclass(frozen=True, slots=True)
class SourceWork:
    """A source as a worker sees it. `name` is what people call the file in messages."""

    id: UUID
    owner_id: UUID
    kind: str
    title: str
    file_name: str | None
    media_type: str | None
    byte_size: int
    content_hash: bytes | None
    url: str | None
    has_file: bool
    capture: str
    status: str
    reading_id: UUID | None
    meta: dict[str, Any]
    deleted_at: datetime | None
    approved: str | None = None

    @property
    def name(self) -> str:
        """The name for messages: the file's, else the address, else the title."""
        return self.file_name or self.url or self.title


@dataclass(frozen=True, slots=True)
class Found:
    """What a reader learnt about a source beside its text."""

    pages: int | None
    words: int
    language: str | None
    authors: Sequence[str]
    year: int | None
    meta: dict[str, Any]
    title: str | None = None
    duration_ms: int | None = None


async def lock(conn: Conn, source_id: UUID) -> SourceWork | None:
    """The source with its row locked for this transaction; None when it is gone for good."""
    row = await conn.fetchrow(
        """
        select id, owner_id, kind, title, file_name, media_type, byte_size, content_hash, url, has_file, capture, status,
            reading_id, meta, deleted_at, approved
        from sources where id = $1 for update
        """,
        source_id,
    )
    return SourceWork(**dict(row)) if row is not None else None


async def people_who_see(conn: Conn, source_id: UUID) -> list[UUID]:
    """Whose open pages show this source: its owner and the owners of the notebooks that hold it."""
    rows = await conn.fetch(
        """
        select owner_id from sources where id = $1
        union
        select n.owner_id from grants g join notebooks n on n.id = g.holder_id
        where g.source_id = $1 and g.holder_kind = 'notebook' and n.deleted_at is null
        """,
        source_id,
    )
    return [row["owner_id"] for row in rows]


async def start(conn: Conn, source_id: UUID, step: str) -> None:
    """Say that work goes on now: `reading` or `indexing`; an earlier error is cleared."""
    await conn.execute(
        """
        update sources set status = $2, progress_step = $2, error_code = null, error_message = null, updated_at = now()
        where id = $1
        """,
        source_id, step,
    )  # fmt: skip


async def progress(conn: Conn, source_id: UUID, step: str, done: int, total: int | None) -> None:
    """Say how far a step is; clears the note of a trouble that has passed."""
    await conn.execute(
        """
        update sources set progress_step = $2, progress_done = $3, progress_total = $4, updated_at = now(),
            error_code = case when status in ('reading', 'indexing') then null else error_code end,
            error_message = case when status in ('reading', 'indexing') then null else error_message end
        where id = $1
        """,
        source_id, step, done, total,
    )  # fmt: skip


async def trouble(conn: Conn, source_id: UUID, code: str, message: str) -> None:
    """Show why a source that is being worked on does not get on just now; it stays in work."""
    await conn.execute(
        "update sources set error_code = $2, error_message = $3, updated_at = now() where id = $1 and status in ('reading', 'indexing')",
        source_id, code, message,
    )  # fmt: skip


async def read(conn: Conn, source_id: UUID, reading_id: UUID, found: Found, report: dict[str, Any]) -> None:
    """The text is read: a first reading becomes the current one at once, a later one when it is searchable (`swap`).

    A title, authors and year that a person gave stay; a source that is only called by its file name or address takes the
    title that stands in it (K2).
    """
    await conn.execute(
        """
        update sources set status = 'indexing', progress_step = 'indexing', progress_done = 0, progress_total = null,
            reading_id = coalesce(reading_id, $2), pages = $3, words = $4, language = $5, report = $6,
            authors = case when authors = '{}' then $7 else authors end, year = coalesce(year, $8), meta = $9 || meta,
            title = case when $10::text is not null and (title = file_name or title = left(url, 1000)) then $10 else title end,
            duration_ms = $11, updated_at = now()
        where id = $1
        """,
        source_id, reading_id, found.pages, found.words, found.language, report, list(found.authors), found.year, found.meta,
        found.title, found.duration_ms,
    )  # fmt: skip


async def swap(conn: Conn, source_id: UUID, reading_id: UUID) -> None:
    """From this commit on searches use this reading; a new one is not stale."""
    await conn.execute(
        "update sources set reading_id = $2, stale = stale and reading_id is not distinct from $2 where id = $1", source_id, reading_id
    )


async def ready(conn: Conn, source_id: UUID, chunks: int, report: dict[str, Any]) -> None:
    """Everything that is to be done is done."""
    await conn.execute(
        """
        update sources set status = 'ready', progress_step = null, progress_done = 0, progress_total = null, chunks = $2,
            report = $3, error_code = null, error_message = null, ready_at = coalesce(ready_at, now()), updated_at = now()
        where id = $1
        """,
        source_id, chunks, report,
    )  # fmt: skip


async def end(conn: Conn, source_id: UUID, status: str, code: str | None, message: str | None) -> None:
    """Stop for now: `failed`, `stopped` or `paused`, with what a person can do about it; also in the trash, from where it may come back."""
    await conn.execute(
        """
        update sources set status = $2, error_code = $3, error_message = $4, progress_step = null, progress_total = null,
            updated_at = now()
        where id = $1
        """,
        source_id, status, code, message,
    )  # fmt: skip


async def stay_ready(conn: Conn, source_id: UUID, warning: str) -> bool:
    """Leave a source with the reading it was ready with, and a warning why there is no newer one; False when it never was."""
    found = await conn.fetchval(
        """
        update sources set status = 'ready', progress_step = null, progress_done = 0, progress_total = null, error_code = null,
            error_message = null, updated_at = now(), report = jsonb_set(coalesce(report, '{}'), '{warnings}', (
                select coalesce(jsonb_agg(w), '[]') from jsonb_array_elements(coalesce(report -> 'warnings', '[]')) w
                where w ->> 'code' <> $3) || jsonb_build_array(jsonb_build_object('code', $3::text, 'message', $2::text)))
        where id = $1 and ready_at is not null and reading_id is not null returning true
        """,
        source_id, warning, NOT_READ_AGAIN,
    )  # fmt: skip
    return found is not None


async def ask_approval(conn: Conn, source_id: UUID, estimate: dict[str, Any]) -> None:
    """Wait for a person's word on what reading on would cost; what was read so far stays."""
    await conn.execute(
        """
        update sources set status = 'needs_approval', estimate = $2, error_code = null, error_message = null, progress_step = null,
            progress_total = null, updated_at = now()
        where id = $1
        """,
        source_id, estimate,
    )  # fmt: skip


async def spent(conn: Conn, source_id: UUID, calls: int, cost: Decimal | None) -> None:
    """Put into the report of a source what was paid for it so far, also where it could not be read (`cost` None = unknown)."""
    told = {"calls": calls, "cost": str(cost) if cost is not None else None}
    await conn.execute("update sources set report = coalesce(report, '{}') || $2 where id = $1", source_id, told)


async def report_of(conn: Conn, source_id: UUID) -> dict[str, Any]:
    """The report so far."""
    found: dict[str, Any] | None = await conn.fetchval("select report from sources where id = $1", source_id)
    return found or {}


async def warn(conn: Conn, source_id: UUID, code: str, message: str | None) -> None:
    """Put a warning of this code into the report in the place of any before; None takes it out."""
    fresh = [] if message is None else [{"code": code, "message": message}]
    await conn.execute(
        """
        update sources set updated_at = now(), report = coalesce(report, '{}') || jsonb_build_object('warnings', (
            select coalesce(jsonb_agg(w), '[]') from jsonb_array_elements(coalesce(report -> 'warnings', '[]')) w
            where w ->> 'code' <> $2) || $3::jsonb)
        where id = $1
        """,
        source_id, code, fresh,
    )  # fmt: skip


async def is_local_only(conn: Conn, source_id: UUID) -> bool:
    """Whether a notebook or an assistant that holds this source refuses hosted models."""
    found: bool = await conn.fetchval(
        """
        select exists (
            select from grants g join local_only_holders h on h.kind = g.holder_kind and h.id = g.holder_id where g.source_id = $1)
        """,
        source_id,
    )
    return found


async def is_deleted(conn: Conn, source_id: UUID) -> bool:
    """Whether a source lies in the trash, its row locked so that it cannot be restored before this transaction ends."""
    return await conn.fetchval("select deleted_at is not null from sources where id = $1 for update", source_id) is True


async def content_hashes(conn: Conn, source_ids: Sequence[UUID]) -> dict[UUID, bytes | None]:
    """The content of those of these ids that are sources, deleted ones included."""
    rows = await conn.fetch("select id, content_hash from sources where id = any($1)", list(source_ids))
    return {row["id"]: row["content_hash"] for row in rows}


async def count_working(conn: Conn, source_ids: Sequence[UUID]) -> int:
    """How many of these sources are queued, being read or being indexed."""
    count: int = await conn.fetchval(
        "select count(*) from sources where id = any($1) and status in ('queued', 'reading', 'indexing') and deleted_at is null",
        list(source_ids),
    )
    return count

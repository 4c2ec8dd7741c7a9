"""The web side of `sources`: what fetching an address tells about it. Written by ingest alone."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from sourcebook_core.db import Conn
from sourcebook_core.store.source_work import NOT_READ_AGAIN


async def site_of(conn: Conn, source_id: UUID) -> UUID | None:
    """The site that a source was found by."""
    found: UUID | None = await conn.fetchval("select site_id from sources where id = $1", source_id)
    return found


async def fetched(
    conn: Conn, source_id: UUID, *, media_type: str | None, byte_size: int, content_hash: bytes, meta: dict[str, Any]
) -> None:
    """Say what was fetched just now: the bytes and what their server told (`meta` is added to the source's)."""
    await conn.execute(
        """
        update sources set has_file = true, media_type = $2, byte_size = $3, content_hash = $4, meta = meta || $5, fetched_at = now(),
            updated_at = now(), report = case when report ? 'warnings' then jsonb_set(report, '{warnings}', (
                select coalesce(jsonb_agg(w), '[]') from jsonb_array_elements(report -> 'warnings') w where w ->> 'code' <> $6))
                else report end
        where id = $1
        """,
        source_id, media_type, byte_size, content_hash, meta, NOT_READ_AGAIN,
    )  # fmt: skip


async def set_canonical(conn: Conn, source_id: UUID, canonical: str | None) -> str | None:
    """Note where a page says that it belongs. Returns the title of another source of the owner that is that very page."""
    await conn.execute("update sources set canonical_url = $2 where id = $1", source_id, canonical)
    other: str | None = await conn.fetchval(
        """
        select o.title from sources s join sources o on o.owner_id = s.owner_id and o.id <> s.id and o.deleted_at is null
        where s.id = $1 and $2 in (o.url, o.canonical_url) order by o.created_at limit 1
        """,
        source_id, canonical,
    )  # fmt: skip
    return other


async def find_unchanged(conn: Conn, source_id: UUID, fingerprint: str) -> UUID | None:
    """The reading in use of a source that is an address, when it is of these very bytes: nothing is to be read again."""
    found: UUID | None = await conn.fetchval(
        """
        select r.id from sources s join corpus.readings r on r.id = s.reading_id
        where s.id = $1 and s.kind = 'url' and r.state = 'closed' and r.fingerprint = $2
        """,
        source_id, fingerprint,
    )  # fmt: skip
    return found

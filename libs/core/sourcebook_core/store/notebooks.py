"""Table notebooks: what people collect sources in, as its owner sees it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sourcebook_core.db import Conn


@dataclass(frozen=True)
class Notebook:
    """One notebook with its recipe and how many sources it holds by state (paused grants count, deleted sources do not).

    `wanted_recipe_id` is set while another recipe was chosen and is not in use yet, `is_reindexing` while it is being built.
    """

    id: UUID
    owner_id: UUID
    title: str
    profile: str
    settings: dict[str, Any]
    is_sample: bool
    created_at: datetime
    updated_at: datetime
    last_asked_at: datetime | None
    recipe_id: str
    chunker: str
    size: int
    overlap: int
    captions: bool
    wanted_recipe_id: str | None
    wants_captions: bool
    is_reindexing: bool
    total: int
    ready: int
    working: int
    failed: int
    stale: int


async def insert(
    conn: Conn,
    notebook_id: UUID,
    owner_id: UUID,
    title: str,
    profile: str,
    recipe_id: str,
    settings: dict[str, Any] | None = None,
    is_sample: bool = False,
) -> None:
    """Make an empty notebook."""
    await conn.execute(
        "insert into notebooks (id, owner_id, title, profile, recipe_id, settings, is_sample) values ($1, $2, $3, $4, $5, $6, $7)",
        notebook_id, owner_id, title, profile, recipe_id, settings or {}, is_sample,
    )  # fmt: skip


async def find(conn: Conn, owner_id: UUID, notebook_id: UUID) -> Notebook | None:
    """The owner's notebook with its counts; None when it is not theirs or in the trash."""
    row = await conn.fetchrow(
        """
        select n.id, n.owner_id, n.title, n.profile, n.settings, n.is_sample, n.created_at, n.updated_at, n.last_asked_at, n.recipe_id,
            r.chunker, r.size, r.overlap, r.captions, n.wanted_recipe_id, w.captions as wants_captions,
            n.reindex_at is not null as is_reindexing, c.total, c.ready, c.working, c.failed, c.stale
        from notebooks n join recipes r on r.id = n.recipe_id join recipes w on w.id = coalesce(n.wanted_recipe_id, n.recipe_id)
        cross join lateral (
            select count(*) as total, count(*) filter (where s.status = 'ready') as ready,
                count(*) filter (where s.status in ('queued', 'needs_approval', 'reading', 'indexing')) as working,
                count(*) filter (where s.status in ('failed', 'stopped', 'paused')) as failed,
                count(*) filter (where s.reading_id is not null and (s.stale
                    or (n.wanted_recipe_id is not null and not corpus.is_built(s.reading_id, n.wanted_recipe_id)))) as stale
            from grants g join sources s on s.id = g.source_id
            where g.holder_kind = 'notebook' and g.holder_id = n.id and s.deleted_at is null
        ) c
        where n.owner_id = $1 and n.id = $2 and n.deleted_at is null
        """,
        owner_id, notebook_id,
    )  # fmt: skip
    return Notebook(**row) if row else None


async def list_for_owner(
    conn: Conn, owner_id: UUID, limit: int, before_at: datetime | None = None, before_id: UUID | None = None
) -> list[Notebook]:
    """The owner's notebooks, newest first, after the place (`before_at`, `before_id`) where one is given."""
    rows = await conn.fetch(
        """
        select n.id, n.owner_id, n.title, n.profile, n.settings, n.is_sample, n.created_at, n.updated_at, n.last_asked_at, n.recipe_id,
            r.chunker, r.size, r.overlap, r.captions, n.wanted_recipe_id, w.captions as wants_captions,
            n.reindex_at is not null as is_reindexing, c.total, c.ready, c.working, c.failed, c.stale
        from notebooks n join recipes r on r.id = n.recipe_id join recipes w on w.id = coalesce(n.wanted_recipe_id, n.recipe_id)
        cross join lateral (
            select count(*) as total, count(*) filter (where s.status = 'ready') as ready,
                count(*) filter (where s.status in ('queued', 'needs_approval', 'reading', 'indexing')) as working,
                count(*) filter (where s.status in ('failed', 'stopped', 'paused')) as failed,
                count(*) filter (where s.reading_id is not null and (s.stale
                    or (n.wanted_recipe_id is not null and not corpus.is_built(s.reading_id, n.wanted_recipe_id)))) as stale
            from grants g join sources s on s.id = g.source_id
            where g.holder_kind = 'notebook' and g.holder_id = n.id and s.deleted_at is null
        ) c
        where n.owner_id = $1 and n.deleted_at is null and ($3::timestamptz is null or (n.created_at, n.id) < ($3, $4))
        order by n.created_at desc, n.id desc limit $2
        """,
        owner_id, limit, before_at, before_id,
    )  # fmt: skip
    return [Notebook(**row) for row in rows]


async def owns(conn: Conn, owner_id: UUID, notebook_id: UUID) -> bool:
    """Whether this is a living notebook of this person."""
    return (
        await conn.fetchval("select true from notebooks where id = $1 and owner_id = $2 and deleted_at is null", notebook_id, owner_id)
        is not None
    )


async def update(
    conn: Conn, owner_id: UUID, notebook_id: UUID, title: str | None, settings: dict[str, Any] | None, profile: str | None = None
) -> bool:
    """Rename and set the named settings and the profile, keeping what is None and settings not named; False when it is not theirs."""
    return (
        await conn.fetchval(
            "update notebooks set title = coalesce($3, title), settings = settings || coalesce($4, '{}'::jsonb),"
            " profile = coalesce($5, profile), updated_at = now() where id = $1 and owner_id = $2 and deleted_at is null returning true",
            notebook_id, owner_id, title, settings, profile,
        )
        is not None
    )  # fmt: skip


async def touch(conn: Conn, notebook_id: UUID) -> None:
    """Note that something in the notebook changed."""
    await conn.execute("update notebooks set updated_at = now() where id = $1", notebook_id)


async def delete(conn: Conn, owner_id: UUID, notebook_id: UUID) -> bool:
    """Move to the trash: at once out of every list and search. False when it is not theirs or there already."""
    return (
        await conn.fetchval(
            "update notebooks set deleted_at = now() where id = $1 and owner_id = $2 and deleted_at is null returning true",
            notebook_id, owner_id,
        )
        is not None
    )  # fmt: skip


async def restore(conn: Conn, owner_id: UUID, notebook_id: UUID) -> bool:
    """Take out of the trash; False when it is not there. Safe to run twice by the caller looking it up afterwards."""
    return (
        await conn.fetchval(
            "update notebooks set deleted_at = null where id = $1 and owner_id = $2 and deleted_at > '-infinity' returning true",
            notebook_id, owner_id,
        )
        is not None
    )  # fmt: skip

"""Table sources: what people added, as they see it. What reading them writes is in `source_work`."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from sourcebook_core.db import Conn


@dataclass(frozen=True)
class Source:
    """One source. `searchable` (none, words, full) is under the recipe asked for, else the best of any; `before` counts the
    jobs in line before it while it waits; `grant` is set in a notebook's list, `notebooks` (how many hold it) everywhere."""

    id: UUID
    owner_id: UUID
    added_by: UUID
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
    progress_step: str | None
    progress_done: int
    progress_total: int | None
    error_code: str | None
    error_message: str | None
    report: dict[str, Any] | None
    summary: str | None
    language: str | None
    pages: int | None
    words: int | None
    chunks: int
    reading_id: UUID | None
    authors: list[str]
    year: int | None
    doi: str | None
    labels: list[str]
    external_id: str | None
    meta: dict[str, Any]
    created_at: datetime
    updated_at: datetime
    ready_at: datetime | None
    grant: str | None
    searchable: str
    before: int | None
    notebooks: int
    summary_kind: str | None
    duration_ms: int | None
    site_id: UUID | None
    fetched_at: datetime | None
    estimate: dict[str, Any] | None
    approved: str | None
    stale: bool


# $1 owner, $2 notebook or null, $3 source or null, $4 limit, $5 and $6 the place after which to go on.
_SELECT = """
    with line as (
        select w.subject, min(w.place) as before from (
            select j.subject, row_number() over (order by j.priority desc, j.run_after, j.id) - 1 as place
            from jobs j where j.queue = 'ingest' and j.state = 'queued') w group by w.subject
    ), held as (
        select g.source_id, g.state, n.recipe_id from grants g join notebooks n on n.id = g.holder_id
        where g.holder_kind = 'notebook' and g.holder_id = $2
    )
    select s.id, s.owner_id, s.added_by, s.kind, s.title, s.file_name, s.media_type, s.byte_size, s.content_hash, s.url, s.has_file,
        s.capture, s.status, s.progress_step, s.progress_done, s.progress_total, s.error_code, s.error_message, s.report, s.summary,
        s.language, s.pages, s.words, coalesce(i.chunks, s.chunks) as chunks, s.reading_id, s.authors, s.year, s.doi, s.labels,
        s.external_id, s.meta, s.created_at, s.updated_at, s.ready_at, h.state as grant,
        s.summary_kind, s.duration_ms, s.site_id, s.fetched_at, s.estimate, s.approved,
        s.stale or (s.reading_id is not null and exists (
            select from grants g join notebooks n on n.id = g.holder_id
            where g.source_id = s.id and g.holder_kind = 'notebook' and ($2::uuid is null or n.id = $2) and n.deleted_at is null
                and n.wanted_recipe_id is not null and not corpus.is_built(s.reading_id, n.wanted_recipe_id))) as stale,
        case when i.is_full then 'full' when i.has_words then 'words' else 'none' end as searchable,
        case when s.status = 'queued' then l.before end as before,
        (select count(*) from grants g join notebooks n on n.id = g.holder_id
            where g.source_id = s.id and g.holder_kind = 'notebook' and n.deleted_at is null) as notebooks
    from sources s left join held h on h.source_id = s.id left join line l on l.subject = s.id
    left join lateral (
        select max(x.chunks) as chunks, bool_or(x.state in ('words', 'full')) as has_words, bool_or(x.state = 'full' and p.id is not null)
            as is_full
        from corpus.indexes x left join spaces p on p.id = x.space_id and p.state = 'in_use'
        where x.reading_id = s.reading_id and (h.recipe_id is null or x.recipe_id = h.recipe_id)
    ) i on true
    where s.owner_id = $1 and s.deleted_at is null and ($2::uuid is null or h.source_id is not null)
        and ($3::uuid is null or s.id = $3) and ($5::timestamptz is null or (s.created_at, s.id) < ($5, $6))
    order by s.created_at desc, s.id desc limit $4
"""


async def list_for_owner(
    conn: Conn,
    owner_id: UUID,
    limit: int,
    before_at: datetime | None = None,
    before_id: UUID | None = None,
    notebook_id: UUID | None = None,
) -> list[Source]:
    """The owner's sources, newest first: those of one notebook, or the whole library."""
    rows = await conn.fetch(_SELECT, owner_id, notebook_id, None, limit, before_at, before_id)
    return [Source(**row) for row in rows]


async def find(conn: Conn, owner_id: UUID, source_id: UUID, notebook_id: UUID | None = None) -> Source | None:
    """The owner's source (in this notebook, where one is given); None when it is not theirs or in the trash."""
    row = await conn.fetchrow(_SELECT, owner_id, notebook_id, source_id, 1, None, None)
    return Source(**row) if row else None


@dataclass(frozen=True)
class Added:
    """A source to be added: identity by content hash, by canonical address (`url`) or by `external_id`."""

    id: UUID
    owner_id: UUID
    added_by: UUID
    kind: str
    title: str
    file_name: str | None = None
    media_type: str | None = None
    byte_size: int = 0
    content_hash: bytes | None = None
    url: str | None = None
    has_file: bool = False
    capture: str = "auto"
    external_id: str | None = None
    meta: dict[str, Any] = field(default_factory=dict)


async def insert(conn: Conn, added: Added) -> bool:
    """Add a source in the queue; False when the owner has one of the same content, address or external id already.

    A parallel insert of the same content waits here for the other's commit, so that exactly one of them is first.
    """
    return (
        await conn.fetchval(
            """
            insert into sources (id, owner_id, added_by, kind, title, file_name, media_type, byte_size, content_hash, url, has_file,
                capture, external_id, meta, status, progress_step)
            values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, 'queued', 'waiting')
            on conflict do nothing returning true
            """,
            added.id, added.owner_id, added.added_by, added.kind, added.title, added.file_name, added.media_type, added.byte_size,
            added.content_hash, added.url, added.has_file, added.capture, added.external_id, added.meta,
        )
        is not None
    )  # fmt: skip


@dataclass(frozen=True)
class Known:
    """What identifies a source that is there already."""

    id: UUID
    status: str
    error_code: str | None
    content_hash: bytes | None
    external_id: str | None


async def find_known(
    conn: Conn, owner_id: UUID, content_hash: bytes | None = None, url: str | None = None, external_id: str | None = None
) -> Known | None:
    """The owner's living source with this external id, else this content (files and text) or this address, locked for update."""
    row = await conn.fetchrow(
        """
        select id, status, error_code, content_hash, external_id from sources
        where owner_id = $1 and deleted_at is null and (
            external_id = $4 or ($2::bytea is not null and url is null and content_hash = $2) or url = $3)
        order by (external_id is not distinct from $4) desc limit 1 for update
        """,
        owner_id, content_hash, url, external_id,
    )  # fmt: skip
    return Known(**row) if row else None


async def queue_again(conn: Conn, source_id: UUID, capture: str | None = None) -> None:
    """Put a source back at the start of its way; what was read before stays until the new reading is there."""
    await conn.execute(
        """
        update sources set status = 'queued', progress_step = 'waiting', progress_done = 0, progress_total = null, error_code = null,
            error_message = null, capture = coalesce($2, capture), updated_at = now() where id = $1
        """,
        source_id, capture,
    )  # fmt: skip


async def approve(conn: Conn, source_id: UUID, pages: str) -> None:
    """Note what a person chose when reading pictures would cost much: `all`, or `text` alone."""
    await conn.execute("update sources set approved = $2 where id = $1", source_id, pages)


async def forget_approval(conn: Conn, source_id: UUID) -> None:
    """Ask anew when the source is read anew: what was agreed to once holds for that reading alone."""
    await conn.execute("update sources set approved = null, estimate = null where id = $1", source_id)


async def list_to_approve(conn: Conn, notebook_id: UUID) -> list[tuple[UUID, dict[str, Any]]]:
    """The sources of a notebook that wait for a person's word, oldest first, with what reading them on would take."""
    rows = await conn.fetch(
        """
        select s.id, s.estimate from sources s join grants g on g.source_id = s.id
        where g.holder_kind = 'notebook' and g.holder_id = $1 and s.deleted_at is null and s.status = 'needs_approval'
            and s.estimate is not null
        order by s.created_at, s.id
        """,
        notebook_id,
    )
    return [(row["id"], row["estimate"]) for row in rows]


async def replace_content(
    conn: Conn, source_id: UUID, *, kind: str, file_name: str | None, media_type: str | None, byte_size: int, content_hash: bytes
) -> bool:
    """Give a source new content and queue it; False when the owner has another source with this content."""
    return (
        await conn.fetchval(
            """
            update sources s set kind = $2, file_name = $3, media_type = $4, byte_size = $5, content_hash = $6, has_file = true
            where id = $1 and not exists (select from sources o where o.owner_id = s.owner_id and o.id <> s.id
                and o.deleted_at is null and o.content_hash = $6 and o.url is null)
            returning true
            """,
            source_id, kind, file_name, media_type, byte_size, content_hash,
        )
        is not None
    )  # fmt: skip


async def update(conn: Conn, owner_id: UUID, source_id: UUID, changes: dict[str, Any]) -> bool:
    """Set the named fields (title, authors, year, doi, labels, external_id, meta), also to null; False when it is not theirs
    or its new external id is another source's. What a source was made of (`meta.made_of`) stays."""
    row = await conn.fetchval(
        """
        update sources s set
            title = case when $3::jsonb ? 'title' then $3::jsonb ->> 'title' else title end,
            authors = case when $3::jsonb ? 'authors' then array(select jsonb_array_elements_text($3::jsonb -> 'authors')) else authors end,
            labels = case when $3::jsonb ? 'labels' then array(select jsonb_array_elements_text($3::jsonb -> 'labels')) else labels end,
            year = case when $3::jsonb ? 'year' then ($3::jsonb ->> 'year')::int else year end,
            doi = case when $3::jsonb ? 'doi' then $3::jsonb ->> 'doi' else doi end,
            external_id = case when $3::jsonb ? 'external_id' then $3::jsonb ->> 'external_id' else external_id end,
            meta = case when $3::jsonb ? 'meta'
                then $3::jsonb -> 'meta' || jsonb_strip_nulls(jsonb_build_object('made_of', meta -> 'made_of')) else meta end,
            updated_at = now()
        where id = $2 and owner_id = $1 and deleted_at is null and not exists (select from sources o where o.owner_id = $1
            and o.id <> $2 and o.deleted_at is null and o.external_id = $3::jsonb ->> 'external_id')
        returning true
        """,
        owner_id, source_id, changes,
    )  # fmt: skip
    return row is not None


async def set_stopped(conn: Conn, source_id: UUID) -> None:
    """Mark a source whose waiting job was cancelled as stopped, or as ready with what was read before; one that is being read
    is marked by its worker."""
    await conn.execute(
        """
        update sources set progress_step = null, updated_at = now(),
            status = case when ready_at is not null and reading_id is not null then 'ready' else 'stopped' end
        where id = $1
            and status in ('queued', 'needs_approval', 'reading', 'indexing')
            and not exists (select from jobs where subject = $1 and state = 'running' and kind <> 'summarise_source')
        """,
        source_id,
    )  # fmt: skip


async def delete(conn: Conn, owner_id: UUID, source_id: UUID) -> bool:
    """Move to the trash: at once out of every list and search. False when it is not theirs or there already."""
    return (
        await conn.fetchval(
            "update sources set deleted_at = now() where id = $1 and owner_id = $2 and deleted_at is null returning true",
            source_id, owner_id,
        )
        is not None
    )  # fmt: skip


async def restore(conn: Conn, owner_id: UUID, source_id: UUID) -> bool:
    """Take out of the trash; False when it is not there, or the same content, address or external id was added again since."""
    return (
        await conn.fetchval(
            """
            update sources s set deleted_at = null where id = $1 and owner_id = $2 and deleted_at > '-infinity' and not exists (
                select from sources o where o.owner_id = $2 and o.id <> $1 and o.deleted_at is null and (
                    o.external_id = s.external_id or o.url = s.url or (o.url is null
                        and s.url is null and o.content_hash = s.content_hash)))
            returning true
            """,
            source_id, owner_id,
        )
        is not None
    )  # fmt: skip


async def in_trash(conn: Conn, owner_id: UUID, source_id: UUID) -> bool:
    """Whether this source of theirs lies in the trash."""
    return (
        await conn.fetchval("select true from sources where id = $1 and owner_id = $2 and deleted_at > '-infinity'", source_id, owner_id)
        is not None
    )

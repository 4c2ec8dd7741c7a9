"""SQL of building a space beside the one in use: what is missing in it, and clearing what it replaced."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from uuid import UUID

from sourcebook_core.db import Conn
from sourcebook_core.store.chunks import Part

RECENT_CALLS = 30  # about as many as tell how fast it is now


@dataclass(frozen=True, slots=True)
class Size:
    """What a space has to hold: readings under a recipe, their chunks with their length in code points, and how many are there."""

    readings: int
    chunks: int
    characters: int
    done: int
    characters_done: int


@dataclass(frozen=True, slots=True)
class Building:
    """The newest job that builds a space. `chunks` were embedded in its last calls within `seconds`; `cost` of all its calls is
    None where one has none; `paid` counts the chunks they embedded."""

    job_id: UUID
    state: str
    error: dict[str, Any] | None
    chunks: int
    seconds: float
    paid: int
    cost: Decimal | None


async def find_missing(conn: Conn, space_id: UUID) -> Part | None:
    """One reading that has chunks but is not complete in this space; a local-only holder's is none of a hosted space's."""
    row = await conn.fetchrow(
        """
        select s.id as source_id, s.reading_id, c.recipe_id
        from sources s join corpus.chunks c on c.source_id = s.id and c.reading_id = s.reading_id
        where s.deleted_at is null
            and not exists (select from corpus.chunk_vec v where v.chunk_id = c.id and v.space_id = $1)
            and not (exists (select from spaces p where p.id = $1 and p.provider = 'api') and exists (
                select from grants g join local_only_holders h on h.kind = g.holder_kind and h.id = g.holder_id
                where g.source_id = s.id))
        order by s.created_at desc limit 1
        """,
        space_id,
    )
    return Part(**dict(row)) if row is not None else None


async def size(conn: Conn, space_id: UUID | None, *, is_hosted: bool) -> Size:
    """How much a space has to hold, of the current readings; None for one that is not begun. As in `find_missing`, what a
    local-only notebook or assistant holds is none of a hosted space's."""
    row = await conn.fetchrow(
        """
        select count(distinct (c.reading_id, c.recipe_id)) as readings, count(*) as chunks,
            coalesce(sum(c.end_at - c.start_at), 0)::bigint as characters, count(v.chunk_id) as done,
            coalesce(sum(c.end_at - c.start_at) filter (where v.chunk_id is not null), 0)::bigint as characters_done
        from corpus.chunks c join sources s on s.id = c.source_id and s.reading_id = c.reading_id
        left join corpus.chunk_vec v on v.chunk_id = c.id and v.space_id = $1
        where s.deleted_at is null and not ($2 and exists (
            select from grants g join local_only_holders h on h.kind = g.holder_kind and h.id = g.holder_id where g.source_id = s.id))
        """,
        space_id, is_hosted,
    )  # fmt: skip
    assert row is not None
    return Size(**row)


async def find_building(conn: Conn, space_id: UUID) -> Building | None:
    """The newest job that builds this space, with the speed of its last calls and what they cost."""
    row = await conn.fetchrow(
        """
        with job as (
            select id, state, error, started_at from jobs
            where kind = 'rebuild_space' and (payload ->> 'space_id')::uuid = $1 order by created_at desc limit 1),
        paid as (
            select c.started_at, c.done_at, coalesce((c.units ->> 'texts')::integer, 0) as texts, c.cost
            from calls c join job on c.job_id = job.id where c.step = 'embed' and c.state = 'done'),
        recent as (select p.* from paid p join job on p.started_at >= job.started_at order by p.done_at desc limit $2)
        select job.id as job_id, job.state, job.error, (select coalesce(sum(texts), 0) from recent) as chunks,
            (select coalesce(extract(epoch from max(done_at) - min(started_at)), 0) from recent)::float8 as seconds,
            (select coalesce(sum(texts), 0) from paid) as paid,
            (select case when bool_and(cost is not null) then sum(cost) end from paid) as cost
        from job
        """,
        space_id, RECENT_CALLS,
    )  # fmt: skip
    return Building(**row) if row is not None else None


async def find_first_look(conn: Conn) -> Building | None:
    """The newest indexing that met an error since an embedding model was chosen: where no space was begun, it says why."""
    row = await conn.fetchrow(
        """
        select id as job_id, state, error from jobs
        where kind = 'index_reading' and state in ('queued', 'failed') and error is not null and created_at >= greatest(
            (select updated_at from model_roles where role = 'embedding'), (select in_use_since from spaces where state = 'in_use'))
        order by created_at desc limit 1
        """
    )
    return Building(**row, chunks=0, seconds=0.0, paid=0, cost=None) if row is not None else None


async def mark_full(conn: Conn, space_id: UUID) -> None:
    """Write an index row `full` for every reading whose vectors are in the space."""
    await conn.execute(
        """
        insert into corpus.indexes (id, reading_id, source_id, recipe_id, space_id, state, chunks)
        select gen_random_uuid(), c.reading_id, c.source_id, c.recipe_id, $1, 'full', count(*)
        from corpus.chunks c join sources s on s.id = c.source_id and s.reading_id = c.reading_id
        left join corpus.chunk_vec v on v.chunk_id = c.id and v.space_id = $1
        group by c.reading_id, c.source_id, c.recipe_id having count(*) = count(v.chunk_id)
        on conflict (reading_id, recipe_id, space_id) do update set state = 'full', chunks = excluded.chunks
        """,
        space_id,
    )


async def retire_building(conn: Conn, keep: UUID | None) -> None:
    """Give up spaces that were being built for a model that is not the chosen one any more (`keep`: the chosen one's)."""
    await conn.execute("update spaces set state = 'retired' where state = 'building' and id is distinct from $1", keep)


async def delete_retired(conn: Conn, limit: int) -> int:
    """Remove vectors and index rows of retired spaces, at most `limit` vectors; returns how many vectors went."""
    await conn.execute("delete from corpus.indexes i using spaces s where s.id = i.space_id and s.state = 'retired'")
    count: int = await conn.fetchval(
        """
        with gone as (
            delete from corpus.chunk_vec v using (
                select v.chunk_id, v.space_id from corpus.chunk_vec v join spaces s on s.id = v.space_id
                where s.state = 'retired' limit $1) old
            where v.chunk_id = old.chunk_id and v.space_id = old.space_id returning 1)
        select count(*) from gone
        """,
        limit,
    )
    return count

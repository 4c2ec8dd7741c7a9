"""SQL of building a space beside the one in use: what is missing in it, and clearing what it replaced."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from sourcebook_core.db import Conn
from sourcebook_core.store.spaces import Space


@dataclass(frozen=True, slots=True)
class Missing:
    """A reading in use whose chunks under a recipe have no vectors in the space yet."""

    source_id: UUID
    reading_id: UUID
    recipe_id: str


async def list_spaces(conn: Conn) -> list[Space]:
    """Spaces that are in use or being built, the one in use first, then the newest."""
    rows = await conn.fetch(
        """
        select id, provider, base_url, model, dimension, query_prefix, passage_prefix, centring, floor, state
        from spaces where state in ('in_use', 'building') order by state desc, created_at desc
        """
    )
    return [Space(**dict(row)) for row in rows]


async def find_missing(conn: Conn, space_id: UUID) -> Missing | None:
    """One reading that has chunks but is not complete in this space; a local-only notebook's is none of a hosted space's."""
    row = await conn.fetchrow(
        """
        select s.id as source_id, s.reading_id, c.recipe_id
        from sources s join corpus.chunks c on c.source_id = s.id and c.reading_id = s.reading_id
        where s.deleted_at is null
            and not exists (select from corpus.chunk_vec v where v.chunk_id = c.id and v.space_id = $1)
            and not (exists (select from spaces p where p.id = $1 and p.provider = 'api') and exists (
                select from grants g join notebooks n on n.id = g.holder_id
                where g.source_id = s.id and g.holder_kind = 'notebook' and n.deleted_at is null
                    and n.settings ->> 'local_only' = 'true'))
        order by s.created_at desc limit 1
        """,
        space_id,
    )
    return Missing(**dict(row)) if row is not None else None


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


async def retire_building(conn: Conn, keep: UUID) -> None:
    """Give up spaces that were being built for a model that is not the chosen one any more."""
    await conn.execute("update spaces set state = 'retired' where state = 'building' and id <> $1", keep)


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

"""Recipes that assistants want and do not use yet: as `recipes` for notebooks, only that their sources are never read anew by it."""

from __future__ import annotations

from uuid import UUID

from sourcebook_core.db import Conn
from sourcebook_core.store.unindexed import Unindexed


async def want(conn: Conn, assistant_id: UUID, recipe_id: str) -> None:
    """Say which recipe an assistant is to have; what was being built for another choice is given up."""
    await conn.execute(
        """
        update assistants set wanted_recipe_id = nullif($2, recipe_id), reindex_at = null
        where id = $1 and coalesce(wanted_recipe_id, recipe_id) <> $2
        """,
        assistant_id, recipe_id,
    )  # fmt: skip


async def stale_in(conn: Conn, assistant_id: UUID) -> list[Unindexed]:
    """Its sources that were read and are not cut by the recipe that it wants, paused ones included."""
    rows = await conn.fetch(
        """
        select s.owner_id, s.id as source_id, s.reading_id, a.wanted_recipe_id as recipe_id
        from assistants a join grants g on g.holder_kind = 'assistant' and g.holder_id = a.id join sources s on s.id = g.source_id
        where a.id = $1 and a.wanted_recipe_id is not null and s.deleted_at is null and s.reading_id is not null
            and not corpus.is_built(s.reading_id, a.wanted_recipe_id)
        order by s.created_at, s.id
        """,
        assistant_id,
    )
    return [Unindexed(**dict(row)) for row in rows]


async def begin(conn: Conn, assistant_id: UUID) -> None:
    """Say that the wanted recipe is being built: what it is given from now on is built under it too."""
    await conn.execute("update assistants set reindex_at = now() where id = $1 and wanted_recipe_id is not null", assistant_id)


async def give_up(conn: Conn, source_id: UUID, recipe_id: str) -> None:
    """Building a recipe failed for a source: the assistants that want it keep to the one in use."""
    await conn.execute(
        """
        update assistants a set reindex_at = null from grants g
        where g.holder_kind = 'assistant' and g.holder_id = a.id and g.source_id = $1 and a.wanted_recipe_id = $2
        """,
        source_id, recipe_id,
    )  # fmt: skip


async def wanting(conn: Conn, source_id: UUID) -> list[UUID]:
    """The assistants that hold a source and want another recipe than they use, always in the same order."""
    rows = await conn.fetch(
        """
        select a.id from grants g join assistants a on a.id = g.holder_id
        where g.source_id = $1 and g.holder_kind = 'assistant' and a.wanted_recipe_id is not null order by a.id
        """,
        source_id,
    )
    return [row["id"] for row in rows]


async def swap_if_whole(conn: Conn, assistant_id: UUID) -> bool:
    """Put the wanted recipe in use when every source that it holds and that was read is built under it: whole or not at all.

    The row is locked before the sources are counted, so that of two that finish at once the second sees the first.
    """
    wanted = await conn.fetchval("select wanted_recipe_id from assistants where id = $1 for update", assistant_id)
    if wanted is None:
        return False
    lacking = await conn.fetchval(
        """
        select exists (select from grants g join sources s on s.id = g.source_id
            where g.holder_kind = 'assistant' and g.holder_id = $1 and s.deleted_at is null and s.reading_id is not null
                and not corpus.is_built(s.reading_id, $2))
        """,
        assistant_id, wanted,
    )  # fmt: skip
    if lacking:
        return False
    await conn.execute(
        "update assistants set recipe_id = wanted_recipe_id, wanted_recipe_id = null, reindex_at = null where id = $1", assistant_id
    )
    return True

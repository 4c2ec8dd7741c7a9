"""Recipes that notebooks and assistants want and do not use yet: which sources lack them, and the swap once none does.

A source is stale in one of them while it has no whole index under the recipe that is wanted there; it answers under the one in
use. A reading made by an older reader is stale everywhere (`sources.stale`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from sourcebook_core.db import Conn
from sourcebook_core.store.scopes import Holder, HolderKind
from sourcebook_core.store.unindexed import Unindexed

_TABLES: dict[HolderKind, str] = {"notebook": "notebooks", "assistant": "assistants"}
# An assistant's `updated_at` is that of what its people wrote: its page begins its forms anew by it.
_TOUCH: dict[HolderKind, str] = {"notebook": ", updated_at = now()", "assistant": ""}


@dataclass(frozen=True, slots=True)
class Chosen:
    """A notebook's recipe in use and the one that is wanted, which is the same when nothing was changed."""

    in_use: str
    wanted: str


@dataclass(frozen=True, slots=True)
class Stale:
    """A stale source: its text is to be read anew (`is_old`), or only indexed under `recipe_id`."""

    source_id: UUID
    owner_id: UUID
    reading_id: UUID
    status: str
    is_old: bool
    recipe_id: str | None


async def choices_of(conn: Conn, notebook_id: UUID) -> Chosen:
    """What a notebook uses and wants. Raises LookupError."""
    row = await conn.fetchrow(
        "select recipe_id as in_use, coalesce(wanted_recipe_id, recipe_id) as wanted from notebooks where id = $1", notebook_id
    )
    if row is None:
        raise LookupError(f"no notebook {notebook_id}")
    return Chosen(**dict(row))


async def with_captions(conn: Conn, recipe_id: str, captions: bool | None) -> str | None:
    """The recipe itself (None asks for no change), or the one that cuts like it with or without captions; None when there is none."""
    found: str | None = await conn.fetchval(
        """
        select o.id from recipes r join recipes o on (o.chunker, o.size, o.overlap, o.analyser) = (r.chunker, r.size, r.overlap, r.analyser)
        where r.id = $1 and o.captions = coalesce($2, r.captions)
        """,
        recipe_id, captions,
    )  # fmt: skip
    return found


async def want(conn: Conn, holder: Holder, recipe_id: str) -> None:
    """Say which recipe a notebook or an assistant is to have; what was being built for another choice is given up."""
    await conn.execute(
        f"""
        update {_TABLES[holder.kind]} set wanted_recipe_id = nullif($2, recipe_id), reindex_at = null{_TOUCH[holder.kind]}
        where id = $1 and coalesce(wanted_recipe_id, recipe_id) <> $2
        """,  # noqa: S608 - a constant of this file
        holder.id, recipe_id,
    )  # fmt: skip


async def want_newer_words(conn: Conn) -> None:
    """Have every notebook want its recipe with the newest analyser there is; nothing is indexed by that."""
    await conn.execute(
        """
        update notebooks n set wanted_recipe_id = newer.id from recipes r cross join lateral (
            select o.id, o.analyser from recipes o
            where (o.chunker, o.size, o.overlap, o.captions) = (r.chunker, r.size, r.overlap, r.captions)
            order by o.analyser desc limit 1) newer
        where r.id = coalesce(n.wanted_recipe_id, n.recipe_id) and newer.analyser > r.analyser
        """
    )


async def mark_old_readings(conn: Conn, versions: Mapping[str, int], otherwise: int) -> None:
    """Mark the sources whose current reading was made by an older version of their kind's reader; `otherwise` for kinds not named."""
    await conn.execute(
        r"""
        update sources s set stale = true from corpus.readings r
        where r.id = s.reading_id and not s.stale
            and case when r.fingerprint ~ '^\d{1,6}:'
                then split_part(r.fingerprint, ':', 1)::int < coalesce(($1::jsonb ->> s.kind)::int, $2) else false end
        """,
        dict(versions), otherwise,
    )  # fmt: skip


async def stale_in(conn: Conn, holder: Holder) -> list[Stale]:
    """The stale sources of a notebook or an assistant, paused ones included: what an explicit reindex has to do."""
    rows = await conn.fetch(
        f"""
        select s.id as source_id, s.owner_id, s.reading_id, s.status, s.stale as is_old,
            case when not corpus.is_built(s.reading_id, h.wanted_recipe_id) then h.wanted_recipe_id end as recipe_id
        from {_TABLES[holder.kind]} h join grants g on g.holder_kind = $2 and g.holder_id = h.id join sources s on s.id = g.source_id
        where h.id = $1 and s.deleted_at is null and s.reading_id is not null
            and (s.stale or (h.wanted_recipe_id is not null and not corpus.is_built(s.reading_id, h.wanted_recipe_id)))
        order by s.created_at, s.id
        """,  # noqa: S608 - a constant of this file
        holder.id, holder.kind,
    )  # fmt: skip
    return [Stale(**dict(row)) for row in rows]


async def begin(conn: Conn, holder: Holder) -> None:
    """Say that the wanted recipe is being built: what is added from now on is built under it too."""
    await conn.execute(
        f"""
        update {_TABLES[holder.kind]} set reindex_at = now(){_TOUCH[holder.kind]} where id = $1 and wanted_recipe_id is not null
        """,  # noqa: S608 - constants of this file
        holder.id,
    )


async def give_up(conn: Conn, source_id: UUID, recipe_id: str) -> None:
    """Building a recipe failed for a source: the notebooks and assistants that want it keep to the one in use."""
    for kind, table in _TABLES.items():
        await conn.execute(
            f"""
            update {table} h set reindex_at = null from grants g
            where g.holder_kind = $3 and g.holder_id = h.id and g.source_id = $1 and h.wanted_recipe_id = $2
            """,  # noqa: S608 - a constant of this file
            source_id, recipe_id, kind,
        )  # fmt: skip


async def wanting(conn: Conn, source_id: UUID) -> list[Holder]:
    """The notebooks and assistants that hold a source and want another recipe than they use, always in the same order."""
    rows = await conn.fetch(
        """
        select g.holder_kind, g.holder_id from grants g
            left join notebooks n on g.holder_kind = 'notebook' and n.id = g.holder_id
            left join assistants a on g.holder_kind = 'assistant' and a.id = g.holder_id
        where g.source_id = $1 and coalesce(n.wanted_recipe_id, a.wanted_recipe_id) is not null order by g.holder_kind, g.holder_id
        """,
        source_id,
    )
    return [Holder(row["holder_kind"], row["holder_id"]) for row in rows]


async def swap_if_whole(conn: Conn, holder: Holder) -> bool:
    """Put the wanted recipe in use when every source there that was read is built under it: whole or not at all.

    The row is locked before the sources are counted, so that of two that finish at once the second sees the first.
    """
    table = _TABLES[holder.kind]
    wanted = await conn.fetchval(f"select wanted_recipe_id from {table} where id = $1 for update", holder.id)  # noqa: S608
    if wanted is None:
        return False
    lacking = await conn.fetchval(
        """
        select exists (select from grants g join sources s on s.id = g.source_id
            where g.holder_kind = $3 and g.holder_id = $1 and s.deleted_at is null and s.reading_id is not null
                and not corpus.is_built(s.reading_id, $2))
        """,
        holder.id, wanted, holder.kind,
    )  # fmt: skip
    if lacking:
        return False
    await conn.execute(
        f"""
        update {table} set recipe_id = wanted_recipe_id, wanted_recipe_id = null, reindex_at = null{_TOUCH[holder.kind]} where id = $1
        """,  # noqa: S608 - a constant of this file
        holder.id,
    )
    return True


async def lacking(conn: Conn) -> list[Unindexed]:
    """Current readings that a notebook or an assistant cannot find, for it uses a recipe under which they were never cut (a swap
    met a link)."""
    rows = await conn.fetch(
        """
        with holders as (
            select 'notebook' as kind, id, recipe_id from notebooks where deleted_at is null
            union all select 'assistant', id, recipe_id from assistants where deleted_at is null)
        select owner_id, source_id, reading_id, recipe_id from (
        select distinct s.owner_id, s.id as source_id, s.reading_id, n.recipe_id, s.created_at
        from holders n join grants g on g.holder_kind = n.kind and g.holder_id = n.id join sources s on s.id = g.source_id
        where s.deleted_at is null and s.status = 'ready' and s.reading_id is not null
            and not exists (select from corpus.indexes i where i.reading_id = s.reading_id and i.recipe_id = n.recipe_id)) one
        order by created_at, source_id, recipe_id
        """
    )
    return [Unindexed(**dict(row)) for row in rows]


async def delete_unused(conn: Conn, limit: int) -> int:
    """Remove chunks cut by recipes that no notebook holding their source uses or wants, at most `limit`; returns how many went."""
    count: int = await conn.fetchval(
        """
        with unused as (select reading_id, recipe_id from corpus.unused_indexes),
        batch as (select c.id from corpus.chunks c join unused u on u.reading_id = c.reading_id and u.recipe_id = c.recipe_id limit $1),
        lex as (delete from corpus.chunk_lex where chunk_id in (select id from batch)),
        vec as (delete from corpus.chunk_vec where chunk_id in (select id from batch)),
        gone as (delete from corpus.chunks where id in (select id from batch) returning 1)
        select count(*) from gone
        """,
        limit,
    )
    if count < limit:
        await conn.execute("delete from corpus.indexes where id in (select id from corpus.unused_indexes)")
    return count

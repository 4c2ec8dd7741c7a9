"""Grants of an assistant: every source of its owner's library with its state, and the swap of all of them at once (S3-14)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sourcebook_core.db import Conn
from sourcebook_core.store.unindexed import Unindexed


@dataclass(frozen=True, slots=True)
class HeldSource:
    """A source of the library. `state` is given, paused or none; `searchable` (none, words, full) under the assistant's recipe."""

    id: UUID
    title: str
    kind: str
    status: str
    language: str | None
    labels: list[str]
    external_id: str | None
    meta: dict[str, Any]
    created_at: datetime
    updated_at: datetime
    state: str
    searchable: str


_SELECT = """
    select s.id, s.title, s.kind, s.status, s.language, s.labels, s.external_id, s.meta, s.created_at, s.updated_at,
        coalesce(g.state, 'none') as state,
        case when i.is_full then 'full' when i.has_words then 'words' else 'none' end as searchable
    from assistants a join sources s on s.owner_id = a.owner_id and s.deleted_at is null
    left join grants g on g.holder_kind = 'assistant' and g.holder_id = a.id and g.source_id = s.id
    left join lateral (
        select bool_or(x.state in ('words', 'full')) as has_words, bool_or(x.state = 'full' and p.id is not null) as is_full
        from corpus.indexes x left join spaces p on p.id = x.space_id and p.state = 'in_use'
        where x.reading_id = s.reading_id and x.recipe_id = a.recipe_id
    ) i on true
    where a.id = $1 and ($2::uuid is null or s.id = $2) and (g.state is not null or not $3)
        and ($5::timestamptz is null or (s.created_at, s.id) < ($5, $6))
    order by s.created_at desc, s.id desc limit $4
"""


async def list_for_assistant(
    conn: Conn, assistant_id: UUID, limit: int, before_at: datetime | None = None, before_id: UUID | None = None, *, held_only: bool
) -> list[HeldSource]:
    """The sources of the owner's library, newest first, each with its state here; `held_only`: without those not given."""
    rows = await conn.fetch(_SELECT, assistant_id, None, held_only, limit, before_at, before_id)
    return [HeldSource(**row) for row in rows]


async def find(conn: Conn, assistant_id: UUID, source_id: UUID, *, held_only: bool) -> HeldSource | None:
    """One of them; None for a source that is not the owner's, or in the trash."""
    row = await conn.fetchrow(_SELECT, assistant_id, source_id, held_only, 1, None, None)
    return HeldSource(**row) if row else None


async def replace(conn: Conn, assistant_id: UUID, source_ids: Sequence[UUID], added_by: UUID) -> list[UUID]:
    """Give exactly these sources, in one transaction: searches see all that was or all that is. Returns those that are not the
    owner's, for the caller to refuse. The row is locked, so that of two swaps one comes after the other."""
    owner_id = await conn.fetchval("select owner_id from assistants where id = $1 for update", assistant_id)
    rows = await conn.fetch("select id from sources where owner_id = $1 and deleted_at is null and id = any($2)", owner_id, source_ids)
    foreign = set(source_ids) - {row["id"] for row in rows}
    if foreign:
        return sorted(foreign)
    await conn.execute(
        "delete from grants where holder_kind = 'assistant' and holder_id = $1 and source_id <> all($2)", assistant_id, source_ids
    )
    await conn.execute(
        """
        insert into grants (holder_kind, holder_id, source_id, added_by) select 'assistant', $1, id, $3 from unnest($2::uuid[]) as t (id)
        on conflict (holder_kind, holder_id, source_id) do update set state = 'given'
        """,
        assistant_id, list(dict.fromkeys(source_ids)), added_by,
    )  # fmt: skip
    return []


async def unindexed(conn: Conn, assistant_id: UUID) -> list[Unindexed]:
    """Its sources, paused ones included, whose current reading is not cut by its recipe, or has no vectors of the space in use; by the
    recipe that it wants too, once that is being built."""
    rows = await conn.fetch(
        """
        select s.owner_id, s.id as source_id, s.reading_id, r.id as recipe_id
        from assistants a join grants g on g.holder_kind = 'assistant' and g.holder_id = a.id join sources s on s.id = g.source_id
        join recipes r on r.id = a.recipe_id or (r.id = a.wanted_recipe_id and a.reindex_at is not null)
        where a.id = $1 and s.deleted_at is null and s.reading_id is not null and not exists (
            select from corpus.indexes i left join spaces p on p.state = 'in_use'
            where i.reading_id = s.reading_id and i.recipe_id = r.id
                and ((i.state = 'full' and i.space_id = p.id) or (i.state in ('words', 'full') and p.id is null)))
        """,
        assistant_id,
    )
    return [Unindexed(**dict(row)) for row in rows]


async def assistants_of(conn: Conn, source_id: UUID) -> list[UUID]:
    """The living assistants that hold a source."""
    rows = await conn.fetch(
        """
        select a.id from grants g join assistants a on a.id = g.holder_id
        where g.holder_kind = 'assistant' and g.source_id = $1 and a.deleted_at is null order by a.id
        """,
        source_id,
    )
    return [row["id"] for row in rows]

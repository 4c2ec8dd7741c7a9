"""Readings whose meaning is not indexed yet: what a newly connected embedding model has to do."""

from dataclasses import dataclass
from uuid import UUID

from sourcebook_core.db import Conn


@dataclass(frozen=True, slots=True)
class Unindexed:
    """A current reading under a recipe that a notebook or an assistant uses."""

    owner_id: UUID
    source_id: UUID
    reading_id: UUID
    recipe_id: str


async def list_for_new_model(conn: Conn) -> list[Unindexed]:
    """Every current reading without vectors under a recipe in use; when all have them, one, by which the new model is noticed.

    Oldest source first, as all do that queue many: two who queue the same in different orders would wait for each other.
    """
    rows = await conn.fetch(
        """
        select owner_id, source_id, reading_id, recipe_id, is_full from (
        select distinct on (s.reading_id, n.recipe_id) s.owner_id, s.id as source_id, s.reading_id, n.recipe_id, s.created_at, exists (
            select from corpus.indexes i where i.reading_id = s.reading_id and i.recipe_id = n.recipe_id and i.state = 'full') as is_full
        from sources s join grants g on g.source_id = s.id
        join (select 'notebook' as kind, id, recipe_id from notebooks where deleted_at is null
            union all select 'assistant', id, recipe_id from assistants where deleted_at is null) n
            on n.id = g.holder_id and n.kind = g.holder_kind
        where s.deleted_at is null and s.reading_id is not null and s.status in ('ready', 'indexing')
        order by s.reading_id, n.recipe_id) one
        order by created_at, source_id, recipe_id
        """
    )
    without = [row for row in rows if not row["is_full"]] or list(rows[:1])
    return [Unindexed(row["owner_id"], row["source_id"], row["reading_id"], row["recipe_id"]) for row in without]

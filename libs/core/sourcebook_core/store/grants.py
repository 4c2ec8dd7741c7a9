"""Table grants: which notebook may use which source."""

from uuid import UUID

from sourcebook_core.db import Conn


async def give(conn: Conn, notebook_id: UUID, source_id: UUID, added_by: UUID, state: str = "given") -> None:
    """Put a source into a notebook, or set the state of its grant (given, paused). Safe to run twice."""
    await conn.execute(
        "insert into grants (holder_kind, holder_id, source_id, state, added_by) values ('notebook', $1, $2, $3, $4)"
        " on conflict (holder_kind, holder_id, source_id) do update set state = excluded.state",
        notebook_id,
        source_id,
        state,
        added_by,
    )


async def take(conn: Conn, notebook_id: UUID, source_id: UUID) -> bool:
    """Take a source out of a notebook; False when it was not in it. The source stays in the library."""
    return (
        await conn.fetchval(
            "delete from grants where holder_kind = 'notebook' and holder_id = $1 and source_id = $2 returning true", notebook_id, source_id
        )
        is not None
    )


async def missing(conn: Conn, notebook_id: UUID, source_ids: list[UUID]) -> list[UUID]:
    """Those of `source_ids` that this notebook does not hold (paused ones count as held); deleted sources are missing."""
    rows = await conn.fetch(
        "select asked.id from unnest($2::uuid[]) as asked (id) where not exists (select from grants g join sources s on s.id = g.source_id"
        " where g.holder_kind = 'notebook' and g.holder_id = $1 and g.source_id = asked.id and s.deleted_at is null)",
        notebook_id,
        source_ids,
    )
    return [row["id"] for row in rows]


async def notebooks_of(conn: Conn, source_id: UUID) -> list[UUID]:
    """The notebooks that hold a source."""
    rows = await conn.fetch("select holder_id from grants where holder_kind = 'notebook' and source_id = $1", source_id)
    return [row["holder_id"] for row in rows]

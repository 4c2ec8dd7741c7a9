"""Table grants: which notebook or assistant may use which source."""

from uuid import UUID

from sourcebook_core.db import Conn
from sourcebook_core.store.scopes import Holder, HolderKind


async def give(
    conn: Conn, holder_id: UUID, source_id: UUID, added_by: UUID, state: str = "given", *, holder: HolderKind = "notebook"
) -> None:
    """Put a source into a notebook, or give it to an assistant, or set the state of its grant (given, paused). Safe to run twice."""
    await conn.execute(
        "insert into grants (holder_kind, holder_id, source_id, state, added_by) values ($5, $1, $2, $3, $4)"
        " on conflict (holder_kind, holder_id, source_id) do update set state = excluded.state",
        holder_id,
        source_id,
        state,
        added_by,
        holder,
    )


async def take(conn: Conn, holder_id: UUID, source_id: UUID, *, holder: HolderKind = "notebook") -> bool:
    """Take a source out of a notebook or from an assistant; False when it was not in it. The source stays in the library."""
    return (
        await conn.fetchval(
            "delete from grants where holder_kind = $3 and holder_id = $1 and source_id = $2 returning true", holder_id, source_id, holder
        )
        is not None
    )


async def held(conn: Conn, holder: Holder) -> list[tuple[str, str, int | None]]:
    """Title, kind and size (bytes) of each source that it holds, paused ones too."""
    rows = await conn.fetch(
        "select s.title, s.kind, s.byte_size from grants g join sources s on s.id = g.source_id"
        " where g.holder_kind = $2 and g.holder_id = $1 and s.deleted_at is null order by s.created_at, s.id",
        holder.id,
        holder.kind,
    )
    return [(row["title"], row["kind"], row["byte_size"]) for row in rows]


async def missing(conn: Conn, holder: Holder, source_ids: list[UUID]) -> list[UUID]:
    """Those of `source_ids` that this notebook or assistant does not hold (paused ones count as held); deleted sources are missing."""
    rows = await conn.fetch(
        "select asked.id from unnest($2::uuid[]) as asked (id) where not exists (select from grants g join sources s on s.id = g.source_id"
        " where g.holder_kind = $3 and g.holder_id = $1 and g.source_id = asked.id and s.deleted_at is null)",
        holder.id,
        source_ids,
        holder.kind,
    )
    return [row["id"] for row in rows]


async def notebooks_of(conn: Conn, source_id: UUID) -> list[UUID]:
    """The notebooks that hold a source."""
    rows = await conn.fetch("select holder_id from grants where holder_kind = 'notebook' and source_id = $1", source_id)
    return [row["holder_id"] for row in rows]

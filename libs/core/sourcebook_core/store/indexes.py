"""Rows of `corpus.indexes` and `recipes`: one reading under one recipe in one space, and how it is cut."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID, uuid4

from sourcebook_core.db import Conn


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a reading is cut and which words it gives; sizes in tokens (`token_window`) or characters (others)."""

    id: str
    chunker: str
    size: int
    overlap: int
    analyser: int
    avgdl: float
    captions: bool = False


@dataclass(frozen=True, slots=True)
class Index:
    """One reading under one recipe in one space; `space_id` None holds words alone."""

    id: UUID
    reading_id: UUID
    source_id: UUID
    recipe_id: str
    space_id: UUID | None
    state: str
    chunks: int


async def get_recipe(conn: Conn, recipe_id: str) -> Recipe:
    """The recipe with this id. Raises LookupError."""
    row = await conn.fetchrow("select id, chunker, size, overlap, analyser, avgdl, captions from recipes where id = $1", recipe_id)
    if row is None:
        raise LookupError(f"no recipe {recipe_id}")
    return Recipe(**dict(row))


async def recipes_wanted(conn: Conn, source_id: UUID, otherwise: str) -> list[str]:
    """The recipes under which a reading of this source is to be found: those of the notebooks and assistants that hold it,
    `otherwise` when none does.

    A recipe that one of them wants and does not use yet counts where it is being built, or the source was read before and is
    read again.
    """
    rows = await conn.fetch(
        """
        select distinct r.id from sources s join grants g on g.source_id = s.id and g.holder_kind = 'notebook'
        join notebooks n on n.id = g.holder_id and n.deleted_at is null
        join recipes r on r.id = n.recipe_id
            or (r.id = n.wanted_recipe_id and (n.reindex_at is not null or s.ready_at is not null))
        where s.id = $1
        union
        select r.id from sources s join grants g on g.source_id = s.id and g.holder_kind = 'assistant'
        join assistants a on a.id = g.holder_id and a.deleted_at is null
        join recipes r on r.id = a.recipe_id
            or (r.id = a.wanted_recipe_id and (a.reindex_at is not null or s.ready_at is not null))
        where s.id = $1 order by 1
        """,
        source_id,
    )
    return [row["id"] for row in rows] or [otherwise]


async def open_index(conn: Conn, reading_id: UUID, source_id: UUID, recipe_id: str, space_id: UUID | None) -> Index:
    """The index of this reading, recipe and space, begun when it is not there yet."""
    row = await conn.fetchrow(
        """
        insert into corpus.indexes (id, reading_id, source_id, recipe_id, space_id, state) values ($1, $2, $3, $4, $5, 'building')
        on conflict (reading_id, recipe_id, space_id) do update set state = corpus.indexes.state
        returning id, reading_id, source_id, recipe_id, space_id, state, chunks
        """,
        uuid4(), reading_id, source_id, recipe_id, space_id,
    )  # fmt: skip
    if row is None:
        raise LookupError("an insert returned no row")
    return Index(**dict(row))


async def set_state(conn: Conn, index_id: UUID, state: str, chunks: int) -> None:
    """Say how far an index is: `words` (cut, searchable by words) or `full` (every vector is there)."""
    await conn.execute("update corpus.indexes set state = $2, chunks = $3 where id = $1", index_id, state, chunks)


async def set_whole(conn: Conn, reading_id: UUID, recipe_id: str) -> None:
    """Say that all is there that could be made, be it words alone."""
    await conn.execute("update corpus.indexes set is_whole = true where reading_id = $1 and recipe_id = $2", reading_id, recipe_id)


async def is_built(conn: Conn, reading_id: UUID, recipe_id: str) -> bool:
    """Whether a reading has a whole index under a recipe."""
    found: bool = await conn.fetchval("select corpus.is_built($1, $2)", reading_id, recipe_id)
    return found


async def is_awaited(conn: Conn, source_id: UUID, reading_id: UUID, job_id: UUID) -> bool:
    """Whether another job is still to index this reading."""
    found: bool = await conn.fetchval(
        """
        select exists (select from jobs where subject = $1 and kind = 'index_reading' and payload ->> 'reading_id' = $2::text
            and state in ('queued', 'running') and id <> $3)
        """,
        source_id, str(reading_id), job_id,
    )  # fmt: skip
    return found


async def delete_wordless(conn: Conn, reading_id: UUID, recipe_id: str, keep: UUID) -> None:
    """Remove the index of words alone once one with vectors stands in its place."""
    await conn.execute(
        "delete from corpus.indexes where reading_id = $1 and recipe_id = $2 and id <> $3 and space_id is null", reading_id, recipe_id, keep
    )

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
    row = await conn.fetchrow("select id, chunker, size, overlap, analyser, avgdl from recipes where id = $1", recipe_id)
    if row is None:
        raise LookupError(f"no recipe {recipe_id}")
    return Recipe(**dict(row))


async def recipes_wanted(conn: Conn, source_id: UUID, otherwise: str) -> list[str]:
    """The recipes of the notebooks that hold this source; `otherwise` when none does."""
    rows = await conn.fetch(
        """
        select distinct n.recipe_id from grants g join notebooks n on n.id = g.holder_id
        where g.source_id = $1 and g.holder_kind = 'notebook' and n.deleted_at is null order by 1
        """,
        source_id,
    )
    return [row["recipe_id"] for row in rows] or [otherwise]


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


async def delete_wordless(conn: Conn, reading_id: UUID, recipe_id: str, keep: UUID) -> None:
    """Remove the index of words alone once one with vectors stands in its place."""
    await conn.execute(
        "delete from corpus.indexes where reading_id = $1 and recipe_id = $2 and id <> $3 and space_id is null", reading_id, recipe_id, keep
    )

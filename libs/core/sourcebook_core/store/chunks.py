"""Rows of `corpus.chunks`, `chunk_lex` and `chunk_vec`: ranges into passages, their words and their vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import NAMESPACE_URL, UUID, uuid5

import numpy as np
from numpy.typing import NDArray
from pgvector import HalfVector, SparseVector

from sourcebook_core.db import Conn

LEX_DIMENSIONS = 1_000_000_000  # of `chunk_lex.sv`; a term's dimension is its 0-based index there
_NAMESPACE = uuid5(NAMESPACE_URL, "urn:sourcebook:chunk")


@dataclass(frozen=True, slots=True)
class Part:
    """One reading of a source under one recipe: what is cut, embedded and posted together."""

    source_id: UUID
    reading_id: UUID
    recipe_id: str


@dataclass(frozen=True, slots=True)
class Chunk:
    """A half-open range of code points inside one passage. `weights` are its words' BM25 weights without idf, by dimension."""

    ordinal: int
    passage: int
    start: int
    end: int
    page: int | None
    heading: str | None
    language: str | None
    lexemes: int
    weights: Mapping[int, float]


@dataclass(frozen=True, slots=True)
class Cut:
    """How far a reading is cut: chunks so far, the passage of the last one, and how many of them lie in that passage."""

    chunks: int
    passage: int
    in_passage: int


@dataclass(frozen=True, slots=True)
class Slice:
    """A chunk's text with what is needed to embed it; `lead` is its passage's, which goes before it in what is indexed."""

    id: UUID
    ordinal: int
    text: str
    language: str | None
    lead: str = ""
    heading: str | None = None

    @property
    def indexed(self) -> str:
        """What an embedding model is given."""
        return indexed_text(self.lead, self.text)


def indexed_text(lead: str, text: str) -> str:
    """What the index holds of a chunk: the line that goes before it (a table's header row), then its own words."""
    return f"{lead}\n{text}" if lead else text


def chunk_id(reading_id: UUID, recipe_id: str, passage: int, start: int, end: int) -> UUID:
    """The id of a chunk: the same range of the same reading under the same recipe always has the same."""
    return uuid5(_NAMESPACE, f"{reading_id}/{recipe_id}/{passage}/{start}/{end}")


async def insert_many(conn: Conn, reading_id: UUID, source_id: UUID, recipe_id: str, items: Sequence[Chunk]) -> None:
    """Add chunks together with their words, so that no chunk is ever without."""
    ids = [chunk_id(reading_id, recipe_id, c.passage, c.start, c.end) for c in items]
    await conn.copy_records_to_table(
        "chunks", schema_name="corpus",
        columns=["id", "source_id", "reading_id", "recipe_id", "ordinal", "passage", "start_at", "end_at", "page", "heading", "language",
                 "lexemes"],
        records=[
            (i, source_id, reading_id, recipe_id, c.ordinal, c.passage, c.start, c.end, c.page, c.heading, c.language, c.lexemes)
            for i, c in zip(ids, items, strict=True)
        ],
    )  # fmt: skip
    await conn.copy_records_to_table(
        "chunk_lex", schema_name="corpus",
        columns=["chunk_id", "source_id", "reading_id", "recipe_id", "ordinal", "sv"],
        records=[
            (i, source_id, reading_id, recipe_id, c.ordinal, SparseVector(dict(c.weights), LEX_DIMENSIONS))
            for i, c in zip(ids, items, strict=True)
        ],
    )  # fmt: skip


async def how_far(conn: Conn, reading_id: UUID, recipe_id: str) -> Cut:
    """How far an interrupted cutting came; chunks are written in their order."""
    row = await conn.fetchrow(
        """
        with last as (
            select passage, ordinal from corpus.chunks
            where reading_id = $1 and recipe_id = $2 order by ordinal desc limit 1)
        select l.ordinal + 1 as chunks, l.passage, (
            select count(*) from corpus.chunks c
            where c.reading_id = $1 and c.recipe_id = $2 and c.passage = l.passage) as in_passage
        from last l
        """,
        reading_id, recipe_id,
    )  # fmt: skip
    return Cut(**dict(row)) if row is not None else Cut(0, 0, 0)


async def without_vector(conn: Conn, reading_id: UUID, recipe_id: str, space_id: UUID, limit: int, after: int = -1) -> list[Slice]:
    """The first chunks, in order, behind the ordinal `after`, that have no vector in this space yet."""
    rows = await conn.fetch(
        """
        select c.id, c.ordinal, substr(p.text, c.start_at + 1, c.end_at - c.start_at) as text, c.language, p.lead, c.heading
        from corpus.chunks c join corpus.passages p on p.reading_id = c.reading_id and p.ordinal = c.passage
        where c.reading_id = $1 and c.recipe_id = $2 and c.ordinal > $5
            and not exists (select from corpus.chunk_vec v where v.chunk_id = c.id and v.space_id = $3)
        order by c.ordinal limit $4
        """,
        reading_id, recipe_id, space_id, limit, after,
    )  # fmt: skip
    return [Slice(**dict(row)) for row in rows]


async def insert_vectors(
    conn: Conn,
    reading_id: UUID,
    source_id: UUID,
    recipe_id: str,
    space_id: UUID,
    vectors: Sequence[tuple[Slice, NDArray[np.float32]]],
) -> None:
    """Add the vectors of chunks in one space; one that another job wrote meanwhile stays."""
    await conn.executemany(
        """
        insert into corpus.chunk_vec (chunk_id, source_id, reading_id, recipe_id, space_id, ordinal, e)
        values ($1, $2, $3, $4, $5, $6, $7) on conflict (chunk_id, space_id) do nothing
        """,
        [(s.id, source_id, reading_id, recipe_id, space_id, s.ordinal, HalfVector(v)) for s, v in vectors],
    )


async def count(conn: Conn, reading_id: UUID, recipe_id: str) -> int:
    """How many chunks a reading has under a recipe."""
    found: int = await conn.fetchval("select count(*) from corpus.chunks where reading_id = $1 and recipe_id = $2", reading_id, recipe_id)
    return found


async def count_vectors(conn: Conn, reading_id: UUID, recipe_id: str, space_id: UUID) -> int:
    """How many of those have a vector in a space."""
    found: int = await conn.fetchval(
        "select count(*) from corpus.chunk_vec where reading_id = $1 and recipe_id = $2 and space_id = $3", reading_id, recipe_id, space_id
    )
    return found

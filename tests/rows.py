"""Rows of a notebook with indexed sources, written the way ingest writes them, for tests that start at the search."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4, uuid5

from pgvector import HalfVector, SparseVector

from sourcebook_core import settings as core_settings
from sourcebook_core.db import Conn, Db
from sourcebook_core.text import lexemes

RECIPE = "token_window-300-40-a2"
AVGDL = 180.0


@dataclass(frozen=True)
class Notebook:
    """A notebook with its owner; `space_id` is the space in use, if one was made."""

    id: UUID
    owner_id: UUID
    space_id: UUID | None = None


@dataclass(frozen=True)
class Source:
    """A source with its reading and the ids of its chunks in order."""

    id: UUID
    reading_id: UUID
    title: str
    chunk_ids: list[UUID] = field(default_factory=list)


@asynccontextmanager
async def opened(url: str) -> AsyncIterator[Conn]:
    """A transaction of a pool of its own, in the database of a stack that runs in other processes."""
    db = await Db.open(core_settings.load({"SOURCEBOOK_DATABASE_URL": url}), size=1)
    try:
        async with db.transaction() as conn:
            yield conn
    finally:
        await db.close()


async def notebook(conn: Conn, *, space_id: UUID | None = None, title: str = "Lakes", settings: dict[str, Any] | None = None) -> Notebook:
    """A new person with an empty notebook."""
    made = Notebook(uuid4(), uuid4(), space_id)
    await conn.execute("insert into people (id, name) values ($1, 'Ada')", made.owner_id)
    await conn.execute(
        "insert into notebooks (id, owner_id, title, recipe_id, settings) values ($1, $2, $3, $4, $5)",
        made.id, made.owner_id, title, RECIPE, settings or {},
    )  # fmt: skip
    return made


async def space(conn: Conn, *, dimension: int = 64, floor: float | None = 0.30, base_url: str = "http://127.0.0.1:1/v1") -> UUID:
    """A space in use."""
    space_id = uuid4()
    await conn.execute(
        """
        insert into spaces (id, provider, base_url, model, dimension, floor, state)
        values ($1, 'api', $2, 'fake-embed', $3, $4, 'in_use')
        """,
        space_id, base_url, dimension, floor,
    )  # fmt: skip
    return space_id


async def grant(conn: Conn, of: Notebook, source_id: UUID, state: str = "given") -> None:
    """Give a source to a notebook, or pause it there."""
    await conn.execute(
        """
        insert into grants (holder_kind, holder_id, source_id, state, added_by) values ('notebook', $1, $2, $3, $4)
        on conflict (holder_kind, holder_id, source_id) do update set state = $3
        """,
        of.id, source_id, state, of.owner_id,
    )  # fmt: skip


async def source(
    conn: Conn,
    of: Notebook,
    texts: Sequence[str],
    *,
    title: str = "Lake report",
    kind: str = "pdf",
    language: str | None = "en",
    vectors: Sequence[Sequence[float] | None] | None = None,
    status: str = "ready",
    granted: bool = True,
    made_of: str | None = None,
) -> Source:
    """A source of one passage and one chunk per text; with `vectors`, embedded in the notebook's space (None = not yet)."""
    made = Source(uuid4(), uuid4(), title)
    await conn.execute(
        """
        insert into sources (id, owner_id, added_by, kind, title, status, language, chunks, reading_id, meta)
        values ($1, $2, $2, $3, $4, $5, $6, $7, $8, $9)
        """,
        made.id, of.owner_id, kind, title, status, language, len(texts), made.reading_id, {"made_of": made_of} if made_of else {},
    )  # fmt: skip
    if granted:
        await grant(conn, of, made.id)
    await reading(conn, of, made, made.reading_id, texts, language=language, vectors=vectors)
    return made


async def bare_source(conn: Conn, of: Notebook, source_id: UUID, reading_id: UUID, chunks: int) -> None:
    """A granted source with the rows that a search needs of it, and no chunk: those are poured in by the thousand."""
    await conn.execute(
        """
        insert into sources (id, owner_id, added_by, kind, title, status, language, chunks, reading_id)
        values ($1, $2, $2, 'text', 'Lakes', 'ready', 'en', $3, $4)
        """,
        source_id, of.owner_id, chunks, reading_id,
    )  # fmt: skip
    await grant(conn, of, source_id)
    await conn.execute(
        "insert into corpus.readings (id, source_id, number, fingerprint, state, language) values ($1, $2, 1, 'f', 'closed', 'en')",
        reading_id, source_id,
    )  # fmt: skip
    await conn.execute(
        "insert into corpus.indexes (id, reading_id, source_id, recipe_id, space_id, state, chunks) values ($1, $2, $3, $4, $5, $6, $7)",
        uuid4(), reading_id, source_id, RECIPE, of.space_id, "full" if of.space_id else "words", chunks,
    )  # fmt: skip


async def reading(
    conn: Conn,
    of: Notebook,
    made: Source,
    reading_id: UUID,
    texts: Sequence[str],
    *,
    language: str | None = "en",
    vectors: Sequence[Sequence[float] | None] | None = None,
    number: int = 1,
) -> None:
    """A reading of a source with its chunks and indexes."""
    await conn.execute(
        "insert into corpus.readings (id, source_id, number, fingerprint, state, language) values ($1, $2, $3, 'f', 'closed', $4)",
        reading_id, made.id, number, language,
    )  # fmt: skip
    is_full = vectors is not None and all(vector is not None for vector in vectors)
    await conn.execute(
        "insert into corpus.indexes (id, reading_id, source_id, recipe_id, space_id, state, chunks) values ($1, $2, $3, $4, $5, $6, $7)",
        uuid4(), reading_id, made.id, RECIPE, of.space_id if is_full else None, "full" if is_full else "words", len(texts),
    )  # fmt: skip
    offset = 0
    for place, text in enumerate(texts):
        chunk_id = uuid5(reading_id, f"{RECIPE}/{place}/0/{len(text)}")
        made.chunk_ids.append(chunk_id)
        await conn.execute(
            """
            insert into corpus.passages (reading_id, ordinal, source_id, text, characters, offset_at, page)
            values ($1, $2, $3, $4, $5, $6, $7)
            """,
            reading_id, place, made.id, text, len(text), offset, place + 1,
        )  # fmt: skip
        offset += len(text)
        counted = lexemes.chunk_lexemes(text, language)
        weights = lexemes.document_weights(counted.counts, counted.length, AVGDL)
        await conn.execute(
            """
            insert into corpus.chunks (id, source_id, reading_id, recipe_id, ordinal, passage, start_at, end_at, page, language, lexemes)
            values ($1, $2, $3, $4, $5, $5, 0, $6, $7, $8, $9)
            """,
            chunk_id, made.id, reading_id, RECIPE, place, len(text), place + 1, language, counted.length,
        )  # fmt: skip
        await conn.execute(
            "insert into corpus.chunk_lex (chunk_id, source_id, reading_id, recipe_id, ordinal, sv) values ($1, $2, $3, $4, $5, $6)",
            chunk_id, made.id, reading_id, RECIPE, place, SparseVector(weights, 1_000_000_000),
        )  # fmt: skip
        vector = vectors[place] if vectors is not None else None
        if vector is not None:
            await conn.execute(
                """
                insert into corpus.chunk_vec (chunk_id, source_id, reading_id, recipe_id, space_id, ordinal, e)
                values ($1, $2, $3, $4, $5, $6, $7)
                """,
                chunk_id, made.id, reading_id, RECIPE, of.space_id, place, HalfVector(list(vector)),
            )  # fmt: skip


async def turn(
    conn: Conn, of: Notebook, question: str, *, conversation_id: UUID | None = None, request: dict[str, Any] | None = None
) -> UUID:
    """A queued turn, in a new conversation unless one is named; its job is not queued."""
    turn_id = uuid4()
    if conversation_id is None:
        conversation_id = uuid4()
        await conn.execute(
            "insert into conversations (id, notebook_id, person_id) values ($1, $2, $3)", conversation_id, of.id, of.owner_id
        )
    await conn.execute(
        "insert into turns (id, conversation_id, notebook_id, person_id, question, request) values ($1, $2, $3, $4, $5, $6)",
        turn_id, conversation_id, of.id, of.owner_id, question, request or {},
    )  # fmt: skip
    return turn_id

"""Notebooks with thousands of chunks, written in bulk the way ingest writes them: passages, chunks, words and vectors."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import UUID, uuid4

import numpy as np
from numpy.typing import NDArray

from sourcebook_core.db import Conn, Db
from sourcebook_core.store import chunks, passages, spaces
from sourcebook_core.store.chunks import Chunk, Slice, chunk_id
from sourcebook_core.store.passages import Passage
from sourcebook_core.text import lexemes
from tests import rows
from tests.load.prose import Prose

CHUNKS = 100  # of a source, as on the performance page
CHUNK_WORDS = 210  # about 300 tokens
DIMENSION = 384
AVGDL = rows.AVGDL


@dataclass(frozen=True)
class Model:
    """The embedding model whose space the vectors are said to be in."""

    provider: str = "api"
    base_url: str = "http://127.0.0.1:1/v1"
    name: str = "fake-embed"
    prefixes: tuple[str, str] = ("", "")


@dataclass
class Corpus:
    """What was written: notebooks, their texts by source, and every chunk's text by its id where it has one."""

    db: Db
    prose: Prose
    space_id: UUID
    is_plain: bool = False
    texts: dict[UUID, str] = field(default_factory=dict)

    async def notebook(self, owner_id: UUID | None = None, title: str = "Bench") -> rows.Notebook:
        """An empty notebook, of a new person unless one is named."""
        made = rows.Notebook(uuid4(), owner_id or uuid4(), self.space_id)
        async with self.db.transaction() as conn:
            await conn.execute("insert into people (id, name) values ($1, 'Bench') on conflict do nothing", made.owner_id)
            await conn.execute(
                "insert into notebooks (id, owner_id, title, recipe_id) values ($1, $2, $3, $4)", made.id, made.owner_id, title, rows.RECIPE
            )
        return made

    async def fill(self, notebook: rows.Notebook, sources: int, *, with_words: bool = True) -> list[UUID]:
        """Give a notebook `sources` new sources of 100 chunks each, with random vectors; returns their ids."""
        made = []
        for _ in range(sources):
            source_id, reading_id = uuid4(), uuid4()
            texts = await asyncio.to_thread(self._write) if with_words else []
            async with self.db.transaction() as conn:
                await rows.bare_source(conn, notebook, source_id, reading_id, CHUNKS)
                if with_words:
                    await self._words(conn, source_id, reading_id, texts)
                await self._vectors(conn, source_id, reading_id, texts)
            made.append(source_id)
        return made

    async def settle(self) -> None:
        """Let the planner know what is there, as autovacuum would have by now."""
        for table in ("chunk_lex", "chunk_vec", "chunks", "passages", "indexes", "readings", "postings", "posting_lists"):
            await self.db.pool.execute(f"vacuum analyze corpus.{table}", timeout=3600)
        for table in ("sources", "grants"):
            await self.db.pool.execute(f"vacuum analyze {table}")

    def _write(self) -> list[str]:
        topic = self.prose.topic()
        write = self.prose.plain if self.is_plain else self.prose.text
        words = write(CHUNK_WORDS * CHUNKS, topic).split()
        return [" ".join(words[at : at + CHUNK_WORDS]) for at in range(0, len(words), CHUNK_WORDS)]

    async def _words(self, conn: Conn, source_id: UUID, reading_id: UUID, texts: Sequence[str]) -> None:
        pages = [Passage(place, text, page=None, state="read") for place, text in enumerate(texts)]
        await passages.insert_many(conn, reading_id, source_id, pages)
        cut = await asyncio.to_thread(lambda: [_chunk(place, text) for place, text in enumerate(texts)])
        await chunks.insert_many(conn, reading_id, source_id, rows.RECIPE, cut)
        self.texts |= {id_of(reading_id, place, len(text)): text for place, text in enumerate(texts)}

    async def _vectors(self, conn: Conn, source_id: UUID, reading_id: UUID, texts: Sequence[str]) -> None:
        found: NDArray[np.float32] = self.prose.vectors(CHUNKS, DIMENSION)
        lengths = [len(text) for text in texts] or [1] * CHUNKS
        slices = [Slice(id_of(reading_id, place, length), place, "", "en") for place, length in enumerate(lengths)]
        await chunks.insert_vectors(
            conn, reading_id, source_id, rows.RECIPE, self.space_id, list(zip(slices, found, strict=True))
        )  # fmt: skip


async def empty(db: Db, *, seed: int, model: Model, is_plain: bool = False, dimension: int = DIMENSION) -> Corpus:
    """A corpus with its space and nothing in it; `is_plain`: written in words that a real model knows."""
    space_id = uuid4()
    async with db.transaction() as conn:
        await spaces.insert(
            conn, space_id, provider=model.provider, base_url=model.base_url, model=model.name, dimension=dimension,
            query_prefix=model.prefixes[0], passage_prefix=model.prefixes[1], centring=0, floor=0.30, in_use=True,
        )  # fmt: skip
    return Corpus(db, Prose(seed), space_id, is_plain)


def id_of(reading_id: UUID, place: int, length: int) -> UUID:
    """The id of the chunk that is all of a passage."""
    return chunk_id(reading_id, rows.RECIPE, place, 0, length)


def _chunk(place: int, text: str) -> Chunk:
    counted = lexemes.chunk_lexemes(text, "en")
    weights = lexemes.document_weights(counted.counts, counted.length, AVGDL)
    return Chunk(place, place, 0, len(text), None, None, "en", counted.length, weights)

"""Many chunks quickly: words drawn by Zipf's law as terms, vectors in clusters, no texts; loaded by COPY, twenty sources a commit."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID, uuid4

import numpy as np
from numpy.typing import NDArray
from pgvector import HalfVector, SparseVector

from sourcebook_core.db import Conn
from sourcebook_core.store import chunks, postings
from sourcebook_core.text import lexemes
from sourcebook_core.text.lexemes import QuestionLexemes, QuestionWord
from tests import rows
from tests.load.corpus import CHUNKS, DIMENSION, Corpus

WORDINGS = 300
WORDS = 50_000
EXPONENT, SHIFT = 1.07, 2.7
SKIPPED = 100  # the most frequent are stop words
CHUNK_TOKENS = 130  # of about 210 words, those that are none
TOPIC_WORDS, TOPIC_SHARE = 60, 0.35
# Embeddings of text vary in far fewer directions than they have numbers; noise in all 384 would make every neighbour equally near.
DIRECTIONS, CLUSTERS = 32, 2000
SPREAD, NOISE = 0.5, 0.1  # of a cluster, in those directions; of each vector, in all
AT_ONCE = 20


class Sent(SparseVector):
    """A sparse vector as it is sent, packed once for all the chunks that have these words."""

    def __init__(self, words: SparseVector) -> None:
        self._sent: bytes = words.to_binary()

    def to_binary(self) -> bytes:
        """What `sparsevec_recv` reads."""
        return self._sent


@dataclass(frozen=True)
class Words:
    """The words of a source's hundred chunks: their terms (places in the vocabulary), as they are sent, and turned round."""

    terms: list[NDArray[np.int64]]
    sent: list[Sent]
    by_term: list[tuple[int, bytes]]


@dataclass(frozen=True)
class Made:
    """One source: its ids, words and vectors."""

    source_id: UUID
    reading_id: UUID
    chunk_ids: list[UUID]
    words: Words
    vectors: NDArray[np.float32]


class Synthetic:
    """What is drawn, the same for the same seed. Words come from `WORDINGS` sources and are used again; vectors are all different."""

    def __init__(self, seed: int, dimension: int = DIMENSION) -> None:
        self._rng = np.random.default_rng(seed)
        weights = (np.arange(SKIPPED + 1, SKIPPED + WORDS + 1) + SHIFT) ** -EXPONENT
        self._ladder = np.cumsum(weights) / weights.sum()
        self._dimensions = [lexemes.dimension(f"w{place}") for place in range(WORDS)]
        self._middles = self._unit(CLUSTERS, DIRECTIONS)
        self.dimension = dimension
        self._into = self._unit(DIRECTIONS, dimension)
        self._wordings: list[Words] = []
        self._poured = 0

    def source(self) -> Made:
        """One source of 100 chunks with its own topic and cluster neighbourhood."""
        if len(self._wordings) < WORDINGS:
            self._wordings.append(self._words())
        words = self._wordings[self._poured % len(self._wordings)] if self._poured >= WORDINGS else self._wordings[-1]
        self._poured += 1
        ids = self._rng.bytes(16 * CHUNKS)
        made = [UUID(bytes=ids[at : at + 16]) for at in range(0, len(ids), 16)]
        return Made(uuid4(), uuid4(), made, words, self.vectors(CHUNKS))

    def _words(self) -> Words:
        topic = self._rng.integers(0, WORDS, TOPIC_WORDS)
        tokens = np.searchsorted(self._ladder, self._rng.random((CHUNKS, CHUNK_TOKENS)))
        is_topic = self._rng.random(tokens.shape) < TOPIC_SHARE
        tokens[is_topic] = topic[self._rng.integers(0, TOPIC_WORDS, int(is_topic.sum()))]
        terms, sent = [], []
        norm = lexemes.K1 * (1 - lexemes.B + lexemes.B * CHUNK_TOKENS / rows.AVGDL)
        for line in tokens:
            found, counts = np.unique(line, return_counts=True)
            terms.append(found)
            weights = (counts * (lexemes.K1 + 1) / (counts + norm)).tolist()
            dims = [self._dimensions[term] for term in found.tolist()]
            sent.append(Sent(SparseVector(dict(zip(dims, weights, strict=True)), chunks.LEX_DIMENSIONS)))
        return Words(terms, sent, postings.by_term([(at, one.to_binary()) for at, one in enumerate(sent)]))

    def vectors(self, count: int) -> NDArray[np.float32]:
        """Unit vectors about a few of the clusters' middles."""
        of = self._rng.choice(self._rng.integers(0, CLUSTERS, 8), count)
        inner = self._middles[of] + SPREAD * self._unit(count, DIRECTIONS)
        found = inner @ self._into + NOISE * self._unit(count, self.dimension)
        return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True), dtype=np.float32)

    def question(self, of: Sequence[NDArray[np.int64]]) -> QuestionLexemes:
        """Three to eight different words of one of these chunks, without the twenty most frequent."""
        chunk = of[int(self._rng.integers(0, len(of)))]
        words = self._rng.choice(chunk[chunk >= 20], int(self._rng.integers(3, 9)), replace=False)
        return QuestionLexemes(tuple(QuestionWord(f"w{word}", (f"w{word}",), False) for word in words))

    async def pour(self, made: Corpus, notebook: rows.Notebook, sources: int, *, posted: bool = False) -> list[NDArray[np.int64]]:
        """Give a notebook so many new sources of 100 chunks, with postings if wished; returns the terms of some, for questions."""
        kept: list[NDArray[np.int64]] = []
        for first in range(0, sources, AT_ONCE):
            drawn = await asyncio.to_thread(self._draw, min(AT_ONCE, sources - first))
            kept += [one.words.terms[0] for one in drawn[:4]]
            async with made.db.transaction() as conn:
                await self._rows(conn, made, notebook, drawn)
                if posted:
                    await self._post(conn, drawn)
        return kept

    def _draw(self, count: int) -> list[Made]:
        return [self.source() for _ in range(count)]

    async def _rows(self, conn: Conn, made: Corpus, of: rows.Notebook, drawn: Sequence[Made]) -> None:
        await conn.executemany(
            """
            insert into sources (id, owner_id, added_by, kind, title, status, language, chunks, reading_id)
            values ($1, $2, $2, 'text', 'Made-up source', 'ready', 'en', $3, $4)
            """,
            [(one.source_id, of.owner_id, len(one.chunk_ids), one.reading_id) for one in drawn],
        )
        await conn.executemany(
            "insert into grants (holder_kind, holder_id, source_id, added_by) values ('notebook', $1, $2, $3)",
            [(of.id, one.source_id, of.owner_id) for one in drawn],
        )
        await conn.executemany(
            "insert into corpus.readings (id, source_id, number, fingerprint, state, language) values ($1, $2, 1, 'f', 'closed', 'en')",
            [(one.reading_id, one.source_id) for one in drawn],
        )
        await conn.executemany(
            """
            insert into corpus.indexes (id, reading_id, source_id, recipe_id, space_id, state, chunks)
            values (gen_random_uuid(), $1, $2, $3, $4, 'full', $5)
            """,
            [(one.reading_id, one.source_id, rows.RECIPE, made.space_id, len(one.chunk_ids)) for one in drawn],
        )
        places = [(one, at, chunk_id) for one in drawn for at, chunk_id in enumerate(one.chunk_ids)]
        key = ["source_id", "reading_id", "recipe_id", "ordinal"]
        await conn.copy_records_to_table(
            "chunks", schema_name="corpus", columns=["id", *key, "passage", "start_at", "end_at", "language", "lexemes"],
            records=[(i, one.source_id, one.reading_id, rows.RECIPE, at, at, 0, 1, "en", CHUNK_TOKENS) for one, at, i in places],
        )  # fmt: skip
        await conn.copy_records_to_table(
            "chunk_lex", schema_name="corpus", columns=["chunk_id", *key, "sv"],
            records=[(i, one.source_id, one.reading_id, rows.RECIPE, at, one.words.sent[at]) for one, at, i in places],
        )  # fmt: skip
        await conn.copy_records_to_table(
            "chunk_vec", schema_name="corpus", columns=["chunk_id", *key, "space_id", "e"],
            records=[
                (i, one.source_id, one.reading_id, rows.RECIPE, at, made.space_id, HalfVector(one.vectors[at])) for one, at, i in places
            ],
        )  # fmt: skip

    async def _post(self, conn: Conn, drawn: Sequence[Made]) -> None:
        """The postings of new sources, as care would write them, without reading the words again."""
        for one in drawn:
            list_id = await conn.fetchval(
                """
                insert into corpus.posting_lists (source_id, reading_id, recipe_id, chunks, state) values ($1, $2, $3, $4, 'whole')
                returning id
                """,
                one.source_id, one.reading_id, rows.RECIPE, CHUNKS,
            )  # fmt: skip
            await conn.copy_records_to_table(
                "postings", schema_name="corpus", columns=["term", "list_id", "source_id", "places"],
                records=[(term, list_id, one.source_id, places) for term, places in one.words.by_term],
            )  # fmt: skip

    def _unit(self, count: int, dimension: int) -> NDArray[np.float32]:
        found = self._rng.standard_normal((count, dimension), dtype=np.float32)
        return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True), dtype=np.float32)

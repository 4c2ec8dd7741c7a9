"""R4, R5, R7: both lists of a search over 2,000 to 50,000 chunks, beside a bare scan, bm25s and numpy."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from pgvector import HalfVector

from sourcebook_core.db import Conn, Db
from sourcebook_core.store import scopes, search
from sourcebook_core.store.scopes import Holder, Scope
from sourcebook_core.text import lexemes
from sourcebook_core.text.lexemes import QuestionLexemes
from tests import rows
from tests.load import corpus
from tests.load.bench import Bench
from tests.load.corpus import CHUNKS, Corpus, Model
from tests.load.figures import Figure, median, ms, ratio
from tests.load.oracle import Oracle

ROUNDS = 40
TOP = 20
# What a hand would write for this: the scan alone, in one connection, as the owner of the table.
BARE = """
    with s as materialized (select chunk_id, e <=> $2 as d from corpus.chunk_vec where source_id = any($1))
    select chunk_id, d from s order by d limit 50
"""


@dataclass
class _Place:
    """One scope: a snapshot as a search has it, and a bare connection beside it."""

    scope: Scope
    conn: Conn
    bare: Conn

    @property
    def size(self) -> int:
        return CHUNKS * len(self.scope.sources)


async def both_lists(bench: Bench) -> list[Figure]:
    """R4, R5 and R7 on one corpus: notebooks of 2,000, 20,000 and 50,000 chunks (the last without words)."""
    db = await Db.open(bench.settings())
    made = await corpus.empty(db, seed=4, model=Model())
    figures = []
    try:
        for name, sources, with_words in (("2k", 20, True), ("20k", 200, True), ("50k", 500, False)):
            notebook = await made.notebook()
            await made.fill(notebook, sources, with_words=with_words)
            await made.settle()
            async with _place(db, notebook) as place:
                if with_words:
                    figures += [await _words(place, made, name), await _overlap(place, made, name)]
                figures += await _vectors(place, made, name)
    finally:
        await db.close()
    return figures


@asynccontextmanager
async def _place(db: Db, notebook: rows.Notebook) -> AsyncIterator[_Place]:
    async with db.snapshot() as conn, db.transaction() as bare:
        scope = await scopes.of(conn, Holder("notebook", notebook.id), notebook.owner_id, None)
        assert scope is not None
        await scopes.enter(conn, scope)
        yield _Place(scope, conn, bare)


async def _words(place: _Place, made: Corpus, name: str) -> Figure:
    """R4: the list by words (frequencies, scores, order) beside the list by meaning: the exact halfvec scan of the same scope."""
    ours, scan = [], []
    for question in _questions(place, made, ROUNDS):
        vector = made.prose.vectors(1, corpus.DIMENSION)[0].tolist()
        began = time.perf_counter()
        assert await search.matching(place.conn, place.scope, question)
        between = time.perf_counter()
        await search.nearest(place.conn, place.scope, [vector])
        ours.append(between - began)
        scan.append(time.perf_counter() - between)
    what = f"BM25, {place.size} chunks, beside the exact halfvec scan"
    return Figure(f"R4-{name}", what, ratio(ours, scan), 2.5, "<=", ms(median(ours)), ms(median(scan)))


async def _overlap(place: _Place, made: Corpus, name: str) -> Figure:
    """R5: how many of our first 20 bm25s has among its first 20 (a tie with its twentieth counts as among them)."""
    rows_found = await place.bare.fetch("select chunk_id from corpus.chunk_lex where source_id = any($1)", place.scope.source_ids)
    ids = [row["chunk_id"] for row in rows_found]
    found = await asyncio.to_thread(lambda: [lexemes.chunk_lexemes(made.texts[chunk_id], "en") for chunk_id in ids])
    oracle = await asyncio.to_thread(Oracle, found, corpus.AVGDL)
    at = {chunk_id: number for number, chunk_id in enumerate(ids)}
    shares = []
    for question in _questions(place, made, ROUNDS):
        ours = await search.matching(place.conn, place.scope, question)
        scores = oracle.scores(question)
        last = np.sort(scores)[-TOP:][0] * (1 - 1e-5)
        wanted = min(TOP, int((scores > 0).sum()))
        shares.append(sum(scores[at[match.chunk_id]] >= last for match in ours[:TOP]) / wanted)
    what = f"BM25 top 20 of {place.size} chunks, shared with bm25s"
    return Figure(f"R5-{name}", what, float(np.mean(shares)), 0.99, ">=", f"worst {min(shares):.2f}")


async def _vectors(place: _Place, made: Corpus, name: str) -> list[Figure]:
    """R7: our list of the nearest, beside the bare scan, and whether it is numpy's list."""
    matrix, ids = await _matrix(place)
    ours, bare, recall = [], [], []
    for turn in range(ROUNDS):
        question = made.prose.vectors(1, corpus.DIMENSION)[0]
        if turn % 2:  # in turns, for who comes right after numpy finds the processor's caches cold
            bare.append((await _bare(place, question))[0])
        began = time.perf_counter()
        found = await search.nearest(place.conn, place.scope, [question.tolist()])
        ours.append(time.perf_counter() - began)
        if not turn % 2:
            bare.append((await _bare(place, question))[0])
        recall.append(_recall(found, matrix, ids, question))
    what = f"nearest of {place.size} chunks"
    return [
        Figure(f"R7-{name}", f"{what}, beside a bare scan", ratio(ours, bare), 1.3, "<=", ms(median(ours)), ms(median(bare))),
        Figure(f"R7r-{name}", f"{what}, recall of 50 against numpy", min(recall), 1.0, ">="),
    ]


async def _bare(place: _Place, question: NDArray[np.float32]) -> tuple[float, list[UUID]]:
    vector = HalfVector(question)
    began = time.perf_counter()
    found = await place.bare.fetch(BARE, place.scope.source_ids, vector)
    return time.perf_counter() - began, [row["chunk_id"] for row in found]


async def _matrix(place: _Place) -> tuple[NDArray[np.float32], list[UUID]]:
    """The stored vectors of the scope, as they were rounded, and their chunks."""
    found = await place.bare.fetch("select chunk_id, e from corpus.chunk_vec where source_id = any($1)", place.scope.source_ids)
    return np.stack([row["e"].to_numpy().astype(np.float32) for row in found]), [row["chunk_id"] for row in found]


def _recall(found: Sequence[search.Near], matrix: NDArray[np.float32], ids: Sequence[UUID], question: NDArray[np.float32]) -> float:
    """The share of our list that numpy has too; what ties with its last one (within rounding) counts as had."""
    asked = HalfVector(question).to_numpy().astype(np.float32)
    cosines = (matrix @ asked) / (np.linalg.norm(matrix, axis=1) * np.linalg.norm(asked))
    last = np.sort(cosines)[-len(found)] - 1e-5
    by_id = dict(zip(ids, cosines.tolist(), strict=True))
    return sum(1 for one in found if by_id[one.chunk_id] >= last) / search.LIST_LENGTH


def _questions(place: _Place, made: Corpus, count: int) -> list[QuestionLexemes]:
    texts = list(made.texts.values())[-place.size :]
    picked = [texts[(number * 7919) % len(texts)] for number in range(count)]
    return [lexemes.question_lexemes(made.prose.question(text), place.scope.languages, "en") for text in picked]

"""Searching: two ranked lists over exactly what a scope names, by meaning and by words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from pgvector import HalfVector, SparseVector

from sourcebook_core import log
from sourcebook_core.db import Conn
from sourcebook_core.settings import EXACT_CHUNKS
from sourcebook_core.store import postings, vector_index
from sourcebook_core.store.chunks import LEX_DIMENSIONS
from sourcebook_core.store.scopes import Scope
from sourcebook_core.text import lexemes
from sourcebook_core.text.lexemes import QuestionLexemes

_log = log.get(__name__)
LIST_LENGTH = 50  # architecture section 4: 50 fetched, 20 fused
CANDIDATES = 4 * LIST_LENGTH  # ordered again by each word's best term, which the sum over terms only approximates


@dataclass(frozen=True, slots=True)
class Near:
    """A chunk near the question: `similarity` is the raw cosine, -1..1."""

    chunk_id: UUID
    source_id: UUID
    ordinal: int
    similarity: float


@dataclass(frozen=True, slots=True)
class Match:
    """A chunk that shares words with the question. `score` compares only inside one list; `idf_share` 0..1."""

    chunk_id: UUID
    source_id: UUID
    ordinal: int
    score: float
    idf_share: float
    has_identifier: bool


@dataclass(frozen=True, slots=True)
class ChunkRow:
    """A chunk with its own words (the slice of its passage) and its place. `row_at` is the row of a table in which it begins, `lead`
    the header row above it."""

    id: UUID
    source_id: UUID
    reading_id: UUID
    ordinal: int
    passage: int
    start_at: int
    end_at: int
    page: int | None
    heading: str | None
    language: str | None
    text: str
    sheet: str | None = None
    row_at: int | None = None
    start_ms: int | None = None
    end_ms: int | None = None
    lead: str = ""


async def nearest(
    conn: Conn, of: Scope, questions: Sequence[Sequence[float]], limit: int = LIST_LENGTH, *, exact_chunks: int = EXACT_CHUNKS
) -> list[Near]:
    """The scope's chunks nearest to the question, nearest first; empty without sources, space or vector.

    One or two vectors (`embed_question`): a chunk counts with the higher of its cosines. By an exact scan up to `exact_chunks`
    chunks in scope; above it by the space's index where it has one and the scope is large enough a part of it, and never fewer
    rows than the scan would give. Source: performance section 2.
    """
    if not of.sources or of.space_id is None or not questions:
        return []
    vectors = _bound(questions)
    if of.chunks > exact_chunks:
        found = await vector_index.nearest(conn, of, vectors, limit)
        if found is not None:
            near = [Near(*one) for one in found]
            return sorted(near, key=lambda one: (-one.similarity, one.source_id, one.ordinal))[:limit]
    sql = _NEAREST_OF_TWO if len(vectors) > 1 else _NEAREST
    rows = await conn.fetch(sql, of.source_ids, of.reading_ids, of.recipe_id, of.space_id, limit, *vectors)
    return [Near(*row) for row in rows]


def _bound(questions: Sequence[Sequence[float]]) -> list[HalfVector]:
    """The vectors of a question, one or two, as statements take them."""
    return [HalfVector(np.asarray(question, dtype=np.float32)) for question in questions[:2]]


@lru_cache(maxsize=1000)
def _tell_scanned(owner_id: UUID) -> None:
    """Once a process: a scan is right, and slow for a scope of this size."""
    _log.info("search.scanned_words", owner_id=str(owner_id))


# `offset 0` keeps the scan apart from the order, so that no index is ever walked in its place, and nothing is stored in between.
_NEAREST = """
    select chunk_id, source_id, ordinal, 1.0::float8 - d from (
        select chunk_id, source_id, ordinal, e <=> $6 as d from corpus.chunk_vec
        where source_id = any($1) and reading_id = any($2) and recipe_id = $3 and space_id = $4 offset 0
    ) s
    order by d, source_id, ordinal limit $5
"""
_NEAREST_OF_TWO = """
    select chunk_id, source_id, ordinal, 1.0::float8 - d from (
        select chunk_id, source_id, ordinal, least(e <=> $6, e <=> $7) as d from corpus.chunk_vec
        where source_id = any($1) and reading_id = any($2) and recipe_id = $3 and space_id = $4 offset 0
    ) s
    order by d, source_id, ordinal limit $5
"""


async def similarities(conn: Conn, of: Scope, chunk_ids: Sequence[UUID], questions: Sequence[Sequence[float]]) -> dict[UUID, float]:
    """The raw cosine of these chunks to the question, where they have a vector in the space in use."""
    if of.space_id is None or not questions or not chunk_ids:
        return {}
    vectors = _bound(questions)
    rows = await conn.fetch(
        """
        select chunk_id, least(e <=> $4, e <=> $5) as d from corpus.chunk_vec
        where chunk_id = any($1) and source_id = any($2) and space_id = $3
        """,
        list(chunk_ids),
        of.source_ids,
        of.space_id,
        vectors[0],
        vectors[-1],
    )
    return {row["chunk_id"]: 1.0 - row["d"] for row in rows}


async def matching(
    conn: Conn, of: Scope, question: QuestionLexemes, limit: int = LIST_LENGTH, *, exact_chunks: int = EXACT_CHUNKS
) -> list[Match]:
    """The scope's chunks that share words with the question, best BM25 first; empty without sources or words.

    Document frequencies are counted in the scope and in this snapshot, so nothing outside it can move a score. Weights lie baked
    in the rows. Up to `exact_chunks` chunks in scope by a scan, above it by postings where every reading has them: the same list.
    Source: Robertson & Zaragoza 2009, eq. 3.15; performance section 3, designs B and J.
    """
    if not of.sources or not question.terms:
        return []
    if of.chunks > exact_chunks:
        lists = await postings.lists_of(conn, of)
        if lists is not None:
            return await _from_postings(conn, of, question, lists, limit)
        _tell_scanned(of.owner_id)
    return await _from_scan(conn, of, question, limit)


def sparse(terms: Sequence[str]) -> SparseVector:
    """Terms as a side of `corpus.chunk_lex.sv`: `<#>` between the two is below 0 where a chunk holds one of them."""
    return SparseVector({lexemes.dimension(term): 1.0 for term in terms}, LEX_DIMENSIONS)


async def _from_scan(conn: Conn, of: Scope, question: QuestionLexemes, limit: int) -> list[Match]:
    n_docs = of.chunks
    each = [sparse([term]) for term in question.terms]
    row = await conn.fetchrow(
        _MATCHING, of.source_ids, of.reading_ids, of.recipe_id, sparse(question.terms), each, float(n_docs), max(CANDIDATES, limit),
        _shares(question),
    )  # fmt: skip
    if row is None or row["chunk_ids"] is None:
        return []
    places = list(zip(row["chunk_ids"], row["source_ids"], row["ordinals"], strict=True))
    # Each vector as it is sent: its length in four bytes, then its numbers.
    weights = np.frombuffer(row["weights"], dtype=">f4").reshape(len(places), -1)[:, 1:].astype(np.float64)
    ranked = _ranked(question, n_docs, row["dfs"], weights)
    order = sorted(range(len(places)), key=lambda at: (-ranked.scores[at], *places[at][1:]))[:limit]
    return _matches(question, ranked, weights, order, [places[at] for at in order])


async def _from_postings(conn: Conn, of: Scope, question: QuestionLexemes, lists: postings.Lists, limit: int) -> list[Match]:
    n_docs = of.chunks
    dimensions = [lexemes.dimension(term) for term in question.terms]
    by_dimension = await postings.held_by(conn, of, lists, dimensions)
    held = [by_dimension.get(one) for one in dimensions]
    dfs = [len(one.places) if one is not None else 0 for one in held]
    chosen = _candidates(question, n_docs, dfs, held, lists.count, max(CANDIDATES, limit))
    weights = _weights(held, chosen, lists.count)
    ranked = _ranked(question, n_docs, dfs, weights)
    order = sorted(range(len(chosen)), key=lambda at: (-ranked.scores[at], chosen[at]))[:limit]
    at = [lists.source_of(int(chosen[one])) for one in order]
    keys = [(source.reading_id, ordinal) for source, ordinal in at if source.reading_id]
    ids = await postings.chunk_ids(conn, of, keys)
    found = [(ids[key], source.id, ordinal) for key, (source, ordinal) in zip(keys, at, strict=True)]
    return _matches(question, ranked, weights, order, found)


def _candidates(
    question: QuestionLexemes, n_docs: int, dfs: Sequence[int], held: Sequence[postings.Held | None], count: int, limit: int
) -> NDArray[np.int64]:
    """The places of the best chunks by the sum over terms, as `_MATCHING` chooses them: in single precision, of equals the first."""
    scores = np.zeros(count, dtype=np.float32)
    for df, one, share in zip(dfs, held, _shares(question), strict=True):
        if one is not None:
            scores[one.places] += one.weights * np.float32(share * lexemes.idf(max(n_docs, df), df))
    places = np.flatnonzero(scores)
    if len(places) <= limit:
        return places
    sums = scores[places]
    edge = np.partition(sums, len(sums) - limit)[len(sums) - limit]
    above = places[sums > edge]
    return np.concatenate([above, places[sums == edge][: limit - len(above)]])


def _weights(held: Sequence[postings.Held | None], chosen: NDArray[np.int64], count: int) -> NDArray[np.float64]:
    """A row for each chosen place and a column for each term, as `lexemes.best_scores` takes them."""
    row_of = np.full(count, -1, dtype=np.int32)
    row_of[chosen] = np.arange(len(chosen))
    weights = np.zeros((len(chosen), len(held)))
    for column, one in enumerate(held):
        if one is not None:
            rows = row_of[one.places]
            weights[rows[rows >= 0], column] = one.weights[rows >= 0]
    return weights


def _shares(question: QuestionLexemes) -> list[float]:
    """A chunk that holds a word as it was asked holds its stem too: half for the word, or a word with a stem would count twice
    where the candidates are chosen."""
    inflected = {word.terms[0] for word in question.words if len(word.terms) > 1}
    return [0.5 if term in inflected else 1.0 for term in question.terms]


@dataclass(frozen=True, slots=True)
class _Ranked:
    idfs: dict[str, float]
    scores: list[float]


def _ranked(question: QuestionLexemes, n_docs: int, dfs: Sequence[float], weights: NDArray[np.float64]) -> _Ranked:
    # A word that no chunk holds stays in, at the highest weight: what shares only the rest of the question shares little of it.
    idfs = {term: lexemes.idf(n_docs, min(n_docs, int(df))) for term, df in zip(question.terms, dfs, strict=True)}
    return _Ranked(idfs, lexemes.best_scores(question, idfs, weights).tolist())


def _matches(
    question: QuestionLexemes, ranked: _Ranked, weights: NDArray[np.float64], order: Sequence[int], found: Sequence[tuple[UUID, UUID, int]]
) -> list[Match]:
    held, has_identifier = lexemes.idf_shares(question, ranked.idfs, weights[list(order)])
    return [
        Match(*one, ranked.scores[at], share, holds)
        for one, at, share, holds in zip(found, order, held.tolist(), has_identifier.tolist(), strict=True)
    ]


# One scan of the wide rows (performance: it is most of the cost). `m` keeps of each chunk that holds any term (`$4`) the weight
# of every term (`$5`) as a short vector, so that the document frequencies are the sum of one such vector and the scores its
# product with another. `offset 0`: each product is made once; the short vector first, for the product goes no further than its
# last term. One row comes back, its weights as bytes: two hundred rows of arrays, each with the frequencies, cost half a millisecond.
_MATCHING = """
    with m as materialized (
        select l.chunk_id, l.source_id, l.ordinal, t.weights, t.has
        from corpus.chunk_lex l cross join lateral (
            select array_agg(x.weight)::vector as weights, array_agg(case when x.weight > 0 then 1 else 0 end)::vector as has
            from (select -(term <#> l.sv) as weight from unnest($5::sparsevec[]) as term offset 0) x
        ) t
        where l.source_id = any($1) and l.reading_id = any($2) and l.recipe_id = $3 and ($4 <#> l.sv) < 0
    ),
    f as materialized (select sum(has)::real[] as dfs from m),
    i as materialized (
        select array_agg(u.share * ln(1 + (greatest($6::float8, u.df) - u.df + 0.5) / (u.df + 0.5)))::vector as idfs
        from f, unnest(f.dfs, $8::float8[]) as u(df, share)
    )
    select array_agg(b.chunk_id) as chunk_ids, array_agg(b.source_id) as source_ids, array_agg(b.ordinal) as ordinals,
        string_agg(vector_send(b.weights), '') as weights, (select dfs from f) as dfs
    from (select * from m order by m.weights <#> (select idfs from i), m.source_id, m.ordinal limit $7) b
"""


async def chunk_rows(conn: Conn, of: Scope, chunk_ids: Sequence[UUID]) -> dict[UUID, ChunkRow]:
    """These chunks with their words, where they belong to a source of the scope."""
    rows = await conn.fetch(
        """
        select c.id, c.source_id, c.reading_id, c.ordinal, c.passage, c.start_at, c.end_at, c.page, c.heading, c.language,
            substr(p.text, c.start_at + 1, c.end_at - c.start_at) as text, p.sheet, p.start_ms, p.end_ms, p.lead,
            p.row_from + length(regexp_replace(left(p.text, c.start_at), '[^\n]+', '', 'g')) as row_at
        from corpus.chunks c join corpus.passages p on p.reading_id = c.reading_id and p.ordinal = c.passage
        where c.id = any($1) and c.source_id = any($2)
        """,
        list(chunk_ids),
        of.source_ids,
    )
    return {row["id"]: ChunkRow(**row) for row in rows}

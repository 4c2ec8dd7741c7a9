"""Searching: two ranked lists over exactly what a scope names, by meaning and by words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np
from pgvector import HalfVector, SparseVector

from sourcebook_core.db import Conn
from sourcebook_core.store.scopes import Scope
from sourcebook_core.text import lexemes
from sourcebook_core.text.lexemes import QuestionLexemes

LIST_LENGTH = 50  # architecture section 4: 50 fetched, 20 fused
CANDIDATES = 4 * LIST_LENGTH  # ordered again by each word's best term, which the sum over terms only approximates
SPARSE_DIMENSIONS = 1_000_000_000  # corpus.chunk_lex.sv


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


async def nearest(conn: Conn, of: Scope, questions: Sequence[Sequence[float]], limit: int = LIST_LENGTH) -> list[Near]:
    """The scope's chunks nearest to the question, nearest first, by an exact scan; empty without sources, space or vector.

    One or two vectors (`embed_question`): a chunk counts with the higher of its cosines. Source: performance section 2.
    """
    if not of.sources or of.space_id is None or not questions:
        return []
    first, last = HalfVector(list(questions[0])), HalfVector(list(questions[-1]))
    sql = _NEAREST_OF_TWO if len(questions) > 1 else _NEAREST
    more = [last] if len(questions) > 1 else []
    rows = await conn.fetch(sql, of.source_ids, of.reading_ids, of.recipe_id, of.space_id, limit, first, *more)
    return [Near(row["chunk_id"], row["source_id"], row["ordinal"], 1.0 - row["d"]) for row in rows]


# `offset 0` keeps the scan apart from the order, so that no index is ever walked in its place, and nothing is stored in between.
_NEAREST = """
    select chunk_id, source_id, ordinal, d from (
        select chunk_id, source_id, ordinal, e <=> $6 as d from corpus.chunk_vec
        where source_id = any($1) and reading_id = any($2) and recipe_id = $3 and space_id = $4 offset 0
    ) s
    order by d, source_id, ordinal limit $5
"""
_NEAREST_OF_TWO = """
    select chunk_id, source_id, ordinal, d from (
        select chunk_id, source_id, ordinal, least(e <=> $6, e <=> $7) as d from corpus.chunk_vec
        where source_id = any($1) and reading_id = any($2) and recipe_id = $3 and space_id = $4 offset 0
    ) s
    order by d, source_id, ordinal limit $5
"""


async def similarities(conn: Conn, of: Scope, chunk_ids: Sequence[UUID], questions: Sequence[Sequence[float]]) -> dict[UUID, float]:
    """The raw cosine of these chunks to the question, where they have a vector in the space in use."""
    if of.space_id is None or not questions or not chunk_ids:
        return {}
    rows = await conn.fetch(
        """
        select chunk_id, least(e <=> $4, e <=> $5) as d from corpus.chunk_vec
        where chunk_id = any($1) and source_id = any($2) and space_id = $3
        """,
        list(chunk_ids),
        of.source_ids,
        of.space_id,
        HalfVector(list(questions[0])),
        HalfVector(list(questions[-1])),
    )
    return {row["chunk_id"]: 1.0 - row["d"] for row in rows}


async def matching(conn: Conn, of: Scope, question: QuestionLexemes, limit: int = LIST_LENGTH) -> list[Match]:
    """The scope's chunks that share words with the question, best BM25 first; empty without sources or words.

    Document frequencies are counted in the scope and in this statement, so nothing outside it can move a score. Weights
    lie baked in the rows. Source: Robertson & Zaragoza 2009, eq. 3.15; performance section 3, design B.
    """
    terms = question.terms
    if not of.sources or not terms:
        return []
    each = [SparseVector({lexemes.dimension(term): 1.0}, SPARSE_DIMENSIONS) for term in terms]
    every = SparseVector({lexemes.dimension(term): 1.0 for term in terms}, SPARSE_DIMENSIONS)
    n_docs = sum(source.chunks for source in of.sources)
    # A chunk that holds a word as it was asked holds its stem too: half for the word, or a word with a stem would count twice
    # where the candidates are chosen.
    inflected = {word.terms[0] for word in question.words if len(word.terms) > 1}
    shares = [0.5 if term in inflected else 1.0 for term in terms]
    rows = await conn.fetch(
        _MATCHING, of.source_ids, of.reading_ids, of.recipe_id, every, each, float(n_docs), max(CANDIDATES, limit), shares
    )  # fmt: skip
    if not rows:
        return []
    # A word that no chunk holds stays in, at the highest weight: what shares only the rest of the question shares little of it.
    idfs = {term: lexemes.idf(n_docs, min(n_docs, int(df))) for term, df in zip(terms, rows[0]["dfs"], strict=True)}
    weights = np.array([row["weights"] for row in rows], dtype=np.float64)
    scores = lexemes.best_scores(question, idfs, weights).tolist()
    order = sorted(range(len(rows)), key=lambda at: (-scores[at], rows[at]["source_id"], rows[at]["ordinal"]))[:limit]
    held, has_identifier = lexemes.idf_shares(question, idfs, weights[order])
    return [
        Match(rows[at]["chunk_id"], rows[at]["source_id"], rows[at]["ordinal"], scores[at], share, holds)
        for at, share, holds in zip(order, held.tolist(), has_identifier.tolist(), strict=True)
    ]


# One scan of the wide rows (performance: it is most of the cost). `m` keeps of each chunk that holds any term (`$4`) the weight
# of every term (`$5`) as a short vector, so that the document frequencies are the sum of one such vector and the scores its
# product with another. `offset 0`: each product is made once;
# the short vector first, for the product goes no further than its last term.
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
    select m.chunk_id, m.source_id, m.ordinal, m.weights::real[] as weights, (select dfs from f) as dfs
    from m order by m.weights <#> (select idfs from i), m.source_id, m.ordinal limit $7
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

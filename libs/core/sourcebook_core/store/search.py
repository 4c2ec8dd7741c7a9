"""Searching: what may be searched, and two ranked lists over exactly that, by meaning and by words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import numpy as np
from pgvector import HalfVector, SparseVector

from sourcebook_core.db import Conn, narrow
from sourcebook_core.text import lexemes
from sourcebook_core.text.lexemes import QuestionLexemes

LIST_LENGTH = 50  # architecture section 4: 50 fetched, 20 fused
CANDIDATES = 4 * LIST_LENGTH  # ordered again by each word's best term, which the sum over terms only approximates
SPARSE_DIMENSIONS = 1_000_000_000  # corpus.chunk_lex.sv


@dataclass(frozen=True, slots=True)
class ScopeSource:
    """A granted source of a notebook; `searchable` is none, words or full, for its current reading under the notebook's recipe."""

    id: UUID
    reading_id: UUID | None
    title: str
    kind: str
    status: str
    language: str | None
    chunks: int
    searchable: str


@dataclass(frozen=True, slots=True)
class Scope:
    """What one search may see, and how it is cut and embedded. Made by `scope` alone; without it nothing can be searched."""

    notebook_id: UUID
    owner_id: UUID
    profile: str
    settings: dict[str, Any]
    recipe_id: str
    space_id: UUID | None
    floor: float | None
    granted: tuple[ScopeSource, ...]
    sources: tuple[ScopeSource, ...]
    is_chosen: bool
    chosen: frozenset[UUID] = frozenset()

    @property
    def source_ids(self) -> list[UUID]:
        """The sources that are searched."""
        return [source.id for source in self.sources]

    @property
    def reading_ids(self) -> list[UUID]:
        """Their current readings."""
        return [source.reading_id for source in self.sources if source.reading_id]

    @property
    def languages(self) -> frozenset[str]:
        """The languages of the searched sources, where known."""
        return frozenset(source.language for source in self.sources if source.language)

    @property
    def pending(self) -> list[ScopeSource]:
        """Granted sources, of the chosen ones if the person chose, whose reading or indexing still goes on."""
        asked = [s for s in self.granted if not self.is_chosen or s.id in self.chosen]
        return [s for s in asked if s.searchable != "full" and s.status in ("queued", "needs_approval", "reading", "indexing")]

    @property
    def is_one_source(self) -> bool:
        """Whether the person chose exactly one source to ask."""
        return self.is_chosen and len(self.sources) == 1


async def scope(conn: Conn, notebook_id: UUID, person_id: UUID, source_ids: Sequence[UUID] | None) -> Scope | None:
    """What this person may search in this notebook; None when there is no such notebook for them.

    Granted and not paused, not deleted, with a current reading cut under the notebook's recipe; of `source_ids` where given
    (an id that is not granted is left out, an empty list gives an empty scope). The only place that decides this.
    """
    notebook = await conn.fetchrow(
        """
        select n.id, n.owner_id, n.profile, n.settings, n.recipe_id, s.id as space_id, s.floor
        from notebooks n left join spaces s on s.state = 'in_use'
        where n.id = $1 and n.owner_id = $2 and n.deleted_at is null
        """,
        notebook_id,
        person_id,
    )
    if notebook is None:
        return None
    rows = await conn.fetch(
        """
        select s.id, s.reading_id, s.title, s.kind, s.status, coalesce(r.language, s.language) as language,
            coalesce(i.chunks, 0) as chunks,
            case when i.is_full then 'full' when i.has_words then 'words' else 'none' end as searchable
        from grants g
        join sources s on s.id = g.source_id
        left join corpus.readings r on r.id = s.reading_id
        left join lateral (
            select max(x.chunks) as chunks, bool_or(x.state in ('words', 'full')) as has_words,
                bool_or(x.state = 'full' and x.space_id = $3) as is_full
            from corpus.indexes x where x.reading_id = s.reading_id and x.recipe_id = $2
        ) i on true
        where g.holder_kind = 'notebook' and g.holder_id = $1 and g.state = 'given' and s.deleted_at is null
        order by s.created_at, s.id
        """,
        notebook_id,
        notebook["recipe_id"],
        notebook["space_id"],
    )
    granted = tuple(ScopeSource(**row) for row in rows)
    wanted = None if source_ids is None else set(source_ids)
    searched = tuple(s for s in granted if s.searchable != "none" and (wanted is None or s.id in wanted))
    return Scope(**_of_notebook(notebook), granted=granted, sources=searched, is_chosen=wanted is not None, chosen=frozenset(wanted or ()))


def _of_notebook(row: Any) -> dict[str, Any]:
    names = ("owner_id", "profile", "settings", "recipe_id", "space_id", "floor")
    return {"notebook_id": row["id"], **{name: row[name] for name in names}}


async def notebooks_of(conn: Conn, person_id: UUID) -> list[UUID]:
    """The person's notebooks, for a search over all of them; each has a scope of its own."""
    rows = await conn.fetch("select id from notebooks where owner_id = $1 and deleted_at is null order by created_at, id", person_id)
    return [row["id"] for row in rows]


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


async def enter(conn: Conn, of: Scope) -> None:
    """Close the second wall: from here this transaction reads the corpus only, and only of the scope's sources."""
    await narrow(conn, of.source_ids)


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

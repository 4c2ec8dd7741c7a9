"""What a search needs to know beside its two lists: sections of chunks, how many chunks hold a word, texts that hold a beginning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

import numpy as np

from sourcebook_core.db import Conn
from sourcebook_core.store import postings
from sourcebook_core.store.scopes import Scope
from sourcebook_core.store.search import ChunkRow, Match, sparse
from sourcebook_core.text import lexemes
from sourcebook_core.text.lexemes import QuestionLexemes

SCANNED_STARTS = 3  # 400 typed beginnings were 400 scans of every text: minutes

Section = tuple[UUID, str | int]


async def sections(conn: Conn, of: Scope, chunk_ids: Sequence[UUID]) -> dict[UUID, Section]:
    """The section of each chunk: its reading with the heading path of its passage, or with the passage where there is none (S2-09)."""
    if not chunk_ids or not of.sources:
        return {}
    rows = await conn.fetch(
        """
        select c.id, c.reading_id, p.heading, c.passage
        from corpus.chunks c join corpus.passages p on p.reading_id = c.reading_id and p.ordinal = c.passage
        where c.id = any($1) and c.source_id = any($2)
        """,
        list(chunk_ids),
        of.source_ids,
    )
    return {row["id"]: (row["reading_id"], row["heading"] or row["passage"]) for row in rows}


async def around(conn: Conn, of: Scope, chunk: ChunkRow, chars: int) -> ChunkRow | None:
    """A chunk with the words of its passage around it, at most `chars` code points on either side; None where its source or reading is
    no longer in the scope. It keeps its id, as joined neighbours do."""
    row = await conn.fetchrow(
        """
        select w.start_at, w.end_at, substr(p.text, w.start_at + 1, w.end_at - w.start_at) as text,
            p.row_from + length(regexp_replace(left(p.text, w.start_at), '[^\n]+', '', 'g')) as row_at
        from corpus.passages p
        cross join lateral (select greatest(0, $4::int - $6::int) as start_at, least(length(p.text), $5::int + $6::int) as end_at) w
        where p.reading_id = $1 and p.ordinal = $2 and p.source_id = any($3) and p.reading_id = any($7)
        """,
        chunk.reading_id, chunk.passage, of.source_ids, chunk.start_at, chunk.end_at, chars, of.reading_ids,
    )  # fmt: skip
    return replace(chunk, **dict(row)) if row is not None else None


async def frequencies(conn: Conn, of: Scope, question: QuestionLexemes, exact_chunks: int) -> dict[str, int] | None:
    """In how many chunks of the scope each word of the question stands, in any of its forms.

    One scan of the scope's words up to `exact_chunks` chunks, above it by postings; None where those are not there yet.
    """
    if not question.words or not of.sources:
        return {}
    if of.chunks > exact_chunks:
        lists = await postings.lists_of(conn, of)
        return await _from_postings(conn, of, question, lists) if lists is not None else None
    each = [sparse(word.terms) for word in question.words]
    counted = await conn.fetchval(
        """
        select sum(t.has)::real[] from corpus.chunk_lex l cross join lateral (
            select array_agg(case when (word <#> l.sv) < 0 then 1 else 0 end)::vector as has from unnest($4::sparsevec[]) as word
        ) t
        where l.source_id = any($1) and l.reading_id = any($2) and l.recipe_id = $3 and ($5 <#> l.sv) < 0
        """,
        of.source_ids, of.reading_ids, of.recipe_id, each, sparse(question.terms),
    )  # fmt: skip
    return {word.word: int(count) for word, count in zip(question.words, counted or [0] * len(question.words), strict=True)}


async def _from_postings(conn: Conn, of: Scope, question: QuestionLexemes, lists: postings.Lists) -> dict[str, int]:
    held = await postings.held_by(conn, of, lists, [lexemes.dimension(term) for term in question.terms])
    counts = {}
    for word in question.words:
        places = [held[one].places for one in map(lexemes.dimension, word.terms) if one in held]
        counts[word.word] = len(np.unique(np.concatenate(places))) if places else 0
    return counts


async def beginning(conn: Conn, of: Scope, starts: Sequence[str], limit: int) -> list[Match]:
    """Chunks of the scope in whose text the folded `starts` stand, each in small letters, capitals or mixed; by source and ordinal.

    One scan of the scope's texts, however many there are: of more than three the longest are looked for. Whether words begin
    with them there is for the caller to see.
    """
    if not of.sources or not starts:
        return []
    wanted = [_patterns(one) for one in sorted(starts, key=len, reverse=True)[:SCANNED_STARTS]]
    wanted += [["%"]] * (SCANNED_STARTS - len(wanted))
    rows = await conn.fetch(
        """
        with p as materialized (
            select reading_id, ordinal, text from corpus.passages
            where source_id = any($1) and reading_id = any($2) and text ilike any ($5) and text ilike any ($6) and text ilike any ($7)
        )
        select c.id, c.source_id, c.ordinal
        from p join corpus.chunks c on c.reading_id = p.reading_id and c.passage = p.ordinal
            cross join lateral (select substr(p.text, c.start_at + 1, c.end_at - c.start_at) as text offset 0) t
        where c.source_id = any($1) and c.recipe_id = $3 and t.text ilike any ($5) and t.text ilike any ($6) and t.text ilike any ($7)
        order by c.source_id, c.ordinal limit $4
        """,
        of.source_ids, of.reading_ids, of.recipe_id, limit, *wanted,
    )  # fmt: skip
    return [Match(row["id"], row["source_id"], row["ordinal"], 0.0, 0.0, has_identifier=False) for row in rows]


def _patterns(start: str) -> list[str]:
    written = [start, start.capitalize(), start.upper()]
    dotted = [one.replace("I", "\u0130") for one in written]  # a Turkish capital, which folds to i
    return [f"%{_escaped(one)}%" for one in dict.fromkeys((*written, *dotted))]


def _escaped(text: str) -> str:
    return "".join(f"\\{char}" if char in "\\%_" else char for char in text)

"""Finds the passages of an answer: both lists from one snapshot, fused, cut at the floor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sourcebook_core.db import Conn
from sourcebook_core.profiles import Retrieval
from sourcebook_core.store import search
from sourcebook_core.store.citations import CitedChunk
from sourcebook_core.store.search import ChunkRow, Match, Near, Scope
from sourcebook_core.text import lexemes
from sourcebook_rag.answer import choose
from sourcebook_rag.answer.choose import Candidate
from sourcebook_rag.answer.passages import Passage

SHOWN = 50  # candidates kept for "How it was found" (api.md section 8)


@dataclass(frozen=True, slots=True)
class Found:
    """What one snapshot gave: both lists, the cosines of word-only chunks, and the words of every chunk."""

    scope: Scope
    near: list[Near]
    matches: list[Match]
    similarities: dict[UUID, float]
    chunks: dict[UUID, ChunkRow]


@dataclass(frozen=True, slots=True)
class Retrieved:
    """The passages to hand over, and every candidate with its reason. `floor` is what was applied, None for none."""

    scope: Scope
    passages: list[Passage]
    candidates: list[Candidate]
    chunks: dict[UUID, ChunkRow]
    floor: float | None

    def passage(self, one: Candidate) -> Passage:
        """A candidate as a passage."""
        source = next(source for source in self.scope.sources if source.id == one.source_id)
        return Passage(self.chunks[one.chunk_id], source, one.similarity)


async def gather(
    conn: Conn,
    scope: Scope,
    question: str,
    language: str | None,
    vectors: Sequence[Sequence[float]],
    knobs: Retrieval,
    also: Sequence[UUID] = (),
) -> Found:
    """Both lists over the scope; `conn` is a snapshot in which `scope` was read. `also`: chunks whose words are wanted too.

    Closes the second wall, so nothing but the corpus can be read in this transaction afterwards.
    """
    await search.enter(conn, scope)
    near = await search.nearest(conn, scope, vectors, knobs.list_depth) if knobs.mode != "lexical" else []
    asked = lexemes.question_lexemes(question, scope.languages, language)
    matches = await search.matching(conn, scope, asked, knobs.list_depth) if knobs.mode != "vector" else []
    by_words = [match.chunk_id for match in matches if match.chunk_id not in {one.chunk_id for one in near}]
    similarities = await search.similarities(conn, scope, by_words, vectors)
    wanted = {one.chunk_id for one in near} | set(by_words) | set(also)
    return Found(scope, near, matches, similarities, await search.chunk_rows(conn, scope, list(wanted)))


def retrieve(found: Found, knobs: Retrieval, floor: float | None, *, k: int | None = None) -> Retrieved:
    """The passages of an answer, best first. Pure.

    One source chosen by the asker: 12 places and no floor (S1-49); else 8 and the floor of the space. `k` overrides both.
    """
    scope = found.scope
    applied = None if scope.is_one_source else (knobs.floor if knobs.floor is not None else floor)
    places = k or (knobs.k_one_source if scope.is_one_source else knobs.k)
    fused = choose.candidates(found.near, found.matches, found.similarities, scope, knobs, applied)
    present = [one for one in fused if one.chunk_id in found.chunks]
    chosen = choose.choose(present, scope, knobs, applied, places)
    result = Retrieved(scope, [], chosen, found.chunks, applied)
    result.passages.extend(result.passage(one) for one in choose.handed_over(chosen, scope))
    return result


def with_carried(retrieved: Retrieved, cited: Sequence[CitedChunk], limit: int) -> list[Passage]:
    """The passages, and after them up to `limit` that the last answer used and that may still be read, marked as carried."""
    present = {passage.chunk.id for passage in retrieved.passages}
    current = set(retrieved.scope.reading_ids)
    sources = {source.id: source for source in retrieved.scope.sources}
    carried = []
    for one in cited:
        chunk = retrieved.chunks.get(one.chunk_id)
        if chunk is not None and chunk.reading_id in current and chunk.id not in present:
            carried.append(Passage(chunk, sources[chunk.source_id], None, carried=True))
    return [*retrieved.passages, *carried[:limit]]


def why(question: str, retrieved: Retrieved, degraded: Sequence[str], prompt: str | None) -> dict[str, Any]:
    """How the passages were found and dropped, as `GET /turns/{id}/why` gives it."""
    return {
        "question": question,
        "candidates": [told(one, retrieved) for one in retrieved.candidates[:SHOWN]],
        "degraded": list(degraded),
        "prompt": prompt,
    }


def told(one: Candidate, retrieved: Retrieved) -> dict[str, Any]:
    """A candidate with its words, as the page and programs see it."""
    passage = retrieved.passage(one)
    chunk, source = passage.chunk, passage.source
    return {
        "chunk_id": str(chunk.id),
        "source_id": str(source.id),
        "source_title": source.title,
        "kind": source.kind,
        "reading_id": str(chunk.reading_id),
        "passage": chunk.passage,
        "start": chunk.start_at,
        "end": chunk.end_at,
        "page": chunk.page,
        "heading": chunk.heading,
        "text": chunk.text,
        "words_rank": one.words_rank,
        "meaning_rank": one.meaning_rank,
        "similarity": round(one.similarity, 4) if one.similarity is not None else None,
        "fused_rank": one.fused_rank,
        "kept": one.kept,
        "why": one.why,
    }

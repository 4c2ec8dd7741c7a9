"""Finds the passages of an answer: both lists from one snapshot, fused, cut at the floor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sourcebook_core.db import Conn
from sourcebook_core.profiles import Retrieval
from sourcebook_core.store import scopes, search
from sourcebook_core.store.citations import CitedChunk
from sourcebook_core.store.scopes import Scope
from sourcebook_core.store.search import ChunkRow, Match, Near
from sourcebook_core.text import lexemes
from sourcebook_rag.answer import choose
from sourcebook_rag.answer.evidence import Candidate
from sourcebook_rag.answer.passages import Passage

CLOSEST = 3  # shown where nothing is near enough
SHOWN = 50  # candidates kept for "How it was found" (api.md section 8)


@dataclass(frozen=True, slots=True)
class Found:
    """What one snapshot gave: both lists, and the cosines of chunks that only words found."""

    scope: Scope
    near: list[Near]
    matches: list[Match]
    similarities: dict[UUID, float]


@dataclass(frozen=True, slots=True)
class Retrieved:
    """Every candidate with its reason, best first, and the words of those that are handed over or shown.

    `floor` is what was applied, None for none.
    """

    scope: Scope
    candidates: list[Candidate]
    floor: float | None
    chunks: dict[UUID, ChunkRow]

    @property
    def passages(self) -> list[Passage]:
        """The passages to hand over, in the order of the prompt."""
        return [self.passage(one) for one in choose.handed_over(self.candidates, self.scope) if one.chunk_id in self.chunks]

    @property
    def nearest(self) -> list[Passage]:
        """The best candidates whose words are known, whether or not they are near enough."""
        return [self.passage(one) for one in self.candidates if one.chunk_id in self.chunks]

    def passage(self, one: Candidate) -> Passage:
        """A candidate as a passage; its words must be known."""
        source = next(source for source in self.scope.sources if source.id == one.source_id)
        return Passage(self.chunks[one.chunk_id], source, one.similarity)

    def wanted(self) -> list[UUID]:
        """The chunks whose words an answer needs: those handed over, and the closest ones of an answer that finds nothing."""
        kept = [one.chunk_id for one in self.candidates if one.kept]
        return list(dict.fromkeys([*kept, *(one.chunk_id for one in self.candidates[:CLOSEST])]))


async def gather(
    conn: Conn, scope: Scope, question: str, language: str | None, vectors: Sequence[Sequence[float]], knobs: Retrieval
) -> Found:
    """Both lists over the scope; `conn` is a snapshot in which `scope` was read.

    Closes the second wall, so nothing but the corpus can be read in this transaction afterwards.
    """
    await scopes.enter(conn, scope)
    near = await search.nearest(conn, scope, vectors, knobs.list_depth) if knobs.mode != "lexical" else []
    asked = lexemes.question_lexemes(question, scope.languages, language)
    matches = await search.matching(conn, scope, asked, knobs.list_depth) if knobs.mode != "vector" else []
    known = {one.chunk_id for one in near}
    by_words = [match.chunk_id for match in matches if match.chunk_id not in known]
    return Found(scope, near, matches, await search.similarities(conn, scope, by_words, vectors))


def retrieve(found: Found, knobs: Retrieval, floor: float | None, *, k: int | None = None) -> Retrieved:
    """Which candidates an answer is given, best first, their words not read yet. Pure.

    One source chosen by the asker: 12 places and no floor (S1-49); else 8 and the floor of the space. `k` overrides both.
    """
    scope = found.scope
    applied = None if scope.is_one_source else (knobs.floor if knobs.floor is not None else floor)
    places = k or (knobs.k_one_source if scope.is_one_source else knobs.k)
    fused = choose.candidates(found.near, found.matches, found.similarities, scope, knobs, applied)
    return Retrieved(scope, choose.choose(fused, scope, knobs, applied, places), applied, {})


async def read_words(conn: Conn, retrieved: Retrieved, chunk_ids: Sequence[UUID]) -> None:
    """Read the words of these chunks into `retrieved`; reading them costs more than finding them, so only what is needed."""
    missing = [one for one in chunk_ids if one not in retrieved.chunks]
    if missing:
        retrieved.chunks.update(await search.chunk_rows(conn, retrieved.scope, missing))


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
        "candidates": [told(one, retrieved) for one in retrieved.candidates[:SHOWN] if one.chunk_id in retrieved.chunks],
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

"""Finds the passages of an answer: both lists from one snapshot, fused, cut at the floor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from sourcebook_core.db import Conn
from sourcebook_core.profiles import Retrieval
from sourcebook_core.store import explained, search
from sourcebook_core.store.citations import CitedChunk
from sourcebook_core.store.explained import Section
from sourcebook_core.store.scopes import Scope, ScopeSource
from sourcebook_core.store.search import ChunkRow, Match, Near
from sourcebook_rag.answer import choose, outcome
from sourcebook_rag.answer.evidence import Candidate, needed_share
from sourcebook_rag.answer.parts import Part
from sourcebook_rag.answer.passages import Passage

NEAR_MISSES = 5
DEEPER = 4  # lists are fetched so much deeper where they are cut or ordered anew before they are fused


@dataclass(frozen=True, slots=True)
class Found:
    """What one snapshot gave for one part: both lists, the cosines of chunks that only words found, and the section of each chunk
    where sections are ranked."""

    part: Part
    near: Sequence[Near]
    matches: Sequence[Match]
    similarities: Mapping[UUID, float] = field(default_factory=dict)
    sections: Mapping[UUID, Section] | None = None


@dataclass(frozen=True, slots=True)
class Retrieved:
    """Every candidate with its reason, best first, and the words of those that are handed over or shown.

    `floor` is what was applied, None for none. `needed` is by pool the share of words that a chunk found by words alone needed.
    `sources`: those of the scope by id, for there may be thousands.
    """

    scope: Scope
    candidates: list[Candidate]
    floor: float | None
    chunks: dict[UUID, ChunkRow]
    parts: tuple[Part, ...] = ()
    needed: Mapping[str, float] = field(default_factory=dict)
    mode: str = "hybrid"
    sources: Mapping[UUID, ScopeSource] = field(default_factory=dict)

    @property
    def passages(self) -> list[Passage]:
        """The passages to hand over, in the order of the prompt."""
        return [self.passage(one) for one in choose.handed_over(self.candidates, self.scope) if one.chunk_id in self.chunks]

    @property
    def nearest(self) -> list[Passage]:
        """The best candidates whose words are known, whether or not they are near enough; those `near_misses` names where none is."""
        by_id = {one.chunk_id: one for one in self.candidates}
        best = self.near_misses() or list(by_id)
        return [self.passage(by_id[one]) for one in best if one in self.chunks]

    @property
    def is_best_of_module(self) -> bool:
        """Whether the first passage is of the asker's module (S2-35)."""
        first = next(iter(choose.handed_over(self.candidates, self.scope)), None)
        return first is not None and any(first.source_id in part.boosted for part in self.parts)

    def passage(self, one: Candidate) -> Passage:
        """A candidate as a passage; its words must be known."""
        is_evidence = all(part.is_evidence for part in self.parts if part.name == one.pool)
        return Passage(self.chunks[one.chunk_id], self.sources[one.source_id], one.similarity, pool=one.pool, is_evidence=is_evidence)

    def wanted(self) -> list[UUID]:
        """The chunks whose words an answer needs: those handed over, and the closest ones of an answer that finds nothing."""
        kept = [one.chunk_id for one in self.candidates if one.kept]
        return list(dict.fromkeys([*kept, *self.near_misses(), *(one.chunk_id for one in self.candidates[: outcome.CLOSEST])]))

    def near_misses(self) -> list[UUID]:
        """The closest candidates of a search that kept nothing, by their nearness, then by the words they share."""
        if any(one.kept for one in self.candidates):
            return []
        closest = sorted(self.candidates, key=lambda one: (-(one.similarity if one.similarity is not None else -1.0), -one.idf_share))
        return [one.chunk_id for one in closest[:NEAR_MISSES]]


async def gather(
    conn: Conn, part: Part, question: str, language: str | None, vectors: Sequence[Sequence[float]], knobs: Retrieval, exact_chunks: int
) -> Found:
    """Both lists over one part; `conn` is a snapshot in which its scope was read, behind the second wall.

    Scopes of up to `exact_chunks` chunks are scanned. Without `vectors` it is by words alone.
    """
    scope = part.scope
    depth = knobs.list_depth * (DEEPER if knobs.unit == "section" or part.boosted else 1)
    near = await search.nearest(conn, scope, vectors, depth, exact_chunks=exact_chunks)
    asked = scope.words_of(question, language)
    matches = await search.matching(conn, scope, asked, depth, exact_chunks=exact_chunks) if knobs.mode != "vector" else []
    known = {one.chunk_id for one in near}
    by_words = [match.chunk_id for match in matches if match.chunk_id not in known]
    similarities = await search.similarities(conn, scope, by_words, vectors)
    sections = await explained.sections(conn, scope, [*known, *by_words]) if knobs.unit == "section" else None
    return Found(part, near, matches, similarities, sections)


def retrieve(found: Sequence[Found], scope: Scope, knobs: Retrieval, floor: float | None) -> Retrieved:
    """Which candidates an answer is given, best first, their words not read yet. Pure.

    `floor` is that of the scope; there is none for one source chosen by the asker (S1-49). A chunk that two pools found is told
    once, where it was kept.
    """
    applied = None if scope.is_one_source or knobs.floor_on == "nothing" else floor
    told: dict[UUID, Candidate] = {}
    needed = {}
    for one in found:
        fused = choose.candidates(one.near, one.matches, one.similarities, one.part, knobs, applied, one.sections)
        needed[one.part.name] = needed_share(fused, knobs)
        for candidate in choose.choose(fused, one.part, knobs, applied, {key for key, known in told.items() if known.kept}):
            known = told.get(candidate.chunk_id)
            if known is None or (candidate.kept and not known.kept):
                told.pop(candidate.chunk_id, None)
                told[candidate.chunk_id] = candidate
    is_by_words = not any(one.near for one in found)
    return Retrieved(
        scope, list(told.values()), applied, {}, tuple(one.part for one in found), needed, "lexical" if is_by_words else knobs.mode,
        {source.id: source for source in scope.sources},
    )  # fmt: skip


async def read_words(conn: Conn, retrieved: Retrieved, chunk_ids: Sequence[UUID]) -> None:
    """Read the words of these chunks into `retrieved`; reading them costs more than finding them, so only what is needed."""
    missing = [one for one in chunk_ids if one not in retrieved.chunks]
    if missing:
        retrieved.chunks.update(await search.chunk_rows(conn, retrieved.scope, missing))


def with_carried(retrieved: Retrieved, cited: Sequence[CitedChunk], limit: int) -> list[Passage]:
    """The passages, and after them up to `limit` that the last answer used and that may still be read, marked as carried."""
    present = {passage.chunk.id for passage in retrieved.passages}
    current = set(retrieved.scope.reading_ids)
    carried = []
    for one in cited:
        chunk = retrieved.chunks.get(one.chunk_id)
        if chunk is not None and chunk.reading_id in current and chunk.id not in present:
            carried.append(Passage(chunk, retrieved.sources[chunk.source_id], None, carried=True))
    return [*retrieved.passages, *carried[:limit]]

"""Which of the chunks that were found are handed over, and why each was or was not. Pure: lists in, candidates out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from uuid import UUID

from sourcebook_core.profiles import Retrieval
from sourcebook_core.store.scopes import Scope
from sourcebook_core.store.search import Match, Near
from sourcebook_rag.answer.evidence import Candidate, needed_share, passes


def candidates(
    near: Sequence[Near], matches: Sequence[Match], similarities: Mapping[UUID, float], scope: Scope, knobs: Retrieval, floor: float | None
) -> list[Candidate]:
    """Every chunk of both lists, best first by reciprocal rank fusion; ties by the scope's order of sources, then ordinal.

    What the meaning list has under the floor counts as not found by meaning (S2-21, S2-43). Only the first `fused_depth`
    places of a list count. Source: S0-23, S2-25, S2-28.
    """
    by_id: dict[UUID, Candidate] = {}
    for rank, one in enumerate(near, 1):
        above = floor is None or one.similarity >= floor
        by_id[one.chunk_id] = Candidate(
            one.chunk_id, one.source_id, one.ordinal, meaning_rank=rank if above else None, similarity=one.similarity
        )
    for rank, match in enumerate(matches, 1):
        known = by_id.get(match.chunk_id) or Candidate(
            match.chunk_id, match.source_id, match.ordinal, similarity=similarities.get(match.chunk_id)
        )
        by_id[match.chunk_id] = replace(
            known, words_rank=rank, words_score=match.score, idf_share=match.idf_share, has_identifier=match.has_identifier
        )
    places = {source.id: place for place, source in enumerate(scope.sources)}
    scored = [replace(one, fused_score=_fused(one, knobs)) for one in by_id.values()]
    scored.sort(key=lambda one: (-one.fused_score, places.get(one.source_id, len(places)), one.ordinal))
    return [replace(one, fused_rank=rank if one.fused_score else None) for rank, one in enumerate(scored, 1)]


def _fused(one: Candidate, knobs: Retrieval) -> float:
    lists = ((one.meaning_rank, knobs.meaning_weight), (one.words_rank, knobs.word_weight))
    return sum(weight / (knobs.rrf_k + rank) for rank, weight in lists if rank is not None and rank <= knobs.fused_depth)


def choose(found: Sequence[Candidate], scope: Scope, knobs: Retrieval, floor: float | None, k: int) -> list[Candidate]:
    """The candidates in their order, each with `kept` and the reason; at most `k` are kept.

    Uploads take the places by score; made documents get at most `generated_slots` of what is left (S1-47, A5).
    """
    kinds = {source.id: source.kind for source in scope.sources}
    needs = needed_share(found, knobs)
    passing = [one for one in found if one.fused_rank is not None and (scope.is_one_source or passes(one, knobs, floor, needs))]
    uploads = [one.chunk_id for one in passing if kinds.get(one.source_id) != "generated"][:k]
    made = [one.chunk_id for one in passing if kinds.get(one.source_id) == "generated"]
    kept = {*uploads, *made[: min(knobs.generated_slots, k - len(uploads))]}
    return [replace(one, kept=one.chunk_id in kept, why=_why(one, one in passing, one.chunk_id in kept, floor, k)) for one in found]


def handed_over(chosen: Sequence[Candidate], scope: Scope) -> list[Candidate]:
    """The kept candidates in the order of the prompt: uploads first, each by score."""
    kinds = {source.id: source.kind for source in scope.sources}
    return sorted((one for one in chosen if one.kept), key=lambda one: kinds.get(one.source_id) == "generated")


def _why(one: Candidate, is_passing: bool, is_kept: bool, floor: float | None, k: int) -> str:
    near = f"{one.similarity:.2f}" if one.similarity is not None else "–"
    if is_kept:
        ways = [f"place {one.meaning_rank} by meaning ({near})"] if one.meaning_rank else []
        ways += [f"place {one.words_rank} by words"] if one.words_rank else []
        return "Handed over: " + " and ".join(ways) + "."
    if one.fused_rank is None:
        if one.similarity is not None and floor is not None and one.similarity < floor and one.words_rank is None:
            return f"Left out: its nearness {near} is under the floor of {floor:.2f}, and it shares no word with the question."
        return "Left out: it is far down in both lists."
    if not is_passing:
        return f"Left out: it is not near enough ({near}) and shares too few of the question's words."
    return f"Left out: the {k} places were taken by better ones."

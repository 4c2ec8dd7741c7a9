"""Which of the chunks that were found are handed over, and why each was or was not. Pure: lists in, candidates out."""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar
from uuid import UUID

from sourcebook_core.profiles import Retrieval
from sourcebook_core.store.scopes import Scope
from sourcebook_core.store.search import Match, Near
from sourcebook_rag.answer import reasons
from sourcebook_rag.answer.evidence import Candidate, fused_score, needed_share, passing, with_places
from sourcebook_rag.answer.parts import Part

T = TypeVar("T", Near, Match)


def candidates(
    near: Sequence[Near],
    matches: Sequence[Match],
    similarities: Mapping[UUID, float],
    part: Part,
    knobs: Retrieval,
    floor: float | None,
    sections: Mapping[UUID, Hashable] | None = None,
) -> list[Candidate]:
    """Every chunk of both lists, best first by reciprocal rank fusion; ties go to preferred sources, then by the scope's order
    of sources, then ordinal. The order in which the lists are given does not matter.

    What the meaning list has far under the floor counts as not found by meaning (S2-21, S2-43). Only the first `fused_depth`
    places of a list count, and a place by words only where they say enough (`evidence.fused_score`). With `sections` (chunk →
    section) each list is cut to its best chunk per section before it is fused, and what was cut follows at the end.
    Source: S0-23, S2-09, S2-14, S2-25, S2-28.
    """
    places = {source.id: place for place, source in enumerate(part.scope.sources)}

    def tie(one: Near | Match | Candidate) -> tuple[bool, int, int]:
        return one.source_id not in part.preferred, places.get(one.source_id, len(places)), one.ordinal

    by_meaning = sorted((_guarded(one) for one in near), key=lambda one: (-one.similarity, *tie(one)))
    by_words = sorted(_boosted(matches, part, knobs), key=lambda one: (-one.score, *tie(one)))
    twins: list[Candidate] = []
    if sections is not None:
        by_meaning, by_words, twins = _by_section(by_meaning, by_words, sections, floor)
    listed = with_places(_listed(by_meaning[: knobs.list_depth], by_words[: knobs.list_depth], similarities), knobs, floor)
    needs = needed_share(listed, knobs)
    scored = [replace(one, fused_score=fused_score(one, knobs, needs)) for one in listed]
    # What counts in no list stands by its nearness: that is what is shown as closest where nothing was found.
    scored.sort(key=lambda one: (-one.fused_score, 0.0 if one.fused_score else -_near(one), *tie(one)))
    ranked = [replace(one, fused_rank=rank if one.fused_score else None) for rank, one in enumerate(scored, 1)]
    return [replace(one, pool=part.name) for one in (*ranked, *twins)]


def _guarded(one: Near) -> Near:
    """With 0.0 for the cosine of a vector without a length, which is no number (S2-18)."""
    return replace(one, similarity=0.0) if math.isnan(one.similarity) else one


def _boosted(matches: Sequence[Match], part: Part, knobs: Retrieval) -> list[Match]:
    """The word scores with those of the asker's module raised: a tie-breaker, never a filter (S2-14)."""
    return [replace(one, score=one.score * knobs.module_boost) if one.source_id in part.boosted else one for one in matches]


def _listed(near: Sequence[Near], matches: Sequence[Match], similarities: Mapping[UUID, float]) -> list[Candidate]:
    by_id: dict[UUID, Candidate] = {}
    for rank, one in enumerate(near, 1):
        by_id[one.chunk_id] = Candidate(one.chunk_id, one.source_id, one.ordinal, meaning_rank=rank, similarity=one.similarity)
    for rank, match in enumerate(matches, 1):
        known = by_id.get(match.chunk_id) or Candidate(
            match.chunk_id, match.source_id, match.ordinal, similarity=similarities.get(match.chunk_id)
        )
        by_id[match.chunk_id] = replace(
            known, words_rank=rank, words_score=match.score, idf_share=match.idf_share, has_identifier=match.has_identifier
        )
    return list(by_id.values())


def _near(one: Candidate) -> float:
    return one.similarity if one.similarity is not None else -1.0


def _by_section(
    near: Sequence[Near], matches: Sequence[Match], sections: Mapping[UUID, Hashable], floor: float | None
) -> tuple[list[Near], list[Match], list[Candidate]]:
    """Both lists with one chunk for each section, the same in both, and the chunks that stood behind it.

    A section scores as its best chunk in each list (S2-09); it is shown by the one that stands higher, at the same place by
    that of words, and by that of words where none is near enough.
    """
    first_near, first_match = _first(near, sections), _first(matches, sections)
    shown: dict[Hashable, Near | Match] = {}
    for section in {**first_near, **first_match}:
        at, meant = first_near.get(section, (0, None))
        place, match = first_match.get(section, (0, None))
        is_near = meant is not None and (floor is None or meant.similarity >= floor)
        chosen = match if match is not None and (not is_near or place <= at) else meant
        if chosen is not None:
            shown[section] = chosen
    kept = {one.chunk_id for one in shown.values()}
    both: list[Near | Match] = [*near, *matches]
    others = {one.chunk_id: one for one in both if one.chunk_id not in kept}
    near_of = {one.chunk_id: one.similarity for one in near}
    twins = [
        Candidate(one.chunk_id, one.source_id, one.ordinal, similarity=near_of.get(one.chunk_id), reason=reasons.SAME_SECTION)
        for one in others.values()
    ]
    return (
        [replace(one, chunk_id=shown[s].chunk_id, ordinal=shown[s].ordinal) for s, (_, one) in first_near.items()],
        [replace(one, chunk_id=shown[s].chunk_id, ordinal=shown[s].ordinal) for s, (_, one) in first_match.items()],
        twins,
    )


def _first(ranked: Sequence[T], sections: Mapping[UUID, Hashable]) -> dict[Hashable, tuple[int, T]]:
    """The best chunk of each section with its place, in the order of the list."""
    best: dict[Hashable, tuple[int, T]] = {}
    for one in ranked:
        best.setdefault(sections.get(one.chunk_id, one.chunk_id), (len(best), one))
    return best


def choose(found: Sequence[Candidate], part: Part, knobs: Retrieval, floor: float | None, taken: Collection[UUID] = ()) -> list[Candidate]:
    """The candidates in their order, each with `kept` and the reason; at most `part.k` are kept, none that is `taken` already.

    What has a reserved place comes first, then uploads by score; made documents get at most `generated_slots` of the places
    that are left, unless the asker chose that one source (S1-47, S1-49, A5, S4-16).
    """
    is_one = part.scope.is_one_source
    made = {source.id for source in part.scope.sources if source.is_made and not is_one}
    needs = needed_share(found, knobs)
    is_free = is_one or knobs.floor_on == "nothing"
    enough = passing(found, knobs, floor, needs)
    able = [one for one in found if one.fused_rank is not None and one.chunk_id not in taken and (is_free or one.chunk_id in enough)]
    kept = _placed([one for one in able if one.source_id not in made], part)
    made_able = [one.chunk_id for one in able if one.source_id in made]
    kept |= set(made_able[: min(knobs.generated_slots, part.k - len(kept))])
    by_reason = reasons.Applied(knobs, floor, part.k, part.name, needs)
    may = {one.chunk_id for one in able}
    return [by_reason.told(one, is_kept=one.chunk_id in kept, may_pass=one.chunk_id in may, is_made=one.source_id in made) for one in found]


def _placed(uploads: Sequence[Candidate], part: Part) -> set[UUID]:
    """The first `k`, after the best of each value that has a place of its own."""
    kept: dict[UUID, None] = {}
    for sources in part.reserved:
        best = next((one.chunk_id for one in uploads if one.source_id in sources), None)
        if best is not None and len(kept) < part.k:
            kept[best] = None
    for one in uploads:
        if len(kept) >= part.k:
            break
        kept[one.chunk_id] = None
    return set(kept)


def handed_over(chosen: Sequence[Candidate], scope: Scope) -> list[Candidate]:
    """The kept candidates in the order of the prompt: by pool, in each uploads first, each by score."""
    made = {source.id for source in scope.sources if source.is_made}
    pools = {name: place for place, name in enumerate(dict.fromkeys(one.pool for one in chosen))}
    return sorted((one for one in chosen if one.kept), key=lambda one: (pools[one.pool], one.source_id in made))

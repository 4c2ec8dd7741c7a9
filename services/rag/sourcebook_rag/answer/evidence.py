"""Which evidence is enough: what a chunk that was found must show to be handed over, and which of its places count. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from sourcebook_core.profiles import Retrieval

WORDS_ALONE_SHARE = 0.3  # of the question's idf mass, where no embedding model answers


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk that a list found. Ranks count from 1; `similarity` is the raw cosine, None without a vector.

    `reason` is the code of why it was kept or left out, `why` the sentence; `pool` names its pool of evidence.
    """

    chunk_id: UUID
    source_id: UUID
    ordinal: int
    meaning_rank: int | None = None
    similarity: float | None = None
    words_rank: int | None = None
    words_score: float = 0.0
    idf_share: float = 0.0
    has_identifier: bool = False
    fused_score: float = 0.0
    fused_rank: int | None = None
    kept: bool = False
    why: str = ""
    reason: str = ""
    pool: str = ""


def needed_share(found: Sequence[Candidate], knobs: Retrieval) -> float:
    """The share of the question's words that a chunk found by words alone must hold: less where nothing has a vector, for
    then words are all there is, and the line above the answer says how sure it is."""
    return knobs.words_only_idf_share if any(one.similarity is not None for one in found) else WORDS_ALONE_SHARE


def needed_similarity(one: Candidate, knobs: Retrieval, floor: float) -> float:
    """How near a chunk must be: at the floor, or as much under it as the words it shares with the question are worth.

    Worth is told as a part of the way from the floor to 1, so that one number serves models whose cosines lie high and low.
    """
    if knobs.floor_on != "vectors":
        return floor
    return floor - knobs.words_worth * (1 - floor) * one.idf_share


def passes(one: Candidate, knobs: Retrieval, floor: float | None, needed: float) -> bool:
    """Whether a chunk is enough by itself: by its cosine, by its words, or by both together.

    Source: C6 and A6 (raw cosine, at the floor is in), architecture section 4; both together: docs/evaluation.md.
    """
    if one.similarity is not None and (floor is None or one.similarity >= needed_similarity(one, knobs, floor)):
        return True
    return knobs.floor_on == "vectors" and says_enough(one, needed)


def passing(found: Sequence[Candidate], knobs: Retrieval, floor: float | None, needed: float) -> set[UUID]:
    """The chunks that may be handed over: those that are enough, and beside one of them those that share a word with the question
    and lie a little under the floor, for the question is then known to be about what these sources tell."""
    enough = {one.chunk_id for one in found if passes(one, knobs, floor, needed)}
    if not enough or floor is None:
        return enough
    return enough | {one.chunk_id for one in found if _is_close(one, knobs, floor)}


def with_places(found: Sequence[Candidate], knobs: Retrieval, floor: float | None) -> list[Candidate]:
    """The candidates without the places by meaning that can never count: far under the floor is not found by meaning (S2-21, S2-43)."""
    if floor is None:
        return list(found)
    return [one if _is_close(one, knobs, floor) else replace(one, meaning_rank=None) for one in found]


def fused_score(one: Candidate, knobs: Retrieval, needed: float) -> float:
    """The sum of reciprocal ranks over the places that count, the first `fused_depth` of each list (S0-23, S2-25, S2-28).

    Unless the profile counts them all, a place by words counts where words alone would be enough, or nothing else speaks for the
    chunk: a word or two in common would otherwise outvote a nearer passage, most of all in another language.
    """
    by_meaning = _share(one.meaning_rank, knobs.meaning_weight, knobs)
    if by_meaning and not knobs.few_words_count and not says_enough(one, needed):
        return by_meaning
    return by_meaning + _share(one.words_rank, knobs.word_weight, knobs)


def _share(rank: int | None, weight: float, knobs: Retrieval) -> float:
    return weight / (knobs.rrf_k + rank) if rank is not None and rank <= knobs.fused_depth else 0.0


def says_enough(one: Candidate, needed: float) -> bool:
    """Whether a chunk's words are enough by themselves: so much of the question's idf mass, or a name or number of it."""
    return one.words_rank is not None and (one.idf_share >= needed or one.has_identifier)


def _is_close(one: Candidate, knobs: Retrieval, floor: float) -> bool:
    if one.similarity is None:
        return False
    # Where no word speaks for it the floor is hard: 0.2999 is out beside 0.30 (S1-44).
    slack = knobs.floor_slack * (1 - floor) if knobs.floor_on == "vectors" and one.idf_share > 0 else 0.0
    return one.similarity >= needed_similarity(one, knobs, floor) - slack

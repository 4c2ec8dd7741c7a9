"""Which evidence is enough: what a chunk that was found must show to be handed over. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
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


def passes(one: Candidate, knobs: Retrieval, floor: float | None, needed: float) -> bool:
    """Whether a chunk is near enough to be handed over: by its cosine, or, found by words alone, by how much they say.

    Source: C6 and A6 (raw cosine, at the floor is in), architecture section 4.
    """
    if one.similarity is not None and (floor is None or one.similarity >= floor):
        return True
    has_words = one.words_rank is not None and (one.idf_share >= needed or one.has_identifier)
    return has_words and knobs.floor_on == "vectors"

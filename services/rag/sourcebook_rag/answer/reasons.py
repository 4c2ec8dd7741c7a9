"""Why a chunk that was found was handed over or not: a code for programs, a sentence for people. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sourcebook_core.profiles import Retrieval
from sourcebook_rag.answer.evidence import Candidate, needed_similarity, says_enough

KEPT = "kept"
UNDER_FLOOR = "under_floor"
FEW_WORDS = "few_words"
FAR_DOWN = "far_down"
NO_PLACE = "no_place"
MADE_DOCUMENT = "made_document"
SAME_SECTION = "same_section"
POOL_FULL = "pool_full"
OVERLAPS = "overlaps"
CUT_BY_PROMPT = "cut_by_prompt"


@dataclass(frozen=True, slots=True)
class Applied:
    """What one search was cut by: its knobs, floor (None: none) and places, the name of its pool, and the share of words needed."""

    knobs: Retrieval
    floor: float | None
    k: int
    pool: str
    needed: float

    def told(self, one: Candidate, *, is_kept: bool, may_pass: bool, is_made: bool) -> Candidate:
        """The candidate with what became of it. `may_pass`: it is enough; `is_made`: places of made documents are few."""
        if is_kept:
            return replace(one, kept=True, reason=KEPT, why=f"Handed over: {self._ways(one)}{self._although(one)}.")
        reason, why = self._left_out(one, may_pass, is_made)
        return replace(one, kept=False, reason=reason, why=f"Left out: {why}")

    def _ways(self, one: Candidate) -> str:
        ways = [f"place {one.meaning_rank} by meaning ({_near(one)})"] if one.meaning_rank else []
        ways += [f"place {one.words_rank} by words"] if one.words_rank else []
        return " and ".join(ways)

    def _although(self, one: Candidate) -> str:
        """Why one under the floor may pass all the same; nothing to say where its cosine or its words are enough alone."""
        if self.floor is None or one.similarity is None or one.similarity >= self.floor or says_enough(one, self.needed):
            return ""
        if one.similarity >= needed_similarity(one, self.knobs, self.floor):
            return f"; under the floor of {self.floor:.2f}, but near enough together with the words it shares"
        return f"; a little under the floor of {self.floor:.2f}, beside a better one"

    def _left_out(self, one: Candidate, may_pass: bool, is_made: bool) -> tuple[str, str]:
        if one.reason == SAME_SECTION:
            return SAME_SECTION, "another part of the same section fits better and stands for it."
        if may_pass:
            return self._without_place(is_made)
        is_under = self.floor is not None and one.similarity is not None and one.similarity < self.floor
        if one.fused_rank is None and (one.words_rank is not None or not is_under):
            return FAR_DOWN, "it is far down in both lists."
        if self.floor is not None and is_under:
            return self._under_floor(one, self.floor)
        if self.knobs.floor_on == "all":
            return UNDER_FLOOR, "its nearness is not known, and here words alone are not enough."
        return FEW_WORDS, f"it was found by words alone and shares too few of the question's: {self._shares(one)}."

    def _without_place(self, is_made: bool) -> tuple[str, str]:
        if is_made:
            most = self.knobs.generated_slots
            return MADE_DOCUMENT, f"it is from a made document; those get at most {most} of the places that your own sources leave."
        if self.pool:
            return POOL_FULL, f"the {self.k} places for {self.pool} evidence were taken by better ones."
        return NO_PLACE, f"the {self.k} places were taken by better ones."

    def _under_floor(self, one: Candidate, floor: float) -> tuple[str, str]:
        under = f"its nearness {_near(one)} is under the floor of {floor:.2f}"
        if self.knobs.floor_on == "all":
            return UNDER_FLOOR, f"{under}, and here words alone are not enough."
        if one.words_rank is None:
            return UNDER_FLOOR, f"{under}, and it shares no word with the question."
        return FEW_WORDS, f"{under}, and it shares too few of the question's words: {self._shares(one)}."

    def _shares(self, one: Candidate) -> str:
        return f"{one.idf_share:.0%} of their weight, {self.needed:.0%} are needed"


def _near(one: Candidate) -> str:
    return f"{one.similarity:.2f}" if one.similarity is not None else "–"


def joined(one: Candidate) -> Candidate:
    """A chunk that went into the prompt as part of a neighbour's passage."""
    return replace(one, reason=OVERLAPS, why="Handed over: it overlaps a neighbouring passage, and the two were given as one.")


def cut(one: Candidate) -> Candidate:
    """A chunk that was chosen and did not fit into the prompt."""
    return replace(one, kept=False, reason=CUT_BY_PROMPT, why="Left out: it was chosen, but the prompt of this model had no room for it.")

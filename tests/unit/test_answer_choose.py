"""Fusion, floor and places of passages: pure."""

import random
from uuid import UUID, uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sourcebook_core.profiles import NOTEBOOK, Retrieval
from sourcebook_core.store.scopes import Holder, Scope, ScopeSource
from sourcebook_core.store.search import Match, Near
from sourcebook_rag.answer.choose import candidates, choose, handed_over
from sourcebook_rag.answer.evidence import Candidate, needed_share, passing
from sourcebook_rag.answer.parts import Part
from sourcebook_rag.answer.retrieve import Found, retrieve

KNOBS = NOTEBOOK.retrieval


def scope_of(*kinds: str, chosen: int | None = None) -> Scope:
    sources = tuple(ScopeSource(UUID(int=n), uuid4(), f"S{n}", kind, "ready", "en", 10, "full") for n, kind in enumerate(kinds, 1))
    picked = frozenset({UUID(int=chosen)}) if chosen else frozenset()
    holder, person = Holder("notebook", uuid4()), uuid4()
    return Scope(holder, person, person, "notebook", {}, "r", uuid4(), "m", 0.3, sources, sources, bool(chosen), picked)


def part_of(*kinds: str, k: int = 8, chosen: int | None = None) -> Part:
    return Part("", scope_of(*kinds, chosen=chosen), k)


def near(*similarities: float, source: int = 1, start: int = 0) -> list[Near]:
    return [Near(UUID(int=1000 * source + start + n), UUID(int=source), start + n, s) for n, s in enumerate(similarities)]


def match(chunk: Near, *, share: float = 1.0, identifier: bool = False, score: float = 5.0) -> Match:
    return Match(chunk.chunk_id, chunk.source_id, chunk.ordinal, score, share, identifier)


def found_of(meaning: list[Near], words: list[Match], part: Part, knobs: Retrieval = KNOBS, floor: float | None = 0.3) -> list[Candidate]:
    return choose(candidates(meaning, words, {}, part, knobs, floor), part, knobs, floor)


def kept(found: list[Candidate]) -> list[UUID]:
    return [one.chunk_id for one in found if one.kept]


def test_the_sum_of_reciprocal_ranks_decides_with_words_at_half_weight() -> None:
    # S2-25, S2-27: Overview, Departments, Settings, Orphaned by meaning; the winner is first in neither list.
    overview, departments, reassigning, settings_page = near(0.609, 0.606, 0.577, 0.560)
    (orphaned,) = near(0.551, start=9)
    words = [match(orphaned, score=9), match(settings_page, score=8), match(departments, score=7)]
    meaning = [overview, departments, reassigning, settings_page, orphaned]
    found = candidates(meaning, words, {}, part_of("pdf"), KNOBS, 0.3)
    assert [one.chunk_id for one in found[:3]] == [departments.chunk_id, settings_page.chunk_id, orphaned.chunk_id]
    scores = {one.chunk_id: round(one.fused_score, 4) for one in found}
    assert scores[departments.chunk_id] == 0.0241 and scores[overview.chunk_id] == 0.0164
    assert scores[settings_page.chunk_id] == 0.0237 and scores[orphaned.chunk_id] == 0.0236


def test_a_false_friend_of_the_words_is_not_first_once_meaning_is_merged() -> None:
    # S2-16: words cannot tell "create" from "delete" near the same nouns; orphaned tickets lead by words alone.
    right, orphaned = near(0.62, 0.55)
    words = [match(orphaned, score=12.0), match(right, score=11.0)]
    assert candidates([], words, {}, part_of("pdf"), KNOBS, None)[0].chunk_id == orphaned.chunk_id
    assert candidates([right, orphaned], words, {}, part_of("pdf"), KNOBS, 0.3)[0].chunk_id == right.chunk_id


@pytest.mark.parametrize(("floor", "similarity", "is_kept"), [
    (0.30, 0.30, True), (0.30, 0.2999, False), (0.32, 0.32, True), (0.32, 0.319, False),
])  # fmt: skip
def test_at_the_floor_is_in_and_below_it_is_out(floor: float, similarity: float, is_kept: bool) -> None:
    assert bool(kept(found_of(near(similarity), [], part_of("pdf"), floor=floor))) is is_kept


def test_nine_above_the_floor_give_eight_and_five_places_give_five() -> None:
    meaning = near(*[0.9 - n / 100 for n in range(9)])
    found = found_of(meaning, [], part_of("pdf"))
    assert len(kept(found)) == 8 and found[8].why.startswith("Left out: the 8 places") and found[8].reason == "no_place"
    assert len(kept(found_of(meaning, [], part_of("pdf", k=5)))) == 5


def test_one_made_document_chosen_by_the_asker_has_twelve_places_and_no_floor() -> None:
    # S1-49: "ask about this" on a made document.
    scope = scope_of("generated", chosen=1)
    found = retrieve([Found(Part("", scope, KNOBS.k_one_source), near(*[0.05] * 13), [])], scope, KNOBS, 0.3)
    assert found.floor is None and len(kept(found.candidates)) == 12 and len(found.candidates) == 13


@pytest.mark.parametrize(("share", "identifier", "is_kept"), [(0.5, False, True), (0.49, False, False), (0.1, True, True)])
def test_found_by_words_alone_needs_half_of_the_question_or_an_identifier(share: float, identifier: bool, is_kept: bool) -> None:
    (low,) = near(0.1)
    words = [match(low, share=share, identifier=identifier)]
    assert bool(kept(found_of([low], words, part_of("pdf")))) is is_kept


def test_a_floor_on_everything_drops_perfect_words_just_under_it() -> None:
    # S3-06: on the raw cosine, never on the fused score.
    strict = KNOBS.model_copy(update={"floor_on": "all"})
    for similarity, count in ((0.599, 0), (0.60, 1)):
        (chunk,) = near(similarity)
        found = found_of([chunk], [match(chunk, identifier=True)], part_of("pdf"), strict, 0.60)
        assert len(kept(found)) == count
    assert found_of([], [match(near(0.1)[0])], part_of("pdf"), strict, 0.60)[0].reason == "under_floor"


def test_uploads_take_the_places_and_made_documents_at_most_two_that_are_left() -> None:
    # S1-47, A5; S1-48: an original comes before its nearer paraphrase, and a notebook of made documents alone still answers.
    part = part_of("pdf", "generated")
    uploads, made = near(*[0.5] * 8), near(0.9, 0.89, 0.88, source=2)
    found = found_of([*uploads, *made], [], part)
    assert {one.source_id for one in found if one.kept} == {UUID(int=1)}
    few = found_of([*made, *uploads[:1]], [], part)
    assert [one.source_id.int for one in handed_over(few, part.scope)] == [1, 2, 2]
    assert [one.reason for one in few if not one.kept] == ["made_document"]
    assert len(kept(found_of(made, [], part))) == 2


def test_a_note_takes_only_places_that_originals_leave_and_stands_after_them() -> None:
    part = part_of("pdf", "note")
    found = found_of([*near(0.9, 0.89, 0.88, source=2), *near(*[0.5] * 7)], [], part)
    assert [one.source_id.int for one in handed_over(found, part.scope)] == [1] * 7 + [2]


@pytest.mark.parametrize(("uploads", "made", "kept_uploads", "kept_made"), [
    ([0.5] * 8, [0.9] * 3, 8, 0), ([0.5] * 6, [0.9] * 3, 6, 2), ([0.5], [0.9] * 5, 1, 2), ([0.29] * 8, [0.9] * 5, 0, 2),
    ([0.5], [0.31, 0.2999, 0.2999], 1, 1), ([0.5], [0.29] * 5, 1, 0),
])  # fmt: skip
def test_made_documents_fill_what_uploads_leave_only_above_the_floor_and_stand_after_them(
    uploads: list[float], made: list[float], kept_uploads: int, kept_made: int
) -> None:
    # S1-47 with its numbers, read as A5 settles them: left places only, at most two.
    part = part_of("pdf", "generated")
    found = found_of([*near(*uploads), *near(*made, source=2)], [], part)
    assert [one.source_id.int for one in handed_over(found, part.scope)] == [1] * kept_uploads + [2] * kept_made


def test_beyond_the_twentieth_place_of_a_list_nothing_counts() -> None:
    found = found_of(near(*[0.9 - n / 1000 for n in range(21)]), [], part_of("pdf", k=50))
    assert found[20].fused_rank is None and found[20].fused_score == 0 and found[20].reason == "far_down"


def test_ties_go_by_the_order_of_sources_and_then_by_place() -> None:
    second, first = near(0.5, source=2), near(0.5, source=1)
    even = KNOBS.model_copy(update={"word_weight": 1.0})
    found = candidates([second[0]], [match(first[0])], {}, part_of("pdf", "pdf"), even, 0.3)
    assert [one.source_id.int for one in found] == [1, 2]


def test_where_nothing_counts_the_nearest_stands_first() -> None:
    found = candidates([*near(0.1), *near(0.25, source=2)], [], {}, part_of("pdf", "pdf"), KNOBS, 0.3)
    assert [one.similarity for one in found] == [0.25, 0.1]


def test_a_zero_vector_is_never_first_and_never_near_enough() -> None:
    # S2-18: the database gives no number for its cosine.
    for nothing in (0.0, float("nan")):
        found = found_of([*near(nothing), *near(0.4, source=2)], [], part_of("pdf", "pdf"))
        assert kept(found) == [UUID(int=2000)] and found[1].similarity == 0.0


def test_every_candidate_says_why() -> None:
    chunks = near(0.6, 0.2, 0.1)
    found = found_of(chunks, [match(chunks[1], share=0.1)], part_of("pdf"))
    by_id = {one.chunk_id: one for one in found}
    assert by_id[chunks[0].chunk_id].why == "Handed over: place 1 by meaning (0.60)."
    assert "shares too few" in by_id[chunks[1].chunk_id].why and "10% of their weight, 50% are needed" in by_id[chunks[1].chunk_id].why
    assert "under the floor of 0.30" in by_id[chunks[2].chunk_id].why
    assert [by_id[one.chunk_id].reason for one in chunks] == ["kept", "few_words", "under_floor"]


# whatever the lists are

SIMILARITY = st.sampled_from([-0.2, 0.0, 0.29, 0.3, 0.31, 0.5, 0.9])
KIND = st.sampled_from(["pdf", "generated"])


@st.composite
def searches(draw: st.DrawFn) -> tuple[Part, list[Near], list[Match]]:
    kinds = draw(st.lists(KIND, min_size=1, max_size=4))
    part = part_of(*kinds, k=draw(st.integers(1, 6)))
    chunks = [one for source in range(1, len(kinds) + 1) for one in near(*draw(st.lists(SIMILARITY, max_size=8)), source=source)]
    worded = [one for one in chunks if draw(st.booleans())]
    matches = [match(one, score=draw(st.sampled_from([1.0, 2.0, 9.0])), share=draw(st.sampled_from([0.1, 0.5, 1.0]))) for one in worded]
    return part, [one for one in chunks if one not in worded or draw(st.booleans())], matches


@settings(max_examples=150, deadline=None)
@given(searches(), st.randoms(use_true_random=False))
def test_the_order_in_which_the_lists_come_does_not_matter(made: tuple[Part, list[Near], list[Match]], draw: random.Random) -> None:
    part, meaning, words = made
    shuffled, mixed = draw.sample(meaning, len(meaning)), draw.sample(words, len(words))
    assert found_of(meaning, words, part) == found_of(shuffled, mixed, part)


@settings(max_examples=150, deadline=None)
@given(searches())
def test_what_is_kept_passes_fits_the_places_and_leaves_uploads_first(made: tuple[Part, list[Near], list[Match]]) -> None:
    part, meaning, words = made
    found = found_of(meaning, words, part)
    kinds = {source.id: source.kind for source in part.scope.sources}
    chosen = [one for one in found if one.kept]
    assert len(chosen) <= part.k and len({one.chunk_id for one in found}) == len(found)
    enough = passing(found, KNOBS, 0.3, needed_share(found, KNOBS))
    able = [one for one in found if one.fused_rank and one.chunk_id in enough]
    assert all(one in able for one in chosen)
    made_kept = [one for one in chosen if kinds[one.source_id] == "generated"]
    uploads = [one for one in able if kinds[one.source_id] != "generated"]
    assert len(made_kept) <= KNOBS.generated_slots
    assert len([one for one in chosen if one in uploads]) == min(part.k, len(uploads))
    assert all(one.reason and one.why and (one.reason == "kept") == one.kept for one in found)


@settings(max_examples=100, deadline=None)
@given(searches())
def test_ranks_follow_the_fused_score_and_each_score_is_the_sum_of_the_ranks_that_count(made: tuple[Part, list[Near], list[Match]]) -> None:
    part, meaning, words = made
    found = candidates(meaning, words, {}, part, KNOBS, 0.3)
    places = {source.id: place for place, source in enumerate(part.scope.sources)}
    for one in found:
        says_little = one.idf_share < 0.5 and (one.meaning_rank or 99) <= KNOBS.fused_depth
        parts = [(one.meaning_rank, 1.0), (None if says_little else one.words_rank, 0.5)]
        assert one.fused_score == sum(weight / (60 + rank) for rank, weight in parts if rank and rank <= KNOBS.fused_depth)
    counted = [one for one in found if one.fused_score]
    order = [(-one.fused_score, places[one.source_id], one.ordinal) for one in counted]
    assert order == sorted(order) and [one.fused_rank for one in counted] == list(range(1, len(counted) + 1))


def test_a_word_in_common_does_not_outvote_a_nearer_passage() -> None:
    first, second = near(0.6, 0.5)
    found = candidates([first, second], [match(second, share=0.2)], {}, part_of("pdf"), KNOBS, 0.3)
    assert [one.chunk_id for one in found] == [first.chunk_id, second.chunk_id]
    found = candidates([first, second], [match(second, share=0.5)], {}, part_of("pdf"), KNOBS, 0.3)
    assert found[0].chunk_id == second.chunk_id


@pytest.mark.parametrize(
    ("similarity", "share", "is_kept"), [(0.22, 0.4, True), (0.21, 0.4, False), (0.22, 0.3, False), (0.22, 0.0, False)]
)
def test_a_little_of_both_kinds_of_evidence_is_enough_together(similarity: float, share: float, is_kept: bool) -> None:
    (low,) = near(similarity)  # the floor of 0.30 falls by 0.3 * 0.7 * 0.4 = 0.084
    found = found_of([low], [match(low, share=share)] if share else [], part_of("pdf"))
    assert bool(kept(found)) is is_kept
    assert ("together with the words it shares" in found[0].why) is is_kept


def test_beside_a_passage_that_is_enough_one_a_little_under_the_floor_stays_when_it_shares_a_word() -> None:
    best, close, bare = near(0.5, 0.255, 0.26)
    found = found_of([best, close, bare], [match(close, share=0.1)], part_of("pdf"))
    assert kept(found) == [best.chunk_id, close.chunk_id]
    assert found[1].why.endswith("a little under the floor of 0.30, beside a better one.")
    assert kept(found_of([close], [match(close, share=0.1)], part_of("pdf"))) == []

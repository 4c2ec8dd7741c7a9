"""Sections, modules, languages and pools of evidence: what a profile's policy makes of two lists. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import pytest

from sourcebook_core import profiles
from sourcebook_core.profiles import PRODUCT_POOLS, Retrieval
from sourcebook_core.store.scopes import Holder, Scope, ScopeSource
from sourcebook_core.store.search import ChunkRow, Match, Near
from sourcebook_gateway.shapes.turns import CandidateRead, Why
from sourcebook_rag.answer import explain, outcome
from sourcebook_rag.answer.choose import candidates, choose
from sourcebook_rag.answer.evidence import Candidate
from sourcebook_rag.answer.parts import Part, named, parts_of
from sourcebook_rag.answer.passages import merge
from sourcebook_rag.answer.quoted import reply_kind
from sourcebook_rag.answer.retrieve import Found, Retrieved, retrieve

HELP = profiles.get("help").retrieval


def scope_of(*metas: Mapping[str, Any], languages: Sequence[str | None] = (), profile: str = "help") -> Scope:
    spoken = [*languages, *["en"] * len(metas)]
    sources = tuple(
        ScopeSource(UUID(int=n), uuid4(), f"S{n}", "text", "ready", spoken[n - 1], 10, "full", meta) for n, meta in enumerate(metas, 1)
    )
    person = uuid4()
    return Scope(Holder("assistant", uuid4()), person, person, profile, {}, "r", uuid4(), "m", 0.3, sources, sources, is_chosen=False)


def chunk(source: int, place: int) -> UUID:
    return UUID(int=1000 * source + place)


def near(source: int, place: int, similarity: float) -> Near:
    return Near(chunk(source, place), UUID(int=source), place, similarity)


def match(source: int, place: int, score: float, share: float = 1.0) -> Match:
    return Match(chunk(source, place), UUID(int=source), place, score, share, has_identifier=False)


def kept(found: Retrieved) -> list[tuple[int, str]]:
    return [(one.source_id.int, one.pool) for one in found.candidates if one.kept]


# sections


def ranked(meaning: list[Near], words: list[Match], sections: dict[UUID, str], floor: float = 0.3) -> list[Candidate]:
    part = Part("", scope_of({}), 5)
    return choose(candidates(meaning, words, {}, part, HELP, floor, sections), part, HELP, floor)


def test_a_section_counts_once_by_its_best_passage_which_is_its_preview() -> None:
    # S2-09, S2-10: a long section with one matching card ranks by that card, however much else it holds.
    sections = {chunk(1, place): "long" for place in range(12)} | {chunk(1, 20): "short"}
    words = [match(1, 7, 12.0), match(1, 20, 11.0), *[match(1, place, 1.0) for place in (0, 1, 2)]]
    found = ranked([], words, sections)
    assert [(one.chunk_id, one.words_rank) for one in found if one.kept] == [(chunk(1, 7), 1), (chunk(1, 20), 2)]
    assert {one.reason for one in found if not one.kept} == {"same_section"} and len(found) == 5


def test_both_lists_add_up_for_a_section_though_each_found_another_passage_of_it() -> None:
    sections = {chunk(1, 0): "a", chunk(1, 1): "a", chunk(1, 2): "b"}
    found = ranked([near(1, 1, 0.7), near(1, 2, 0.69)], [match(1, 0, 9.0)], sections)
    assert (found[0].chunk_id, found[0].meaning_rank, found[0].words_rank, found[0].similarity) == (chunk(1, 0), 1, 1, 0.7)
    assert round(found[0].fused_score, 4) == round(1.5 / 61, 4) and found[1].chunk_id == chunk(1, 2)


def test_a_section_found_only_by_meaning_is_shown_by_that_passage_and_places_count_sections() -> None:
    sections = {chunk(1, place): f"s{place // 3}" for place in range(30)}
    found = ranked([near(1, place, 0.9 - place / 100) for place in range(30)], [], sections)
    assert [one.chunk_id for one in found if one.kept] == [chunk(1, place) for place in (0, 3, 6, 9, 12)]
    assert [one.meaning_rank for one in found[:10]] == list(range(1, 11))


def test_a_passage_under_the_floor_does_not_stand_for_a_section_that_words_found() -> None:
    sections = {chunk(1, 0): "a", chunk(1, 1): "a"}
    found = ranked([near(1, 1, -0.1)], [match(1, 0, 9.0)], sections)
    assert found[0].chunk_id == chunk(1, 0) and found[0].meaning_rank is None


# the asker's module


def test_the_askers_module_breaks_ties_and_filters_nothing() -> None:
    # S2-14: 1.15 times its word score; a section of another module that is 1.2 times better still wins.
    scope = scope_of({"module": "Tickets"}, {"module": "billing"})
    (part,) = parts_of(scope, "how do I add one", "en", {"module": "billing"}, HELP)
    assert part.boosted == {UUID(int=2)}
    for other, first in ((10.0, 2), (11.4, 2), (12.0, 1)):
        found = candidates([], [match(1, 0, other), match(2, 0, 10.0)], {}, part, HELP, None)
        assert found[0].source_id.int == first and len(found) == 2
    (plain,) = parts_of(scope, "how do I add one", "en", {}, HELP)
    assert plain.boosted == frozenset()


def test_the_boost_comes_before_the_list_is_cut() -> None:
    knobs = HELP.model_copy(update={"list_depth": 2})
    (part,) = parts_of(scope_of({}, {"module": "x"}), "q", "en", {"module": "x"}, knobs)
    found = candidates([], [match(1, 0, 10.0), match(1, 1, 9.9), match(2, 0, 9.0)], {}, part, knobs, None)
    assert [one.source_id.int for one in found] == [2, 1]


def test_an_answer_whose_best_passage_is_of_the_askers_module_says_so() -> None:
    # S2-35: among several.
    scope = scope_of({"module": "a"}, {"module": "b"})
    knobs = HELP.model_copy(update={"unit": "chunk"})
    (part,) = parts_of(scope, "q", "en", {"module": "a"}, knobs)
    words = [match(1, 0, 10.0), match(2, 0, 10.5)]
    assert retrieve([Found(part, [], words)], scope, knobs, None).is_best_of_module
    assert not retrieve([Found(part, [], words[1:])], scope, knobs, None).is_best_of_module
    several = [("a", 10.0), ("b", 9.5)]
    assert reply_kind(several, None, profiles.get("help").reply, is_best_of_module=True) == "module"
    assert reply_kind(several, None, profiles.get("help").reply) == "several"


# languages


def test_only_the_askers_language_and_english_are_candidates_and_what_is_not_known() -> None:
    # S2-19, S2-47.
    scope = scope_of({}, {}, {}, {}, languages=["en", "de", "fr", None])
    assert [source.id.int for source in parts_of(scope, "Frage", "de", {}, HELP)[0].scope.sources] == [1, 2, 4]
    assert len(parts_of(scope, "q", None, {}, HELP)[0].scope.sources) == 4
    assert len(parts_of(scope, "Frage", "de", {}, profiles.NOTEBOOK.retrieval)[0].scope.sources) == 4


# pools of evidence

PRODUCT = {"evidence": "product", "technology": "SPR"}
X = {"evidence": "reference", "technology": ["SPR"], "transfer": "validated"}
Y = {"evidence": "reference", "technology": ["BLI", "spr"], "transfer": "shared"}
ANALOGY = {"evidence": "reference", "technology": ["SPR"], "transfer": "analogy"}


def by_pools(intent: str, scope: Scope, question: str, words: Mapping[int, float], context: Mapping[str, Any]) -> Retrieved:
    """What each pool would keep when each source has chunks of these scores, every pool searched in its own scope."""
    knobs = Retrieval(mode="lexical", pools=PRODUCT_POOLS[intent])
    found = []
    for part in parts_of(scope, question, "en", context, knobs):
        ids = {source.id.int for source in part.scope.sources}
        found.append(
            Found(
                part,
                [],
                [match(source, place, score - place / 10) for source, score in words.items() if source in ids for place in range(8)],
            )
        )
    return retrieve(found, scope, knobs, None)


@pytest.mark.parametrize(("intent", "actionable", "background"), [("operation", 4, 2), ("chemistry", 3, 3), ("comparison", 0, 6)])
def test_each_kind_of_question_has_its_own_places_and_six_at_most(intent: str, actionable: int, background: int) -> None:
    # S4-05, S4-14 to S4-16.
    scope = scope_of(PRODUCT, X, Y, profile="product")
    found = by_pools(intent, scope, "how do I rinse the SPR chip", {1: 9.0, 2: 8.0, 3: 7.0}, {"technology": "SPR"})
    by_pool = [pool for _, pool in kept(found)]
    assert (by_pool.count("actionable"), by_pool.count("background")) == (actionable, background) and len(by_pool) <= 6
    assert {one.reason for one in found.candidates if not one.kept} == {"pool_full"}


def test_what_may_not_be_used_never_appears_however_well_its_words_fit() -> None:
    # S4-04, S4-17, S4-18: decided before ranking; an analogy is no background of an operation, another technology neither.
    bli = {"evidence": "reference", "technology": "BLI", "transfer": "validated"}
    scope = scope_of(PRODUCT, ANALOGY, bli, {}, X, profile="product")
    found = by_pools("operation", scope, "rinse", {1: 1.0, 2: 99.0, 3: 99.0, 4: 99.0, 5: 0.5}, {"technology": "SPR"})
    assert {one.source_id.int for one in found.candidates} == {1, 5}
    nothing_known = by_pools("operation", scope, "rinse", {1: 1.0, 2: 99.0, 5: 2.0}, {})
    assert {one.source_id.int for one in nothing_known.candidates} == {1}


def test_each_technology_that_a_comparison_names_has_a_place_though_one_dominates() -> None:
    # S4-16.
    bli = {"evidence": "reference", "technology": "BLI"}
    scope = scope_of({"evidence": "reference", "technology": "SPR"}, bli, {"evidence": "reference", "technology": "QCM"}, profile="product")
    scores = {1: 90.0, 2: 1.0, 3: 2.0}
    found = by_pools("comparison", scope, "Is SPR better than BLI?", scores, {})
    assert sorted({source for source, _ in kept(found)}) == [1, 2] and len(kept(found)) == 6
    from_context = by_pools("comparison", scope, "Which is better?", scores, {"technology": ["qcm", "spr"]})
    assert sorted({source for source, _ in kept(from_context)}) == [1, 3]
    assert named(scope, "technology", "spread the blind", {}) == []


def test_of_equal_scores_the_products_own_technology_stands_first() -> None:
    # S4-19.
    scope = scope_of({"evidence": "product", "technology": "BLI"}, PRODUCT, profile="product")
    found = by_pools("operation", scope, "it drifts", {1: 5.0, 2: 5.0}, {"technology": "SPR"})
    assert [source for source, _ in kept(found)] == [2, 1, 2, 1]
    better = by_pools("operation", scope, "it drifts", {1: 5.1, 2: 5.0}, {"technology": "SPR"})
    assert kept(better)[0] == (1, "actionable")


def test_background_does_not_count_for_the_coverage_of_a_product_answer() -> None:
    # S4-20, A14: a bucket of the evidence count, no probability.
    scope = scope_of(PRODUCT, X, profile="product")
    alone = by_pools("operation", scope, "why", {2: 5.0}, {"technology": "SPR"})
    fill(alone)
    assert len(alone.passages) == 2 and outcome.coverage(alone.passages) == "low"
    none_of_the_product = by_pools("comparison", scope, "why", {2: 5.0}, {})
    fill(none_of_the_product)
    six = [replace(passage, is_evidence=False) for passage in none_of_the_product.passages]
    assert len(six) == 6 and outcome.coverage(six) == "low"
    assert [outcome.bucket(count) for count in range(6)] == ["low", "low", "medium", "medium", "high", "high"]
    both = by_pools("operation", scope, "why", {1: 5.0, 2: 5.0}, {"technology": "SPR"})
    fill(both)
    assert len(both.passages) == 6 and outcome.coverage(both.passages) == "high"
    assert [(one["name"], one["k"], one["kept"], one["coverage"]) for one in explain.pools(both)] == [
        ("actionable", 4, 4, "high"), ("background", 2, 2, "medium"),
    ]  # fmt: skip
    assert [passage.pool for passage in both.passages] == ["actionable"] * 4 + ["background"] * 2


def fill(found: Retrieved, text: str = "some words") -> None:
    readings = {source.id: source.reading_id for source in found.scope.sources}
    for one in found.candidates:
        reading, at = readings[one.source_id] or uuid4(), one.ordinal * 100
        place = (one.ordinal, one.ordinal, at, at + len(text), None, None, "en", text)
        found.chunks[one.chunk_id] = ChunkRow(one.chunk_id, one.source_id, reading, *place)


# what the profiles are


def test_the_five_profiles_search_as_the_systems_before_them_did() -> None:
    notebook, docs, helps, persona, product = (profiles.get(name).retrieval for name in ("notebook", "docs", "help", "persona", "product"))
    assert (notebook.k, notebook.k_one_source, docs.k, helps.k, product.k) == (8, 12, 3, 5, 6)
    assert (notebook.word_weight, docs.word_weight, helps.word_weight) == (0.5, 1.0, 0.5)
    assert (docs.floor_on, helps.floor_on, persona.floor_on) == ("nothing", "vectors", "all")
    assert (helps.unit, helps.module_boost, helps.languages) == ("section", 1.15, "asker_and_english")
    assert product.mode == "lexical" and sum(pool.k for pool in product.pools) == 6
    assert {one.rrf_k for one in (notebook, docs, helps, persona, product)} == {60}
    assert product.meta_fields == {"evidence", "technology", "transfer"} and helps.meta_fields == {"module"} and not notebook.meta_fields


def test_without_a_floor_even_the_farthest_is_handed_over() -> None:
    # C6: docs has none.
    scope = scope_of({}, profile="docs")
    docs = profiles.get("docs").retrieval
    found = retrieve([Found(parts_of(scope, "q", "en", {}, docs)[0], [near(1, 0, -0.1)], [])], scope, docs, 0.3)
    assert found.floor is None and len(kept(found)) == 1


# what became of the chosen ones


def test_a_chosen_passage_that_went_into_its_neighbour_or_did_not_fit_says_so() -> None:
    scope = scope_of({}, profile="notebook")
    knobs = profiles.NOTEBOOK.retrieval
    found = retrieve(
        [Found(parts_of(scope, "q", "en", {}, knobs)[0], [near(1, place, 0.9 - place / 10) for place in range(3)], [])], scope, knobs, 0.3
    )
    for one, (start, end) in zip(found.candidates, [(0, 60), (40, 100), (300, 360)], strict=True):
        reading = scope.sources[0].reading_id or uuid4()
        found.chunks[one.chunk_id] = ChunkRow(
            one.chunk_id, one.source_id, reading, one.ordinal, 0, start, end, None, None, "en", "x" * (end - start)
        )
    joined = merge(found.passages)
    assert len(joined) == 2
    told = explain.after_prompt(found, joined[:1])
    assert [(one.reason, one.kept) for one in told.candidates] == [("kept", True), ("overlaps", True), ("cut_by_prompt", False)]
    assert all(one.why for one in told.candidates)


def test_words_of_the_question_are_told_once_with_their_chunks_and_stop_words_with_none() -> None:
    told = explain.words("How deep is the deep lake?", {"deep": 3, "lake": 0})
    assert told == [
        {"word": "how", "chunks": None}, {"word": "deep", "chunks": 3}, {"word": "is", "chunks": None}, {"word": "the", "chunks": None},
        {"word": "lake", "chunks": 0},
    ]  # fmt: skip


def test_where_nothing_is_near_enough_the_five_closest_are_named() -> None:
    scope = scope_of({}, profile="notebook")
    knobs = profiles.NOTEBOOK.retrieval
    far = [near(1, place, 0.05 + place / 100) for place in range(9)]
    found = retrieve([Found(parts_of(scope, "q", "en", {}, knobs)[0], far, [])], scope, knobs, 0.3)
    assert found.near_misses() == [chunk(1, place) for place in (8, 7, 6, 5, 4)]
    assert retrieve([Found(parts_of(scope, "q", "en", {}, knobs)[0], [near(1, 0, 0.9)], [])], scope, knobs, 0.3).near_misses() == []


def test_an_answer_from_before_these_fields_still_tells_how_it_was_found() -> None:
    old = {
        "chunk_id": str(uuid4()), "source_id": str(uuid4()), "source_title": "S", "kind": "pdf", "reading_id": str(uuid4()), "passage": 0,
        "start": 0, "end": 4, "page": 1, "heading": None, "text": "lake", "words_rank": 1, "meaning_rank": None, "similarity": None,
        "fused_rank": 1, "kept": True, "why": "Handed over: place 1 by words.",
    }  # fmt: skip
    told = Why(question="How deep?", candidates=[CandidateRead.model_validate(old)], degraded=["words_only"], prompt=None)
    assert told.candidates[0].reason is None and (told.words, told.scope, told.k, told.near_misses, told.pools) == ([], None, None, [], [])


@pytest.mark.parametrize(
    ("name", "floor", "at", "under"), [("notebook", 0.30, 0.30, 0.2999), ("help", 0.32, 0.32, 0.319), ("persona", 0.60, 0.60, 0.599)]
)
def test_in_one_search_what_is_at_the_floor_stays_and_what_is_just_under_it_goes(name: str, floor: float, at: float, under: float) -> None:
    # S1-44, S2-21, S3-06, C6, A6: where no word speaks for either.
    knobs = profiles.get(name).retrieval
    scope = scope_of({}, profile=name)
    found = retrieve([Found(parts_of(scope, "q", "en", {}, knobs)[0], [near(1, 0, at), near(1, 1, under)], [])], scope, knobs, floor)
    assert [(one.similarity, one.kept) for one in found.candidates] == [(at, True), (under, False)]
    assert found.candidates[1].reason == "under_floor"


@pytest.mark.parametrize("name", ["docs", "help"])
def test_the_profiles_of_before_add_up_every_place_of_both_lists(name: str) -> None:
    # S0-23, S2-25: the sum of weight / (60 + rank), however little a chunk shares with the question.
    knobs = profiles.get(name).retrieval
    scope = scope_of({}, profile=name)
    meaning, words = (
        [near(1, place, 0.9 - place / 50) for place in range(6)],
        [match(1, place, 9.0 - place, share=0.1) for place in (4, 2, 5)],
    )
    part = parts_of(scope, "q", "en", {}, knobs)[0]
    found = candidates(meaning, words, {}, part, knobs, 0.3, {chunk(1, place): str(place) for place in range(6)})
    by_words = {2: 1, 4: 2, 5: 3}
    expected = {place: 1 / (61 + place) + (knobs.word_weight / (60 + by_words[place]) if place in by_words else 0) for place in range(6)}
    assert [one.ordinal for one in found] == sorted(expected, key=lambda place: -expected[place])
    assert {one.ordinal: round(one.fused_score, 9) for one in found} == {place: round(score, 9) for place, score in expected.items()}

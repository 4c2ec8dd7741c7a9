"""Fusion, floor and places of passages: pure."""

from dataclasses import replace
from uuid import UUID, uuid4

import pytest

from sourcebook_core.profiles import NOTEBOOK
from sourcebook_core.store.scopes import Scope, ScopeSource
from sourcebook_core.store.search import Match, Near
from sourcebook_rag.answer.choose import candidates, choose, handed_over
from sourcebook_rag.answer.evidence import Candidate

KNOBS = NOTEBOOK.retrieval


def scope_of(*kinds: str, is_chosen: bool = False) -> Scope:
    sources = tuple(ScopeSource(UUID(int=n), uuid4(), f"S{n}", kind, "ready", "en", 10, "full") for n, kind in enumerate(kinds, 1))
    return Scope(uuid4(), uuid4(), "notebook", {}, "r", uuid4(), 0.3, sources, sources, is_chosen)


def near(*similarities: float, source: int = 1, start: int = 0) -> list[Near]:
    return [Near(UUID(int=1000 * source + start + n), UUID(int=source), start + n, s) for n, s in enumerate(similarities)]


def match(chunk: Near, *, share: float = 1.0, identifier: bool = False, score: float = 5.0) -> Match:
    return Match(chunk.chunk_id, chunk.source_id, chunk.ordinal, score, share, identifier)


def kept(found: list[Candidate]) -> list[UUID]:
    return [one.chunk_id for one in found if one.kept]


def test_the_sum_of_reciprocal_ranks_decides_with_words_at_half_weight() -> None:
    # S2-25: Overview, Departments, Settings, Orphaned by meaning; the winner is first in neither list.
    overview, departments, reassigning, settings = near(0.609, 0.606, 0.577, 0.560)
    (orphaned,) = near(0.551, start=9)
    words = [match(orphaned), match(settings), match(departments)]
    found = candidates([overview, departments, reassigning, settings, orphaned], words, {}, scope_of("pdf"), KNOBS, 0.3)
    assert found[0].chunk_id == departments.chunk_id
    scores = {one.chunk_id: round(one.fused_score, 4) for one in found}
    assert scores[departments.chunk_id] == 0.0241 and scores[overview.chunk_id] == 0.0164
    assert scores[settings.chunk_id] == 0.0237 and scores[orphaned.chunk_id] == 0.0236


@pytest.mark.parametrize(("similarity", "is_kept"), [(0.30, True), (0.2999, False), (0.3001, True)])
def test_at_the_floor_is_in_and_below_it_is_out(similarity: float, is_kept: bool) -> None:
    scope = scope_of("pdf")
    found = choose(candidates(near(similarity), [], {}, scope, KNOBS, 0.3), scope, KNOBS, 0.3, 8)
    assert bool(kept(found)) is is_kept


def test_nine_above_the_floor_give_eight() -> None:
    scope = scope_of("pdf")
    found = choose(candidates(near(*[0.9 - n / 100 for n in range(9)]), [], {}, scope, KNOBS, 0.3), scope, KNOBS, 0.3, 8)
    assert len(kept(found)) == 8 and found[8].why.startswith("Left out: the 8 places")


def test_one_source_chosen_by_the_asker_has_no_floor() -> None:
    scope = scope_of("generated", is_chosen=True)
    found = choose(candidates(near(*[0.05] * 13), [], {}, scope, KNOBS, None), scope, KNOBS, None, 12)
    assert len(found) == 13
    knobs = KNOBS.model_copy(update={"generated_slots": 12})
    assert len(kept(choose(found, scope, knobs, None, 12))) == 12


@pytest.mark.parametrize(("share", "identifier", "is_kept"), [(0.5, False, True), (0.49, False, False), (0.1, True, True)])
def test_found_by_words_alone_needs_half_of_the_question_or_an_identifier(share: float, identifier: bool, is_kept: bool) -> None:
    scope = scope_of("pdf")
    (low,) = near(0.1)
    found = candidates([low], [match(low, share=share, identifier=identifier)], {}, scope, KNOBS, 0.3)
    assert bool(kept(choose(found, scope, KNOBS, 0.3, 8))) is is_kept
    strict = KNOBS.model_copy(update={"floor_on": "all"})
    assert kept(choose(found, scope, strict, 0.3, 8)) == []


def test_uploads_take_the_places_and_made_documents_at_most_two_that_are_left() -> None:
    scope = scope_of("pdf", "generated")
    uploads, made = near(*[0.5] * 8), near(0.9, 0.89, 0.88, source=2)
    both = sorted([*uploads, *made], key=lambda one: -one.similarity)
    found = choose(candidates(both, [], {}, scope, KNOBS, 0.3), scope, KNOBS, 0.3, 8)
    assert {one.source_id for one in found if one.kept} == {UUID(int=1)}
    few = choose(candidates([*made, *uploads[:1]], [], {}, scope, KNOBS, 0.3), scope, KNOBS, 0.3, 8)
    assert [one.source_id.int for one in handed_over(few, scope)] == [1, 2, 2]
    assert len(kept(choose(candidates(made, [], {}, scope, KNOBS, 0.3), scope, KNOBS, 0.3, 8))) == 2


def test_beyond_the_twentieth_place_of_a_list_nothing_counts() -> None:
    scope = scope_of("pdf")
    found = candidates(near(*[0.9 - n / 1000 for n in range(21)]), [], {}, scope, KNOBS, 0.3)
    assert found[20].fused_rank is None and found[20].fused_score == 0


def test_ties_go_by_the_order_of_sources_and_then_by_place() -> None:
    scope = scope_of("pdf", "pdf")
    second, first = near(0.5, source=2), near(0.5, source=1)
    words = [match(first[0])]
    meaning = [second[0]]
    knobs = replace_weight(1.0)
    found = candidates(meaning, words, {}, scope, knobs, 0.3)
    assert [one.source_id.int for one in found] == [1, 2]


def replace_weight(weight: float):  # type: ignore[no-untyped-def]
    return KNOBS.model_copy(update={"word_weight": weight})


def test_every_candidate_says_why() -> None:
    scope = scope_of("pdf")
    chunks = near(0.6, 0.2, 0.1)
    found = choose(candidates(chunks, [match(chunks[1], share=0.1)], {}, scope, KNOBS, 0.3), scope, KNOBS, 0.3, 8)
    by_id = {one.chunk_id: one.why for one in found}
    assert by_id[chunks[0].chunk_id] == "Handed over: place 1 by meaning (0.60)."
    assert "shares too few" in by_id[chunks[1].chunk_id]
    assert "under the floor of 0.30" in by_id[chunks[2].chunk_id]
    assert replace(found[0], why="") != found[0]

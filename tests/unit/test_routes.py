"""The table of routes: which question takes which line, in several languages. Pure."""

from uuid import uuid4

import pytest

from sourcebook_core import profiles
from sourcebook_core.store.scopes import Holder, Scope, ScopeSource
from sourcebook_rag.answer import route
from sourcebook_rag.answer.route import Taken

PRODUCT = profiles.of("product", {"routing": {"focal": "molography", "technologies": ["BLI"]}})


def scope() -> Scope:
    sources = tuple(
        ScopeSource(uuid4(), uuid4(), name, "markdown", "ready", "en", 1, "full", {"technology": name}) for name in ("molography", "SPR")
    )
    return Scope(
        holder=Holder("notebook", uuid4()), person_id=uuid4(), owner_id=uuid4(), profile="product", settings={}, recipe_id="r",
        space_id=None, model=None, analyser=2, floor=None, weak_similarity=None, clear_lead=None, granted=sources, sources=sources,
        is_chosen=False, chosen=frozenset(),
    )  # fmt: skip


def taken(question: str, **context: object) -> Taken:
    return route.of(question, context, PRODUCT, scope(), "en")


@pytest.mark.parametrize(
    ("question", "mode", "intent"),
    [
        ("How do I start a run?", "product", "product_operation"),
        ("Wie starte ich eine Messung?", "product", "product_operation"),
        ("Jak spustím měření?", "product", "product_operation"),
        ("The pump shows an error, what now?", "product", "troubleshooting"),
        ("Das Signal ist weg, die Pumpe funktioniert nicht", "product", "troubleshooting"),
        ("It doesn't move", "product", "troubleshooting"),
        ("How should I immobilise on the surface?", "hybrid", "surface_chemistry"),
        ("Which assay protocol fits my antibody?", "hybrid", "target_specific_experiment_design"),
        ("How many replicates does an experiment need?", "hybrid", "experiment_design"),
        ("Why is light diffracted?", "science", "science"),
        ("Compare molography and SPR", "science", "comparison"),
        ("Is BLI better than SPR?", "science", "comparison"),
        ("Is it better today?", "low_confidence", "unknown"),
        ("hi", "low_confidence", "unknown"),
    ],
)
def test_a_question_takes_the_first_line_of_the_table_that_holds(question: str, mode: str, intent: str) -> None:
    found = taken(question).route
    assert (found.answer_mode, found.intent) == (mode, intent) and taken(question) == taken(question)


def test_a_short_word_of_a_rule_must_stand_alone() -> None:
    assert taken("Costly coverings").route.intent == "unknown"  # "co" is a Czech word of the table


def test_the_technology_is_named_by_the_question_or_its_context_else_it_is_the_products_own() -> None:
    assert taken("How do I start a run?").route.technology == "molography"
    assert taken("How do I start a run with SPR?").context["technology"] == ["spr"]
    assert taken("How do I start a run?", technology="BLI").context["technology"] == ["bli"]
    pools = taken("How do I start a run?").retrieval.pools
    assert [(pool.name, pool.k) for pool in pools] == [("actionable", 4), ("background", 2)]


def test_a_profile_without_rules_routes_nothing() -> None:
    found = route.of("Compare SPR and BLI", {"a": 1}, profiles.NOTEBOOK, scope(), "en")
    assert found.route.intent == "question" and found.retrieval is profiles.NOTEBOOK.retrieval and found.context == {"a": 1}
    assert found.told("quoted").answer_mode == "quoted" and taken("hi").told("quoted").answer_mode == "low_confidence"

"""A statement that points the other way is never called found."""

import pytest

from sourcebook_core.text.lexemes import words
from sourcebook_rag.answer.claims import take_apart
from sourcebook_rag.answer.compare import CheckPassage, compare
from sourcebook_rag.answer.opposites import opposed


@pytest.mark.parametrize(
    ("language", "ours", "theirs", "word"),
    [
        ("en", "the valve increases pressure", "the valve reduced pressure", "reduced"),
        ("en", "the valve increases pressure", "the valve raised pressure and reduced noise", None),
        ("en", "an unreliable method", "a reliable method", "unreliable"),
        ("en", "the drug activates it", "the drug deactivates it", "deactivates"),
        ("en", "it opened before the war", "it opened after the war", "after"),
        ("en", "the unit of measure", "it is a measure", None),
        ("de", "die Preise stiegen", "die Preise sind gesunken", "gesunken"),
        ("de", "die Preise sind gestiegen", "die Preise sind gesunken", "gesunken"),
        ("cs", "cena vzrostla", "cena klesla", "klesla"),
        ("es", "el precio aumentó", "el precio bajó", "bajó"),
        ("fr", "le prix augmente", "le prix diminue", "diminue"),
        ("hu", "nő", "csökken", None),
        (None, "more", "less", None),
    ],
)
def test_the_word_that_points_the_other_way_is_named(language: str | None, ours: str, theirs: str, word: str | None) -> None:
    assert opposed(set(words(ours)), set(words(theirs)), language) == word


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("The new valve increases the pressure in the pipe.", "The new valve reduces the pressure in the pipe."),
        ("The method is ineffective for old wood.", "The method is effective for old wood."),
        ("The treaty was signed after the war.", "The treaty was signed before the war."),
        ("The new valve increases the pressure.", "The noise of the pipe increased. The new valve lowers the pressure."),
    ],
)
def test_a_claim_that_turns_the_passage_round_is_partly_and_names_the_word(claim: str, passage: str) -> None:
    outcome = compare(take_apart(claim, "en"), CheckPassage(passage, language="en"))
    assert outcome.verdict == "partly"
    assert outcome.evidence.differs

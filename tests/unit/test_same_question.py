"""The key by which misses of the same question are grouped."""

from uuid import UUID

import pytest

from sourcebook_core.same_question import key_of


@pytest.mark.parametrize(
    ("one", "other", "language"),
    [
        ("How deep is the lake?", "the lake - how deep?", "en"),
        ("Which ferries leave Lindow?", "which ferry leaves LINDOW", "en"),
        ("Wie lang sind die Straßen?", "Wie lang ist die STRASSE", "de"),
        ("深度是多少？", "深度是多少", "zh"),
        ("İSTANBUL nerede?", "nerede ıstanbul", "tr"),
        ("How deep is the lake?", "How deep is the lake?", None),
    ],
)
def test_the_same_words_in_another_order_and_inflection_are_the_same_question(one: str, other: str, language: str | None) -> None:
    assert key_of(one, language) == key_of(other, language)


def test_other_words_are_another_question() -> None:
    told = ["How deep is the lake?", "How deep is the sea?", "Who is it?", "What was that?", "❤", "★", "???"]
    assert len({key_of(one, "en") for one in told}) == len(told)


def test_a_question_without_a_content_word_or_any_word_still_has_a_key_of_its_own() -> None:
    for question in ("What is it?", "❤", " ❤ ", "?", "\u200b"):
        assert isinstance(key_of(question, None), UUID)
    assert key_of("❤", None) == key_of(" ❤ ", "de")


def test_a_key_tells_no_word_of_the_question() -> None:
    assert "lindow" not in str(key_of("Lindow", "en"))

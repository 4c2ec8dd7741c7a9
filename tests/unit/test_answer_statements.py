"""Statements of an answer and what each mark answers for."""

import pytest

from sourcebook_rag.answer.cite import CitationFilter
from sourcebook_rag.answer.statements import AnswerStatement, statements


def read(reply: str) -> tuple[str, list[AnswerStatement]]:
    marks = CitationFilter(9, renumber=False)
    answer = marks.feed(reply) + marks.finish()
    return answer, statements(answer, marks.marks)


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("One thing is so [1]. Another thing is so too.", ["One thing is so.", "Another thing is so too."]),
        ("It is late. [1] It is dark.[2][3]", ["It is late.", "It is dark."]),
        ("Is it late? It is late [1].", ["It is late."]),
        ("# Heading\n\n**Bold lead**\n\nThese are the points:\n\n- first point here [1]\n- second point. It has two sentences [2]",
         ["first point here", "second point. It has two sentences"]),
        ("| a | b |\n|---|---|\n| x is | 5 [1] |", ["| x is | 5 |"]),
        ("```\ncode is here.\n```\nText is here.", ["Text is here."]),
        ("Your sources say:\n\n\u201cOne is so. Two is so.\u201d [1]", ["\u201cOne is so. Two is so.\u201d"]),
        ("Nothing in your sources answers this well.", []),
        ("The sources do not say who paid.", []),
        ("Die Quellen enthalten dazu keine Angaben.", []),
        ("Yes.", []),
        ("A claim stands here\n\n[1]", ["A claim stands here"]),
        ("", []),
    ],
)  # fmt: skip
def test_only_what_asserts_is_a_statement(reply: str, expected: list[str]) -> None:
    answer, found = read(reply)
    assert [one.text for one in found] == expected
    assert all(0 <= one.start < one.end <= len(answer) for one in found)


def test_a_mark_answers_for_the_words_since_the_mark_before_it() -> None:
    _, (one,) = read("The bridge is old [1] and the tunnel is new [2][3], as all know.")
    assert [(claim.text, [mark.n for mark in claim.marks]) for claim in one.claims] == [
        ("The bridge is old", [1]),
        ("and the tunnel is new", [2, 3]),
    ]
    assert one.cited == [1, 2, 3]


def test_a_mark_after_hardly_any_words_answers_for_the_words_before_too() -> None:
    _, (one,) = read("The bridge is old [1] and [2].")
    assert [claim.text for claim in one.claims] == ["The bridge is old", "The bridge is old and"]


def test_a_statement_without_a_mark_has_no_claims() -> None:
    _, (one,) = read("The bridge is old.")
    assert one.claims == ()
    assert one.cited == []

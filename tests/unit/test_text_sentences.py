"""Sentences are found in prose, Markdown and wrapped lines, and nothing is lost between them."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sourcebook_core.text.sentences import MAX_SENTENCE_CHARS, sentences


def cut(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("Mr. Smith paid approx. 3.5 million. He left.", ["Mr. Smith paid approx. 3.5 million.", "He left."]),
        ("Das gilt z. B. für Dr. Meier am 3. Mai. Danach nicht.", ["Das gilt z. B. für Dr. Meier am 3. Mai.", "Danach nicht."]),
        ("Platí např. Praha. Brno ne.", ["Platí např. Praha.", "Brno ne."]),
        ("It ended in 2019. The rest is new.", ["It ended in 2019.", "The rest is new."]),
        ('He said "No." Then he left.', ['He said "No."', "Then he left."]),
        ("J. R. R. Tolkien wrote it.", ["J. R. R. Tolkien wrote it."]),
        ("这是第一句。这是第二句！", ["这是第一句。", "这是第二句！"]),
        ("¿Cuándo? ¡Ahora! Vale.", ["¿Cuándo?", "¡Ahora!", "Vale."]),
        ("It holds [1]. Next one [2][3].", ["It holds [1].", "Next one [2][3]."]),
        ("It holds. [1] Next one. [2]", ["It holds. [1]", "Next one. [2]"]),
        ("# Title\nText here\n- item one\n- item two", ["# Title", "Text here", "- item one", "- item two"]),
        ("| a | b |\n| c | d |", ["| a | b |", "| c | d |"]),
        ("para one\n\npara two", ["para one", "para two"]),
        ("", []),
        ("  \n ", []),
    ],
)
def test_sentences_end_where_a_reader_ends_them(text: str, expected: list[str]) -> None:
    assert cut(text) == expected


def test_a_wrapped_line_does_not_end_a_sentence_but_a_short_heading_line_does() -> None:
    text = "Abstract\r\nThis is a sample document with two columns filled with words\r\nand Lines that go on. Next sentence."
    assert cut(text) == [
        "Abstract",
        "This is a sample document with two columns filled with words\r\nand Lines that go on.",
        "Next sentence.",
    ]


WORDS = ["word", "Word", ". ", "! ", "\n", "\r\n", "\n\n", "- ", "# ", "z. B. ", "[1]", "3. ", ";", "。", " ", "|", '"', "x" * 300]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(WORDS), max_size=60))
def test_ranges_are_in_order_and_hold_every_character_once(pieces: list[str]) -> None:
    text = "".join(pieces)
    ranges = sentences(text)
    assert all(first.end <= second.start for first, second in pairwise(ranges))
    assert all(0 < end - start <= MAX_SENTENCE_CHARS for start, end in ranges)
    assert "".join("".join(text[start:end].split()) for start, end in ranges) == "".join(text.split())


def test_a_row_of_a_table_is_one_sentence_whatever_its_cells_hold() -> None:
    text = "Mill | River\nMill of St. Ann. | Dane\nno. 4 | Weaver. | 1,5\n | 7"
    assert [text[start:end] for start, end in sentences(text)] == [
        "Mill | River",
        "Mill of St. Ann. | Dane",
        "no. 4 | Weaver. | 1,5",
        "| 7",
    ]

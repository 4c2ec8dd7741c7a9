"""Phrases, beginnings and the words around what matched: pure."""

import sys
from collections import Counter
from types import FrameType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sourcebook_core.text import lexemes
from sourcebook_rag.snippet import CHARS, snippet
from sourcebook_rag.typed import holds, parse, places, squeeze, squeezed


@pytest.mark.parametrize(("query", "words", "phrases", "beginnings"), [
    ("how deep is it", "how deep is it", (), ()),
    ('"forty  Metres" lake', "forty Metres lake", ("forty metres",), ()),
    ("\u201cthe lake\u201d \u201eder See\u201c \u00able lac\u00bb", "the lake der See le lac", ("the lake", "der see", "le lac"), ()),
    ("depart* lake", "depart lake", (), ("depart",)),
    ('"a b" c* Vent*', "a b c Vent", ("a b",), ("vent",)),
    ("\u4e2d*", "\u4e2d", (), ("\u4e2d",)),
    ('an "open quote', "an open quote", (), ()),
    ("5 * 3", "5 3", (), ()),
])  # fmt: skip
def test_quotes_ask_for_phrases_and_stars_for_beginnings(
    query: str, words: str, phrases: tuple[str, ...], beginnings: tuple[str, ...]
) -> None:
    asked = parse(query)
    assert (asked.words, asked.phrases, asked.beginnings) == (words, phrases, beginnings)


@pytest.mark.parametrize("query", ['""', "***", '"*" *', "\u201c\u201d", '" - "'])
def test_a_query_of_signs_alone_is_plain_words(query: str) -> None:
    asked = parse(query)
    assert not asked.is_exact and asked.words


@pytest.mark.parametrize(("phrase", "text", "found"), [
    ("forty metres", "It is Forty\r\n  Metres deep", "Forty\r\n  Metres"),
    ("international law", "of inter\u00ad\r\nnational\r\nlaw", "inter\u00ad\r\nnational\r\nlaw"),
    ("international", "inter\u00adnational", "inter\u00adnational"),
    ("\u4e2d\u56fd\u4eba\u6c11", "\u5728\u4e2d\u56fd\n\u4eba\u6c11\u4e2d", "\u4e2d\u56fd\n\u4eba\u6c11"),
    ("\u4e2d\u56fd", "\u5728\u4e2d\u56fd\u4eba", "\u4e2d\u56fd"),
    ("it's well-known", "It\u2019s well\u2013known.", "It\u2019s well\u2013known"),
    ("caf\u00e9", "the cafe\u0301s, the cafe\u0301.", "cafe\u0301"),
    ("stra\u00dfe", "Die STRASSE", "STRASSE"),
    ("istanbul", "\u0130STANBUL\u2019da", "\u0130STANBUL"),
    ("\u0130zmir", "I\u0307ZM\u0130R", "I\u0307ZM\u0130R"),
    ("lake", "the lakeside", None),
    ("the lake", "the deep lake", None),
    ("\ud55c\uad6d\uc740\ud589", "\ud55c\uad6d \uc740\ud589", None),
])  # fmt: skip
def test_a_phrase_is_found_as_it_is_read_and_nowhere_else(phrase: str, text: str, found: str | None) -> None:
    asked = parse(f'"{phrase}"')
    assert holds(asked, text) is (found is not None)
    assert [text[start:end] for start, end in places(asked.phrases[0], squeezed(text))] == ([found] if found else [])


def test_a_beginning_is_found_at_the_head_of_a_word_and_takes_all_of_it() -> None:
    text = "The Department departs; independent."
    assert [text[start:end] for start, end in places("depart", squeezed(text), is_beginning=True)] == ["Department", "departs"]
    assert holds(parse("depart*"), text) and not holds(parse("pendent*"), text)
    assert holds(parse('depart* "the department"'), text) and not holds(parse('depart* "a department"'), text)


PIECES = st.sampled_from(
    [
        "a",
        "B",
        "\u00df",
        "\u0130",
        "I\u0307",
        "e\u0301",
        "\u00e9",
        " ",
        "\n",
        "\r\n",
        "\u00ad",
        "\u00ad\n",
        "\u200d",
        "\u4e2d",
        "\u0e01",
        "\uac00",
        "-",
        "\u2019",
        "1",
    ]
)


@settings(max_examples=300, deadline=None)
@given(st.lists(PIECES, max_size=14))
def test_the_text_with_places_is_the_text_that_is_compared(pieces: list[str]) -> None:
    text = "".join(pieces)
    whole = squeezed(text)
    assert whole.text == squeeze(text)
    assert len(whole.starts) == len(whole.ends) == len(whole.text)
    assert all(0 <= a < b <= len(text) for a, b in zip(whole.starts, whole.ends, strict=True)) and whole.starts == sorted(whole.starts)


# snippets

FILLER = "Lorem ipsum dolor sit amet, consectetur adipiscing elit. "


def shown(text: str, query: str, language: str = "en", start_at: int = 0) -> tuple[str, int, list[str]]:
    asked = parse(query)
    made = snippet(text, start_at, lexemes.question_lexemes(asked.words, {language}, language), language, asked)
    return made["text"], made["start"], [made["text"][first:last] for first, last in made["marks"]]


def test_a_snippet_stands_around_the_best_words_and_marks_whole_words_matched_by_their_stem() -> None:
    text = FILLER * 6 + "One boat. " + FILLER * 4 + "The boats were rowing over the deep lake, and rowers sang. " + FILLER * 6
    found, start, marks = shown(text, "rowing boats on a lake", start_at=1000)
    assert marks == ["boats", "rowing", "lake"]
    assert len(found) <= CHARS and text[start - 1000 : start - 1000 + len(found)] == found
    assert text[start - 1001] == " " and not found[-1].isspace()


def test_without_a_shared_word_the_head_of_the_chunk_is_shown_unmarked() -> None:
    # S2-26: a section found only by meaning is previewed by the start of its text.
    found, start, marks = shown("  " + FILLER * 8, "Jak hlubok\u00e9 je jezero?", "cs")
    assert start == 2 and found.startswith("Lorem ipsum") and found.endswith("elit. Lorem") and marks == []


def test_a_phrase_decides_where_the_snippet_stands_and_is_marked_as_one() -> None:
    text = "Deep here. Lake there. " + FILLER * 6 + "In the deep\nlake of Constance."
    assert shown(text, '"deep lake"')[2][-1] == "deep\nlake"
    assert shown("\u5728" * 300 + "\u4e2d\u56fd\n\u4eba\u6c11", '"\u4e2d\u56fd\u4eba\u6c11"', "zh")[2] == ["\u4e2d\u56fd\n\u4eba\u6c11"]
    assert shown("Independent departments depart.", "depar*")[2] == ["departments", "depart"]


def test_a_word_longer_than_a_snippet_is_shown_in_part() -> None:
    found, _, marks = shown("x" * 500 + " lake", "lake")
    assert marks == ["lake"] and found.endswith("lake")
    found, start, marks = shown("y" * 250, "y" * 250)
    assert (len(found), start) == (CHARS, 0) and marks == [found]


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.sampled_from(["lake", "lakes", "deep", "\u4e2d\u56fd", "cafe\u0301", "a", "\n", "x" * 90, "\u00ad"]), max_size=60),
    st.integers(0, 9),
)
def test_a_snippet_is_a_slice_cut_at_borders_and_its_marks_lie_in_order_inside_it(pieces: list[str], start_at: int) -> None:
    text = " ".join(pieces)
    asked = parse('lake "deep" \u4e2d\u56fd')
    made = snippet(text, start_at, lexemes.question_lexemes(asked.words, {"en", "zh"}, "en"), "en", asked)
    begin = made["start"] - start_at
    assert text[begin : begin + len(made["text"])] == made["text"] and len(made["text"]) <= CHARS
    flat = [place for mark in made["marks"] for place in mark]
    assert flat == sorted(set(flat)) and (not flat or (flat[0] >= 0 and flat[-1] <= len(made["text"])))
    assert bool(made["marks"]) is any(word in text for word in ("lake", "deep", "\u4e2d\u56fd"))


@pytest.mark.parametrize(("text", "query"), [
    ("a" * 3000, "aa*"),
    ("b " * 700, "bb* " + " ".join(f'"b{" b" * n}"' for n in range(20))),
])  # fmt: skip
def test_the_borders_in_a_text_of_one_letter_are_looked_at_a_few_times_each(text: str, query: str) -> None:
    # From every place to the end of the word they were 4.5 million looks, half a minute for a list of such chunks.
    asked, calls = parse(query), Counter[str]()

    def count(frame: FrameType, event: str, _: object) -> None:
        calls[frame.f_code.co_name] += event == "call"

    sys.setprofile(count)
    try:
        made = snippet(text, 0, lexemes.question_lexemes(asked.words, {"en"}, "en"), "en", asked)
    finally:
        sys.setprofile(None)
    assert 0 < calls["is_border"] < 30 * len(text)
    assert len(made["text"]) <= CHARS and made["marks"]

"""Chunkers cut a passage into ranges of its own text and lose nothing a reader sees."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sourcebook_core.text import tokens
from sourcebook_core.text.chunk import Range, headings, token_window
from sourcebook_core.text.scripts import has_visible, is_visible

# Prose-like text is rare among random characters: mix both, with headings, blanks and scripts without spaces.
TEXTS = st.one_of(
    st.text(max_size=400),
    st.lists(
        st.sampled_from(
            [
                "word",
                "Maßstab",
                " ",
                "  ",
                "\n",
                "\r\n",
                "# Head",
                "\n## Sub\n",
                ".",
                "中文字",
                "e\u0301",
                "\u00ad",
                "\u200b",
                "\ue000",
                "\n```\n",
                "a" * 70,
            ]
        ),
        max_size=120,
    ).map("".join),
)


def uncovered(text: str, ranges: list[Range]) -> list[str]:
    covered = {place for start, end in ranges for place in range(start, end)}
    return [char for place, char in enumerate(text) if is_visible(char) and place not in covered]


@settings(max_examples=200, deadline=None)
@given(TEXTS, st.integers(1, 30), st.data())
def test_windows_stay_in_bounds_in_order_and_cover_every_visible_character(text: str, size: int, data: st.DataObject) -> None:
    overlap = data.draw(st.integers(0, size - 1))
    ranges = token_window(text, size, overlap)
    assert all(0 <= start < end <= len(text) for start, end in ranges)
    assert ranges == sorted(set(ranges))
    assert uncovered(text, ranges) == []
    assert all(has_visible(text[start:end]) for start, end in ranges)
    assert all(tokens.count(text[start:end]) <= size for start, end in ranges)


@settings(max_examples=200, deadline=None)
@given(TEXTS, st.integers(1, 60), st.data())
def test_heading_pieces_stay_in_bounds_and_cover_every_visible_character(text: str, size: int, data: st.DataObject) -> None:
    overlap = data.draw(st.integers(0, size - 1))
    ranges = headings(text, size, overlap)
    assert all(0 <= start < end <= len(text) and end - start <= size for start, end in ranges)
    assert uncovered(text, ranges) == []
    assert all(has_visible(text[start:end]) for start, end in ranges)


def test_a_thousand_words_give_windows_of_420_with_a_step_of_370() -> None:
    text = " ".join(f"w{number}" for number in range(1000))
    found = [text[start:end].split() for start, end in token_window(text, 420, 50)]
    assert [(words[0], words[-1]) for words in found] == [("w0", "w419"), ("w370", "w789"), ("w740", "w999")]


def test_a_sentence_across_a_window_edge_is_whole_in_one_of_the_two_windows() -> None:
    sentence = " ".join(f"inner{number}" for number in range(30))
    text = " ".join(["before"] * 405) + " " + sentence + " " + " ".join(["after"] * 300)
    assert sum(sentence in text[start:end] for start, end in token_window(text, 420, 50)) == 1


def test_no_window_follows_when_the_last_one_ends_with_the_text() -> None:
    assert token_window("a b c", 3, 1) == [Range(0, 5)]
    assert token_window("a b c d", 3, 1) == [Range(0, 5), Range(4, 7)]


@pytest.mark.parametrize("text", ["", "  \r\n\t ", "\x00\x01", "\u00ad\u200b", "\ue000\ue001"])
def test_a_passage_without_a_visible_character_gives_no_chunk(text: str) -> None:
    assert token_window(text, 5, 1) == []
    assert headings(text) == []


@pytest.mark.parametrize(("size", "overlap"), [(50, 50), (50, 60), (0, 0), (5, -1)])
def test_an_overlap_that_does_not_fit_is_refused(size: int, overlap: int) -> None:
    with pytest.raises(ValueError, match="overlap"):
        token_window("some text", size, overlap)
    with pytest.raises(ValueError, match="overlap"):
        headings("some text", size, overlap)


def test_each_ideograph_is_a_token_so_a_chinese_window_stays_short() -> None:
    ranges = token_window("中" * 5000, 300, 40)
    assert max(end - start for start, end in ranges) == 300


def test_a_word_keeps_its_marks_and_soft_hyphens() -> None:
    text = "e\u0301te\u0301 Wort\u00adteil Donau\u00addampf-Schiff हिन्दी don\u2019t a_b"
    found = [text[start:end] for start, end in tokens.spans(text)]
    assert found == ["e\u0301te\u0301", "Wort\u00adteil", "Donau\u00addampf", "-", "Schiff", "हिन्दी", "don", "\u2019", "t", "a_b"]


def test_a_run_without_a_space_is_cut_and_read_lazily() -> None:
    text = "a" * 1_000_000
    assert next(tokens.spans(text)) == (0, tokens.RUN_PIECE_CHARS)
    assert max(end - start for start, end in token_window(text, 420, 50)) == 420 * tokens.RUN_PIECE_CHARS
    longest = "Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz"
    assert [longest[start:end] for start, end in tokens.spans(longest)] == [longest]


def test_a_section_of_1600_characters_is_cut_into_500_with_about_50_shared() -> None:
    text = "# Title\n" + " ".join(f"wort{number:03d}" for number in range(199))
    pieces = headings(text)
    assert all(end - start <= 500 for start, end in pieces)
    shared = [first.end - second.start for first, second in pairwise(pieces)]
    assert len(pieces) == 4
    assert all(40 <= one <= 50 for one in shared)


def test_no_piece_crosses_a_heading_and_a_fenced_hash_is_none() -> None:
    text = "intro\n\n# One\ntext one\n```\n# code\n```\n## Two\ntext two\n#### Four\nstays\n"
    pieces = [text[start:end] for start, end in headings(text)]
    assert pieces == ["intro", "# One\ntext one\n```\n# code\n```", "## Two\ntext two\n#### Four\nstays"]


def test_a_title_stays_with_the_first_section_below_it() -> None:
    text = "# Pumps\n\n## Start\n\nTurn the handle.\n\n## Stop\n\n### At once\n\nPull.\n\n# Empty\n"
    pieces = [text[start:end] for start, end in headings(text)]
    assert pieces == ["# Pumps\n\n## Start\n\nTurn the handle.", "## Stop\n\n### At once\n\nPull.", "# Empty"]


def test_german_text_comes_back_verbatim_from_its_ranges() -> None:
    text = "Die Straßenverkehrsordnung regelt die Geschwindigkeitsbegrenzung außerorts.\r\nÄnderungen gelten ab Übergabe. " * 40
    for start, end in token_window(text, 60, 10):
        assert text[start:end] in text
        assert not text[start].isspace()
        assert not text[end - 1].isspace()

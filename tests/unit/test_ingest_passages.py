"""Passages of text kinds tile their text, and chunks are slices of them, whatever the text."""

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from sourcebook_core.store.indexes import Recipe
from sourcebook_core.store.passages import Passage
from sourcebook_core.text.scripts import has_visible
from sourcebook_ingest.index import cut_passages, repeated_headers
from sourcebook_ingest.read import text as reader
from sourcebook_ingest.read.outcome import Facts

PIECES = ["## B b", "# A", "### C", "#### D", "Title\n===", "Sub\n---", "```", "    code", "", "  ", "- item", "a\u00adb", "x" * 300]
ANY = st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=60)
LINES = st.lists(st.one_of(st.sampled_from(PIECES), ANY), max_size=25)
ENDS = st.sampled_from(["\n", "\r\n", "\r"])
RECIPES = [
    Recipe("w", "token_window", 12, 3, 1, 6.0),
    Recipe("h", "headings", 60, 6, 1, 6.0),
    Recipe("b", "blocks", 60, 0, 2, 6.0),
]


def markdown(lines: list[str], end: str) -> str:
    return end.join(lines)


@settings(max_examples=150, deadline=None)
@given(LINES, ENDS)
def test_markdown_passages_joined_are_the_text_and_outline_entries_stand_where_they_say(lines: list[str], end: str) -> None:
    text = markdown(lines, end)
    facts = Facts()
    found = [passage for window in reader.read_markdown(text, facts) for passage in window.passages]
    assert "".join(passage.text for passage in found) == text
    assert [passage.ordinal for passage in found] == list(range(len(found)))
    for entry in facts.outline:
        passage = found[entry["passage"]]
        assert 0 <= entry["start"] < max(len(passage.text), 1)


@settings(max_examples=100, deadline=None)
@given(LINES, ENDS, st.sampled_from(RECIPES))
def test_chunks_are_visible_slices_that_leave_no_visible_character_out(lines: list[str], end: str, recipe: Recipe) -> None:
    text = markdown(lines, end)
    found = [passage for window in reader.read_markdown(text, Facts()) for passage in window.passages]
    chunks = cut_passages(found, recipe, "en", 5)
    assert [chunk.ordinal for chunk in chunks] == list(range(5, 5 + len(chunks)))
    for passage in found:
        of_passage = [chunk for chunk in chunks if chunk.passage == passage.ordinal]
        seen: set[int] = set()
        for chunk in of_passage:
            assert 0 <= chunk.start < chunk.end <= len(passage.text)
            assert has_visible(passage.text[chunk.start : chunk.end])
            seen.update(range(chunk.start, chunk.end))
        assert not [place for place, char in enumerate(passage.text) if place not in seen and has_visible(char)]


def test_a_long_line_is_cut_at_blanks_or_hard_and_no_line_end_is_split() -> None:
    text = "word " * 50_000 + "x" * 450_000 + "\r\n" * 150_000
    found = [passage.text for window in reader.read_plain(text, Facts()) for passage in window.passages]
    assert "".join(found) == text
    assert max(len(piece) for piece in found) <= reader.PASSAGE_CHARS
    assert all(not (piece.endswith("\r") and after.startswith("\n")) for piece, after in pairwise(found))
    assert found[0].endswith(" ")


def test_cutting_a_text_with_very_many_headings_takes_linear_work() -> None:
    text = "# A\n" * 60_000
    facts = Facts()
    found = [passage for window in reader.read_markdown(text, facts) for passage in window.passages]
    assert "".join(passage.text for passage in found) == text
    assert len(facts.outline) == reader.OUTLINE_ENTRIES


def test_a_header_line_is_left_out_only_where_rows_of_its_sheet_repeat_it() -> None:
    read = [
        Passage(0, "Mill | Opened", sheet="A"), Passage(1, "Hall | 1901", sheet="A", lead="Mill | Opened"),
        Passage(2, "Mill | Opened", sheet="B"), Passage(3, "Weir", sheet="C"),
        Passage(4, "Report\nMill | Opened", sheet="D"), Passage(5, "Hall | 1901", sheet="D", lead="Mill | Opened"),
        Passage(6, "Plain text."), Passage(7, "Plain text."),
    ]  # fmt: skip
    assert repeated_headers(read) == {0}

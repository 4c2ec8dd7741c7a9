"""Whole blocks stay whole where they fit, belong to their heading, and lose nothing a reader sees."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sourcebook_core.text.blocks import BLOCK_CHARS, blocks
from sourcebook_core.text.outline import outline
from sourcebook_core.text.scripts import has_visible, is_visible

PIECES = [
    "word ", "Maßstab", ". ", "\n", "\r\n", "\n\n", "# Head\n", "\n## Sub\n", "Title\n---\n", "中文字", "e\u0301", "\u200b", "\ue000",
    "\n```\n", "\n~~~ py\n", "\n- item ", "\n2. two ", "\n\n   more ", "\n| a | b |", "\n|---|---|", "these steps:", "a" * 70,
]  # fmt: skip
TEXTS = st.one_of(st.text(max_size=300), st.lists(st.sampled_from(PIECES), max_size=80).map("".join))
STEPS = "".join(f"{number}. Turn the wheel number {number} until it clicks twice.\n" for number in range(1, 9))


def cut(text: str, size: int = BLOCK_CHARS) -> list[str]:
    return [text[start:end] for start, end in blocks(text, size)]


@settings(max_examples=300, deadline=None)
@given(TEXTS, st.integers(1, 200))
def test_blocks_tile_every_visible_character_once_within_their_size(text: str, size: int) -> None:
    ranges = blocks(text, size)
    assert all(0 <= start < end <= len(text) and end - start <= size for start, end in ranges)
    assert all(first.end <= second.start for first, second in pairwise(ranges))
    covered = {place for start, end in ranges for place in range(start, end)}
    assert not [char for place, char in enumerate(text) if is_visible(char) and place not in covered]
    assert all(has_visible(text[start:end]) for start, end in ranges)


@settings(max_examples=300, deadline=None)
@given(TEXTS, st.integers(1, 200))
def test_before_a_heading_inside_a_block_stand_only_headings(text: str, size: int) -> None:
    heads = outline(text)
    in_heads = {place for one in heads for place in range(one.start, one.end)}
    for start, end in blocks(text, size):
        last = max((one.start for one in heads if start < one.start < end), default=start)
        assert all(place in in_heads for place in range(start, last) if not text[place].isspace())


def test_whole_paragraphs_are_put_together_up_to_the_size() -> None:
    paragraphs = [f"Paragraph {number} says what it says. " * 6 for number in range(6)]
    found = cut("\n\n".join(paragraphs))
    assert [piece.count("\n\n") for piece in found] == [2, 2]
    assert found == ["\n\n".join(paragraphs[:3]).strip(), "\n\n".join(paragraphs[3:]).strip()]


def test_a_heading_belongs_to_what_follows_it() -> None:
    text = "Before.\n\n# Guide\n\n## Settings\n\nChoose a colour.\n\n## Prices\nThey are low.\n"
    assert cut(text) == ["Before.", "# Guide\n\n## Settings\n\nChoose a colour.", "## Prices\nThey are low."]
    long = "## Long\n" + "word " * 300
    assert cut(long)[0].startswith("## Long\nword")
    assert all(len(piece) <= BLOCK_CHARS for piece in cut(long))


def test_a_list_stays_with_its_lead_and_its_items_where_it_fits() -> None:
    before = "An introduction that is long. " * 15
    found = cut(f"{before}\n\nTo open the sluice:\n\n{STEPS}")
    assert found[0] == before.strip()
    assert found[1] == f"To open the sluice:\n\n{STEPS}".strip()


def test_a_list_above_the_size_is_cut_between_its_items() -> None:
    items = [f"- Item {number} tells a story of its own\n  on two lines.\n" for number in range(40)]
    found = cut("".join(items))
    assert len(found) > 2
    assert all(piece.startswith("- Item") and piece.endswith("on two lines.") for piece in found)


def test_code_and_tables_stay_whole_where_they_fit_and_are_cut_between_lines_where_not() -> None:
    code = "```\n" + "".join(f"call({number})\n\n" for number in range(30)) + "```"
    assert code in cut("Intro. " * 90 + "\n\n" + code)
    rows = [f"| row {number} | {'x' * 60} |" for number in range(30)]
    found = cut("| name | value |\n|---|---|\n" + "\n".join(rows))
    assert all(piece.startswith("| ") and piece.endswith(" |") for piece in found)


def test_a_block_without_blanks_is_cut_at_the_size() -> None:
    assert [len(piece) for piece in cut("x" * 1500)] == [700, 700, 100]
    assert sum(len(piece) for piece in cut("x" * 2_000_000)) == 2_000_000


@pytest.mark.parametrize("line", ["# h\n", "- x\n", "\n", "```\n", "| a |\n", "a:\n\n", "a\n=\n"])
def test_very_many_short_blocks_are_cut_in_one_pass(line: str) -> None:
    found = blocks(line * 50_000)
    assert all(end - start <= BLOCK_CHARS for start, end in found)


@pytest.mark.parametrize("text", ["", "  \r\n\t ", "\u00ad\u200b", "\ue000"])
def test_a_passage_without_a_visible_character_gives_no_block(text: str) -> None:
    assert blocks(text) == []
    with pytest.raises(ValueError, match="holds nothing"):
        blocks("text", 0)

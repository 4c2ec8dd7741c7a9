"""Headings of a Markdown text and the path above a place."""

import pytest

from sourcebook_core.text.outline import outline


def titles(text: str) -> list[tuple[int, str]]:
    return [(heading.level, heading.title) for heading in outline(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# One\n## Two ##\n###### Six\n####### seven", [(1, "One"), (2, "Two"), (6, "Six")]),
        ("#no blank\n\\# escaped\n    # code", []),
        ("Title\n=====\n\nSub\n---\n", [(1, "Title"), (2, "Sub")]),
        ("two lines\nof a paragraph\n---\n", []),
        ("- item\n---\n| a | b |\n---\n> quote\n---", []),
        ("```md\n# inside\n```\n# outside", [(1, "outside")]),
        ("~~~\n```\n# inside\n~~~~\n# outside", [(1, "outside")]),
        ("``` not `a` fence\n# heading", [(1, "heading")]),
        ("---\ntitle: x\n---\n# Real", [(1, "Real")]),
        ("# **Bold** and [link](http://x) `code` snake_case", [(1, "Bold and link code snake_case")]),
        ("# A\r\n\r\n# B\r", [(1, "A"), (1, "B")]),
        ("#\n# \n", [(1, ""), (1, "")]),
        ("# " + "#" * 100_000, []),
    ],
)
def test_headings_are_found_as_commonmark_finds_them(text: str, expected: list[tuple[int, str]]) -> None:
    assert titles(text) == expected


def test_a_heading_says_where_its_lines_stand() -> None:
    text = "x\n\n## Größe 🎈\n\nSetext\n===\nend"
    assert [text[heading.start : heading.end] for heading in outline(text)] == ["## Größe 🎈", "Setext\n==="]

"""A page has a text layer only when a person could read it."""

import pytest

from sourcebook_core.text.legible import is_legible, legibility


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a" * 19, "too_short"),
        ("a" * 20, None),
        ("a" * 12 + "1" * 8, None),
        ("a" * 11 + "1" * 9, "few_letters"),
        ("Добрый день дорогие друзья", None),
        ("这是一个关于系统工作原理的说明文件内容很长很长", None),
        ("/g12 /g45 /g7 /g99 /g12 /g31 /g31 /g8", "glyph_codes"),
        ("(cid:12)(cid:45)(cid:7) (cid:99)(cid:12) (cid:31)", "glyph_codes"),
        ("\ue012\ue013\ue014" * 20, "private_characters"),
        ("some words \ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd", "private_characters"),
        ("1,234 5,678 9,012 3,456 7,890 1,234 5,678", "few_letters"),
        ("abcdefghij" * 40, "no_words"),
        ("", "too_short"),
        (" \n\t\x00", "too_short"),
        ("The path /g12 is named once in this long sentence about fonts and their files.", None),
        ("Das Verhältnis 1/2 und die Adresse /home/gast stehen in diesem ganz normalen Satz.", None),
        ("नमस्ते दुनिया यह एक परीक्षण वाक्य है", None),
    ],
)
def test_the_rule_names_why_a_page_is_not_legible(text: str, reason: str | None) -> None:
    assert legibility(text).reason == reason
    assert is_legible(text) == (reason is None)


def test_what_was_counted_is_told() -> None:
    found = legibility("ab 12 \u00ad\ue000")
    assert (found.visible, found.letter_share) == (4, 0.5)

"""Whether the text layer of a page can be read by a person, with the reason where it cannot."""

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from typing import Literal

from sourcebook_core.text.scripts import IDEOGRAPHS, UNSPACED

MIN_VISIBLE = 20  # S1-19
MIN_LETTER_SHARE = 0.60  # S1-19
MAX_CODE_SHARE = 0.3  # of the words of the page may be glyph codes
MAX_PRIVATE_SHARE = 0.2  # of all characters but blanks
MEAN_WORD_CHARS = 40  # no language written with spaces comes near

Reason = Literal["too_short", "few_letters", "glyph_codes", "private_characters", "no_words"]

# What extractors print for a glyph without a Unicode value: "(cid:12)", "/g12", "/G1F", "/uni0041", "/C23", "/12".
_GLYPH_CODE = re.compile(r"\(cid:\d+\)|/(?:g|G|gid|glyph|uni|C|c|index|a)[0-9A-Fa-f]{1,6}(?![A-Za-z])|/\d{1,5}(?!\d)(?=\s|/|$)")
_WITHOUT_SPACES = re.compile(f"[{IDEOGRAPHS}{UNSPACED}]")


@dataclass(frozen=True, slots=True)
class Legibility:
    """What the rule found: `reason` is None when the text is legible; shares are of the visible characters, 0..1."""

    reason: Reason | None
    visible: int
    letter_share: float

    @property
    def is_legible(self) -> bool:
        """Whether the text counts as a text layer."""
        return self.reason is None


def legibility(text: str) -> Legibility:
    """Judge a page's text: at least 20 visible characters, at least 60 % of them letters, no glyph codes, no private-use
    characters, words of a possible length.

    Visible is all but blanks, controls, private-use and unassigned characters; a combining mark counts with its letter. A
    page of numbers alone is "few_letters" though a person can read it (S1-77): say so where it is skipped. Letters shifted
    by a wrong font table pass (B06). Source: S1-19, S1-20, A4.
    """
    kinds = Counter[str]()
    for char, count in Counter(text).items():
        kinds[_kind(char)] += count
    visible = kinds["letter"] + kinds["other"]
    share = kinds["letter"] / visible if visible else 0.0
    return Legibility(_reason(text, kinds, visible, share), visible, share)


def is_legible(text: str) -> bool:
    """Whether the text counts as a text layer; `legibility` tells why not."""
    return legibility(text).is_legible


def _kind(char: str) -> str:
    category = unicodedata.category(char)
    if category[0] == "L":
        return "letter"
    if category[0] == "M":
        return "mark"
    if category in ("Co", "Cn") or char == "\ufffd":
        return "private"
    return "blank" if category[0] in "ZC" else "other"


def _reason(text: str, kinds: Counter[str], visible: int, share: float) -> Reason | None:
    if kinds["private"] > MAX_PRIVATE_SHARE * (visible + kinds["private"]):
        return "private_characters"
    words = text.split()
    codes = len(_GLYPH_CODE.findall(text))
    if codes and codes >= MAX_CODE_SHARE * len(words):
        return "glyph_codes"
    if visible < MIN_VISIBLE:
        return "too_short"
    if share < MIN_LETTER_SHARE:
        return "few_letters"
    if visible > MEAN_WORD_CHARS * len(words) and not _WITHOUT_SPACES.search(text) and visible > 4 * MEAN_WORD_CHARS:
        return "no_words"
    return None

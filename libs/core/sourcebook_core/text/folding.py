"""Words as they are compared: case, widths, digits of other scripts, vowel points, accents."""

import re
import unicodedata
from functools import lru_cache

from sourcebook_core.text.scripts import INVISIBLE, invisible_pattern

# Vowel points and stretching that a writer may leave out: Hebrew niqqud and accents, Arabic tashkeel, tatweel, Koranic marks.
_OPTIONAL_MARKS = "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed"
_LEFT_OUT = re.compile(f"[{INVISIBLE}{_OPTIONAL_MARKS}]+")
# Characters that are another way to write a plain one: widths, presentation forms, letters of formulas, small and raised digits.
_SAME_AS = (
    (0xFF00, 0xFFEF), (0xFB50, 0xFDFF), (0xFE70, 0xFEFC), (0x1D400, 0x1D7FF), (0x2080, 0x2089), (0x00B2, 0x00B3), (0x00B9, 0x00B9),
    (0x2070, 0x2079), (0x3300, 0x33FF), (0xF900, 0xFAFF), (0x2160, 0x217F),
)  # fmt: skip
_HYPHENS = {0x2010: "-", 0x2011: "-"}
# A raised digit behind a word of three letters or more counts a footnote; behind a shorter one it is part of it ("m\u00b2").
_FOOTNOTE = re.compile(r"(?<=[^\W\d_]{3})[\u00b9\u00b2\u00b3\u2070\u2074-\u2079]+")
# Two ways to write one letter, of which a stemmer wants the first.
_ONE_LETTER = str.maketrans(
    {"\u0131": "i", "\u0153": "oe", "\u00e6": "ae", "\u0451": "\u0435", "\u06cc": "\u064a", "\u0649": "\u064a", "\u06a9": "\u0643"}
)
_WITHOUT_ACCENT = str.maketrans({"\u0142": "l", "\u0111": "d"})
_ACCENTS = re.compile("[\u0300-\u036f]+")
# Where people who write in a hurry leave the accents out, and seldom another word is made by it, as in Swedish or Vietnamese.
# German is not among them: its stems have no umlauts, and "drucken" and "drücken" are two words.
ACCENTS_LEFT_OUT = frozenset("ca cs el es fr hr hu it lt lv pl pt ro sk sl tr".split())


def fold(text: str) -> str:
    """The text as words are compared: NFC, case folded, without invisible characters and optional vowel points; full-width and
    other compatibility forms, digits of every script and both hyphens in their plain form. Lengths change.
    """
    if text.isascii():
        return text.casefold()
    plain = _LEFT_OUT.sub("", plain_forms(text))
    # A capital dotted I folds to i with a dot above, which no small i of a Turkish text has.
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", plain).casefold()).replace("i\u0307", "i")


def fold_of_version_1(text: str) -> str:
    """The text as the first analyser compared it, for indexes that it made."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", invisible_pattern().sub("", text)).casefold())


def plain_forms(text: str) -> str:
    """The text, its case kept, with compatibility forms, digits and hyphens in their plain form."""
    if text.isascii() or not _other_forms().search(text):
        return text
    return _FOOTNOTE.sub(" ", text).translate(_plain())


@lru_cache(maxsize=100_000)  # the words of a source repeat from chunk to chunk
def settled(word: str) -> str:
    """A folded word as a term: of two ways to write one letter the plainer (dotless i, \u0153, \u0451, Persian yeh and kaf)."""
    return word if word.isascii() else word.translate(_ONE_LETTER)


@lru_cache(maxsize=100_000)
def loose(stemmed: str, language: str | None) -> str:
    """A folded stem of that language as a term: without accents where writers leave them out."""
    if language not in ACCENTS_LEFT_OUT or stemmed.isascii():
        return settled(stemmed)
    bare = _ACCENTS.sub("", unicodedata.normalize("NFD", stemmed))
    return settled(unicodedata.normalize("NFC", bare).translate(_WITHOUT_ACCENT))


@lru_cache(maxsize=1)
def _plain() -> dict[int, str]:
    table = dict(_HYPHENS)
    for first, last in _SAME_AS:
        for code in range(first, last + 1):
            same = unicodedata.normalize("NFKC", chr(code))
            if same != chr(code):
                table[code] = same
    for zero in range(0x660, 0x1FBFA, 2):  # in every script the ten digits stand in a row, from an even place on
        if unicodedata.decimal(chr(zero), None) == 0:
            for digit in range(10):
                table.setdefault(zero + digit, str(digit))
    return table


@lru_cache(maxsize=1)
def _other_forms() -> re.Pattern[str]:
    # Beyond the first plane all are looked at: many small ranges there cost more than a text that holds such characters.
    return re.compile("[" + "".join(_runs(sorted(code for code in _plain() if code < 0x10000))) + "\U00010000-\U0010ffff]")


def _runs(codes: list[int]) -> list[str]:
    """Code points in order as ranges to stand inside `[...]` of a regex."""
    found: list[str] = []
    start = before = codes[0]
    for code in [*codes[1:], -1]:
        if code != before + 1:
            found.append(f"{re.escape(chr(start))}-{re.escape(chr(before))}")
            start = code
        before = code
    return found

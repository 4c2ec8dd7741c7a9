"""Character classes of the scripts that need a rule of their own, as ranges for a regex class."""

import re
import unicodedata
from functools import lru_cache

# Scripts written without spaces in which one character is about one word (Unicode blocks).
IDEOGRAPHS = (
    "\u3005-\u3007\u3040-\u309f\u30a0-\u30ff\u3100-\u312f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f"
    "\U00016fe0-\U00018dff\U0001aff0-\U0001b2ff\U00020000-\U0003ffff"
)
# Scripts written without spaces in which a word is several characters: Thai, Lao, Tibetan, Myanmar, Khmer, Tai.
UNSPACED = "\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff\u1950-\u19ff\u1a20-\u1aaf\uaa60-\uaa7f\uaa80-\uaadf"
# Hangul is written with spaces but glues particles to its words: a word search needs pairs of syllables.
HANGUL = "\u1100-\u11ff\u3130-\u318f\uac00-\ud7ff"
# What a reader does not see inside a word: soft hyphen, zero-width characters, direction marks, joiners, variation selectors.
INVISIBLE = "\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f\ufeff"

_MARK_CATEGORIES = ("Mn", "Mc", "Me")
_LAST_PLANE_WITH_MARKS = 0x1FFFF  # marks beyond plane 1 are only variation selectors


@lru_cache(maxsize=1)
def combining_marks() -> str:
    """Every combining mark of planes 0 and 1, as ranges to stand inside `[...]` of a regex.

    Python's `\\w` leaves marks out, so a decomposed "e + acute" or a Hindi vowel sign would end its word.
    """
    ranges: list[tuple[int, int]] = []
    for code in range(0x300, _LAST_PLANE_WITH_MARKS + 1):
        if unicodedata.category(chr(code)) not in _MARK_CATEGORIES:
            continue
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1] = (ranges[-1][0], code)
        else:
            ranges.append((code, code))
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges)


def is_visible(char: str) -> bool:
    """Whether a reader sees this character: no space, control, format, private-use or unassigned character, no surrogate."""
    return unicodedata.category(char)[0] not in "ZC"


def has_visible(text: str) -> bool:
    """Whether the text holds at least one visible character."""
    return any(is_visible(char) for char in text)


@lru_cache(maxsize=1)
def invisible_pattern() -> re.Pattern[str]:
    """The pattern that finds runs of characters of `INVISIBLE`."""
    return re.compile(f"[{INVISIBLE}]+")

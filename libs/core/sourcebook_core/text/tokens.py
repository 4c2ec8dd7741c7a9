"""Tokens of a text with their places: a word, one ideograph, or one other visible character."""

import re
from collections.abc import Iterator
from functools import lru_cache

from sourcebook_core.text.scripts import IDEOGRAPHS, INVISIBLE, UNSPACED, combining_marks

# No word of a natural language is longer. A longer run (base64, a file without a space) is cut into pieces that cost a model
# about as much as a word does, so that a window of tokens stays bounded in model tokens too.
MAX_WORD_CHARS = 64
RUN_PIECE_CHARS = 10
# About one word of a script without spaces.
UNSPACED_CHARS = 4


@lru_cache(maxsize=1)
def _pattern() -> re.Pattern[str]:
    marks = combining_marks()
    letter = f"[^\\W{IDEOGRAPHS}{UNSPACED}]"
    inner = f"(?:{letter}|[{marks}{INVISIBLE}])"
    # Each alternative is a bounded run: nothing backtracks over more than one word, so the scan is linear.
    return re.compile(
        f"(?>{letter}{inner}{{0,{MAX_WORD_CHARS - 1}}})(?!{inner})"
        f"|{letter}{inner}{{0,{RUN_PIECE_CHARS - 1}}}"
        f"|[{IDEOGRAPHS}][{marks}\\ufe00-\\ufe0f]{{0,4}}"
        f"|[{UNSPACED}]{{1,{UNSPACED_CHARS}}}"
        f"|\\S"
    )


def spans(text: str, start: int = 0, end: int | None = None) -> Iterator[tuple[int, int]]:
    """The tokens of `text[start:end]` in order, as half-open code point ranges into `text`.

    A token is a word (letters, digits, underscore and the marks and soft hyphens inside it; a run of more than 64
    characters is no word and gives pieces of 10), one ideograph or kana, up to four characters of another script without
    spaces, or one other character that is not a space.
    Lazy and linear in the length of the text.
    """
    for match in _pattern().finditer(text, start, len(text) if end is None else end):
        yield match.span()


def count(text: str) -> int:
    """How many tokens the text has."""
    return sum(1 for _ in spans(text))

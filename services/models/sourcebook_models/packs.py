"""With which of tesseract's languages to read a page whose language nobody told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from sourcebook_core.local_models import SCRIPT_OF_PACK, Tesseract
from sourcebook_core.text import language
from sourcebook_models.layout import Line

AT_ONCE = 5  # five take two to three times as long as one, and gain nothing where the language is known
PIECE_CHARS = 150  # a page may change its language; enough letters to tell one

NEARLY_ALL = 0.75  # of its pieces


def of_script(tesseract: Tesseract, script: str) -> list[str]:
    """The installed languages of a script, the more common first, at most `AT_ONCE`."""
    fitting = [pack for pack, written in SCRIPT_OF_PACK.items() if written == script and pack in tesseract.languages]
    return fitting[:AT_ONCE]


def told(lines: Sequence[Line]) -> str | None:
    """The language (code) of nearly all of a page, as its first reading shows; None for one that is mixed or has too few words.

    Wrong accents do not hide a language, and an address or a table in a foreign one does not change it.
    """
    pieces = [""]
    for line in lines:
        if len(pieces[-1]) > PIECE_CHARS:
            pieces.append("")
        pieces[-1] += line.text + " "
    if len(pieces) > 1 and len(pieces[-1]) < PIECE_CHARS / 2:
        pieces[-2:] = [pieces[-2] + pieces[-1]]
    (found, times), *_ = Counter(language.identify(piece) for piece in pieces).most_common(1)
    return found if times >= NEARLY_ALL * len(pieces) else None

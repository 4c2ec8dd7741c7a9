"""With which of tesseract's languages to read a page whose language nobody told."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sourcebook_core.local_models import PACK_OF, SCRIPT_OF_PACK, Tesseract
from sourcebook_core.text import language
from sourcebook_models.layout import Line

AT_ONCE = 5  # five take two to three times as long as one, and gain nothing where the language is known
PIECE_CHARS = 150  # a page may change its language; enough letters to tell one


def of_script(tesseract: Tesseract, script: str) -> list[str]:
    """The installed languages of a script, the more common first, at most `AT_ONCE`."""
    fitting = [pack for pack, written in SCRIPT_OF_PACK.items() if written == script and pack in tesseract.languages]
    return fitting[:AT_ONCE]


def told(lines: Sequence[Line]) -> set[str | None]:
    """The languages (codes) that a first reading of a page shows, None among them where a part of it is too mixed to tell.

    Wrong accents do not hide a language.
    """
    pieces = [""]
    for line in lines:
        if len(pieces[-1]) > PIECE_CHARS:
            pieces.append("")
        pieces[-1] += line.text + " "
    if len(pieces) > 1 and len(pieces[-1]) < PIECE_CHARS / 2:
        pieces[-2:] = [pieces[-2] + pieces[-1]]
    return {language.identify(piece) for piece in pieces}


def of_languages(tesseract: Tesseract, codes: Iterable[str | None]) -> list[str]:
    """The installed languages among these, in the order of the table."""
    wanted = {PACK_OF[code] for code in codes if code is not None and code in PACK_OF}
    return [pack for pack in SCRIPT_OF_PACK if pack in wanted and pack in tesseract.languages]

"""Where the characters of a PDF page stand, as the reader sees the page: 0..1 from the top left, rotation respected."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import pypdfium2
from pypdfium2 import raw

_GRID = 10_000_000  # device units across the page, so that whole numbers are fine enough
_RUN = re.compile(r"[^\s\u00ad]+\u00ad?|\u00ad")  # a word; one hyphenated at a line end is a word on each line


class Box(NamedTuple):
    """A rectangle in shares of the page's width and height."""

    x0: float
    y0: float
    x1: float
    y1: float


def words(page: pypdfium2.PdfPage, textpage: pypdfium2.PdfTextPage, text: str) -> list[dict[str, Any]]:
    """Each word with its half-open range of code points in `text` and the box around its characters."""
    units = _units(text)
    found = []
    for match in _RUN.finditer(text):
        start, end = match.span()
        box = _around([box for place in range(start, end) if (box := _char_box(page, textpage, units[place]))])
        if box:
            found.append({"text": match.group(), "start": start, "end": end, **box._asdict()})
    return found


def boxes(page: pypdfium2.PdfPage, textpage: pypdfium2.PdfTextPage, text: str, start: int, end: int) -> list[dict[str, float]]:
    """The rectangles of the characters `text[start:end]`, merged into one for each line."""
    return [line._asdict() for line in _lines(page, textpage, text, start, end)]


def lines(words_: Sequence[Sequence[float]], start: int, end: int) -> list[Box]:
    """The rectangles of the words [start, end, x0, y0, x1, y1] of a picture that lie in a range, merged into one for each line.

    Words of one line stand side by side in the order of the text; one that is cut by the range counts whole.
    """
    found: list[Box] = []
    for first, last, *edges in words_:
        if last <= start or first >= end:
            continue
        box = Box(*edges)
        line = found[-1] if found else None
        if line is not None and _overlap(line.y0, line.y1, box.y0, box.y1) > 0.5 and box.x0 >= line.x0:
            found[-1] = _around([line, box]) or box
        else:
            found.append(box)
    return found


def _lines(page: pypdfium2.PdfPage, textpage: pypdfium2.PdfTextPage, text: str, start: int, end: int) -> Iterator[Box]:
    units = _units(text)
    line: list[Box] = []
    for place in range(max(start, 0), min(end, len(text))):
        if text[place] in "\r\n":
            box = None
        else:
            box = _char_box(page, textpage, units[place])
        breaks = text[place] in "\r\n" or (box is not None and bool(line) and not _goes_on(line[-1], box))
        if breaks and line:
            yield _around(line) or line[0]
            line = []
        if box is not None:
            line.append(box)
        if text[place] == "\u00ad" and line:  # the rest of a hyphenated word stands on the next line
            yield _around(line) or line[0]
            line = []
    if line:
        yield _around(line) or line[0]


def _goes_on(before: Box, box: Box) -> bool:
    """Whether two characters stand on one line: they share some of their height, or of their width in turned text."""
    return _overlap(before.y0, before.y1, box.y0, box.y1) > 0.3 or _overlap(before.x0, before.x1, box.x0, box.x1) > 0.3


def _overlap(a0: float, a1: float, b0: float, b1: float) -> float:
    shorter = min(a1 - a0, b1 - b0)
    return (min(a1, b1) - max(a0, b0)) / shorter if shorter > 0 else 0.0


def _units(text: str) -> list[int]:
    """For each code point its place in pdfium's text, which counts UTF-16 units."""
    places, place = [], 0
    for char in text:
        places.append(place)
        place += 2 if char > "\uffff" else 1
    return places


def _char_box(page: pypdfium2.PdfPage, textpage: pypdfium2.PdfTextPage, unit: int) -> Box | None:
    """The box of one character with the height of its line; None for one that pdfium made up (blanks, line ends)."""
    index = raw.FPDFText_GetCharIndexFromTextIndex(textpage, unit)
    if index < 0 or raw.FPDFText_IsGenerated(textpage, index) == 1:
        return None
    rect = raw.FS_RECTF()
    if not raw.FPDFText_GetLooseCharBox(textpage, index, rect):
        return None
    x0, y0 = _seen(page, rect.left, rect.top)
    x1, y1 = _seen(page, rect.right, rect.bottom)
    box = Box(min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))
    return box if box.x1 > box.x0 and box.y1 > box.y0 else None


def _seen(page: pypdfium2.PdfPage, x: float, y: float) -> tuple[float, float]:
    """A point of the page's own system as the reader sees it, within 0..1."""
    across, down = ctypes.c_int(), ctypes.c_int()
    raw.FPDF_PageToDevice(page, 0, 0, _GRID, _GRID, 0, x, y, across, down)
    return min(max(across.value / _GRID, 0.0), 1.0), min(max(down.value / _GRID, 0.0), 1.0)


def _around(boxes_: list[Box]) -> Box | None:
    if not boxes_:
        return None
    return Box(
        round(min(box.x0 for box in boxes_), 5),
        round(min(box.y0 for box in boxes_), 5),
        round(max(box.x1 for box in boxes_), 5),
        round(max(box.y1 for box in boxes_), 5),
    )

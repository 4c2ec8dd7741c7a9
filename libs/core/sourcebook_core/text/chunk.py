"""Chunkers: cut one passage into half-open ranges of its own text. They only cut; nothing is changed or joined."""

from collections import deque
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from sourcebook_core.text import tokens
from sourcebook_core.text.outline import outline
from sourcebook_core.text.scripts import has_visible

HEADING_PIECE_CHARS = 500  # S0-16
HEADING_OVERLAP_CHARS = 50  # S0-16: 10 %
HEADING_CUT_LEVEL = 3  # S0-16: cut at #, ## and ###


class Range(NamedTuple):
    """Half-open range of Unicode code points inside one passage."""

    start: int
    end: int


def token_window(passage_text: str, size: int, overlap: int) -> list[Range]:
    """Windows of `size` tokens that share `overlap` tokens with the window before, as ranges into the passage.

    Every visible character lies in at least one range; a window without a visible character is left out, so a blank
    passage gives an empty list. Raises ValueError when `overlap` is not smaller than `size`. Source: S1-25, S1-26.
    """
    return list(iter_token_windows(passage_text, size, overlap))


def iter_token_windows(passage_text: str, size: int, overlap: int) -> Iterator[Range]:
    """The same windows one by one: keeps `size` token places in memory, whatever the length of the passage."""
    _refuse(size, overlap)
    window: deque[tuple[int, int]] = deque(maxlen=size)
    unseen = 0  # tokens of the window that no earlier range holds
    wanted = size
    for span in tokens.spans(passage_text):
        window.append(span)
        unseen += 1
        if unseen == wanted:
            yield from visible_range(passage_text, window[0][0], window[-1][1])
            unseen, wanted = 0, size - overlap
    if unseen:
        held = unseen if wanted == size else min(len(window), unseen + overlap)
        yield from visible_range(passage_text, window[len(window) - held][0], window[-1][1])


def headings(
    passage_text: str, size: int = HEADING_PIECE_CHARS, overlap: int = HEADING_OVERLAP_CHARS, max_level: int = HEADING_CUT_LEVEL
) -> list[Range]:
    """Pieces of at most `size` characters that never cross a Markdown heading of level 1 to `max_level`.

    A heading belongs to the section below it, also where the first below it is a heading again: a title alone answers nothing, and
    would take the place of a passage that does. A long section is cut at blanks, neighbours share about `overlap` characters.
    Every visible character lies in a range; no range is without one. Raises ValueError when `overlap` is not smaller than
    `size`. Source: S0-16.
    """
    _refuse(size, overlap)
    edges = sorted({0, *_section_starts(passage_text, max_level), len(passage_text)})
    pieces: list[Range] = []
    for start, end in pairwise(edges):
        for piece_start, piece_end in cut_at_blanks(passage_text, start, end, size, overlap):
            pieces.extend(visible_range(passage_text, piece_start, piece_end))
    return pieces


def _section_starts(text: str, max_level: int) -> Iterator[int]:
    """Where a section begins: at each heading that does not stand directly below another one."""
    titled = 0  # the end of the heading before, while nothing visible came after it
    for heading in outline(text):
        is_below_title = titled > 0 and not has_visible(text[titled : heading.start])
        if heading.level <= max_level and not is_below_title:
            yield heading.start
        titled = heading.end


def _refuse(size: int, overlap: int) -> None:
    if size < 1 or overlap < 0 or overlap >= size:
        raise ValueError(f"a chunk overlap of {overlap} does not fit into chunks of {size}: it must be 0 or more and smaller")


def visible_range(text: str, start: int, end: int) -> list[Range]:
    """The range, or nothing where it holds no visible character."""
    return [Range(start, end)] if has_visible(text[start:end]) else []


def cut_at_blanks(text: str, start: int, end: int, size: int, overlap: int = 0) -> Iterator[tuple[int, int]]:
    """Ranges of at most `size` characters that tile `text[start:end]` without the blanks at their edges."""
    start, end = _trimmed(text, start, end)
    while start < end:
        stop = end if end - start <= size else _blank_before(text, start + size, start + size // 2)
        yield _trimmed(text, start, stop)
        if stop >= end:
            return
        start = max(start + 1, _next_start(text, stop, overlap))


def _next_start(text: str, stop: int, overlap: int) -> int:
    """Where the next piece begins: `overlap` before `stop`, moved on to the start of a word, at latest at the next visible character."""
    place = stop - overlap
    while place < stop and not text[place - 1].isspace():
        place += 1
    if place >= stop and overlap and not text[stop - 1].isspace():
        place = stop if text[stop : stop + 1].isspace() else stop - overlap  # no blank in reach: share characters of the run
    while place < len(text) and text[place].isspace():
        place += 1
    return place


def _blank_before(text: str, limit: int, lowest: int) -> int:
    """The last place in `(lowest, limit]` where a word ends; `limit` itself when there is none."""
    for place in range(limit, lowest, -1):
        if text[place].isspace() and not text[place - 1].isspace():
            return place
    return limit


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end

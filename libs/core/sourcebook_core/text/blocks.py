"""The chunker of whole blocks: paragraphs, lists, tables and fenced code, together up to a size, never across a heading."""

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

from sourcebook_core.text.chunk import Range, cut_at_blanks, visible_range
from sourcebook_core.text.outline import outline

BLOCK_CHARS = 700  # S2-09

_LINE = re.compile(r"[^\r\n]*+(?:\r\n|\r|\n)|[^\r\n]++")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_ITEM = re.compile(r"\s{0,12}(?:[-*+\u2022\u2013]|\d{1,9}[.)])[ \t]")
_INDENTED = re.compile(r"(?: {2,}|\t)\S")


class _Part(NamedTuple):
    """What is not cut where it fits: a paragraph, a table, a list item or fenced code. `joins`: it belongs to the part before it."""

    start: int
    end: int
    joins: bool = False


def blocks(passage_text: str, size: int = BLOCK_CHARS) -> list[Range]:
    """Pieces of at most `size` characters made of whole blocks, as ranges into the passage.

    A heading belongs to what follows it, and nothing crosses one. A list stays together, with the line that announces it,
    where that fits; else its items do. A block above the size is cut at blanks. Every visible character lies in exactly one
    range; no range is without one. Raises ValueError for a size below 1. Source: S2-09.
    """
    if size < 1:
        raise ValueError(f"a chunk of {size} characters holds nothing")
    found: list[Range] = []
    for start, end, head_end in _sections(passage_text):
        for piece_start, piece_end in _packed(passage_text, start, head_end, end, size):
            found.extend(visible_range(passage_text, piece_start, piece_end))
    return found


def _sections(text: str) -> Iterator[tuple[int, int, int]]:
    """Start and end of each section, and where its headings end; headings in a row open one section together."""
    rows: list[tuple[int, int]] = []
    for one in outline(text):
        if rows and not text[rows[-1][1] : one.start].strip():
            rows[-1] = (rows[-1][0], one.end)
        else:
            rows.append((one.start, one.end))
    heads = dict(rows)
    for start, end in pairwise(sorted({0, *heads, len(text)})):
        yield start, end, heads.get(start, start)


def _packed(text: str, start: int, head_end: int, end: int, size: int) -> Iterator[tuple[int, int]]:
    """Ranges that tile `text[start:end]` but for blanks: as many blocks in each as fit."""
    open_at, open_end = start, head_end  # the heading, if there is one, waits for what follows
    waits = head_end > start
    for first, last in _fitting(text, _blocks(text, head_end, end), size):
        if open_end > open_at and last - open_at <= size:
            open_end, waits = last, False
            continue
        if open_end > open_at and not waits:
            yield open_at, open_end
        *full, (open_at, open_end) = cut_at_blanks(text, open_at if waits else first, last, size)
        waits = False
        yield from full
    if open_end > open_at:
        yield from cut_at_blanks(text, open_at, open_end, size)


def _fitting(text: str, found: Iterable[list[_Part]], size: int) -> Iterator[tuple[int, int]]:
    """The ranges of the blocks; of one above the size those of its parts, of a part above the size those of its lines."""
    for block in found:
        if block[-1].end - block[0].start <= size:
            yield block[0].start, block[-1].end
            continue
        for part in block:
            if part.end - part.start <= size:
                yield part.start, part.end
            else:
                lines = _LINE.finditer(text, part.start, part.end)
                yield from ((one.start(), one.start() + len(one.group().rstrip())) for one in lines if one.group().strip())


def _blocks(text: str, start: int, end: int) -> Iterator[list[_Part]]:
    block: list[_Part] = []
    for part in _parts(text, start, end):
        if block and not part.joins:
            yield block
            block = []
        block.append(part)
    if block:
        yield block


def _parts(text: str, start: int, end: int) -> Iterator[_Part]:
    """The parts in order. A part ends at a blank line, before a list item, and around fenced code."""
    part: _Part | None = None
    fence = ""
    was_blank = in_list = False
    for match in _LINE.finditer(text, start, end):
        line, begin = match.group(), match.start()
        stop = begin + len(line.rstrip())
        mark = _FENCE.match(line)
        if fence:
            part = part._replace(end=stop) if part else _Part(begin, stop)
            fence = "" if mark and line.strip().startswith(fence) and not line.strip().strip(fence[0]) else fence
            was_blank = False
            continue
        if not line.strip():
            was_blank = True
            continue
        is_item = bool(_ITEM.match(line))
        goes_on = part is not None and not mark and not is_item and (not was_blank or (in_list and bool(_INDENTED.match(line))))
        if part is not None and goes_on:
            part = part._replace(end=stop)
        else:
            announced = part is not None and text[part.start : part.end].rstrip().endswith(":")
            joins = part is not None and (announced or (in_list and is_item))
            if part is not None:
                yield part
            part, in_list = _Part(begin, stop, joins), is_item
        fence = mark.group(1) if mark else ""
        was_blank = False
    if part is not None:
        yield part

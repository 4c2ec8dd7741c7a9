"""Words on a picture put into reading order and written as text, each with its place."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

Box = tuple[float, float, float, float]  # left, top, right, bottom
WordPlace = tuple[int, int, float, float, float, float]

COLUMN_HEIGHTS = 8.0  # lines narrower than so many times their height are cells of a table, read across, not columns of prose
CROSSING = 0.35  # at most this part of the lines may cross a gutter (headings above columns)
NEW_PARAGRAPH = 1.5  # times the usual distance of two lines
OTHER_SIZE = 1.6  # times the height of the line before: a heading


@dataclass(frozen=True)
class Word:
    """A word, how sure the reader is (0..1), and its place in pixels of the upright picture."""

    text: str
    sure: float
    box: Box


@dataclass(frozen=True)
class Line:
    """Words side by side. `text` is how they are written; every word's text stands in it, in order."""

    text: str
    words: tuple[Word, ...]

    @property
    def box(self) -> Box:
        """The rectangle around its words."""
        return around(word.box for word in self.words)

    @property
    def sure(self) -> float:
        """How sure the reader is, by letters."""
        weights = [len(word.text) for word in self.words]
        return sum(word.sure * weight for word, weight in zip(self.words, weights, strict=True)) / max(1, sum(weights))


def around(boxes: Iterable[Box]) -> Box:
    """The rectangle around some."""
    left, top, right, bottom = zip(*boxes, strict=True)
    return min(left), min(top), max(right), max(bottom)


def written(paragraphs: Sequence[Sequence[Line]], size: tuple[int, int], turned: int) -> tuple[str, list[WordPlace]]:
    """The text, a line for a line and a blank line between paragraphs, and every word as
    `(start, end, x0, y0, x1, y1)`: code points of the text, and 0..1 of the picture as it came (before it was turned).
    """
    text, words = "", []
    for paragraph in paragraphs:
        text += "\n\n" if text else ""
        for number, line in enumerate(paragraph):
            text += "\n" if number else ""
            at = 0
            for word in line.words:
                found = line.text.find(word.text, at)
                if found < 0:
                    continue
                at = found + len(word.text)
                words.append((len(text) + found, len(text) + at, *_as_it_came(word.box, size, turned)))
            text += line.text
    return text, words


def _as_it_came(box: Box, size: tuple[int, int], turned: int) -> Box:
    """A place of the upright picture, in pixels, as 0..1 of the picture that had to be turned clockwise by `turned`."""
    width, height = size
    left, top, right, bottom = box[0] / width, box[1] / height, box[2] / width, box[3] / height
    placed = {
        0: (left, top, right, bottom),
        90: (top, 1 - right, bottom, 1 - left),
        180: (1 - right, 1 - bottom, 1 - left, 1 - top),
        270: (1 - bottom, left, 1 - top, right),
    }[turned]
    x0, y0, x1, y1 = (round(min(max(side, 0.0), 1.0), 5) for side in placed)
    return x0, y0, x1, y1


def in_order(lines: Sequence[Line]) -> list[list[Line]]:
    """Lines found anywhere on a picture, as paragraphs in reading order: column after column, tables row by row."""
    return [paragraph for block in _blocks(sorted(lines, key=lambda line: line.box[1])) for paragraph in _paragraphs(_rows(block))]


def _blocks(lines: list[Line]) -> list[list[Line]]:
    """Cut lines at gutters between columns; lines that cross a gutter part what is above from what is below."""
    gutter = _gutter(lines)
    if gutter is None:
        return [lines] if lines else []
    blocks: list[list[Line]] = []
    left: list[Line] = []
    right: list[Line] = []

    def flush() -> None:
        blocks.extend([*_blocks(list(left)), *_blocks(list(right))])
        left.clear()
        right.clear()

    crossing: list[Line] = []
    for line in lines:
        side = _side(line, gutter)
        if side is None:
            if left or right:
                flush()
            crossing.append(line)
            continue
        if crossing:
            blocks.append(crossing)
            crossing = []
        (left if side < 0 else right).append(line)
    flush()
    if crossing:
        blocks.append(crossing)
    return blocks


def _side(line: Line, x: float) -> int | None:
    left, _, right, _ = line.box
    slack = 0.3 * _height(line)  # boxes are drawn generously
    if right <= x + slack:
        return -1
    return 1 if left >= x - slack else None


def _gutter(lines: list[Line]) -> float | None:
    """Where two columns of prose are parted, or None. The best is the one that fewest lines cross, then the widest."""
    best: tuple[tuple[int, float], float] | None = None
    for x in {line.box[2] for line in lines}:
        left = [line for line in lines if _side(line, x) == -1]
        right = [line for line in lines if _side(line, x) == 1]
        crossing = len(lines) - len(left) - len(right)
        if len(left) < 2 or len(right) < 2 or crossing > CROSSING * len(lines) or not _is_prose(left) or not _is_prose(right):
            continue
        if not _are_beside(left, right):
            continue
        edge = max(line.box[2] for line in left)
        until = min(line.box[0] for line in right)
        mark = (crossing, edge - until)
        if best is None or mark < best[0]:
            best = (mark, (edge + until) / 2)
    return best[1] if best is not None else None


def _is_prose(lines: Sequence[Line]) -> bool:
    return statistics.median((line.box[2] - line.box[0]) / _height(line) for line in lines) >= COLUMN_HEIGHTS


def _are_beside(left: Sequence[Line], right: Sequence[Line]) -> bool:
    _, top, _, bottom = around(line.box for line in left)
    _, other_top, _, other_bottom = around(line.box for line in right)
    shared = min(bottom, other_bottom) - max(top, other_top)
    return shared > 0.4 * min(bottom - top, other_bottom - other_top)


def _rows(lines: Sequence[Line]) -> list[Line]:
    """Lines that stand at one height, joined from left to right."""
    rows: list[list[Line]] = []
    for line in sorted(lines, key=_middle):
        last = rows[-1] if rows else []
        # Beside the nearest of the row, not its first: a page that stands askew.
        if any(_are_level(line, one) and _is_clear(line, one) for one in last):
            last.append(line)
        else:
            rows.append([line])
    return [_joined(sorted(row, key=lambda line: line.box[0])) for row in rows]


def _are_level(line: Line, other: Line) -> bool:
    return abs(_middle(line) - _middle(other)) < 0.5 * min(_height(line), _height(other))


def _is_clear(line: Line, other: Line) -> bool:
    """Whether one ends before the other begins."""
    overlap = min(line.box[2], other.box[2]) - max(line.box[0], other.box[0])
    return overlap < 0.5 * _height(line)


def _joined(row: Sequence[Line]) -> Line:
    return Line(" ".join(line.text for line in row), tuple(word for line in row for word in line.words))


def _paragraphs(lines: Sequence[Line]) -> list[list[Line]]:
    """Cut where the distance grows or the size of the letters changes."""
    steps = [_middle(below) - _middle(above) for above, below in itertools.pairwise(lines)]
    usual = statistics.median_low(steps) if steps else 0.0
    found: list[list[Line]] = []
    for number, line in enumerate(lines):
        if number == 0 or steps[number - 1] > NEW_PARAGRAPH * usual or _differs(_size(line), _size(lines[number - 1])):
            found.append([])
        found[-1].append(line)
    return found


def _differs(height: float, before: float) -> bool:
    return max(height, before) > OTHER_SIZE * min(height, before)


def _height(line: Line) -> float:
    return max(1.0, statistics.median(word.box[3] - word.box[1] for word in line.words))


def _size(line: Line) -> float:
    """The height of its tallest word: nearly every line has a tall letter, but not every word."""
    return max(1.0, *(word.box[3] - word.box[1] for word in line.words))


def _middle(line: Line) -> float:
    return statistics.fmean((word.box[1] + word.box[3]) / 2 for word in line.words)

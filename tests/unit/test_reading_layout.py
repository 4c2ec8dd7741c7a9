"""Words on a picture become text in reading order, and every word keeps its place."""

from __future__ import annotations

import pytest

from sourcebook_models.layout import Line, Word, in_order, written


def line(text: str, left: float, top: float, height: float = 20.0) -> Line:
    """A line whose letters are half as wide as high."""
    words, x = [], left
    for word in text.split():
        width = len(word) * height / 2
        words.append(Word(word, 0.95, (x, top, x + width, top + height)))
        x += width + height / 2
    return Line(text, tuple(words))


def read(*lines: Line) -> str:
    return written(in_order(lines), (1000, 1000), 0)[0]


LEFT = ["The ferry leaves the northern pier", "at half past nine every morning,", "and comes back before the evening."]
RIGHT = ["Bicycles are carried through the", "side door, and dogs stay on the", "upper deck for the whole crossing."]


def test_two_columns_are_read_one_after_the_other() -> None:
    columns = [line(text, 50, 100 + 30 * n) for n, text in enumerate(LEFT)] + [
        line(text, 520, 100 + 30 * n) for n, text in enumerate(RIGHT)
    ]
    assert read(*columns) == "\n".join(LEFT) + "\n\n" + "\n".join(RIGHT)


def test_a_heading_over_both_columns_comes_first_and_a_foot_line_last() -> None:
    columns = [line(text, 50, 200 + 30 * n) for n, text in enumerate(LEFT)] + [
        line(text, 520, 200 + 30 * n) for n, text in enumerate(RIGHT)
    ]
    heading = line("How to travel to the islands by boat and by bicycle", 120, 100, height=30)
    foot = line("The harbour office answers every question about boats, from eight to six", 60, 400)
    assert read(*columns, heading, foot).split("\n\n") == [heading.text, "\n".join(LEFT), "\n".join(RIGHT), foot.text]


def test_a_table_is_read_row_by_row() -> None:
    rows = [("Station", "Distance", "Fare"), ("Harbour", "0 km", "2.50"), ("Lindow", "14 km", "4.80"), ("Brandt", "31 km", "7.20")]
    cells = [line(cell, 50 + 300 * x, 100 + 40 * y) for x in range(3) for y, cell in enumerate(row[x] for row in rows)]
    assert read(*cells) == "\n".join(" ".join(row) for row in rows)


def test_a_page_that_stands_askew_keeps_its_rows() -> None:
    row = [
        Line(word, (Word(word, 0.9, (x, 100 + x * 0.02, x + 80, 120 + x * 0.02)),))
        for word, x in (("one", 0), ("two", 400), ("three", 800))
    ]
    assert read(*row) == "one two three"


def test_a_larger_distance_parts_paragraphs() -> None:
    lines = [line(f"line number {n}", 50, top) for n, top in enumerate((100, 130, 160, 230, 260))]
    assert read(*lines) == "line number 0\nline number 1\nline number 2\n\nline number 3\nline number 4"


def test_words_are_ranges_of_the_text_in_order() -> None:
    text, words = written(in_order([line("Über den Fluß", 100, 100), line("fährt ein Boot", 100, 130)]), (1000, 500), 0)
    assert [text[start:end] for start, end, *_ in words] == ["Über", "den", "Fluß", "fährt", "ein", "Boot"]
    assert words[0][2:] == (0.1, 0.2, 0.14, 0.24)


@pytest.mark.parametrize(
    ("turned", "size", "place"),
    [
        (0, (400, 200), (0.25, 0.1, 0.5, 0.2)),
        (90, (400, 200), (0.1, 0.5, 0.2, 0.75)),
        (180, (400, 200), (0.5, 0.8, 0.75, 0.9)),
        (270, (400, 200), (0.8, 0.25, 0.9, 0.5)),
    ],
)
def test_places_are_those_of_the_picture_as_it_came(turned: int, size: tuple[int, int], place: tuple[float, ...]) -> None:
    """Upright, the word stands at a quarter to a half of the width and a tenth to a fifth of the height."""
    one = Line("word", (Word("word", 0.9, (100, 20, 200, 40)),))
    assert written([[one]], size, turned)[1] == [(0, 4, *place)]


def test_nothing_is_an_empty_text() -> None:
    assert written(in_order([]), (10, 10), 0) == ("", [])

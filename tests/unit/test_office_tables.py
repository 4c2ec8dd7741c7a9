"""Rows of a sheet become lines: where the header is, what a cell shows, and that every line can be cut back into its cells."""

from collections.abc import Iterator

from hypothesis import given, settings
from hypothesis import strategies as st

from sourcebook_ingest.read.office import csv_rows, tables
from sourcebook_ingest.read.office.events import Told
from sourcebook_ingest.read.office.tables import Caps, Row
from sourcebook_ingest.read.office.values import Format, format_of, number_shown, serial_shown

CELL = st.text(alphabet=st.characters(codec="utf-8"), max_size=12) | st.sampled_from(["|", " | ", "a|b", "| x", "x |", "||", "", "1"])


def given_rows(*rows: list[str], first: int = 1) -> Iterator[Row]:
    return ((number, cells, [not cell.isdigit() for cell in cells]) for number, cells in enumerate(rows, first))


def passages(rows: Iterator[Row], cells: int = 1_000_000, columns: int = 100) -> tuple[list[dict[str, object]], Caps]:
    caps = Caps(cells, columns)
    return [event["passage"] for event in tables.passages_of("S", rows, caps)], caps


def test_the_header_row_is_a_passage_of_its_own_and_leads_the_rows_below() -> None:
    found, _ = passages(given_rows(["Report"], [], ["Name", "Price"], ["a", "1"], ["b", "2"]))
    assert [(p["text"], p["row_from"], p["row_to"], p.get("lead")) for p in found] == [
        ("Report\n\nName | Price", 1, 3, None), ("a | 1\nb | 2", 4, 5, "Name | Price"),
    ]  # fmt: skip


def test_a_table_whose_first_row_holds_values_has_no_header() -> None:
    found, _ = passages(given_rows(["1", "2"], ["3", "4"]))
    assert [(p["text"], p.get("lead")) for p in found] == [("1 | 2\n3 | 4", None)]
    assert tables.header_place([(1, ["Name", "Name"], [True, True]), (2, ["a", "1"], [True, False])]) is None


def test_a_row_far_below_begins_a_passage_and_blank_rows_between_stay() -> None:
    rows = [(1, ["1", "2"], [False] * 2), (3, ["3", "4"], [False] * 2), (1_048_576, ["5", "6"], [False] * 2)]
    found, _ = passages(iter(rows))
    assert [(p["text"], p["row_from"], p["row_to"]) for p in found] == [("1 | 2\n\n3 | 4", 1, 3), ("5 | 6", 1_048_576, 1_048_576)]


def test_what_is_over_the_caps_is_left_out_and_named() -> None:
    wide = [str(number) for number in range(10)]
    found, caps = passages(given_rows(wide, wide, wide, wide), cells=15, columns=5)
    told = Told()
    caps.tell(told)
    assert "".join(str(p["text"]) for p in found).count("|") == 4 * 3
    assert set(told.warnings) == {"table_cut", "columns_cut"} and all(" S" in words for words in told.warnings.values())


def test_one_long_string_in_every_cell_is_bounded_by_what_it_says() -> None:
    caps, told = Caps(1_000_000, 1000, 5_000_000), Told()
    words, far = ["word " * 10_000] * 20, [""] * 900 + ["x"]
    rows = given_rows(*([words] * 200))
    found = [event["passage"] for event in tables.passages_of("S", rows, caps)]
    found += [event["passage"] for event in tables.passages_of("T", given_rows(*([far] * 200)), caps)]
    caps.tell(told)
    assert max(len(p["text"]) for p in found) < 210_000 and sum(len(p["text"]) for p in found) < 5_100_000
    assert set(told.warnings) == {"table_cut", "cells_cut"}


def test_blocks_are_bounded_and_tile_the_rows() -> None:
    found, _ = passages(given_rows(["Name", "Price"], *([f"name {n}", str(n)] for n in range(1000))))
    assert [p["row_from"] for p in found[1:]] == [2, 202, 402, 602, 802]
    for passage in found:
        assert len(str(passage["text"]).split("\n")) == int(str(passage["row_to"])) - int(str(passage["row_from"])) + 1


@settings(max_examples=150, deadline=None)
@given(st.lists(st.lists(CELL, max_size=5), max_size=12))
def test_every_line_is_cut_back_into_the_cells_it_was_made_of(rows: list[list[str]]) -> None:
    shown = [[tables.shown(cell) for cell in cells] for cells in rows]
    found, _ = passages(given_rows(*shown))
    lines = {}
    for passage in found:
        for place, line in enumerate(str(passage["text"]).split("\n")):
            lines[int(str(passage["row_from"])) + place] = line
    for number, cells in enumerate(shown, 1):
        kept = cells[: max((place for place, cell in enumerate(cells, 1) if cell), default=0)]
        assert lines.get(number, "").split(tables.BAR) == (kept or [""])


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=300), st.sampled_from(csv_rows.DELIMITERS))
def test_no_text_breaks_the_reading_of_a_table_as_text(text: str, delimiter: str) -> None:
    is_quoted = csv_rows.quotes_hold(text, delimiter, 0)
    read = list(csv_rows.rows(text, delimiter, 0, is_quoted))
    assert [number for number, _, _ in read] == list(range(1, len(read) + 1))
    assert "".join(csv_rows._lines(text, 0)) == text


def test_the_delimiter_is_the_one_that_gives_even_rows() -> None:
    assert csv_rows.delimiter_of("a;b\n1,5;2\n3;4\n") == ";"
    assert csv_rows.delimiter_of("a\tb\n1, 2\t3\n") == "\t"
    assert csv_rows.delimiter_of('"x, y",b\n1,2\n') == ","
    assert csv_rows.delimiter_of("one\ntwo\n") == ","


def test_numbers_show_no_float_noise() -> None:
    shown = {0.1 + 0.2: "0.3", 12.0: "12", -0.0: "0", 1e20: "100000000000000000000", 1234567.891: "1234567.891", 1e-7: "0.0000001"}
    assert {value: number_shown(value) for value in shown} == shown
    assert number_shown(0.125, is_percent=True) == "12.5%"


def test_serial_numbers_are_dates_of_their_epoch() -> None:
    assert serial_shown(45352, Format.DATE, is_1904=False) == "2024-03-01"
    assert serial_shown(45352.5, Format.DATE, is_1904=False) == "2024-03-01 12:00"
    assert serial_shown(43890, Format.DATE, is_1904=True) == "2024-03-01"
    assert serial_shown(59, Format.DATE, is_1904=False) == "1900-02-28" and serial_shown(61, Format.DATE, is_1904=False) == "1900-03-01"
    assert serial_shown(0.75, Format.TIME, is_1904=False) == "18:00"
    assert serial_shown(1.5, Format.DURATION, is_1904=False) == "36:00:00"
    assert serial_shown(1e12, Format.DATE, is_1904=False) is None


def test_a_number_format_says_what_a_number_stands_for() -> None:
    assert format_of("14", None) is Format.DATE and format_of("9", None) is Format.PERCENT and format_of("0", None) is Format.NUMBER
    codes = {
        "dd/mm/yyyy": Format.DATE, "mmm": Format.DATE, "h:mm": Format.TIME, "[h]:mm:ss": Format.DURATION, "0.0%": Format.PERCENT,
        '#,##0.00 "days"': Format.NUMBER, "General": Format.NUMBER, "[Red]0.00": Format.NUMBER, '0.00\\d': Format.NUMBER,
    }  # fmt: skip
    assert {code: format_of("164", code) for code in codes} == codes


def test_columns_named_by_quarters_or_years_are_a_header() -> None:
    text = "Region,Q1,Q2\nNorth,4,5\nSouth,6,7\n"
    first = list(csv_rows.rows(text, ",", 0, is_quoted=True))
    assert tables.header_place(first) == 0
    years = list(csv_rows.rows("Land,2022,2023,2024\nNord,4,5,6\n", ",", 0, is_quoted=True))
    assert tables.header_place(years) == 0
    assert tables.header_place(list(csv_rows.rows("Hall,1901\nByron,1912\n", ",", 0, is_quoted=True))) is None
    values = ["1", "-1.5", "1,234.50", "12 %", "€ 5", "5 €", "2024-03-01", "12:30", "(3)", "5 kg", "USD 7"]
    assert [cell for cell in values if not csv_rows._is_value(cell)] == []
    assert [cell for cell in ("Q1", "Mill 7 of the Dane", "A4", "no. 4") if csv_rows._is_value(cell)] == []

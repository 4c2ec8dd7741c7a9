"""Numbers are read as any locale may mean them and looked for in what the model was given."""

from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sourcebook_core.text.numbers import Grounding, scan, ungrounded


def values(text: str) -> list[list[str]]:
    return [sorted(str(reading.value) for reading in number.readings) for number in scan(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1.234", [["1.234", "1234"]]),
        ("1,234", [["1.234", "1234"]]),
        ("1 000", [["1000"]]),
        ("1\u202f000 and 1'000", [["1000"], ["1000"]]),
        ("1.000,50", [["1000.50"]]),
        ("1,234,567.8", [["1234567.8"]]),
        ("1.234.567", [["1234567"]]),
        ("12,5 and 0.123", [["12.5"], ["0.123"]]),
        ("-2.5", [["-2.5"]]),
        ("20-40", [["20"], ["40"]]),
        ("20–40 %", [["20"], ["40"]]),
        ("14.2%, (7) and $8", [["14.2"], ["7"], ["8"]]),
        ("in 2024.", [["2024"]]),
        ("2.5 million", [["2.5", "2500000.0"]]),
        ("3 Mrd. Euro", [["3", "3000000000"]]),
        ("v1.2.3, COVID-19, H2O, 8mm, 5G, CO2 and x_1", []),
        ("2024-03-05 and 5.3.2024 and 05.03. and 5/3/2024", []),
        ("https://x.org/2024/17 [17](http://x/5) a@b5.org", []),
        ("[1] [2, 3] 【4】 [5-7]", []),
        ("1. first\n2) second\n  - 3. third", []),
        ("the 2nd, 3rd, 21st, 1er, 2e, 3º and am 3. Mai, dne 5. května", []),
        ("There were 17. Then 18 came.", [["17"], ["18"]]),
        ("[11.5, 14.2]", [["11.5"], ["14.2"]]),
        ("2024年に13人", [["2024"], ["13"]]),
        ("thirteen", []),
        ("1" * 40, []),
    ],
)
def test_every_reading_of_a_number_is_kept_and_what_is_no_quantity_dropped(text: str, expected: list[list[str]]) -> None:
    assert values(text) == expected


@pytest.mark.parametrize(
    ("answer", "source", "missing"),
    [
        ("14.19, 14.2 and 14", "14.1923", []),
        ("15", "14.1923", ["15"]),
        ("14.19", "14.2", ["14.19"]),
        ("1,234 people", "1.234 Personen", []),
        ("1 000", "1,000", []),
        ("12 345", "between 12 and 345", []),
        ("17 experts", "13 experts", ["17"]),
        ("fell by 2.5", "a change of \u22122.5", []),
        ("-2.5", "2.5", ["-2.5"]),
        ("1.2 million", "1,234,567", []),
        ("1.3 million", "1,234,567", ["1.3"]),
        ("8 mm in 2024", "8mm on 5.3.2024", []),
        ("step 3", "3. Press the button", []),
        ("20 %", "0.2", ["20"]),
        ("20 and 20", "", ["20"]),
        ("0", "0.4", ["0"]),
    ],
)
def test_a_number_passes_when_one_reading_stands_in_the_sources(answer: str, source: str, missing: list[str]) -> None:
    assert ungrounded(answer, Grounding([source])) == missing


def test_pinned_constants_ground_a_number() -> None:
    assert ungrounded("20 % of 3", Grounding(["nothing"], constants=(20, 3))) == []


def test_offsets_point_at_the_number_as_written() -> None:
    text = "See [1] https://x.org/99: about −1.234,5 kg"
    assert [text[number.start : number.end] for number in scan(text)] == ["−1.234,5"]
    assert scan(text)[0].readings[0].value == Decimal("-1234.5")


@pytest.mark.parametrize("text", ["12mm", "0.5mm", "1 000mm", "£1.2bn", "123kg and 20°C", "doi 10.1000/182.x9"])
def test_of_a_number_with_a_unit_stuck_to_it_no_part_is_left_over(text: str) -> None:
    assert values(text) == []


GROUPS = (",", ".", " ", "\u00a0", "\u202f", "'", "\u2019")


def written(whole: int, group: str, point: str = "", decimals: str = "") -> str:
    """A number as some locale writes it."""
    return f"{whole:,}".replace(",", group) + (point + decimals if decimals else "")


POINTS = {",": (".",), ".": (",",)}  # beside a blank or an apostrophe both are used


@st.composite
def two_ways(draw: st.DrawFn) -> tuple[str, str]:
    """One value of at least 10,000 with two decimals, written as two locales do."""
    whole, decimals = draw(st.integers(10_000, 10**12)), f"{draw(st.integers(0, 99)):02}"
    styles = draw(st.lists(st.sampled_from([*GROUPS, ""]), min_size=2, max_size=2))
    one, other = (written(whole, group, draw(st.sampled_from(POINTS.get(group, (".", ",")))), decimals) for group in styles)
    return one, other


@given(two_ways())
def test_a_number_is_found_however_two_locales_write_it(pair: tuple[str, str]) -> None:
    answer, source = pair
    assert ungrounded(f"It is {answer} now.", Grounding([f"They counted {source} of them."])) == []


@given(st.integers(1, 10**9), st.integers(1, 10**9), st.sampled_from([*GROUPS, ""]), st.sampled_from([*GROUPS, ""]))
def test_another_number_is_never_found(one: int, other: int, group: str, other_group: str) -> None:
    answer, source = written(one, group), written(other, other_group)
    readings = {reading.value for number in scan(answer) for reading in number.readings}
    told = scan(source)
    parts = {reading.value for number in told for part in (number, *number.parts) for reading in part.readings}
    rounded = any(reading.step < 0 for number in told for reading in number.readings)  # "1.234" may be cut to "1"
    if not readings & parts and not rounded and not scan(answer)[0].parts:
        assert ungrounded(answer, Grounding([source])) == [answer]


@given(st.decimals(min_value=1, max_value=10**6, places=5), st.integers(0, 4))
def test_a_rounded_or_shortened_value_is_found_and_its_neighbours_are_not(value: Decimal, places: int) -> None:
    unit = Decimal(1).scaleb(-places)
    rounded, cut = value.quantize(unit, ROUND_HALF_UP), value.quantize(unit, ROUND_DOWN)
    source = Grounding([f"{value}"])
    assert ungrounded(f"{rounded} and {cut}", source) == []
    for wrong in (rounded + unit, cut - unit):
        if places != 3 and wrong > 0:  # "1.234" reads as 1234 too
            assert ungrounded(f"{wrong}", source) == [f"{wrong}"]


@given(st.text(alphabet="0123456789.,-\u2212 '%a\u00e9[]()/:\n\u00a0v\u2019", max_size=60))
def test_every_number_is_a_slice_of_its_text_and_stands_in_it(text: str) -> None:
    found = scan(text)
    assert all(text[number.start : number.end] == number.text and number.start < number.end for number in found)
    assert all(one.end <= other.start for one, other in pairwise(found))
    assert ungrounded(text, Grounding([text])) == [] or any(not number.readings for number in found)

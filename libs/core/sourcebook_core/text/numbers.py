"""Numbers of a text in every reading that a locale allows, and whether they stand in other texts."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from decimal import ROUND_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal

_GROUPS = "[ \u00a0\u2009\u202f'\u2019]"  # what separates thousands beside point and comma
_LETTER = "A-Za-z\u00b5\u00c0-\u024f\u0370-\u03ff"  # a digit with one of these beside it is a unit or a name; ideographs are not
_NUMBER = re.compile(
    rf"(?<![{_LETTER}\d_.,])(?P<sign>(?<![\d\w)\]])[-\u2212])?"
    # Nothing is given back once it is read: of "12mm" and "1 000mm" no "1" is left over.
    rf"(?P<digits>(?>\d{{1,3}}(?:{_GROUPS}\d{{3}})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,]\d+)*|(?:^|(?<=[\s(=<>~\u00b1\u2212-]))\.\d+))"
    rf"(?![{_LETTER}])"
)
# What holds digits and is no quantity. Source: N-08.
_NOT_NUMBERS = re.compile(
    r"\]\([^)\s]{0,2000}\)"  # link target
    r"|\b10\.\d{4,9}/\S{1,200}"  # DOI
    r"|(?:https?://|www\.)\S+|(?<!\S)[^\s@]{1,64}@[^\s@]{1,255}"
    r"|[\[【［]\s*\d{1,3}(?:\s*[,;\u2013-]\s*\d{1,3})*\s*[\]】］]"  # citation
    r"|(?<!\d)\d{4}-\d{1,2}-\d{1,2}(?:T[\d:.]+Z?)?(?!\d)"  # ISO date
    r"|(?<![\d.])\d{1,2}\.\s?\d{1,2}\.(?:\s?\d{2,4})?(?!\d)"  # dotted date
    r"|(?<![\d/])\d{1,2}/\d{1,2}/\d{2,4}(?![\d/])"
    r"|(?<![\d.])(?!\d{1,3}(?:\.\d{3}){1,9}(?![\d.]))\d{1,9}\.\d{1,9}\.\d{1,9}(?:\.\d{1,9})*"  # version or address; 1.234.567 is a number
    rf"|(?<![\w])[vV]\d+(?:\.\d+)*\b|(?<![\w])[{_LETTER}_]{{1,40}}[-_/]?\d[\w.-]{{0,80}}(?<=\w)"  # v1.2.3, COVID-19, H2O
    r"|\b\d{1,9}(?:st|nd|rd|th|er|re|ème|eme|e|te[nrsm]?|ter|tes|º|ª|°)\b|\d{1,9}[ºª]"  # ordinals
    r"|(?m:^[ \t]*(?:[-*+]\s+)?\d{1,3}[.)](?=\s))"  # list marker
    r"|(?<![\d.,])\d{1,2}\.(?=\s(?:Jan|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez|[a-zà-ž]))"  # "3. Mai", "5. května"
)
_SCALES = {
    3: "thousand tausend tisíc tisíce mil mille",
    6: "million millions millionen mio milion miliony milionů milionu millón millones",
    9: "billion billions bn milliarde milliarden mrd miliarda miliardy miliard milliard milliards",
    12: "trillion trillions billion billionen bilion biliony bilionů billón billones",
}
_SCALE_WORDS: dict[str, tuple[int, ...]] = {
    word: tuple(power for power, words in _SCALES.items() if word in words.split()) for words in _SCALES.values() for word in words.split()
}
_SCALE_AFTER = re.compile(r"[ \u00a0\u202f-]?([^\W\d_]+)")
_MAX_DIGITS = 30  # a longer run is no quantity


@dataclass(frozen=True, slots=True)
class Reading:
    """One value a written number may mean, and the power of ten of its last written digit."""

    value: Decimal
    step: int


@dataclass(frozen=True, slots=True)
class Number:
    """A number as written, its half-open range in the text, its readings, its parts if it may be a list, and of its readings
    those that a word of scale behind it gives ("million")."""

    text: str
    start: int
    end: int
    readings: tuple[Reading, ...]
    parts: tuple["Number", ...] = ()
    scaled: tuple[Reading, ...] = ()


def scan(text: str) -> list[Number]:
    """The quantities of a text in order: no dates, links, citations, identifiers, list markers, ordinals or glued units ("8mm").

    "1.234" reads as 1.234 and 1,234; "1 000" as one number or two; "2.5 million" also as 2,500,000. Source: N-08.
    """
    return list(_numbers(_NOT_NUMBERS.sub(_blank, text)))


class Grounding:
    """All values that stand in given texts, in every reading, with the digits inside their dates, names and list markers."""

    def __init__(self, texts: Iterable[str], constants: Iterable[int] = ()) -> None:
        self._readings: set[Reading] = {Reading(Decimal(constant), 0) for constant in constants}
        for text in texts:
            self._add(text)
        self._values = {reading.value for reading in self._readings}

    def _add(self, text: str) -> None:
        for number in (*_numbers(text), *scan(text)):  # also as they read once what is no quantity is out
            self._readings.update(number.readings)
            self._readings.update(reading for part in number.parts for reading in part.readings)
        for match in _NOT_NUMBERS.finditer(text):
            for run in re.findall(r"\d+(?:[.,]\d+)?", match.group()):
                self._readings.update(_readings(run))
                self._readings.update(_readings(re.split("[.,]", run)[0]))
        for match in re.finditer(rf"\d+(?:[.,]\d+)*(?=[{_LETTER}])", text):
            self._readings.update(_readings(match.group()))

    def holds(self, number: Number) -> bool:
        """Whether one reading of the number stands in the texts, exactly or with more digits that round or cut to it (S0-59)."""
        if any(self._holds_reading(reading) for reading in number.readings):
            return True
        return bool(number.parts) and all(self.holds(part) for part in number.parts)

    def _holds_reading(self, wanted: Reading) -> bool:
        if wanted.value in self._values or (wanted.value >= 0 and -wanted.value in self._values):
            return True
        return any(_rounds_to(found, wanted) for found in self._readings)


def ungrounded(text: str, grounding: Grounding) -> list[str]:
    """The numbers of the text, as written, each once, that stand in none of the grounding texts."""
    return list(dict.fromkeys(number.text for number in scan(text) if not grounding.holds(number)))


def is_scale_word(word: str) -> bool:
    """Whether a word multiplies the number before it ("million")."""
    return word.lower() in _SCALE_WORDS


def scaled(number: Number) -> Number:
    """The number as its word of scale alone means it ("2.5 million" not as 2.5); one without such a word as it is."""
    return replace(number, readings=number.scaled, parts=()) if number.scaled else number


def _blank(match: re.Match[str]) -> str:
    """Keeps offsets; a letter-like filler would glue to neighbours, a blank could join thousands."""
    return "\ufffc" * len(match.group())


def _numbers(text: str) -> Iterator[Number]:
    for match in _NUMBER.finditer(text):
        digits = match.group("digits")
        if len(digits) > _MAX_DIGITS:
            continue
        sign = -1 if match.group("sign") else 1
        found = [Reading(reading.value * sign, reading.step) for reading in _readings(digits)]
        large = [_scaled(reading, power) for power in _scales_after(text, match.end()) for reading in found]
        parts = tuple(_parts(digits, match.start("digits")))
        yield Number(text[match.start() : match.end()], match.start(), match.end(), (*found, *large), parts, tuple(large))


def _readings(digits: str) -> list[Reading]:
    """Every value that some locale reads in these digits and separators."""
    plain = re.sub(_GROUPS, "", digits)
    separators = re.findall("[.,]", plain)
    values: list[str] = []
    if not separators:
        values.append(plain)
    elif len(separators) == 1:
        head, tail = re.split("[.,]", plain)
        values.append(f"{head}.{tail}")
        if len(tail) == 3 and 1 <= len(head) <= 3 and head[0] != "0" and plain == digits:
            values.append(head + tail)
    elif len(set(separators)) == 1:
        pieces = re.split("[.,]", plain)
        if len(pieces[0]) <= 3 and all(len(piece) == 3 for piece in pieces[1:]):
            values.append("".join(pieces))
        elif len(pieces[0]) <= 2 and len(pieces[-1]) == 3 and all(len(piece) == 2 for piece in pieces[1:-1]):
            values.append("".join(pieces))  # 1,00,000 as in India
    else:
        last = max(plain.rfind("."), plain.rfind(","))
        values.append(re.sub("[.,]", "", plain[:last]) + "." + plain[last + 1 :])
    return [_reading(value) for value in values]


def _reading(value: str) -> Reading:
    return Reading(Decimal(value), -len(value.partition(".")[2]))


def _parts(digits: str, start: int) -> Iterator[Number]:
    """The single numbers, where blanks or several commas may separate a list and not thousands."""
    if re.search("[ \u00a0\u2009\u202f]", digits) or digits.count(",") >= 2:
        for match in re.finditer(r"\d+(?:\.\d+)?", digits):
            yield Number(match.group(), start + match.start(), start + match.end(), tuple(_readings(match.group())))


def _scales_after(text: str, end: int) -> tuple[int, ...]:
    match = _SCALE_AFTER.match(text, end)
    return _SCALE_WORDS.get(match.group(1).lower(), ()) if match else ()


def _scaled(reading: Reading, power: int) -> Reading:
    return Reading(reading.value * Decimal(10) ** power, reading.step + power)


def _rounds_to(found: Reading, wanted: Reading) -> bool:
    """Whether `found`, written with more digits, rounds or is cut to `wanted`; nothing rounds to 0."""
    if found.step >= wanted.step or not wanted.value:
        return False
    value = found.value if wanted.value < 0 else abs(found.value)
    if abs(value - wanted.value) > Decimal(10) ** wanted.step:
        return False
    unit = Decimal((0, (1,), wanted.step))
    return any(value.quantize(unit, rounding) == wanted.value for rounding in (ROUND_HALF_UP, ROUND_HALF_EVEN, ROUND_DOWN))

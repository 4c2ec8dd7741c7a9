"""csv and tsv: encoding, delimiter and quotes found out; broken quotes are bounded."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator

from sourcebook_core.errors import PermanentError
from sourcebook_core.sandbox_talk import Refused
from sourcebook_core.text import decode, language
from sourcebook_core.text.scripts import has_visible
from sourcebook_ingest.read.office import tables
from sourcebook_ingest.read.office.events import Events, Told, facts
from sourcebook_ingest.read.office.tables import Caps, Row, shown

DELIMITERS = (",", ";", "\t", "|")
SAMPLE_LINES = 200
SAMPLE_CHARS = 200_000
_HEADER_WITHIN = 1000
QUOTED_LINES = 200  # a cell of more lines than this is a quote that nobody closed
_VALUE = re.compile(r"[-+\u2212(]?\s?(?:[^\W\d_]{3}\s|[^\w\s]\s?)?\d[\d\s.,:/'\u2019-]*\)?(?:\s?[^\W\d_]{1,3}|\s?\S)?$")
csv.field_size_limit(10_000_000)  # of one cell; above it quotes are broken, and it bounds what one cell holds back
language.warm()  # detection of an encoding asks for the language; the child may not be able to load it later


def read(content: bytes, caps: Caps, told: Told, *, is_tsv: bool) -> Events:
    """The passages of the one table."""
    text = _decoded(content, told)
    said, start = _said_delimiter(text)
    delimiter = said or ("\t" if is_tsv else delimiter_of(text[:SAMPLE_CHARS]))
    is_quoted = quotes_hold(text, delimiter, start)
    if not is_quoted:
        told.warn("quotes_broken", "A quotation mark is not closed: the quotation marks of the table were read as plain characters.")
    yield facts(gap=1)
    yield from tables.passages_of(None, rows(text, delimiter, start, is_quoted), caps)


def _decoded(content: bytes, told: Told) -> str:
    if not content.strip(b"\0 \t\r\n\f\v"):
        raise Refused("no_text")
    try:
        found = decode.decode(content)
    except PermanentError as error:
        raise Refused(error.code) from None
    if not has_visible(found.text.replace("\ufffd", "")):
        raise Refused("no_text")
    if found.guessed:
        told.warn("encoding_guessed", f"The file does not say its encoding; it was read as {found.encoding}.")
    if found.replaced:
        told.warn("characters_replaced", f"{found.replaced} broken characters are shown as \ufffd.")
    return found.text


def _said_delimiter(text: str) -> tuple[str | None, int]:
    """The delimiter that a first line "sep=;" names for spreadsheet programs, and where the table begins after it."""
    line = text[:20].splitlines()[0] if text else ""
    if line.lower().startswith("sep=") and len(line) == 5:
        return line[4], min(len(text), text.index(line) + len(line) + 1)
    return None, 0


def delimiter_of(sample: str) -> str:
    """The delimiter that cuts most of the sample's lines into the same number of cells, at least two; else a comma."""
    best, best_score = ",", 0.0
    for delimiter in DELIMITERS:
        widths: Counter[int] = Counter()
        for count, (_, cells, _) in enumerate(rows(sample, delimiter, 0, is_quoted=True)):
            widths[len(cells)] += 1
            if count >= SAMPLE_LINES:
                break
        usual = widths.most_common(1)
        if usual and usual[0][0] >= 2:
            score = usual[0][1] / widths.total() + min(usual[0][0], 50) / 1000
            if score > best_score:
                best, best_score = delimiter, score
    return best


def quotes_hold(text: str, delimiter: str, start: int) -> bool:
    """Whether every quotation mark that opens a cell is closed before the cell gets longer than any cell is."""
    if '"' not in text:
        return True
    reader = csv.reader(_lines(text, start), delimiter=delimiter)
    lines, place = _lines(text, start), start
    before = 0
    try:
        for _ in reader:
            taken = reader.line_num - before
            if taken > QUOTED_LINES:
                return False
            before = reader.line_num
            last, place = place, place + sum(len(next(lines)) for _ in range(taken))
    except csv.Error:
        return False
    return not before or not _is_open(text[last:], delimiter)


def _is_open(record: str, delimiter: str) -> bool:
    """Whether a quotation mark of the last record is closed by the end of the file only."""
    try:
        for _ in csv.reader(_lines(record, 0), delimiter=delimiter, strict=True):
            pass
    except csv.Error as error:
        return "unexpected end" in str(error)
    return False


def rows(text: str, delimiter: str, start: int, is_quoted: bool) -> Iterator[Row]:
    """The records as rows, numbered from 1 as a spreadsheet program would show them."""
    reader = csv.reader(_lines(text, start), delimiter=delimiter, quoting=csv.QUOTE_MINIMAL if is_quoted else csv.QUOTE_NONE)
    number = 0
    try:
        for number, record in enumerate(reader, 1):
            cells = [shown(cell) for cell in record]
            # Only a sheet's first rows are asked for a header.
            yield number, cells, [not _is_value(cell) for cell in cells] if number <= _HEADER_WITHIN else [False] * len(cells)
    except csv.Error:
        return  # a cell without end in a sample; the whole was looked through before


def _is_value(cell: str) -> bool:
    """Whether a cell is a number, an amount or a date, and no word like Q1."""
    return bool(_VALUE.match(cell))


def _lines(text: str, start: int) -> Iterator[str]:
    """The lines with their ends, cut at CRLF, CR and LF only, without a copy of the whole."""
    size = len(text)
    while start < size:
        feed, back = text.find("\n", start), -1
        stop = size if feed < 0 else feed + 1
        back = text.find("\r", start, stop)
        if 0 <= back < stop - 1 and text[back + 1] != "\n":
            stop = back + 1
        yield text[start:stop]
        start = stop

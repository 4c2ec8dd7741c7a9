"""xlsx and xlsm: stored values sheet by sheet, row by row, as a person sees them; formulas and macros are never looked at."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from sourcebook_core.packed import Package
from sourcebook_core.sandbox_talk import Refused
from sourcebook_ingest.read.office import tables, xml
from sourcebook_ingest.read.office.events import Events, Told, listed, one_line
from sourcebook_ingest.read.office.tables import Caps, Row, shown
from sourcebook_ingest.read.office.values import Format, format_of, number_shown, serial_shown

LAST_COLUMN = 16_383
STRING_BYTES = 400_000_000  # shared strings are kept while the sheets are read
_ERRORS_AND_WORDS = frozenset({"str", "inlineStr", "e"})


@dataclass(slots=True)
class _Book:
    strings: list[str]
    formats: list[Format]
    is_1904: bool
    without_value: int = 0  # formulas whose program stored no result
    merged: list[str] = field(default_factory=list)


def read(package: Package, caps: Caps, told: Told) -> Events:
    """The passages of every sheet, hidden ones too, which are named."""
    main = next((name for kind, name in xml.relations(package, "").values() if kind == "officeDocument"), "xl/workbook.xml")
    root = xml.part(package, main)
    if root is None:
        raise Refused("damaged_file", why="no workbook")
    yield xml.core_facts(package, gap=1)
    parts = xml.relations(package, main)
    known = dict(parts.values())
    is_1904 = any(xml.local(e) == "workbookPr" and e.get("date1904") in ("1", "true") for e in root)
    book = _Book(_strings(package, known.get("sharedStrings")), _formats(package, known.get("styles")), is_1904)
    hidden = []
    for sheet in root.iter("{*}sheet"):
        kind, name = parts.get(xml.attribute(sheet, "id") or "", ("", ""))
        title = one_line(str(sheet.get("name", ""))) or "Sheet"
        if sheet.get("state") in ("hidden", "veryHidden"):
            hidden.append(title)
        if kind == "worksheet" and name in package.names:
            yield from tables.passages_of(title, _rows(package, name, book, title), caps)
    if hidden:
        told.warn("hidden_sheets", f"Hidden sheets were read too: {listed(hidden)}.")
    if book.without_value:
        what = f"Formulas whose results are not stored in the file were left empty ({book.without_value})."
        told.warn("formulas_without_values", f"{what} Open it in a spreadsheet program, save it and add it again.")
    if book.merged:
        told.warn("merged_cells", f"Merged cells stand in their first cell only, in {listed(book.merged)}.")


def _strings(package: Package, name: str | None) -> list[str]:
    if name is None or name not in package.names:
        return []
    found, size = [], 0
    for item in xml.elements(package.xml_stream(name), "si"):
        words = shown(_string(item))
        size += len(words)
        if size > STRING_BYTES:
            raise Refused("resource_limit")
        found.append(words)
    return found


def _string(item: xml.Element) -> str:
    """The words of a string item: of its runs too, without the readings that stand above them (rPh)."""
    return "".join(
        element.text or "" for child in item if xml.local(child) in ("t", "r")
        for element in (child.iter("{*}t") if xml.local(child) == "r" else (child,))
    )  # fmt: skip


def _formats(package: Package, name: str | None) -> list[Format]:
    root = xml.part(package, name) if name else None
    if root is None:
        return []
    own = {str(e.get("numFmtId")): str(e.get("formatCode", "")) for e in root.iter("{*}numFmt")}
    cells = next(root.iter("{*}cellXfs"), ())
    return [format_of(str(xf.get("numFmtId", "0")), own.get(str(xf.get("numFmtId", "0")))) for xf in cells]


def _rows(package: Package, name: str, book: _Book, title: str) -> Iterator[Row]:
    number = 0
    for element in xml.elements(package.xml_stream(name), "row", "mergeCell"):
        if xml.local(element) == "mergeCell":
            if title not in book.merged:
                book.merged.append(title)
            continue
        given = str(element.get("r", ""))
        # A row that goes back or says nonsense follows the one before it.
        number = int(given) if given.isdecimal() and number < int(given) <= 2**31 - 1 else number + 1
        cells: list[str] = []
        are_words: list[bool] = []
        last = -1
        for cell in element:
            if xml.local(cell) != "c":
                continue
            column = _column(str(cell.get("r", "")))
            # Without a reference, or with one that goes back, it follows the cell before it.
            last = column if column is not None and column > last else min(last + 1, LAST_COLUMN)
            words, is_words = _cell(cell, book)
            if words:
                cells.extend([""] * (last - len(cells)))
                are_words.extend([False] * (last - len(are_words)))
                cells.append(words)
                are_words.append(is_words)
        yield number, cells, are_words


def _column(reference: str) -> int | None:
    """The 0-based column of a reference like "AB12"; None without one, or beyond the last column there is."""
    column = 0
    for char in reference[:4]:
        if not ("A" <= char <= "Z"):
            break
        column = column * 26 + ord(char) - 64
    return column - 1 if 0 < column <= LAST_COLUMN + 1 else None


def _cell(cell: xml.Element, book: _Book) -> tuple[str, bool]:
    """The cell's words, and whether they are words and no value."""
    kind = cell.get("t", "n")
    value: str | None = None
    has_formula = False
    for child in cell:
        name = xml.local(child)
        if name == "v":
            value = child.text
        elif name == "is":
            value = _string(child)
        elif name == "f":
            has_formula = True
    if value is None:
        book.without_value += has_formula
        return "", False
    if kind == "s":
        return (book.strings[int(value)], True) if value.isdecimal() and int(value) < len(book.strings) else ("", False)
    if kind in _ERRORS_AND_WORDS:
        return shown(value), kind != "e"
    if kind == "b":
        return ("TRUE" if value.strip() in ("1", "true") else "FALSE"), False
    if kind == "d":
        return shown(value.removesuffix("T00:00:00").replace("T", " ")), False
    style = str(cell.get("s", "0"))
    wanted = book.formats[int(style)] if style.isdecimal() and int(style) < len(book.formats) else Format.NUMBER
    return _number(value, wanted, book.is_1904), False


def _number(text: str, wanted: Format, is_1904: bool) -> str:
    try:
        value = float(text)
    except ValueError:
        return shown(text)
    if wanted in (Format.DATE, Format.TIME, Format.DURATION):
        return serial_shown(value, wanted, is_1904) or number_shown(value)
    return number_shown(value, is_percent=wanted is Format.PERCENT)

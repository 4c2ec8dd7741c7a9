"""odt, ods and odp: OpenDocument text, tables and slides, as they are shown (ISO/IEC 26300)."""

from __future__ import annotations

from collections.abc import Iterator

from sourcebook_core.packed import Package
from sourcebook_core.sandbox_talk import Refused
from sourcebook_ingest.read.office import sections, tables, xml
from sourcebook_ingest.read.office.events import Event, Events, Told, facts, listed, one_line, passage
from sourcebook_ingest.read.office.sections import Block
from sourcebook_ingest.read.office.tables import Caps, Row, shown

_REPEATED = 100_000  # a row repeated more often than this is how programs fill a sheet to its end
_LEFT_OUT = frozenset(
    {"tracked-changes", "table-of-content", "alphabetical-index", "forms", "sequence-decls", "variable-decls", "desc", "title"}
)
_BREAKS = {"tab": "\t", "line-break": "\n"}


def text(package: Package, told: Told) -> Events:
    """A text by its sections."""
    root = _content(package)
    yield _facts(package)
    body = next(root.iter("{*}text"), None)
    yield from sections.passages_of(iter(()) if body is None else _blocks(body))


def slides(package: Package, most: int, told: Told) -> Events:
    """Slides, each a page."""
    root = _content(package)
    body = next(root.iter("{*}presentation"), None)
    pages = [page for page in body if xml.local(page) == "page"] if body is not None else []
    yield _facts(package, pages=len(pages), gap=1)
    hidden_styles = _hidden(root, "drawing-page-properties", "visibility", "hidden")
    hidden = []
    for number, page in enumerate(pages[:most], 1):
        if xml.attribute(page, "style-name") in hidden_styles:
            hidden.append(str(number))
        yield _slide(number, page)
    if hidden:
        told.warn("hidden_slides", f"Hidden slides were read too: {listed(hidden)}.")
    if len(pages) > most:
        told.warn("slides_cut", f"Only the first {most} of {len(pages)} slides were read.")


def _slide(number: int, page: xml.Element) -> Event:
    title, parts, notes = "", [], []
    for shape in page:
        name, role = xml.local(shape), xml.attribute(shape, "class")
        words = "\n".join(words for _, words in _blocks(shape))
        if name == "notes":
            notes.append(words)
        elif role == "title" and not title:
            title = one_line(words)
        elif words.strip() and name != "forms":
            parts.append(words)
    said = "\n".join(note for note in notes if note.strip())
    return passage("\n\n".join(filter(None, [title, *parts, f"Notes: {said}" if said else ""])), page=number, heading=title or None)


def sheets(package: Package, caps: Caps, told: Told) -> Events:
    """The passages of every sheet, hidden ones too, which are named."""
    _refuse_locked(package)
    if "content.xml" not in package.names:
        raise Refused("damaged_file", why="no content")
    yield _facts(package, gap=1)
    hidden_styles: set[str] = set()
    hidden: list[str] = []
    walk = xml.elements(package.xml_stream("content.xml"), "automatic-styles", "table-row", "table")
    yield from _each_sheet(walk, caps, hidden_styles, hidden)
    if hidden:
        told.warn("hidden_sheets", f"Hidden sheets were read too: {listed(hidden)}.")


def _each_sheet(walk: Iterator[xml.Element], caps: Caps, hidden_styles: set[str], hidden: list[str]) -> Events:
    """Sheet after sheet from one walk through the file: the first row of each tells which it is."""
    ahead: xml.Element | None = next(walk, None)
    while ahead is not None:
        if xml.local(ahead) == "automatic-styles":
            hidden_styles |= _hidden(ahead, "table-properties", "display", "false")
            ahead = next(walk, None)
            continue
        if xml.local(ahead) == "table":  # its end
            ahead = next(walk, None)
            continue
        sheet = next(ahead.iterancestors("{*}table"))
        title = one_line(xml.attribute(sheet, "name") or "") or "Sheet"
        if xml.attribute(sheet, "style-name") in hidden_styles:
            hidden.append(title)
        rows = _rows(ahead, walk)
        yield from tables.passages_of(title, rows, caps)
        for _ in rows:  # what the caps left out
            pass
        ahead = next(walk, None)


def _rows(first: xml.Element, walk: Iterator[xml.Element]) -> Iterator[Row]:
    """The rows of a sheet up to its end; a sheet inside a cell is part of that cell."""
    number, row = 1, first
    while row is not None and not (xml.local(row) == "table" and next(row.iterancestors("{*}table"), None) is None):
        if xml.local(row) == "table-row" and len(list(row.iterancestors("{*}table"))) == 1:
            cells, are_words = _cells(row)
            times = _times(row, "number-rows-repeated")
            for place in range(times if cells and times < _REPEATED else min(times, 1)):
                if cells:
                    yield number + place, cells, are_words
            number += times
        row = next(walk, None)


def _cells(row: xml.Element) -> tuple[list[str], list[bool]]:
    cells: list[str] = []
    are_words: list[bool] = []
    blank = 0
    for cell in row:
        if xml.local(cell) not in ("table-cell", "covered-table-cell"):
            continue
        words = _cell(cell) if xml.local(cell) == "table-cell" else ""
        times = min(_times(cell, "number-columns-repeated"), 20_000)
        if not words:
            blank += times
            continue
        times = min(times, 20_000 - len(cells))
        cells += [""] * blank + [words] * times
        are_words += [False] * blank + [xml.attribute(cell, "value-type") in ("string", None)] * times
        blank = 0
    return cells, are_words


def _cell(cell: xml.Element) -> str:
    """What the cell shows; a date by ISO, for how it is shown differs from country to country."""
    date = xml.attribute(cell, "date-value")
    if date is not None:
        return shown(date.removesuffix("T00:00:00").replace("T", " "))
    return shown(" ".join(_words(line) for line in cell if xml.local(line) in ("p", "h")))


def _times(element: xml.Element, name: str) -> int:
    given = xml.attribute(element, name) or "1"
    return max(1, min(int(given), 2**31 - 1)) if given.isdecimal() and len(given) < 12 else 1


def _content(package: Package) -> xml.Element:
    _refuse_locked(package)
    root = xml.part(package, "content.xml", xml.TREE_BYTES)
    if root is None:
        raise Refused("damaged_file", why="no content")
    return root


def _refuse_locked(package: Package) -> None:
    if "META-INF/manifest.xml" in package.names and b"encryption-data" in package.read("META-INF/manifest.xml", xml.SMALL_BYTES):
        raise Refused("password_protected")


def _facts(package: Package, **more: int) -> Event:
    root = xml.part(package, "meta.xml")
    found = {xml.local(e): (e.text or "") for e in root.iter()} if root is not None else {}
    authors = found.get("initial-creator") or found.get("creator")
    return facts(title=found.get("title"), authors=authors, date=found.get("creation-date") or found.get("date"), **more)


def _hidden(root: xml.Element, properties: str, name: str, value: str) -> set[str]:
    """Names of the styles whose properties hide what carries them."""
    found = set()
    for style in root.iter("{*}style"):
        if any(xml.local(e) == properties and xml.attribute(e, name) == value for e in style):
            found.add(xml.attribute(style, "name") or "")
    return found - {""}


def _blocks(parent: xml.Element) -> Iterator[Block]:
    """The blocks below an element in order: headings, paragraphs, list items, rows, then the notes and boxes of each."""
    for element in parent:
        name = xml.local(element)
        if name in _LEFT_OUT:
            continue
        if name in ("h", "p"):
            level = int(xml.attribute(element, "outline-level") or "1") if name == "h" else 0
            yield level, _words(element)
            yield from _hung_on(element)
        elif name == "list":
            for item in element:
                yield from _item(item)
        elif name == "table":
            yield from _table(element)
        else:
            yield from _blocks(element)


def _item(item: xml.Element) -> Iterator[Block]:
    mark = "- "
    for level, words in _blocks(item):
        yield level, (mark + words) if not level and not words.startswith("- ") else words
        mark = "  "


def _table(table: xml.Element) -> Iterator[Block]:
    yield from sections.table_blocks(
        [" ".join(shown(words) for _, words in _blocks(cell)) for cell in row if xml.local(cell).endswith("table-cell")]
        for row in table.iter("{*}table-row")
        if next(row.iterancestors("{*}table")) is table  # else of a table in a cell: part of that cell
    )


def _words(element: xml.Element) -> str:
    """The words of a paragraph; notes, comments and boxes that hang on it are left for `_hung_on`."""
    parts = [element.text or ""]
    for child in element:
        name = xml.local(child)
        if name == "s":
            count = xml.attribute(child, "c") or "1"
            parts.append(" " * (min(int(count), 1000) if count.isdecimal() else 1))
        elif name in _BREAKS:
            parts.append(_BREAKS[name])
        elif name not in ("note", "annotation", "frame", "tracked-changes", "custom-shape"):
            parts.append(_words(child))
        parts.append(child.tail or "")
    return "".join(parts)


def _hung_on(element: xml.Element) -> Iterator[Block]:
    for child in element.iter("{*}note", "{*}annotation", "{*}text-box"):
        if next(child.iterancestors("{*}p", "{*}h")) is not element:
            continue  # of a paragraph in one of these
        if xml.local(child) == "note":
            citation, words = "", []
            for part in child:
                if xml.local(part) == "note-citation":
                    citation = _words(part)
                else:
                    words += [found for _, found in _blocks(part)]
            yield 0, f"[^{citation}] " + "\n".join(words)
        elif xml.local(child) == "annotation":
            author = next((_words(e) for e in child if xml.local(e) == "creator"), "")
            said = "\n".join(_words(e) for e in child if xml.local(e) == "p")
            yield 0, f"> {author}: {said}" if author else f"> {said}"
        else:
            yield from _blocks(child)

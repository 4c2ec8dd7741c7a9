"""docx and docm by python-docx: sections by headings, lists, tables, notes, comments and text boxes; nothing outside is fetched."""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import docx

from sourcebook_core.packed import Package
from sourcebook_ingest.read.office import lean, sections, xml
from sourcebook_ingest.read.office.events import Events, Told, one_line
from sourcebook_ingest.read.office.sections import Block
from sourcebook_ingest.read.office.tables import shown

TITLE_WITHIN = 50  # paragraphs
_DEEPEST_STYLE = 20  # styles that are based on one another in a circle
_HEADING = re.compile(r"heading ([1-9])")
_NOT_WORDS = frozenset({"del", "moveFrom", "pPr", "rPr", "Fallback", "txbxContent", "instrText", "delText"})
_BREAKS = {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "\u2011", "softHyphen": "\u00ad"}
_NOTES = {"footnoteReference": "footnotes", "endnoteReference": "endnotes", "commentReference": "comments"}
_THROUGH = frozenset({"sdt", "sdtContent", "customXml", "ins", "moveTo", "smartTag", "AlternateContent", "Choice"})


def read(package: Package, told: Told) -> Events:
    """A document by its sections."""
    try:
        document = docx.Document(io.BytesIO(lean.packed(package, lean.WORD)))
        text = _Text(_levels(document), _marks(document), _style_lists(document), _notes(document))
        title, body = _title(document), document.element.body
    except lean.BROKEN as error:
        raise xml.verdict(error) from None
    told_by_record = xml.core_facts(package)
    told_by_record["facts"]["title"] = told_by_record["facts"]["title"] or title
    yield told_by_record
    yield from sections.passages_of(text.blocks(body))


def _title(document: Any) -> str | None:
    """The words of the first paragraph in the style "Title", if one of the first has it."""
    named = {
        str(xml.attribute(style, "styleId")) for style in document.styles.element.iterchildren("{*}style")
        for name in style.iterchildren("{*}name") if str(xml.attribute(name, "val")).casefold() == "title"
    }  # fmt: skip
    for paragraph in islice(document.element.body.iter("{*}p"), TITLE_WITHIN):
        if _style(paragraph) in named:
            return one_line("".join(_words(paragraph, []))) or None
    return None


def _levels(document: Any) -> dict[str, int]:
    """The heading level of each paragraph style that has one: by its name, its outline level, or the style it is based on."""
    styles = {str(xml.attribute(s, "styleId")): s for s in document.styles.element if xml.local(s) == "style"}
    return {name: level for name, style in styles.items() if (level := _style_level(style, styles))}


def _style_level(style: xml.Element, styles: dict[str, xml.Element]) -> int:
    for _ in range(_DEEPEST_STYLE):
        found = {xml.local(e): e for e in style}
        named = _HEADING.fullmatch(str(xml.attribute(found["name"], "val")).casefold()) if "name" in found else None
        outline = _outline_level(found.get("pPr"))
        if named or outline:
            return int(named.group(1)) if named else outline
        base = str(xml.attribute(found["basedOn"], "val")) if "basedOn" in found else ""
        if base not in styles:
            return 0
        style = styles[base]
    return 0


def _outline_level(properties: xml.Element | None) -> int:
    """1 to 9, or 0 for text. Source: ECMA-376 part 1, 17.3.1.20: values 0 to 8, 9 is no level."""
    for element in properties if properties is not None else ():
        if xml.local(element) == "outlineLvl":
            value = str(xml.attribute(element, "val"))
            return int(value) + 1 if value in "012345678" and value else 0
    return 0


def _style_lists(document: Any) -> dict[str, dict[str, str]]:
    """The list that a paragraph style belongs to, as {numId, ilvl}."""
    found = {}
    for style in document.styles.element.iterchildren("{*}style"):
        given = next(style.iterfind("{*}pPr/{*}numPr"), None)
        if given is not None:
            found[str(xml.attribute(style, "styleId"))] = {xml.local(e): str(xml.attribute(e, "val")) for e in given}
    return found


def _part(document: Any, name: str) -> xml.Element | None:
    for part in document.part.package.iter_parts():
        if str(part.partname) == f"/word/{name}.xml":
            return xml.tree(part.blob)
    return None


def _marks(document: Any) -> dict[tuple[str, str], str]:
    """The number format of each list, by (numId, level)."""
    root = _part(document, "numbering")
    if root is None:
        return {}
    formats: dict[str, dict[str, str]] = {}
    for abstract in root.iter("{*}abstractNum"):
        formats[str(xml.attribute(abstract, "abstractNumId"))] = {
            str(xml.attribute(level, "ilvl")): str(xml.attribute(kind, "val"))
            for level in abstract if xml.local(level) == "lvl" for kind in level if xml.local(kind) == "numFmt"
        }  # fmt: skip
    marks = {}
    for number in root.iter("{*}num"):
        of = next((str(xml.attribute(e, "val")) for e in number if xml.local(e) == "abstractNumId"), "")
        for level, kind in formats.get(of, {}).items():
            marks[str(xml.attribute(number, "numId")), level] = kind
    return marks


def _notes(document: Any) -> dict[tuple[str, str], xml.Element]:
    """Footnotes, endnotes and comments by (kind, id)."""
    found = {}
    for kind in ("footnotes", "endnotes", "comments"):
        root = _part(document, kind)
        for note in root if root is not None else ():
            if xml.attribute(note, "type") in (None, "normal"):
                found[kind, str(xml.attribute(note, "id"))] = note
    return found


@dataclass(slots=True)
class _Text:
    levels: dict[str, int]
    marks: dict[tuple[str, str], str]
    style_lists: dict[str, dict[str, str]]
    notes: dict[tuple[str, str], xml.Element]
    counts: Counter[tuple[str, int]] = field(default_factory=Counter)

    def blocks(self, parent: xml.Element) -> Iterator[Block]:
        """Paragraphs and tables in order; what hangs on a paragraph follows it."""
        for element in parent:
            name = xml.local(element)
            if name == "p":
                yield from self._paragraph(element)
            elif name == "tbl":
                yield from self._table(element)
            elif name in _THROUGH:
                yield from self.blocks(element)

    def _paragraph(self, paragraph: xml.Element) -> Iterator[Block]:
        hung: list[tuple[str, xml.Element]] = []
        words = "".join(_words(paragraph, hung)).strip()
        level = self._level(paragraph)
        if words:
            yield level, words if level else self._mark(paragraph) + words
        for kind, element in hung:
            if kind == "box":
                yield from self.blocks(element)
            else:
                yield 0, self._note(kind, str(xml.attribute(element, "id")))

    def _level(self, paragraph: xml.Element) -> int:
        properties = next((e for e in paragraph if xml.local(e) == "pPr"), None)
        return _outline_level(properties) or self.levels.get(_style(paragraph), 0)

    def _mark(self, paragraph: xml.Element) -> str:
        """What stands before a list item: "- ", or its number; numbers start anew below another item."""
        found = next(paragraph.iterfind("{*}pPr/{*}numPr"), None)
        given = (
            {xml.local(e): str(xml.attribute(e, "val")) for e in found} if found is not None else self.style_lists.get(_style(paragraph))
        )
        if given is None:
            return ""
        number, level = given.get("numId", "0"), given.get("ilvl", "0")
        depth = min(int(level), 9) if level.isdecimal() else 0
        kind = self.marks.get((number, level), "bullet")
        if number == "0" or kind == "none":
            return ""
        self.counts[number, depth] += 1
        for deeper in range(depth + 1, 10):
            self.counts.pop((number, deeper), None)
        return "  " * depth + ("- " if kind == "bullet" else f"{self.counts[number, depth]}. ")

    def _table(self, table: xml.Element) -> Iterator[Block]:
        yield from sections.table_blocks(
            [self._cell(cell) for cell in row.iterchildren("{*}tc", "{*}sdt")]
            for row in table.iter("{*}tr")
            if next(row.iterancestors("{*}tbl")) is table  # else of a table in a cell: part of that cell
        )

    def _cell(self, cell: xml.Element) -> str:
        """The words of a cell; a cell that goes on from the row above shows nothing of its own."""
        hung: list[tuple[str, xml.Element]] = []
        merge = next(cell.iterfind("{*}tcPr/{*}vMerge"), None)
        if merge is not None and xml.attribute(merge, "val") in (None, "continue"):
            return ""
        lines = [shown("".join(_words(paragraph, hung))) for paragraph in cell.iter("{*}p")]
        lines += [shown(self._note(kind, str(xml.attribute(e, "id")))) for kind, e in hung if kind != "box"]
        return " ".join(line for line in lines if line)

    def _note(self, kind: str, identifier: str) -> str:
        note = self.notes.get((kind, identifier))
        if note is None:
            return ""
        words = "\n".join("".join(_words(paragraph, [])).strip() for paragraph in note.iter("{*}p")).strip()
        if not words:
            return ""
        author = xml.attribute(note, "author")
        if kind == "comments":
            return f"> {author}: {words}" if author else f"> {words}"
        return f"[^{identifier}] {words}"


def _style(paragraph: xml.Element) -> str:
    found = next(paragraph.iterfind("{*}pPr/{*}pStyle"), None)
    return str(xml.attribute(found, "val")) if found is not None else ""


def _words(element: xml.Element, hung: list[tuple[str, xml.Element]]) -> Iterator[str]:
    """The words of a paragraph as they stand; what hangs on it (notes, text boxes) is put into `hung`."""
    for child in element:
        name = xml.local(child)
        if name == "t":
            yield child.text or ""
        elif name in _BREAKS:
            yield _BREAKS[name]
        elif name in _NOTES:
            hung.append((_NOTES[name], child))
        elif name == "txbxContent":
            hung.append(("box", child))
        elif name == "ruby":  # the text, without the reading above it
            for base in child.iterchildren("{*}rubyBase"):
                yield from _words(base, hung)
        elif name not in _NOT_WORDS:
            yield from _words(child, hung)

"""Office files of our own writing for tests, by the libraries that people's programs are built on, and by hand where those are too good."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import docx
import odfdo
import pptx
import xlsxwriter
from pptx.util import Inches

SHEET_NS = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELATIONS_NS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE_NS = "http://schemas.openxmlformats.org/package/2006"


def packed(entries: Mapping[str, bytes | str], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip with these entries in this order."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", compression) as target:
        for name, content in entries.items():
            target.writestr(name, content)
    return made.getvalue()


def changed(content: bytes, **entries: bytes | None) -> bytes:
    """The zip with entries replaced, added or (None) left out; `word__document` stands for word/document.xml."""
    with zipfile.ZipFile(io.BytesIO(content)) as source:
        kept: dict[str, bytes | str] = {name: source.read(name) for name in source.namelist()}
    for given, other in entries.items():
        name = given.replace("__", "/") + ".xml"
        if other is None:
            kept.pop(name)
        else:
            kept[name] = other
    return packed(kept)


def entry(content: bytes, name: str) -> bytes:
    """One entry of a zip."""
    with zipfile.ZipFile(io.BytesIO(content)) as source:
        return source.read(name)


def document() -> bytes:
    """A docx with headings, lists, a table, a comment, and what its record says."""
    made = docx.Document()
    made.core_properties.title, made.core_properties.author = "The mills of Lindow", "Ada Byron; Jo Hall"
    made.core_properties.created = datetime(1968, 5, 1)
    made.add_paragraph("Words before the first heading.")
    made.add_heading("History", 1)
    paragraph = made.add_paragraph("The mill closed in 1968 after a fire.")
    made.add_comment(paragraph.runs, "Check the year.", author="Eve")
    made.add_heading("Owners", 2)
    for name in ("Hall", "Byron"):
        made.add_paragraph(name, style="List Bullet")
    for name in ("bought", "sold"):
        made.add_paragraph(name, style="List Number")
    table = made.add_table(2, 2)
    for place, words in enumerate(("Year", "Owner\nof it", "1901", "Hall | Sons")):
        table.cell(place // 2, place % 2).text = words
    return saved(made)


def slides(count: int = 3) -> bytes:
    """A pptx: a title with bullets and notes, a hidden slide with a table, and plain ones."""
    made = pptx.Presentation()
    made.core_properties.title = "Weirs"
    first = made.slides.add_slide(made.slide_layouts[1])
    first.shapes.title.text, first.placeholders[1].text = "Weirs of the Dane", "Three stand today\nOne is listed"
    first.notes_slide.notes_text_frame.text = "Say that the listed one is of 1851."
    if count > 1:
        hidden = made.slides.add_slide(made.slide_layouts[5])
        hidden._element.set("show", "0")
        hidden.shapes.title.text = "Heights"
        table = hidden.shapes.add_table(2, 2, 0, 0, Inches(4), Inches(1)).table
        for place, words in enumerate(("Weir", "Metres", "Upper", "2.4")):
            table.cell(place // 2, place % 2).text = words
    for number in range(3, count + 1):
        made.slides.add_slide(made.slide_layouts[5]).shapes.title.text = f"Slide number {number}"
    return saved(made)


def workbook(sheets: Mapping[str, Any], hidden: tuple[str, ...] = ()) -> bytes:
    """An xlsx with these rows from the first cell on; None is an empty cell."""
    made = io.BytesIO()
    with xlsxwriter.Workbook(made, {"in_memory": True, "default_date_format": "dd/mm/yyyy"}) as book:
        for name, rows in sheets.items():
            sheet = book.add_worksheet(name)
            if name in hidden:
                sheet.hide()
            for number, cells in enumerate(rows):
                sheet.write_row(number, 0, ["" if cell is None else cell for cell in cells])
    return made.getvalue()


def sheet_by_hand(rows: str, *, strings: str = "", styles: str = "", workbook_more: str = "", after: str = "") -> bytes:
    """An xlsx whose one sheet "S" holds this XML, as no library would write it."""
    relations = f'<Relationships xmlns="{PACKAGE_NS}/relationships">%s</Relationships>'
    link = f'<Relationship Id="%s" Type="{RELATIONS_NS}/%s" Target="%s"/>'
    return packed(
        {
            "[Content_Types].xml": f'<Types xmlns="{PACKAGE_NS}/content-types"/>',
            "_rels/.rels": relations % (link % ("r1", "officeDocument", "xl/workbook.xml")),
            "xl/workbook.xml": f'<workbook xmlns="{SHEET_NS}" xmlns:r="{RELATIONS_NS}">{workbook_more}'
            '<sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>',
            "xl/_rels/workbook.xml.rels": relations % (
                link % ("r1", "worksheet", "/xl/worksheets/sheet1.xml") + link % ("r2", "sharedStrings", "sharedStrings.xml")
                + link % ("r3", "styles", "styles.xml")
            ),
            "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{SHEET_NS}"><dimension ref="A1:XFD1048576"/>'
            f"<sheetData>{rows}</sheetData>{after}</worksheet>",
            "xl/sharedStrings.xml": f'<sst xmlns="{SHEET_NS}">{strings}</sst>',
            "xl/styles.xml": f'<styleSheet xmlns="{SHEET_NS}">{styles}</styleSheet>',
        }
    )  # fmt: skip


def odt() -> bytes:
    """An odt with headings, a list, a table and a footnote."""
    made = odfdo.Document("text")
    made.body.clear()
    made.meta.title = "Die Mühlen"
    made.body.append(odfdo.Header(1, "Geschichte"))
    paragraph = odfdo.Paragraph("Die Mühle schloss 1968.")
    made.body.append(paragraph)
    paragraph.insert_note(after="1968", note_id="n1", citation="1", body="Nach einem Brand.")
    made.body.append(odfdo.List(["Wehr", "Rad"]))
    table = odfdo.Table("T", width=2, height=1)
    table.set_value("A1", "Höhe")
    table.set_value("B1", 2)
    made.body.append(table)
    return saved(made)


def ods(rows: list[list[Any]], name: str = "Preise") -> bytes:
    """An ods with these rows."""
    made = odfdo.Document("spreadsheet")
    made.body.clear()
    table = odfdo.Table(name)
    table.set_values(rows)
    made.body.append(table)
    return saved(made)


def odp() -> bytes:
    """An odp with one slide."""
    made = odfdo.Document("presentation")
    made.body.clear()
    page = odfdo.DrawPage("p1", name="1")
    place: dict[str, Any] = {"size": ("1cm", "1cm"), "position": ("0cm", "0cm")}
    page.append(odfdo.Frame.text_frame([odfdo.Paragraph("Wehre der Dane")], presentation_class="title", **place))
    page.append(odfdo.Frame.text_frame([odfdo.Paragraph("Drei stehen noch")], **place))
    made.body.append(page)
    return saved(made)


def epub(chapters: Mapping[str, str], **more: bytes | str) -> bytes:
    """An epub whose chapters are these bodies by their label in the table of contents; `more` are entries under META-INF."""
    items = [f'<item id="c{place}" href="c{place}.xhtml" media-type="application/xhtml+xml"/>' for place in range(len(chapters))]
    spine = [f'<itemref idref="c{place}"/>' for place in range(len(chapters))]
    links = [f'<li><a href="c{place}.xhtml">{label}</a></li>' for place, label in enumerate(chapters)]
    page = (
        '<?xml version="1.0"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml"><head><title>t</title></head><body>%s</body></html>'
    )
    entries: dict[str, bytes | str] = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="OPS/book.opf"/></rootfiles></container>',
        "OPS/book.opf": '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata>'
        "<dc:title>The Dane</dc:title><dc:creator>Ada Byron</dc:creator><dc:date>1999-03-01</dc:date></metadata><manifest>"
        f'{"".join(items)}<item id="nav" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/></manifest>'
        f"<spine>{''.join(spine)}</spine></package>",
        "OPS/nav.xhtml": page % f"<nav><ol>{''.join(links)}</ol></nav>",
        **{f"OPS/c{place}.xhtml": page % body for place, body in enumerate(chapters.values())},
        **{f"META-INF/{name}.xml": content for name, content in more.items()},
    }
    return packed(entries)


def saved(made: Any) -> bytes:
    """The file of a document that one of the libraries made."""
    packed_up = io.BytesIO()
    made.save(packed_up)
    return packed_up.getvalue()

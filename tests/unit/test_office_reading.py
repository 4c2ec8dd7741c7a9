"""Office files, tables, books and mails: what of them becomes passages, with their places, titles and warnings."""

import io
import zipfile
from datetime import datetime
from email.message import EmailMessage
from typing import Any

import docx
from hypothesis import given, settings
from hypothesis import strategies as st

from sourcebook_core import kinds
from sourcebook_core.packed import Bounds, Package
from sourcebook_core.sandbox_talk import Refused
from sourcebook_ingest.read.office import child, csv_rows, mail, markup, rich_text
from sourcebook_ingest.read.office.events import Told
from sourcebook_ingest.read.office.tables import Caps
from tests.fakes import office_files

DOCUMENT = office_files.document()
BOUNDS = Bounds(1000, 50_000_000, 200)
MAIL = EmailMessage()
MAIL["From"], MAIL["To"], MAIL["Subject"] = "Ada Byron <ada@lindow.example>", "jo@lindow.example", "The weir"
MAIL["Date"] = "Mon, 04 Mar 2024 10:00:00 +0000"


def read(content: bytes, kind: kinds.Kind) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The facts with the codes of the warnings, and the passages."""
    told, caps = Told(), Caps(10_000, 50)
    if kind == kinds.CSV:
        events = list(csv_rows.read(content, caps, told, is_tsv=False))
    elif kind == kinds.MAIL:
        events = list(mail.read(content, told))
    elif kind == kinds.RTF:
        events = list(rich_text.read(content, 1_000_000))
    else:
        events = list(child.packed_events(Package(io.BytesIO(content), BOUNDS), 100, caps, told))
    caps.tell(told)
    return events[0]["facts"] | {"warned": set(told.warnings)}, [event["passage"] for event in events if "passage" in event]


def test_a_document_is_read_by_its_headings() -> None:
    row, found = read(office_files.document(), kinds.DOCX)
    assert (row["title"], row["authors"], row["year"]) == ("The mills of Lindow", ["Ada Byron", "Jo Hall"], 1968)
    assert [(p.get("heading"), p["text"]) for p in found] == [
        (None, "Words before the first heading.\n\n"),
        ("History", "# History\n\nThe mill closed in 1968 after a fire.\n\n> Eve: Check the year.\n\n"),
        (
            "History > Owners",
            "## Owners\n\n- Hall\n\n- Byron\n\n1. bought\n\n2. sold\n\n| Year | Owner of it |\n| 1901 | Hall \u00a6 Sons |\n\n",
        ),
    ]
    assert [p.get("outline") for p in found] == [None, [(1, "History", 0)], [(2, "Owners", 0)]]


def test_slides_are_pages_with_their_tables_and_notes() -> None:
    row, found = read(office_files.slides(), kinds.PPTX)
    assert (row["pages"], row["title"], row["warned"]) == (3, "Weirs", {"hidden_slides"})
    assert [(p["page"], p["heading"]) for p in found] == [(1, "Weirs of the Dane"), (2, "Heights"), (3, "Slide number 3")]
    assert "Three stand today" in found[0]["text"] and "Notes: Say that the listed one is of 1851." in found[0]["text"]
    assert "| Upper | 2.4 |" in found[1]["text"]


def test_a_workbook_is_read_sheet_by_sheet_with_its_rows() -> None:
    rows = [["Mill", "Opened", "Share"], ["Hall", datetime(1901, 5, 1), 0.5], ["Byron", datetime(1912, 1, 2), 12]]
    row, found = read(office_files.workbook({"Mills": rows, "Old": [["x"]]}, hidden=("Old",)), kinds.XLSX)
    assert [(p["sheet"], p["row_from"], p["row_to"], p.get("lead", ""), p["text"]) for p in found] == [
        ("Mills", 1, 1, "", "Mill | Opened | Share"),
        ("Mills", 2, 3, "Mill | Opened | Share", "Hall | 1901-05-01 | 0.5\nByron | 1912-01-02 | 12"),
        ("Old", 1, 1, "", "x"),
    ]
    assert row["warned"] == {"hidden_sheets"}


def test_values_are_shown_and_formulas_never() -> None:
    rows = (
        '<row r="2"><c r="B2" s="1"><f>A1*2</f><v>0.125</v></c><c r="C2" t="e"><f>1/0</f><v>#DIV/0!</v></c><c r="D2"><f>cmd|x</f></c></row>'
        '<row><c t="s"><v>0</v></c><c t="inlineStr"><is><t>in</t></is></c><c t="b"><v>1</v></c><c t="s"><v>99</v></c>'
        '<c><v>1.1000000000000001</v></c></row><row r="1048576"><c r="XFD1048576" t="str"><v>far</v></c></row>'
    )  # fmt: skip
    book = office_files.sheet_by_hand(
        rows, strings="<si><r><t>sha</t></r><r><t>red</t></r><rPh><t>no</t></rPh></si>",
        styles='<cellXfs><xf numFmtId="0"/><xf numFmtId="9"/></cellXfs>',
        after='<mergeCells><mergeCell ref="A1:B2"/></mergeCells>',
    )  # fmt: skip
    row, found = read(book, kinds.XLSX)
    assert [(p["text"], p["row_from"]) for p in found] == [(" | 12.5% | #DIV/0!\nshared | in | TRUE |  | 1.1", 2)]
    assert row["warned"] == {"formulas_without_values", "merged_cells", "columns_cut"}


def test_a_table_as_text_is_read_by_its_delimiter_and_encoding() -> None:
    text = 'Ort;Preis\r\n"Köln; die\nStadt";1,5\r\nMünchen;"2"\r\nDüsseldorf am Rhein;3\r\n'
    row, found = read(text.encode("cp1252"), kinds.CSV)
    assert [(p["row_from"], p.get("lead", ""), p["text"]) for p in found] == [
        (1, "", "Ort | Preis"), (2, "Ort | Preis", "Köln; die Stadt | 1,5\nMünchen | 2\nDüsseldorf am Rhein | 3"),
    ]  # fmt: skip
    assert row["warned"] == {"encoding_guessed"}


def test_open_document_files_are_read_like_their_kin() -> None:
    row, found = read(office_files.odt(), kinds.ODT)
    assert row["title"] == "Die Mühlen"
    assert [p["text"] for p in found] == [
        "# Geschichte\n\nDie Mühle schloss 1968.\n\n[^1] Nach einem Brand.\n\n- Wehr\n\n- Rad\n\n| Höhe | 2 |\n\n"
    ]
    _, found = read(office_files.ods([["Ort", "Preis"], ["Ulm", 1.5]]), kinds.ODS)
    assert [(p["sheet"], p["row_from"], p.get("lead", ""), p["text"]) for p in found] == [
        ("Preise", 1, "", "Ort | Preis"), ("Preise", 2, "Ort | Preis", "Ulm | 1.5"),
    ]  # fmt: skip
    _, found = read(office_files.odp(), kinds.ODP)
    assert [(p["page"], p["heading"], p["text"]) for p in found] == [(1, "Wehre der Dane", "Wehre der Dane\n\nDrei stehen noch")]


def test_a_book_is_read_by_its_spine_and_table_of_contents() -> None:
    chapters = {
        "The source": "<p>It rises on the moor.<br/>Slowly.</p>",
        "The mouth": "<h2>Wincham</h2><ul><li>It joins the Weaver.</li></ul><script>x</script>",
    }
    row, found = read(office_files.epub(chapters), kinds.EPUB)
    assert (row["title"], row["authors"], row["year"]) == ("The Dane", ["Ada Byron"], 1999)
    assert [(p.get("heading"), p["text"]) for p in found] == [
        ("The source", "# The source\n\nIt rises on the moor.\nSlowly.\n\n"),
        ("The source > Wincham", "## Wincham\n\n- It joins the Weaver.\n\n"),
    ]  # fmt: skip


def test_a_mail_begins_with_its_head_and_names_what_hangs_on_it() -> None:
    made = EmailMessage()
    for name, value in MAIL.items():
        made[name] = value
    made.set_content("The weir was mended.\n\nIt holds.\n")
    made.add_alternative("<p>Not this one.</p>", subtype="html")
    made.add_attachment(b"%PDF", maintype="application", subtype="pdf", filename="weir.pdf")
    row, found = read(made.as_bytes(), kinds.MAIL)
    assert (row["title"], row["authors"], row["year"], row["warned"]) == ("The weir", ["Ada Byron"], 2024, {"attachments_not_read"})
    assert found[0]["text"] == (
        "# The weir\n\nFrom: Ada Byron <ada@lindow.example>\nTo: jo@lindow.example\nDate: Mon, 04 Mar 2024 10:00:00 +0000\n"
        "Subject: The weir\n\nThe weir was mended.\n\nIt holds.\n\n"
    )


def test_rich_text_is_read_by_its_paragraphs() -> None:
    rtf = rb"{\rtf1\ansi{\info{\title The weir}{\author Zo\'eb}{\creatim\yr2020}}The \b weir\b0  holds.\par It is \'fc\u228?ber old.}"
    row, found = read(rtf, kinds.RTF)
    assert (row["title"], row["authors"], row["year"]) == ("The weir", ["Zoë"], 2020)
    assert found[0]["text"] == "The weir holds.\n\nIt is üäber old.\n\n"


def test_a_strict_document_and_one_with_macros_are_read_like_any_other() -> None:
    main, types = office_files.entry(DOCUMENT, "word/document.xml"), office_files.entry(DOCUMENT, "[Content_Types].xml")
    kept = b"http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    strict = office_files.changed(DOCUMENT, word__document=main.replace(kept, b"http://purl.oclc.org/ooxml/wordprocessingml/main"))
    plain = b"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    macros = types.replace(plain, b"application/vnd.ms-word.document.macroEnabled.main+xml")
    with_macros = office_files.changed(DOCUMENT, **{"[Content_Types]": macros})
    _, wanted = read(DOCUMENT, kinds.DOCX)
    assert read(strict, kinds.DOCX)[1] == read(with_macros, kinds.DOCX)[1] == wanted


def test_tracked_text_boxes_and_controls_are_read_once_and_deletions_not() -> None:
    names = {
        "w": "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
        "mc": "http://schemas.openxmlformats.org/markup-compatibility/2006",
    }
    box = "<w:txbxContent><w:p><w:r><w:t>boxed</w:t></w:r></w:p></w:txbxContent>"
    body = (
        "<w:p><w:r><w:t>kept</w:t></w:r><w:ins><w:r><w:t> added</w:t></w:r></w:ins><w:del><w:r><w:delText>gone</w:delText></w:r></w:del>"
        "<w:r><w:instrText>PAGE</w:instrText><w:tab/><w:t>end</w:t></w:r>"
        f"<w:r><mc:AlternateContent><mc:Choice>{box}</mc:Choice><mc:Fallback>{box}</mc:Fallback></mc:AlternateContent></w:r></w:p>"
        "<w:sdt><w:sdtContent><w:p><w:r><w:t>control</w:t></w:r></w:p></w:sdtContent></w:sdt>"
    )
    spaces = " ".join(f'xmlns:{name}="{space}"' for name, space in names.items())
    content = office_files.changed(DOCUMENT, word__document=f"<w:document {spaces}><w:body>{body}</w:body></w:document>".encode())
    assert read(content, kinds.DOCX)[1][0]["text"] == "kept added\tend\n\nboxed\n\ncontrol\n\n"


def test_a_mail_with_mails_inside_is_read_to_a_bounded_depth() -> None:
    raw = b"Subject: last\n\nwords\n"
    for level in range(100):
        raw = b"Subject: level %d\nContent-Type: message/rfc822\n\n" % level + raw
    facts, found = read(raw, kinds.MAIL)
    assert (facts["title"], facts["warned"]) == ("level 99", {"attachments_not_read"})
    assert "level 95" in found[-1]["text"] and "level 94" not in found[-1]["text"]


def test_a_mail_of_html_alone_is_read_as_its_words() -> None:
    page = b"<h1>Weir</h1><p>Gr\xc3\xbc\xc3\x9fe<img src=http://10.0.0.1/x onerror=y></p>"
    raw = b"Subject: x\nContent-Type: text/html; charset=utf-8\n\n" + page
    assert read(raw, kinds.MAIL)[1][-1]["text"].endswith("## Weir\n\nGrüße\n\n")


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=400))
def test_no_bytes_break_the_readers_of_mails_and_pages(content: bytes) -> None:
    read(b"Subject: x\nContent-Type: text/html\n\n" + content, kinds.MAIL)
    read(content, kinds.MAIL)
    list(markup.blocks(content))


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(["word/document.xml", "word/styles.xml", "[Content_Types].xml", "word/_rels/document.xml.rels"]), st.data())
def test_a_changed_byte_is_read_or_refused_and_never_a_surprise(name: str, data: st.DataObject) -> None:
    entry = bytearray(office_files.entry(DOCUMENT, name))
    entry[data.draw(st.integers(0, len(entry) - 1))] = data.draw(st.integers(0, 255))
    with zipfile.ZipFile(io.BytesIO(DOCUMENT)) as source:
        entries: dict[str, bytes | str] = {other: source.read(other) for other in source.namelist()}
    try:
        read(office_files.packed(entries | {name: bytes(entry)}), kinds.DOCX)
    except Refused as refused:
        assert refused.code == "damaged_file"


def test_a_document_without_a_record_is_called_by_its_title_paragraph() -> None:
    made = docx.Document()
    made.core_properties.title = "Word Document"
    made.add_heading("The weirs of the Dane", 0)
    made.add_heading("Introduction", 1)
    made.add_paragraph("Words.")
    packed = io.BytesIO()
    made.save(packed)
    assert read(packed.getvalue(), kinds.DOCX)[0]["title"] == "The weirs of the Dane"


def test_rows_repeated_to_the_end_of_a_sheet_are_no_rows() -> None:
    content = (
        '<o:document xmlns:o="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:t="urn:oasis:names:tc:opendocument:xmlns:table:1.0"'
        ' xmlns:x="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><o:body><o:spreadsheet><t:table t:name="S"><t:table-row>'
        '<t:table-cell t:number-columns-repeated="2"/><t:table-cell o:value-type="percentage" o:value="0.5"><x:p>50 %</x:p>'
        '</t:table-cell><t:table-cell t:number-columns-repeated="16000"/></t:table-row><t:table-row t:number-rows-repeated="1048575">'
        "<t:table-cell/></t:table-row>"
        '</t:table><t:table t:name="Bomb"><t:table-row t:number-rows-repeated="90000">'
        '<t:table-cell t:number-columns-repeated="9"><x:p>x</x:p>'
        "</t:table-cell></t:table-row></t:table></o:spreadsheet></o:body></o:document>"
    )
    facts, found = read(office_files.packed({"mimetype": kinds.ODS.media_type, "content.xml": content}), kinds.ODS)
    assert (found[0]["text"], found[0]["row_to"]) == (" |  | 50 %", 1)
    assert facts["warned"] == {"table_cut"} and sum(p["text"].count("x") for p in found) < 10_000


def test_a_shape_in_several_editions_is_read_once() -> None:
    slide = office_files.entry(office_files.slides(1), "ppt/slides/slide1.xml").decode()
    shape = '<p:sp><p:nvSpPr><p:cNvPr id="9" name="x"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr/>'
    shape += "<p:txBody><a:bodyPr/><a:p><a:r><a:t>either</a:t></a:r></a:p></p:txBody></p:sp>"
    space = 'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
    both = f'<mc:AlternateContent {space}><mc:Choice Requires="a14">{shape}</mc:Choice>'
    both += f"<mc:Fallback>{shape}</mc:Fallback></mc:AlternateContent>"
    content = office_files.changed(office_files.slides(1), ppt__slides__slide1=slide.replace("</p:spTree>", both + "</p:spTree>").encode())
    assert read(content, kinds.PPTX)[1][0]["text"].count("either") == 1

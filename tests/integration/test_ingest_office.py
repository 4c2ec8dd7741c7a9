"""Office files through the worker: passages with their places, the header in the index, warnings, and bad input by its code."""

import io
import zipfile
from collections.abc import AsyncIterator
from typing import Any

import pytest

from sourcebook_core import kinds
from sourcebook_core import settings as core_settings
from tests.fakes import office_files
from tests.ingest_rig import Library, library

DOCUMENT = office_files.document()
LIMITS = {
    "SOURCEBOOK_ARCHIVE_BYTES": "60000000", "SOURCEBOOK_TEXT_BYTES": "3000000", "SOURCEBOOK_TABLE_CELLS": "30000",
    "SOURCEBOOK_TABLE_COLUMNS": "100", "SOURCEBOOK_SLIDES": "3", "SOURCEBOOK_ARCHIVE_ENTRIES": "200",
}  # fmt: skip
LAUGHS = (
    b'<?xml version="1.0"?><!DOCTYPE d [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;"><!ENTITY c SYSTEM "file:///etc/passwd">]>'
    b'<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>&b;&c;</w:t></w:r></w:p>'
    b"</w:body></w:document>"
)


@pytest.fixture
async def lib(environment: dict[str, str]) -> AsyncIterator[Library]:
    """A library with a working runtime, no models and small limits."""
    async with library(core_settings.load(environment | LIMITS)) as made:
        yield made


async def add(lib: Library, content: bytes, kind: kinds.Kind, name: str) -> Any:
    return await lib.add(kind.kind, content, name=name, media_type=kind.media_type)


def warned(row: dict[str, Any]) -> set[str]:
    return {warning["code"] for warning in row["report"]["warnings"]} - {"words_only"}


def drowned(entry: str, size: int, into: bytes = DOCUMENT) -> bytes:
    """The file with an entry that unpacks to so many blanks."""
    made = io.BytesIO(into)
    with zipfile.ZipFile(made, "a", zipfile.ZIP_DEFLATED) as target, target.open(entry, "w", force_zip64=True) as opened:
        for _ in range(size // 1_000_000):
            opened.write(b" " * 1_000_000)
    return made.getvalue()


async def test_places_and_header_reach_passages_and_index(lib: Library) -> None:
    rows = [["Mill", "Opened"], ["Hall", 1901], ["Byron", 1912]]
    book = await add(lib, office_files.workbook({"Mills": rows}), kinds.XLSX, "mills.xlsx")
    show = await add(lib, office_files.slides(3), kinds.PPTX, "weirs.pptx")
    page = b"<html><head><title>The weir</title></head><body><h1>Weir</h1><p>We bake cookies; accept our consent.</p></body></html>"
    html = await add(lib, page, kinds.HTML, "weir.html")
    blank = await add(lib, b"<html><body><p> </p></body></html>", kinds.HTML, "blank.html")
    row = await lib.ended(book, 90)
    assert row["status"] == "ready", row["error_message"]
    found = await lib.passages(book)
    assert [(p["sheet"], p["row_from"], p["row_to"], p["lead"], p["text"]) for p in found] == [
        ("Mills", 1, 1, "", "Mill | Opened"), ("Mills", 2, 3, "Mill | Opened", "Hall | 1901\nByron | 1912"),
    ]  # fmt: skip
    lengths = [chunk["lexemes"] for chunk in await lib.chunks(book)]
    assert lengths == [6]  # the header counts with its rows, though it is no word of them; alone it is no chunk
    row = await lib.ended(show)
    assert (row["pages"], row["title"], warned(row)) == (3, "Weirs", {"hidden_slides"})
    found = await lib.passages(show)
    assert [(p["page"], p["heading"]) for p in found] == [(1, "Weirs of the Dane"), (2, "Heights"), (3, "Slide number 3")]
    assert found[1]["offset_at"] == len(found[0]["text"]) + 1
    row = await lib.ended(html)
    assert (row["status"], row["title"]) == ("ready", "Weir")
    assert (await lib.ended(blank))["error_code"] == "no_text"


LOCKED = office_files.packed({"mimetype": kinds.ODT.media_type, "META-INF/manifest.xml": "<m><encryption-data/></m>"})
METHOD = "http://www.w3.org/2001/04/xmlenc#aes128-cbc"
PROTECTED = office_files.epub(
    {"A": "<p>a</p>"}, encryption=f"<e><EncryptedData><EncryptionMethod Algorithm='{METHOD}'/></EncryptedData></e>"
)
FAR = '<row r="1048576"><c r="A1048576" t="str"><v>far away</v></c></row>'
CALLING = '<row r="1"><c r="A1"><f>WEBSERVICE("http://10.0.0.1")</f><v>7</v></c></row>'
SCRIPTED = office_files.epub({"A": '<p>words</p><script src="http://10.0.0.1/x"/><link href="http://10.0.0.1/c.css"/>'})
ENDLESS = office_files.epub(dict.fromkeys("ABC", "<p>" + ("word " * 1000 + "</p><p>") * 980 + "</p>"))
REFUSED: list[tuple[str, bytes, kinds.Kind, str]] = [
    ("a bomb in the document", drowned("word/extra.xml", 40_000_000), kinds.DOCX, "resource_limit"),
    ("a bomb in a sheet", office_files.sheet_by_hand(" " * 20_000_000), kinds.XLSX, "resource_limit"),
    ("endless text", ENDLESS, kinds.EPUB, "resource_limit"),
    ("too many entries", office_files.packed({f"word/{n}.xml": b"<a/>" for n in range(201)}), kinds.DOCX, "resource_limit"),
    ("entities", office_files.changed(DOCUMENT, word__document=LAUGHS), kinds.DOCX, "damaged_file"),
    ("entities in UTF-16", office_files.changed(DOCUMENT, word__document=LAUGHS.decode().encode("utf-16")), kinds.DOCX, "damaged_file"),
    ("half a file", DOCUMENT[: len(DOCUMENT) // 2], kinds.DOCX, "damaged_file"),
    ("no main part", office_files.packed({"a.xml": b"<a/>"}), kinds.PPTX, "damaged_file"),
    ("nothing but blanks", office_files.workbook({"S": [[" "]]}), kinds.XLSX, "no_text"),
    ("a locked odt", LOCKED, kinds.ODT, "password_protected"),
    ("a book with copy protection", PROTECTED, kinds.EPUB, "drm_protected"),
    ("a binary workbook", office_files.packed({"xl/workbook.bin": b"x"}), kinds.XLSX, "unsupported_kind"),
    ("a table of blanks", b" \n\t\r\n", kinds.CSV, "no_text"),
    ("a table that is no text", bytes(range(256)) * 40, kinds.CSV, "undecodable_text"),
    ("a table too large", b"a,b\n" * 800_000, kinds.CSV, "too_large"),
    ("an rtf of nothing", b"{\\rtf1}", kinds.RTF, "no_text"),
]  # fmt: skip
READ: list[tuple[str, bytes, kinds.Kind, str | None, str]] = [
    ("a bomb that is no text", drowned("word/media/image1.png", 40_000_000), kinds.DOCX, None, "mill closed"),
    ("one cell far away", office_files.sheet_by_hand(FAR), kinds.XLSX, None, "far away"),
    ("a formula that calls", office_files.sheet_by_hand(CALLING), kinds.XLSX, None, "7"),
    ("more columns than are read", b",".join(b"c%d" % n for n in range(1_000_000 // 7)) + b"\n1,2\n", kinds.CSV, "columns_cut", "c99"),
    ("more cells than are read", b"a,b,c\n" * 20_000, kinds.CSV, "table_cut", "a | b | c"),
    ("an open quotation mark", b'a,b\n1,"open\n' + b"2,3\r\n4,5\r" * 500, kinds.CSV, "quotes_broken", '1 | "open'),
    ("zeros in a table", b"a,b\0c\n1,2\n", kinds.CSV, "characters_replaced", "b\ufffdc"),
    ("too many slides", office_files.slides(5), kinds.PPTX, "slides_cut", "Slide number 3"),
    ("a book with a script", SCRIPTED, kinds.EPUB, None, "words"),
    ("deep elements", b"<html><body>" + b"<div>" * 100_000 + b"deep words</body></html>", kinds.HTML, None, ""),
]  # fmt: skip


async def test_each_bad_office_file_is_refused_with_its_code_or_read_with_a_warning(lib: Library) -> None:
    refused = [(why, await add(lib, content, kind, f"{place}.x"), code) for place, (why, content, kind, code) in enumerate(REFUSED)]
    taken = [(why, await add(lib, content, kind, f"ok-{why}"), code, words) for why, content, kind, code, words in READ]
    for why, source_id, code in refused:
        row = await lib.ended(source_id, 120)
        assert (row["status"], row["error_code"]) == ("failed", code), (why, row["error_message"])
        assert ".x" in row["error_message"], why
    for why, source_id, warning, words in taken:
        row = await lib.ended(source_id, 60)
        if not words:
            assert row["status"] in ("ready", "failed"), why
            continue
        assert row["status"] == "ready", (why, row["error_message"])
        assert warning is None or warning in warned(row), (why, warned(row))
        assert words in "\n".join(p["text"] for p in await lib.passages(source_id)), why

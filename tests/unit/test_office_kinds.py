"""What a zip or an old container is, by its bytes: real files, other writers' order of entries, files under a wrong name."""

import io
import zipfile

import pytest

from sourcebook_core import kinds
from sourcebook_core.errors import PermanentError
from tests.fakes import office_files

DOCUMENT, SLIDES, WORKBOOK = office_files.document(), office_files.slides(), office_files.workbook({"S": [["a", 1]]})
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 1016
REAL = [
    (DOCUMENT, kinds.DOCX), (SLIDES, kinds.PPTX), (WORKBOOK, kinds.XLSX), (office_files.odt(), kinds.ODT),
    (office_files.ods([["a"]]), kinds.ODS), (office_files.odp(), kinds.ODP), (office_files.epub({"A": "<p>a</p>"}), kinds.EPUB),
]  # fmt: skip


def reordered(content: bytes, first: list[str], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    with zipfile.ZipFile(io.BytesIO(content)) as source:
        names = [*first, *(name for name in source.namelist() if name not in first)]
        return office_files.packed({name: source.read(name) for name in names}, compression)


@pytest.mark.parametrize(("content", "kind"), REAL)
@pytest.mark.parametrize("name", ["a.zip", "noname", "a.docx", "a.odt"])
def test_a_file_is_what_it_holds_whatever_its_name_says(content: bytes, kind: kinds.Kind, name: str) -> None:
    assert kinds.sniff(content[: kinds.HEAD_BYTES], name) == kind


@pytest.mark.parametrize(("content", "kind", "main"), [
    (DOCUMENT, kinds.DOCX, "word/document.xml"), (SLIDES, kinds.PPTX, "ppt/presentation.xml"), (WORKBOOK, kinds.XLSX, "xl/workbook.xml"),
])  # fmt: skip
def test_the_order_of_entries_is_each_writers_own(content: bytes, kind: kinds.Kind, main: str) -> None:
    for order in (["_rels/.rels", main], ["[Content_Types].xml", main], ["_rels/.rels", "docProps/core.xml", main]):
        for compression in (zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED):
            assert kinds.sniff(reordered(content, order, compression)[: kinds.HEAD_BYTES], "x") == kind, (order, compression)


def test_an_archive_is_one_whatever_it_holds() -> None:
    holding = office_files.packed({"word.txt": "word/ ppt/ xl/", "a.pdf": b"%PDF-1.7", "in/report.docx": DOCUMENT}, zipfile.ZIP_STORED)
    assert kinds.sniff(holding[: kinds.HEAD_BYTES], "a.zip") == kinds.ARCHIVE
    assert kinds.sniff(office_files.packed({"a.pdf": b"%PDF-1.7"}, zipfile.ZIP_STORED), "x") == kinds.ARCHIVE
    assert kinds.sniff(office_files.packed({}), "empty.zip") == kinds.ARCHIVE


@pytest.mark.parametrize(("name", "stream", "code"), [
    ("a.docx", "EncryptedPackage", "password_protected"), ("a.xlsx", "", "password_protected"),
    ("x", "EncryptedPackage", "password_protected"),
    ("a.docx", "WordDocument", "unsupported_kind"), ("a.doc", "WordDocument", "unsupported_kind"), ("a.xls", "", "unsupported_kind"),
    ("a.xlsx", "Workbook", "unsupported_kind"),
])  # fmt: skip
def test_a_locked_file_is_told_from_an_old_one(name: str, stream: str, code: str) -> None:
    with pytest.raises(PermanentError) as refused:
        kinds.sniff(OLE + stream.encode("utf-16-le") + b"\0" * 100, name)
    assert refused.value.code == code and name in refused.value.message


@pytest.mark.parametrize(("content", "name", "kind"), [
    (b"{\\rtf1\\ansi words}", "a.txt", kinds.RTF), (b"a,b\n1,2\n", "a.csv", kinds.CSV), (b"a\tb\n1\t2\n", "a.tsv", kinds.TSV),
    (b"<!doctype html><p>a", "a.html", kinds.HTML), (b"\xef\xbb\xbf<html>", "page", kinds.HTML),
    (b"Received: by x\nFrom: a@b\nTo: c@d\n\nx", "m.eml", kinds.MAIL),
    (b"From: a@b\nTo: c@d\nSubject: x\n\nwords", "mail", kinds.MAIL),
])  # fmt: skip
def test_texts_with_a_form_of_their_own_are_told_apart(content: bytes, name: str, kind: kinds.Kind) -> None:
    assert kinds.sniff(content, name) == kind


CALLED = "its name says a program, and programs are not read. Its content is"


@pytest.mark.parametrize(("content", "name", "why"), [
    (b"MZ\x90\x00\x03" + bytes(60), "program.exe", "it is a program; programs are not read."),
    (b"MZ\x90\x00\x03" + bytes(60), "report.pdf", "it is a program; programs are not read."),
    (b"\x7fELF\x02\x01" + bytes(60), "tool", "it is a program; programs are not read."),
    (b"\x00\x01\x02" + bytes(60), "program.exe", f"{CALLED} of no kind that is known here."),
    (b"Just words.", "Setup.EXE", f"{CALLED} a text; with the ending .txt it is read."),
])  # fmt: skip
def test_a_program_and_what_is_called_one_are_refused_as_what_they_are(content: bytes, name: str, why: str) -> None:
    with pytest.raises(PermanentError) as refused:
        kinds.sniff(content, name)
    assert refused.value.code == "unsupported_kind" and refused.value.message == f"{name} cannot be read here: {why}"

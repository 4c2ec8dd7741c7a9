"""What people typed into PDF files, what a page count claims, and pictures that promise more than they hold."""

import zlib
from collections.abc import AsyncIterator

import pytest

from sourcebook_core import pdf
from sourcebook_core.errors import PermanentError
from sourcebook_core.sandbox import Child
from sourcebook_core.settings import Limits, Settings
from tests.fakes import pdf_files
from tests.ingest_rig import library

OWN = "The quick brown fox jumps over the lazy dog by the lake."


@pytest.fixture
async def child() -> AsyncIterator[Child]:
    """The fork server with short limits."""
    started = Child(Limits(page_seconds=4.0))
    yield started
    await started.close()


def form(content: bytes, *notes: bytes) -> bytes:
    """A file of one page with these annotations; the field Depth inherits its value from its parent."""
    first = 6
    numbers = range(first, first + len(notes))
    fields = b" ".join(b"%d 0 R" % number for number in numbers)
    return pdf_files.document(
        [
            b"<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[%s]/DA(/F1 12 Tf 0 g)>>>>" % fields,
            b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<</Font<</F1 5 0 R>>>>/Contents 4 0 R/Annots[%s]>>" % fields,
            pdf_files.stream(content),
            b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
            *notes,
        ]
    )


def note(kind: bytes, more: bytes) -> bytes:
    return b"<</Type/Annot/Subtype/%s/Rect[72 500 300 520]%s>>" % (kind, more)


TYPED = (
    note(b"Widget", b"/FT/Tx/T(depth)/TU(Depth of the lake)/V(42 metres)"),
    note(b"Widget", b"/FT/Tx/T(empty)/V()"),
    note(b"Widget", b"/FT/Btn/T(agreed)/V/Yes/AS/Yes/AP<</N<</Yes 5 0 R>>>>"),
    note(b"Widget", b"/FT/Btn/T(refused)/V/Off/AS/Off/AP<</N<</Yes 5 0 R>>>>"),
    note(b"Text", b"/Contents(Measure it again in spring.)"),
    note(b"FreeText", b"/Contents(\xfe\xff\x00M\x00\xfc\x00h\x00l\x00e)"),
    note(b"Highlight", b"/Contents(jumps over the lazy dog)"),
    note(b"Text", b"/F 2/Contents(This one is hidden.)"),
    note(b"Link", b"/Contents(A link that leads away)"),
)


async def test_fields_and_comments_follow_the_text_of_their_page_whose_places_stay(child: Child) -> None:
    content = form(pdf_files.words(), *TYPED)
    (page,) = await pdf.read_pages(child, content, 1, 1)
    own, _, typed = page.text.partition("\n\n")
    assert own == OWN
    assert typed.splitlines() == ["Depth of the lake: 42 metres", "agreed: Yes", "Measure it again in spring.", "M\u00fchle"]
    plain = pdf_files.page(pdf_files.words())
    start = own.index("fox")
    assert await pdf.boxes(child, content, 1, page.text, start, start + 3) == await pdf.boxes(child, plain, 1, OWN, start, start + 3)
    at = page.text.index("42 metres")
    assert await pdf.boxes(child, content, 1, page.text, at, at + 9) == []
    assert [word.text for word in (await pdf.words(child, content, 1)).items] == OWN.split()


async def test_a_form_with_few_words_of_its_own_is_read_by_what_was_typed(child: Child) -> None:
    filled = form(pdf_files.words("Depth:"), note(b"Widget", b"/FT/Tx/T(depth)/V(forty metres below the mill of Lindow)"))
    (page,) = await pdf.read_pages(child, filled, 1, 1)
    assert page.state == "read" and "forty metres below the mill" in page.text


async def test_a_file_that_claims_more_pages_than_it_has_names_the_missing_ones(settings: Settings) -> None:
    content = pdf_files.page(pdf_files.words()).replace(b"/Count 1", b"/Count 9")
    async with library(settings) as lib:
        row = await lib.ended(await lib.add("pdf", content, name="liar.pdf"))
        assert row["status"] == "ready"
        assert [(entry["page"], entry["code"]) for entry in row["report"]["not_read"]] == [(page, "damaged_file") for page in range(2, 10)]
        assert any("8 pages could not be read" in warning["message"] for warning in row["report"]["warnings"])


@pytest.mark.parametrize("coding", [b"JBIG2Decode", b"JPXDecode", b"DCTDecode", b"CCITTFaxDecode", b"FlateDecode"])
async def test_a_picture_that_promises_a_thousand_million_points_ends_within_its_limits(child: Child, coding: bytes) -> None:
    body = zlib.compress(bytes(1000)) if coding == b"FlateDecode" else bytes(range(256))
    picture = pdf_files.stream(
        body, b"/Type/XObject/Subtype/Image/Width 40000/Height 30000/ColorSpace/DeviceGray/BitsPerComponent 8/Filter/%s" % coding
    )
    content = pdf_files.document(
        [
            b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<</XObject<</I 5 0 R>>>>/Contents 4 0 R>>",
            pdf_files.stream(b"612 0 0 792 0 0 cm /I Do"), picture,
        ]
    )  # fmt: skip
    try:
        async with pdf.opened_file(child, content) as opened:
            assert [page.state async for page in opened.pages([1])] in (["unread"], ["empty"])
            await opened.picture(1, 150, 8_000_000)
    except PermanentError as error:
        assert error.code in ("resource_limit", "damaged_file")
    assert (await pdf.read_pages(child, pdf_files.page(pdf_files.words()), 1, 1))[0].text == OWN

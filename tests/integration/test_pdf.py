"""PDF files in the walled child: walls, text, places, pictures, and what hostile files cannot do."""

import asyncio
import io
import os
import random
from collections.abc import AsyncIterator
from pathlib import Path

import pypdfium2
import pytest
from PIL import Image
from pypdfium2 import raw

from sourcebook_core import pdf
from sourcebook_core.errors import PermanentError
from sourcebook_core.pdf_geometry import Box
from sourcebook_core.sandbox import Child, Crashed
from sourcebook_core.settings import Limits
from tests.fakes import pdf_files
from tests.rig import until

SAMPLES = Path(__file__).parents[3] / "shared" / "samples" / "pdf"
LAID_OUT = ["multicolumn.pdf", "pdflatex-4-pages.pdf", "002-trivial-libre-office-writer.pdf", "google-doc-document.pdf"]
BOXES = [b"0 0 14400 14400", b"-500 -500 500 500", b"500 500 0 0", b"0 0 0 0", b"0 0 100000000 1", b"0 0 nan nan", b"0 0 1e30 1e30"]
GOOD = pdf_files.page(pdf_files.words())


@pytest.fixture
async def child() -> AsyncIterator[Child]:
    """The fork server with short limits."""
    started = Child(Limits(page_seconds=4.0))
    yield started
    await started.close()


async def test_every_wall_stands_and_the_child_is_gone_afterwards(child: Child) -> None:
    walls = await child.walls()
    assert walls == dict.fromkeys(walls, True), "a wall is missing: this kernel may forbid it"
    async with child.open("sourcebook_core.sandbox_probe", b"", "x") as opened:
        assert opened
    await until(lambda: not child._ends, 10)


async def test_the_children_die_with_their_parent() -> None:
    program = (
        "import asyncio, sys\nfrom sourcebook_core.sandbox import Child\nfrom sourcebook_core.settings import Limits\n"
        "async def main():\n    child = Child(Limits())\n    async with child.open('sourcebook_core.sandbox_probe', b'', 'x'):\n"
        "        print(child._process.pid, flush=True)\n        await asyncio.Event().wait()\nasyncio.run(main())\n"
    )
    parent = await asyncio.create_subprocess_exec("python3", "-c", program, stdout=asyncio.subprocess.PIPE, env=dict(os.environ) | _venv())
    assert parent.stdout is not None
    server = int(await parent.stdout.readline())
    family = [server, *_children(server)]
    assert len(family) == 2
    parent.kill()
    await parent.wait()
    await until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in family), 30, "the server and its child to end")


def _venv() -> dict[str, str]:
    return {"PATH": f"{Path(os.sys.executable).parent}:{os.environ['PATH']}"}  # type: ignore[attr-defined]


def _children(pid: int) -> list[int]:
    return [int(text) for text in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


async def test_a_page_gives_its_text_and_a_rotated_page_its_words_where_they_are_seen(child: Child) -> None:
    for turn in (0, 90, 180, 270):
        content = pdf_files.page(pdf_files.words(x=20, y=760), rotate=turn)
        assert (await pdf.read_pages(child, content, 1, 1))[0].text == "The quick brown fox jumps over the lazy dog by the lake."
        found = await pdf.words(child, content, 1)
        assert (found.width > found.height) == (turn in (90, 270))
        first = found.items[0]
        corner = (round(first.x0 + first.x1) / 2 > 0.4, (first.y0 + first.y1) / 2 > 0.4)
        assert corner == {0: (False, False), 90: (True, False), 180: (True, True), 270: (False, True)}[turn], turn


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the sample files are not on this machine")
@pytest.mark.parametrize(
    "name", ["multicolumn.pdf", "pdflatex-4-pages.pdf", "002-trivial-libre-office-writer.pdf", "google-doc-document.pdf"]
)
async def test_the_text_under_the_boxes_is_the_text_of_the_range(child: Child, name: str) -> None:
    chance = random.Random(7)
    path = SAMPLES / name
    document = pypdfium2.PdfDocument(path)
    for page in await pdf.read_pages(child, path, 1, len(document)):
        for _ in range(6):
            start = chance.randrange(len(page.text) - 1)
            end = min(len(page.text), start + chance.randrange(1, 400))
            boxes = await pdf.boxes(child, path, page.page, page.text, start, end)
            assert boxes is not None
            under = "".join(_under(document[page.page - 1], box) for box in boxes)
            assert _bare(under) == _bare(page.text[start:end]), (name, page.page, start, end)
    document.close()


def _under(page: pypdfium2.PdfPage, box: Box) -> str:
    """The characters whose middle lies in a box, in the order of the page's text."""
    textpage = page.get_textpage()
    found = []
    text = textpage.get_text_range()
    left, bottom, right, top = page.get_bbox()
    for place, char in enumerate(text):
        index = raw.FPDFText_GetCharIndexFromTextIndex(textpage, place)
        rect = raw.FS_RECTF()
        if raw.FPDFText_IsGenerated(textpage, index) or not raw.FPDFText_GetLooseCharBox(textpage, index, rect):
            continue
        x = ((rect.left + rect.right) / 2 - left) / (right - left)
        y = 1 - ((rect.top + rect.bottom) / 2 - bottom) / (top - bottom)
        if box.x0 <= x <= box.x1 and box.y0 <= y <= box.y1:
            found.append(char)
    return "".join(found)


def _bare(text: str) -> str:
    return "".join(text.replace("\u00ad", "").replace("\ufffe", "").split())


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the sample files are not on this machine")
async def test_a_word_hyphenated_at_a_line_end_is_marked_on_both_lines(child: Child) -> None:
    path = SAMPLES / "multicolumn.pdf"
    page = (await pdf.read_pages(child, path, 1, 1))[0]
    place = page.text.index("adip\u00adiscin")
    boxes = await pdf.boxes(child, path, 1, page.text, place, place + len("adip\u00adiscing"))
    assert boxes is not None
    assert len(boxes) == 2
    assert boxes[0].y1 <= boxes[1].y0 + 0.01
    pieces = [word for word in (await pdf.words(child, path, 1)).items if place <= word.start < place + 12]
    assert pieces[0].text == "adip\u00ad"
    assert pieces[1].text.startswith("iscin")


async def test_boxes_are_not_guessed_when_the_page_has_another_text_now(child: Child) -> None:
    assert await pdf.boxes(child, GOOD, 1, "The quick brown fox jumped over something else.", 0, 9) is None


async def test_characters_beyond_the_basic_plane_and_broken_ones_keep_their_places(child: Child) -> None:
    cmap = (
        b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def 1 begincodespacerange <00><FF> endcodespacerange "
        b"3 beginbfchar <41> <D83DDE00> <42> <0062> <43> <D83D> endbfchar endcmap end end"
    )
    content = b"BT /F1 20 Tf 50 100 Td (" + b"BABCB " * 6 + b") Tj ET"
    made = pdf_files.document(
        [
            b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 900 200]/Resources<</Font<</F1 4 0 R>>>>/Contents 5 0 R>>",
            b"<</Type/Font/Subtype/TrueType/BaseFont/Helvetica/ToUnicode 6 0 R>>", pdf_files.stream(content), pdf_files.stream(cmap),
        ]
    )  # fmt: skip
    words = (await pdf.words(child, made, 1)).items
    assert words[0].text.startswith("b\U0001f600b\ufffdb")
    text = " ".join(word.text for word in words)
    assert text.encode()


async def test_a_picture_is_a_jpeg_whose_pixels_are_bounded_before_it_is_drawn() -> None:
    child = Child(Limits(page_pixels=1_000_000))
    try:
        drawn = Image.open(io.BytesIO(await pdf.render(child, GOOD, 1, 72)))
        assert (drawn.format, drawn.size) == ("JPEG", (612, 792))
        for box in (
            b"0 0 14400 14400",
            b"-500 -500 500 500",
            b"500 500 0 0",
            b"0 0 0 0",
            b"0 0 100000000 1",
            b"0 0 nan nan",
            b"0 0 1e30 1e30",
        ):
            made = pdf_files.page(pdf_files.words(), box=box)
            try:
                size = Image.open(io.BytesIO(await pdf.render(child, made, 1, 150))).size
                assert size[0] * size[1] <= 1_010_000, box
            except PermanentError as error:
                assert error.code in ("damaged_file", "resource_limit"), box
    finally:
        await child.close()


@pytest.mark.parametrize("what", list(pdf_files.hostile()))
async def test_a_hostile_file_ends_with_a_verdict_and_the_next_file_is_read(child: Child, what: str) -> None:
    content = pdf_files.hostile()[what]
    try:
        async with pdf.opened_file(child, content, name="x.pdf") as opened:
            pages = [page async for page in opened.pages(range(1, opened.document.pages + 1))]
            assert len(pages) == opened.document.pages
    except PermanentError as error:
        assert error.code in ("damaged_file", "resource_limit", "too_many_pages")
        assert "x.pdf" in error.message
    assert (await pdf.read_pages(child, GOOD, 1, 1))[0].state == "read"


async def test_a_bomb_is_stopped_by_time_or_memory_and_said_so() -> None:
    child = Child(Limits(page_seconds=2.0, child_memory_bytes=400_000_000))
    try:
        bomb = pdf_files.flate_bomb(300)
        assert len(bomb) < 4000
        pages = await pdf.read_pages(child, bomb, 1, 1)
        assert [(page.state, page.code) for page in pages] == [("unread", "resource_limit")]
        assert (await pdf.read_pages(child, GOOD, 1, 1))[0].state == "read"
    finally:
        await child.close()


async def test_too_many_pages_are_refused_before_any_is_read(child: Child) -> None:
    assert (await pdf.inspect(child, pdf_files.many_pages(2000))).pages == 2000
    with pytest.raises(PermanentError) as caught:
        await pdf.inspect(child, pdf_files.many_pages(2001), name="many.pdf")
    assert caught.value.code == "too_many_pages"
    assert "2001" in caught.value.message
    with pytest.raises(PermanentError):
        await pdf.inspect(child, pdf_files.many_pages(100_000))


async def test_scripts_attachments_and_launch_actions_are_neither_run_nor_opened(child: Child) -> None:
    action = b"/OpenAction<</S/JavaScript/JS(app.alert\\(1\\))>>/AA<</WC<</S/Launch/F(/bin/true)>>>>/Names<</EmbeddedFiles<</Names[]>>>>"
    made = pdf_files.page(pdf_files.words(), catalogue=action, more=b"/AA<</O<</S/URI/URI(http://127.0.0.1:9/)>>>>")
    assert (await pdf.read_pages(child, made, 1, 1))[0].text.startswith("The quick")


async def test_a_file_with_noise_before_it_or_without_its_end_is_read_as_far_as_it_goes(child: Child) -> None:
    assert (await pdf.read_pages(child, b"noise\n" * 20 + GOOD, 1, 1))[0].state == "read"
    cut = await pdf.inspect(child, GOOD[: GOOD.rindex(b"startxref")])
    assert (cut.pages, cut.is_whole) == (1, False)
    halved = pdf_files.book(30)[: len(pdf_files.book(30)) // 2]
    async with pdf.opened_file(child, halved, name="half.pdf") as opened:
        pages = [page async for page in opened.pages(range(1, opened.document.pages + 1))]
    states = [page.state for page in pages]
    assert not opened.document.is_whole
    assert 5 < states.count("read") < 30
    assert {page.code for page in pages if page.state == "unread"} <= {"damaged_file"}
    whole = await pdf.read_pages(child, pdf_files.book(30), 1, 30)
    assert {page.text for page in pages if page.state == "read"} <= {page.text for page in whole}


async def test_pages_packed_into_object_streams_are_found_in_a_file_without_its_end(child: Child) -> None:
    for name in ("pdflatex-4-pages.pdf", "multicolumn.pdf"):
        content = pdf_files.packed_without_end(pdf_files.words(name + " is a file whose page lies in an object stream."))
        pages = await pdf.read_pages(child, content, 1, 1)
        assert pages[0].text.startswith(name)


async def test_a_bit_flipped_or_shortened_file_never_brings_anything_but_a_verdict(child: Child) -> None:
    chance = random.Random(3)
    for _ in range(40):
        broken = bytearray(GOOD)
        for _ in range(chance.randrange(1, 6)):
            broken[chance.randrange(len(broken))] ^= 1 << chance.randrange(8)
        content = bytes(broken[: chance.randrange(len(broken) // 2, len(broken) + 1)])
        try:
            assert await pdf.read_pages(child, content, 1, 1)
        except PermanentError as error:
            assert error.code in ("damaged_file", "resource_limit", "password_protected", "certificate_protected")


async def test_a_child_that_ends_while_it_works_is_an_error_of_its_part(child: Child) -> None:
    async with child.open("sourcebook_core.sandbox_probe", b"", "x.pdf") as opened:
        server = child._process
        assert server is not None
        for pid in _children(server.pid):
            os.kill(pid, 11)
        with pytest.raises(Crashed) as caught:
            assert [part async for part in opened.call("try", 5.0)]
    assert caught.value.code == "damaged_file"


async def test_a_fork_server_that_died_is_started_again(child: Child) -> None:
    await pdf.inspect(child, GOOD)
    assert child._process is not None
    child._process.kill()
    await child._process.wait()
    assert (await pdf.inspect(child, GOOD)).pages == 1

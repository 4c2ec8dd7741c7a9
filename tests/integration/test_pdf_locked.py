"""PDF files with passwords, with too many pages, and many at once: what opens, what is refused and how it is said."""

import asyncio
import io
from collections.abc import AsyncIterator

import pypdf
import pytest

from sourcebook_core import pdf, seal
from sourcebook_core import settings as core_settings
from sourcebook_core.sandbox import Child
from sourcebook_core.settings import Limits, Settings
from tests.fakes import pdf_files
from tests.fakes.provider import FakeProvider
from tests.ingest_rig import Library, library

OWN = "The quick brown fox jumps over the lazy dog by the lake."
MODES = ("text", "vision", "auto")
CIPHERS = ["RC4-40", "RC4-128", "AES-128", "AES-256-R5", "AES-256"]


@pytest.fixture
def settings(environment: dict[str, str], fake: FakeProvider) -> Settings:
    """With a picture reader, so that no mode is refused for the want of one."""
    return core_settings.load(environment | fake.settings("VISION"))


@pytest.fixture
async def lib(settings: Settings) -> AsyncIterator[Library]:
    async with library(settings) as made:
        yield made


def locked(password: str, algorithm: str) -> bytes:
    """The file with this password for reading and another for its owner."""
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(pdf_files.page(pdf_files.words())))
    writer.encrypt(password, "of the owner", algorithm=algorithm)
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


async def test_a_file_locked_for_changes_alone_opens_and_one_locked_for_reading_opens_with_its_password(
    lib: Library, settings: Settings
) -> None:
    given = seal.close_text(settings, "lindow")
    wrong = seal.close_text(settings, "wincham")
    for cipher in CIPHERS:
        content = locked("lindow", cipher)
        asked = {
            "open": await lib.add("pdf", locked("", cipher), name="open.pdf"),
            "locked": await lib.add("pdf", content, name="locked.pdf"),
            "given": await lib.add("pdf", content + b"\n", name="given.pdf", sealed=given),
            "wrong": await lib.add("pdf", content + b"\n\n", name="wrong.pdf", sealed=wrong),
        }
        ended = {what: await lib.ended(source_id) for what, source_id in asked.items()}
        told = {what: (row["status"], row["error_code"]) for what, row in ended.items()}
        refused = ("failed", "password_protected")
        assert told == {"open": ("ready", None), "locked": refused, "given": ("ready", None), "wrong": refused}, cipher
        assert [(await lib.passages(asked[what]))[0]["text"] for what in ("open", "given")] == [OWN, OWN], cipher
        assert "locked.pdf" in ended["locked"]["error_message"] and "password" in ended["locked"]["error_message"]
    tries = await lib.all("select attempt, sealed from jobs where kind = 'read_source' and state = 'failed'")
    assert {(job["attempt"], job["sealed"]) for job in tries} == {(1, None)}  # not tried again, and no password stays


async def test_two_thousand_pages_are_read_and_one_more_is_refused_in_every_mode(lib: Library, fake: FakeProvider) -> None:
    over = {mode: await lib.add("pdf", pdf_files.many_pages(2001) + mode.encode(), name="over.pdf", capture=mode) for mode in MODES}
    full = {mode: await lib.add("pdf", pdf_files.many_pages(2000) + mode.encode(), name="full.pdf", capture=mode) for mode in MODES}
    for mode in MODES:
        row = await lib.ended(over[mode], 90)
        assert (row["status"], row["error_code"]) == ("failed", "too_many_pages"), mode
        assert "over.pdf" in row["error_message"] and "2001" in row["error_message"] and "2000" in row["error_message"]
        row = await lib.ended(full[mode], 120)
        assert (row["status"], row["error_code"]) == ("failed", "no_text"), mode  # all are blank
    assert fake.script.requests() == []


async def test_ten_files_at_once_give_each_its_own_words() -> None:
    child = Child(Limits())
    try:
        said = [f"File number {number} tells of the lake and how deep it is there." for number in range(10)]
        read = await asyncio.gather(*(pdf.read_pages(child, pdf_files.page(pdf_files.words(text)), 1, 1) for text in said))
        assert [pages[0].text for pages in read] == said
    finally:
        await child.close()

"""PDF sources: real files of many makers, each with what a person must find in it or be told about it."""

import csv
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from sourcebook_core import seal
from sourcebook_core.settings import Settings
from tests.ingest_rig import Library, library

SAMPLES = Path(__file__).parents[3] / "shared" / "samples" / "pdf"
pytestmark = pytest.mark.skipif(not SAMPLES.is_dir(), reason="the sample files are not on this machine")


@pytest.fixture
async def lib(settings: Settings) -> AsyncIterator[Library]:
    """A library with a working runtime and no models."""
    async with library(settings) as made:
        yield made


def sample(name: str) -> bytes:
    return (SAMPLES / name).read_bytes()


def expected(method: str) -> dict[str, list[tuple[int, str]]]:
    found: dict[str, list[tuple[int, str]]] = {}
    with (SAMPLES / "expectations.tsv").open(newline="") as lines:
        for row in csv.DictReader(lines, delimiter="\t"):
            if row["method"] == method:
                found.setdefault(row["file"], []).append((int(row["page"]), row["must_contain"]))
    return found


def plain(text: str) -> str:
    """Words with one blank between them, hyphenated words joined."""
    return " ".join(text.replace("\u00ad", "").split())


async def test_every_page_of_the_samples_holds_the_words_it_must(lib: Library) -> None:
    wanted = expected("text")
    ids = {name: await lib.add("pdf", sample(name), name=name) for name in wanted}
    for name, source_id in ids.items():
        row = await lib.ended(source_id)
        assert row["status"] == "ready", (name, row["error_message"])
        pages = {passage["page"]: plain(passage["text"]) for passage in await lib.passages(source_id)}
        assert len(pages) == row["pages"] == row["report"]["pages"]
        for page, words in wanted[name]:
            assert words in pages[page], (name, page)


async def test_a_scan_fails_and_names_the_mode_and_a_blank_file_has_no_text(lib: Library) -> None:
    ids = {name: await lib.add("pdf", sample(name), name=name) for name in expected("ocr") if name != "multipage.pdf"}
    for name, source_id in ids.items():
        row = await lib.ended(source_id)
        assert (row["status"], row["error_code"]) == ("failed", "no_text_layer"), name
        assert name in row["error_message"]
        assert "mode auto" in row["error_message"]
    blank = await lib.ended(await lib.add("pdf", sample("no_contents.pdf"), name="no_contents.pdf"))
    assert (blank["status"], blank["error_code"]) == ("failed", "no_text")


async def test_a_mixed_file_is_ready_and_its_report_names_each_page_that_was_not_read(lib: Library) -> None:
    row = await lib.ended(await lib.add("pdf", sample("multipage.pdf"), name="multipage.pdf"))
    assert row["status"] == "ready"
    assert row["report"]["by_text"] == 1
    assert [entry["page"] for entry in row["report"]["not_read"]] == [1, 2, 3, 5, 6]
    assert {entry["code"] for entry in row["report"]["not_read"]} == {"no_text_layer"}
    assert "5 pages could not be read: 1, 2, 3, 5, 6." in [warning["message"] for warning in row["report"]["warnings"]]


@pytest.mark.parametrize(
    ("name", "code"),
    [("AESkeylength256.pdf", "certificate_protected"), ("invalid.pdf", "damaged_file"), ("r6-user-password.pdf", "password_protected")],
)
async def test_a_file_that_cannot_be_opened_fails_at_once_with_its_reason(lib: Library, name: str, code: str) -> None:
    row = await lib.ended(await lib.add("pdf", sample(name), name=name))
    assert (row["status"], row["error_code"]) == ("failed", code)
    assert name in row["error_message"]
    assert await lib.all("select attempt from jobs") == [{"attempt": 1}]


async def test_the_password_opens_a_protected_file_and_is_gone_afterwards(lib: Library, settings: Settings) -> None:
    sealed = seal.close_text(settings, "asdfzxcv")
    source_id = await lib.add("pdf", sample("r6-user-password.pdf"), name="r6.pdf", sealed=sealed)
    row = await lib.ended(source_id)
    assert row["status"] == "ready"
    assert "pdf encryption test" in (await lib.passages(source_id))[0]["text"]
    assert {job["sealed"] for job in await lib.all("select sealed from jobs")} == {None}


async def test_the_outline_gives_each_page_its_heading_and_each_entry_its_place(lib: Library) -> None:
    source_id = await lib.add("pdf", sample("pdflatex-outline.pdf"), name="outline.pdf")
    await lib.ended(source_id)
    pages: list[dict[str, Any]] = await lib.passages(source_id)
    assert [page["heading"] for page in pages][1:] == [pages[1]["heading"], pages[2]["heading"], pages[3]["heading"]]
    assert pages[1]["heading"]
    outline = (await lib.all("select outline from corpus.readings"))[0]["outline"]
    assert len(outline) == 9
    for entry in outline:
        text = pages[entry["passage"]]["text"]
        assert plain(text[entry["start"] :]).casefold().startswith(entry["title"].casefold()), entry

"""Pages read as pictures by the vision role: which pages, what it costs, what is kept, what a person is asked and told."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from decimal import Decimal
from io import BytesIO
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from PIL import Image

from sourcebook_core import settings as core_settings
from tests.fakes import pdf_files
from tests.fakes.pictures import asked
from tests.fakes.provider import FakeProvider
from tests.fakes.script import Reply, Request
from tests.ingest_rig import Library, library

WORDS = "The quick brown fox jumps over the lazy dog by the lake."
GLYPHS = " ".join(f"/g{number}" for number in range(10, 50))  # what a font without a Unicode map gives
NUMBERS = "12 400 18 200 33 900 45 100 27 300 81 200"


@pytest.fixture
def fake(fake: FakeProvider) -> FakeProvider:
    fake.script.write_with(lambda request: f"The picture of sheet {asked(request)} tells of a mill.")
    return fake


def role(fake: FakeProvider, provider: str = "api") -> dict[str, str]:
    return fake.settings("VISION", PROVIDER=provider)


@asynccontextmanager
async def reading(environment: dict[str, str], **more: str) -> AsyncIterator[Library]:
    """A library whose worker runs with these settings."""
    async with library(core_settings.load(environment | more)) as lib:
        yield lib


def mixed(*pages: bytes | str | int | None) -> bytes:
    """A PDF: text is written, a number is a picture, None is blank."""
    return pdf_files.pages_of(
        [
            b"" if page is None else pdf_files.drawn(page) if isinstance(page, int) else pdf_files.words(str(page), size=9, x=20)
            for page in pages
        ]
    )


async def prices(lib: Library) -> list[dict[str, Any]]:
    return await lib.all("select step, state, units, cost, error_code, possibly_billed from calls order by step")


async def states(lib: Library, source_id: UUID) -> list[tuple[int, str, str]]:
    return [(row["page"], row["state"], row["method"]) for row in await lib.passages(source_id)]


async def test_auto_reads_text_where_there_is_some_and_pictures_where_there_is_none(
    environment: dict[str, str], fake: FakeProvider, tmp_path: Path
) -> None:
    tariff = tmp_path / "prices.toml"
    tariff.write_text('currency = "EUR"\n[models."fake-vision"]\npage = "0.002"\n')
    async with reading(environment, **role(fake), SOURCEBOOK_PRICES=str(tariff)) as lib:
        source_id = await lib.add("pdf", mixed(WORDS, 7, WORDS + " Again.", None, 9, NUMBERS, GLYPHS), name="mixed.pdf")
        row = await lib.ended(source_id)
        assert row["status"] == "ready", row["error_message"]
        assert await states(lib, source_id) == [
            (1, "read", "text"), (2, "read", "vision"), (3, "read", "text"), (4, "empty", "text"), (5, "read", "vision"),
            (6, "read", "vision"), (7, "read", "vision"),
        ]  # fmt: skip
        texts = [passage["text"] for passage in await lib.passages(source_id)]
        assert texts[1] == "The picture of sheet 7 tells of a mill." and "sheet 9 " in texts[4]
        report = row["report"]
        assert (report["by_text"], report["by_vision"], report["empty"], report["calls"]) == (2, 4, [4], 4)
        assert Decimal(report["cost"]) == Decimal("0.008")
        calls = await prices(lib)
        assert [call["step"] for call in calls] == ["page:2", "page:5", "page:6", "page:7"]
        assert {call["units"]["page"] for call in calls} == {1} and calls[0]["units"]["tokens_in"] > 0
        asks = fake.script.requests("chat")
        assert all(len(ask.pictures) == 1 and "is data" in ask.said for ask in asks)
        chunks = await lib.chunks(source_id)
        assert any("sheet 7" in chunk["text"] and chunk["page"] == 2 for chunk in chunks)


async def test_text_mode_makes_no_picture_and_names_the_page_of_numbers_that_it_leaves_out(
    environment: dict[str, str], fake: FakeProvider
) -> None:
    async with reading(environment, **role(fake)) as lib:
        source_id = await lib.add("pdf", mixed(WORDS, NUMBERS, 3), name="sheet.pdf", capture="text")
        row = await lib.ended(source_id)
        assert row["status"] == "ready"
        assert [(entry["page"], entry["code"]) for entry in row["report"]["not_read"]] == [(2, "no_text_layer"), (3, "no_text_layer")]
        assert "numbers" in row["report"]["not_read"][0]["why"]
        scan = await lib.ended(await lib.add("pdf", mixed(1, 2), name="scan.pdf", capture="text"))
        assert (scan["status"], scan["error_code"]) == ("failed", "no_text_layer")
        assert "mode text" in scan["error_message"] and "mode auto" in scan["error_message"] and "scan.pdf" in scan["error_message"]
        assert fake.script.requests() == []


async def test_vision_mode_sends_every_page_once_at_150_dots_an_inch_and_a_blank_one_never(
    environment: dict[str, str], fake: FakeProvider
) -> None:
    sizes: list[tuple[int, int]] = []

    def note(request: Request) -> str:
        sizes.append(Image.open(BytesIO(request.pictures[0])).size)
        return "A page with words on it, read from its picture."

    fake.script.write_with(note)
    async with reading(environment, **role(fake)) as lib:
        row = await lib.ended(await lib.add("pdf", mixed(WORDS, 1, None, WORDS, 2), name="five.pdf", capture="vision"))
        assert row["status"] == "ready"
        assert (row["report"]["by_vision"], row["report"]["empty"], row["report"]["calls"]) == (4, [3], 4)
        assert all((width - 1275, height - 1650) == pytest.approx((0, 0), abs=1) for width, height in sizes)  # Letter is 8.5 by 11 inches


async def test_more_pages_than_the_limit_fail_before_the_first_call(environment: dict[str, str], fake: FakeProvider) -> None:
    async with reading(environment, **role(fake), SOURCEBOOK_PDF_VISION_MAX_PAGES="3") as lib:
        fine = await lib.add("pdf", mixed(WORDS, 1, WORDS, 2, WORDS, 3, WORDS), name="fine.pdf")
        row = await lib.ended(await lib.add("pdf", mixed(1, 2, 3, 4), name="long.pdf"))
        assert (row["status"], row["error_code"]) == ("failed", "too_many_vision_pages")
        assert "4 pages" in row["error_message"] and "3" in row["error_message"]
        assert (await lib.ended(fine))["status"] == "ready"
        assert len(fake.script.requests("chat")) == 3


async def test_without_a_picture_reader_a_mixed_file_is_ready_and_says_what_is_missing(environment: dict[str, str]) -> None:
    async with reading(environment) as lib:
        row = await lib.ended(await lib.add("pdf", mixed(WORDS, 1, WORDS, 2, WORDS, None), name="mixed.pdf"))
        assert row["status"] == "ready"
        assert [entry["page"] for entry in row["report"]["not_read"]] == [2, 4] and row["report"]["empty"] == [6]
        scan = await lib.ended(await lib.add("pdf", mixed(1, 2, 3), name="scan.pdf"))
        assert scan["error_code"] == "no_text_layer"
        assert "3 pages are pictures, and no picture reader is connected" in scan["error_message"]
        whole = await lib.ended(await lib.add("pdf", mixed(WORDS, 9), name="whole.pdf", capture="vision"))
        assert whole["error_code"] == "no_model" and "mode text" not in whole["error_message"]


async def test_a_notebook_that_keeps_to_local_models_sends_no_page_to_a_hosted_one(environment: dict[str, str], fake: FakeProvider) -> None:
    async with reading(environment, **role(fake)) as lib:
        async with lib.deps.db.transaction() as conn:
            await conn.execute("update notebooks set settings = settings || '{\"local_only\": true}'")
        row = await lib.ended(await lib.add("pdf", mixed(1, 2), name="private.pdf"))
        assert row["error_code"] == "no_text_layer" and "hosted" in row["error_message"]
        assert fake.script.requests() == []


async def test_a_dear_source_asks_first_and_reads_on_when_a_person_agrees(
    environment: dict[str, str], fake: FakeProvider, tmp_path: Path
) -> None:
    tariff = tmp_path / "prices.toml"
    tariff.write_text('currency = "EUR"\n[models."fake-vision"]\npage = "0.01"\n')
    more = {"SOURCEBOOK_ACCOUNTING": "true", "SOURCEBOOK_PRICES": str(tariff), "SOURCEBOOK_VISION_CONFIRM_PAGES": "2"}
    async with reading(environment, **role(fake), **more) as lib:
        source_id = await lib.add("pdf", mixed(WORDS, 1, 2, 3), name="dear.pdf")
        row = await lib.ended(source_id)
        assert row["status"] == "needs_approval"
        assert row["estimate"] == {"pages": 3, "calls": 3, "cost": "0.03", "currency": "EUR"}
        assert fake.script.requests() == []
        kept = await lib.all("select page from corpus.passages where source_id = $1", source_id)
        assert [passage["page"] for passage in kept] == [1]
        assert (await lib.all("select state from jobs")) == [{"state": "done"}]


async def test_a_page_that_the_model_refuses_is_named_and_the_others_are_read(environment: dict[str, str], fake: FakeProvider) -> None:
    def answer(request: Request) -> str | Reply:
        page = asked(request)
        if page == 2:
            return Reply(status=400, message="The picture was flagged.")
        if page == 3:
            return "I'm sorry, but I cannot read the text in this image."
        if page == 4:
            return "mill " * 400
        return "NO_LEGIBLE_TEXT" if page == 5 else f"Sheet {page} of the mill book."

    fake.script.write_with(answer)
    async with reading(environment, **role(fake)) as lib:
        source_id = await lib.add("pdf", mixed(1, 2, 3, 4, 5, 6), name="mixed.pdf")
        row = await lib.ended(source_id)
        assert row["status"] == "ready", row["error_message"]
        assert [(entry["page"], entry["code"]) for entry in row["report"]["not_read"]] == [
            (2, "model_refused"), (3, "model_bad_reply"), (4, "model_bad_reply"),
        ]  # fmt: skip
        assert "flagged" in row["report"]["not_read"][0]["why"] and "repeated" in row["report"]["not_read"][2]["why"]
        assert "no_words_in_pictures" in [warning["code"] for warning in row["report"]["warnings"]]
        assert "mill mill" not in "".join(passage["text"] for passage in await lib.passages(source_id))
        paid = await prices(lib)
        assert [(call["step"], call["state"]) for call in paid if call["state"] == "failed"] == [("page:2", "failed")]
        assert row["report"]["calls"] == 5


@pytest.mark.parametrize(("status", "code"), [(401, "model_unauthorized"), (402, "model_out_of_credit")])
async def test_a_wrong_key_parks_the_source_and_what_is_paid_is_not_paid_again(
    environment: dict[str, str], fake: FakeProvider, status: int, code: str
) -> None:
    fake.script.write_with(lambda request: Reply(status=status) if asked(request) == 3 else f"Sheet {asked(request)} is here to be read.")
    async with reading(environment, **role(fake), SOURCEBOOK_VISION_IN_FLIGHT="1") as lib:
        source_id = await lib.add("pdf", mixed(1, 2, 3, 4), name="four.pdf")
        row = await lib.ended(source_id)
        assert (row["status"], row["error_code"]) == ("paused", code)
        assert row["report"]["calls"] == 2
        assert len(fake.script.requests("chat")) == 3
        fake.script.write_with(lambda request: f"Sheet {asked(request)} is here to be read.")
        await lib.again(source_id)
        assert (await lib.ended(source_id))["status"] == "ready"
        assert sorted(asked(request) for request in fake.script.requests("chat")) == [1, 2, 3, 3, 4]
        assert (await lib.row(source_id))["report"]["calls"] == 4

"""Reading pictures while things break: a worker killed between pages, a provider that hangs or talks nonsense, a page that kills."""

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from sourcebook_core import settings as core_settings
from tests.fakes import pdf_files
from tests.fakes.pictures import asked
from tests.fakes.provider import FakeProvider
from tests.fakes.script import Reply, Request
from tests.ingest_rig import Library, library
from tests.rig import PATIENT, Processes, until

PAGES = 6
SCAN = pdf_files.pages_of([pdf_files.drawn(number) for number in range(1, PAGES + 1)])


def said(page: int) -> str:
    return f"Sheet {page} tells of the mill of Lindow."


@pytest.fixture
def fake(fake: FakeProvider) -> FakeProvider:
    fake.script.write_with(lambda request: said(asked(request)))
    return fake


@asynccontextmanager
async def reading(environment: dict[str, str], fake: FakeProvider, **more: str) -> AsyncIterator[Library]:
    fast = {"SOURCEBOOK_BACKOFF_S": "0.1", "SOURCEBOOK_BACKOFF_MAX_S": "0.3"}
    async with library(core_settings.load(environment | fast | fake.settings("VISION", **more))) as lib:
        yield lib


def times(fake: FakeProvider) -> Counter[int]:
    """How often each page was asked about."""
    return Counter(asked(request) for request in fake.script.requests("chat"))


@pytest.mark.timeout(300)
async def test_killed_between_pages_only_what_was_on_its_way_is_asked_again(
    environment: dict[str, str], processes: Processes, fake: FakeProvider
) -> None:
    def held(request: Request) -> Reply:
        page = asked(request)
        return Reply(text=said(page), hold="there" if page >= 4 else None)

    fake.script.write_with(held)
    processes.environment |= fake.settings("VISION") | {"SOURCEBOOK_VISION_IN_FLIGHT": "2"}
    async with library(core_settings.load(processes.environment), working=False) as lib:
        source_id = await lib.add("pdf", SCAN, name="scan.pdf")
        worker = processes.start("ingest")

        async def three_kept_two_on_their_way() -> bool:
            kept = await lib.all("select count(*) as n from corpus.passages where source_id = $1", source_id)
            return bool(kept[0]["n"] == 3) and times(fake) == Counter([1, 2, 3, 4, 5])

        await until(three_kept_two_on_their_way, 90)
        worker.kill()
        fake.script.release("there")
        processes.start("ingest", **PATIENT)
        row = await lib.ended(source_id, 90)
        assert row["status"] == "ready", row["error_message"]
        assert times(fake) == Counter({1: 1, 2: 1, 3: 1, 4: 2, 5: 2, 6: 1})
        assert [passage["text"] for passage in await lib.passages(source_id)] == [said(page) for page in range(1, PAGES + 1)]
        calls = await lib.all("select step, state, possibly_billed from calls order by step")
        assert [(call["state"], call["possibly_billed"]) for call in calls] == [("done", 0)] * 3 + [("done", 1)] * 2 + [("done", 0)]
        assert row["report"]["calls"] == PAGES


async def test_a_long_scan_lets_others_go_first_and_pays_for_no_page_twice(environment: dict[str, str], fake: FakeProvider) -> None:
    fake.script.write_with(lambda request: Reply(text=said(asked(request)), delay_s=0.15))
    content = pdf_files.pages_of([pdf_files.drawn(number) for number in range(1, 13)])
    async with reading(environment | {"SOURCEBOOK_TURN_S": "0.3", "SOURCEBOOK_VISION_IN_FLIGHT": "3"}, fake) as lib:
        long = await lib.add("pdf", content, name="long.pdf")
        row = await lib.ended(long)
        assert row["status"] == "ready", row["error_message"]
        assert times(fake) == Counter(range(1, 13))
        turns = await lib.all("select fence from jobs where kind = 'read_source' and subject = $1", long)
        assert turns[0]["fence"] > 1, "it never gave its slot back"
        assert [passage["text"] for passage in await lib.passages(long)] == [said(page) for page in range(1, 13)]


async def test_a_busy_or_broken_provider_is_asked_again_and_pages_that_came_are_kept(
    environment: dict[str, str], fake: FakeProvider
) -> None:
    tries = Counter[int]()

    def shaky(request: Request) -> str | Reply:
        page = asked(request)
        tries[page] += 1
        if page == 2 and tries[page] == 1:
            return Reply(status=429, retry_after="0")
        if page == 4 and tries[page] <= 4:  # more than one request's own retries: the job comes back
            return Reply(status=503)
        return said(page)

    fake.script.write_with(shaky)
    async with reading(environment, fake) as lib:
        source_id = await lib.add("pdf", SCAN, name="scan.pdf")
        row = await lib.ended(source_id)
        assert row["status"] == "ready", row["error_message"]
        assert tries == Counter({1: 1, 2: 2, 3: 1, 4: 5, 5: 1, 6: 1})
        assert row["report"]["by_vision"] == PAGES


async def test_a_model_that_never_answers_is_given_up_in_time_and_named(environment: dict[str, str], fake: FakeProvider) -> None:
    fake.script.write_with(lambda request: Reply(hang=True) if asked(request) == 1 else said(asked(request)))
    async with reading(environment | {"SOURCEBOOK_ATTEMPTS": "2"}, fake, TIMEOUT_S="2") as lib:
        row = await lib.ended(await lib.add("pdf", SCAN, name="scan.pdf"))
        assert (row["status"], row["error_code"]) == ("failed", "model_timeout")
        assert "scan.pdf" in row["error_message"] and "reading pictures" in row["error_message"]
        assert all(count == 1 for page, count in times(fake).items() if page != 1)


async def test_nonsense_instead_of_a_reply_is_one_pages_trouble_and_no_count_means_no_known_cost(
    environment: dict[str, str], fake: FakeProvider
) -> None:
    replies = {
        1: Reply(body="{not json"),
        2: Reply(body='{"choices": []}'),
        3: Reply(text=said(3), usage=False),
        4: Reply(text="", finish="length"),
    }
    fake.script.write_with(lambda request: replies.get(asked(request)) or said(asked(request)))
    async with reading(environment, fake) as lib:
        source_id = await lib.add("pdf", SCAN, name="scan.pdf")
        row = await lib.ended(source_id)
        assert row["status"] == "ready", row["error_message"]
        found = {passage["page"]: (passage["state"], passage["code"]) for passage in await lib.passages(source_id)}
        assert found[1] == ("unread", "model_bad_reply") and found[3] == ("read", None)
        assert found[2] == found[4] == ("unread", "model_bad_reply")
        assert row["report"]["cost"] is None


async def test_a_model_that_refuses_every_page_is_not_asked_for_all_of_them(environment: dict[str, str], fake: FakeProvider) -> None:
    fake.script.write_with(lambda request: Reply(status=400, message="This model takes no pictures."))
    async with reading(environment, fake) as lib:
        content = pdf_files.pages_of([pdf_files.drawn(number) for number in range(1, 41)])
        row = await lib.ended(await lib.add("pdf", content, name="scan.pdf"))
        assert (row["status"], row["error_code"]) == ("failed", "model_refused")
        assert "takes no pictures" in row["error_message"] and len(fake.script.requests("chat")) < 12


async def test_a_page_that_kills_its_reader_leaves_the_pictures_of_the_others(environment: dict[str, str], fake: FakeProvider) -> None:
    content = pdf_files.pages_of([pdf_files.drawn(1), pdf_files.bomb(3000), pdf_files.drawn(3)])
    async with reading(environment | {"SOURCEBOOK_PAGE_SECONDS": "4"}, fake) as lib:
        source_id = await lib.add("pdf", content, name="bomb.pdf")
        row = await lib.ended(source_id)
        assert row["status"] == "ready", row["error_message"]
        assert [(entry["page"], entry["code"]) for entry in row["report"]["not_read"]] == [(2, "resource_limit")]
        assert times(fake) == Counter([1, 3])

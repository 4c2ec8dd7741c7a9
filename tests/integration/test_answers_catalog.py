"""The list of what is sold: asked for when a model says so, read once in its time, told only where it is cited."""

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import pytest

from sourcebook_core import events
from tests.fakes.provider import FakeProvider
from tests.fakes.script import Reply
from tests.fakes.website import Answer, Website
from tests.profile_rig import add, asked_of, profile_desk
from tests.rag_rig import Answered, Desk

START = "Start the pump with the green button. The flow is 20 µl/min after the pump has started."
ARTICLES = [
    {"name": "Pump head P4", "text": "Spare head for the pump, silicone.", "url": "https://shop.example.org/p4"},
    {"name": "Lamp L1", "text": "Lamp for the reader.", "url": "javascript:alert(1)"},
]
QUESTION = "Which pump head can I order?"
DECIDE = "needs the list of what is sold"


@pytest.fixture
def shop() -> Iterator[Website]:
    with Website() as site:
        site.pages["/articles.json"] = Answer(json.dumps(ARTICLES).encode())
        yield site


@asynccontextmanager
async def office(environment: dict[str, str], fake: FakeProvider, shop: Website, *, allow: bool = True) -> AsyncIterator[Desk]:
    catalog = {"address": shop.url("/articles.json"), "link": "https://shop.example.org/"}
    more = {"SOURCEBOOK_HOST_ALLOW": shop.place} if allow else {}
    async with profile_desk(environment, fake, "product", vectors=False, more=more, routing={"catalog": catalog}) as made:
        await add(made, START, title="Handbook", meta={"evidence": "product"})
        yield made


async def ask(desk: Desk, fake: FakeProvider, text: str, *, wanted: str = "YES", question: str = QUESTION) -> Answered:
    fake.script.add(Reply(match=DECIDE, text=wanted), Reply(match="You answer questions", text=text))
    return await desk.answer(question)


async def test_a_record_is_told_where_it_is_cited_and_the_catalog_is_read_once_in_its_time(
    environment: dict[str, str], fake: FakeProvider, shop: Website
) -> None:
    # S4-08, S4-25.
    async with office(environment, fake, shop) as desk:
        got = await ask(desk, fake, "You can order the pump head P4 [2]. Start it with the green button [1].")
        again = await ask(desk, fake, "Press the green button.")
        async with desk.db.transaction() as conn:
            steps = await conn.fetch("select step, state from calls where turn_id = $1 order by step", got.turn.id)
    assert "[2] (catalog) Pump head P4" in asked_of(fake).messages[-1]["content"] and "Lamp" not in asked_of(fake).messages[-1]["content"]
    assert "[3]" not in asked_of(fake).messages[-1]["content"]
    assert [(one["title"], one["kind"], one["address"]) for one in got.outcome["sources"]] == [
        ("Pump head P4", "catalog", "https://shop.example.org/p4"),
        ("Handbook", "markdown" if got.citations[1].kind == "markdown" else "pdf", None),
    ]
    assert [one.removed for one in got.citations] == [False, False] and got.outcome["coverage"] == "low"
    assert [(row["step"], row["state"]) for row in steps] == [("answer", "done"), ("catalog", "done")]
    assert shop.asked("/articles.json") == 1
    assert again.outcome["fallback"] is True and [one["title"] for one in again.outcome["sources"]] == ["Handbook"]  # also in the fallback


async def test_a_question_that_needs_no_catalog_reads_none(environment: dict[str, str], fake: FakeProvider, shop: Website) -> None:
    async with office(environment, fake, shop) as desk:
        got = await ask(desk, fake, "Press the green button [1].", wanted="NO", question="How do I start the pump?")
        science = await desk.answer("Why does the pump flow?")
    assert got.turn.answer == "Press the green button [1]." and shop.seen == []
    assert science.outcome["route"]["intent"] == "science" and len([one for one in fake.script.requests("chat") if DECIDE in one.said]) == 1


@pytest.mark.parametrize("fault", ["down", "not_allowed", "not_json", "too_large"])
async def test_a_catalog_that_cannot_be_read_leaves_a_notice_and_the_answer(
    environment: dict[str, str], fake: FakeProvider, shop: Website, fault: str
) -> None:
    bad = {"down": Answer(b"", 503), "not_json": Answer(b"<p>hi</p>"), "too_large": Answer(b"[" + b" " * 1_000_001 + b"]")}
    shop.pages["/articles.json"] = bad.get(fault, shop.pages["/articles.json"])
    async with office(environment, fake, shop, allow=fault != "not_allowed") as desk:
        got = await ask(desk, fake, "Press the green button [1].")
    assert got.turn.status == "done"
    assert got.turn.answer == "Press the green button [1].\n\nThe list of what is sold cannot be reached just now." == got.joined
    assert [one["title"] for one in got.outcome["sources"]] == ["Handbook"] and "cannot be reached" in asked_of(fake).said
    assert fault != "not_allowed" or shop.seen == []


async def test_a_question_that_no_record_fits_is_shown_the_shop(environment: dict[str, str], fake: FakeProvider, shop: Website) -> None:
    async with office(environment, fake, shop) as desk:
        got = await ask(desk, fake, "I do not know of one.", question="Where do I buy gaskets?")
    assert got.turn.answer.endswith("\n\nWhat is sold is listed here: https://shop.example.org/")
    assert isinstance(got.events[-1], events.Done)

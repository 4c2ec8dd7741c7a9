"""A worker that is killed after it paid for a question's translation or its look at the catalog: the next one pays for neither again."""

import json
from collections.abc import AsyncIterator

import pytest

from sourcebook_core import settings as core_settings
from tests.fakes.provider import FakeProvider
from tests.fakes.script import Reply
from tests.fakes.website import Answer, Website
from tests.profile_rig import add, use
from tests.rag_rig import Desk, chat_settings, desk
from tests.rig import PATIENT, Processes, until

DECIDE = "needs the list of what is sold"


@pytest.fixture
async def office(environment: dict[str, str], fake: FakeProvider, site: Website) -> AsyncIterator[Desk]:
    """A desk without a worker of its own, and the environment of processes that use the fakes."""
    environment |= chat_settings(fake) | fake.settings("TRANSLATE", API_KEY="k") | {"SOURCEBOOK_HOST_ALLOW": site.place}
    async with desk(core_settings.load(environment), working=False) as made:
        yield made


async def test_a_translation_and_a_decision_are_paid_once_though_the_worker_is_killed(
    office: Desk, fake: FakeProvider, processes: Processes, site: Website
) -> None:
    site.pages["/articles.json"] = Answer(json.dumps([{"name": "Pumpe P4", "text": "pump head"}]).encode())
    await use(office, "product", answer={"translate_to": "en"}, routing={"catalog": {"address": site.url("/articles.json")}})
    await add(office, "Order a new pump head when the old one leaks.", title="Handbook", meta={"evidence": "product"})
    fake.script.add(Reply(match="fake-translate", text="Which pump head can I order?"))
    fake.script.add(Reply(match=DECIDE, text="YES"), Reply(match="You answer questions", text="Order the pump head P4 [2]."))
    turn_id = await office.ask("Welchen Pumpenkopf kann ich für die Pumpe bestellen?")
    first = processes.start("rag", FAULT_AT="answer.before_open")
    await until(lambda: '"answer.before_open"' in first.said(), 60.0, "the worker before the answer opens")
    first.kill()
    assert len(fake.script.requests("chat")) == 2
    processes.start("rag", **PATIENT)
    got = await office.ended(turn_id, 60.0)
    async with office.db.transaction() as conn:
        steps = [(row["step"], row["state"]) for row in await conn.fetch("select step, state from calls order by step")]
    assert got.turn.status == "done" and len(fake.script.requests("chat")) == 3
    assert steps == [("answer", "done"), ("catalog", "done"), ("translate", "done")]

"""Rag workers killed in the midst of a model's rounds with tools: run again whole, unseen, and no paid round is paid twice (F2)."""

import json
from collections.abc import AsyncIterator

import pytest

from sourcebook_core import jobs, seal
from sourcebook_core import settings as core_settings
from sourcebook_core.jobs import AnswerTurn
from tests import rows
from tests.fakes.host import ADA, PROJECTS, FakeHost
from tests.fakes.provider import FakeProvider
from tests.fakes.script import Reply
from tests.rag_rig import Desk, chat_settings, desk
from tests.rig import PATIENT, Processes, until

DEEP = "The lake was measured in spring. It is 40 metres deep at its southern end."
QUESTION = "How deep is the lake at its southern end?"


@pytest.fixture
async def office(environment: dict[str, str], fake: FakeProvider) -> AsyncIterator[Desk]:
    with FakeHost() as host:
        environment |= chat_settings(fake) | {"SOURCEBOOK_HOST_ALLOW": host.place}
        async with desk(core_settings.load(environment), working=False) as made:
            await made.add(DEEP)
            settings = {"profile": {"version": 1, "answer": {"mode": "agent"}}, "hosts": [host.declared(PROJECTS)]}
            async with made.db.transaction() as conn:
                await conn.execute("update notebooks set settings = $1", settings)
            yield made


@pytest.mark.parametrize(("place", "before"), [("tools-1.before_call", 0), ("tools-2.before_call", 1), ("tools-2.after_call", 2)])
async def test_killed_between_two_rounds_the_turn_is_run_again_and_paid_rounds_are_not(
    office: Desk, fake: FakeProvider, processes: Processes, place: str, before: int
) -> None:
    search = ("search", json.dumps({"query": QUESTION}))
    fake.script.add(Reply(calls=(search, ("projects", ""))), Reply(text="It is 40 metres deep [1]."))
    async with office.db.transaction() as conn:
        turn_id = await rows.turn(conn, office.notebook, QUESTION)
        sealed = seal.close_text(office.deps.settings, ADA)
        await jobs.insert(conn, AnswerTurn(turn_id=turn_id), owner_id=office.notebook.owner_id, subject=turn_id, sealed=sealed)
    first = processes.start("rag", FAULT_AT=place)
    await until(lambda: f'"{place}"' in first.said(), 60.0, f"a worker at {place}")
    first.kill()
    assert len(fake.script.requests("chat")) == before
    processes.start("rag", **PATIENT)
    got = await office.ended(turn_id, 60.0)
    assert got.turn.answer == "It is 40 metres deep [1]." and got.citations[0].quote
    assert len(fake.script.requests("chat")) == 2, "each round was asked for once"
    assert [event.type for event in got.events].count("open") == 1
    async with office.db.transaction() as conn:
        steps = await conn.fetch("select step, state, possibly_billed, units from calls where role = 'chat' order by step")
        assert await conn.fetchval("select count(*) from jobs where sealed is not null") == 0
    assert [(row["step"], row["state"]) for row in steps] == [("tools-1", "done"), ("tools-2", "done")]
    assert sum(row["possibly_billed"] for row in steps) == (1 if place.endswith("before_call") else 0)
    assert got.outcome["usage"]["llm_calls"] == 2 and all(row["units"]["tokens_in"] for row in steps)

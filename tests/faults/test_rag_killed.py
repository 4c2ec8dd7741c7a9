"""Rag workers killed, frozen, told to end and without a database at every stage of an answer (F2, F10, F28, F29, F31)."""

import signal
from collections.abc import AsyncIterator
from uuid import UUID

import pytest

from sourcebook_core import events
from sourcebook_core import settings as core_settings
from sourcebook_core.store.turns import Turn
from tests.fakes.provider import FakeProvider
from tests.fakes.script import Reply
from tests.rag_rig import Desk, chat_settings, desk
from tests.rig import PATIENT, Processes, Running, TestPostgres, until

DEEP = "The lake was measured in spring. It is 40 metres deep at its southern end."
QUESTION = "How deep is the lake?"


@pytest.fixture
async def office(environment: dict[str, str], fake: FakeProvider) -> AsyncIterator[Desk]:
    """A desk without a worker of its own, and the environment of processes that use the fake."""
    environment |= chat_settings(fake)
    async with desk(core_settings.load(environment), working=False) as made:
        yield made


async def waits_at(worker: Running, place: str) -> None:
    await until(lambda: f'"{place}"' in worker.said(), 60.0, f"a worker at {place}")


async def text_of(office: Desk, turn_id: UUID) -> str:
    return (await office.turn(turn_id)).answer


async def is_one_interrupted_turn(office: Desk, turn_id: UUID, first_fence: int) -> Turn:
    got = await office.ended(turn_id, 60.0)
    assert got.turn.status == "failed" and got.turn.error is not None and not got.turn.in_history
    assert got.turn.error["code"] == "interrupted" and got.turn.error["retryable"]
    seen_by_first_readers = await office.stream(turn_id, first_fence)
    assert [event.type for event in seen_by_first_readers].count("error") == 1 and seen_by_first_readers[-1].type == "error"
    async with office.db.transaction() as conn:
        assert await conn.fetchval("select count(*) from jobs where state = 'done' and result is null") == 1
    return got.turn


async def test_killed_before_the_answer_opened_it_is_answered_unseen_by_the_next_worker(
    office: Desk, fake: FakeProvider, processes: Processes
) -> None:
    await office.add(DEEP)
    turn_id = await office.ask(QUESTION)
    first = processes.start("rag", FAULT_AT="answer.before_open")
    await waits_at(first, "answer.before_open")
    first.kill()
    assert fake.script.requests("chat") == []
    processes.start("rag", **PATIENT)
    got = await office.ended(turn_id, 60.0)
    assert got.turn.status == "done" and len(fake.script.requests("chat")) == 1
    assert [event.type for event in got.events].count("open") == 1


@pytest.mark.parametrize(("place", "calls"), [("answer.before_call", 0), ("answer.before_commit", 1)])
async def test_killed_after_it_opened_the_turn_ends_with_one_clear_error_and_is_not_paid_again(
    office: Desk, fake: FakeProvider, processes: Processes, place: str, calls: int
) -> None:
    await office.add(DEEP)
    turn_id = await office.ask(QUESTION)
    first = processes.start("rag", FAULT_AT=place)
    await waits_at(first, place)
    fence = (await office.turn(turn_id)).fence
    first.kill()
    processes.start("rag", **PATIENT)
    assert fence is not None
    await is_one_interrupted_turn(office, turn_id, fence)
    assert len(fake.script.requests("chat")) == calls


async def test_killed_in_mid_stream_what_was_written_is_kept(office: Desk, fake: FakeProvider, processes: Processes) -> None:
    await office.add(DEEP)
    fake.script.add(Reply(text="It is 40 metres deep at its southern end [1].", hold="here", after=4))
    turn_id = await office.ask(QUESTION)
    first = processes.start("rag")

    async def has_text() -> bool:
        return bool(await text_of(office, turn_id))

    await until(has_text, 60.0, "text in the row")
    fence = (await office.turn(turn_id)).fence
    first.kill()
    processes.start("rag", **PATIENT)
    assert fence is not None
    turn = await is_one_interrupted_turn(office, turn_id, fence)
    assert turn.finish == "broken" and turn.answer == "It is 40 metres"
    assert len(fake.script.requests("chat")) == 1


async def test_a_frozen_worker_that_wakes_up_after_its_lease_writes_nothing(office: Desk, fake: FakeProvider, processes: Processes) -> None:
    await office.add(DEEP)
    fake.script.add(Reply(text="It is 40 metres deep at its southern end [1].", hold="here", after=4))
    turn_id = await office.ask(QUESTION)
    first = processes.start("rag")

    async def has_text() -> bool:
        return bool(await text_of(office, turn_id))

    await until(has_text, 60.0, "text in the row")
    fence = (await office.turn(turn_id)).fence
    first.pause()
    second = processes.start("rag")
    assert fence is not None
    turn = await is_one_interrupted_turn(office, turn_id, fence)
    first.resume()
    fake.script.release("here")
    await until(lambda: "job.overtaken" in first.said(), 30.0, "the woken worker to see that its job is gone")
    assert await office.turn(turn_id) == turn and second.is_alive
    assert not [event for event in await office.stream(turn_id, fence) if isinstance(event, events.Done)]


async def test_told_to_end_a_worker_finishes_its_answer_within_its_grace(office: Desk, fake: FakeProvider, processes: Processes) -> None:
    await office.add(DEEP)
    fake.script.add(Reply(text="It is 40 metres deep at its southern end [1].", hold="here", after=4))
    turn_id = await office.ask(QUESTION)
    worker = processes.start("rag")
    await until(lambda: fake.script.requests("chat"), 60.0, "the model to be asked")
    worker.terminate()
    fake.script.release("here")
    assert worker.wait(20.0) == 0
    assert (await office.ended(turn_id)).turn.status == "done"


async def test_a_restart_of_postgres_in_mid_stream_loses_no_paid_answer(
    office: Desk, fake: FakeProvider, processes: Processes, postgres: TestPostgres
) -> None:
    await office.add(DEEP)
    fake.script.add(Reply(text="It is 40 metres deep at its southern end [1].", hold="here", after=4))
    turn_id = await office.ask(QUESTION)
    worker = processes.start("rag", LEASE_S="20", RENEW_S="1")

    async def has_text() -> bool:
        return bool(await text_of(office, turn_id))

    await until(has_text, 60.0, "text in the row")
    postgres.server.child.send_signal(signal.SIGQUIT)  # "immediate shutdown": as a crash
    postgres.server.child.wait()
    fake.script.release("here")
    await until(lambda: "turn.waited" in worker.said(), 30.0, "the worker to wait for the database")
    postgres.server.start()
    got = await office.ended(turn_id, 60.0)
    assert got.turn.status == "done" and got.turn.answer == "It is 40 metres deep at its southern end [1]."
    assert len(fake.script.requests("chat")) == 1 and worker.is_alive

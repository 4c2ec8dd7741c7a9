"""Traces of answers end after 14 days (S0-43), visitors whom nobody knows after 30; windows of limits that are over are cleared."""

from typing import Any
from uuid import UUID, uuid4

import pytest

from sourcebook_core import jobs
from sourcebook_core import settings as core_settings
from sourcebook_core.errors import Contended
from sourcebook_core.jobs import PurgeDeleted
from sourcebook_core.store import accounts, assistants, conversations, visitors
from sourcebook_core.store.scopes import Holder
from tests.ingest_rig import RECIPE, Library, library


async def answered(lib: Library, age: str, expires: str | None = None) -> tuple[UUID, UUID]:
    """A turn that ended so long ago, with how it was found; `expires` from when it was asked. Turn and conversation."""
    turn, conversation = uuid4(), uuid4()
    async with lib.deps.db.transaction() as conn:
        await conn.execute(
            "insert into conversations (id, notebook_id, person_id) values ($1, $2, $3)", conversation, lib.notebook_id, lib.owner_id
        )
        await conn.execute(
            "insert into turns (id, conversation_id, notebook_id, person_id, question, status, answer, why, created_at, finished_at,"
            " expires_at)"
            " values ($1, $2, $3, $4, 'How deep?', 'done', 'Forty metres.', '{}', now() - $5::text::interval, now() - $5::text::interval,"
            " now() - $5::text::interval + $6::text::interval)",
            turn, conversation, lib.notebook_id, lib.owner_id, age, expires,
        )  # fmt: skip
    return turn, conversation


async def care(lib: Library) -> None:
    async with lib.deps.db.transaction() as conn:
        job_id = await jobs.insert(conn, PurgeDeleted())
    end = await jobs.wait_for_end(lib.deps.db, job_id, 30)
    assert end is not None and end.state == "done"


async def ids(lib: Library, statement: str) -> set[Any]:
    return {next(iter(row.values())) for row in await lib.all(statement)}


async def test_how_an_answer_was_found_goes_after_14_days_and_so_does_a_turn_that_its_client_keeps(environment: dict[str, str]) -> None:
    async with library(core_settings.load(environment)) as lib:
        fresh, _ = await answered(lib, "13 days 23 hours")
        old, _ = await answered(lib, "14 days 1 hour")
        young_trace, kept = await answered(lib, "13 days 23 hours", "14 days")
        trace, gone = await answered(lib, "14 days 1 hour", "14 days")
        async with lib.deps.db.transaction() as conn:
            for turn in (trace, young_trace):
                await conn.execute(
                    "insert into calls (id, step, role, provider, model, input_hash, turn_id, state, response, cost)"
                    " values (gen_random_uuid(), 'a', 'chat', 'api', 'm', 'x', $1, 'done', '{\"text\": \"Forty\"}', 1)",
                    turn,
                )
        await care(lib)
        assert await ids(lib, "select id from turns") == {fresh, old, young_trace}
        assert await ids(lib, "select id from turns where why is not null") == {fresh, young_trace}
        assert await ids(lib, "select answer from turns") == {"Forty metres."}
        assert await ids(lib, "select turn_id from calls where response is not null") == {young_trace}
        assert await ids(lib, "select sum(cost)::int from calls") == {2}
        left = await ids(lib, "select id from conversations")
        assert kept in left and gone not in left


async def asked(lib: Library, assistant: UUID, subject: str, *ages: str) -> UUID:
    """A visitor who asked in vain so long ago, each time in a conversation of its own."""
    async with lib.deps.db.transaction() as conn:
        person = await visitors.ensure(conn, assistant, subject, "Visitor")
        await conn.execute("update people set created_at = now() - interval '90 days' where id = $1", person)
        for age in ages:
            conversation, turn = uuid4(), uuid4()
            await conversations.insert(conn, conversation, Holder("assistant", assistant), person)
            await conn.execute(
                "insert into turns (id, conversation_id, assistant_id, person_id, question, status, answer)"
                " values ($1, $2, $3, $4, $5, 'done', 'Zanzibarquark')",
                turn, conversation, assistant, person, f"How deep is it for {subject}?",
            )  # fmt: skip
            await conn.execute("update conversations set updated_at = now() - $2::text::interval where id = $1", conversation, age)
            await conn.execute(
                "insert into misses (turn_id, assistant_id, person_id, key, question, found, asked_at)"
                " values ($1, $2, $3, $1, 'How deep?', 'nothing_found', now())",
                turn, assistant, person,
            )  # fmt: skip
    return person


async def test_an_anonymous_visitor_is_forgotten_30_days_after_the_last_question_and_nobody_else(environment: dict[str, str]) -> None:
    async with library(core_settings.load(environment)) as lib:
        assistant = uuid4()
        async with lib.deps.db.transaction() as conn:
            await assistants.insert(
                conn, assistant, lib.owner_id, slug="helper", name="Helper", profile="notebook", settings={}, recipe_id=RECIPE
            )
        idle = await asked(lib, assistant, "anonymous:idle", "31 days", "40 days")
        here = await asked(lib, assistant, "anonymous:here", "29 days", "40 days")
        known = await asked(lib, assistant, "employee-7", "400 days")
        reset = await asked(lib, assistant, "anonymous:reset")
        async with lib.deps.db.transaction() as conn:
            new = await visitors.ensure(conn, assistant, "anonymous:new", "Visitor")  # about to ask the first question
        await care(lib)
        people = await ids(lib, "select id from people where visitor_of is not null and subject <> 'anonymous:forgotten'")
        assert people == {here, known, new} and not {idle, reset} & people
        assert await ids(lib, "select subject from people p join conversations c on c.person_id = p.id where visitor_of is not null") == {
            "anonymous:here", "employee-7", "anonymous:forgotten",
        }  # fmt: skip
        assert len(await lib.all("select 1 from conversations where person_id = $1", here)) == 2
        bare = await lib.all(
            "select question, answer from turns t join people p on p.id = t.person_id where p.subject = 'anonymous:forgotten'"
        )
        assert bare == [{"question": "How deep is it for anonymous:idle?", "answer": ""}] * 2  # the owner's inbox keeps what was asked
        async with lib.deps.db.transaction() as conn:
            await visitors.hold(conn, here)
            with pytest.raises(Contended):
                await visitors.hold(conn, idle)


async def test_windows_that_are_over_are_cleared_and_others_are_not(environment: dict[str, str]) -> None:
    async with library(core_settings.load(environment)) as lib:
        async with lib.deps.db.transaction() as conn:
            await conn.execute(
                "insert into counters (name, subject, window_ends_at, count)"
                " values ('ask', 'over', now() - interval '1 s', 9), ('ask', 'open', now() + interval '1 hour', 9)"
            )
        await care(lib)
        assert await ids(lib, "select subject from counters") == {"open"}


async def test_when_a_month_begins_reading_that_waited_for_its_cap_goes_on(environment: dict[str, str]) -> None:
    async with library(core_settings.load(environment)) as lib:
        source_id = await lib.add("text", b"The lake is forty metres deep.", name="a.txt")
        assert (await lib.ended(source_id))["status"] == "ready"
        async with lib.deps.db.transaction() as conn:
            await accounts.give(conn, uuid4(), lib.owner_id, accounts.ZERO + 100, "", lib.owner_id)
            await accounts.set_cap(conn, lib.owner_id, accounts.ZERO + 5)
            await accounts.debit(conn, lib.owner_id, accounts.ZERO + 6)
            await conn.execute("update sources set status = 'paused', error_code = 'out_of_credit' where id = $1", source_id)
        await care(lib)
        assert (await lib.row(source_id))["status"] == "paused"
        async with lib.deps.db.transaction() as conn:
            await conn.execute("update accounts set month = month - interval '1 month'")
            found = await accounts.find(conn, lib.owner_id)
        assert found is not None and found.spent == 0 and found.available == 5
        await care(lib)
        assert (await lib.ended(source_id))["status"] == "ready"

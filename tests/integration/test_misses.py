"""What a notebook could not answer: which turns are kept, once each, and how they go again."""

from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID, uuid4

import pytest

from sourcebook_core import settings as core_settings
from sourcebook_core.db import Conn, Db
from sourcebook_core.same_question import key_of
from sourcebook_core.store import misses, questions, trash, turns
from sourcebook_core.store.misses import Miss
from sourcebook_core.store.scopes import Holder
from tests import rows
from tests.fakes.provider import FakeProvider
from tests.fakes.script import Reply
from tests.rag_rig import Desk, chat_settings, desk, embedding_settings, vector_desk
from tests.rig import PATIENT, Processes, Running, until

DEEP = "The lake was measured in spring. It is 40 metres deep at its southern end."
NOWHERE = "Who invented the bicycle bell?"


@pytest.fixture
async def office(environment: dict[str, str], fake: FakeProvider) -> AsyncIterator[Desk]:
    """A desk that quotes, with an embedding model."""
    async with vector_desk(environment | embedding_settings(fake), fake) as made:
        yield made


def held(of: rows.Notebook) -> Holder:
    return Holder("notebook", of.id)


async def shown(db: Db, of: rows.Notebook, state: str = "open") -> list[Miss]:
    async with db.transaction() as conn:
        return await misses.list_for_holder(conn, held(of), state, 50)


async def ended(conn: Conn, of: rows.Notebook, question: str, *, ago_s: int = 0, request: Any = None, **outcome: Any) -> UUID:
    """A turn that ended complete and found nothing, unless told otherwise."""
    turn_id = await rows.turn(conn, of, question, request=request)
    told = {"reply_kind": "none", "pending_sources": 0, "degraded": [], "route": {"answer_mode": "refusal", "language": "en"}} | outcome
    await turns.finish(conn, turn_id, status="done", finish="complete", answer="No.", outcome=told, error=None, in_history=True)
    await conn.execute("update turns set created_at = now() - make_interval(secs => $2) where id = $1", turn_id, ago_s)
    return turn_id


async def kept(conn: Conn, of: rows.Notebook, question: str, *, ago_s: int = 0) -> UUID:
    """A turn that is a miss."""
    turn_id = await ended(conn, of, question, ago_s=ago_s)
    assert await misses.keep(conn, turn_id, key_of(question, "en"), "en")
    return turn_id


async def test_a_question_that_finds_nothing_is_kept_and_one_that_is_answered_is_not(office: Desk) -> None:
    await office.add(DEEP)
    got = await office.answer(NOWHERE)
    await office.answer("How deep is the lake?")
    (miss,) = await shown(office.db, office.notebook)
    assert (miss.question, miss.count, miss.people, miss.nothing_found, miss.turn_id) == (NOWHERE, 1, 1, 1, got.turn.id)


async def test_what_the_model_says_is_not_covered_is_kept_as_that(environment: dict[str, str], fake: FakeProvider) -> None:
    settings = environment | chat_settings(fake) | embedding_settings(fake)
    async with vector_desk(settings, fake) as made:
        await made.add(DEEP)
        fake.script.add(Reply(text="NOT_COVERED\nThe sources do not say who owns it."))
        await made.answer("Who owns the lake?")
        (miss,) = await shown(made.db, made.notebook)
        assert (miss.not_covered, miss.nothing_found) == (1, 0)


async def test_a_chosen_paused_empty_or_half_read_scope_gives_no_miss(office: Desk) -> None:
    await office.answer(NOWHERE)
    source = await office.add(DEEP)
    await office.answer(NOWHERE, source_ids=[str(source.id)])
    pending = await office.add("Still being read.", status="indexing", with_vectors=False)
    await office.answer(NOWHERE)
    async with office.db.transaction() as conn:
        await conn.execute("update sources set status = 'ready' where id = $1", pending.id)
        await rows.grant(conn, office.notebook, pending.id, "paused")
    await office.answer(NOWHERE)
    assert await shown(office.db, office.notebook) == []


async def test_an_answer_by_words_alone_while_the_model_is_away_gives_no_miss(office: Desk, fake: FakeProvider) -> None:
    await office.add(DEEP)
    fake.script.add(Reply(kind="embeddings", status=401, times=0))
    got = await office.answer(NOWHERE)
    assert got.outcome["reply_kind"] == "none" and "words_only" in got.outcome["degraded"]
    assert await shown(office.db, office.notebook) == []


@pytest.mark.parametrize(("status", "finish"), [("stopped", "stopped"), ("failed", "broken"), ("running", None)])
async def test_a_stopped_or_broken_turn_is_never_a_miss(db: Db, status: str, finish: str | None) -> None:
    async with db.transaction() as conn:
        mine = await rows.notebook(conn)
        turn_id = await ended(conn, mine, NOWHERE)
        await conn.execute("update turns set status = $2, finish = $3, feedback = -1 where id = $1", turn_id, status, finish)
        assert not await misses.keep(conn, turn_id, key_of(NOWHERE, "en"), "en")
    assert await shown(db, mine) == []


async def test_a_turn_that_is_run_twice_is_one_miss(environment: dict[str, str], fake: FakeProvider, processes: Processes) -> None:
    processes.environment |= chat_settings(fake)
    async with desk(core_settings.load(environment), working=False) as made:
        await made.add(DEEP)
        fake.script.add(Reply(text="NOT_COVERED", times=0))
        turn_id = await made.ask("Who owns the lake?")
        first = processes.start("rag", FAULT_AT="answer.before_open")
        await waits_at(first, "answer.before_open")
        first.kill()
        processes.start("rag", **PATIENT)
        got = await made.ended(turn_id, 60.0)
        async with made.db.transaction() as conn:
            for _ in range(2):
                assert await misses.keep(conn, turn_id, key_of(got.turn.question, None), None)
        assert [miss.count for miss in await shown(made.db, made.notebook)] == [1]


async def waits_at(worker: Running, place: str) -> None:
    await until(lambda: worker.is_at(place), 60.0, f"a worker at {place}")


async def test_wordings_of_one_question_stand_together_with_the_newest_first(db: Db) -> None:
    async with db.transaction() as conn:
        mine = await rows.notebook(conn)
        for ago_s, question in enumerate(("Which ferry leaves?", "which FERRIES leave", "leaves - which ferry?", "Ferries, leave!")):
            await kept(conn, mine, question, ago_s=10 * ago_s)
        await kept(conn, mine, "Who owns the lake?", ago_s=100)
        other = await rows.notebook(conn)
        await kept(conn, other, "Which ferry leaves?")
    ferry, owner = await shown(db, mine)
    assert (ferry.question, ferry.count, ferry.state) == ("Which ferry leaves?", 4, "open")
    assert sorted(ferry.examples) == sorted(["which FERRIES leave", "leaves - which ferry?", "Ferries, leave!"])
    assert (owner.question, owner.examples) == ("Who owns the lake?", [])
    assert ferry.last_at > ferry.first_at > owner.last_at


async def test_a_solved_question_that_is_asked_in_vain_again_is_open_again(db: Db) -> None:
    async with db.transaction() as conn:
        mine = await rows.notebook(conn)
        await kept(conn, mine, NOWHERE, ago_s=9)
        await misses.set_solved(conn, held(mine), key_of(NOWHERE, "en"), True)
    assert [miss.count for miss in await shown(db, mine, "solved")] == [1]
    async with db.transaction() as conn:
        await kept(conn, mine, NOWHERE)
    assert await shown(db, mine, "solved") == []
    assert [miss.count for miss in await shown(db, mine)] == [2]


async def test_what_was_solved_ninety_days_ago_is_removed_and_what_is_open_stays(db: Db) -> None:
    async with db.transaction() as conn:
        mine = await rows.notebook(conn)
        for question in (NOWHERE, "Who owns the lake?", "Who built the mill?"):
            await kept(conn, mine, question, ago_s=200 * 86_400)
        for question, days in ((NOWHERE, 91), ("Who owns the lake?", 89)):
            await misses.set_solved(conn, held(mine), key_of(question, "en"), True)
            await conn.execute(
                "update misses set solved_at = now() - make_interval(days => $1) where key = $2", days, key_of(question, "en")
            )
        assert [await misses.delete_solved(conn, 90, 10), await misses.delete_solved(conn, 90, 10)] == [1, 0]
    left = [*await shown(db, mine), *await shown(db, mine, "solved")]
    assert {miss.question for miss in left} == {"Who owns the lake?", "Who built the mill?"}


async def test_a_conversation_in_the_trash_tells_no_miss_until_it_is_back(db: Db) -> None:
    async with db.transaction() as conn:
        mine = await rows.notebook(conn)
        await kept(conn, mine, NOWHERE)
        await conn.execute("update conversations set deleted_at = now()")
        assert await misses.list_for_holder(conn, held(mine), "open", 50) == []
        assert await misses.find(conn, held(mine), key_of(NOWHERE, "en")) is None
        assert await misses.count_by_notebook(conn, 50) == []
        await conn.execute("update conversations set deleted_at = null")
        assert len(await misses.list_for_holder(conn, held(mine), "open", 50)) == 1


async def test_a_test_question_goes_with_the_words_it_was_made_of_and_one_of_the_owners_own_stays(db: Db) -> None:
    async with db.transaction() as conn:
        mine = await rows.notebook(conn)
        turn_id = await kept(conn, mine, NOWHERE)
        key = key_of(NOWHERE, "en")
        for sources in ([], [uuid4()]):  # the second time sets it anew
            kind = "plain" if sources else "unanswerable"
            made = await questions.insert(
                conn, uuid4(), held(mine), question=NOWHERE, language="en", kind=kind, source_ids=sources, key=key, turn_id=turn_id
            )
        own = await questions.insert(
            conn, uuid4(), held(mine), question="Who owns the lake?", language="en", kind="unanswerable", source_ids=[]
        )
        assert {one.id for one in await questions.list_for_holder(conn, held(mine), 10)} == {made, own}
        assert [miss.state for miss in await misses.list_for_holder(conn, held(mine), "question", 10)] == ["question"]
        await conn.execute("update conversations set deleted_at = '-infinity'")
        assert await trash.delete_due_conversations(conn, 14, 10) == 1
        assert [one.id for one in await questions.list_for_holder(conn, held(mine), 10)] == [own]
        assert await conn.fetchval("select count(*) from misses") == 0


async def test_a_source_deleted_for_good_takes_its_turns_misses_and_leaves_the_test_questions(db: Db) -> None:
    async with db.transaction() as conn:
        mine = await rows.notebook(conn)
        gone, other = await rows.source(conn, mine, [DEEP]), await rows.source(conn, mine, ["The mill."])
        near, far = await kept(conn, mine, NOWHERE), await kept(conn, mine, "Who owns the lake?")
        await conn.execute("update turns set why = $2 where id = $1", near, {"candidates": [{"source_id": str(gone.id), "text": DEEP}]})
        made = await questions.insert(
            conn, uuid4(), held(mine), question="How deep?", language="en", kind="plain", source_ids=[gone.id, other.id]
        )
        await conn.execute("update turns set created_at = now()")
        await conn.execute("update sources set deleted_at = '-infinity' where id = $1", gone.id)
        await trash.erase_source(conn, gone.id)
        assert [miss.turn_id for miss in await misses.list_for_holder(conn, held(mine), "open", 10)] == [far]
        left = await questions.find(conn, mine.owner_id, made)
        assert left is not None and left.source_ids == [other.id]

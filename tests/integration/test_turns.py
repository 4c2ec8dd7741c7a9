"""Rows of turns and citations: what runs, what is told to later prompts, what a citation still shows."""

from collections.abc import AsyncIterator
from uuid import UUID, uuid4

import pytest

from sourcebook_core.checks import Citation
from sourcebook_core.db import Conn, Db
from sourcebook_core.settings import Settings
from sourcebook_core.store import citations, turns
from sourcebook_core.store.scopes import Holder
from tests import rows


@pytest.fixture
async def conn(settings: Settings) -> AsyncIterator[Conn]:
    db = await Db.open(settings)
    async with db.transaction() as opened:
        yield opened
    await db.close()


async def insert(conn: Conn, of: rows.Notebook, conversation_id: UUID, replaces: UUID | None = None) -> UUID | None:
    turn_id = uuid4()
    added = await turns.insert(
        conn, turn_id, conversation_id=conversation_id, holder=Holder("notebook", of.id), person_id=of.owner_id, question="Q?", request={},
        replaces=replaces,
    )  # fmt: skip
    return turn_id if added else None


async def end(conn: Conn, turn_id: UUID, *, status: str = "done", answer: str = "A.", at: int = 0) -> None:
    in_history = status == "done"
    await turns.finish(conn, turn_id, status=status, finish="complete", answer=answer, outcome={}, error=None, in_history=in_history)
    await conn.execute("update turns set created_at = now() - make_interval(secs => $2) where id = $1", turn_id, 100 - at)


async def test_one_turn_of_a_conversation_runs_at_a_time(conn: Conn) -> None:
    mine = await rows.notebook(conn)
    first = await rows.turn(conn, mine, "Q?")
    conversation_id = (await turns.get(conn, first)).conversation_id
    assert await insert(conn, mine, conversation_id) is None
    await end(conn, first)
    assert await insert(conn, mine, conversation_id) is not None


async def test_later_prompts_are_told_complete_turns_that_were_not_replaced(conn: Conn) -> None:
    mine = await rows.notebook(conn)
    first = await rows.turn(conn, mine, "Q?")
    conversation_id = (await turns.get(conn, first)).conversation_id
    await end(conn, first, answer="one", at=1)
    told: dict[str, UUID] = {}
    for at, (name, status) in enumerate((("stopped", "stopped"), ("failed", "failed"), ("two", "done"), ("old", "done")), 2):
        turn_id = await insert(conn, mine, conversation_id)
        assert turn_id
        await end(conn, turn_id, status=status, answer=name, at=at)
        told[name] = turn_id
    newer = await insert(conn, mine, conversation_id, replaces=told["old"])
    assert newer
    asked = await turns.get(conn, newer)
    assert [turn.answer for turn in await turns.history(conn, asked, 20)] == ["one", "two"]
    await end(conn, newer, answer="new", at=9)
    last = await insert(conn, mine, conversation_id)
    assert last
    assert [turn.answer for turn in await turns.history(conn, await turns.get(conn, last), 20)] == ["one", "two", "new"]
    assert [turn.answer for turn in await turns.history(conn, await turns.get(conn, last), 1)] == ["new"]


async def test_a_turn_is_found_stopped_and_judged_only_by_its_asker(conn: Conn) -> None:
    mine, other = await rows.notebook(conn), await rows.notebook(conn)
    turn_id = await rows.turn(conn, mine, "Q?")
    assert await turns.find(conn, turn_id, other.owner_id) is None
    assert not await turns.request_stop(conn, turn_id, other.owner_id)
    assert not await turns.set_feedback(conn, turn_id, other.owner_id, 1, None)
    assert await turns.request_stop(conn, turn_id, mine.owner_id)
    found = await turns.find(conn, turn_id, mine.owner_id)
    assert found and found.stop_requested
    await conn.execute("update conversations set deleted_at = now()")
    assert await turns.find(conn, turn_id, mine.owner_id) is None


async def test_a_citation_opens_from_its_record_and_says_when_its_source_left(conn: Conn) -> None:
    mine = await rows.notebook(conn)
    source = await rows.source(conn, mine, ["The lake is deep."])
    turn_id = await rows.turn(conn, mine, "Q?")
    cited = Citation(
        n=1, source_id=source.id, reading_id=source.reading_id, source_title="T", kind="pdf", chunk_id=source.chunk_ids[0], passage=0,
        quote="The lake", start=0, end=8, similarity=0.5,
    )  # fmt: skip
    await citations.replace(conn, turn_id, [cited], [(0, 17)])
    assert (await citations.list_for_turns(conn, [turn_id]))[turn_id] == [cited]
    await rows.grant(conn, mine, source.id, "paused")
    assert not (await citations.list_for_turns(conn, [turn_id]))[turn_id][0].removed
    await conn.execute("delete from grants")
    (kept,) = (await citations.list_for_turns(conn, [turn_id]))[turn_id]
    assert kept.removed and kept.quote == "The lake" and kept.source_id == source.id
    assert [(c.n, c.start_at, c.end_at) for c in await citations.chunks_of(conn, turn_id)] == [(1, 0, 17)]

"""Care: what was deleted for good is gone from every table and blob, orphans go, and a new model's space is swapped in."""

import os
import time
from contextlib import AsyncExitStack
from uuid import UUID, uuid4

from sourcebook_core import events, jobs
from sourcebook_core import settings as core_settings
from sourcebook_core.blobs import original_key
from sourcebook_core.jobs import IndexReading, PurgeDeleted, ReadSource
from sourcebook_core.settings import Settings
from sourcebook_core.store import captions, conversations, notes, sources, trash
from sourcebook_core.store.citations import LINE_SIGN
from sourcebook_core.store.scopes import Holder
from sourcebook_ingest.care import begin_care
from tests.fakes.provider import FakeProvider
from tests.ingest_rig import Library, library
from tests.rag_rig import embedding_settings
from tests.rig import until

CANARY = "Zanzibarquark"
TEXT = f"The {CANARY} lake is deep and holds the canary of this very test."


def with_model(environment: dict[str, str], fake: FakeProvider, model: str) -> Settings:
    return core_settings.load(environment | embedding_settings(fake, MODEL=model))


async def where(lib: Library, word: str) -> list[str]:
    """Every table that still holds a word."""
    tables = await lib.all("select schemaname || '.' || tablename as t from pg_tables where schemaname in ('public', 'corpus')")
    return [table["t"] for table in tables if await lib.all(f"select 1 from {table['t']} x where x::text ilike $1 limit 1", f"%{word}%")]


async def cite(lib: Library, source_id: UUID) -> tuple[UUID, int]:
    """A finished turn that quotes the source, and its fence; its stream is still in Redis, its paid call in the ledger."""
    row = await lib.row(source_id)
    turn, conversation, fence = uuid4(), uuid4(), 4711
    quote = {"n": 1, "quote": TEXT, "source_title": "a", "uses": [{"quote": TEXT}]}
    async with lib.deps.db.transaction() as conn:
        await conn.execute(
            "insert into conversations (id, notebook_id, person_id) values ($1, $2, $3)", conversation, lib.notebook_id, lib.owner_id
        )
        await conn.execute(
            "insert into turns (id, conversation_id, notebook_id, person_id, question, status, answer, outcome, why, fence) values"
            " ($1, $2, $3, $4, 'How deep?', 'done', $5, $6, $7, $8)",
            turn, conversation, lib.notebook_id, lib.owner_id, f"{TEXT} [1]", {"route": {"answer_mode": "quoted"}}, {"candidates": [TEXT]},
            fence,
        )  # fmt: skip
        await conn.execute(
            "insert into citations (turn_id, n, source_id, reading_id, chunk_id, passage, start_at, end_at, data)"
            " values ($1, 1, $2, $3, $4, 0, 0, 5, $5)",
            turn, source_id, row["reading_id"], uuid4(), quote,
        )  # fmt: skip
        await conn.execute(
            "insert into calls (id, step, role, provider, model, input_hash, turn_id, state, response)"
            " values ($1, 'answer', 'chat', 'api', 'm', 'x', $2, 'done', $3)",
            uuid4(), turn, {"text": TEXT},
        )  # fmt: skip
    await events.append(lib.deps.redis, events.turn_stream(turn, fence), [events.Token(text=TEXT, at=0)])
    return turn, fence


async def repeat_everywhere(lib: Library, source_id: UUID) -> None:
    """The source's words wherever else they come to stand: summary, captions, estimate, kept answers, pictures, sound."""
    async with lib.deps.db.transaction() as conn:
        await conn.execute(
            "update sources set summary = $2, summary_kind = 'written', estimate = $3, canonical_url = $2 where id = $1",
            source_id, TEXT, {"name": TEXT},
        )  # fmt: skip
        await captions.insert(conn, source_id, bytes(32), "m", TEXT)
        await conn.execute(
            "insert into idempotency (person_id, route, key, body_hash, response) values ($1, 'POST', 'k', 'x', $2)",
            lib.owner_id, {"items": [{"source": {"id": str(source_id), "title": TEXT}}]},
        )  # fmt: skip
        await conn.execute(
            "insert into jobs (id, kind, queue, owner_id, state, result, finished_at)"
            " values ($1, 'search_notebook', 'answer', $2, 'done', $3, now())",
            uuid4(), lib.owner_id, {"items": [{"source_id": str(source_id), "text": TEXT}]},
        )  # fmt: skip
    for name in ("playable.mp3", f"pages/{uuid4()}/1@150.jpg", f"incoming/{'0' * 64}"):
        await lib.deps.blobs.put(f"sources/{source_id}/{name}", TEXT.encode())


async def in_redis(lib: Library, word: str) -> list[bytes]:
    """Every stream that still holds a word."""
    keys = await lib.deps.redis.keys("sourcebook:turn:*")
    return [key for key in keys if word.encode() in repr(await lib.deps.redis.xrange(key)).encode()]


async def test_what_is_deleted_for_good_leaves_no_word_anywhere(settings: Settings) -> None:
    async with library(settings) as lib:
        source_id = await lib.add("text", TEXT.encode(), name="a.txt")
        kept = await lib.add("text", b"Another source that stays where it is.", name="b.txt")
        assert [(await lib.ended(one))["status"] for one in (source_id, kept)] == ["ready", "ready"]
        await until(lambda: _is_idle(lib), 30)
        await cite(lib, source_id)
        await repeat_everywhere(lib, source_id)
        assert set(await where(lib, CANARY)) >= {
            "public.sources",
            "public.idempotency",
            "corpus.captions",
            "corpus.passages",
            "public.calls",
        }
        assert await in_redis(lib, CANARY)
        async with lib.deps.db.transaction() as conn:
            assert await sources.delete(conn, lib.owner_id, source_id)
            assert await trash.condemn(conn, lib.owner_id, source_id)
            await jobs.insert(conn, PurgeDeleted(), once=source_id)
        await lib.deps.bell.ring("care")

        async def is_gone() -> bool:
            return not await lib.all("select 1 from sources where id = $1", source_id)

        await until(is_gone, 30)
        assert await where(lib, CANARY) == []
        assert await lib.deps.blobs.list(f"sources/{source_id}/") == []

        async def is_forgotten() -> bool:
            return await in_redis(lib, CANARY) == []

        await until(is_forgotten, 30)
        assert len(await lib.chunks(kept)) == 1

        async def is_queued_again() -> bool:
            return len(await lib.all("select 1 from jobs where kind = 'purge_deleted' and state = 'queued'")) == 1

        await until(is_queued_again, 30, "the next hourly care to be queued")


async def _is_idle(lib: Library) -> bool:
    return not await lib.all("select 1 from jobs where queue = 'ingest' and state in ('queued', 'running')")


async def test_a_conversation_deleted_for_good_leaves_nothing_in_the_ledger_but_what_it_cost(settings: Settings) -> None:
    async with library(settings, working=False) as lib:
        source_id = await lib.add("text", TEXT.encode(), name="a.txt")
        async with lib.deps.db.transaction() as conn:
            await conn.execute("update sources set reading_id = $2 where id = $1", source_id, uuid4())
        await cite(lib, source_id)
        async with lib.deps.db.transaction() as conn:
            await conn.execute("update conversations set deleted_at = '-infinity'")
            assert await trash.delete_due_conversations(conn, 14, 10) == 1
        assert await where(lib, CANARY) == []
        assert [call["response"] for call in await lib.all("select response from calls")] == [None]


async def lined(lib: Library, *named: tuple[UUID, str]) -> tuple[UUID, UUID]:
    """A turn under whose answer the program named these sources, and a note that was kept of it."""
    turn, conversation, note = uuid4(), uuid4(), uuid4()
    answer = f"They stand behind the chapel.\n\n{LINE_SIGN} D'après ce que vous m'avez donné : {', '.join(title for _, title in named)}"
    used = [{"n": n, "source_id": str(one), "title": title, "heading": title} for n, (one, title) in enumerate(named, 1)]
    async with lib.deps.db.transaction() as conn:
        holder = Holder("notebook", lib.notebook_id)
        await conversations.insert(conn, conversation, holder, lib.owner_id)
        await conn.execute(
            "insert into turns (id, conversation_id, notebook_id, person_id, question, status, answer, outcome)"
            " values ($1, $2, $3, $4, 'Where?', 'done', $5, $6)",
            turn, conversation, lib.notebook_id, lib.owner_id, answer, {"sources": used, "route": {"answer_mode": "written"}},
        )  # fmt: skip
        for n, (one, title) in enumerate(named, 1):
            await conn.execute(
                "insert into citations (turn_id, n, source_id, reading_id, chunk_id, passage, start_at, end_at, data, hidden)"
                " values ($1, $2, $3, $4, $4, 0, 0, 5, $5, true)",
                turn, n, one, uuid4(), {"n": n, "source_title": f" {title} ".replace(" ", "  "), "uses": []},
            )  # fmt: skip
        await notes.insert(
            conn, note, notebook_id=lib.notebook_id, person_id=lib.owner_id, title="Trees", text=f"{answer}\n\nI saw them.", kept=answer,
            turn_id=turn,
        )  # fmt: skip
        await conn.execute(
            "insert into idempotency (person_id, route, key, body_hash, response) values ($1, 'POST', $2, 'x', $3)",
            lib.owner_id, str(note), {"id": str(note), "text": answer},
        )  # fmt: skip
    return turn, note


async def test_the_line_under_an_answer_names_a_source_that_was_deleted_for_good_no_more(settings: Settings) -> None:
    async with library(settings, working=False) as lib:
        gone, kept = await lib.add("text", TEXT.encode(), name="a.txt"), await lib.add("text", b"Pears.", name="b.txt")
        both, _ = await lined(lib, (gone, f"{CANARY}, a lake"), (kept, "Garden, north"))
        alone, note = await lined(lib, (gone, f"{CANARY} again"))
        other, _ = await lined(lib, (kept, "Garden, north"))
        async with lib.deps.db.transaction() as conn:
            await conn.execute("update sources set title = 'x', file_name = 'x' where id = $1", gone)
            await trash.erase_source(conn, gone)
        assert await where(lib, CANARY) == []
        line = f"\n\n{LINE_SIGN} D'après ce que vous m'avez donné : Garden, north"
        answers = {row["id"]: row["answer"] for row in await lib.all("select id, answer from turns")}
        assert answers == {
            both: f"They stand behind the chapel.{line}", alone: "They stand behind the chapel.",
            other: f"They stand behind the chapel.{line}",
        }  # fmt: skip
        (left,) = await lib.all("select text, kept from notes where id = $1", note)
        assert left == {"text": "They stand behind the chapel.\n\nI saw them.", "kept": "They stand behind the chapel."}


async def test_what_lies_in_the_trash_for_a_short_time_stays_and_orphaned_blobs_go(settings: Settings) -> None:
    async with library(settings, working=False) as lib:
        source_id = await lib.add("text", TEXT.encode(), name="a.txt")
        async with lib.deps.db.transaction() as conn:
            assert await sources.delete(conn, lib.owner_id, source_id)
        orphan, young = original_key(uuid4()), original_key(uuid4())
        for key in (orphan, young, "uploads/left"):
            await lib.deps.blobs.put(key, b"x")
        for key in (orphan, "uploads/left"):
            path = lib.deps.blobs.local_path(key)
            assert path is not None
            os.utime(path, (time.time() - 100_000, time.time() - 100_000))
        await begin_care(lib.deps)
        await begin_care(lib.deps)
        async with lib.run():
            await until(lambda: _is_swept(lib), 30)
        left = {key for key, _ in await lib.deps.blobs.list("")}
        assert left == {original_key(source_id), young}
        assert len(await lib.all("select 1 from sources")) == 1


async def test_a_source_that_is_deleted_while_it_waits_is_not_read_and_can_be_started_again(settings: Settings) -> None:
    async with library(settings, working=False) as lib:
        source_id = await lib.add("text", TEXT.encode(), name="a.txt")
        async with lib.deps.db.transaction() as conn:
            assert await sources.delete(conn, lib.owner_id, source_id)
        async with lib.run():
            row = await lib.ended(source_id)
        assert (row["status"], row["error_code"]) == ("stopped", "stopped")
        assert await lib.all("select 1 from corpus.readings") == []


async def test_a_worker_that_waits_for_a_source_does_not_hold_its_job_meanwhile(settings: Settings) -> None:
    async with library(settings, working=False) as lib, AsyncExitStack() as stack:
        source_id = await lib.add("text", TEXT.encode(), name="a.txt")
        async with lib.deps.db.transaction() as conn:
            assert await sources.delete(conn, lib.owner_id, source_id)
            await stack.enter_async_context(lib.run())
            await until(lambda: _is_waiting(lib), 30, "the worker to wait for the source")
            # In the other order the two would wait for each other, and one of them would break.
            await conn.execute("select 1 from jobs where subject = $1 for update nowait", source_id)
            assert await jobs.cancel(conn, source_id, ReadSource, IndexReading) == 1
        assert (await lib.ended(source_id))["status"] == "stopped"


async def _is_waiting(lib: Library) -> bool:
    return bool(await lib.all("select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"))


async def _is_swept(lib: Library) -> bool:
    return bool(await lib.all("select 1 from jobs where kind = 'purge_deleted' and state = 'done'"))


async def test_a_newly_chosen_model_is_built_beside_and_swapped_in_at_once(environment: dict[str, str], fake: FakeProvider) -> None:
    async with library(with_model(environment, fake, "first")) as lib:
        old = await lib.add("text", TEXT.encode(), name="a.txt")
        assert (await lib.ended(old))["status"] == "ready"
        owner, notebook = lib.owner_id, lib.notebook_id
    async with library(with_model(environment, fake, "second"), begin=False) as lib:
        lib.owner_id, lib.notebook_id = owner, notebook
        new = await lib.add("text", b"Words that only the second model ever saw.", name="b.txt")

        async def is_swapped() -> bool:
            return [row["model"] for row in await lib.all("select model from spaces where state = 'in_use'")] == ["second"]

        await until(is_swapped, 40)
        assert (await lib.ended(new))["status"] == "ready"
        rows = await lib.all(
            "select v.source_id from corpus.chunk_vec v join spaces s on s.id = v.space_id where s.state = 'in_use' order by 1"
        )
        assert {row["source_id"] for row in rows} == {old, new}
        full = await lib.all("select i.state from corpus.indexes i join spaces s on s.id = i.space_id where s.state = 'in_use'")
        assert [row["state"] for row in full] == ["full", "full"]

"""A worker that is frozen in the midst of a transaction: others go on with its source, and when it wakes nothing is doubled."""

from pathlib import Path
from typing import Any

import pytest

from sourcebook_core import settings as core_settings
from tests.fakes.provider import FakeProvider
from tests.faults.test_ingest_faults import book, whole
from tests.ingest_rig import Library, library
from tests.rag_rig import embedding_settings
from tests.rig import Processes, until

WAITS = """
    select pid from pg_stat_activity where datname = current_database() and application_name = 'sourcebook_ingest'
        and wait_event_type = 'Lock' and query ilike 'copy%chunks%'
"""
ENDED = ("job.overtaken", "job.given_back")


async def _found(lib: Library, query: str, *args: Any) -> bool:
    return bool(await lib.all(query, *args))


@pytest.mark.timeout(300)
async def test_a_worker_frozen_inside_a_transaction_keeps_no_locks_and_doubles_nothing_when_it_wakes(
    processes: Processes, fake: FakeProvider, tmp_path: Path
) -> None:
    content = book(tmp_path / "book.pdf")
    processes.environment |= embedding_settings(fake)
    patient = {"SOURCEBOOK_DATABASE_IDLE_S": "300"}  # the test itself stands still inside a transaction
    async with library(core_settings.load(processes.environment | patient), working=False) as lib:
        plain = await lib.add("pdf", content, name="undisturbed.pdf")
        async with lib.run():
            assert (await lib.ended(plain))["status"] == "ready"
        wanted = await whole(lib, plain)
        # A lock that only writers of chunks meet: it shows when the worker is inside the transaction that holds source and job.
        async with lib.deps.db.transaction() as conn:
            await conn.execute("lock table corpus.chunks in share row exclusive mode")
            source_id = await lib.add("pdf", content + b"\n% again", name="frozen.pdf")
            frozen = processes.start("ingest", DATABASE_IDLE_S="3")
            await until(lambda: _found(lib, WAITS), 90, "the worker to be inside a transaction")
            frozen.pause()
        other = processes.start("ingest", DATABASE_IDLE_S="3")
        row = await lib.ended(source_id, 90)
        assert row["status"] == "ready", row["error_message"]
        assert await whole(lib, source_id) == wanted
        frozen.resume()
        await until(lambda: any(one in frozen.said() for one in ENDED), 60, "the woken worker to see that its job is gone")
        assert frozen.is_alive
        assert other.is_alive
        assert "job.crashed" not in frozen.said()
        assert await whole(lib, source_id) == wanted
        other.kill()
        again = await lib.add("pdf", content + b"\n% once more", name="after.pdf")
        assert (await lib.ended(again, 90))["status"] == "ready", "the woken worker works on with new connections"
        assert {call["state"] for call in await lib.all("select state from calls")} == {"done"}
        done = await lib.all("select state, count(*) as n from jobs where kind in ('read_source', 'index_reading') group by state")
        assert [dict(one) for one in done] == [{"state": "done", "n": 6}]

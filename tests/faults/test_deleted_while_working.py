"""F33: what is deleted while a job about it runs ends cancelled, and leaves nothing behind once it is swept."""

from uuid import UUID

import pytest

from sourcebook_core import jobs
from sourcebook_core import settings as core_settings
from sourcebook_core.jobs import OF_A_SOURCE, PurgeDeleted
from sourcebook_core.store import notebooks, sources, trash
from tests.fakes.provider import FakeProvider
from tests.fakes.script import Reply
from tests.ingest_rig import Library, library
from tests.integration.test_captions import CAPTIONED, captioning
from tests.rag_rig import chat_settings, embedding_settings
from tests.rig import Processes, until

LAKES = "Lake Baikal is the deepest lake of the world and lies in the south of Siberia. " * 60
PLACES = {
    "read.stored": "read_source", "read.parsed": "read_source", "index.chunked": "index_reading", "caption.written": "index_reading",
    "index.embedded": "index_reading", "index.indexed": "index_reading", "summary.written": "summarise_source",
}  # fmt: skip

SELDOM = ("read.stored", "index.chunked", "index.indexed")  # near to another place: `make faults` waits there too


async def delete_for_good(lib: Library, source_id: UUID) -> None:
    """As the gateway does it, in one go."""
    async with lib.deps.db.transaction() as conn:
        assert await sources.delete(conn, lib.owner_id, source_id)
        await jobs.cancel(conn, source_id, *OF_A_SOURCE)
        await sources.set_stopped(conn, source_id)
        assert await trash.condemn(conn, lib.owner_id, source_id)
        await jobs.insert(conn, PurgeDeleted(), once=source_id)
    await lib.deps.bell.ring("care")


async def is_swept(lib: Library) -> bool:
    left = await lib.all("select 1 from jobs where state = 'running' or (queue = 'ingest' and state = 'queued')")
    return not left and not await lib.all("select 1 from sources")


async def left_over(lib: Library) -> list[str]:
    tables = ("readings", "passages", "indexes", "chunks", "chunk_lex", "chunk_vec", "captions")
    return [table for table in tables if await lib.all(f"select 1 from corpus.{table} limit 1")]


@pytest.mark.parametrize("place", [pytest.param(place, marks=pytest.mark.long if place in SELDOM else ()) for place in PLACES])
async def test_a_source_deleted_while_its_job_runs_leaves_nothing(
    environment: dict[str, str], processes: Processes, fake: FakeProvider, place: str
) -> None:
    processes.environment |= chat_settings(fake) | captioning(fake) | embedding_settings(fake)
    async with library(core_settings.load(processes.environment), working=False) as lib:
        async with lib.deps.db.transaction() as conn:
            await conn.execute("update notebooks set recipe_id = $1", CAPTIONED)
        source_id = await lib.add("text", LAKES.encode(), name="lakes.txt")
        worker = processes.start("ingest", FAULT_AT=place)
        await until(lambda: worker.is_at(place), 60, f"the worker to wait at {place}")
        running = await lib.all("select kind from jobs where subject = $1 and state = 'running' and kind = $2", source_id, PLACES[place])
        assert running
        await delete_for_good(lib, source_id)
        await until(lambda: is_swept(lib), 60, "the sweep")
        assert await left_over(lib) == []
        assert await lib.deps.blobs.list(f"sources/{source_id}/") == []
        assert not await lib.all("select 1 from jobs where state = 'failed'")
        assert worker.is_alive


async def test_a_source_deleted_while_another_models_space_is_built_leaves_no_vector(
    environment: dict[str, str], processes: Processes, fake: FakeProvider
) -> None:
    processes.environment |= embedding_settings(fake)
    async with library(core_settings.load(processes.environment)) as lib:
        source_id = await lib.add("text", LAKES.encode(), name="lakes.txt")
        await lib.ended(source_id)
    fake.script.add(Reply(kind="embeddings", match="deepest lake", hold="here", times=0))
    async with library(core_settings.load(processes.environment), working=False, begin=False) as other:
        other.owner_id, other.notebook_id = lib.owner_id, lib.notebook_id
        new = await other.add("text", b"Words that only the second model ever saw.", name="b.txt")
        fake.script.forget_requests()
        processes.start("ingest", EMBEDDING_MODEL="second")

        async def is_held() -> bool:
            return any(request.model == "second" and "deepest lake" in request.said for request in fake.script.requests("embeddings"))

        await until(is_held, 60, "the rebuild to wait for the model")
        await delete_for_good(other, source_id)

        async def is_gone() -> bool:
            return not await other.all("select 1 from sources where id = $1", source_id)

        await until(is_gone, 60, "the source to be swept")
        fake.script.release("here")

        async def is_swapped() -> bool:
            return bool(await other.all("select 1 from spaces where state = 'in_use' and model = 'second'"))

        await until(is_swapped, 60, "the rebuild to go on without it")
        assert (await other.ended(new))["status"] == "ready"  # it may be read after the swap, and goes to the space in use then
        assert {row["source_id"] for row in await other.all("select source_id from corpus.chunk_vec")} == {new}


async def test_a_notebook_deleted_for_good_while_its_source_is_indexed_leaves_the_source_in_the_library(
    environment: dict[str, str], processes: Processes, fake: FakeProvider
) -> None:
    processes.environment |= embedding_settings(fake)
    fake.script.add(Reply(kind="embeddings", match="deepest lake", hold="here", times=0))
    async with library(core_settings.load(processes.environment)) as lib:
        source_id = await lib.add("text", LAKES.encode(), name="lakes.txt")
        await until(lambda: bool(fake.script.requests("embeddings")), 40, "the indexing to wait for the model")
        async with lib.deps.db.transaction() as conn:
            assert await notebooks.delete(conn, lib.owner_id, lib.notebook_id)
            assert await trash.condemn(conn, lib.owner_id, lib.notebook_id)
            await jobs.insert(conn, PurgeDeleted(), once=lib.notebook_id)
        await lib.deps.bell.ring("care")

        async def is_gone() -> bool:
            return not await lib.all("select 1 from notebooks") and not await lib.all("select 1 from grants")

        await until(is_gone, 40, "the notebook to be swept")
        fake.script.release("here")
        assert (await lib.ended(source_id))["status"] == "ready"

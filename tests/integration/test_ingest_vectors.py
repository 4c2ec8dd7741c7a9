"""Indexing by meaning: batches, checks, models that are away or refuse, and readings that replace each other."""

import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest

from sourcebook_core import jobs
from sourcebook_core import settings as core_settings
from sourcebook_core.blobs import original_key
from sourcebook_core.jobs import IndexReading, ReadSource, SearchNotebook
from sourcebook_core.providers.endpoint import forget
from sourcebook_core.store import sources
from sourcebook_ingest.care import begin_care
from tests.fakes.provider import FakeProvider
from tests.fakes.script import Reply
from tests.ingest_rig import Library, library
from tests.rag_rig import desk, embedding_settings
from tests.rig import until

WORDS = "Lake Baikal is the deepest lake of the world and holds a fifth of its fresh water. ".split()
LONG = " ".join(WORDS[place % len(WORDS)] + str(place // 7) for place in range(6000))


@asynccontextmanager
async def reading(environment: dict[str, str], fake: FakeProvider, *, begin: bool = True) -> AsyncIterator[Library]:
    """A library whose embedding role is the fake."""
    async with library(core_settings.load(environment | embedding_settings(fake, API_KEY="k")), begin=begin) as made:
        yield made


async def test_every_chunk_gets_the_vector_of_its_own_text_in_batches_of_sixteen(environment: dict[str, str], fake: FakeProvider) -> None:
    fake.script.add(Reply(kind="embeddings", shuffle=True, times=0))
    fake.script.rules.batch_limit = 25
    async with reading(environment, fake) as lib:
        source_id = await lib.add("text", LONG.encode(), name="baikal.txt")
        row = await lib.ended(source_id)
        assert (row["status"], row["error_code"]) == ("ready", None)
        rows = await lib.all(
            "select v.e, substr(p.text, c.start_at + 1, c.end_at - c.start_at) as text from corpus.chunks c"
            " join corpus.passages p on p.reading_id = c.reading_id and p.ordinal = c.passage"
            " join corpus.chunk_vec v on v.chunk_id = c.id order by c.ordinal"
        )
        assert len(rows) == row["chunks"] > 16
        for found in rows:
            wanted = np.array(fake.script.pins.vector(found["text"], 64), dtype=np.float32)
            got = np.array(found["e"].to_list(), dtype=np.float32)
            assert float(got @ wanted / np.linalg.norm(wanted)) > 0.99
        sizes = [len(request.body["input"]) for request in fake.script.requests("embeddings")]
        assert max(sizes) <= 16
        assert [index["state"] for index in await lib.all("select state from corpus.indexes")] == ["full"]
        calls = await lib.all("select state, units from calls")
        assert {call["state"] for call in calls} == {"done"}
        assert sum(call["units"]["texts"] for call in calls) == len(rows)
        assert row["report"]["calls"] == len(calls)


async def test_each_embedding_call_is_counted_and_priced_and_a_question_asks_for_the_chunks_model_and_dimension(
    environment: dict[str, str], fake: FakeProvider, tmp_path: Path
) -> None:
    # S1-30, S1-33.
    (tmp_path / "prices.toml").write_text('[models."fake-embed"]\ntokens_in = "100"\n')
    settings = core_settings.load(
        environment | embedding_settings(fake, API_KEY="k") | {"SOURCEBOOK_PRICES": str(tmp_path / "prices.toml")}
    )
    async with library(settings) as lib:
        await lib.ended(await lib.add("text", LONG.encode(), name="baikal.txt"))
    async with desk(settings) as made:
        work = SearchNotebook(notebook_id=lib.notebook_id, person_id=lib.owner_id, query="How deep is the lake?")
        assert (await made.result(work)).result["degraded"] == []
        async with made.db.transaction() as conn:
            calls = await conn.fetch("select step, state, units, cost from calls")
    asked = fake.script.requests("embeddings")
    assert {(call["step"], call["state"]) for call in calls} == {("embed", "done"), ("question", "done")}
    assert sum(call["units"].get("calls", 1) for call in calls) == len(asked) > 2
    assert {(request.model, request.body["dimensions"]) for request in asked} == {("fake-embed", 64)}
    assert all(call["cost"] == Decimal(call["units"]["tokens_in"]) * 100 / 1_000_000 > 0 for call in calls)


@pytest.mark.parametrize(
    "reply", [Reply(kind="embeddings", value="nan"), Reply(kind="embeddings", drop=1), Reply(kind="embeddings", value="zero")]
)
async def test_a_batch_that_cannot_be_right_is_thrown_away_whole(environment: dict[str, str], fake: FakeProvider, reply: Reply) -> None:
    fake.script.add(reply)
    async with reading(environment, fake) as lib:
        row = await lib.ended(await lib.add("text", LONG.encode(), name="baikal.txt"))
        vectors = await lib.all("select count(*) as n from corpus.chunk_vec")
        # A reply that cannot be used is tried again; what was written in the end is whole.
        assert (row["status"], vectors[0]["n"]) in (("ready", row["chunks"]), ("failed", 0))


async def test_a_model_that_is_away_leaves_the_source_found_by_words_and_says_so(environment: dict[str, str], fake: FakeProvider) -> None:
    fake.script.add(Reply(kind="embeddings", status=503, times=0))
    async with reading(environment, fake) as lib:
        source_id = await lib.add("text", LONG.encode(), name="baikal.txt")

        async def is_waiting() -> bool:
            row = await lib.row(source_id)
            return row["status"] == "indexing" and row["error_code"] in ("model_unavailable", "model_refused")

        await until(is_waiting, 40, "the source to say that the model is away")
        assert [index["state"] for index in await lib.all("select state from corpus.indexes order by state")][-1] == "words"
        fake.script.reset()
        forget()
        row = await lib.ended(source_id)
        assert (row["status"], row["error_code"]) == ("ready", None)


async def test_a_refused_key_pauses_the_source_without_a_retry(environment: dict[str, str], fake: FakeProvider) -> None:
    fake.script.add(Reply(kind="embeddings", status=401, times=0))
    async with reading(environment, fake) as lib:
        row = await lib.ended(await lib.add("text", LONG.encode(), name="baikal.txt"))
        assert (row["status"], row["error_code"]) == ("paused", "model_unauthorized")
        assert len(fake.script.requests("embeddings")) == 1


async def test_a_second_reading_takes_the_place_of_the_first_when_it_is_searchable(environment: dict[str, str], fake: FakeProvider) -> None:
    async with reading(environment, fake) as lib:
        source_id = await lib.add("text", b"The first words of this source.", name="a.txt")
        first = await lib.ended(source_id)
        content = b"Quite other words stand in it now."
        await lib.deps.blobs.put(original_key(source_id), content)
        async with lib.deps.db.transaction() as conn:
            digest = hashlib.sha256(content).digest()
            assert await sources.replace_content(
                conn, source_id, kind="text", file_name="a.txt", media_type="text/plain", byte_size=len(content), content_hash=digest
            )
            await sources.queue_again(conn, source_id)
            await jobs.insert(conn, ReadSource(source_id=source_id), owner_id=lib.owner_id, subject=source_id, once=source_id)

        async def is_swapped() -> bool:
            row = await lib.row(source_id)
            return bool(row["status"] == "ready" and row["reading_id"] != first["reading_id"])

        await until(is_swapped, 40)
        assert [chunk["text"] for chunk in await lib.chunks(source_id)] == ["Quite other words stand in it now."]
        assert len(await lib.all("select 1 from corpus.chunks")) == len(await lib.all("select 1 from corpus.chunk_vec")) == 1
        numbers = await lib.all("select number from corpus.readings")
        assert [found["number"] for found in numbers] == [2]  # nobody cited the first


async def test_stopping_keeps_what_was_read_and_a_retry_goes_on_from_there(environment: dict[str, str], fake: FakeProvider) -> None:
    fake.script.add(Reply(kind="embeddings", hold="here"))
    async with reading(environment, fake) as lib:
        source_id = await lib.add("text", LONG.encode(), name="baikal.txt")
        await until(lambda: bool(fake.script.requests("embeddings")), 40)
        async with lib.deps.db.transaction() as conn:
            assert await jobs.cancel(conn, source_id, ReadSource, IndexReading) == 1
        row = await lib.ended(source_id)
        assert (row["status"], row["error_code"]) == ("stopped", "stopped")
        fake.script.release("here")
        async with lib.deps.db.transaction() as conn:
            await sources.queue_again(conn, source_id)
            await jobs.insert(conn, ReadSource(source_id=source_id), owner_id=lib.owner_id, subject=source_id, once=source_id)
        row = await lib.ended(source_id)
        assert row["status"] == "ready"


async def test_a_retry_after_a_refused_key_goes_on_with_the_reading_that_is_there(environment: dict[str, str], fake: FakeProvider) -> None:
    fake.script.add(Reply(kind="embeddings", status=401))
    async with reading(environment, fake) as lib:
        source_id = await lib.add("text", LONG.encode(), name="baikal.txt")
        assert (await lib.ended(source_id))["status"] == "paused"
        async with lib.deps.db.transaction() as conn:
            await sources.queue_again(conn, source_id)
            await jobs.insert(conn, ReadSource(source_id=source_id), owner_id=lib.owner_id, subject=source_id, once=source_id)
        row = await lib.ended(source_id)
        assert (row["status"], row["error_code"]) == ("ready", None)
        assert [found["number"] for found in await lib.all("select number from corpus.readings")] == [1]


async def test_a_model_set_in_the_environment_later_gives_older_sources_their_vectors(
    environment: dict[str, str], fake: FakeProvider
) -> None:
    async with library(core_settings.load(environment)) as lib:
        source_id = await lib.add("text", b"Words of a source that was read without a model.", name="a.txt")
        row = await lib.ended(source_id)
        assert [warning["code"] for warning in row["report"]["warnings"]] == ["words_only"]
    async with reading(environment, fake, begin=False) as lib:
        await begin_care(lib.deps)

        async def is_full() -> bool:
            return bool(await lib.all("select 1 from corpus.indexes where state = 'full'"))

        await until(is_full, 30)
        row = await lib.ended(source_id)
        assert (row["status"], row["report"]["warnings"]) == ("ready", [])


async def test_a_local_only_notebooks_source_is_never_sent_to_a_hosted_model(environment: dict[str, str], fake: FakeProvider) -> None:
    async with reading(environment, fake) as lib:
        async with lib.deps.db.transaction() as conn:
            await conn.execute("update notebooks set settings = '{\"local_only\": true}'")
        source_id = await lib.add("text", LONG.encode(), name="baikal.txt")
        row = await lib.ended(source_id)
        assert row["status"] == "ready"
        assert [warning["code"] for warning in row["report"]["warnings"]] == ["words_only"]
        assert (await lib.all("select state, space_id from corpus.indexes")) == [{"state": "words", "space_id": None}]
        texts = [text for request in fake.script.requests("embeddings") for text in request.texts]
        assert not any("Baikal" in text for text in texts)


async def test_a_long_source_lets_a_short_one_pass_and_is_finished_all_the_same(environment: dict[str, str], fake: FakeProvider) -> None:
    fake.script.add(Reply(kind="embeddings", delay_s=0.1, times=0))
    async with reading(environment | {"SOURCEBOOK_TURN_S": "0.05", "SOURCEBOOK_SLOTS_INGEST": "1"}, fake) as lib:
        long = await lib.add("text", LONG.encode(), name="baikal.txt")
        short = await lib.add("text", b"The mill closed in 1968.", name="mill.txt")
        first, second = await lib.ended(short), await lib.ended(long)
        assert (first["status"], second["status"]) == ("ready", "ready")
        assert first["ready_at"] < second["ready_at"]
        attempts = await lib.all("select attempt from jobs where kind = 'index_reading'")
        assert all(row["attempt"] <= 1 for row in attempts), "giving a slot back is no failed attempt"
        assert await lib.all("select count(*) as n from corpus.chunk_vec") == [{"n": first["chunks"] + second["chunks"]}]

"""A newly chosen embedding model: what it will take, how far it is, and that nothing of it is seen before it is whole."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from sourcebook_core import settings as core_settings
from sourcebook_core.db import Db
from sourcebook_core.jobs import SearchNotebook, TestModel
from sourcebook_core.settings import Settings
from sourcebook_core.store import spaces
from sourcebook_ingest.care import begin_care
from tests.fakes.provider import FakeProvider
from tests.fakes.script import Reply
from tests.ingest_rig import Library, library
from tests.integration.gateway_rig import Api, owner_api
from tests.rag_rig import Desk, desk, embedding_settings, vector_desk
from tests.rig import PATIENT, Processes, until, until_sync

TEXTS = [f"Lake number {n} is {n * 7} metres deep, and a ferry crosses it every {n + 2} hours." for n in range(1, 41)]
PRICES = 'currency = "EUR"\n[models."second"]\ntokens_in = "100"\n'


@pytest.fixture
async def office(environment: dict[str, str], fake: FakeProvider, tmp_path: Any) -> AsyncIterator[Desk]:
    """A desk whose space in use is the fake's, and a price for another model."""
    (tmp_path / "prices.toml").write_text(PRICES)
    priced = environment | embedding_settings(fake) | {"SOURCEBOOK_PRICES": str(tmp_path / "prices.toml")}
    async with vector_desk(priced, fake) as made:
        yield made


async def test_the_test_of_another_model_says_what_choosing_it_would_take(office: Desk, fake: FakeProvider) -> None:
    await office.add(*TEXTS)
    fake.script.add(Reply(kind="embeddings", match="1. The", delay_s=0.5, times=0))  # the call that has the size of a batch
    work = TestModel(role="embedding", provider="api", base_url=fake.base_url, model="second")
    told = (await office.result(work)).result["rebuild_estimate"]
    batch = max(fake.script.requests("embeddings"), key=lambda request: len(request.texts))
    assert len(batch.texts) == 16 and all(70 < len(text) < 110 for text in batch.texts) and len(set(batch.texts)) == 16
    assert (told["chunks"], told["currency"]) == (40, "EUR")
    assert 3 * 0.5 <= told["seconds"] + 0.5 < 60  # 40 chunks are three calls
    assert 0.02 < float(told["cost"]) < 0.2  # about 900 tokens at 100 for a million


async def test_a_model_without_a_price_has_no_known_cost_and_the_one_in_use_nothing_to_build(office: Desk, fake: FakeProvider) -> None:
    await office.add(*TEXTS)
    other = TestModel(role="embedding", provider="api", base_url=fake.base_url, model="third")
    assert (await office.result(other)).result["rebuild_estimate"]["cost"] is None
    same = TestModel(role="embedding", provider="api", base_url=fake.base_url, model="fake-embed")
    assert (await office.result(same)).result["rebuild_estimate"] is None


@asynccontextmanager
async def second_chosen(environment: dict[str, str], fake: FakeProvider) -> AsyncIterator[tuple[Library, Settings]]:
    """A library of the first model whose settings now name the second; nobody works there."""
    async with library(core_settings.load(environment | embedding_settings(fake, MODEL="first"))) as lib:
        source_id = await lib.add("text", "\n\n".join(TEXTS).encode(), name="lakes.txt")
        assert (await lib.ended(source_id))["status"] == "ready"
    settings = core_settings.load(environment | embedding_settings(fake, MODEL="second"))
    async with library(settings, working=False, begin=False) as other:
        other.owner_id, other.notebook_id = lib.owner_id, lib.notebook_id
        yield other, settings


async def ask_as_now(settings: Settings, lib: Library, query: str) -> list[str]:
    """What a search finds, by a rag worker of its own."""
    async with desk(settings) as made:
        work = SearchNotebook(notebook_id=lib.notebook_id, person_id=lib.owner_id, query=query)
        end = await made.result(work)
        assert end.result["degraded"] == [], end
        return [item["chunk_id"] for item in end.result["items"]]


async def in_use(lib: Library) -> str:
    return str((await lib.all("select model from spaces where state = 'in_use'"))[0]["model"])


async def test_killed_in_the_midst_of_a_rebuild_the_old_vectors_serve_and_the_next_worker_goes_on(
    environment: dict[str, str], fake: FakeProvider, processes: Processes
) -> None:
    async with second_chosen(environment, fake) as (lib, settings):
        before = await ask_as_now(settings, lib, "Which lake is 70 metres deep?")
        fake.script.add(Reply(kind="embeddings", match="Lake number", hold="here", times=0))
        processes.environment |= embedding_settings(fake, MODEL="second")
        worker = processes.start("ingest")
        await until(lambda: _texts_of(fake, "second"), 60, "the rebuild to begin")
        worker.kill()
        fake.script.forget_requests()
        assert before and await ask_as_now(settings, lib, "Which lake is 70 metres deep?") == before
        assert {request.model for request in fake.script.requests("embeddings")} == {"first"}
        assert await in_use(lib) == "first"
        fake.script.release("here")
        processes.start("ingest", **PATIENT)

        async def is_swapped() -> bool:
            return await in_use(lib) == "second"

        await until(is_swapped, 60, "the swap")
        fake.script.forget_requests()
        assert await ask_as_now(settings, lib, "Which lake is 70 metres deep?") == before
        assert {request.model for request in fake.script.requests("embeddings")} == {"second"}


def _texts_of(fake: FakeProvider, model: str) -> bool:
    return any(request.model == model and "Lake number" in request.said for request in fake.script.requests("embeddings"))


@pytest.fixture
def api(processes: Processes, owner_token: str) -> Iterator[Api]:
    with owner_api(processes, owner_token) as (_, client):
        yield client


def _rebuild(api: Api) -> Any:
    return next(item for item in api.get("/admin/models").json()["items"] if item["role"] == "embedding")["rebuild"]


def _choose(api: Api, fake: FakeProvider, model: str) -> None:
    asked = {"provider": "api", "base_url": fake.base_url, "model": model, "options": {"dimension": 64, "timeout_s": 20}}
    answer = api.put("/admin/models/embedding", asked)
    assert answer.status_code == 200, answer.text


async def test_a_rebuild_shows_how_far_it_is_and_a_failed_one_why_and_is_tried_again(
    api: Api, processes: Processes, fake: FakeProvider
) -> None:
    processes.start("ingest", **PATIENT)
    _choose(api, fake, "first")
    notebook = api.notebook()
    sources = [api.text(notebook, text * 3, title=f"Lake {n}")["id"] for n, text in enumerate(TEXTS[:4])]
    until_sync(lambda: all(api.get(f"/sources/{one}").json()["status"] == "ready" for one in sources), 60, "the sources")
    assert _rebuild(api) is None
    fake.script.add(Reply(kind="embeddings", match="second", status=401, times=0))
    _choose(api, fake, "second")
    failed = until_sync(lambda: (found := _rebuild(api)) and found["state"] == "failed" and found, 60, "the rebuild to fail")
    assert failed["error"]["code"] == "model_unauthorized" and failed["chunks"] == 4 and failed["done"] == 0
    assert failed["job_id"] in [one["job_id"] for one in api.get("/admin/health").json()["failed"]]
    fake.script.reset()
    fake.script.add(Reply(kind="embeddings", match="Lake number 1 ", hold="here", times=0))
    assert api.post(f"/admin/jobs/{failed['job_id']}/retry").status_code == 202
    shown = until_sync(lambda: (found := _rebuild(api)) and found["state"] == "building" and found["done"] and found, 60, "its first part")
    assert 0 < shown["done"] < 4 and shown["readings"] == 4 and shown["seconds_left"] is not None and shown["error"] is None
    _choose(api, fake, "first")
    assert _rebuild(api) is None
    fake.script.release("here")
    _choose(api, fake, "second")
    db = await Db.open(core_settings.load(processes.environment))
    try:

        async def is_swapped() -> bool:
            async with db.transaction() as conn:
                found = await spaces.find_in_use(conn)
            return found is not None and found.model == "second"

        await until(is_swapped, 60, "the swap after the model was chosen again")
    finally:
        await db.close()
    assert _rebuild(api) is None


async def test_a_model_chosen_while_the_only_source_is_being_indexed_is_not_forgotten(
    api: Api, processes: Processes, fake: FakeProvider
) -> None:
    processes.start("ingest", **PATIENT)
    _choose(api, fake, "first")
    fake.script.add(Reply(kind="embeddings", match="Lake number", hold="here", times=1))
    source = api.text(api.notebook(), TEXTS[0] * 3, title="Lake")["id"]
    until_sync(lambda: _texts_of(fake, "first"), 60, "the indexing to begin")
    _choose(api, fake, "second")  # the running job is found, and no other is queued
    fake.script.release("here")
    until_sync(lambda: api.get(f"/sources/{source}").json()["status"] == "ready" and _texts_of(fake, "second"), 60, "the second model")
    until_sync(lambda: _rebuild(api) is None, 60, "the second model to be in use")


async def test_a_model_that_refuses_its_first_call_is_shown_with_the_reason_though_nothing_of_it_was_begun(
    api: Api, processes: Processes, fake: FakeProvider
) -> None:
    processes.start("ingest", **PATIENT)
    _choose(api, fake, "first")
    source = api.text(api.notebook(), TEXTS[0] * 3, title="Lake")["id"]
    until_sync(lambda: api.get(f"/sources/{source}").json()["status"] == "ready", 60, "the source")
    fake.script.add(Reply(kind="embeddings", match="second", status=401, times=0))
    asked = {"provider": "api", "base_url": fake.base_url, "model": "second"}  # without its dimension: it must be asked
    assert api.put("/admin/models/embedding", asked).status_code == 200
    failed = until_sync(lambda: (found := _rebuild(api)) and found["state"] == "failed" and found, 60, "the refusal to be shown")
    assert failed["error"]["code"] == "model_unauthorized" and failed["done"] == 0 and failed["chunks"] == 1
    fake.script.reset()
    assert api.post(f"/admin/jobs/{failed['job_id']}/retry").status_code == 202
    until_sync(lambda: _rebuild(api) is None, 60, "the model to be in use")


async def test_everything_indexed_can_be_dropped_and_is_built_again_with_the_same_results(
    environment: dict[str, str], fake: FakeProvider
) -> None:
    settings = core_settings.load(environment | embedding_settings(fake))
    queries = ("Which lake is 70 metres deep?", "How often does a ferry cross lake number 12?", "Lake number 31")
    async with library(settings) as lib:
        sources = [await lib.add("text", "\n\n".join(text * 6 for text in TEXTS[n::2]).encode(), name=f"{n}.txt") for n in range(2)]
        assert [(await lib.ended(one))["status"] for one in sources] == ["ready", "ready"]
        before = [await ask_as_now(settings, lib, query) for query in queries]
        hashes = [await lib.chunk_hash(one) for one in sources]
    assert all(before)
    async with library(settings, working=False, begin=False) as again:
        again.owner_id, again.notebook_id = lib.owner_id, lib.notebook_id
        async with again.deps.db.transaction() as conn:
            for table in ("chunk_vec", "chunk_lex", "chunks", "indexes"):
                await conn.execute(f"delete from corpus.{table}")
        await begin_care(again.deps)
        async with again.run():

            async def is_whole() -> bool:
                return len(await again.all("select 1 from corpus.indexes where state = 'full'")) == 2

            await until(is_whole, 60, "the indexes")
        assert [await ask_as_now(settings, again, query) for query in queries] == before
        assert [await again.chunk_hash(one) for one in sources] == hashes


async def test_a_build_that_failed_goes_on_with_the_next_worker_and_one_for_a_model_chosen_before_is_given_up(
    environment: dict[str, str], fake: FakeProvider
) -> None:
    async with second_chosen(environment, fake) as (lib, _settings):

        async def has_failed() -> bool:
            return bool(await lib.all("select 1 from jobs where kind = 'rebuild_space' and state = 'failed'"))

        fake.script.add(Reply(kind="embeddings", match="second", status=401, times=0))
        await begin_care(lib.deps)
        async with lib.run():
            await until(has_failed, 60, "the rebuild to fail")
        assert await in_use(lib) == "first"
        first = core_settings.load(environment | embedding_settings(fake, MODEL="first"))
        async with library(first, working=False, begin=False) as back:
            await begin_care(back.deps)
            states = await back.all("select model, state from spaces order by model")
        assert [(one["model"], one["state"]) for one in states] == [("first", "in_use"), ("second", "retired")]
        await begin_care(lib.deps)
        async with lib.run():
            await until(lambda: _fails_again(lib), 60, "the second rebuild to fail")
        fake.script.reset()
        await begin_care(lib.deps)

        async def is_swapped() -> bool:
            return await in_use(lib) == "second"

        async with lib.run():
            await until(is_swapped, 60, "the swap")


async def _fails_again(lib: Library) -> bool:
    return len(await lib.all("select 1 from jobs where kind = 'rebuild_space' and state = 'failed'")) == 2

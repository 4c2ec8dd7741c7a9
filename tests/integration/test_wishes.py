"""A wish that comes while a job of its key runs, or while one is being stopped, is not lost: what was read before it has no last word."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from sourcebook_core import settings as core_settings
from sourcebook_core.store import sites as site_rows
from tests import rows
from tests.fakes.provider import FakeProvider
from tests.fakes.script import Reply
from tests.fakes.website import Answer, Website, article, sitemap
from tests.ingest_rig import library
from tests.integration.assistant_rig import Booth
from tests.integration.gateway_rig import Api, owner_api, refused
from tests.rag_rig import embedding_settings
from tests.rig import PATIENT, Processes, Running, until, until_sync
from tests.site_rig import Sites


@pytest.fixture
def api(processes: Processes, owner_token: str) -> Iterator[Api]:
    with owner_api(processes, owner_token) as (_, made):
        yield made


def halted(processes: Processes, place: str) -> Running:
    """A worker that waits at a place of its work, frozen so that it sees nothing of what is asked meanwhile."""
    worker = processes.start("ingest", FAULT_AT=place, LEASE_S="120", RENEW_S="30")
    until_sync(lambda: worker.is_at(place), 60, f"the worker to wait at {place}")
    worker.pause()
    return worker


async def stopped_then_done(processes: Processes, database: str, worker: Running, api: Api, source: str) -> str:
    """The status of the source after the worker has seen that its work is not wanted, and another one has done what is left."""

    async def is_cancelled() -> bool:
        async with rows.opened(database) as conn:
            return bool(await conn.fetchval("select true from jobs where subject = $1 and state = 'cancelled'", source))

    worker.resume()
    await until(is_cancelled, 60, "the work of before to be stopped")
    worker.kill()
    async with rows.opened(database) as conn:  # it may have taken the next job to the same place
        await conn.execute("update jobs set lease_until = now() where subject = $1 and state = 'running'", source)
    processes.start("ingest", **PATIENT)
    ended = ("ready", "stopped", "failed")
    return str(until_sync(lambda: (now := api.get(f"/sources/{source}").json()["status"]) in ended and now, 60, "the end of the work"))


async def test_new_content_of_a_source_that_is_just_being_read_is_read(processes: Processes, database: str, api: Api) -> None:
    notebook = api.notebook()
    source = api.text(notebook, "Version one tells of the mill.", external_id="hb")["id"]
    worker = halted(processes, "read.parsed")
    api.text(notebook, "Version two tells of the bridge.", external_id="hb")
    assert await stopped_then_done(processes, database, worker, api, source) == "ready"
    assert api.get(f"/sources/{source}/text").text == "Version two tells of the bridge."


async def test_a_source_taken_back_before_its_worker_saw_that_it_was_deleted_is_read(processes: Processes, database: str, api: Api) -> None:
    source = api.text(api.notebook())["id"]
    worker = halted(processes, "read.parsed")
    assert api.delete(f"/sources/{source}").status_code == 204
    assert api.post(f"/sources/{source}/restore").status_code == 200
    assert await stopped_then_done(processes, database, worker, api, source) == "ready"


async def test_a_source_taken_back_while_its_indexing_is_being_stopped_is_indexed(processes: Processes, database: str, api: Api) -> None:
    source = api.text(api.notebook())["id"]
    worker = halted(processes, "index.chunked")
    assert api.delete(f"/sources/{source}").status_code == 204
    assert api.post(f"/sources/{source}/restore").status_code == 200
    assert await stopped_then_done(processes, database, worker, api, source) == "ready"


async def test_a_site_added_anew_with_a_list_while_it_is_looked_at_is_looked_at_again(environment: dict[str, str], site: Website) -> None:
    goes_on = Event()

    def held(_: str) -> Answer:
        goes_on.wait(60)
        return Answer(sitemap((site.url("/a"), None)))

    site.pages |= {"/sitemap.xml": held, "/a": Answer(article("a").encode()), "/b": Answer(article("b").encode())}
    more = {"SOURCEBOOK_URL_ALLOW": site.place, "SOURCEBOOK_SITE_PAUSE_S": "0.02"}
    async with library(core_settings.load(environment | more)) as lib:
        sites = Sites(lib)
        site_id = await sites.add(site.url("/sitemap.xml"))
        await until(lambda: "/sitemap.xml" in "".join(site.seen), 60, "the site to be looked at")
        await sites.look(site_id)
        async with lib.deps.db.transaction() as conn:
            await site_rows.set_addresses(conn, site_id, [site.url("/b")], 50, None)
        goes_on.set()
        assert await sites.states(site_id) == {"/b": "added", "/a": "vanished"}
        assert set(await sites.sources()) == {"/a", "/b"}


def test_a_draft_changed_while_it_is_being_published_is_not_told_to_be_in_use(
    processes: Processes, owner_token: str, fake: FakeProvider, database: str
) -> None:
    processes.environment |= embedding_settings(fake)
    question = "Who built the mill?"
    with owner_api(processes, owner_token) as (_, api), ThreadPoolExecutor(1) as pool:
        for worker in ("ingest", "rag"):
            processes.start(worker)
        here = Booth(api, processes, database)
        source = here.source("The mill was built by Ada Lind in 1902. It ground rye until 1968.")
        assistant = here.assistant(source)["id"]
        path = f"/assistants/{assistant}"
        assert api.post(f"{path}/questions", {"question": question, "source_ids": [source]}).status_code == 201
        fake.script.add(Reply(kind="embeddings", match=question, hold="here", times=1))
        published = pool.submit(api.post, f"{path}/publish")
        until_sync(lambda: any(question in asked.said for asked in fake.script.requests("embeddings")), 60, "the search of its question")
        with api.other(owner_token) as other:
            before = other.get(path).json()["published_at"]
            # Who publishes this change now is given the job that runs, which has the draft of before in its hands.
            assert other.patch(path, {"look": {"greeting": "Hello"}}).status_code == 200
        fake.script.release("here")
        refused(published.result(60), 409, "conflict")
        assert api.get(path).json()["published_at"] == before
        assert here.publish(assistant)["published"]

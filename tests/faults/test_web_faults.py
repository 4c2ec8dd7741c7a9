"""F1 for addresses: killed while a page is fetched or a site is looked at; in the end everything is there once."""

import asyncio

import pytest

from sourcebook_core import settings as core_settings
from sourcebook_core.blobs import original_key
from tests.fakes.website import ARTICLE, Answer, Website
from tests.ingest_rig import library
from tests.rig import PATIENT, Processes, until
from tests.site_rig import Sites, serve


@pytest.mark.timeout(240)
@pytest.mark.parametrize("stage", ["fetch.stored", "fetch.committed"])
async def test_a_worker_killed_around_a_fetch_never_leaves_bytes_that_are_not_the_rows(
    processes: Processes, site: Website, stage: str
) -> None:
    processes.environment |= {"SOURCEBOOK_URL_ALLOW": site.place}
    async with library(core_settings.load(processes.environment), working=False) as lib:
        source_id = await lib.add("url", url=site.url("/article"))
        waiting = processes.start("ingest", FAULT_AT=stage)
        await until(waiting.is_at, 90, f"the worker to wait at {stage}")
        newer = ARTICLE.replace("1,642", "1,741")
        site.pages["/article"] = Answer(newer.encode())
        waiting.kill()
        processes.start("ingest", **PATIENT)
        row = await lib.ended(source_id, 90)
        assert (row["status"], row["error_message"]) == ("ready", None)
        assert await lib.deps.blobs.get(original_key(source_id)) == newer.encode()
        assert "1,741" in "".join(passage["text"] for passage in await lib.passages(source_id))


@pytest.mark.timeout(240)
async def test_a_worker_that_lost_its_claim_while_it_fetched_changes_nothing(processes: Processes, site: Website) -> None:
    processes.environment |= {"SOURCEBOOK_URL_ALLOW": site.place}
    async with library(core_settings.load(processes.environment), working=False) as lib:
        source_id = await lib.add("url", url=site.url("/article"))
        old = processes.start("ingest", FAULT_AT="fetch.stored")
        await until(old.is_at, 90, "the worker to wait")
        await until(lambda: "purge_deleted" in old.said(), 90, "its care, whose locks a worker that is stopped amid it would keep")
        old.pause()  # its lease dies, and another fetches another text
        site.pages["/article"] = Answer(ARTICLE.replace("1,642", "1,741").encode())
        processes.start("ingest", **PATIENT)
        row = await lib.ended(source_id, 90)
        assert row["status"] == "ready"
        old.resume()
        await until(lambda: "overtaken" in old.said() or not old.is_alive, 60, "the old worker to notice")
        assert await lib.row(source_id) | {"updated_at": None} == row | {"updated_at": None}
        assert b"1,741" in await lib.deps.blobs.get(original_key(source_id))


@pytest.mark.timeout(240)
@pytest.mark.parametrize("stage", ["site.found", "site.added"])
async def test_a_worker_killed_in_the_middle_of_a_site_goes_on_without_a_source_twice(
    processes: Processes, site: Website, stage: str
) -> None:
    processes.environment |= {"SOURCEBOOK_URL_ALLOW": site.place, "SOURCEBOOK_SITE_PAUSE_S": "0.01"}
    names = [f"p{n}" for n in range(25)]  # more than one batch
    serve(site, *names)
    async with library(core_settings.load(processes.environment), working=False) as lib:
        sites = Sites(lib)
        site_id = await sites.add(site.url("/sitemap.xml"))
        waiting = processes.start("ingest", FAULT_AT=stage)
        await until(waiting.is_at, 90, f"the worker to wait at {stage}")
        await asyncio.to_thread(waiting.kill)
        processes.start("ingest", **PATIENT)
        row = await sites.looked(site_id, 90)
        assert (row["report"]["found"], row["report"]["added"], row["report"]["known"]) == (25, 25, 0)
        assert site.asked("/sitemap.xml") == 1  # what was found was kept
        counted = await lib.all("select count(*) as n, count(distinct url) as d from sources where site_id = $1", site_id)
        assert (counted[0]["n"], counted[0]["d"]) == (25, 25)
        assert len(await lib.all("select 1 from jobs where kind = 'look_at_site'")) == 1

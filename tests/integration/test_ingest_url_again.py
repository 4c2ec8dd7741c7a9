"""Web pages fetched again: unchanged ones cost nothing, changed ones are read beside the old text, lost ones stay as they were."""

from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID

import pytest

from sourcebook_core import jobs
from sourcebook_core import settings as core_settings
from sourcebook_core.blobs import original_key
from sourcebook_core.jobs import IndexReading, ReadSource
from sourcebook_core.store import sources
from sourcebook_core.store.source_work import SourceWork
from sourcebook_ingest import source_bytes
from tests.fakes.website import ARTICLE, Answer, Website
from tests.ingest_rig import Library, library
from tests.rig import until

LOGIN = "<html><head><title>Sign in</title></head><body><h1>Sign in</h1><form><input name=user><input type=password></form></body></html>"


@pytest.fixture
async def lib(environment: dict[str, str], site: Website) -> AsyncIterator[Library]:
    """A library that may fetch from the site, and does not wait long between two tries."""
    more = {"SOURCEBOOK_URL_ALLOW": site.place, "SOURCEBOOK_BACKOFF_S": "0.1", "SOURCEBOOK_URL_SECONDS": "20"}
    async with library(core_settings.load(environment | more)) as made:
        yield made


async def again(lib: Library, source_id: UUID) -> dict[str, Any]:
    """The source after it was read again, as the gateway's reread has it done."""
    async with lib.deps.db.transaction() as conn:
        await sources.queue_again(conn, source_id)
        await jobs.insert(conn, ReadSource(source_id=source_id), owner_id=lib.owner_id, subject=source_id, once=source_id)
    await lib.deps.bell.ring("ingest")

    async def no_job() -> bool:
        return not await lib.all("select 1 from jobs where subject = $1 and state in ('queued', 'running')", source_id)

    await until(no_job, 60, "the end of the work")
    return await lib.row(source_id)


async def words(lib: Library, source_id: UUID) -> str:
    return "".join(passage["text"] for passage in await lib.passages(source_id))


def warned(row: dict[str, Any]) -> list[str]:
    return [found["code"] for found in row["report"]["warnings"]]


async def stored(lib: Library, source_id: UUID) -> bool:
    """Whether the stored bytes are those the row names."""
    row = await lib.row(source_id)
    fields = {name: row[name] for name in SourceWork.__dataclass_fields__}
    await source_bytes.whole(lib.deps.blobs, SourceWork(**fields))
    return [key async for key in _incoming(lib, source_id)] == []


async def _incoming(lib: Library, source_id: UUID) -> AsyncIterator[str]:
    for key, _ in await lib.deps.blobs.list(f"sources/{source_id}/incoming/"):
        yield key


async def test_a_page_that_is_what_it_was_makes_no_new_reading(lib: Library, site: Website) -> None:
    def tagged(head: str) -> Answer:
        headers = {"Content-Type": "text/html", "ETag": '"v1"', "Last-Modified": "Wed, 01 May 2024 10:00:00 GMT"}
        return Answer(status=304, headers=headers) if 'if-none-match: "v1"' in head.lower() else Answer(ARTICLE.encode(), headers=headers)

    site.pages["/tagged"] = tagged
    for path in ("/tagged", "/article"):
        source_id = await lib.add("url", url=site.url(path))
        first = await lib.ended(source_id)
        second = await again(lib, source_id)
        assert (second["status"], second["reading_id"], second["chunks"]) == ("ready", first["reading_id"], first["chunks"])
        assert second["fetched_at"] > first["fetched_at"]
        assert len(await lib.all("select 1 from corpus.readings where source_id = $1", source_id)) == 1
        assert site.asked(path) == 2
    assert "if-modified-since" in [head for head in site.seen if "/tagged" in head][1].lower()


async def test_a_changed_page_answers_with_its_old_text_until_the_new_one_is_there(lib: Library, site: Website) -> None:
    source_id = await lib.add("url", url=site.url("/article"))
    first = await lib.ended(source_id)
    site.pages["/moved"] = Answer(ARTICLE.replace("1,642", "1,741").encode())
    site.pages["/article"] = Answer(status=301, headers={"Location": "/moved"})
    second = await again(lib, source_id)
    assert (second["status"], second["url"]) == ("ready", site.url("/article"))
    assert second["reading_id"] != first["reading_id"]
    assert "1,741" in await words(lib, source_id)
    assert second["meta"]["web"] | {"etag": ""} == {
        "address": site.url("/moved"), "status": 200, "charset": "utf-8", "redirects": [site.url("/article")], "etag": "",
    }  # fmt: skip
    assert await stored(lib, source_id)


async def test_a_page_that_is_gone_locked_or_away_leaves_the_reading_there_is(lib: Library, site: Website) -> None:
    source_id = await lib.add("url", url=site.url("/article"))
    first = await lib.ended(source_id)
    text = await words(lib, source_id)
    for lost in (
        Answer(b"<p>gone</p>", 404),
        Answer(LOGIN.encode()),
        Answer(status=503),
        Answer(b"", headers={"Content-Type": "text/html"}),
    ):
        site.pages["/article"] = lost
        row = await again(lib, source_id)
        assert (row["status"], row["error_code"], row["reading_id"]) == ("ready", None, first["reading_id"])
        assert warned(row).count("not_read_again") == 1
        assert await lib.deps.blobs.get(original_key(source_id)) == ARTICLE.encode()
        assert await words(lib, source_id) == text
    assert "what was read before stays" in row["report"]["warnings"][-1]["message"]
    site.pages["/article"] = Answer(ARTICLE.encode())
    row = await again(lib, source_id)
    assert (row["status"], "not_read_again" in warned(row)) == ("ready", False)


async def test_a_page_that_was_never_read_fails_as_what_it_is(lib: Library, site: Website) -> None:
    site.pages["/soft"] = Answer(
        b"<html><head><title>Page not found</title></head><body><p>Sorry, this page is not here.</p></body></html>"
    )
    site.pages["/login"] = Answer(LOGIN.encode())
    site.pages["/paid"] = Answer(b"<html><body><p>Long ago there was a lake.</p><p>Subscribe to continue reading.</p></body></html>")
    site.pages["/short"] = Answer(b"<html><body><p>Hi.</p></body></html>", 203)
    wanted = {"/soft": "url_not_found", "/login": "url_login", "/paid": "url_paywall", "/short": "url_too_little_text"}
    ids = {path: await lib.add("url", url=site.url(path)) for path in wanted}
    rows = {path: await lib.ended(source_id) for path, source_id in ids.items()}
    assert {path: row["error_code"] for path, row in rows.items()} == wanted
    assert f"{site.url('/short')} (status 203)" in rows["/short"]["error_message"]


async def test_two_addresses_of_one_page_are_told_to_be_the_same(lib: Library, site: Website) -> None:
    head = "<link rel='canonical' href='/article'><meta property='article:published_time' content='2024-05-01T10:00:00Z'><title>"
    site.pages["/article?print=1"] = Answer(ARTICLE.replace("<title>", head).encode())
    await lib.ended(await lib.add("url", url=site.url("/article")))
    row = await lib.ended(await lib.add("url", url=site.url("/article?print=1")))
    assert (row["status"], row["canonical_url"], warned(row)[:1]) == ("ready", site.url("/article"), ["same_page"])
    assert (row["year"], row["meta"]["published"]) == (2024, "2024-05-01")
    site.pages["/old"] = Answer(status=301, headers={"Location": "/article"})
    assert warned(await lib.ended(await lib.add("url", url=site.url("/old"))))[:1] == ["same_page"]


async def test_a_page_in_an_old_encoding_keeps_its_letters(lib: Library, site: Website) -> None:
    czech = "Příliš žluťoučký kůň úpěl ďábelské ódy u hlubokého jezera. " * 4
    source = f"<html><head><meta charset='utf-8'><title>Kůň</title></head><body><article><h1>Kůň</h1><p>{czech}</p></article></body></html>"
    site.pages["/kun"] = Answer(source.encode("cp1250"), headers={"Content-Type": "text/html; charset=windows-1250"})
    source_id = await lib.add("url", url=site.url("/kun"))
    assert (await lib.ended(source_id))["title"] == "Kůň"
    assert "žluťoučký kůň" in await words(lib, source_id)


@pytest.mark.parametrize("is_deleted", [True, False])
async def test_a_source_or_its_job_taken_away_while_its_page_comes_leaves_nothing_behind(
    lib: Library, site: Website, is_deleted: bool
) -> None:
    site.pages["/slow"] = Answer(drip_s=0.05)
    source_id = await lib.add("url", url=site.url("/slow"))
    await until(lambda: site.asked("/slow"), 60, "the page to be asked for")
    async with lib.deps.db.transaction() as conn:
        if is_deleted:
            assert await sources.delete(conn, lib.owner_id, source_id)
        await jobs.cancel(conn, source_id, ReadSource, IndexReading)
        await sources.set_stopped(conn, source_id)
    row = await lib.ended(source_id)
    assert (row["status"], row["has_file"], row["deleted_at"] is not None) == ("stopped", False, is_deleted)
    assert await lib.deps.blobs.list(f"sources/{source_id}/") == []
    assert await lib.all("select 1 from corpus.readings where source_id = $1", source_id) == []


async def test_an_address_that_may_not_be_fetched_is_not_tried_three_times(lib: Library, site: Website) -> None:
    site.pages["/in"] = Answer(status=302, headers={"Location": "http://169.254.169.254/latest/meta-data"})
    row = await lib.ended(await lib.add("url", url=site.url("/in")))
    assert (row["error_code"], site.asked("/in"), row["byte_size"]) == ("url_not_public", 1, 0)

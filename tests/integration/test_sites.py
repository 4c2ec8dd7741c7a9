"""Sites: their pages found, added once, fetched again when they changed, and never lost in silence."""

import gzip
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest

from sourcebook_core import jobs
from sourcebook_core import settings as core_settings
from sourcebook_core.jobs import LookAtSite
from sourcebook_core.store import grants, notebooks, sources
from sourcebook_core.store import sites as site_rows
from tests.fakes.website import Answer, Website, article, sitemap
from tests.ingest_rig import Library, library
from tests.rig import until
from tests.site_rig import Sites, serve

TOMORROW = (datetime.now(UTC) + timedelta(days=1)).date().isoformat()
FEED = (
    "<?xml version='1.0'?><rss version='2.0'><channel><title>News</title><link>{0}/</link><item><title>A</title><link>{0}/a</link>"
    "<pubDate>Wed, 01 May 2024 10:00:00 GMT</pubDate></item><item><link>https://other.example/x</link></item></channel></rss>"
)
ATOM = "<feed xmlns='http://www.w3.org/2005/Atom'><link href='{0}/'/><entry><link rel='alternate' href='/b'/></entry></feed>"
# Entities that grow, and one that names a file: neither may be resolved.
BOMB = (
    "<?xml version='1.0'?><!DOCTYPE u [<!ENTITY a 'aaaaaaaaaa'>"
    + "".join(f"<!ENTITY {chr(98 + n)} '{f'&{chr(97 + n)};' * 10}'>" for n in range(9))
    + "<!ENTITY x SYSTEM 'file:///etc/passwd'><!ENTITY y SYSTEM '{0}/leak'>]>"
    "<urlset><url><loc>{0}/a</loc></url><url><loc>{0}/&j;</loc></url><url><loc>{0}/&x;&y;</loc></url></urlset>"
)


@pytest.fixture
async def lib(environment: dict[str, str], site: Website) -> AsyncIterator[Library]:
    """A library that may fetch from the site."""
    more = {"SOURCEBOOK_URL_ALLOW": site.place, "SOURCEBOOK_SITE_PAUSE_S": "0.02", "SOURCEBOOK_BACKOFF_S": "0.1"}
    async with library(core_settings.load(environment | more)) as made:
        yield made


async def test_every_page_of_a_sitemap_becomes_a_source_and_the_report_says_what_was_not_taken(lib: Library, site: Website) -> None:
    home = f"http://{site.place}"
    site.pages |= {f"/{name}": Answer(article(name).encode()) for name in ("a", "b", "c", "secret")}
    site.pages["/robots.txt"] = Answer(f"User-agent: *\nDisallow: /sec*\nCrawl-delay: 0.01\nSitemap: {home}/index.xml\n".encode())
    site.pages["/index.xml"] = Answer(
        f"<sitemapindex><sitemap><loc>{home}/one.xml.gz</loc></sitemap><sitemap><loc>/two.xml</loc></sitemap>"
        f"<sitemap><loc>{home}/gone.xml</loc></sitemap></sitemapindex>".encode()
    )
    one = sitemap((f"{home}/a", None), (f"{home}/a#part", None), (f"{home}/secret", None), ("https://other.example/", None))
    site.pages["/one.xml.gz"] = Answer(gzip.compress(one), headers={"Content-Type": "application/gzip"})
    odd = ("file:///etc/passwd", "http://10.0.0.1/", f"{home}/pic.png", "http://a..org/")
    site.pages["/two.xml"] = Answer(sitemap((f"{home}/b", None), *((url, None) for url in odd), (f"{home}/c", None)))
    sites = Sites(lib)
    site_id = await sites.add(f"{home}/robots.txt", most=2)
    row = await sites.looked(site_id)
    assert (row["status"], row["error_message"]) == ("ready", None)
    counts = {name: row["report"][name] for name in ("found", "added", "known", "vanished", "refused")}
    why = {"robots": 1, "other_host": 1, "over_limit": 1, "url_scheme": 1, "url_not_public": 1, "no_page": 1, "invalid": 1}
    assert counts == {"found": 9, "added": 2, "known": 0, "vanished": 0, "refused": why}
    found = await sites.sources()
    assert {path: (one["status"], one["site_id"]) for path, one in found.items()} == dict.fromkeys(("/a", "/b"), ("ready", site_id))
    assert not site.asked("/secret")
    assert all("sourcebook" in head.lower() for head in site.seen)


async def test_the_second_look_adds_what_is_new_fetches_what_changed_and_forgets_nothing(lib: Library, site: Website) -> None:
    serve(site, "same", "changed", "gone", "unlinked", "thrown", day="2020-01-01")
    sites = Sites(lib)
    site_id = await sites.add(site.url("/sitemap.xml"))
    first = await sites.sources()
    assert set((await sites.states(site_id)).values()) == {"added"}
    async with lib.deps.db.transaction() as conn:
        await grants.take(conn, lib.notebook_id, first["/unlinked"]["id"])
        await sources.delete(conn, lib.owner_id, first["/thrown"]["id"])
    site.pages["/changed"] = Answer(article("changed").replace("1,642", "1,741").encode())
    site.pages["/fresh"] = Answer(article("fresh").encode())
    old = [(site.url(f"/{name}"), "2020-01-01") for name in ("same", "unlinked", "thrown")]
    site.pages["/sitemap.xml"] = Answer(sitemap(*old, (site.url("/changed"), TOMORROW), (site.url("/fresh"), None)))
    await sites.look(site_id)
    wanted = {"/same": "known", "/changed": "again", "/gone": "vanished", "/unlinked": "removed", "/thrown": "removed", "/fresh": "added"}
    assert await sites.states(site_id) == wanted
    second = await sites.sources()
    assert set(second) == {"/same", "/changed", "/gone", "/fresh"}
    assert second["/gone"]["status"] == "ready"
    assert second["/changed"]["reading_id"] != first["/changed"]["reading_id"]
    assert "1,741" in "".join(passage["text"] for passage in await lib.passages(second["/changed"]["id"]))
    assert (site.asked("/same"), site.asked("/changed"), site.asked("/thrown")) == (1, 2, 1)
    await sites.look(site_id)  # what was taken away stays away, what vanished stays reported
    assert await sites.states(site_id) == wanted | {"/fresh": "again"}


async def test_feeds_lists_and_pages_name_a_site_too(lib: Library, site: Website) -> None:
    home = f"http://{site.place}"
    site.pages |= {f"/{name}": Answer(article(name).encode()) for name in ("a", "b", "docs/c", "docs/", "e")}
    site.pages["/feed"] = Answer(FEED.format(home).encode(), headers={"Content-Type": "application/rss+xml"})
    site.pages["/atom"] = Answer(ATOM.format(home).encode())
    site.pages["/list.txt"] = Answer(f"{home}/a\n\n{home}/b\n".encode(), headers={"Content-Type": "text/plain"})
    links = "<a href='c'>C</a><a href='/e'>E</a><a href='c#x'>again</a><a href='logo.png'>L</a><a rel=nofollow href=d>D</a>"
    site.pages["/docs/"] = Answer(article("docs").replace("<nav>", f"<nav>{links}").encode())
    sites = Sites(lib)
    states = [await sites.states(await sites.add(f"{home}{path}")) for path in ("/feed", "/atom", "/list.txt", "/docs/")]
    assert states[0] == {"/a": "added", "/x": "other_host"}
    assert states[1] == {"/b": "added"}
    assert states[2] == {"/a": "known", "/b": "known"}
    assert states[3] == {"/docs/": "added", "/docs/c": "added", "/docs/logo.png": "no_page"}
    given = await sites.add(f"{home}/given", addresses=[f"{home}/e", "http://10.0.0.1/", f"{home}/a"])
    assert await sites.states(given) == {"/e": "added", "/": "url_not_public", "/a": "known"}
    assert len(await sites.sources()) == 5


async def test_a_page_of_the_library_is_linked_and_not_fetched_a_second_time(lib: Library, site: Website) -> None:
    canonical = f"<link rel='canonical' href='{site.url('/a')}'><title>"
    site.pages["/a?from=mail"] = Answer(article("a").replace("<title>", canonical).encode())
    mine = await lib.add("url", url=site.url("/a?from=mail"))
    assert (await lib.ended(mine))["canonical_url"] == site.url("/a")
    async with lib.deps.db.transaction() as conn:
        await grants.take(conn, lib.notebook_id, mine)
    serve(site, "a")
    sites = Sites(lib)
    assert await sites.states(await sites.add(site.url("/sitemap.xml"))) == {"/a": "known"}
    assert [row["id"] for row in (await sites.sources()).values()] == [mine]
    assert site.asked("/a") == 0


async def test_a_site_never_grows_beyond_its_limit_however_often_it_changes(lib: Library, site: Website) -> None:
    serve(site, "a", "b", "c")
    sites = Sites(lib)
    site_id = await sites.add(site.url("/sitemap.xml"), most=2)
    assert await sites.states(site_id) == {"/a": "added", "/b": "added", "/c": "over_limit"}
    first = await sites.sources()
    serve(site, "d", "b")
    await sites.look(site_id)
    assert await sites.states(site_id) == {"/a": "vanished", "/b": "again", "/d": "over_limit"}
    async with lib.deps.db.transaction() as conn:
        await grants.take(conn, lib.notebook_id, first["/b"]["id"])
    await sites.look(site_id)
    await sites.looked(site_id)
    await sites.look(site_id)  # the one taken away makes room once that was seen
    assert await sites.states(site_id) == {"/a": "vanished", "/b": "removed", "/d": "added"}
    assert set(await sites.sources()) == {"/a", "/d"}


async def test_a_look_that_fails_leaves_the_pages_and_the_plan(lib: Library, site: Website) -> None:
    serve(site, "a")
    sites = Sites(lib)
    site_id = await sites.add(site.url("/sitemap.xml"), hours=24)
    row = await sites.looked(site_id)
    assert row["look_again_at"] - row["looked_at"] == timedelta(hours=24)
    due = "select extract(epoch from run_after - now())::float8 as s from jobs where subject = $1 and state = 'queued'"
    assert [86_000 < one["s"] < 86_401 for one in await lib.all(due, site_id)] == [True]
    site.pages["/sitemap.xml"] = Answer(b"<p>gone</p>", 404)
    await sites.look(site_id)
    row = await sites.looked(site_id)
    assert (row["status"], row["error_code"], row["report"]["added"]) == ("failed", "url_not_found", 1)
    assert [86_000 < one["s"] < 86_401 for one in await lib.all(due, site_id)] == [True]
    site.pages["/sitemap.xml"] = Answer(sitemap())
    await sites.look(site_id)
    assert (await sites.looked(site_id))["error_code"] == "site_no_pages"
    assert [one["status"] for one in (await sites.sources()).values()] == ["ready"]


async def test_a_sitemap_that_is_a_trap_leads_nowhere(lib: Library, site: Website) -> None:
    site.pages["/a"] = Answer(article("a").encode())
    site.pages["/sitemap.xml"] = Answer(BOMB.replace("{0}", f"http://{site.place}").encode())
    sites = Sites(lib)
    states = await sites.states(await sites.add(site.url("/sitemap.xml")))
    assert states["/a"] == "added"
    assert not any("leak" in head or "root:" in head or "aaaa" in head for head in site.seen)


@pytest.mark.parametrize("is_trashed", [True, False])
async def test_a_notebook_or_site_taken_away_while_it_is_looked_at_ends_the_look(lib: Library, site: Website, is_trashed: bool) -> None:
    serve(site, "a")
    found = site.pages.pop("/sitemap.xml")
    site.pages["/sitemap.xml"] = Answer(drip_s=0.05)
    sites = Sites(lib)
    site_id = await sites.add(site.url("/sitemap.xml"))
    await until(lambda: site.asked("/sitemap.xml"), 60, "the sitemap to be asked for")
    async with lib.deps.db.transaction() as conn:
        if is_trashed:
            await notebooks.delete(conn, lib.owner_id, lib.notebook_id)
        await jobs.cancel(conn, site_id, LookAtSite)
        if not is_trashed:
            await site_rows.delete(conn, site_id)

    async def no_job() -> bool:
        return not await lib.all("select 1 from jobs where state in ('queued', 'running')")

    await until(no_job, 60, "the look to end")
    assert await lib.all("select 1 from sources") == []
    if is_trashed:
        site.pages["/sitemap.xml"] = found
        await sites.look(site_id)
        assert [(await sites.looked(site_id))[name] for name in ("status", "error_code")] == ["failed", "stopped"]
        assert await lib.all("select 1 from sources") == []

"""Looking at a site: its new pages become sources, known ones are fetched again when they changed, and nothing goes in silence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from sourcebook_core import events, faults, jobs, log, roles
from sourcebook_core.db import Conn
from sourcebook_core.errors import Overtaken, PermanentError, SourcebookError
from sourcebook_core.jobs import LookAtSite, ReadSource, task
from sourcebook_core.store import grants, indexes, sites, sources
from sourcebook_core.store import jobs as job_rows
from sourcebook_core.store.sites import Page, Site
from sourcebook_core.store.sources import Added
from sourcebook_ingest import site_pages
from sourcebook_ingest.deps import Deps
from sourcebook_ingest.site_pages import Found

_log = log.get(__name__)
BATCH = 20  # addresses a commit
_LISTED = 200  # refused addresses that are named; the rest is counted
_HELD = ("added", "known", "again", "vanished")  # what an address was when its source belonged to the notebook
_AGAIN = ("ready", "failed")
_ENDS = ("stopped", "gave_up")  # what another look right away would meet again
Item = dict[str, Any]


async def _failed(conn: Conn, work: LookAtSite, error: SourcebookError) -> None:
    """A look that came to nothing leaves every page as it is, and the plan goes on."""
    site = await sites.lock(conn, work.site_id)
    if site is None:
        return
    report = {name: value for name, value in (site.report or {}).items() if name != "look"} or None
    if site.status == "queued" and error.code not in _ENDS:
        await _plan(conn, site, 0.0)  # it was added anew meanwhile
        return
    await _plan(conn, site, await sites.fail(conn, site.id, error.code, error.message, report))


async def _ended(work: LookAtSite, deps: Deps) -> None:
    async with deps.db.transaction() as conn:
        site = await sites.lock(conn, work.site_id)
    if site is not None:
        await _tell(deps, site, None)


@task(LookAtSite, failed=_failed, ended=_ended)
async def look_at_site(work: LookAtSite, deps: Deps) -> None:
    """Find the site's addresses, then give each its source, in batches.

    Safe to run twice: what was found is kept before the first source is made, each batch is a commit with what became of it, and
    an address has one source whoever adds it. Ends by queueing the next look of the site's plan.
    """
    async with jobs.holding(deps.db, work) as conn:
        site = await _living(conn, work)
        if site is None:
            return
        await sites.begin(conn, site.id)
    await _tell(deps, site, None)
    before = site.report or {}
    look = before.get("look")
    if look is None or look["job"] != str(work.claim.job_id) or site.status == "queued":
        look = _begun(work, await site_pages.find(deps, site), before, site.max_pages)
        async with jobs.holding(deps.db, work, checkpoint=True) as conn:
            await sites.keep(conn, site.id, {**before, "look": look})
    await faults.point(deps.settings, "site.found")
    while len(look["items"]) < len(look["pages"]):
        await _take_batch(deps, work, site, before, look)
        await faults.point(deps.settings, "site.added")
    report = _report(look)
    async with jobs.holding(deps.db, work) as conn:
        # Ended before the next one is queued: there is at most one unfinished job of this key.
        await job_rows.finish(conn, work.claim.job_id, work.claim.fence, state="done", result=None, error=None)
        await _end(conn, site, report)
    await _tell(deps, site, None)
    _log.info("site.looked", site_id=str(site.id), **{name: report[name] for name in ("found", "added", "known", "again", "vanished")})


async def _end(conn: Conn, site: Site, report: dict[str, Any]) -> None:
    """Keep what the look found. Where the site was added anew meanwhile, with another list, it is looked at once more now."""
    now = await sites.lock(conn, site.id)
    if now is not None and now.status == "queued":
        await sites.keep(conn, site.id, report)
        await _plan(conn, site, 0.0)
        return
    await _plan(conn, site, await sites.finish(conn, site.id, report))


async def _living(conn: Conn, work: LookAtSite) -> Site | None:
    """The site, locked; None when it is deleted. Raises PermanentError while its notebook lies in the trash."""
    site = await sites.lock(conn, work.site_id)
    if site is not None and not site.is_living:
        raise PermanentError("stopped", "Its notebook lies in the trash.")
    return site


def _begun(work: LookAtSite, found: Found, before: Mapping[str, Any], most: int) -> dict[str, Any]:
    """What a look works through: the pages the site had, new ones while there is room, and what became of the other addresses."""
    earlier = {item["url"]: item for item in before.get("items", []) if item["state"] in (*_HELD, "removed")}
    there = {url for url, _ in found.pages}
    room = most - sum(item["state"] in _HELD for item in earlier.values())
    pages, refused = [], list(found.refused)
    for url, changed in found.pages:
        room -= url not in earlier
        if url in earlier or room >= 0:
            pages.append([url, changed])
        else:
            refused.append((url, "over_limit"))
    gone = [_gone(item, found) for item in earlier.values() if item["url"] not in there]
    named = [{"url": url, "state": "refused", "why": why} for url, why in refused[:_LISTED]]
    return {
        "job": str(work.claim.job_id), "pages": pages, "items": [], "pause_s": found.pause_s, "rest": [*gone, *named],
        "found": len(found.pages) + len(found.refused), "why": dict(Counter(why for _, why in refused)),
    }  # fmt: skip


def _gone(item: Item, found: Found) -> Item:
    """An address that was there and is not named any more; one a person took away stays that."""
    return {**item, "state": "vanished"} if item["state"] in _HELD and found.is_whole else item


async def _take_batch(deps: Deps, work: LookAtSite, site: Site, before: Mapping[str, Any], look: dict[str, Any]) -> None:
    batch: Sequence[tuple[str, str | None]] = look["pages"][len(look["items"]) :][:BATCH]
    known_before = {item["url"]: item for item in before.get("items", [])}
    async with jobs.holding(deps.db, work, checkpoint=True) as conn:
        if await _living(conn, work) is None:
            raise Overtaken(work.kind)
        there = _by_address(await sites.pages_for(conn, site, [url for url, _ in batch]))
        otherwise = roles.recipe_for((await roles.effective_roles(conn, deps.settings))["embedding"])
        items: list[Item] = []
        for url, changed in batch:
            delay_s = look["pause_s"] * sum(item["state"] in ("added", "again") for item in [*look["items"], *items])
            one = _Address(url, changed, known_before.get(url), delay_s)
            items.append(await _take(conn, site, one, there.get(url), otherwise))
        look["items"] = [*look["items"], *items]
        await sites.keep(conn, site.id, {**before, "look": look})
    await deps.bell.ring("ingest")
    await _tell(deps, site, next((item["source_id"] for item in items if item.get("source_id")), None))


@dataclass(frozen=True, slots=True)
class _Address:
    """One address of a site: when it changed, what became of it the last time, and how long its fetching has to wait."""

    url: str
    changed: str | None
    before: Item | None
    delay_s: float

    @property
    def was_held(self) -> bool:
        """Whether it had a source in the notebook after an earlier look."""
        return self.before is not None and self.before["state"] in (*_HELD, "removed")


def _by_address(pages: Sequence[Page]) -> dict[str, Page]:
    """The source of each address: a living one before one in the trash, one of the very address before one that is called so."""
    found: dict[str, Page] = {}
    for page in pages:
        if page.canonical_url:
            found.setdefault(page.canonical_url, page)
    return found | {page.url: page for page in reversed(pages)}


async def _take(conn: Conn, site: Site, one: _Address, page: Page | None, otherwise: str) -> Item:
    """What becomes of an address: a new source, a known one, one fetched again, or one that a person took away (it stays away)."""
    if page is None and not one.was_held:
        added = await _add(conn, site, one)
        if added is not None:
            return _item(one, "added", added)
        page = _by_address(await sites.pages_for(conn, site, [one.url])).get(one.url)  # added by somebody else at this moment
    if page is None or page.is_gone or (one.was_held and not page.is_granted):
        return _item(one, "removed", None)
    if not page.is_granted:
        await grants.give(conn, site.notebook_id, page.id, site.added_by)
        await _index(conn, site, page.id, otherwise)
        return _item(one, "known", page.id)
    if one.before is not None and page.status in _AGAIN and _may_have_changed(page, one.changed):
        await _queue(conn, site, page.id, one.delay_s)
        return _item(one, "again", page.id)
    return _item(one, "known", page.id)


async def _add(conn: Conn, site: Site, one: _Address) -> UUID | None:
    source_id = uuid4()
    added = Added(source_id, site.owner_id, site.added_by, "url", one.url[:1000], url=one.url)
    if not await sources.insert(conn, added):
        return None
    await sites.adopt(conn, site.id, source_id)
    await grants.give(conn, site.notebook_id, source_id, site.added_by)
    await _queue(conn, site, source_id, one.delay_s)
    return source_id


async def _queue(conn: Conn, site: Site, source_id: UUID, delay_s: float) -> None:
    """Have a page fetched; one after the other, so that a site is not asked for everything at once."""
    await jobs.insert(conn, ReadSource(source_id=source_id), owner_id=site.owner_id, subject=source_id, once=source_id, delay_s=delay_s)


async def _index(conn: Conn, site: Site, source_id: UUID, otherwise: str) -> None:
    """Have a source of the library indexed as this notebook wants it; what is there already costs nothing."""
    source = await sources.find(conn, site.owner_id, source_id)
    if source is None or source.reading_id is None:
        return
    for recipe_id in await indexes.recipes_wanted(conn, source_id, otherwise):
        await jobs.insert_indexing(
            conn, owner_id=site.owner_id, source_id=source_id, reading_id=source.reading_id, recipe_id=recipe_id
        )  # fmt: skip


def _may_have_changed(page: Page, changed: str | None) -> bool:
    """By the sitemap's word; a page without one is asked whether it changed, which costs its server nothing."""
    if changed is None or page.fetched_at is None or page.status == "failed":
        return True
    return datetime.fromisoformat(changed) > page.fetched_at


def _item(one: _Address, state: str, source_id: UUID | None) -> Item:
    return {"url": one.url, "state": state, "source_id": str(source_id) if source_id else None}


def _report(look: Mapping[str, Any]) -> dict[str, Any]:
    items = [*look["items"], *look["rest"]]
    counts = Counter(item["state"] for item in items)
    states = {state: counts[state] for state in ("added", "known", "again", "removed", "vanished")}
    return {"found": look["found"], **states, "refused": look["why"], "items": items}


async def _plan(conn: Conn, site: Site, seconds: float | None) -> None:
    """Queue the next look, where the site has a plan: its row is the plan, there is no clock beside it."""
    if seconds is not None:
        await jobs.insert(conn, LookAtSite(site_id=site.id), owner_id=site.owner_id, subject=site.id, once=site.id, delay_s=seconds)


async def _tell(deps: Deps, site: Site, source_id: str | None) -> None:
    """Hint to open pages that a site, and a source it brought, changed."""
    notebook = str(site.notebook_id)
    if source_id is not None:
        await events.hint(deps.redis, [site.owner_id], "source", id=source_id, notebook_ids=[notebook])
    await events.hint(deps.redis, [site.owner_id], "notebook", id=notebook)

"""Sites: a web site as many sources, found by its sitemap or given as a list, and looked at again by its plan."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from fastapi import Request, Response

from sourcebook_core import events, jobs
from sourcebook_core.db import Conn
from sourcebook_core.errors import RequestError
from sourcebook_core.jobs import LookAtSite
from sourcebook_core.store import notebooks, sites
from sourcebook_core.store.sites import Site
from sourcebook_gateway.access import check_owned, gated_router, needs
from sourcebook_gateway.addresses import canonical
from sourcebook_gateway.creating import created
from sourcebook_gateway.deps import Caller, CallerDep, Shared, SharedDep
from sourcebook_gateway.refusals import not_found
from sourcebook_gateway.shapes.lists import CursorQuery, LimitQuery, Listed, paged, place
from sourcebook_gateway.shapes.sites import SiteAdd, SiteRead, SiteUpdate

router = gated_router("sites")
_KNOWN: dict[int | str, dict[str, Any]] = {200: {"model": SiteRead, "description": "The notebook has it already: it is looked at again."}}


@router.post(
    "/notebooks/{notebook_id}/sites", status_code=202, response_model=SiteRead, responses=_KNOWN, summary="Add a site",
    openapi_extra=needs("add"),
)  # fmt: skip
async def add_site(request: Request, notebook_id: UUID, asked: SiteAdd, caller: CallerDep, shared: SharedDep) -> Response:
    """Its pages become sources of the notebook, one after the other; those of the library are linked. robots.txt is obeyed."""
    if not asked.url and not asked.addresses:
        raise RequestError(422, "invalid_field", why="url: give the address of a site, or a list of addresses.")
    url = canonical(asked.url or (asked.addresses or [""])[0], shared.settings.url_allow)
    most = _pages(shared, asked.max_pages, asked.addresses)

    async def make(conn: Conn) -> tuple[int, SiteRead]:
        await check_owned(conn, caller, notebook_id)
        site_id = uuid4()
        is_new = await sites.insert(conn, site_id, caller.person_id, notebook_id, url, asked.addresses, most, asked.refresh_hours)
        if not is_new:
            known = await sites.find_by_url(conn, notebook_id, url)
            if known is None:
                raise RequestError(409, "conflict", why="the same site was added and removed at the same moment. Try again.")
            site_id = known.id
        await _look_now(conn, caller, site_id)
        if not is_new:
            await sites.set_addresses(conn, site_id, asked.addresses, most, asked.refresh_hours)
        await notebooks.touch(conn, notebook_id)
        return 202 if is_new else 200, SiteRead.of(await _own(conn, caller, site_id))

    answer = await created(shared, request, caller, make)
    await _ring(shared, caller, notebook_id)
    return answer


def _pages(shared: Shared, asked: int | None, addresses: list[str] | None) -> int:
    """How many pages it may have. Raises 422 for more than the server's limit, or a longer list."""
    limit = shared.settings.limits.site_pages
    if (asked or 0) > limit or len(addresses or ()) > limit:
        raise RequestError(422, "invalid_field", why=f"max_pages: a site has at most {limit} pages here.")
    return asked or limit


async def _own(conn: Conn, caller: Caller, site_id: UUID) -> Site:
    found = await sites.find(conn, caller.person_id, site_id)
    if found is None:
        raise not_found()
    return found


async def _look_now(conn: Conn, caller: Caller, site_id: UUID) -> None:
    # The job before the site: its worker locks them in this order, and two orders would wait for each other in a circle.
    await jobs.insert_at(conn, LookAtSite(site_id=site_id), owner_id=caller.person_id, subject=site_id, once=site_id, delay_s=0)
    await sites.queue(conn, site_id)


async def _ring(shared: Shared, caller: Caller, notebook_id: UUID) -> None:
    await shared.bell.ring("ingest")
    await events.hint(shared.redis, [caller.person_id], "notebook", id=str(notebook_id))


@router.get("/notebooks/{notebook_id}/sites", summary="A notebook's sites", openapi_extra=needs("read"))
async def list_sites(
    notebook_id: UUID, caller: CallerDep, shared: SharedDep, cursor_: CursorQuery = None, limit: LimitQuery = 100
) -> Listed[SiteRead]:
    """Newest first."""
    before_at, before_id = place(cursor_)
    async with shared.db.transaction() as conn:
        await check_owned(conn, caller, notebook_id)
        found = await sites.list_for_notebook(conn, notebook_id, limit + 1, before_at, before_id)
    return paged(found, limit, SiteRead.of, lambda row: (row.created_at, row.id))


@router.get("/sites/{site_id}", summary="One site", openapi_extra=needs("read"))
async def get_site(site_id: UUID, caller: CallerDep, shared: SharedDep) -> SiteRead:
    """Its plan, and what its last look found."""
    async with shared.db.transaction() as conn:
        return SiteRead.of(await _own(conn, caller, site_id))


@router.patch("/sites/{site_id}", summary="Change a site's plan", openapi_extra=needs("add"))
async def update_site(site_id: UUID, asked: SiteUpdate, caller: CallerDep, shared: SharedDep) -> SiteRead:
    """How many pages, and how often it is looked at; holds from the next look on."""
    async with shared.db.transaction() as conn:
        site = await _own(conn, caller, site_id)
        most = _pages(shared, asked.max_pages, None) if asked.max_pages else site.max_pages
        hours = asked.refresh_hours if "refresh_hours" in asked.model_fields_set else site.refresh_hours
        if hours != site.refresh_hours and site.status in ("ready", "failed"):
            await _replan(conn, caller, site, hours)
        await sites.update(conn, site_id, most, hours)
        changed = SiteRead.of(await _own(conn, caller, site_id))
    await _ring(shared, caller, changed.notebook_id)
    return changed


async def _replan(conn: Conn, caller: Caller, site: Site, hours: int | None) -> None:
    if hours is None:
        await jobs.cancel(conn, site.id, LookAtSite)
        return
    now = datetime.now(UTC)
    due = (site.looked_at or now) + timedelta(hours=hours)
    delay_s = max((due - now).total_seconds(), 0.0)
    await jobs.insert_at(conn, LookAtSite(site_id=site.id), owner_id=caller.person_id, subject=site.id, once=site.id, delay_s=delay_s)


@router.post("/sites/{site_id}/look", status_code=202, summary="Look at a site now", openapi_extra=needs("add"))
async def look_at_site(site_id: UUID, caller: CallerDep, shared: SharedDep) -> SiteRead:
    """New pages are added, changed ones fetched again; those it does not name any more stay and are reported. Safe to repeat."""
    async with shared.db.transaction() as conn:
        site = await _own(conn, caller, site_id)
        if site.status not in ("queued", "looking"):
            await _look_now(conn, caller, site_id)
            site = await _own(conn, caller, site_id)
    await _ring(shared, caller, site.notebook_id)
    return SiteRead.of(site)


@router.delete("/sites/{site_id}", status_code=204, summary="Forget a site", openapi_extra=needs("manage"))
async def delete_site(site_id: UUID, caller: CallerDep, shared: SharedDep) -> None:
    """It is not looked at any more. Its sources stay, in the notebook too."""
    async with shared.db.transaction() as conn:
        site = await _own(conn, caller, site_id)
        await jobs.cancel(conn, site_id, LookAtSite)
        await sites.delete(conn, site_id)
    await _ring(shared, caller, site.notebook_id)

"""What lets a page of another site read an answer of the public tree, refusals included; where it may not embed it, it reads nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress

from starlette.types import Scope

from sourcebook_core.errors import SourcebookError
from sourcebook_core.store import assistants
from sourcebook_gateway import visits
from sourcebook_gateway.deps import Shared

METHODS = "GET, POST, OPTIONS"
HEADERS = "authorization, content-type, idempotency-key, last-event-id, x-host-authorization"
_EXPOSED = "Retry-After, X-Request-Id"
_AT = re.compile(r"/public/v1/assistants/([a-z0-9][a-z0-9-]{1,62})(?:/.*)?", re.DOTALL)
_REMEMBERED = 1000  # assistants whose sites are known while the database is away; an entry is some 100 bytes


def readable_on(site: str | None) -> dict[str, str]:
    """The headers by which a page of this site may read the answer; never with leave to send cookies. None: no page of another site."""
    told = {"Vary": "Origin", "Cache-Control": "no-store"}
    return told | ({"Access-Control-Allow-Origin": site, "Access-Control-Expose-Headers": _EXPOSED} if site is not None else {})


def remember(shared: Shared, slug: str, sites: frozenset[str]) -> None:
    """Keep where an assistant may be embedded for the time when the database cannot be asked."""
    shared.sites.pop(slug, None)
    if sites:
        shared.sites[slug] = sites
    if len(shared.sites) > _REMEMBERED:
        del shared.sites[next(iter(shared.sites))]


async def site_of(shared: Shared, slug: str, origin: str, *, is_away: bool = False) -> str | None:
    """The site of an Origin header where its pages may embed this assistant, also while that is switched off; None for every other.

    `is_away`: the database did not answer just now; then it is what was known last.
    """
    site = visits.site_of(origin)
    if site is None:
        return None
    sites = shared.sites.get(slug, frozenset())
    with suppress(SourcebookError):  # away in this moment
        if not is_away:
            async with shared.db.transaction() as conn:
                sites = await assistants.find_sites(conn, slug)
            remember(shared, slug, sites)
    return site if site in sites or site in visits.own_sites(shared.settings) else None


async def on_refusal(scope: Scope, status: int, given: Mapping[bytes, bytes]) -> dict[str, str]:
    """What a refusal of any layer lacks of `readable_on`; nothing outside the public tree. `given`: its headers, names in lower case.

    A refusal behind the gate has them all: one of status 503 that has not was made while the database was away.
    """
    place = _AT.fullmatch(scope["path"])
    if place is None or b"access-control-allow-origin" in given:
        return {}
    shared: Shared = scope["app"].state.shared
    origins = [value.decode("latin-1") for name, value in scope["headers"] if name == b"origin"]
    site = await site_of(shared, place[1], origins[0], is_away=status == 503) if len(origins) == 1 else None
    return {name: value for name, value in readable_on(site).items() if name.lower().encode() not in given}

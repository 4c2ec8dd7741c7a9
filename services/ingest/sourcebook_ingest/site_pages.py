"""The addresses of a site: from its sitemaps, a feed, a list, or the links of a page; what robots.txt forbids is left out."""

from __future__ import annotations

import asyncio
import posixpath
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urljoin, urlsplit

from sourcebook_core import addresses, egress
from sourcebook_core.addresses import NotAnAddress, WebAddress
from sourcebook_core.errors import PermanentError, TransientError
from sourcebook_core.store.sites import Site
from sourcebook_ingest.deps import Deps

_CHILD = "sourcebook_ingest.read.site_child"
_FIND_S = 240.0
_READ_S = 30.0
_MOST_SITEMAPS = 50
_MOST_ADDRESSES = 50_000  # a whole sitemap; no site has so many pages here
_MOST_DELAY_S = 10.0  # a robots.txt that asks for more would have a site take days
# Links to what is no page: an honest sitemap names none, a page has many.
_NO_PAGES = frozenset({
    "jpg", "jpeg", "png", "gif", "webp", "svg", "ico", "bmp", "tif", "tiff", "heic", "avif", "mp3", "mp4", "m4a", "wav", "ogg", "webm",
    "mov", "avi", "zip", "gz", "tgz", "7z", "rar", "exe", "dmg", "css", "js", "json", "xml", "rss", "atom", "woff", "woff2",
})  # fmt: skip


@dataclass(slots=True)
class Found:
    """Addresses in order with the time of their last change, those refused with why, and the pause (seconds) the site wants between
    two; `is_whole` is false when there are more than were looked at."""

    pages: list[tuple[str, str | None]] = field(default_factory=list)
    refused: list[tuple[str, str]] = field(default_factory=list)
    pause_s: float = 0.0
    is_whole: bool = True


async def find(deps: Deps, site: Site) -> Found:
    """Every address of the site, each once, in one canonical form. Raises PermanentError `site_no_pages` and what fetching raises."""
    try:
        async with asyncio.timeout(_FIND_S):
            return await _Search(deps, site).run()
    except TimeoutError:
        raise TransientError("url_failed", why=f"too slowly: its pages were not found within {_FIND_S:g} seconds") from None


class _Search:
    def __init__(self, deps: Deps, site: Site) -> None:
        self._deps, self._site = deps, site
        self._allow = deps.settings.url_allow
        self._seen: set[str] = set()
        self._found = Found(pause_s=deps.settings.limits.site_pause_s)

    async def run(self) -> Found:
        if self._site.addresses is not None:  # named one by one: neither their host nor robots.txt is asked
            for address in self._site.addresses:
                self._take(address, "", None, None)
            return self._found
        start, read = await self._read(self._site.url)
        home = addresses.parse(start, self._allow)
        rules = await self._rules(home)
        if read["kind"] == "page":
            await self._from_page(home, read, rules)
        else:
            await self._from_sitemaps(home, "/", read["sitemaps"] or ([_root(home)] if read["kind"] == "robots" else []))
            await self._take_all(read["links"], start, home, "/")
        await self._obey(rules)
        if not self._found.pages:
            raise PermanentError("site_no_pages", name=self._site.url)
        return self._found

    async def _from_page(self, home: WebAddress, read: dict[str, Any], rules: bytes) -> None:
        """The site's sitemaps below the page's folder; where they name nothing there, the page and what it links to."""
        below = home.path[: home.path.rfind("/") + 1]
        listed = (await self._taken_apart(rules, str(home)))["sitemaps"] if rules else []
        await self._from_sitemaps(home, below, listed or [_root(home)])
        if not self._found.pages:
            self._take(str(home), str(home), home, below)
            await self._take_all(read["links"], str(home), home, below)

    async def _from_sitemaps(self, home: WebAddress, below: str, waiting: Sequence[str]) -> None:
        queue, known = list(waiting), set(waiting)
        for _ in range(_MOST_SITEMAPS):
            if not queue or len(self._seen) >= _MOST_ADDRESSES:
                break
            try:
                address, read = await self._read(urljoin(str(home), queue.pop(0)))
            except PermanentError:
                continue  # one sitemap that is away does not take the others with it; none at all is `site_no_pages`
            if read["kind"] != "page":
                await self._take_all(read["links"], address, home, below)
                queue += [name for name in dict.fromkeys(read["sitemaps"]) if name not in known]
                known.update(queue)
        self._found.is_whole = self._found.is_whole and not queue

    async def _read(self, url: str) -> tuple[str, dict[str, Any]]:
        """Where an address led, and what was found there."""
        await self._deps.hosts.wait_turn(url)
        fetched = await egress.fetch_public(url, self._deps.settings)
        return fetched.url, await self._taken_apart(fetched.content, url)

    async def _taken_apart(self, content: bytes, name: str) -> dict[str, Any]:
        async with self._deps.child.open(_CHILD, content, name) as opened:
            heads = [part.head async for part in opened.call("read", _READ_S)]
        return heads[0]

    async def _rules(self, home: WebAddress) -> bytes:
        """The host's robots.txt; nothing where it has none (RFC 9309, 2.3.1.3). One that cannot be reached is TransientError: then
        nothing may be fetched."""
        url = f"{home.scheme}://{home.place}/robots.txt"
        await self._deps.hosts.wait_turn(url)
        try:
            return (await egress.fetch_public(url, self._deps.settings)).content
        except PermanentError:
            return b""

    async def _obey(self, rules: bytes) -> None:
        if not rules or not self._found.pages:
            return
        pages = self._found.pages
        async with self._deps.child.open(_CHILD, rules, "robots.txt") as opened:
            heads = [part.head async for part in opened.call("allowed", _READ_S, addresses=[url for url, _ in pages])]
        told = heads[0]
        self._found.pages = [page for page, may in zip(pages, told["allowed"], strict=True) if may]
        self._found.refused += [(page[0], "robots") for page, may in zip(pages, told["allowed"], strict=True) if not may]
        self._found.pause_s = max(self._found.pause_s, min(float(told["delay"] or 0), _MOST_DELAY_S))

    async def _take_all(self, links: Sequence[Sequence[str | None]], near: str, home: WebAddress, below: str) -> None:
        def take() -> None:
            for link, changed in links[: _MOST_ADDRESSES - len(self._seen)]:
                self._take(link or "", near, home, below, changed)

        await asyncio.to_thread(take)  # 50,000 addresses take a second or two
        self._found.is_whole = self._found.is_whole and len(self._seen) < _MOST_ADDRESSES

    def _take(self, link: str, near: str, home: WebAddress | None, below: str | None, changed: str | None = None) -> None:
        try:
            address = addresses.joined(near, link, self._allow)
        except NotAnAddress:
            why: str | None = "invalid"
            known = link
        except PermanentError as error:
            why, known = error.code, link
        else:
            why, known = self._against(address, home, below), str(address)
        if known in self._seen or why == "elsewhere":
            return
        self._seen.add(known)
        if why is None:
            self._found.pages.append((known, changed))
        else:
            self._found.refused.append((known, why))

    def _against(self, address: WebAddress, home: WebAddress | None, below: str | None) -> str | None:
        """Why an address is no page of this site; `elsewhere` is another part of the same host."""
        if home is None or below is None:
            return None
        is_same_port = address.port == home.port or {address.port, home.port} == {80, 443}
        if address.host.removeprefix("www.") != home.host.removeprefix("www.") or not is_same_port:
            return "other_host"
        if not address.path.startswith(below):
            return "elsewhere"
        ending = posixpath.splitext(urlsplit(str(address)).path)[1].lstrip(".").lower()
        return "no_page" if ending in _NO_PAGES else None


def _root(home: WebAddress) -> str:
    return f"{home.scheme}://{home.place}/sitemap.xml"

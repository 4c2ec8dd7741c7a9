"""Web addresses: what was fetched, within which bounds, and the main text of a page."""

from __future__ import annotations

import asyncio
import posixpath
from collections.abc import AsyncGenerator, Collection
from dataclasses import dataclass
from itertools import islice
from typing import Any
from urllib.parse import unquote, urlsplit

from sourcebook_core import addresses, jobs, kinds
from sourcebook_core.egress import Bounds
from sourcebook_core.errors import PermanentError
from sourcebook_core.fetched import Fetched
from sourcebook_core.jobs import ReadSource
from sourcebook_core.kinds import Kind
from sourcebook_core.sandbox import Child
from sourcebook_core.settings import Limits
from sourcebook_core.store import web
from sourcebook_core.store.source_work import SourceWork
from sourcebook_core.text.scripts import is_visible
from sourcebook_ingest import source_bytes
from sourcebook_ingest.deps import Deps
from sourcebook_ingest.read import page_text, text
from sourcebook_ingest.read.outcome import Facts, Window

LEAST_VISIBLE = 100  # B19: a title and a menu are not content
# Below this, signs of a notice weigh more than the text; a page about cookies is longer.
FEW_VISIBLE = 1200
# Of a page, and more for each MB of a book in one page: about 2 s of a calm processor, with room for a busy one.
_EXTRACT_S, _EXTRACT_S_PER_MB = 30.0, 8.0
_HTML_TYPES = ("text/html", "application/xhtml+xml")
_TEXTS = (kinds.PLAIN, kinds.MARKDOWN, kinds.HTML, kinds.CSV, kinds.TSV, kinds.MAIL)
# A server that says one of these and sends text sends something else than it says.
_NEVER_TEXT = ("image", "audio", "video", "font")


@dataclass(frozen=True, slots=True)
class About:
    """What is known of a fetched page beside its bytes: where it was, its status, the encoding its server named."""

    url: str
    address: str
    status: int
    charset: str

    @classmethod
    def of(cls, source: SourceWork) -> About:
        """From what fetching kept in the source's meta, which people may have changed."""
        kept = source.meta.get("web")
        told = kept if isinstance(kept, dict) else {}
        address, charset, status = told.get("address"), told.get("charset"), told.get("status")
        return cls(
            source.url or source.name, address if isinstance(address, str) else source.url or "",
            status if isinstance(status, int) else 200, charset if isinstance(charset, str) else "",
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Page:
    """The main text of a web page as Markdown, and what the page says of itself; `paywall` when it is only its beginning."""

    text: str
    title: str | None
    authors: list[str]
    year: int | None
    date: str | None
    canonical: str | None
    paywall: bool


def kind_of(found: Fetched, head: bytes) -> Kind:
    """What was fetched, by its first bytes, its name and what the server says. Raises PermanentError `unsupported_kind`,
    `url_too_little_text` for an empty answer.
    """
    if not head.strip():
        raise PermanentError("url_too_little_text", url=found.url, status=found.status)
    # An address that ends in .pdf or .md is often a page about that file: a server that says so is believed over the ending.
    name = found.file_name or ("" if found.media_type in _HTML_TYPES else _last_of(found.url))
    try:
        kind = kinds.sniff(head, name, found.media_type)
    except PermanentError as error:
        raise PermanentError(error.code, name=found.url, why=error.facts.get("why", "")) from None
    if kind == kinds.ARCHIVE:
        raise PermanentError("unsupported_kind", name=found.url, why="it is an archive; unpack it and add the files in it.")
    if kind in _TEXTS and found.media_type.partition("/")[0] in _NEVER_TEXT and found.media_type != "image/svg+xml":
        why = f"its server calls it {found.media_type}, but its content is not that."
        raise PermanentError("unsupported_kind", name=found.url, why=why)
    return kind


def bounds(kind: Kind, limits: Limits) -> Bounds:
    """How much of it is taken: a page or text is small, a file of another kind may be as large as its reader takes."""
    if kind in _TEXTS:
        return Bounds(limits.url_bytes, limits.url_seconds)
    return Bounds(min(limits.url_file_bytes, limits.body_bytes), max(limits.url_file_seconds, limits.url_seconds))


def _last_of(url: str) -> str:
    return posixpath.basename(unquote(urlsplit(url).path))


async def main_text(child: Child, content: bytes, about: About) -> Page:
    """The main text of an HTML page, read in the walled child.

    Raises PermanentError `url_consent`, `url_login`, `url_not_found`, `url_paywall`, `url_needs_script` or
    `url_too_little_text` when what is there is not what the page is about, and what a child's reader raises.
    """
    plain = await asyncio.to_thread(page_text.as_utf8, content, about.charset)
    seconds = _EXTRACT_S + len(plain) / 1_000_000 * _EXTRACT_S_PER_MB
    async with child.open("sourcebook_ingest.read.html_child", plain, about.url) as opened:
        heads = [part.head async for part in opened.call("extract", seconds, address=about.address)]
    found: dict[str, Any] = heads[0]
    visible = sum(1 for _ in islice(filter(is_visible, found["text"]), FEW_VISIBLE))  # a book is not counted to its end
    refuse_what_is_no_page(found, visible, about)
    return Page(
        found["text"], found["title"], found["authors"], found["year"], found["date"], found["canonical"], found["paywall"]
    )  # fmt: skip


def refuse_what_is_no_page(found: dict[str, Any], visible: int, about: About) -> None:
    """Raise PermanentError when the words of a page are a notice and not its subject, or too few.

    `visible` characters need not be counted beyond `FEW_VISIBLE`.
    """
    facts: dict[str, Any] = {"url": about.url, "status": about.status}
    is_short = visible < FEW_VISIBLE
    if is_short and found["not_found"]:
        raise PermanentError("url_not_found", f'The page of {about.url} says "not found", though its status is {about.status}.')
    if is_short and found["login"]:
        raise PermanentError("url_login", **facts)
    if is_short and found["consent"] >= 2 and found["consent"] * 80 > visible:
        raise PermanentError("url_consent", **facts)
    if visible < LEAST_VISIBLE and found["wants_password"]:
        raise PermanentError("url_login", **facts)
    if visible < 2 * LEAST_VISIBLE and found["wants_script"]:
        raise PermanentError("url_needs_script", **facts)
    if visible < 2 * LEAST_VISIBLE and found["paywall"]:
        raise PermanentError("url_paywall", **facts)
    if visible < LEAST_VISIBLE:
        raise PermanentError("url_too_little_text", **facts)


async def read(deps: Deps, work: ReadSource, source: SourceWork, have: set[int], facts: Facts) -> AsyncGenerator[Window, None]:
    """The passages of a page's main text; `facts` are what the page says of itself. Raises as `main_text`."""
    about = About.of(source)
    page = await main_text(deps.child, await source_bytes.whole(deps.blobs, source), about)
    async with jobs.holding(deps.db, work) as conn:
        other = await web.set_canonical(conn, source.id, _canonical(page, about, deps.settings.url_allow))
    if other is not None:
        facts.warn("same_page", f"The page says that it is the same as {other}, which is in the library too.")
    for window in await asyncio.to_thread(lambda: list(text.read_markdown(page.text, facts))):
        yield window
    facts.title, facts.authors, facts.year = page.title or facts.title, page.authors, page.year
    if page.date:
        facts.meta["published"] = page.date
    if page.paywall:
        facts.warn("paywall", "The page says that its whole text needs a subscription; what stood there without one was read.")


def _canonical(page: Page, about: About, allowed: Collection[str]) -> str:
    """Where the page says that it belongs, if that is an address at all; else where it was found after redirects."""
    try:
        return str(addresses.joined(about.address, page.canonical or "", allowed))
    except (PermanentError, addresses.NotAnAddress):
        return about.address

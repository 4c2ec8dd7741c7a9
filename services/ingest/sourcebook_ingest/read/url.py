"""Web addresses: fetched through the guard, stored as they came, and read by what they are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from sourcebook_core.egress import Fetched
from sourcebook_core.errors import PermanentError
from sourcebook_core.sandbox import Child
from sourcebook_core.text.scripts import is_visible
from sourcebook_ingest.read import text
from sourcebook_ingest.read.outcome import Facts, Window

Kind = Literal["html", "markdown", "text", "pdf"]
_TYPES: dict[str, Kind] = {
    "text/html": "html", "application/xhtml+xml": "html", "text/markdown": "markdown", "text/x-markdown": "markdown",
    "text/plain": "text", "application/pdf": "pdf", "application/x-pdf": "pdf",
}  # fmt: skip
LEAST_VISIBLE = 100  # B19: a title and a menu are not content
# Below this, signs of a notice weigh more than the text; a page about cookies is longer.
FEW_VISIBLE = 1200
_EXTRACT_S = 30.0


@dataclass(frozen=True, slots=True)
class Page:
    """The main text of a web page as Markdown."""

    text: str
    title: str | None
    authors: list[str]
    year: int | None


def kind_of(fetched: Fetched) -> Kind:
    """What was fetched, by its media type, else by its first bytes. Raises PermanentError `unsupported_kind`."""
    head = fetched.content[:1024].lstrip().lower()
    if fetched.content[:1024].find(b"%PDF-") >= 0 and fetched.media_type != "text/html":
        return "pdf"
    if fetched.media_type in _TYPES:
        found = _TYPES[fetched.media_type]
        is_markdown = found == "text" and fetched.url.lower().split("?")[0].endswith((".md", ".markdown"))
        return "markdown" if is_markdown else found
    if fetched.media_type in ("", "application/octet-stream"):
        return "html" if head.startswith((b"<!doctype html", b"<html", b"<head", b"<body")) else "text"
    raise PermanentError("unsupported_kind", name=fetched.url, why=f"pages of the type {fetched.media_type} are not read.")


async def main_text(child: Child, content: bytes, url: str) -> Page:
    """The main text of an HTML page, read in the walled child.

    Raises PermanentError `url_consent`, `url_login`, `url_needs_script` or `url_too_little_text` when what is there is
    not what the page is about, and what a child's reader raises.
    """
    async with child.open("sourcebook_ingest.read.html_child", content, url) as opened:
        heads = [part.head async for part in opened.call("extract", _EXTRACT_S)]
    found: dict[str, Any] = heads[0]
    visible = sum(1 for char in found["text"] if is_visible(char))
    if visible < FEW_VISIBLE and found["consent"] >= 2 and found["consent"] * 80 > visible:
        raise PermanentError("url_consent")
    if visible < LEAST_VISIBLE:
        if found["wants_password"]:
            raise PermanentError("url_login", status=200)
        raise PermanentError("url_needs_script" if found["wants_script"] else "url_too_little_text")
    if found["wants_script"] and visible < 2 * LEAST_VISIBLE:
        raise PermanentError("url_needs_script")
    return Page(found["text"], found["title"], found["authors"], found["year"])


def read_page(page: Page, facts: Facts) -> Iterator[Window]:
    """The passages of a page's main text; sets what the page says of itself."""
    yield from text.read_markdown(page.text, facts)
    facts.title, facts.authors, facts.year = page.title or facts.title, page.authors, page.year

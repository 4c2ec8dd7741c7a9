"""Runs in the walled child: the addresses in a sitemap, a feed, a robots.txt, a list or a page; and what robots.txt allows."""

from __future__ import annotations

import logging
import os
import re
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from lxml import etree, html
from protego import Protego

from sourcebook_core.sandbox_talk import FILE_FD, Answer, Refused

logging.disable(logging.CRITICAL)
AGENT = "Sourcebook"
# A sitemap is at most 50 MB and 50,000 addresses (sitemaps.org, "Sitemap file requirements").
_UNPACKED_BYTES = 52_428_800
_LINKS = 50_000
_ADDRESS_CHARS = 4000
_ROBOTS_BYTES = 512_000  # RFC 9309, 2.5: at least 500 KiB are read
_HTML = re.compile(rb"\s*(?:\xef\xbb\xbf)?\s*(?:<!--.{0,500}?-->\s*)*<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE | re.DOTALL)
_ROBOTS = re.compile(rb"^\s*(?:user-agent|sitemap|disallow|allow)\s*:", re.IGNORECASE | re.MULTILINE)
_LINE = re.compile(r"https?://\S+", re.IGNORECASE)
Link = tuple[str, str | None]


def _read(_: dict[str, Any]) -> Answer:
    """What the file is, its addresses with the day of their last change, and the sitemaps it names."""
    content = _content()
    kind, links, sitemaps = _taken_apart(content)
    yield {"kind": kind, "links": links[:_LINKS], "sitemaps": sitemaps[:_LINKS]}, b""


def _taken_apart(content: bytes) -> tuple[str, list[Link], list[str]]:
    if content.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        found = None if _HTML.match(content) else _of_xml(content)
        return found or ("page", list(_of_page(content)), [])
    text = content.decode("utf-8", "replace")
    if _ROBOTS.search(content[:_ROBOTS_BYTES]):
        return "robots", [], [_short(address) for address in Protego.parse(text[:_ROBOTS_BYTES]).sitemaps]
    lines = [line.strip().lstrip("\ufeff") for line in text.splitlines() if line.strip()]
    if lines and all(_LINE.fullmatch(line) for line in lines):
        return "list", [(_short(line), None) for line in lines], []
    return "none", [], []


def _content() -> bytes:
    content = os.pread(FILE_FD, os.fstat(FILE_FD).st_size, 0)
    if not content.startswith(b"\x1f\x8b"):
        return content
    unpack = zlib.decompressobj(47)
    try:
        plain = unpack.decompress(content, _UNPACKED_BYTES)
    except zlib.error:
        raise Refused("damaged_file") from None
    if unpack.unconsumed_tail:
        raise Refused("too_large", limit=f"{_UNPACKED_BYTES // 1_000_000} MB")
    return plain


def _of_xml(content: bytes) -> tuple[str, list[Link], list[str]] | None:
    """The addresses of a sitemap or feed; None for other XML."""
    # Entities stay unresolved, nothing is loaded: neither bombs nor files nor addresses come in by a document type.
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, recover=True, remove_comments=True)
    root = etree.fromstring(content, parser)
    if root is None:
        return None
    name = _name(root)
    if name == "sitemapindex":
        return "index", [], [_short(_text(entry, "loc")) for entry in root if _name(entry) == "sitemap" and _text(entry, "loc")]
    if name == "urlset":
        entries = (entry for entry in root if _name(entry) == "url")
        return "sitemap", [(_short(_text(one, "loc")), _day(_text(one, "lastmod"))) for one in entries if _text(one, "loc")], []
    if name in ("rss", "RDF", "feed"):
        return "feed", list(_of_feed(root)), []
    return None


def _of_feed(root: Any) -> Iterator[Link]:
    for entry in root.iter():
        if _name(entry) not in ("item", "entry"):
            continue
        links = [child for child in entry if _name(child) == "link"]
        hrefs = [child.get("href") for child in links if child.get("href") and child.get("rel", "alternate") == "alternate"]
        address = next(iter(hrefs), None) or _text(entry, "link")
        changed = _text(entry, "updated") or _text(entry, "pubDate") or _text(entry, "published") or _text(entry, "date")
        if address:
            yield _short(address), _day(changed)


def _of_page(content: bytes) -> Iterator[Link]:
    try:
        tree = html.fromstring(content)
    except (ValueError, etree.ParserError):
        return
    for link in tree.xpath("//a[@href]"):
        if "nofollow" not in (link.get("rel") or "").lower():
            yield _short(link.get("href")), None


def _allowed(asked: dict[str, Any]) -> Answer:
    """Which of the addresses robots.txt allows, and how many seconds it wants between two (RFC 9309; Crawl-delay is older use)."""
    rules = Protego.parse(_content()[:_ROBOTS_BYTES].decode("utf-8", "replace"))
    delay = rules.crawl_delay(AGENT)
    yield {"allowed": [bool(rules.can_fetch(address, AGENT)) for address in asked["addresses"]], "delay": delay}, b""


def _name(element: Any) -> str:
    return etree.QName(element).localname if isinstance(element.tag, str) else ""


def _text(parent: Any, name: str) -> str:
    return next(("".join(child.itertext()).strip() for child in parent if _name(child) == name), "")


def _short(address: str) -> str:
    return address.strip()[:_ADDRESS_CHARS]


def _day(said: str) -> str | None:
    """A time as sitemaps (W3C) and feeds (RFC 822) write it, in UTC; None for what is none."""
    for parse in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            found = parse(said)
            return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC).isoformat()
        except (ValueError, OverflowError, TypeError):
            continue
    return None


# Before the fork: what the libraries load late.
for _warm in (b"<urlset><url><loc>x</loc><lastmod>2024-05-01</lastmod></url></urlset>", b"<a href=x>y</a>", b"User-agent: *\nAllow: /"):
    _taken_apart(_warm)
_day("Wed, 01 May 2024 10:00:00 GMT")
Protego.parse("User-agent: *\nDisallow: /x*").can_fetch("http://x.org/x?y", AGENT)

CALLS = {"read": _read, "allowed": _allowed}

"""Runs in the walled child: the main text of an HTML page as Markdown, with its headings."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterator
from typing import Any

import trafilatura
from lxml import html
from trafilatura.settings import Document

from sourcebook_core.sandbox_talk import FILE_FD, Answer
from sourcebook_core.text import decode

logging.disable(logging.CRITICAL)
TITLE_CHARS = 300
_LINE_BREAK = "\u2028"
_BLOCKS = frozenset({"head", "p", "list", "table", "code", "pre", "quote", "div"})
_YEAR = re.compile(r"(?:19|20)\d\d")
# Said in a page's few words when they are about cookies and not about its subject (five languages of the page).
_CONSENT = re.compile(
    r"cookies?\b|consent|datenschutz|privacy (?:policy|settings)|einwilligung|zustimm|accepter|param[èe]tres de confidentialit|"
    r"consentimiento|privacidad|souhlas|soukrom",
    re.IGNORECASE,
)
_SCRIPT_WANTED = re.compile(
    r"(?:enable|activate|requires?|turn on|aktivier\w*|activer|activez|habilit\w+|povol\w+|zapn\w+)\W+(?:\w+\W+){0,4}javascript"
    r"|javascript\W+(?:\w+\W+){0,6}(?:enable|disabled|required|deaktiviert|désactivé|desactivado|vypnut)",
    re.IGNORECASE,
)
_PASSWORD_FIELD = re.compile(rb"<input[^>]{0,500}type\s*=\s*[\"']?password", re.IGNORECASE)


def _extract(_: dict[str, Any]) -> Answer:
    """The text, what the page says of itself, and signs that the text is not its subject."""
    content = os.pread(FILE_FD, os.fstat(FILE_FD).st_size, 0)
    text = decode.clean(_main_text(content))[0]
    about = trafilatura.extract_metadata(content)
    words = _all_words(content)
    yield (
        {
            "text": text,
            "title": (_line(about.title) or None) if about else None,
            "authors": [name.strip() for name in _line(about.author).split(";") if name.strip()] if about else [],
            "year": _year(about.date) if about else None,
            "consent": len(_CONSENT.findall(text or words)),
            "wants_script": bool(_SCRIPT_WANTED.search(words)),
            "wants_password": bool(_PASSWORD_FIELD.search(content)),
        },
        b"",
    )


def _main_text(content: bytes) -> str:
    """The main part of a page, its words as they stand: headings marked as in Markdown, lists and tables line by line."""
    found = trafilatura.bare_extraction(
        content, include_comments=False, include_tables=True, include_images=False, include_links=False, include_formatting=True
    )
    if not isinstance(found, Document) or found.body is None:
        return ""
    return "\n\n".join(block for block in _blocks(found.body) if block.strip()) + "\n"


def _blocks(parent: Any) -> Iterator[str]:
    for element in parent:
        if element.tag == "head":
            level = int(str(element.get("rend", "h2"))[1:2] or 2)
            yield f"{'#' * min(max(level, 1), 6)} {_words_of(element)}"
        elif element.tag == "list":
            yield "\n".join(f"- {_item(item)}" for item in element.iter("item"))
        elif element.tag == "table":
            rows = ([_words_of(cell) for cell in row.iter("cell")] for row in element.iter("row"))
            yield "\n".join(f"| {' | '.join(cells)} |" for cells in rows)
        elif element.tag in ("code", "pre"):
            yield "".join(element.itertext())
        elif element.tag in ("div", "quote", "main") and any(child.tag in _BLOCKS for child in element):
            yield " ".join((element.text or "").split())
            yield from _blocks(element)
        else:
            yield _words_of(element)


def _item(item: Any) -> str:
    """The words of a list item; of one that holds a list its own, for the inner items follow."""
    return " ".join((item.text or "").split()) if item.find(".//list") is not None else _words_of(item)


def _words_of(element: Any) -> str:
    """The words of an element on one line; what follows a line break on the next."""
    for pause in element.iter("lb"):
        pause.tail = _LINE_BREAK + (pause.tail or "")
    lines = "".join(element.itertext()).split(_LINE_BREAK)
    return "\n".join(line for line in (" ".join(piece.split()) for piece in lines) if line)


def _all_words(content: bytes) -> str:
    """Every word of the page, scripts and styles left out; noscript counts, for it says what the page wants."""
    try:
        tree = html.fromstring(content)
    except (ValueError, html.etree.ParserError):
        return ""
    return " ".join(" ".join(piece.split()) for piece in tree.xpath("//text()[not(ancestor::script) and not(ancestor::style)]"))[:100_000]


def _line(text: str | None) -> str:
    return " ".join(decode.clean(text or "")[0].split())[:TITLE_CHARS]


def _year(date: str | None) -> int | None:
    found = _YEAR.match(date or "")
    return int(found.group()) if found else None


# Read what the library reads late, before the fork: a child may not be able to. It reads other things for a page with little
# text, for one with none, and for one whose text is in no paragraph.
_WARM = (
    b"<html><body><article><h1>A</h1>" + b"<p>Words of a page to begin with, of no account.</p>" * 20 + b"</article></body></html>",
    b"<html><head><title>A title</title></head><body><p>Hi.</p></body></html>",
    b"<html><body><noscript>Please wait.</noscript><div id=root></div></body></html>",
    b"<html><body><div>" + b"Words that stand in no paragraph, one after the other. " * 40 + b"</div><form><input></form></body></html>",
)
for _page in _WARM:
    _main_text(_page)
    trafilatura.extract_metadata(_page)

CALLS = {"extract": _extract}

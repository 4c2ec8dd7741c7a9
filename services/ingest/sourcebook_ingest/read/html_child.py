"""Runs in the walled child: the main text of an HTML page as Markdown, with its headings, and what the page says of itself."""

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
from sourcebook_ingest.read import page_signs
from sourcebook_ingest.read.office import markup

logging.disable(logging.CRITICAL)
TITLE_CHARS = 300
_ADDRESS_CHARS = 4000
_WORDS_CHARS = 100_000
# A page says in its beginning what it is; looking through a book for dates takes as long as reading it.
_ABOUT_CHARS = 500_000
_LINE_BREAK = "\u2028"
_BLOCKS = frozenset({"head", "p", "list", "table", "code", "pre", "quote", "div"})
_YEAR = re.compile(r"(?:19|20)\d\d")
_DATE = re.compile(r"(?:19|20)\d\d-\d\d-\d\d")
# Of the words outside of menus and margins: a main text with less has lost a table, a list or a heading of a person's own file.
_MAIN_SHARE = 0.9
_HARDLY_ANY, _LOOSE_WORDS = 20, 100
_AROUND = " or ".join(f"ancestor::{name}" for name in "nav footer aside form button select script style noscript template".split())
# It would contradict the text, which is text already.
_DECLARATION = re.compile(r"^\s*<\?xml[^>]{0,500}\?>", re.IGNORECASE)


def _extract(asked: dict[str, Any]) -> Answer:
    """The text, what the page says of itself, and signs that the text is not its subject. The file is UTF-8 already."""
    content = _DECLARATION.sub("", os.pread(FILE_FD, os.fstat(FILE_FD).st_size, 0).decode("utf-8", "replace").replace("\0", "\ufffd"))
    tree = _tree(content)
    text = _main_text(content)
    if _leaves_out(text, tree, bool(asked.get("keeps_all"))):
        text = _whole_text(content)
    text = decode.clean(text)[0]
    about = trafilatura.extract_metadata(content[:_ABOUT_CHARS])
    title = (_line(about.title) or None) if about else None
    yield (
        {
            "text": text,
            "title": title,
            "authors": [name.strip() for name in _line(about.author).split(";") if name.strip()] if about else [],
            "year": _year(about.date) if about else None,
            "date": about.date if about and _DATE.fullmatch(about.date or "") else None,
            "canonical": _canonical(tree),
            **page_signs.signs(content, _names(tree), _all_words(tree), text, str(asked.get("address", ""))),
        },
        b"",
    )


def _main_text(content: str) -> str:
    """The main part of a page, its words as they stand: headings marked as in Markdown, lists and tables line by line."""
    found = trafilatura.bare_extraction(
        content, include_comments=False, include_tables=True, include_images=False, include_links=False, include_formatting=True
    )
    if not isinstance(found, Document) or found.body is None:
        return ""
    return "\n\n".join(block for block in _blocks(found.body) if block.strip()) + "\n"


def _leaves_out(text: str, tree: Any, keeps_all: bool) -> bool:
    """Whether the main text lacks words that stand outside of menus and margins.

    With `keeps_all` more than a few; else all of many: words that stand in no element of their own are none to the library.
    """
    if tree is None:
        return False
    found = tree.xpath(f"//body//text()[not({_AROUND})]")
    shown = sum(len(piece.split()) for piece in found)
    taken = sum(any(char.isalnum() for char in word) for word in text.split())
    return taken < _MAIN_SHARE * shown if keeps_all else taken <= _HARDLY_ANY < _LOOSE_WORDS <= shown


def _whole_text(content: str) -> str:
    """All words of a page, its headings marked as in Markdown."""
    blocks = ((level, words.strip()) for level, words in markup.blocks(content.encode(), "utf-8"))
    lines = (f"{'#' * min(level, 6)} {' '.join(words.split())}" if level else words for level, words in blocks if words)
    return "\n\n".join(lines) + "\n"


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


def _tree(content: str) -> Any:
    """The page as a tree; None when there is nothing in it."""
    try:
        return html.fromstring(content)
    except (ValueError, html.etree.ParserError):
        return None


def _all_words(tree: Any) -> str:
    """Every word of the page, scripts and styles left out; noscript counts, for it says what the page wants."""
    if tree is None:
        return ""
    found = tree.xpath("//text()[not(ancestor::script) and not(ancestor::style)]")
    return " ".join(" ".join(piece.split()) for piece in found)[:_WORDS_CHARS]


def _names(tree: Any) -> list[str]:
    """What the page calls itself: its title and its first headings."""
    if tree is None:
        return []
    found = [*tree.xpath("//title")[:1], *tree.xpath("//h1")[:2], *tree.xpath("//h2")[:1]]
    return [_line("".join(element.itertext())) for element in found]


def _canonical(tree: Any) -> str | None:
    """Where the page says that it belongs, as it is written (RFC 6596)."""
    if tree is None:
        return None
    for link in tree.xpath("//link[@rel and @href]")[:200]:
        if "canonical" in link.get("rel").lower().split():
            return str(link.get("href")).strip()[:_ADDRESS_CHARS] or None
    return None


def _line(text: str | None) -> str:
    return " ".join(decode.clean(text or "")[0].split())[:TITLE_CHARS]


def _year(date: str | None) -> int | None:
    found = _YEAR.match(date or "")
    return int(found.group()) if found else None


# Read what the library reads late, before the fork: a child may not be able to. It reads other things for a page with little
# text, for one with none, and for one whose text is in no paragraph.
_WARM = (
    "<html><head><link rel=canonical href='http://127.0.0.1:8000/a'><title>A</title></head><body><article><h1>A</h1>"
    + "<p>Words of a page to begin with, of no account.</p>" * 20
    + "</article></body></html>",
    "<html><head><title>A title</title><link rel=canonical href='/a'></head><body><p>Hi.</p></body></html>",
    "<html><body><noscript>Please wait.</noscript><div id=root></div></body></html>",
    "<html><body><div>" + "Words that stand in no paragraph, one after the other. " * 40 + "</div><form><input></form></body></html>",
    "<html><head><meta property='article:published_time' content='2024-05-01'></head><body><p>On 1 May 2024.</p></body></html>",
    "<html><head><link rel=canonical href='https://www.example.org/a'><meta name=author content='A. Name'><script "
    'type="application/ld+json">{"@type": "Article", "datePublished": "2024-05-03"}</script></head><body><p>Hi.</p></body></html>',
)
for _page in _WARM:
    _main_text(_page)
    trafilatura.extract_metadata(_page)
    _names(_tree(_page))

CALLS = {"extract": _extract}

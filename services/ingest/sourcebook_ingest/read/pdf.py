"""PDF sources: one passage per page from the text layer, in windows of pages that are each a checkpoint."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Any

from sourcebook_core import pdf
from sourcebook_core.pdf import Bookmark, Document, PageText
from sourcebook_core.sandbox import Child
from sourcebook_core.store.passages import PAGE_BREAK, Passage
from sourcebook_ingest.read.outcome import Facts, Window
from sourcebook_ingest.words import count_words


async def read(child: Child, source: int, name: str, password: str | None, have: set[int], facts: Facts) -> AsyncGenerator[Window, None]:
    """The pages that are not in `have` (ordinal = page - 1), window by window; fills `facts`.

    Raises PermanentError as `pdf.opened_file` and its `pages` do.
    """
    async with pdf.opened_file(child, source, name=name, password=password) as opened:
        document = opened.document
        _describe(document, facts)
        headings = page_headings(document.outline, document.pages)
        entries: dict[int, list[dict[str, Any]]] = {}
        for entry in facts.outline:
            entries.setdefault(entry["page"], []).append(entry)
        missing = [page for page in range(1, document.pages + 1) if page - 1 not in have]
        batch: list[Passage] = []
        left = len(missing)
        async with aclosing(opened.pages(missing)) as found:
            async for page in found:
                batch.append(_passage(page, headings[page.page - 1], document.reader))
                _place_entries(page.text, entries.get(page.page, ()))
                left -= 1
                if len(batch) == pdf.WINDOW_PAGES:
                    yield Window(batch, document.pages - left, document.pages)
                    batch = []
        if batch or not missing:
            yield Window(batch, document.pages, document.pages)


def page_headings(outline: Sequence[Bookmark], pages: int) -> list[str | None]:
    """The heading path of each page: the last outline entry that begins on or before it, with those above it."""
    paths: list[str | None] = [None] * pages
    above: list[Bookmark] = []
    for entry in outline:
        while above and above[-1].level >= entry.level:
            above.pop()
        above.append(entry)
        paths[entry.page - 1] = " > ".join(bookmark.title for bookmark in above)
    path: str | None = None
    for place, own in enumerate(paths):
        path = own or path
        paths[place] = path
    return paths


def _describe(document: Document, facts: Facts) -> None:
    facts.pages, facts.title, facts.year, facts.gap = document.pages, document.title, document.year, len(PAGE_BREAK)
    facts.authors = list(document.authors)
    facts.outline = [
        {"title": entry.title, "level": entry.level, "page": entry.page, "passage": entry.page - 1, "start": 0}
        for entry in document.outline
    ]
    if document.reader != "pdfium":
        why = "The file is damaged; its text was saved by another reader, so citations cannot be marked on its pages."
        facts.warn("read_by_fallback", why)
    elif not document.is_whole:
        facts.warn(
            "file_incomplete", "The file is damaged or its end is missing; what could be found of it was read, and pages may be missing."
        )


def _passage(page: PageText, heading: str | None, reader: str) -> Passage:
    meta: dict[str, Any] = {"words": count_words(page.text)}
    if page.reason:
        meta["reason"] = page.reason
    if reader != "pdfium":
        meta["reader"] = reader
    return Passage(page.page - 1, page.text, page=page.page, heading=heading, state=page.state, code=page.code, meta=meta)


def _place_entries(text: str, entries: Sequence[dict[str, Any]]) -> None:
    """Where on its page each outline entry stands, when its words are found there."""
    for entry in entries:
        match = re.search(r"\s+".join(re.escape(word) for word in entry["title"].split()), text, re.IGNORECASE)
        if match:
            entry["start"] = match.start()

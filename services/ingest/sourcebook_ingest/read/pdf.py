"""PDF sources: one passage per page, from its text layer or its picture, in windows that are each a checkpoint."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any

from sourcebook_core import pdf, seal
from sourcebook_core.errors import PermanentError, SourcebookError
from sourcebook_core.jobs import ReadSource
from sourcebook_core.pdf import Bookmark, Document, OpenFile, PageText, Picture
from sourcebook_core.sandbox import Child
from sourcebook_core.store.passages import PAGE_BREAK, Passage
from sourcebook_core.store.source_work import SourceWork
from sourcebook_ingest import report, source_bytes
from sourcebook_ingest.deps import Deps
from sourcebook_ingest.read import vision
from sourcebook_ingest.read.outcome import Facts, Window
from sourcebook_ingest.read.transcript import Seen
from sourcebook_ingest.read.vision import Sheets
from sourcebook_ingest.words import count_words


@dataclass(frozen=True, slots=True)
class Look:
    """How pages are read as pictures: `whole` = all of them, else those without a text layer. `see` reads the pictures; None
    = none are read, and `why` is told on each page that would need it."""

    whole: bool = False
    see: Callable[[Sheets], AsyncGenerator[Window, None]] | None = None
    why: str | None = None
    dpi: int = 150


async def read_source(deps: Deps, work: ReadSource, source: SourceWork, have: set[int], facts: Facts) -> AsyncGenerator[Window, None]:
    """The pages of a PDF source as its capture mode says; a password comes sealed with the job. Raises as `read`."""
    sealed = work.claim.sealed
    password = seal.open_text(deps.settings, sealed) if sealed else None
    look = await _look(deps, work, source)
    async with source_bytes.descriptor(deps.blobs, source) as opened:
        async with aclosing(read(deps.child, opened, source.name, password, have, facts, look)) as windows:
            async for window in windows:
                yield window


async def _look(deps: Deps, work: ReadSource, source: SourceWork) -> Look:
    """How this source's pages are read as pictures. Raises PermanentError `no_model` when all of them are to be, and nobody can."""
    if source.capture == "text":
        return Look()
    choice = await vision.choose(deps, source)
    role = choice.role
    if role is None:
        if source.capture == "vision" and choice.why != "declined":
            raise PermanentError("no_model", report.no_pictures(source.name, choice.why))
        return Look(why=choice.why)

    def see(sheets: Sheets) -> AsyncGenerator[Window, None]:
        vision.admit(deps, source, role, len(sheets.pages))
        return vision.read(deps, work, source, role, sheets)

    return Look(source.capture == "vision", see, dpi=deps.settings.limits.vision_dpi)


async def read(
    child: Child, source: int, name: str, password: str | None, have: set[int], facts: Facts, look: Look | None = None
) -> AsyncGenerator[Window, None]:
    """The pages that are not in `have` (ordinal = page - 1), window by window; fills `facts`.

    Text layers come first, then the pictures, all from one child. Raises PermanentError as `pdf.opened_file` and its `pages`
    do, and what `look.see` raises.
    """
    async with pdf.opened_file(child, source, name=name, password=password) as opened:
        document = opened.document
        _describe(document, facts)
        look = look if look and document.reader == "pdfium" else Look()  # no other reader draws
        headings = page_headings(document.outline, document.pages)
        entries: dict[int, list[dict[str, Any]]] = {}
        for entry in facts.outline:
            entries.setdefault(entry["page"], []).append(entry)
        missing = [page for page in range(1, document.pages + 1) if page - 1 not in have]
        batch: list[Passage] = []
        unseen: dict[int, PageText] = {}
        left = len(missing)
        async with aclosing(opened.pages(missing)) as found:
            async for page in found:
                if look.see is not None and _needs_picture(page, look):
                    unseen[page.page] = page
                    continue
                batch.append(_passage(page, headings[page.page - 1], document.reader, look.why))
                _place_entries(page.text, entries.get(page.page, ()))
                left -= 1
                if len(batch) == pdf.WINDOW_PAGES:
                    yield Window(batch, document.pages - left, document.pages)
                    batch = []
        if batch or not missing:
            yield Window(batch, document.pages - left, document.pages)
        if look.see is not None and unseen:
            async with aclosing(look.see(_sheets(opened, unseen, headings, look.dpi))) as windows:
                async for window in windows:
                    for passage in window.passages:
                        _place_entries(passage.text, entries.get(passage.ordinal + 1, ()))
                    yield window


def _needs_picture(page: PageText, look: Look) -> bool:
    """Whether a page has no legible text layer, or is not to be read by it. Blank and broken pages have no picture to read."""
    return page.code == "no_text_layer" or (look.whole and page.state == "read")


def _sheets(opened: OpenFile, unseen: Mapping[int, PageText], headings: Sequence[str | None], dpi: int) -> Sheets:
    async def draw(page: int) -> Picture:
        return await opened.picture(page, dpi, vision.SENT_PIXELS)

    def made(page: int, found: Seen | SourcebookError, picture: Picture) -> Passage:
        passage = vision.passage_of(page - 1, found, picture, page=page, heading=headings[page - 1])
        typed = unseen[page].typed
        if passage.state != "read" or not typed or typed in passage.text:
            return passage
        # Comments are not drawn; fields are, so that most of what was typed stands in the transcription already.
        lines = [line for line in typed.splitlines() if line.partition(": ")[2] not in passage.text or ": " not in line]
        return replace(passage, text="\n\n".join([passage.text, "\n".join(lines)]) if lines else passage.text)

    return Sheets(list(unseen), opened.document.pages, draw, made)


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


def _passage(page: PageText, heading: str | None, reader: str, why: str | None) -> Passage:
    meta: dict[str, Any] = {"words": count_words(page.text)}
    if page.reason:
        meta["reason"] = page.reason
    if page.code == "no_text_layer" and why:
        meta["pictures"] = why
    if reader != "pdfium":
        meta["reader"] = reader
    return Passage(page.page - 1, page.text, page=page.page, heading=heading, state=page.state, code=page.code, meta=meta)


def _place_entries(text: str, entries: Sequence[dict[str, Any]]) -> None:
    """Where on its page each outline entry stands, when its words are found there."""
    for entry in entries:
        match = re.search(r"\s+".join(re.escape(word) for word in entry["title"].split()), text, re.IGNORECASE)
        if match:
            entry["start"] = match.start()

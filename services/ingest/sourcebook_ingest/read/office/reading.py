"""Office files, tables, books and mails: passages from the walled child, in windows that are each a checkpoint."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from sourcebook_core.errors import PermanentError
from sourcebook_core.jobs import ReadSource
from sourcebook_core.settings import Limits
from sourcebook_core.store.passages import Passage
from sourcebook_core.store.source_work import SourceWork
from sourcebook_core.text import decode
from sourcebook_core.text.scripts import has_visible
from sourcebook_ingest import source_bytes
from sourcebook_ingest.deps import Deps
from sourcebook_ingest.read import page_text, text
from sourcebook_ingest.read.outcome import Facts, Window
from sourcebook_ingest.words import count_words

_CHILD = "sourcebook_ingest.read.office.child"
_HTML_CHILD = "sourcebook_ingest.read.html_child"
_PLACES = ("page", "heading", "sheet", "row_from", "row_to")
# To the first passages a whole tree of XML may have to be built: twice what a page may take.
_PAGES = 2
# What an office file may hold of text, in texts: packed and repeated, a small file can say endlessly much.
_TEXTS = 2


async def read(deps: Deps, work: ReadSource, source: SourceWork, have: set[int], facts: Facts) -> AsyncGenerator[Window, None]:
    """The passages that are not in `have`, window by window; fills `facts`.

    The same file always gives the same passages in the same order, so an interrupted reading goes on behind those it has.
    Raises PermanentError with the child's verdict.
    """
    try:
        async with aclosing(_windows(deps, source, have, facts)) as windows:
            async for window in windows:
                yield window
    except PermanentError as error:
        if error.code != "password_protected":
            raise
        why = f"{source.name} is locked with a password. Open it in its program, save it without one and add that."
        raise PermanentError(error.code, why) from None


async def _windows(deps: Deps, source: SourceWork, have: set[int], facts: Facts) -> AsyncGenerator[Window, None]:
    limits = deps.settings.limits
    taken = _Taken(facts, have)
    async with (
        source_bytes.descriptor(deps.blobs, source) as opened,
        deps.child.open(_CHILD, opened, source.name) as child,
        aclosing(child.call("read", limits.page_seconds * _PAGES, **_asked(source, limits))) as parts,
    ):
        async for part in parts:
            for event in part.head["events"]:
                taken.take(event)
            if taken.batch:
                yield taken.window()
    if facts.title is None and facts.pages and facts.outline:
        facts.title = facts.outline[0]["title"]  # of its first slide that has one
    if taken.batch or not have:
        yield taken.window(is_last=True)


async def read_html(deps: Deps, work: ReadSource, source: SourceWork, have: set[int], facts: Facts) -> AsyncGenerator[Window, None]:
    """The main text of a HTML file, and all its words where those are more than menus around it.

    The file is the person's own, so what it shows is its subject: too little is `no_text`.
    """
    plain = await asyncio.to_thread(page_text.as_utf8, await source_bytes.whole(deps.blobs, source), "")
    async with deps.child.open(_HTML_CHILD, plain, source.name) as child:
        heads = [part.head async for part in child.call("extract", deps.settings.limits.page_seconds, address="", keeps_all=True)]
    found: dict[str, Any] = heads[0]
    if not has_visible(found["text"]):
        raise PermanentError("no_text", name=source.name)
    for window in await asyncio.to_thread(lambda: list(text.read_markdown(found["text"], facts))):
        yield window
    facts.title, facts.authors, facts.year = found["title"] or facts.title, found["authors"], found["year"]


def _asked(source: SourceWork, limits: Limits) -> dict[str, Any]:
    return {
        "kind": source.media_type, "cells": limits.table_cells, "columns": limits.table_columns, "slides": limits.slides,
        "characters": _TEXTS * limits.text_bytes, "text_bytes": limits.text_bytes, "file_bytes": limits.body_bytes,
        "bounds": [limits.archive_entries, limits.archive_bytes, limits.archive_ratio],
    }  # fmt: skip


class _Taken:
    """What came from the child so far; its words are cleaned here, on our side of the wall."""

    def __init__(self, facts: Facts, have: set[int]) -> None:
        self.batch: list[Passage] = []
        self._facts, self._have = facts, have
        self._next = 0
        self._rows = 0

    def take(self, event: dict[str, Any]) -> None:
        """One event of `events`."""
        if "passage" in event:
            self._passage(event["passage"])
        elif "facts" in event:
            found = event["facts"]
            self._facts.title = _clean(found["title"])
            self._facts.authors = [_clean(author) or "" for author in found["authors"]]
            self._facts.year = found["year"]
            self._facts.pages = found.get("pages")
            self._facts.gap = found.get("gap", 0)
        elif "warn" in event:
            code, message = event["warn"]
            self._facts.warn(code, _clean(message) or "")

    def window(self, *, is_last: bool = False) -> Window:
        """What was gathered since the window before; how far it is in pages, rows or passages."""
        batch, self.batch = self.batch, []
        done = self._rows or self._next
        total = self._facts.pages or (done if is_last else None)
        return Window(batch, min(done, total) if total else done, total)

    def _passage(self, found: dict[str, Any]) -> None:
        ordinal, self._next = self._next, self._next + 1
        for level, title, start in found.get("outline", ()):
            self._entry(title, level, ordinal, start, None)
        if found.get("page") and found.get("heading"):
            self._entry(found["heading"], 1, ordinal, 0, found["page"])
        if "row_to" in found:
            self._rows += found["row_to"] - found["row_from"] + 1
        if ordinal in self._have:
            return
        words = decode.clean(found["text"])[0]
        places: dict[str, Any] = {name: _clean(found[name]) if isinstance(found.get(name), str) else found.get(name) for name in _PLACES}
        state = "read" if has_visible(words) else "empty"
        meta = {"words": count_words(words)}
        self.batch.append(Passage(ordinal, words, state=state, meta=meta, lead=_clean(found.get("lead")) or "", **places))

    def _entry(self, title: str, level: int, ordinal: int, start: int, page: int | None) -> None:
        if len(self._facts.outline) < text.OUTLINE_ENTRIES:
            entry = {"title": _clean(title), "level": level, "passage": ordinal, "start": start}
            self._facts.outline.append({**entry, "page": page} if page else entry)


def _clean(text: str | None) -> str | None:
    return decode.clean(text)[0] if text else None

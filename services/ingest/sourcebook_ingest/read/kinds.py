"""Which reader takes which kind of source."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import aclosing

from sourcebook_core import seal
from sourcebook_core.errors import PermanentError
from sourcebook_core.jobs import ReadSource
from sourcebook_core.settings import Settings
from sourcebook_core.store.passages import PassageState
from sourcebook_core.store.source_work import SourceWork
from sourcebook_ingest import source_bytes
from sourcebook_ingest.deps import Deps
from sourcebook_ingest.read import pdf, text, url
from sourcebook_ingest.read.outcome import Facts, Window

_MEGABYTE = 1_000_000
_NO_PICTURES = "no picture reader is connected. Read it again in mode auto or text."
# The source's passages in windows, those of the given ordinals left out where that saves work; fills `Facts` on the way. Raises
# PermanentError with the code of what is wrong with the file.
Reader = Callable[[Deps, ReadSource, SourceWork, set[int], Facts], AsyncGenerator[Window, None]]


def reader_of(source: SourceWork) -> Reader:
    """The reader for a source's media type. Raises PermanentError `unsupported_kind`."""
    media_type = source.media_type or ""
    found = _READERS.get(media_type) or _READERS.get(media_type.partition("/")[0] + "/*")
    if found is None:
        raise PermanentError("unsupported_kind", name=source.name, why=f"files of the type {media_type or 'unknown'} are not read.")
    return found


def refuse_unreadable(source: SourceWork, states: Sequence[PassageState], settings: Settings) -> None:
    """Raise PermanentError when nothing at all could be read: `no_text` for blank pages only, else what was wrong."""
    if any(state.state == "read" for state in states):
        return
    unread = [state for state in states if state.state == "unread"]
    if not unread:
        raise PermanentError("no_text", name=source.name)
    codes = {state.code for state in unread}
    if "no_text_layer" in codes:
        raise PermanentError("no_text_layer", name=source.name, mode=source.capture)
    raise PermanentError(str(unread[0].code), name=source.name)


async def _pdf(deps: Deps, work: ReadSource, source: SourceWork, have: set[int], facts: Facts) -> AsyncGenerator[Window, None]:
    if source.capture == "vision":
        raise PermanentError("no_model", f"{source.name} is to be read as pictures, and {_NO_PICTURES}")
    sealed = work.claim.sealed
    password = seal.open_text(deps.settings, sealed) if sealed else None
    async with source_bytes.descriptor(deps.blobs, source) as opened:
        async with aclosing(pdf.read(deps.child, opened, source.name, password, have, facts)) as windows:
            async for window in windows:
                yield window


def _text(reader: Callable[[str, Facts], Iterator[Window]]) -> Reader:
    async def read(deps: Deps, work: ReadSource, source: SourceWork, have: set[int], facts: Facts) -> AsyncGenerator[Window, None]:
        limit = deps.settings.limits.text_bytes
        content = await source_bytes.whole(deps.blobs, source)
        if len(content) > limit:
            sentence = f"{source.name} is larger than the limit of {limit // _MEGABYTE} MB for text. Split it and add the parts."
            raise PermanentError("too_large", sentence)
        for window in await asyncio.to_thread(lambda: list(reader(text.decoded(content, source.name, facts), facts))):
            yield window

    return read


_READERS: dict[str, Reader] = {
    "text/plain": _text(text.read_plain),
    "text/markdown": _text(text.read_markdown),
    "application/pdf": _pdf,
    "text/html": url.read,
}

"""Which reader takes which kind of source."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import aclosing

from sourcebook_core import kinds
from sourcebook_core.errors import PermanentError
from sourcebook_core.jobs import ReadSource
from sourcebook_core.settings import Settings
from sourcebook_core.store.passages import PassageState
from sourcebook_core.store.source_work import SourceWork
from sourcebook_ingest import report, source_bytes
from sourcebook_ingest.deps import Deps
from sourcebook_ingest.read import audio, image, page_text, pdf, text, url
from sourcebook_ingest.read.office import reading
from sourcebook_ingest.read.outcome import Facts, Window

_MEGABYTE = 1_000_000
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
    if not any(state.state == "read" for state in states):
        raise report.refusal(source.name, source.capture, states)


def _text(reader: Callable[[str, Facts], Iterator[Window]]) -> Reader:
    async def read(deps: Deps, work: ReadSource, source: SourceWork, have: set[int], facts: Facts) -> AsyncGenerator[Window, None]:
        limit = deps.settings.limits.text_bytes
        content = await source_bytes.whole(deps.blobs, source)
        if len(content) > limit:
            sentence = f"{source.name} is larger than the limit of {limit // _MEGABYTE} MB for text. Split it and add the parts."
            raise PermanentError("too_large", sentence)
        if source.kind == "url":
            content = await asyncio.to_thread(page_text.as_said, content, url.About.of(source).charset)
        for window in await asyncio.to_thread(lambda: list(reader(text.decoded(content, source.name, facts), facts))):
            yield window

    return read


async def _html(deps: Deps, work: ReadSource, source: SourceWork, have: set[int], facts: Facts) -> AsyncGenerator[Window, None]:
    reader = url.read if source.kind == "url" else reading.read_html
    async with aclosing(reader(deps, work, source, have, facts)) as windows:
        async for window in windows:
            yield window


_OFFICE = tuple(kind.media_type for kind in (
    kinds.DOCX, kinds.PPTX, kinds.XLSX, kinds.ODT, kinds.ODS, kinds.ODP, kinds.EPUB, kinds.CSV, kinds.TSV, kinds.MAIL, kinds.RTF,
))  # fmt: skip
_READERS: dict[str, Reader] = {
    "audio/*": audio.read_source,
    "video/*": audio.read_source,
    "text/plain": _text(text.read_plain),
    "text/markdown": _text(text.read_markdown),
    "application/pdf": pdf.read_source,
    "image/*": image.read_source,
    "text/html": _html,
    **dict.fromkeys(_OFFICE, reading.read),
}

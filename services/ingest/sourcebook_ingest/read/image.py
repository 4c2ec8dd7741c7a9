"""Picture sources: one passage for each page of the file, transcribed and described by the vision role."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from sourcebook_core import images
from sourcebook_core.errors import PermanentError, SourcebookError
from sourcebook_core.jobs import ReadSource
from sourcebook_core.pdf import Picture
from sourcebook_core.store.passages import PAGE_BREAK, Passage
from sourcebook_core.store.source_work import SourceWork
from sourcebook_ingest import report, source_bytes
from sourcebook_ingest.deps import Deps
from sourcebook_ingest.read import vision
from sourcebook_ingest.read.outcome import Facts, Window
from sourcebook_ingest.read.transcript import Seen
from sourcebook_ingest.read.vision import Sheets


async def read_source(deps: Deps, work: ReadSource, source: SourceWork, have: set[int], facts: Facts) -> AsyncGenerator[Window, None]:
    """The pages of a picture that are not in `have` (ordinal = page - 1); only a file of several has page numbers.

    Raises PermanentError `no_model` without a vision role, what `images.opened_image` and `vision.admit` raise, and what
    is wrong with the picture when there is one alone.
    """
    choice = await vision.choose(deps, source)
    if choice.role is None:
        raise PermanentError("no_model", report.no_pictures(source.name, choice.why, is_picture=True))
    async with source_bytes.descriptor(deps.blobs, source) as given, images.opened_image(deps.child, given, name=source.name) as opened:
        facts.pages = opened.frames if opened.frames > 1 else None
        facts.gap = len(PAGE_BREAK)
        missing = [page for page in range(1, opened.frames + 1) if page - 1 not in have]
        if not missing:
            yield Window([], opened.frames, opened.frames)
            return
        vision.admit(deps, source, choice.role, len(missing))

        async def draw(page: int) -> Picture:
            frame = await opened.frame(page, vision.SENT_PIXELS)
            if frame.is_blank:
                raise vision.Blank(source.name)
            return frame.picture

        def made(page: int, found: Seen | SourcebookError, picture: Picture) -> Passage:
            return vision.passage_of(page - 1, found, picture, page=page if opened.frames > 1 else None)

        sheets = Sheets(missing, opened.frames, draw, made, "image")
        async with aclosing(vision.read(deps, work, source, choice.role, sheets)) as windows:
            async for window in windows:
                yield window

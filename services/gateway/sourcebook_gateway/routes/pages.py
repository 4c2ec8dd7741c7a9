"""Pages of PDFs and picture files: pictures, words with their places, rectangles of a range. Bytes are opened in the child only."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path as FilePath
from typing import Annotated, TypeVar
from uuid import UUID

from fastapi import Path, Query, Response

from sourcebook_core import images, pdf, pdf_geometry
from sourcebook_core.blobs import original_key, page_key
from sourcebook_core.errors import PermanentError, RequestError
from sourcebook_core.store import passages
from sourcebook_core.store.passages import Passage
from sourcebook_core.store.readings import Reading
from sourcebook_core.store.sources import Source
from sourcebook_gateway.access import gated_router, needs
from sourcebook_gateway.deps import Caller, CallerDep, Shared, SharedDep
from sourcebook_gateway.refusals import not_found
from sourcebook_gateway.routes.reading import ReadingQuery, own_reading
from sourcebook_gateway.shapes.reading import Box, PageBoxes, PageWords, WordBox

router = gated_router("reading")
T = TypeVar("T")
PageNumber = Annotated[int, Path(ge=1, le=100_000, description="1-based.")]
Offset = Annotated[int, Query(ge=0, le=2**31 - 1, description="Code point in the page's passage.")]
# The reader shows a page at most about 900 points wide on a screen of double density; a thumbnail needs 36.
_DPI = Annotated[int, Query(ge=24, le=300, description="Dots per inch.")]
_INCHES = 12  # a picture file has no size on paper: its longer side is shown like that of a sheet
_LIKE_BROWSER_CACHE = "private, max-age=86400"


@router.get(
    "/sources/{source_id}/pages/{page}.jpg", summary="Picture of a page", response_class=Response, openapi_extra=needs("read"),
    responses={200: {"content": {"image/jpeg": {}}, "description": "JPEG."}},
)  # fmt: skip
async def get_picture(
    source_id: UUID, page: PageNumber, caller: CallerDep, shared: SharedDep, reading: ReadingQuery = None, dpi: _DPI = 144
) -> Response:
    """A page of a PDF or of a picture file, upright. Drawn at its first view, then kept."""
    source, found = await _pictured(shared, caller, source_id, reading)
    _check_page(found, page)
    key = page_key(source.id, found.id, page, dpi)
    try:
        picture = await shared.blobs.get(key)
    except LookupError:
        turned = _turned(await _find_passage(shared, source, found, page))
        async with _bytes_of(shared, source, found) as given, shared.rendering:
            picture = await _drawn(_draw(shared, source, given, page, dpi, turned))
        await shared.blobs.put(key, picture)
    headers = {"Cache-Control": _LIKE_BROWSER_CACHE, "ETag": f'"{found.id}-{page}-{dpi}"'}
    return Response(picture, media_type="image/jpeg", headers=headers)


async def _draw(shared: Shared, source: Source, given: FilePath | bytes, page: int, dpi: int, turned: int) -> bytes:
    if _shown_as(source) == "pdf":
        return await pdf.render(shared.child, given, page, dpi, turned=turned, name=source.title)
    longest = dpi * _INCHES
    async with images.opened_image(shared.child, given, name=source.title) as opened:
        frame = await opened.frame(page, shared.settings.limits.page_pixels, longest=longest, turned=turned, shown=True)
    return frame.picture.jpeg


@router.get("/sources/{source_id}/pages/{page}/words", summary="Words of a page", openapi_extra=needs("read"))
async def get_words(source_id: UUID, page: PageNumber, caller: CallerDep, shared: SharedDep, reading: ReadingQuery = None) -> PageWords:
    """Each word with its range in the page's passage and its place; no words where the page's text is not as it was read."""
    source, found = await _pictured(shared, caller, source_id, reading)
    passage = await _passage(shared, source, found, page)
    if passage.method == "vision":
        width, height = passage.meta.get("size") or (0, 0)
        words = [_word(passage, *place) for place in await _places(shared, found, passage)]
        return PageWords(page=page, width=width, height=height, passage=passage.ordinal, items=words)
    async with _bytes_of(shared, source, found) as given, shared.rendering:
        told = await _drawn(pdf.words(shared.child, given, page, name=source.title))
    is_same = all(passage.text[word.start : word.end] == word.text for word in told.items)
    items = [WordBox.model_validate(word, from_attributes=True) for word in told.items] if is_same else []
    return PageWords(page=page, width=told.width, height=told.height, passage=passage.ordinal, items=items)


@router.get("/sources/{source_id}/pages/{page}/boxes", summary="Where a range stands", openapi_extra=needs("read"))
async def get_boxes(
    source_id: UUID, page: PageNumber, caller: CallerDep, shared: SharedDep, start: Offset, end: Offset, reading: ReadingQuery = None
) -> PageBoxes:
    """Rectangles around a range of the page's passage, one a line; `highlight` is false when they cannot be told surely."""
    source, found = await _pictured(shared, caller, source_id, reading)
    passage = await _passage(shared, source, found, page)
    if not start < end <= len(passage.text):
        raise RequestError(422, "invalid_field", why="end: the range must lie in the page's passage and not be empty.")
    if passage.method == "vision":
        told: Sequence[pdf_geometry.Box] | None = pdf_geometry.lines(await _places(shared, found, passage), start, end)
    else:
        async with _bytes_of(shared, source, found) as given, shared.rendering:
            told = await _drawn(pdf.boxes(shared.child, given, page, passage.text, start, end, name=source.title))
    items = [Box.model_validate(box, from_attributes=True) for box in told or ()]
    return PageBoxes(page=page, passage=passage.ordinal, highlight=bool(items), items=items)


async def _places(shared: Shared, reading: Reading, passage: Passage) -> list[list[float]]:
    async with shared.db.transaction() as conn:
        return await passages.boxes_of(conn, reading.id, passage.ordinal)


def _word(passage: Passage, start: float, end: float, x0: float, y0: float, x1: float, y1: float) -> WordBox:
    first, last = int(start), int(end)
    return WordBox(text=passage.text[first:last], start=first, end=last, x0=x0, y0=y0, x1=x1, y1=y1)


def _turned(passage: Passage | None) -> int:
    """By how many degrees clockwise the page's picture stands upright, as its reader found."""
    return int(passage.meta.get("turned") or 0) if passage is not None else 0


async def _pictured(shared: Shared, caller: Caller, source_id: UUID, reading_id: UUID | None) -> tuple[Source, Reading]:
    """The asker's PDF or picture and the reading asked for; 404 for other kinds, and for a reading of bytes that were replaced
    since."""
    async with shared.db.transaction() as conn:
        source, reading = await own_reading(conn, caller, source_id, reading_id)
    is_same = source.content_hash is not None and reading.fingerprint.endswith(source.content_hash.hex())
    if _shown_as(source) is None or not source.has_file or not is_same:
        raise not_found()
    return source, reading


def _shown_as(source: Source) -> str | None:
    """`pdf`, `image`, or None for what has no pages: by its media type, because an address may lead to any file."""
    media_type = source.media_type or ""
    if source.kind == "pdf" or media_type == "application/pdf":
        return "pdf"
    return "image" if source.kind == "image" or media_type.startswith("image/") else None


def _check_page(reading: Reading, page: int) -> None:
    if reading.page_count is not None and page > reading.page_count:
        raise not_found()


async def _find_passage(shared: Shared, source: Source, reading: Reading, page: int) -> Passage | None:
    """The passage of a page; the one of a single picture has no page number."""
    async with shared.db.transaction() as conn:
        found = await passages.find_page(conn, reading.id, page)
        if found is None and page == 1 and _shown_as(source) == "image":
            found = await passages.find(conn, reading.id, 0)
    return found


async def _passage(shared: Shared, source: Source, reading: Reading, page: int) -> Passage:
    found = await _find_passage(shared, source, reading, page)
    if found is None:
        raise not_found()
    return found


@asynccontextmanager
async def _bytes_of(shared: Shared, source: Source, reading: Reading) -> AsyncIterator[FilePath | bytes]:
    """The file for the child: as a path where storage is a folder, else its bytes."""
    key = original_key(source.id)
    path = shared.blobs.local_path(key)
    try:
        yield path if path is not None else await shared.blobs.get(key)
    except (LookupError, FileNotFoundError):
        raise not_found() from None


async def _drawn(call: Awaitable[T]) -> T:
    """The child's answer; what is wrong with the file is a refusal of this request."""
    try:
        return await call
    except PermanentError as error:
        if error.code == "not_found":
            raise not_found() from None
        raise RequestError(422, error.code, error.message) from None

"""Pages of a PDF: pictures, words with their places, rectangles of a range. Bytes are opened in the walled child only."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from pathlib import Path as FilePath
from typing import Annotated, TypeVar
from uuid import UUID

from fastapi import Path, Query, Response

from sourcebook_core import pdf
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
_LIKE_BROWSER_CACHE = "private, max-age=86400"


@router.get(
    "/sources/{source_id}/pages/{page}.jpg", summary="Picture of a page", response_class=Response, openapi_extra=needs("read"),
    responses={200: {"content": {"image/jpeg": {}}, "description": "JPEG."}},
)  # fmt: skip
async def get_picture(
    source_id: UUID, page: PageNumber, caller: CallerDep, shared: SharedDep, reading: ReadingQuery = None, dpi: _DPI = 144
) -> Response:
    """Drawn at its first view, then kept."""
    source, found = await _pdf_of(shared, caller, source_id, reading)
    _check_page(found, page)
    key = page_key(source.id, found.id, page, dpi)
    try:
        picture = await shared.blobs.get(key)
    except LookupError:
        async with _bytes_of(shared, source, found) as given, shared.rendering:
            picture = await _drawn(pdf.render(shared.child, given, page, dpi, name=source.title))
        await shared.blobs.put(key, picture)
    headers = {"Cache-Control": _LIKE_BROWSER_CACHE, "ETag": f'"{found.id}-{page}-{dpi}"'}
    return Response(picture, media_type="image/jpeg", headers=headers)


@router.get("/sources/{source_id}/pages/{page}/words", summary="Words of a page", openapi_extra=needs("read"))
async def get_words(source_id: UUID, page: PageNumber, caller: CallerDep, shared: SharedDep, reading: ReadingQuery = None) -> PageWords:
    """Each word with its range in the page's passage and its place; no words where the page's text is not as it was read."""
    source, found = await _pdf_of(shared, caller, source_id, reading)
    passage = await _passage(shared, found, page)
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
    source, found = await _pdf_of(shared, caller, source_id, reading)
    passage = await _passage(shared, found, page)
    if not start < end <= len(passage.text):
        raise RequestError(422, "invalid_field", why="end: the range must lie in the page's passage and not be empty.")
    async with _bytes_of(shared, source, found) as given, shared.rendering:
        told = await _drawn(pdf.boxes(shared.child, given, page, passage.text, start, end, name=source.title))
    items = [Box.model_validate(box, from_attributes=True) for box in told or ()]
    return PageBoxes(page=page, passage=passage.ordinal, highlight=bool(items), items=items)


async def _pdf_of(shared: Shared, caller: Caller, source_id: UUID, reading_id: UUID | None) -> tuple[Source, Reading]:
    """The asker's PDF and the reading asked for; 404 for other kinds, and for a reading of bytes that were replaced since."""
    async with shared.db.transaction() as conn:
        source, reading = await own_reading(conn, caller, source_id, reading_id)
    is_same = source.content_hash is not None and reading.fingerprint.endswith(source.content_hash.hex())
    if source.kind != "pdf" or not source.has_file or not is_same:
        raise not_found()
    return source, reading


def _check_page(reading: Reading, page: int) -> None:
    if reading.page_count is not None and page > reading.page_count:
        raise not_found()


async def _passage(shared: Shared, reading: Reading, page: int) -> Passage:
    async with shared.db.transaction() as conn:
        found = await passages.find_page(conn, reading.id, page)
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

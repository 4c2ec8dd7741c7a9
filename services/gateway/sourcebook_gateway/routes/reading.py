"""What was read of a source: its bytes, text, passages, outline."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from typing import Annotated, Literal
from uuid import UUID

from fastapi import Header, Query, Response
from fastapi.responses import StreamingResponse

from sourcebook_core.blobs import original_key, playable_key
from sourcebook_core.db import Conn
from sourcebook_core.errors import RequestError
from sourcebook_core.store import passages, readings, sources
from sourcebook_core.store.readings import Reading
from sourcebook_core.store.sources import Source
from sourcebook_gateway.access import gated_router, needs
from sourcebook_gateway.deps import Caller, CallerDep, Shared, SharedDep
from sourcebook_gateway.multipart import attachment
from sourcebook_gateway.refusals import not_found
from sourcebook_gateway.shapes.reading import Outline, OutlineItem, PassageList, PassageRead

router = gated_router("reading")
ReadingQuery = Annotated[UUID | None, Query(description="An earlier reading; else the current one.")]
# What today's browsers play in an audio element; all else is converted when it is read.
_PLAYED = frozenset({"audio/mpeg", "audio/wav", "audio/mp4", "video/mp4", "audio/aac", "audio/ogg", "audio/flac", "video/webm"})
_RANGE = re.compile(r"bytes=(\d{0,15})-(\d{0,15})")


async def own_source(conn: Conn, caller: Caller, source_id: UUID) -> Source:
    """The asker's source; 404 for any other."""
    source = await sources.find(conn, caller.person_id, source_id)
    if source is None:
        raise not_found()
    return source


async def own_reading(conn: Conn, caller: Caller, source_id: UUID, reading_id: UUID | None) -> tuple[Source, Reading]:
    """The asker's source and the reading asked for (the current one by default); 404 when there is none (yet)."""
    source = await own_source(conn, caller, source_id)
    wanted = reading_id or source.reading_id
    if wanted is None:
        raise not_found()
    try:
        reading = await readings.get(conn, wanted)
    except LookupError:
        raise not_found() from None
    if reading.source_id != source.id:
        raise not_found()
    return source, reading


def is_same_file(source: Source, reading: Reading) -> bool:
    """Whether the source's file is the one the reading was made of: its fingerprint ends in the hash of the bytes."""
    return source.content_hash is None or reading.fingerprint.endswith(source.content_hash.hex())


@router.get("/sources/{source_id}/file", summary="The original file", response_class=Response, openapi_extra=needs("read"))
async def get_file(
    source_id: UUID, caller: CallerDep, shared: SharedDep,
    variant: Annotated[Literal["original", "playable"], Query(description="playable: a recording as browsers play it.")] = "original",
    range_: Annotated[str | None, Header(alias="Range")] = None,
) -> Response:  # fmt: skip
    """The bytes as they were added, to be saved, never shown; or a recording to be played.

    One range is served; 416 for one outside the file. 404 for a recording that cannot be played (yet).
    """
    async with shared.db.transaction() as conn:
        source = await own_source(conn, caller, source_id)
    found = await (_playable(shared, source) if variant == "playable" else _original(shared, source))
    if found is None:
        raise not_found()
    key, size, media_type = found
    start, end = _range(range_, size)
    name = attachment(source.file_name or f"{source.title[:100]}{_extension(source.kind)}")
    headers = {
        "Content-Disposition": name if variant == "original" else "inline",
        "Accept-Ranges": "bytes",
        "Content-Length": str(end - start),
        "Content-Security-Policy": "sandbox; default-src 'none'",
        "Cache-Control": "private, no-cache",
    }
    is_part = range_ is not None and (start, end) != (0, size)
    if is_part:
        headers["Content-Range"] = f"bytes {start}-{end - 1}/{size}"
    body = shared.blobs.get_stream(key, start, end)
    return StreamingResponse(body, status_code=206 if is_part else 200, media_type=media_type, headers=headers)


async def _original(shared: Shared, source: Source) -> tuple[str, int, str] | None:
    """Key, bytes and media type of the file as it was added."""
    size = await shared.blobs.size(original_key(source.id)) if source.has_file else None
    return (original_key(source.id), size, source.media_type or "application/octet-stream") if size is not None else None


async def _playable(shared: Shared, source: Source) -> tuple[str, int, str] | None:
    """The same of what a browser plays: the MP3 that was made of the recording, else the original where its form will do."""
    if not (source.media_type or "").startswith(("audio/", "video/")):
        return None
    size = await shared.blobs.size(playable_key(source.id))
    if size is not None:
        return playable_key(source.id), size, "audio/mpeg"
    return await _original(shared, source) if source.media_type in _PLAYED else None


def _extension(kind: str) -> str:
    return {"pdf": ".pdf", "markdown": ".md", "text": ".txt"}.get(kind, "")


def _range(header: str | None, size: int) -> tuple[int, int]:
    """Half-open byte range; the whole file for no range or one that we do not serve (RFC 9110 section 14.2)."""
    found = _RANGE.fullmatch(header.strip()) if header else None
    if found is None or found[1] == found[2] == "":
        return 0, size
    if found[1] == "":
        start, end = max(0, size - int(found[2])), size
    else:
        start, end = int(found[1]), min(size, int(found[2]) + 1) if found[2] else size
    if start >= size or start >= end:
        raise RequestError(416, "invalid_field", why="Range: it lies outside the file.", detail={"size": size})
    return start, end


@router.get("/sources/{source_id}/text", summary="The stored text", response_class=Response, openapi_extra=needs("read"))
async def get_text(source_id: UUID, caller: CallerDep, shared: SharedDep, reading: ReadingQuery = None) -> Response:
    """The whole text as it was read, word for word; pages are parted by a form feed."""
    async with shared.db.transaction() as conn:
        _, found = await own_reading(conn, caller, source_id, reading)
    headers = {"X-Reading-Id": str(found.id), "Content-Security-Policy": "sandbox; default-src 'none'"}
    return StreamingResponse(_encoded(texts(shared, found.id)), media_type="text/plain; charset=utf-8", headers=headers)


async def _encoded(pieces: AsyncIterator[str]) -> AsyncIterator[bytes]:
    async for text in pieces:
        yield text.encode("utf-8", "replace")


async def texts(shared: Shared, reading_id: UUID) -> AsyncIterator[str]:
    """The whole text of a reading, a passage at a time; no transaction is open while a slow reader takes them."""
    first, place = 0, 0
    while True:
        async with shared.db.transaction() as conn:
            batch = await passages.list_from(conn, reading_id, first, 50)
        if not batch:
            return
        for one in batch:
            text = passages.placed(one, place)
            yield text
            place += len(text)
        first = batch[-1].ordinal + 1


@router.get("/sources/{source_id}/passages", summary="Passages", openapi_extra=needs("read"))
async def list_passages(
    source_id: UUID, caller: CallerDep, shared: SharedDep, reading: ReadingQuery = None,
    first: Annotated[int, Query(alias="from", ge=0, le=2**31 - 1, description="Ordinal of the first one.")] = 0,
    limit: Annotated[int, Query(ge=1, le=500, description="At most so many.")] = 100,
) -> PassageList:  # fmt: skip
    """The pieces of the reading with their places in the whole text; fewer at once where they are very long."""
    async with shared.db.transaction() as conn:
        source, found = await own_reading(conn, caller, source_id, reading)
        page = await passages.list_from(conn, found.id, first, limit)
        following = await passages.next_ordinal(conn, found.id, page[-1].ordinal) if page else None
        read_at = await readings.read_at(conn, found.id)
    return PassageList(
        items=[PassageRead.of(row) for row in page],
        reading_id=found.id,
        read_at=read_at,
        is_same_file=is_same_file(source, found),
        next_cursor=str(following) if following is not None else None,
    )


@router.get("/sources/{source_id}/outline", summary="Headings", openapi_extra=needs("read"))
async def get_outline(source_id: UUID, caller: CallerDep, shared: SharedDep, reading: ReadingQuery = None) -> Outline:
    """The headings of the reading, in order; empty when it has none."""
    async with shared.db.transaction() as conn:
        _, found = await own_reading(conn, caller, source_id, reading)
    return Outline(items=[OutlineItem.model_validate(item) for item in found.outline])

"""The bytes of a source that is an address: fetched through the guard, kept under the fence, asked for again only when they changed."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import replace
from typing import IO, Any

from sourcebook_core import egress, faults, jobs, kinds
from sourcebook_core.blobs import incoming_key, original_key, temporary_file
from sourcebook_core.egress import Ask
from sourcebook_core.errors import PermanentError, TransientError
from sourcebook_core.fetched import Fetched
from sourcebook_core.jobs import ReadSource
from sourcebook_core.kinds import Kind
from sourcebook_core.store import web
from sourcebook_core.store.source_work import SourceWork
from sourcebook_ingest.deps import Deps
from sourcebook_ingest.read import url

FETCH_ATTEMPTS = 3  # a person waits to see whether an address was right
_PIECE_BYTES = 1_000_000


async def fetch(deps: Deps, work: ReadSource, source: SourceWork, is_begun: bool) -> SourceWork:
    """Get the bytes of a source that is an address, and store them; others have them already.

    `is_begun`: a reading of the stored bytes was begun and goes on; else a page is fetched anew, also when it was before. One
    that is unchanged comes back with the content it had. A page that was read before is looked at first: what is no page any
    more (a log-in, "not found") takes no place. Raises what `egress.fetch_public` and `url.kind_of` raise.
    """
    if source.kind != "url" or source.url is None or is_begun:
        return source
    async with deps.db.transaction() as conn:
        is_of_site = await web.site_of(conn, source.id) is not None
    if is_of_site:
        await deps.hosts.wait_turn(source.url)
    try:
        with temporary_file() as body:
            return await _fetched(deps, work, source, body)
    except TransientError as error:
        if work.claim.attempt < FETCH_ATTEMPTS or error.code != "url_failed":
            raise
        raise PermanentError(error.code, error.message) from error


async def _fetched(deps: Deps, work: ReadSource, source: SourceWork, body: IO[bytes]) -> SourceWork:
    found, kind = await _ask(deps, source, body)
    if kind is None:  # 304: what it was
        digest, size = source.content_hash, source.byte_size
    else:
        digest, size = await asyncio.to_thread(_digest, body), found.size
    media_type = kind.media_type if kind else source.media_type
    assert digest is not None
    now = replace(
        source, media_type=media_type, byte_size=size, content_hash=digest, has_file=True, meta=source.meta | _meta(found, source)
    )
    is_new = digest != source.content_hash or not await _is_stored(deps, source)
    if is_new and kind == kinds.HTML and source.reading_id is not None:
        body.seek(0)
        await url.main_text(deps.child, body.read(), url.About.of(now))
    if is_new:
        await deps.blobs.put_stream(incoming_key(source.id, digest), _pieces(body))
    await faults.point(deps.settings, "fetch.stored")
    async with jobs.holding(deps.db, work) as conn:
        await web.fetched(conn, source.id, media_type=media_type, byte_size=size, content_hash=digest, meta=_meta(found, source))
    await faults.point(deps.settings, "fetch.committed")
    if is_new:
        # Only now that the row names them, for it takes the place of the bytes before. Who reads the source does it too, after a crash.
        with suppress(LookupError):
            await deps.blobs.move(incoming_key(source.id, digest), original_key(source.id))
    return now


async def _ask(deps: Deps, source: SourceWork, body: IO[bytes]) -> tuple[Fetched, Kind | None]:
    """The answer and what it is; None for what has not changed since."""
    assert source.url is not None
    kind: list[Kind] = []

    def judge(found: Fetched, head: bytes) -> egress.Bounds:
        kind.append(url.kind_of(found, head))
        return url.bounds(kind[0], deps.settings.limits)

    before = source.meta.get("web") if source.content_hash and await _is_stored(deps, source) else None
    marks = before if isinstance(before, dict) else {}
    ask = Ask(etag=_mark(marks, "etag"), last_modified=_mark(marks, "last_modified"), judge=judge, into=body)
    found = await egress.fetch_public(source.url, deps.settings, ask)
    return found, kind[0] if kind else None


async def _is_stored(deps: Deps, source: SourceWork) -> bool:
    if source.content_hash is None:
        return False
    sizes = [await deps.blobs.size(key) for key in (original_key(source.id), incoming_key(source.id, source.content_hash))]
    return source.byte_size in sizes


def _mark(marks: dict[str, Any], name: str) -> str:
    """What the server gave to ask with. People may write into meta, so it is looked at like anything from outside."""
    found = marks.get(name)
    return found if isinstance(found, str) and found.isascii() and found.isprintable() and len(found) <= 500 else ""


def _meta(found: Fetched, source: SourceWork) -> dict[str, Any]:
    """What is kept of an answer, under `web`: where it led, what it was, what to ask with the next time."""
    if found.status == 304:
        before = source.meta.get("web")
        return {"web": before | {"address": found.url}} if isinstance(before, dict) else {}
    told = {
        "address": found.url, "status": found.status, "charset": found.charset, "file_name": found.file_name, "etag": found.etag,
        "last_modified": found.last_modified, "redirects": list(found.redirects),
    }  # fmt: skip
    return {"web": {name: value for name, value in told.items() if value}}


def _digest(body: IO[bytes]) -> bytes:
    body.seek(0)
    return hashlib.file_digest(body, "sha256").digest()  # type: ignore[arg-type]


async def _pieces(body: IO[bytes]) -> AsyncIterator[bytes]:
    body.seek(0)
    while piece := body.read(_PIECE_BYTES):
        yield piece

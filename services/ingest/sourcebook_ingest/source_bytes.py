"""A stored source as something a reader can take: bytes, or an open descriptor; never other bytes than were added."""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress

from sourcebook_core.blobs import Blobs, incoming_key, original_key
from sourcebook_core.errors import PermanentError, TransientError
from sourcebook_core.store.source_work import SourceWork

_PIECE_BYTES = 1_000_000


async def whole(blobs: Blobs, source: SourceWork) -> bytes:
    """All bytes of a source. Raises as `descriptor`."""
    await _arrive(blobs, source)
    try:
        content = await blobs.get(original_key(source.id))
    except LookupError:
        raise _gone(source) from None
    _compare(source, hashlib.sha256(content).digest())
    return content


@asynccontextmanager
async def descriptor(blobs: Blobs, source: SourceWork) -> AsyncIterator[int]:
    """The source's bytes as an open descriptor: of the stored file where blobs are a folder, else of a temporary copy.

    Raises PermanentError `damaged_file` when they are gone, TransientError `damaged_file` when they are not the bytes that
    were added (a bad disk, or new content that is just being stored), `tmp_full`.
    """
    await _arrive(blobs, source)
    async with AsyncExitStack() as stack:
        try:
            opened = await stack.enter_async_context(blobs.opened(original_key(source.id)))
        except LookupError:
            raise _gone(source) from None
        _compare(source, await asyncio.to_thread(_digest, opened))
        yield opened


async def _arrive(blobs: Blobs, source: SourceWork) -> None:
    """Put new content that the row names in its place, where the gateway was killed between its commit and doing so."""
    if source.content_hash is None:
        return
    waiting = incoming_key(source.id, source.content_hash)
    if await blobs.size(waiting) is not None:
        with suppress(LookupError):  # the gateway was faster
            await blobs.move(waiting, original_key(source.id))


def _digest(opened: int) -> bytes:
    hashed, place = hashlib.sha256(), 0
    while piece := os.pread(opened, _PIECE_BYTES, place):
        hashed.update(piece)
        place += len(piece)
    return hashed.digest()


def _compare(source: SourceWork, digest: bytes) -> None:
    if source.content_hash is not None and digest != source.content_hash:
        sentence = f"The stored file of {source.name} is not the one that was added. Delete the source and add the file again."
        raise TransientError("damaged_file", sentence)


def _gone(source: SourceWork) -> PermanentError:
    return PermanentError("damaged_file", f"The stored file of {source.name} is missing. Delete the source and add the file again.")

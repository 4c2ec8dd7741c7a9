"""A stored source as something a reader can take: a path where blobs are a folder, else a temporary copy."""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from sourcebook_core.blobs import Blobs, original_key
from sourcebook_core.errors import PermanentError, TransientError
from sourcebook_core.store.source_work import SourceWork


async def whole(blobs: Blobs, source: SourceWork) -> bytes:
    """All bytes of a source. Raises PermanentError `damaged_file` when they are gone."""
    try:
        return await blobs.get(original_key(source.id))
    except LookupError:
        raise _gone(source) from None


@asynccontextmanager
async def descriptor(blobs: Blobs, source: SourceWork) -> AsyncIterator[int]:
    """The source's bytes as an open descriptor. Raises PermanentError `damaged_file`, TransientError `tmp_full`."""
    path = blobs.local_path(original_key(source.id))
    if path is not None:
        try:
            opened = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            raise _gone(source) from None
        try:
            yield opened
        finally:
            os.close(opened)
        return
    with tempfile.TemporaryFile() as copy:
        try:
            async for piece in blobs.get_stream(original_key(source.id)):
                await asyncio.to_thread(copy.write, piece)
            copy.flush()
        except LookupError:
            raise _gone(source) from None
        except OSError as error:
            raise TransientError("tmp_full") from error
        yield copy.fileno()


def _gone(source: SourceWork) -> PermanentError:
    return PermanentError("damaged_file", f"The stored file of {source.name} is missing. Delete the source and add the file again.")

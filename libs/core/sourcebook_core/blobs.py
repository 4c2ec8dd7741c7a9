"""Stored bytes: a folder or an object store behind one address, through obstore."""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import AsyncIterable, AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import IO
from urllib.parse import unquote, urlsplit
from uuid import UUID

import obstore
from obstore.exceptions import BaseError, NotFoundError
from obstore.store import LocalStore, ObjectStore, from_url

from sourcebook_core.errors import TransientError

PART_BYTES = 5 * 1024 * 1024  # the smallest part S3 takes in a multipart upload


def original_key(source_id: UUID) -> str:
    """Where a source's own bytes are."""
    return f"sources/{source_id}/original"


def incoming_key(source_id: UUID, content_hash: bytes) -> str:
    """Where new bytes of a known source wait until its row names them; from then on they belong under `original_key`."""
    return f"sources/{source_id}/incoming/{content_hash.hex()}"


def playable_key(source_id: UUID) -> str:
    """Where the MP3 is that was made of a recording, to be sent and played."""
    return f"sources/{source_id}/playable.mp3"


def page_key(source_id: UUID, reading_id: UUID, page: int, dpi: int) -> str:
    """Where the picture of a page (1-based) is kept after its first view."""
    return f"sources/{source_id}/pages/{reading_id}/{page}@{dpi}.jpg"


def temporary_file() -> IO[bytes]:
    """A file without a name that is gone when it is closed. Raises TransientError `tmp_full`."""
    try:
        return tempfile.TemporaryFile()
    except OSError as error:
        raise TransientError("tmp_full") from error


class Blobs:
    """Objects by key (`a/b/c`). Names people gave never become keys. Errors are TransientError `storage_full`/`busy`."""

    def __init__(self, store: ObjectStore, root: Path | None) -> None:
        self._store = store
        self._root = root

    @classmethod
    def open(cls, url: str) -> Blobs:
        """`file:///folder` (made when missing) or any address obstore knows (s3://, gs://, az://)."""
        parts = urlsplit(url)
        if parts.scheme == "file":
            root = Path(unquote(parts.path))
            root.mkdir(parents=True, exist_ok=True)
            return cls(LocalStore(root), root)
        return cls(from_url(url), None)

    async def put(self, key: str, body: bytes) -> None:
        """Store bytes at once; visible whole or not at all."""
        try:
            await obstore.put_async(self._store, key, body)
        except (BaseError, OSError) as error:
            raise _failure(error) from error

    async def put_stream(self, key: str, pieces: AsyncIterable[bytes]) -> int:
        """Store a stream without holding it in memory; nothing is visible if it breaks off. Returns the bytes stored."""
        size = 0

        async def counted() -> AsyncIterator[bytes]:
            nonlocal size
            async for piece in pieces:
                size += len(piece)
                yield piece

        try:
            await obstore.put_async(self._store, key, counted(), use_multipart=True, chunk_size=PART_BYTES)
        except (BaseError, OSError) as error:
            raise _failure(error) from error
        return size

    async def get(self, key: str) -> bytes:
        """All bytes of an object. Raises LookupError when there is none."""
        try:
            return bytes(await (await obstore.get_async(self._store, key)).bytes_async())
        except (NotFoundError, FileNotFoundError):
            raise LookupError(key) from None
        except (BaseError, OSError) as error:
            raise _failure(error) from error

    async def size(self, key: str) -> int | None:
        """Bytes of an object; None when there is none."""
        try:
            return (await obstore.head_async(self._store, key))["size"]
        except (NotFoundError, FileNotFoundError):
            return None
        except (BaseError, OSError) as error:
            raise _failure(error) from error

    async def get_stream(self, key: str, start: int = 0, end: int | None = None) -> AsyncIterator[bytes]:
        """Bytes from `start` up to and without `end`, piece by piece. Raises LookupError when there is none."""
        size = await self.size(key)
        if size is None:
            raise LookupError(key)
        stop = size if end is None else min(end, size)
        for at in range(start, stop, PART_BYTES):
            piece = await obstore.get_range_async(self._store, key, start=at, end=min(at + PART_BYTES, stop))
            yield bytes(piece)

    async def copy_to(self, key: str, file: IO[bytes]) -> None:
        """Write an object's bytes into an open file. Raises LookupError when there is none, TransientError `tmp_full`."""
        try:
            async for piece in self.get_stream(key):
                await asyncio.to_thread(file.write, piece)
            file.flush()
        except OSError as error:
            raise TransientError("tmp_full") from error

    @asynccontextmanager
    async def opened(self, key: str) -> AsyncIterator[int]:
        """An object as an open descriptor: of its file where the store is a folder, else of a temporary copy. Raises as `copy_to`."""
        path = self.local_path(key)
        if path is None:
            with temporary_file() as copy:
                await self.copy_to(key, copy)
                yield copy.fileno()
            return
        try:
            opened = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            raise LookupError(key) from None
        try:
            yield opened
        finally:
            os.close(opened)

    def local_path(self, key: str) -> Path | None:
        """The object as a file, when the store is a folder."""
        return self._root / key if self._root is not None else None

    async def move(self, key: str, to: str) -> None:
        """Give an object another key."""
        try:
            await obstore.rename_async(self._store, key, to)
        except (NotFoundError, FileNotFoundError):
            raise LookupError(key) from None
        except (BaseError, OSError) as error:
            raise _failure(error) from error

    async def delete(self, key: str) -> None:
        """Remove an object; one that is not there is no error."""
        try:
            await obstore.delete_async(self._store, key)
        except (NotFoundError, FileNotFoundError):
            return
        except (BaseError, OSError) as error:
            raise _failure(error) from error

    async def list(self, prefix: str) -> list[tuple[str, float]]:
        """Keys under a prefix with the age of each in Unix seconds of last change."""
        found = []
        async for batch in obstore.list(self._store, prefix):
            found += [(meta["path"], meta["last_modified"].timestamp()) for meta in batch]
        return found


def _failure(error: Exception) -> TransientError:
    full = "No space left" in str(error) or "StorageFull" in str(error) or "os error 28" in str(error)
    return TransientError("storage_full" if full else "busy")

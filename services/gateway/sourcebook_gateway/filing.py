"""One file of an upload: streamed into storage, hashed and sniffed on the way, never held in memory."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field
from uuid import uuid4

from sourcebook_core import kinds
from sourcebook_core.errors import PermanentError, RequestError, SourcebookError
from sourcebook_core.settings import Limits
from sourcebook_core.store.sources import Added
from sourcebook_gateway import adding, metrics
from sourcebook_gateway.adding import Kept, Refused
from sourcebook_gateway.deps import Caller, Shared

_TEXTS = (kinds.PLAIN, kinds.MARKDOWN, kinds.CSV, kinds.TSV)


@dataclass(frozen=True)
class Filed:
    """What became of a file. An `archive` is stored under its key and is no source: its files are to be."""

    item: Kept | Refused
    digest: bytes
    is_archive: bool = False


@dataclass
class _Seen:
    """What is known of a file while its bytes go by."""

    name: str
    limits: Limits
    may_be_archive: bool
    size: int = 0
    kind: kinds.Kind | None = None
    error: SourcebookError | None = None
    head: bytes = b""
    hashed: hashlib._Hash = field(default_factory=hashlib.sha256)

    async def kept(self, chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        """The bytes that are to be stored; those of a refused file are read past."""
        async for raw in chunks:
            self.hashed.update(raw)
            self.size += len(raw)
            fresh = raw
            if self.error is None and self.kind is None:
                self.head += raw
                if len(self.head) < kinds.HEAD_BYTES:
                    continue
                fresh = self._told()
            self._bound()
            if self.error is None and fresh:
                yield fresh
        if self.error is None and self.kind is None:
            fresh = self._told()
            if self.error is None and fresh:
                yield fresh

    def _told(self) -> bytes:
        try:
            self.kind = kinds.sniff(self.head, self.name)
            if self.kind == kinds.ARCHIVE and not self.may_be_archive:
                why = "it is an archive in an archive; unpack it and add its files."
                self.error = PermanentError("unsupported_kind", name=self.name, why=why)
        except PermanentError as refused:
            self.error = refused
        return self.head

    def _bound(self) -> None:
        if self.error is None and self.kind in _TEXTS and self.size > self.limits.text_bytes:
            self.error = RequestError(413, "too_large", limit=f"{self.limits.text_bytes // 1_000_000} MB for a text")


async def keep(shared: Shared, caller: Caller, name: str, chunks: AsyncIterator[bytes], *, may_be_archive: bool = True) -> Filed:
    """Store a file as a source to be, or say why not; raises what reading the chunks or storing them raises.

    Every chunk is taken, also of a file that is refused by its first bytes: the next file comes behind it.
    """
    source_id = uuid4()
    key = adding.upload_key(source_id)
    seen = _Seen(name, shared.settings.limits, may_be_archive)
    await _store(shared, key, seen.kept(chunks))
    metrics.uploaded.inc(seen.size)
    digest = seen.hashed.digest()
    if seen.error is not None or seen.kind is None:
        await shared.blobs.delete(key)
        return Filed(Refused(name, seen.error or PermanentError("empty_file", name=name)), digest)
    added = Added(
        id=source_id, owner_id=caller.person_id, added_by=caller.person_id, kind=seen.kind.kind, title=name, file_name=name,
        media_type=seen.kind.media_type, byte_size=seen.size, content_hash=digest, has_file=True,
    )  # fmt: skip
    return Filed(Kept(added, key), digest, is_archive=seen.kind == kinds.ARCHIVE)


async def _store(shared: Shared, key: str, pieces: AsyncIterator[bytes]) -> None:
    """Store a stream; when reading it fails, that error is raised and not what storage makes of it."""
    failed: list[BaseException] = []

    async def watched() -> AsyncIterator[bytes]:
        try:
            async for piece in pieces:
                yield piece
        except (SourcebookError, asyncio.CancelledError) as error:
            failed.append(error)
            raise

    try:
        await shared.blobs.put_stream(key, watched())
    except Exception:
        with suppress(SourcebookError):
            await shared.blobs.delete(key)
        if failed:
            raise failed[0] from None
        raise

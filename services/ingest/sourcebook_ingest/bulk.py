"""Care for scopes too large to scan: the words of owners with very many chunks as postings, the vectors of a large space as an index."""

from __future__ import annotations

import time
from uuid import UUID

from sourcebook_core import faults, jobs, log
from sourcebook_core.db import Conn
from sourcebook_core.errors import TransientError, TurnOver
from sourcebook_core.jobs import IndexVectors, PostWords, task
from sourcebook_core.settings import Settings
from sourcebook_core.store import postings, spaces, vector_index
from sourcebook_ingest.deps import Deps

_log = log.get(__name__)
BATCH_CHUNKS = 1000  # about a second of work; what a crash costs again
BATCH_PARTS = 500


async def notice(conn: Conn, settings: Settings, owner_id: UUID | None = None) -> None:
    """Queue what large scopes lack: of one owner, or of all. Ring `care` after the commit. Safe to call at any time."""
    found = await postings.owners_over(conn, settings.exact_scan_chunks, owner_id)
    for one in found:
        await jobs.insert(conn, PostWords(owner_id=one), owner_id=one, once=one)
    if owner_id is not None and not found:
        return
    space = await spaces.find_in_use(conn)
    if space is None or await vector_index.count(conn, space.id) <= settings.exact_scan_chunks:
        return
    index = await vector_index.find(conn, space.id)
    if index is None or not index.is_valid:
        await jobs.insert(conn, IndexVectors(space_id=space.id), once=space.id)


@task(PostWords)
async def post_words(work: PostWords, deps: Deps) -> None:
    """Write the postings of every reading of an owner that has none, in batches, each a commit that knows how far it is.

    Safe to run twice. Gives its slot to others after `turn_s`; what is added meanwhile is found by the next look.
    """
    ends = time.monotonic() + deps.settings.jobs.turn_s
    while True:
        async with deps.db.transaction() as conn:
            parts = await postings.list_unposted(conn, work.owner_id, BATCH_PARTS)
        if not parts:
            break
        for part in parts:
            written = BATCH_CHUNKS
            while written == BATCH_CHUNKS:
                async with jobs.holding(deps.db, work, checkpoint=True) as conn:
                    written = await postings.write_batch(conn, part, BATCH_CHUNKS)
                await faults.point(deps.settings, "postings.written")
                if time.monotonic() > ends:
                    raise TurnOver
    async with deps.db.outside() as conn:
        await postings.settle(conn)
    async with jobs.finishing(deps.db, work):
        pass
    _log.info("words.posted", owner_id=str(work.owner_id))


@task(IndexVectors, is_aside=True)
async def index_vectors(work: IndexVectors, deps: Deps) -> None:
    """Make the index by meaning of a space, which takes minutes, beside all other work; what an earlier try left is dropped first.

    Safe to run twice, also at once: the catalogue says whether it is there, and a lock of the session lets one at a time. Raises
    TransientError while a session that made it lives on without its worker.
    """
    async with deps.db.transaction() as conn:
        space = await spaces.find(conn, work.space_id)
        is_safe = await vector_index.is_safe(conn)
    if not is_safe:
        _log.warning("vector_index.refused", reason="pgvector is older than 0.8.4")
    elif space is not None and space.state == "in_use":
        async with deps.db.outside() as conn, vector_index.locked(conn, space.id) as is_mine:
            if not is_mine:
                raise TransientError("busy", retry_after_s=60)
            await _make(conn, deps, space.id, space.dimension)
    async with jobs.finishing(deps.db, work):
        pass


async def _make(conn: Conn, deps: Deps, space_id: UUID, dimension: int) -> None:
    index = await vector_index.find(conn, space_id)
    if index is not None and index.is_valid:
        return
    if index is not None:
        await vector_index.drop(conn, space_id)
    began = time.monotonic()
    await faults.point(deps.settings, "vectors.indexing")
    await vector_index.build(conn, space_id, dimension, await vector_index.count(conn, space_id))
    _log.info("vector_index.made", space_id=str(space_id), seconds=round(time.monotonic() - began, 1))


async def drop_retired(deps: Deps) -> None:
    """Drop the indexes of retired spaces; part of the hourly care. Safe to run twice."""
    async with deps.db.outside() as conn:
        for space_id in await vector_index.of_no_space(conn):
            async with vector_index.locked(conn, space_id) as is_mine:
                if is_mine:  # else it is just being made, and goes in an hour
                    await vector_index.drop(conn, space_id)

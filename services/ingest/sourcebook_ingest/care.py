"""Care: removing for good what was deleted, clearing what nothing points to, and building a new embedding space."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import Any
from uuid import UUID

from sourcebook_core import events, jobs, log, new_space, paused, roles
from sourcebook_core.blobs import Blobs
from sourcebook_core.db import Conn
from sourcebook_core.errors import SourcebookError, TurnOver
from sourcebook_core.jobs import OF_A_SOURCE, PurgeDeleted, RebuildSpace, task
from sourcebook_core.settings import RoleSettings
from sourcebook_core.store import (
    counters,
    idempotency,
    misses,
    notes,
    postings,
    rebuild,
    recipes,
    source_work,
    spaces,
    traces,
    trash,
    visitors,
)
from sourcebook_core.store import jobs as job_rows
from sourcebook_core.store.chunks import Part
from sourcebook_core.store.spaces import Space
from sourcebook_ingest import bulk, floors, index
from sourcebook_ingest.deps import Deps
from sourcebook_ingest.indexing import INDEX_ATTEMPTS
from sourcebook_ingest.tasks import FIRST_VERSION, READER_VERSIONS

_log = log.get(__name__)
EVERY_S = 3600.0
BATCH = 500
POSTINGS_BATCH = 20_000  # rows of bytes alone, many to a chunk
VISITORS_BATCH = 50  # each is looked for in every table that names people, some of them without an index
# A blob is stored before its row, so one without a row may be an upload that is still going on.
ORPHAN_AFTER_S = 86_400.0
JOBS_KEPT_S = 14 * 86_400.0
MISSES_KEPT_DAYS = 90  # after they were marked as solved: long enough to see whether they come back
_ONCE = "hourly"


async def begin_care(deps: Deps) -> None:
    """Have the hourly care queued, which queues itself again, and what a model set since the last start has to do.

    Safe to call from every worker.
    """
    async with deps.db.transaction() as conn:
        # What newer readers or a newer analyser would change is only marked (S3-22): reading it anew is a person's word. In a transaction
        # of its own, for queueing may wait for another worker's care, and holds jobs whose workers have locked their source before them.
        await recipes.mark_old_readings(conn, READER_VERSIONS, FIRST_VERSION)
        await recipes.want_newer_words(conn)
    async with deps.db.transaction() as conn:
        await jobs.insert(conn, PurgeDeleted(), once=_ONCE)
        await _notice_model(conn, deps)
        await floors.want(conn, deps.settings)
        await bulk.notice(conn, deps.settings)


async def _notice_model(conn: Conn, deps: Deps) -> None:
    """Queue the indexing of readings that lack the vectors of the embedding role's model (the page does so for its own changes)."""
    role = (await roles.effective_roles(conn, deps.settings))["embedding"]
    if not role.is_on:
        return
    await new_space.go_on(conn, role)  # with every start, also after a rebuild failed or lost its job
    current = await spaces.find_in_use(conn)
    if current is None or not roles.is_of_space(role, current) or await rebuild.find_missing(conn, current.id) is not None:
        await new_space.index_unindexed(conn)


async def _again_in_an_hour(conn: Conn, work: PurgeDeleted, error: SourcebookError) -> None:
    """Care that failed for good is taken up again all the same: else nothing was removed any more until a worker starts."""
    await jobs.insert(conn, PurgeDeleted(), once=_ONCE, delay_s=EVERY_S)


@task(PurgeDeleted, failed=_again_in_an_hour)
async def purge_deleted(work: PurgeDeleted, deps: Deps) -> None:
    """Remove what lay in the trash long enough or was deleted for good, and every word of it; then clear what is left over.

    In batches, each a commit; safe to run twice. Queues itself again in an hour.
    """
    days = deps.settings.limits.trash_days
    while True:
        async with jobs.holding(deps.db, work) as conn:
            due = await trash.sources_due(conn, days, BATCH)
        for source_id in due:
            await _erase(deps, work, source_id)
        if len(due) < BATCH:
            break
    visitor_days = deps.settings.limits.visitor_days
    if visitor_days:
        await _in_batches(deps, work, visitors.end_idle, visitor_days)
    await _in_batches(deps, work, trash.delete_due_conversations, days)
    await _in_batches(deps, work, notes.delete_due, days)
    await _in_batches(deps, work, trash.delete_due_notebooks, days)
    await _in_batches(deps, work, trash.delete_due_assistants, days)
    await _clear(deps, work)
    async with jobs.holding(deps.db, work) as conn:
        # Ended before the next one is queued: there is at most one unfinished job of this key.
        await job_rows.finish(conn, work.claim.job_id, work.claim.fence, state="done", result=None, error=None)
        await jobs.insert(conn, PurgeDeleted(), once=_ONCE, delay_s=EVERY_S)


async def _erase(deps: Deps, work: PurgeDeleted, source_id: UUID) -> None:
    async with jobs.holding(deps.db, work) as conn:
        await jobs.cancel(conn, source_id, *OF_A_SOURCE)  # after this commit no worker writes for it any more
    for key, _ in await deps.blobs.list(f"sources/{source_id}/"):
        await deps.blobs.delete(key)
    await _in_batches(deps, work, trash.delete_corpus_batch, source_id)
    told: list[tuple[UUID, int]] = []
    async with jobs.holding(deps.db, work, checkpoint=True) as conn:
        if await source_work.is_deleted(conn, source_id):  # it may have been restored in this moment
            told = await trash.erase_source(conn, source_id)
    # Streams end by themselves within the hour; with Redis away that has to do.
    await events.forget(deps.redis, told)
    _log.info("source.erased", source_id=str(source_id))


async def _in_batches(deps: Deps, work: PurgeDeleted, remove: Callable[..., Awaitable[int]], *given: Any, size: int = BATCH) -> None:
    """Remove what is to go, at most `size` rows a commit. `remove(conn, *given, limit)` returns how many went."""
    count = size
    while count == size:
        async with jobs.holding(deps.db, work, checkpoint=True) as conn:
            count = await remove(conn, *given, size)


async def _clear(deps: Deps, work: PurgeDeleted) -> None:
    await _in_batches(deps, work, rebuild.delete_retired)
    await _in_batches(deps, work, job_rows.delete_finished, JOBS_KEPT_S)
    await _in_batches(deps, work, recipes.delete_unused)
    await _in_batches(deps, work, misses.delete_solved, MISSES_KEPT_DAYS)
    if deps.settings.limits.visitor_days:
        await _in_batches(deps, work, visitors.delete_idle, deps.settings.limits.visitor_days, size=VISITORS_BATCH)
    await _in_batches(deps, work, visitors.delete_forgotten)
    await bulk.drop_retired(deps)
    await _in_batches(deps, work, postings.delete_gone, size=POSTINGS_BATCH)
    await _in_batches(deps, work, traces.delete_expired)
    await _in_batches(deps, work, traces.forget_why, deps.settings.limits.trace_days)
    await _in_batches(deps, work, counters.delete_ended)
    async with jobs.holding(deps.db, work) as conn:
        await idempotency.delete_old(conn)
        await paused.resume_all(conn)  # a month began, or credit came while no gateway told
        await bulk.notice(conn, deps.settings)
        await floors.want(conn, deps.settings)  # one is not measured while another model is chosen
        for one in await recipes.lacking(conn):
            await jobs.insert_indexing(
                conn, owner_id=one.owner_id, source_id=one.source_id, reading_id=one.reading_id, recipe_id=one.recipe_id
            )
    await _delete_orphans(deps, deps.blobs)


async def _delete_orphans(deps: Deps, blobs: Blobs) -> None:
    """Remove blobs of sources that have no row, and what is left of broken uploads, once they are a day old."""
    oldest = time.time() - ORPHAN_AFTER_S
    for key, changed in await blobs.list("uploads/"):
        if changed < oldest:
            await blobs.delete(key)
    old: dict[UUID, list[str]] = {}
    for key, changed in await blobs.list("sources/"):
        parts = key.split("/")
        try:
            source_id = UUID(parts[1])
        except (ValueError, IndexError):
            continue
        if changed < oldest:
            old.setdefault(source_id, []).append(key)
    ids = list(old)
    for start in range(0, len(ids), BATCH):
        async with deps.db.transaction() as conn:
            known = await source_work.content_hashes(conn, ids[start : start + BATCH])
        for source_id in ids[start : start + BATCH]:
            for key in old[source_id]:
                if source_id not in known or _is_left_over(key, known[source_id]):
                    await blobs.delete(key)


def _is_left_over(key: str, content_hash: bytes | None) -> bool:
    """Whether new content came for a known source whose row never named it."""
    kept = content_hash.hex() if content_hash else None
    return key.split("/")[2] == "incoming" and key.rpartition("/")[2] != kept


async def _left(conn: Conn, deps: Deps, space_id: UUID) -> tuple[Space, RoleSettings, Part | None] | None:
    """The space, the role of its model and one reading that it lacks; None when another model was chosen."""
    target = await spaces.get(conn, space_id)
    role = (await roles.effective_roles(conn, deps.settings))["embedding"]
    if target.state != "building" or not role.is_on or not roles.is_of_space(role, target):
        return None
    return target, role, await rebuild.find_missing(conn, space_id)


@task(RebuildSpace, attempts=INDEX_ATTEMPTS)  # hours of work must not end because a model is away for minutes
async def rebuild_space(work: RebuildSpace, deps: Deps) -> None:
    """Embed every reading in use in the space of a newly chosen model, then swap: questions see the old space or the new.

    Safe to run twice: vectors that are there are skipped. A failure changes nothing. Ends without a swap when another
    model was chosen meanwhile.
    """
    while True:
        async with deps.db.transaction() as conn:
            left = await _left(conn, deps, work.space_id)
        if left is None:
            break
        target, role, missing = left
        if missing is None:
            break
        await index.embed_reading(deps, work, role, target, missing)
    async with jobs.finishing(deps.db, work) as conn:
        left = await _left(conn, deps, work.space_id)  # whoever chose the model again meanwhile found this job running
        if left is None:
            return
        target, _, missing = left
        if missing is not None:
            raise TurnOver
        await rebuild.mark_full(conn, target.id)
        await spaces.swap(conn, target.id)
        await bulk.notice(conn, deps.settings)
    _log.info("space.swapped", space_id=str(target.id), model=target.model)

"""The task of indexing: a reading to an index, by its words first, then by captions and vectors; and what its end puts in use."""

from __future__ import annotations

import time
from uuid import UUID

from sourcebook_core import faults, hooks, jobs, log, roles
from sourcebook_core.db import Conn
from sourcebook_core.errors import CODES, PermanentError, TransientError, TurnOver
from sourcebook_core.jobs import IndexReading, SummariseSource, task
from sourcebook_core.settings import RoleSettings
from sourcebook_core.store import calls, chunks, indexes, readings, recipes, source_work, summaries
from sourcebook_core.store.indexes import Index, Recipe
from sourcebook_core.store.source_work import SourceWork
from sourcebook_core.store.spaces import Space
from sourcebook_ingest import bulk, captions, index, report, space
from sourcebook_ingest.deps import Deps
from sourcebook_ingest.failures import record_failure, tell_failure

_log = log.get(__name__)
# A model that is away keeps a source in `indexing`, found by its words, for hours of retries, not for seconds.
INDEX_ATTEMPTS = 40
Warnings = list[dict[str, str]]


async def queue_indexing(conn: Conn, deps: Deps, source: SourceWork, reading_id: UUID, read_by: UUID) -> None:
    """Queue a reading's indexing under every recipe by which it is to be found and is not yet.

    It takes the place in the line of the job `read_by` that read it: at its end, the first of many files would not be found
    before the last of them was read.
    """
    # A source in no notebook gets the recipe that a new notebook would have.
    otherwise = roles.recipe_for((await roles.effective_roles(conn, deps.settings))["embedding"])
    for recipe_id in await indexes.recipes_wanted(conn, source.id, otherwise):
        await jobs.insert_indexing(
            conn, owner_id=source.owner_id, source_id=source.id, reading_id=reading_id, recipe_id=recipe_id, place_of=read_by
        )


async def queue_summary(conn: Conn, source: SourceWork, reading_id: UUID) -> None:
    """Queue the summary of a reading, unless it is queued or written."""
    kept = await summaries.find(conn, source.id)
    if kept is None or (kept.reading_id, kept.kind) != (reading_id, "written"):
        work = SummariseSource(source_id=source.id, reading_id=reading_id)
        await jobs.insert(conn, work, owner_id=source.owner_id, subject=source.id, once=reading_id)


@task(IndexReading, failed=record_failure, attempts=INDEX_ATTEMPTS, ended=tell_failure)
async def index_reading(work: IndexReading, deps: Deps) -> None:
    """Make a reading searchable under a recipe: by its words first, then by its vectors in the space of the embedding role.

    Safe to run twice: chunks and vectors are written in batches under the fence, and those already there are skipped.
    """
    began = time.monotonic()
    if work.claim.crashes > deps.settings.jobs.attempts:
        raise PermanentError("gave_up", attempts=work.claim.crashes)
    source = await _start_indexing(deps, work)
    if source is None:
        return
    reading, recipe = await index.load(deps, work)
    total = await index.cut(deps, work, reading, recipe)
    if not total:
        raise PermanentError("no_text", name=source.name)
    words = await _open_index(deps, work, None)
    async with jobs.holding(deps.db, work) as conn:
        if words.state == "building":
            await indexes.set_state(conn, words.id, "words", total)
        await source_work.progress(conn, source.id, "indexing", 0, total)
    await deps.tell(source.id)
    await faults.point(deps.settings, "index.chunked")
    role, target, warnings = await _understand(deps, work, source, recipe, total)
    await faults.point(deps.settings, "index.embedded")
    built = await _open_index(deps, work, target) if target else words
    await faults.point(deps.settings, "index.indexed")
    if target is None:
        warnings = [*warnings, _words_only(role)]
    await _finish_index(deps, work, recipe, built, total, warnings, began, target)
    await deps.tell(source.id)
    await faults.point(deps.settings, "source.ready")


async def _start_indexing(deps: Deps, work: IndexReading) -> SourceWork | None:
    """The source, shown as `indexing` unless it was ready before (a link from another notebook); None when it is deleted."""
    async with jobs.holding(deps.db, work) as conn:
        source = await source_work.lock(conn, work.source_id)
        if source is None or source.deleted_at is not None:
            await stop(conn, source)
            return None
        if source.status != "ready":
            await source_work.start(conn, source.id, "indexing")
        return source


async def stop(conn: Conn, source: SourceWork | None) -> None:
    """A source in the trash is not worked on; should it come back, it says that it was stopped and can be started again."""
    if source is not None and source.status != "ready":
        await source_work.end(conn, source.id, "stopped", "stopped", CODES["stopped"])


async def _open_index(deps: Deps, work: IndexReading, target: Space | None) -> Index:
    async with jobs.holding(deps.db, work) as conn:
        return await indexes.open_index(conn, work.reading_id, work.source_id, work.recipe_id, target.id if target else None)


async def _understand(
    deps: Deps, work: IndexReading, source: SourceWork, recipe: Recipe, total: int
) -> tuple[RoleSettings, Space | None, Warnings]:
    """The captions, where the recipe has them, then the vectors. While a model is away the source says so and keeps its words."""
    try:
        warnings = await captions.write(deps, work, source, recipe, total) if recipe.captions else []
        is_captioned = recipe.captions and not any(one["code"] == "no_captions" for one in warnings)
        role, target = await _embed(deps, work, source, total, total if is_captioned else 0)
    except TransientError as error:
        async with jobs.holding(deps.db, work) as conn:
            await source_work.trouble(conn, source.id, error.code, error.message)
        await deps.tell(source.id)
        raise
    return role, target, warnings


async def _embed(deps: Deps, work: IndexReading, source: SourceWork, total: int, before: int) -> tuple[RoleSettings, Space | None]:
    async with deps.db.transaction() as conn:
        role, is_refused = await roles.for_source(conn, deps.settings, "embedding", source.id)
    if not role.is_on or is_refused:
        return role, None
    target = await space.wanted(deps, role)
    part = chunks.Part(work.source_id, work.reading_id, work.recipe_id)
    await index.embed_reading(deps, work, role, target, part, before + total, before)
    return role, target


async def _finish_index(
    deps: Deps, work: IndexReading, recipe: Recipe, built: Index, total: int, warnings: Warnings, began: float, target: Space | None
) -> None:
    async with jobs.finishing(deps.db, work) as conn:
        if not await _is_as_chosen(conn, deps, work, target):
            raise TurnOver  # whoever chose another model found this job running, and queued none
        if built.space_id is not None:
            await indexes.set_state(conn, built.id, "full", total)
            await indexes.delete_wordless(conn, work.reading_id, recipe.id, built.id)
        await indexes.set_whole(conn, work.reading_id, recipe.id)
        source = await _newest(conn, work)
        if source is None:
            return  # a later reading took its place meanwhile
        if source.reading_id != work.reading_id and await indexes.is_awaited(conn, source.id, work.reading_id, work.claim.job_id):
            return  # the last of its recipes takes the place of the reading before, or a notebook would not find it meanwhile
        count, cost = await calls.spent_on_source(conn, source.id)
        told = report.of_index(
            await source_work.report_of(conn, source.id), calls=count, cost=cost, currency=deps.prices.currency,
            seconds=time.monotonic() - began, warnings=warnings,
        )  # fmt: skip
        await source_work.swap(conn, source.id, work.reading_id)
        await source_work.ready(conn, source.id, await chunks.count(conn, work.reading_id, recipe.id), told)
        if source.status != "ready":  # else one more recipe of a source that is there
            await hooks.tell(conn, source.owner_id, "source.ready", {"source_id": str(source.id), "reading_id": str(work.reading_id)})
        await readings.delete_superseded(conn, source.id, work.reading_id)
        await _put_in_use(conn, deps, source, work)
    await deps.bell.ring("ingest")
    _log.info("source.indexed", source_id=str(source.id), chunks=total, recipe=recipe.id)


async def _is_as_chosen(conn: Conn, deps: Deps, work: IndexReading, target: Space | None) -> bool:
    """Whether the vectors went where the embedding role sends them now."""
    role, is_refused = await roles.for_source(conn, deps.settings, "embedding", work.source_id)
    return roles.is_of_space(role, target) if target else not role.is_on or is_refused


async def _put_in_use(conn: Conn, deps: Deps, source: SourceWork, work: IndexReading) -> None:
    """What follows from a whole index: recipes that were chosen since it was queued, the swap of those that wait for it, and
    a summary that knows the middle of the text."""
    otherwise = work.recipe_id
    for recipe_id in await indexes.recipes_wanted(conn, source.id, otherwise):
        if recipe_id != work.recipe_id and not await indexes.is_built(conn, work.reading_id, recipe_id):
            await jobs.insert_indexing(conn, owner_id=source.owner_id, source_id=source.id, reading_id=work.reading_id, recipe_id=recipe_id)
    for holder in await recipes.wanting(conn, source.id):
        if await recipes.swap_if_whole(conn, holder):
            _log.info("recipe.swapped", holder=holder.kind, id=str(holder.id))
    await bulk.notice(conn, deps.settings, source.owner_id)
    await queue_summary(conn, source, work.reading_id)


async def _newest(conn: Conn, work: IndexReading) -> SourceWork | None:
    """The source as it is now, when this is its newest reading."""
    source = await source_work.lock(conn, work.source_id)
    return source if await readings.newest_closed(conn, work.source_id) == work.reading_id else None


def _words_only(role: RoleSettings) -> dict[str, str]:
    if role.is_on:
        why = "a notebook or assistant that holds it keeps to models on this server, and the embedding model is hosted."
        return {"code": "words_only", "message": f"It is found by its words alone: {why}"}
    why = "It is found by its words alone, because no embedding model is connected."
    return {"code": "words_only", "message": f"{why} Connect one under Models to find it by meaning too."}

"""The tasks of reading: bytes to a reading, a reading to an index."""

from __future__ import annotations

import hashlib
import time
from contextlib import aclosing
from uuid import UUID, uuid4

from sourcebook_core import accounting, faults, jobs, log, roles
from sourcebook_core.db import Conn
from sourcebook_core.errors import CODES, PermanentError, TransientError, TurnOver
from sourcebook_core.jobs import IndexReading, ReadSource, task
from sourcebook_core.settings import RoleSettings
from sourcebook_core.store import calls, chunks, indexes, passages, readings, source_work, web
from sourcebook_core.store.indexes import Index, Recipe
from sourcebook_core.store.readings import Reading
from sourcebook_core.store.source_work import Found, SourceWork
from sourcebook_core.store.spaces import Space
from sourcebook_core.text import language
from sourcebook_ingest import fetch, index, report, space
from sourcebook_ingest.deps import Deps
from sourcebook_ingest.failures import record_failure, tell_failure
from sourcebook_ingest.read import kinds
from sourcebook_ingest.read.outcome import Facts, NeedsApproval, usable_title

_log = log.get(__name__)
# Raise it when a reader gives other text for the same bytes: an interrupted reading of the version before is begun anew.
READER_VERSION = 1
LANGUAGE_CHARS = 2000
# An embedding model that is away keeps a source in `indexing`, found by its words, for hours of retries, not for seconds.
INDEX_ATTEMPTS = 40


@task(ReadSource, failed=record_failure, ended=tell_failure)
async def read_source(work: ReadSource, deps: Deps) -> None:
    """Turn a source's bytes into a reading and ask for it to be indexed.

    Safe to run twice: passages already read are kept, the follow-up job exists once.
    """
    began = time.monotonic()
    await faults.point(deps.settings, "read.accepted")
    async with jobs.holding(deps.db, work) as conn:
        source = await source_work.lock(conn, work.source_id)
        if source is None or source.deleted_at is not None:
            await _stop(conn, source)
            return
        unindexed = await readings.find_unindexed(conn, source.id, _fingerprint(source))
        await source_work.start(conn, source.id, "indexing" if unindexed else "reading")
        begun = await readings.find_open(conn, source.id, _fingerprint(source))
    await deps.tell(source.id)
    if unindexed is None:
        source = await fetch.fetch(deps, work, source, begun is not None)
        await faults.point(deps.settings, "read.stored")
        async with deps.db.transaction() as conn:
            unindexed = await web.find_unchanged(conn, source.id, _fingerprint(source))
    if unindexed is not None:  # read before: only its indexing came to no end, or its page is what it was
        async with jobs.finishing(deps.db, work) as conn:
            await _queue_indexing(conn, deps, source, unindexed)
    else:
        try:
            reading, facts = await _read_passages(deps, work, source)
            await faults.point(deps.settings, "read.parsed")
            await _finish_reading(deps, work, source, reading, facts, began)
        except NeedsApproval as ask:
            async with jobs.finishing(deps.db, work) as conn:
                await source_work.ask_approval(conn, source.id, ask.estimate)
    await deps.bell.ring("ingest")
    await deps.tell(source.id)


async def _read_passages(deps: Deps, work: ReadSource, source: SourceWork) -> tuple[Reading, Facts]:
    fingerprint = _fingerprint(source)
    async with jobs.holding(deps.db, work) as conn:
        reading = await readings.find_open(conn, source.id, fingerprint) or await readings.insert(conn, uuid4(), source.id, fingerprint)
        await readings.delete_abandoned(conn, source.id, keep=reading.id)
        have = await passages.ordinals(conn, reading.id)
    facts = Facts()
    turn_ends = time.monotonic() + deps.settings.jobs.turn_s
    async with aclosing(kinds.reader_of(source)(deps, work, source, have, facts)) as windows:
        async for window in windows:
            fresh = [passage for passage in window.passages if passage.ordinal not in have]
            async with jobs.holding(deps.db, work, checkpoint=bool(fresh)) as conn:
                await passages.insert_many(conn, reading.id, source.id, fresh)
                for paid in window.paid:
                    await accounting.finish(conn, paid.call, response=paid.response, units=paid.units, cost=paid.cost)
                await source_work.progress(conn, source.id, "reading", window.done, window.total)
            await deps.tell(source.id)
            # What is read for minutes (pictures, recordings) leaves its slot to others in between, and comes back to the rest.
            if fresh and window.may_pause and time.monotonic() >= turn_ends and window.done != window.total:
                raise TurnOver
    return reading, facts


def _fingerprint(source: SourceWork) -> str:
    content = source.content_hash.hex() if source.content_hash else hashlib.sha256(str(source.url).encode()).hexdigest()
    return f"{READER_VERSION}:{source.kind}:{source.capture}:{content}"


async def _finish_reading(deps: Deps, work: ReadSource, source: SourceWork, reading: Reading, facts: Facts, began: float) -> None:
    async with deps.db.transaction() as conn:
        states = await passages.list_states(conn, reading.id)
        head = await passages.head(conn, reading.id, LANGUAGE_CHARS)
    kinds.refuse_unreadable(source, states, deps.settings)
    spoken = language.identify(head)
    told = report.of_reading(
        states, pages=facts.pages, duration_ms=facts.duration_ms, warnings=facts.warnings, seconds=time.monotonic() - began
    )
    found = Found(facts.pages, told["words"], spoken, facts.authors, facts.year, facts.meta, usable_title(facts.title), facts.duration_ms)
    async with jobs.finishing(deps.db, work) as conn:
        await readings.close(conn, reading.id, language=spoken, page_count=facts.pages, outline=facts.outline, gap=facts.gap)
        await source_work.read(conn, source.id, reading.id, found, told)
        await _queue_indexing(conn, deps, source, reading.id)
    _log.info("source.read", source_id=str(source.id), pages=facts.pages, words=told["words"])


async def _queue_indexing(conn: Conn, deps: Deps, source: SourceWork, reading_id: UUID) -> None:
    # A source in no notebook gets the recipe that a new notebook would have.
    otherwise = roles.recipe_for((await roles.effective_roles(conn, deps.settings))["embedding"])
    for recipe_id in await indexes.recipes_wanted(conn, source.id, otherwise):
        await jobs.insert_indexing(conn, owner_id=source.owner_id, source_id=source.id, reading_id=reading_id, recipe_id=recipe_id)


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
    role, target = await _embed(deps, work, source, total)
    await faults.point(deps.settings, "index.embedded")
    built = await _open_index(deps, work, target) if target else words
    await faults.point(deps.settings, "index.indexed")
    await _finish_index(deps, work, source, recipe, built, role, total, began)
    await deps.tell(source.id)
    await faults.point(deps.settings, "source.ready")


async def _start_indexing(deps: Deps, work: IndexReading) -> SourceWork | None:
    """The source, shown as `indexing` unless it was ready before (a link from another notebook); None when it is deleted."""
    async with jobs.holding(deps.db, work) as conn:
        source = await source_work.lock(conn, work.source_id)
        if source is None or source.deleted_at is not None:
            await _stop(conn, source)
            return None
        if source.status != "ready":
            await source_work.start(conn, source.id, "indexing")
        return source


async def _stop(conn: Conn, source: SourceWork | None) -> None:
    """A source in the trash is not worked on; should it come back, it says that it was stopped and can be started again."""
    if source is not None and source.status != "ready":
        await source_work.end(conn, source.id, "stopped", "stopped", CODES["stopped"])


async def _open_index(deps: Deps, work: IndexReading, target: Space | None) -> Index:
    async with jobs.holding(deps.db, work) as conn:
        return await indexes.open_index(conn, work.reading_id, work.source_id, work.recipe_id, target.id if target else None)


async def _embed(deps: Deps, work: IndexReading, source: SourceWork, total: int) -> tuple[RoleSettings, Space | None]:
    async with deps.db.transaction() as conn:
        role = (await roles.effective_roles(conn, deps.settings))["embedding"]
        is_refused = role.provider == "api" and await source_work.is_local_only(conn, source.id)
    if not role.is_on or is_refused:
        return role, None
    try:
        target = await space.wanted(deps, role)
        part = index.Part(work.source_id, work.reading_id, work.recipe_id)
        await index.embed_reading(deps, work, role, target, part, total)
    except TransientError as error:
        async with jobs.holding(deps.db, work) as conn:
            await source_work.trouble(conn, source.id, error.code, error.message)
        await deps.tell(source.id)
        raise
    return role, target


async def _finish_index(
    deps: Deps, work: IndexReading, source: SourceWork, recipe: Recipe, built: Index, role: RoleSettings, total: int, began: float
) -> None:
    async with jobs.finishing(deps.db, work) as conn:
        if built.space_id is not None:
            await indexes.set_state(conn, built.id, "full", total)
            await indexes.delete_wordless(conn, work.reading_id, recipe.id, built.id)
        if not await _is_newest(conn, work):
            return  # a later reading took its place meanwhile
        count, cost = await calls.spent_on_source(conn, source.id)
        warnings = [] if built.space_id is not None else [_words_only(role)]
        told = report.of_index(
            await source_work.report_of(conn, source.id), calls=count, cost=cost, seconds=time.monotonic() - began, warnings=warnings
        )
        await source_work.swap(conn, source.id, work.reading_id)
        await source_work.ready(conn, source.id, await chunks.count(conn, work.reading_id, recipe.id), told)
        await readings.delete_superseded(conn, source.id, work.reading_id)
    _log.info("source.indexed", source_id=str(source.id), chunks=total, recipe=recipe.id)


async def _is_newest(conn: Conn, work: IndexReading) -> bool:
    source = await source_work.lock(conn, work.source_id)
    newest = await readings.newest_closed(conn, work.source_id)
    return source is not None and newest == work.reading_id


def _words_only(role: RoleSettings) -> dict[str, str]:
    if role.is_on:
        why = "It is found by its words alone: a notebook that holds it keeps to models on this server, and the embedding model is hosted."
        return {"code": "words_only", "message": why}
    why = "It is found by its words alone, because no embedding model is connected."
    return {"code": "words_only", "message": f"{why} Connect one under Models to find it by meaning too."}

"""The task of reading: bytes to a reading. Making it searchable is in `indexing`, saying what it is about in `summary`."""

from __future__ import annotations

import hashlib
import time
from contextlib import aclosing
from uuid import uuid4

from sourcebook_core import accounting, faults, jobs, log
from sourcebook_core.errors import PermanentError, TurnOver
from sourcebook_core.jobs import ReadSource, task
from sourcebook_core.store import passages, readings, source_work, web
from sourcebook_core.store.readings import Reading
from sourcebook_core.store.source_work import Found, SourceWork
from sourcebook_core.text import language
from sourcebook_ingest import fetch, report
from sourcebook_ingest.deps import Deps
from sourcebook_ingest.failures import record_failure, tell_failure
from sourcebook_ingest.indexing import queue_indexing, queue_summary, stop
from sourcebook_ingest.read import kinds
from sourcebook_ingest.read.outcome import Facts, NeedsApproval, usable_title

_log = log.get(__name__)
# Raised when the reader of a kind gives other text for the same bytes: an interrupted reading of the version before is begun anew,
# and finished ones are stale. 2: form values and comments of PDFs, encodings and main text of web pages.
READER_VERSIONS = {"pdf": 2, "url": 2}
FIRST_VERSION = 1
LANGUAGE_CHARS = 2000
# What any source may say, in texts of the largest size: two thousand pages that share their words would be gigabytes from a file of 50 kB.
_TEXTS = 3


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
            await stop(conn, source)
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
            await queue_indexing(conn, deps, source, unindexed, work.claim.job_id)
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
        room = _TEXTS * deps.settings.limits.text_bytes - await passages.characters(conn, reading.id)
    facts = Facts()
    turn_ends = time.monotonic() + deps.settings.jobs.turn_s
    async with aclosing(kinds.reader_of(source)(deps, work, source, have, facts)) as windows:
        async for window in windows:
            fresh = [passage for passage in window.passages if passage.ordinal not in have]
            room -= sum(len(passage.text) for passage in fresh)
            if room < 0 and not window.paid:  # what was paid for is kept
                raise PermanentError("resource_limit", name=source.name)
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
    return f"{READER_VERSIONS.get(source.kind, FIRST_VERSION)}:{source.kind}:{source.capture}:{content}"


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
        await queue_indexing(conn, deps, source, reading.id, work.claim.job_id)
        await queue_summary(conn, source, reading.id)
    _log.info("source.read", source_id=str(source.id), pages=facts.pages, words=told["words"])

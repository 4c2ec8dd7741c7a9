"""Work as rows: what can be done, how it is queued, and the transactions in which a claim may write.

Rows are the truth, Redis is the doorbell: insert a job in the transaction of the thing it is about, ring after the
commit. Claiming, leasing and retrying live in `jobs_runtime`. Protocol: architecture section 2, performance section 5.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Literal, TypeVar
from uuid import UUID, uuid4

from pydantic import BaseModel, ConfigDict, PrivateAttr

from sourcebook_core.db import Conn, Db
from sourcebook_core.errors import Overtaken, SourcebookError
from sourcebook_core.store import jobs as rows
from sourcebook_core.store.jobs import JobEnd

Queue = Literal["answer", "ingest", "make", "care"]


class Claim(BaseModel):
    """Our hold on a job: writes count only while the row still has this fence."""

    model_config = ConfigDict(frozen=True)

    job_id: UUID
    owner_id: UUID | None
    subject: UUID | None
    attempt: int
    crashes: int
    fence: int
    sealed: bytes | None


class Work(BaseModel):
    """One kind of job and what it needs to know; its fields are the row's payload."""

    model_config = ConfigDict(frozen=True)

    kind: ClassVar[str]
    queue: ClassVar[Queue]
    priority: ClassVar[int] = 0

    _claim: Claim | None = PrivateAttr(None)

    @property
    def claim(self) -> Claim:
        """The claim under which this work runs. Raises RuntimeError outside a worker."""
        if self._claim is None:
            raise RuntimeError(f"{self.kind} is not running under a claim")
        return self._claim


class ReadSource(Work):
    """Turn a source's bytes into a reading."""

    kind = "read_source"
    queue = "ingest"
    source_id: UUID


class IndexReading(Work):
    """Cut a reading by a recipe, index its words, then its meaning in the space in use."""

    kind = "index_reading"
    queue = "ingest"
    source_id: UUID
    reading_id: UUID
    recipe_id: str


class SummariseSource(Work):
    """Write what a source is about, once it is read."""

    kind = "summarise_source"
    queue = "ingest"
    priority = -10  # nobody waits for it
    source_id: UUID
    reading_id: UUID


OF_A_SOURCE: tuple[type[Work], ...] = (ReadSource, IndexReading, SummariseSource)


class LookAtSite(Work):
    """Find a site's pages and add those that are new; have known ones fetched again, where its plan says so."""

    kind = "look_at_site"
    queue = "ingest"
    site_id: UUID


class AnswerTurn(Work):
    """Answer one turn."""

    kind = "answer_turn"
    queue = "answer"
    priority = 10
    turn_id: UUID


class SearchNotebook(Work):
    """Search without an answer; the result is the job's."""

    kind = "search_notebook"
    queue = "answer"
    priority = 10
    notebook_id: UUID | None
    person_id: UUID
    query: str
    k: int = 8
    source_ids: list[UUID] | None = None
    every: bool = False


class MakeGuide(Work):
    """Write what a notebook is about, and questions that it answers."""

    kind = "make_guide"
    queue = "answer"
    priority = -10  # the page shows the one before, or none, meanwhile
    notebook_id: UUID
    person_id: UUID


class PlanAnswer(Work):
    """Everything of an answer but its writing; the result is the job's. `request` is as a turn keeps it."""

    kind = "plan_answer"
    queue = "answer"
    holder_kind: Literal["notebook", "assistant"]
    holder_id: UUID
    person_id: UUID
    question: str
    request: dict[str, Any]


class TestModel(Work):
    """Make real calls to a model role as given; an API key travels in the sealed part."""

    __test__: ClassVar[bool] = False  # for pytest: not a test class

    kind = "test_model"
    queue = "answer"
    role: str
    provider: str
    base_url: str | None = None
    model: str | None = None
    options: dict[str, Any] = {}


class PurgeDeleted(Work):
    """Remove what has been in the trash long enough, and what was deleted for good."""

    kind = "purge_deleted"
    queue = "care"


class RebuildSpace(Work):
    """Build the vectors of a new space beside the one in use, then swap."""

    kind = "rebuild_space"
    queue = "care"
    space_id: UUID


class MeasureFloor(Work):
    """Find where noise ends in a space whose model has no shipped floor."""

    kind = "measure_floor"
    queue = "care"
    priority = 10  # seconds, and answers want it
    space_id: UUID


class PostWords(Work):
    """Write the words of an owner with very many chunks term by term."""

    kind = "post_words"
    queue = "care"
    priority = -10  # a scan gives the same meanwhile
    owner_id: UUID


class IndexVectors(Work):
    """Make the index by meaning of a space with very many chunks."""

    kind = "index_vectors"
    queue = "care"
    priority = -10
    space_id: UUID


class PublishAssistant(Work):
    """Search an assistant's test questions with its draft, and put the draft in use; the result is the job's.

    `when`: always, only where every question is answered as before (`as_before`), or `never`: only look.
    """

    kind = "publish_assistant"
    queue = "answer"
    assistant_id: UUID
    person_id: UUID
    when: Literal["always", "as_before", "never"] = "always"


class SendWebhook(Work):
    """Tell one webhook of its owner that something happened: `about` holds ids and states, never anybody's words."""

    kind = "send_webhook"
    queue = "care"
    priority = 10  # a program waits for it
    webhook_id: UUID
    event: str
    at: str
    about: dict[str, Any]


class HandOver(Work):
    """Send a visitor's conversation to a person, by mail or to a webhook."""

    kind = "hand_over"
    queue = "care"
    priority = 10  # somebody waits for an answer
    handover_id: UUID


W = TypeVar("W", bound=Work)
Run = Callable[[Any, Any], Awaitable[None]]
Failed = Callable[[Conn, Any, SourcebookError], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Task(Generic[W]):
    """A function that does one kind of work, and what to write when it fails for good.

    `failed(conn, work, error)` runs in the transaction that ends the job (state failed, or cancelled with code `stopped`);
    `ended(work, deps)` after that commit, for hints to open pages.
    `attempts` bounds the claims since the last checkpoint; None = the setting. `is_aside`: it waits for a model and nobody waits
    for it, so a worker runs one such job beside its slots, and never in one that other work could have.
    """

    work: type[W]
    run: Run
    failed: Failed | None
    attempts: int | None
    ended: Run | None = None
    is_aside: bool = False


def task(
    work: type[W], *, failed: Failed | None = None, attempts: int | None = None, ended: Run | None = None, is_aside: bool = False
) -> Callable[[Run], Task[W]]:
    """Decorator: `async def do(work, deps) -> None` becomes the task for this kind of work.

    The function must be safe to run twice: claim, work, `holding` for each checkpoint, `finishing` for the end.
    """

    def wrap(run: Run) -> Task[W]:
        return Task(work, run, failed, attempts, ended, is_aside)

    return wrap


async def insert(
    conn: Conn,
    work: Work,
    *,
    owner_id: UUID | None = None,
    subject: UUID | None = None,
    once: str | UUID | None = None,
    delay_s: float = 0.0,
    sealed: bytes | None = None,
    place_of: UUID | None = None,
) -> UUID:
    """Queue work inside the caller's transaction; ring its queue after the commit. Returns the job's id.

    `once`: at most one unfinished job has this key; a second insert returns the first one's id. That job may be running and have read
    what it works on: one whose wishes can come amid it looks again in its last transaction. `sealed` is cleared by the job's end.
    `place_of`: a job whose place in the line it takes.
    """
    return await rows.insert(
        conn,
        uuid4(),
        kind=work.kind,
        queue=work.queue,
        payload=work.model_dump(mode="json"),
        owner_id=owner_id,
        subject=subject,
        once=f"{work.kind}:{once}" if once is not None else None,
        priority=work.priority,
        delay_s=delay_s,
        sealed=sealed,
        place_of=place_of,
    )


async def insert_at(conn: Conn, work: Work, *, owner_id: UUID, subject: UUID, once: UUID, delay_s: float) -> None:
    """Have work run in `delay_s` seconds, also where it waits for another time; ring after the commit when that is now."""
    if not await rows.set_due(conn, f"{work.kind}:{once}", delay_s):
        await insert(conn, work, owner_id=owner_id, subject=subject, once=once, delay_s=delay_s)


async def insert_indexing(
    conn: Conn, *, owner_id: UUID, source_id: UUID, reading_id: UUID, recipe_id: str, place_of: UUID | None = None
) -> UUID:
    """Queue the indexing of a reading under a recipe, where it is not queued yet; ring `ingest` after the commit.

    `place_of`: the job whose place in the line it takes.
    """
    work = IndexReading(source_id=source_id, reading_id=reading_id, recipe_id=recipe_id)
    return await insert(conn, work, owner_id=owner_id, subject=source_id, once=f"{reading_id}:{recipe_id}", place_of=place_of)


@asynccontextmanager
async def holding(db: Db, work: Work, *, checkpoint: bool = False) -> AsyncIterator[Conn]:
    """A transaction in which this claim may write; rolls back and raises Overtaken when the claim is lost or cancelled.

    `checkpoint=True` says that this commit is a finished part which will not be done again (a page, a batch): the count
    of attempts starts anew. Leave it false for a mere change of state, or a job that always fails would run for ever.
    """
    async with db.transaction() as conn:
        await lock_source_of(conn, work)
        if not await rows.lock_held(conn, work.claim.job_id, work.claim.fence, checkpoint=checkpoint):
            raise Overtaken(work.kind)
        yield conn


@asynccontextmanager
async def finishing(db: Db, work: Work, result: dict[str, Any] | None = None) -> AsyncIterator[Conn]:
    """The claim's last transaction: results, follow-up jobs and the job's end in one commit. Raises Overtaken."""
    async with holding(db, work) as conn:
        yield conn
        if not await rows.finish(conn, work.claim.job_id, work.claim.fence, state="done", result=result, error=None):
            raise Overtaken(work.kind)


async def lock_source_of(conn: Conn, work: Work) -> None:
    """Lock the source that the work is about, if it is about one, ahead of the job's own row (see `store.jobs.lock_source`)."""
    if isinstance(work, ReadSource | IndexReading | SummariseSource):
        await rows.lock_source(conn, work.source_id)


async def cancel(conn: Conn, subject: UUID, *kinds: type[Work]) -> int:
    """Cancel a subject's unfinished jobs: queued ones at once, running ones within about a second. Returns how many.

    The caller writes the subject's own state for queued ones; a running one's `failed` hook sees code `stopped`.
    """
    if any(kind in OF_A_SOURCE for kind in kinds):
        await rows.lock_source(conn, subject)
    return await rows.request_cancel(conn, subject, [kind.kind for kind in kinds])


async def wait_for_end(db: Db, job_id: UUID, timeout_s: float) -> JobEnd | None:
    """Wait until the job ended, looking at its row; None after `timeout_s` seconds."""
    pause_s = 0.02
    try:
        async with asyncio.timeout(timeout_s):
            while True:
                async with db.transaction() as conn:
                    end = await rows.find_end(conn, job_id)
                if end is not None:
                    return end
                await asyncio.sleep(pause_s)
                pause_s = min(pause_s * 1.5, 0.25)
    except TimeoutError:
        return None

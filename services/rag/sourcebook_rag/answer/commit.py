"""How a turn ends: one commit of its answer, citations, checks and bill, and then the last event to its readers."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from sourcebook_core import events, hooks, jobs, log, same_question
from sourcebook_core.checks import Checks, Citation
from sourcebook_core.db import Conn
from sourcebook_core.errors import DatabaseAway, SourcebookError, TransientError
from sourcebook_core.events import Card, Closest, Done, Failed, Finish, Open, ReplyKind, Route, Timing, Usage
from sourcebook_core.store import citations, misses, turns
from sourcebook_core.store.turns import Turn
from sourcebook_rag.answer import outcome, shown
from sourcebook_rag.answer.begin import Asked
from sourcebook_rag.answer.ledger import Bill, settle
from sourcebook_rag.answer.passages import Passage
from sourcebook_rag.answer.publish import Publisher
from sourcebook_rag.answer.run import Run

INSIST_S = 30.0  # a paid answer waits this long for a database that is away; then another run ends the turn
RETRYABLE = {"interrupted", "model_bad_reply", "model_timeout"}
_log = log.get(__name__)


@dataclass(frozen=True, slots=True)
class Ended:
    """An answer that came to its end, complete or stopped."""

    answer: str
    route: Route
    finish: Finish = "complete"
    passages: Sequence[Passage] = ()
    citations: Sequence[Citation] = ()
    checks: Checks | None = None
    reply_kind: ReplyKind | None = None
    closest: Sequence[Closest] = ()
    cards: Sequence[Card] = ()
    usage: Usage = field(default_factory=Usage)
    bills: Sequence[Bill | None] = ()
    ttft_ms: int | None = None
    why: dict[str, Any] | None = None


def opening(asked: Asked, route: Route, passages: Sequence[Passage]) -> Open:
    """The event that begins an answer over these passages, for its readers."""
    turn = asked.turn
    coverage = outcome.coverage(passages)
    return Open(turn_id=turn.id, conversation_id=turn.conversation_id, route=route, passages=len(passages), coverage=coverage)


async def end(run: Run, asked: Asked, ended: Ended, publisher: Publisher) -> None:
    """Commit a complete or stopped answer with its citations and its bill, and send `done`. Raises Overtaken.

    A stopped answer is kept for reading and stays out of every later prompt (K7).
    """
    turn = asked.turn
    done, hidden = shown.told(_done(run, asked, ended), asked.profile.citations), shown.hides_marks(asked.profile.citations)
    is_complete = ended.finish == "complete"

    async def write() -> None:
        async with jobs.finishing(run.deps.db, run.work) as conn:
            await citations.replace(conn, turn.id, ended.citations, outcome.ranges(ended.citations, ended.passages), hidden)
            await turns.finish(
                conn,
                turn.id,
                status="done" if is_complete else "stopped",
                finish=ended.finish,
                answer=ended.answer,
                outcome=outcome.kept(done, ended.route),
                error=None,
                in_history=is_complete,
                why=ended.why,
            )
            if is_complete and ended.reply_kind == "none":
                await misses.keep(conn, turn.id, same_question.key_of(turn.question, ended.route.language), ended.route.language)
            await _settle(conn, ended.bills)
            await turns.name_conversation(conn, turn.conversation_id, outcome.title_of(turn.question))
            await _tell(conn, run, turn, "done" if is_complete else "stopped")

    await insist(write)
    publisher.send(done)
    _log.info(
        "turn.ended",
        finish=ended.finish,
        passages=len(ended.passages),
        citations=len(ended.citations),
        degraded=run.degraded,
        total_ms=run.ms(),
        ttft_ms=ended.ttft_ms,
        sources=[str(citation.source_id) for citation in ended.citations],
    )


def _done(run: Run, asked: Asked, ended: Ended) -> Done:
    """Everything that the end of an answer tells, before the profile hides any of it."""
    turn = asked.turn
    is_fallback = outcome.falls_back(asked.profile, ended.finish, ended.answer, ended.citations, ended.passages, ended.reply_kind)
    return Done(
        turn_id=turn.id,
        conversation_id=turn.conversation_id,
        finish=ended.finish,
        route=ended.route,
        answer=ended.answer,
        citations=list(ended.citations),
        sources=outcome.sources_of(asked.profile, ended.citations, ended.passages, is_fallback=is_fallback),
        checks=ended.checks,
        coverage=outcome.coverage(ended.passages),
        reply_kind=ended.reply_kind,
        pending_sources=len(asked.scope.pending),
        degraded=run.degraded if asked.profile.answer.tells_degraded else [],
        closest=list(ended.closest),
        cards=list(ended.cards),
        fallback=is_fallback,
        carried=sum(passage.carried for passage in ended.passages),
        drew_on=len({citation.source_id for citation in ended.citations}),
        asked_of=len(asked.scope.sources),
        usage=ended.usage,
        timing=Timing(ttft_ms=ended.ttft_ms, total_ms=run.ms()),
    )


async def fail(
    run: Run, turn: Turn, error: SourcebookError, publisher: Publisher, *, answer: str = "", bills: Sequence[Bill | None] = ()
) -> None:
    """Commit that the turn failed, what was written of it and what it cost, and send `error`. Raises Overtaken.

    An answer that broke off is kept for reading (`finish: broken`), never told to a model again.
    """
    told = failed(error)

    async def write() -> None:
        async with jobs.finishing(run.deps.db, run.work) as conn:
            await write_failure(conn, turn.id, told, answer)
            await _settle(conn, bills)
            await turns.name_conversation(conn, turn.conversation_id, outcome.title_of(turn.question))
            await _tell(conn, run, turn, "failed")

    await insist(write)
    _log.warning("turn.failed", code=error.code, has_text=bool(answer))
    publisher.send(told)


async def write_failure(conn: Conn, turn_id: UUID, told: Failed, answer: str) -> None:
    """The row of a failed turn."""
    error = told.model_dump(mode="json", exclude={"type"})
    finish = "broken" if answer else None
    await turns.finish(conn, turn_id, status="failed", finish=finish, answer=answer, outcome=None, error=error, in_history=False)


async def interrupt(run: Run, turn: Turn, publisher: Publisher) -> None:
    """End a turn whose answer had begun when its worker died: it is never run again, what was written is kept.

    Told on the stream of this run and of the one before, where its readers still are.
    """
    error = TransientError("interrupted")
    await fail(run, turn, error, publisher, answer=turn.answer)
    if turn.fence is not None:
        await events.append(run.deps.redis, events.turn_stream(turn.id, turn.fence), [failed(error)])


async def stop_unopened(run: Run, asked: Asked, publisher: Publisher) -> None:
    """End a turn that was stopped before anything was written."""
    publisher.send(Open(turn_id=asked.turn.id, conversation_id=asked.turn.conversation_id, passages=0))
    await end(run, asked, Ended("", Route(answer_mode="stopped"), finish="stopped"), publisher)


def failed(error: SourcebookError) -> Failed:
    """The last event of a turn that failed."""
    retry_after_s = error.retry_after_s if isinstance(error, TransientError) else None
    retryable = isinstance(error, TransientError) or error.code in RETRYABLE
    return Failed(code=error.code, message=error.message, retryable=retryable, retry_after_s=retry_after_s)


async def _tell(conn: Conn, run: Run, turn: Turn, status: str) -> None:
    """Have the owner's webhooks told that an answer ended."""
    if run.work.claim.owner_id is not None:
        about = {"turn_id": str(turn.id), "conversation_id": str(turn.conversation_id), "status": status}
        holder = {"notebook_id": turn.notebook_id, "assistant_id": turn.assistant_id}
        about |= {name: str(found) for name, found in holder.items() if found is not None}
        await hooks.tell(conn, run.work.claim.owner_id, "turn.done", about)


async def _settle(conn: Conn, bills: Sequence[Bill | None]) -> None:
    for bill in bills:
        if bill is not None:
            await settle(conn, bill, {})


async def insist(write: Callable[[], Awaitable[None]]) -> None:
    """Do `write`, again while the database is away, so that a restart of it does not lose a paid answer (F10)."""
    deadline = asyncio.get_running_loop().time() + INSIST_S
    while True:
        try:
            return await write()
        except (DatabaseAway, TimeoutError):  # TimeoutError: a statement took longer than the pool allows
            if asyncio.get_running_loop().time() > deadline:
                raise
            _log.warning("turn.waited", reason="database_away")
            await asyncio.sleep(0.5)

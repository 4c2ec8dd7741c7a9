"""The answer of a model that looks things up itself: bounded rounds with read-only tools, then checked and committed like any other."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

from pydantic import BaseModel

from sourcebook_core import jobs, log
from sourcebook_core.errors import SourcebookError, TransientError
from sourcebook_core.events import CitationSeen, Done, Open, Token
from sourcebook_core.host_data import HostData
from sourcebook_core.providers.chat import Reply
from sourcebook_core.providers.endpoint import ROLE_WORDS
from sourcebook_core.providers.listing import context_tokens
from sourcebook_core.settings import RoleSettings
from sourcebook_rag.answer import by_model, commit, compose, embedding, shown, stream, tools
from sourcebook_rag.answer.begin import Asked
from sourcebook_rag.answer.commit import Ended
from sourcebook_rag.answer.compose import Composed
from sourcebook_rag.answer.embedding import Embedded
from sourcebook_rag.answer.gathered import Gathered
from sourcebook_rag.answer.publish import Publisher
from sourcebook_rag.answer.retrieve import Retrieved
from sourcebook_rag.answer.run import Run
from sourcebook_rag.answer.stream import Written
from sourcebook_rag.answer.tool_rounds import Rounds

_log = log.get(__name__)


class Whole(Publisher):
    """Sends no piece of an answer, only its stages and its end, and the beginning right before the end: so a run that was killed
    before is done again unseen. Source: S0-67."""

    def __init__(self, behind: Publisher, opening: Callable[[], Open]) -> None:
        self._behind, self._opening = behind, opening

    def send(self, event: BaseModel) -> None:
        """Queue an event, unless it is a piece."""
        if isinstance(event, Token | CitationSeen):
            return
        if isinstance(event, Done):
            self._behind.send(self._opening())
        self._behind.send(event)

    async def flush(self) -> None:
        """Send what waits, now."""
        await self._behind.flush()


async def answer(run: Run, asked: Asked, found: Retrieved, embedded: Embedded, publisher: Publisher) -> None:
    """Let the model look things up and answer, and end the turn. In `hybrid` it begins with what was found, in `agent` with nothing.

    A model that takes too little text for tools is given the passages instead, which is in the log. Safe to run twice.
    """
    role = asked.roles["chat"]
    limit = await context_tokens(role)
    if by_model.is_small(limit):
        _log.warning("tools.left_out", reason="small_context", context_tokens=limit)
        await by_model.answer(run, asked, found, embedded, publisher)
        return
    async with jobs.holding(run.deps.db, run.work) as conn:
        await embedding.settle(conn, embedded)
    rounds = _begin(run, asked, found, role, limit, publisher)
    reply = await _until_stopped(run, asked, rounds)
    if not isinstance(reply, SourcebookError):
        await _end(run, asked, found, rounds, reply, publisher)
    else:
        whole = Whole(publisher, lambda: commit.opening(asked, asked.taken.told("cards"), found.passages))
        await by_model.end_failed(run, asked, found, reply, whole, list(rounds.bills.values()))


def _begin(run: Run, asked: Asked, found: Retrieved, role: RoleSettings, limit: int | None, publisher: Publisher) -> Rounds:
    fence = compose.new_fence()
    most = by_model.reply_tokens(asked, limit)
    begun, seen = (asked, found) if asked.profile.answer.mode == "hybrid" else _with_nothing(asked, found)
    composed = by_model.compose_for(begun, seen, fence=fence, limit=limit, reply_tokens=most)
    gathered = Gathered(list(composed.passages))
    box = tools.toolbox(run, asked, gathered, fence)
    _log.info("answer.composed", prompt=composed.label, passages=len(composed.passages), tokens=composed.tokens, tools=len(box.told))
    return Rounds(run, asked, role, box, composed, publisher, most, limit)


def _with_nothing(asked: Asked, found: Retrieved) -> tuple[Asked, Retrieved]:
    """The question alone: what a model finds it has to look up, data of the host too. It is told of no passage that is missing."""
    answering = asked.profile.answer.model_copy(update={"on_empty": "silent"})
    profile = asked.profile.model_copy(update={"answer": answering})
    nothing = Retrieved(found.scope, [], None, {}, mode=found.mode)
    return replace(asked, profile=profile, cited_before=[], host=None), nothing


async def _until_stopped(run: Run, asked: Asked, rounds: Rounds) -> Reply | SourcebookError | None:
    """The reply, its error, or None when the asker pressed Stop; at most `total_s` seconds. No connection is held meanwhile."""
    working = asyncio.create_task(rounds.answer())
    async with stream.keeping(run.deps.db, asked.turn.id, run.work.claim.fence, lambda: "") as keeper:
        is_over = await stream.is_finished(working, keeper.stop, asked.profile.answer.total_s)
    if not is_over:
        return None if keeper.stop.is_set() else TransientError("model_timeout", role=ROLE_WORDS[rounds.role.name])
    error = working.exception()
    if error is None:
        return working.result()
    if isinstance(error, SourcebookError) and error.code != "database_away":
        return error
    raise error


async def _end(run: Run, asked: Asked, found: Retrieved, rounds: Rounds, reply: Reply | None, publisher: Publisher) -> None:
    gathered, bills = rounds.box.gathered, list(rounds.bills.values())
    if rounds.is_cut or rounds.composed.is_cut:
        run.without("prompt_cut")
    route = asked.taken.told("model").model_copy(update={"by": "tools"})
    whole = Whole(publisher, lambda: commit.opening(asked, route, gathered.passages))
    if reply is None:
        ended = Ended("", route, finish="stopped", passages=gathered.passages, usage=rounds.used, bills=bills)
        await commit.end(run, asked, ended, whole)
        return
    written = Written(shown.filter_for(asked.profile.citations, len(gathered.passages)), hides_refusal=asked.profile.answer.hides_refusal)
    written.filter.feed(reply.text)
    written.filter.finish()
    written.end = reply.end
    composed = Composed(rounds.composed.messages, gathered.passages, rounds.composed.tokens, rounds.is_cut, rounds.composed.label)
    before = asked.host or HostData()
    known = replace(asked, host=before.with_reads(gathered.reads))
    await by_model.check_and_end(run, known, found, composed, written, route, bills, whole, rounds.used)

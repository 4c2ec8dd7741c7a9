"""One turn from its claim to its end: search, open, write or quote, check, commit."""

from __future__ import annotations

from sourcebook_core import events, jobs, log
from sourcebook_core.errors import DatabaseAway, PermanentError, SourcebookError
from sourcebook_core.events import Stage
from sourcebook_core.jobs import AnswerTurn
from sourcebook_core.store import turns
from sourcebook_core.store.turns import Turn
from sourcebook_rag.answer import begin, by_line, by_model, by_quotes, commit, embedding, seek
from sourcebook_rag.answer.begin import Asked
from sourcebook_rag.answer.embedding import Question
from sourcebook_rag.answer.publish import Publisher, publishing
from sourcebook_rag.answer.run import Run
from sourcebook_rag.deps import Deps

_log = log.get(__name__)


async def answer(work: AnswerTurn, deps: Deps) -> None:
    """Answer a turn, telling its readers as it goes, and end it in one commit.

    Safe to run twice: until the answer was opened to its reader everything is done again unseen; after that a second run
    only ends the turn with `interrupted`, and keeps what was written. Raises Overtaken, DatabaseAway.
    """
    run = Run(work, deps)
    async with jobs.holding(deps.db, work) as conn:
        turn = await turns.begin(conn, work.turn_id, work.claim.fence)
        asked = await begin.read(conn, deps.settings, turn)
        question = await begin.question(conn, run, asked) if asked is not None and turn.opened_at is None else None
    if turn.status not in ("queued", "running"):
        return
    with log.bind(turn_id=str(turn.id), holder=str(turn.holder.id)):
        async with publishing(deps.redis, events.turn_stream(turn.id, work.claim.fence)) as publisher:
            await _answer(run, turn, asked, question, publisher)
    await events.hint(deps.redis, [turn.person_id], "turn", id=turn.id, notebook_id=turn.notebook_id, conversation_id=turn.conversation_id)


async def _answer(run: Run, turn: Turn, asked: Asked | None, question: Question | None, publisher: Publisher) -> None:
    if turn.opened_at is not None:
        await commit.interrupt(run, turn, publisher)
        return
    try:
        if asked is None or question is None:
            raise PermanentError("not_found")
        await _search_and_write(run, asked, question, publisher)
    except DatabaseAway:
        raise
    except SourcebookError as error:
        await commit.fail(run, turn, error, publisher)


async def _search_and_write(run: Run, asked: Asked, question: Question, publisher: Publisher) -> None:
    if asked.turn.stop_requested:
        await commit.stop_unopened(run, asked, publisher)
        return
    if not asked.scope.sources:
        await by_line.nothing_to_search(run, asked, publisher)
        return
    publisher.send(Stage(name="searching", count=len(asked.scope.sources)))
    embedded = await embedding.embed_question(run, question)
    also = [one.chunk_id for one in asked.cited_before]
    found = await seek.find(run, asked.scope, question, embedded, asked.profile.retrieval, context=asked.context, also=also)
    if asked.roles["chat"].is_on:
        await by_model.answer(run, asked, found, embedded, publisher)
    elif found.passages:
        await by_quotes.answer(run, asked, found, embedded, publisher)
    else:
        run.without("no_chat_model")
        await by_line.nothing_found(run, asked, found, embedded, publisher)

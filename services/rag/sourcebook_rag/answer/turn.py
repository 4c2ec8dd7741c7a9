"""One turn from its claim to its end: search, open, write or quote, check, commit."""

from __future__ import annotations

from sourcebook_core import events, jobs, log
from sourcebook_core.errors import DatabaseAway, PermanentError, SourcebookError
from sourcebook_core.events import Stage
from sourcebook_core.jobs import AnswerTurn
from sourcebook_core.store import turns
from sourcebook_core.store.turns import Turn
from sourcebook_rag.answer import begin, by_cards, by_line, by_model, by_quotes, by_tools, commit, prepare
from sourcebook_rag.answer.begin import Asked
from sourcebook_rag.answer.embedding import Embedded
from sourcebook_rag.answer.prepare import Prepared
from sourcebook_rag.answer.publish import Publisher, publishing
from sourcebook_rag.answer.retrieve import Retrieved
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
        prepared = await prepare.prepare(conn, run, asked) if asked is not None and turn.opened_at is None else None
    if turn.status not in ("queued", "running"):
        return
    with log.bind(turn_id=str(turn.id), holder=str(turn.holder.id)):
        async with publishing(deps.redis, events.turn_stream(turn.id, work.claim.fence)) as publisher:
            await _answer(run, turn, asked, prepared, publisher)
    await events.hint(deps.redis, [turn.person_id], "turn", id=turn.id, notebook_id=turn.notebook_id, conversation_id=turn.conversation_id)


async def _answer(run: Run, turn: Turn, asked: Asked | None, prepared: Prepared | None, publisher: Publisher) -> None:
    if turn.opened_at is not None:
        await commit.interrupt(run, turn, publisher)
        return
    try:
        if asked is None or prepared is None:
            raise PermanentError("not_found")
        await _search_and_write(run, asked, prepared, publisher)
    except DatabaseAway:
        raise
    except SourcebookError as error:
        await commit.fail(run, turn, error, publisher)


async def _search_and_write(run: Run, asked: Asked, prepared: Prepared, publisher: Publisher) -> None:
    if asked.turn.stop_requested:
        await commit.stop_unopened(run, asked, publisher)
        return
    if not asked.scope.sources and not _talks_without(asked):
        await by_line.nothing_to_search(run, asked, publisher)
        return
    publisher.send(Stage(name="searching", count=len(asked.scope.sources)))
    asked, found, embedded = await prepare.searched(run, asked, prepared)
    await _write(run, asked, found, embedded, publisher)


async def _write(run: Run, asked: Asked, found: Retrieved, embedded: Embedded, publisher: Publisher) -> None:
    """Let answer whoever the profile says: the ladder of S2-50."""
    if asked.roles["chat"].is_on:
        by = by_model if asked.profile.answer.mode == "workflow" else by_tools
        await by.answer(run, asked, found, embedded, publisher)
        return
    run.without("no_chat_model")
    if asked.profile.answer.without_model == "cards":
        await by_cards.answer(run, asked, found, embedded, publisher)
    elif found.passages:
        await by_quotes.answer(run, asked, found, embedded, publisher)
    else:
        await by_line.nothing_found(run, asked, found, embedded, publisher)


def _talks_without(asked: Asked) -> bool:
    """Whether a model answers also where there is no source at all: then no fixed text is said (S3-17, S3-25). So it does over data of
    the host, and where it looks that up itself."""
    has_more = (asked.host is not None and asked.host.reads) or asked.profile.answer.mode != "workflow"
    return bool(asked.profile.answer.on_empty == "silent" or has_more) and asked.roles["chat"].is_on

"""Answers that are a fixed line: nothing to search, or nothing found."""

from __future__ import annotations

from sourcebook_core import jobs
from sourcebook_core.events import Token
from sourcebook_core.store import turns
from sourcebook_core.store.scopes import Scope
from sourcebook_rag import lines
from sourcebook_rag.answer import commit, embedding, explain, outcome, seek
from sourcebook_rag.answer.begin import Asked
from sourcebook_rag.answer.commit import Ended
from sourcebook_rag.answer.embedding import Embedded
from sourcebook_rag.answer.publish import Publisher
from sourcebook_rag.answer.retrieve import Retrieved
from sourcebook_rag.answer.run import Run


def why_empty(scope: Scope) -> str:
    """Which line says that this scope cannot be searched (A7: also whether something is still being read)."""
    if scope.holder.kind == "assistant":
        return "empty_assistant"
    if scope.is_chosen:
        return "empty_chosen"
    return "empty_pending" if scope.pending else "empty"


def key_of(asked: Asked, kind: str) -> str:
    """Which line of a kind is said: to those who ask an assistant the sources are not their own, and a help desk speaks of its sections."""
    if asked.profile.answer.without_model == "cards":
        return f"cards_{kind}"
    return f"here_{kind}" if asked.scope.holder.kind == "assistant" else kind


async def nothing_to_search(run: Run, asked: Asked, publisher: Publisher) -> None:
    """The fixed refusal of an empty notebook: no model is called (S1-46)."""
    if asked.scope.pending:
        run.without("indexing")
    text = lines.line(why_empty(asked.scope), asked.reply_language, asked.turn.id)
    async with jobs.holding(run.deps.db, run.work) as conn:
        await turns.open_stream(conn, asked.turn.id)
    route = asked.taken.told("empty")
    publisher.send(commit.opening(asked, route, ()))
    publisher.send(Token(text=text, at=0))
    nothing = Retrieved(asked.scope, [], None, {}, mode=asked.taken.retrieval.mode)
    why = explain.why(asked.question, asked.language, nothing, None, run.degraded, None)
    await commit.end(run, asked, Ended(text, route, reply_kind="none", ttft_ms=run.ms(), why=why), publisher)


async def nothing_found(run: Run, asked: Asked, found: Retrieved, embedded: Embedded, publisher: Publisher) -> None:
    """The honest line of a search that gave nothing near enough, with the closest passages as just that."""
    text = lines.line(key_of(asked, "none"), asked.reply_language, asked.turn.id)
    async with jobs.holding(run.deps.db, run.work) as conn:
        await embedding.settle(conn, embedded)
        await turns.open_stream(conn, asked.turn.id)
    route = asked.taken.told("refusal")
    publisher.send(commit.opening(asked, route, ()))
    publisher.send(Token(text=text, at=0))
    first_ms = run.ms()
    near = outcome.closest(found.nearest)
    why = await seek.explain(run, asked, found)
    await commit.end(run, asked, Ended(text, route, reply_kind="none", closest=near, ttft_ms=first_ms, why=why), publisher)

"""Searches a notebook or an assistant's sources for one question: a snapshot, both lists, and what they leave at the floor."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from sourcebook_core import log
from sourcebook_core.errors import Contended, DatabaseAway, PermanentError, SearchRefused
from sourcebook_core.profiles import Retrieval
from sourcebook_core.store import explained, scopes
from sourcebook_core.store.scopes import Scope
from sourcebook_rag.answer import explain as explaining
from sourcebook_rag.answer import parts, retrieve
from sourcebook_rag.answer.begin import Asked
from sourcebook_rag.answer.embedding import Embedded, Question
from sourcebook_rag.answer.passages import Passage
from sourcebook_rag.answer.retrieve import Retrieved
from sourcebook_rag.answer.run import Run

WITHOUT_S = 20.0  # a search that takes longer is given up, where an answer without it is wanted
_log = log.get(__name__)


async def find(
    run: Run,
    of: Scope,
    question: Question,
    embedded: Embedded,
    knobs: Retrieval,
    *,
    context: Mapping[str, Any] | None = None,
    also: Sequence[UUID] = (),
    k: int | None = None,
) -> Retrieved:
    """The passages for a question. The scope is read again in the snapshot that is searched: a grant taken back meanwhile counts.

    `context` are facts of the host application, `also` chunks whose words are read as well, `k` overrides the places. Vectors of
    a space that was swapped since the question was embedded are left out. Raises PermanentError `not_found`.
    """
    async with run.deps.db.snapshot() as conn:
        scope = await scopes.enter_again(conn, of)
        if scope is None:
            raise PermanentError("not_found")
        vectors = embedded.vectors if scope.space_id == of.space_id and knobs.mode != "lexical" else ()
        searched = parts.parts_of(scope, question.text, question.language, context or {}, knobs, k)
        exact = run.deps.settings.exact_scan_chunks
        found = [await retrieve.gather(conn, part, question.text, question.language, vectors, knobs, exact) for part in searched]
        floor = run.deps.settings.floor if run.deps.settings.floor is not None else scope.floor
        retrieved = retrieve.retrieve(found, scope, knobs, floor)
        await retrieve.read_words(conn, retrieved, [*retrieved.wanted(), *also])
    if not vectors and knobs.mode != "lexical":
        run.without("words_only")
    if scope.pending:
        run.without("indexing")
    return retrieved


async def find_or_without(run: Run, asked: Asked, question: Question, embedded: Embedded) -> Retrieved:
    """The passages for a turn's question; none where the search fails or takes too long and the profile answers all the same.

    That is in the log, and in `degraded` where the profile tells it. A database that is wholly away is still an error. Source: C15, S3-19.
    """
    also = [one.chunk_id for one in asked.cited_before]
    of, knobs, context = asked.scope, asked.taken.retrieval, asked.taken.context
    if asked.profile.answer.on_unavailable != "without_documents":
        return await find(run, of, question, embedded, knobs, context=context, also=also)
    try:
        async with asyncio.timeout(WITHOUT_S):
            return await find(run, of, question, embedded, knobs, context=context, also=also)
    except (Contended, SearchRefused, TimeoutError) as error:
        _log.error("search.failed", error=type(error).__name__)
        run.without("without_documents")
        return Retrieved(of, [], None, {}, mode=knobs.mode)


async def read_words(run: Run, retrieved: Retrieved, chunk_ids: Sequence[UUID]) -> None:
    """Read the words of further candidates into `retrieved`, of sources that are still granted, behind the second wall."""
    async with run.deps.db.snapshot() as conn:
        if await scopes.enter_again(conn, retrieved.scope) is not None:
            await retrieve.read_words(conn, retrieved, chunk_ids)


async def explain(
    run: Run, asked: Asked, retrieved: Retrieved, prompt: str | None = None, given: Sequence[Passage] | None = None
) -> dict[str, Any]:
    """How the passages were found and dropped, with the words of every candidate that is shown. Read after the answer is
    written: nobody waits for it. `prompt` and `given` are the label and the passages of the prompt, where a model was asked."""
    ended = explaining.after_prompt(retrieved, given) if given is not None else retrieved
    counted = None
    try:
        async with run.deps.db.snapshot() as conn:
            scope = await scopes.enter_again(conn, ended.scope)
            if scope is not None:
                await retrieve.read_words(conn, ended, [one.chunk_id for one in ended.candidates[: explaining.SHOWN]])
                words = scope.words_of(asked.search_text, asked.search_language)
                counted = await explained.frequencies(conn, scope, words, run.deps.settings.exact_scan_chunks)
    except (DatabaseAway, SearchRefused, TimeoutError):
        _log.warning("answer.not_explained", reason="database_away")  # a paid answer is not lost for its explanation
    return explaining.why(asked.question, asked.language, ended, counted, run.degraded, prompt)

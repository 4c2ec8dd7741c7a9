"""Searches a notebook for one question: a snapshot, both lists, and what they leave at the floor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from sourcebook_core import log
from sourcebook_core.errors import DatabaseAway, PermanentError
from sourcebook_core.profiles import Retrieval
from sourcebook_core.store import scopes
from sourcebook_core.store.scopes import Scope
from sourcebook_rag.answer import retrieve
from sourcebook_rag.answer.embedding import Embedded, Question
from sourcebook_rag.answer.retrieve import Retrieved
from sourcebook_rag.answer.run import Run

_log = log.get(__name__)


async def find(
    run: Run,
    of: Scope,
    person_id: UUID,
    source_ids: Sequence[UUID] | None,
    question: Question,
    embedded: Embedded,
    knobs: Retrieval,
    *,
    also: Sequence[UUID] = (),
    k: int | None = None,
) -> Retrieved:
    """The passages for a question. The scope is read again in the snapshot that is searched: a grant taken back meanwhile counts.

    Vectors of a space that was swapped since the question was embedded are left out. Raises PermanentError `not_found`.
    """
    async with run.deps.db.snapshot() as conn:
        scope = await scopes.of_notebook(conn, of.notebook_id, person_id, source_ids)
        if scope is None:
            raise PermanentError("not_found")
        vectors = embedded.vectors if scope.space_id == of.space_id else ()
        found = await retrieve.gather(conn, scope, question.text, question.language, vectors, knobs)
        floor = run.deps.settings.floor if run.deps.settings.floor is not None else scope.floor
        retrieved = retrieve.retrieve(found, knobs, floor, k=k)
        await retrieve.read_words(conn, retrieved, [*retrieved.wanted(), *also])
    if not vectors:
        run.without("words_only")
    if scope.pending:
        run.without("indexing")
    return retrieved


async def read_words(run: Run, retrieved: Retrieved, chunk_ids: Sequence[UUID]) -> None:
    """Read the words of further candidates into `retrieved`, behind the second wall."""
    async with run.deps.db.snapshot() as conn:
        await scopes.enter(conn, retrieved.scope)
        await retrieve.read_words(conn, retrieved, chunk_ids)


async def explain(run: Run, question: str, retrieved: Retrieved, prompt: str | None) -> dict[str, Any]:
    """How the passages were found and dropped, with the words of every candidate that is shown. Read after the answer is
    written: nobody waits for it."""
    shown = [one.chunk_id for one in retrieved.candidates[: retrieve.SHOWN]]
    try:
        await read_words(run, retrieved, shown)
    except (DatabaseAway, TimeoutError):
        _log.warning("answer.not_explained", reason="database_away")  # a paid answer is not lost for its explanation
    return retrieve.why(question, retrieved, run.degraded, prompt)

"""Search without an answer: ranked chunks with their ranks and similarities, and where in them the words stand."""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter
from typing import Any

from sourcebook_core import jobs, roles
from sourcebook_core.errors import PermanentError
from sourcebook_core.events import ReplyKind
from sourcebook_core.jobs import SearchNotebook
from sourcebook_core.store import scopes, spaces
from sourcebook_core.store.scopes import Holder, Scope
from sourcebook_core.text import language
from sourcebook_rag import exact, typed
from sourcebook_rag.answer import embedding, explain, seek, sureness
from sourcebook_rag.answer.embedding import Embedded, Question
from sourcebook_rag.answer.retrieve import Retrieved
from sourcebook_rag.answer.run import Run
from sourcebook_rag.deps import Deps
from sourcebook_rag.snippet import snippet
from sourcebook_rag.typed import Typed


async def search_notebook(work: SearchNotebook, deps: Deps) -> None:
    """Search one notebook, or all of the person's, and leave `{"items", "degraded", "reply_kind"}` as the job's result.

    Over several notebooks each is searched by its own recipe; what they share is told once, at its best place. With `every`,
    what was left out follows what was kept, each with its reason. A query with "phrases" or beginnings* asks for texts that hold
    them: the best by words are looked through, and no embedding model is asked. Safe to run twice. Raises PermanentError
    `not_found` for a notebook that is not theirs.
    """
    run = Run(work, deps)
    asked = typed.parse(work.query)
    searched, question = await _begin(run, work, asked)
    embedded = await embedding.embed_question(run, question)
    told: dict[str, tuple[tuple[bool, float], dict[str, Any]]] = {}
    sure: ReplyKind | None = None
    for scope in searched:
        try:
            found = await _find(run, scope, work, asked, question, embedded)
        except PermanentError as error:
            if work.notebook_id is None and error.code == "not_found":
                continue  # one of several notebooks went since the search began
            raise
        if len(searched) == 1 and not asked.is_exact:
            sure = sureness.reply_kind(found, sureness.profile_of(found.scope), asked.words)
        for place, item in _items(found, asked, question.language):
            known = told.get(item["chunk_id"])
            if known is None or known[0] < place:
                told[item["chunk_id"]] = (place, item)
    ranked = [item for _, item in sorted(told.values(), key=itemgetter(0), reverse=True)]
    items = ranked if work.every else [item for item in ranked if item["kept"]][: work.k]
    async with jobs.finishing(deps.db, work, {"items": items, "degraded": run.degraded, "reply_kind": sure}) as conn:
        await embedding.settle(conn, embedded)


async def _find(run: Run, scope: Scope, work: SearchNotebook, asked: Typed, question: Question, embedded: Embedded) -> Retrieved:
    """What one notebook has, with the words of what will be told."""
    if asked.is_exact:
        return await exact.find(run, scope, asked, question.language, work.k)
    found = await seek.find(run, scope, question, embedded, sureness.profile_of(scope).retrieval, k=work.k)
    if work.every:
        await seek.read_words(run, found, [one.chunk_id for one in found.candidates])
    return found


def _items(found: Retrieved, asked: Typed, spoken: str | None) -> Sequence[tuple[tuple[bool, float], dict[str, Any]]]:
    """Each candidate whose words are known, as the page sees it, with its place: kept before left out, then by the fused score."""
    words = found.scope.words_of(asked.words, spoken)
    notebook_id = str(found.scope.notebook_id)
    items = []
    for one in found.candidates:
        chunk = found.chunks.get(one.chunk_id)
        if chunk is not None:
            shown = snippet(chunk.text, chunk.start_at, words, chunk.language, asked)
            items.append(((one.kept, one.fused_score), explain.told(one, found) | {"notebook_id": notebook_id, "snippet": shown}))
    return items


async def _begin(run: Run, work: SearchNotebook, asked: Typed) -> tuple[list[Scope], Question]:
    """The scopes to search (those with sources) and the question with the call that embeds it."""
    async with jobs.holding(run.deps.db, work) as conn:
        ids = [work.notebook_id] if work.notebook_id else await scopes.notebooks_of(conn, work.person_id)
        found = [await scopes.of(conn, Holder("notebook", one), work.person_id, work.source_ids) for one in ids]
        mine = [scope for scope in found if scope is not None]
        if work.notebook_id and not mine:
            raise PermanentError("not_found")
        searched, spoken = [scope for scope in mine if scope.sources], language.identify(asked.words)
        if not searched:
            return [], Question(asked.words, spoken, None, None)
        in_force, space = await roles.effective_roles(conn, run.deps.settings), await spaces.find_in_use(conn)
        by_meaning = [one for one in searched if not asked.is_exact and sureness.profile_of(one).retrieval.mode != "lexical"]
        # Over several notebooks the question is asked for those that may: a local-only one has no vectors of a hosted model.
        may = ((one, role) for one in by_meaning if (role := embedding.role_of_space(space, in_force["embedding"], one)))
        through, role = next(may, (searched[0], None))
        return searched, await embedding.begin(conn, run, through, asked.words, spoken, role, None)

"""Search without an answer: ranked chunks with their ranks and similarities."""

from __future__ import annotations

from typing import Any

from sourcebook_core import jobs, profiles, roles
from sourcebook_core.errors import PermanentError
from sourcebook_core.jobs import SearchNotebook
from sourcebook_core.store import scopes, spaces
from sourcebook_core.store.scopes import Scope
from sourcebook_core.text import language
from sourcebook_rag.answer import embedding, retrieve, seek
from sourcebook_rag.answer.embedding import Embedded, Question
from sourcebook_rag.answer.run import Run
from sourcebook_rag.deps import Deps

MAX_K = 50


async def search_notebook(work: SearchNotebook, deps: Deps) -> None:
    """Search one notebook, or all of the person's, and leave `{"items", "degraded"}` as the job's result.

    Over several notebooks each is searched by its own recipe; what they share is told once, at its best place. With `every`,
    what was left out follows what was kept, each with its reason.
    Safe to run twice. Raises PermanentError `not_found` for a notebook that is not theirs.
    """
    run = Run(work, deps)
    searched, questions = await _begin(run, work)
    embedded = await embedding.embed_question(run, questions[0]) if questions and questions[0].call else Embedded()
    told: dict[str, tuple[float, dict[str, Any]]] = {}
    for scope in searched:
        knobs = profiles.get(scope.profile).retrieval
        found = await seek.find(run, scope, work.person_id, work.source_ids, questions[0], embedded, knobs, k=min(work.k, MAX_K))
        if work.every:
            await seek.read_words(run, found, [one.chunk_id for one in found.candidates])
        for one in found.candidates:
            if one.chunk_id not in found.chunks:
                continue
            known = told.get(str(one.chunk_id))
            if known is None or known[0] < one.fused_score:
                told[str(one.chunk_id)] = (one.fused_score, retrieve.told(one, found))
    ranked = sorted(told.values(), key=lambda pair: (not pair[1]["kept"], -pair[0]))
    items = [item for _, item in ranked] if work.every else [item for _, item in ranked if item["kept"]][: min(work.k, MAX_K)]
    async with jobs.finishing(deps.db, work, {"items": items, "degraded": run.degraded}) as conn:
        await embedding.settle(conn, embedded)


async def _begin(run: Run, work: SearchNotebook) -> tuple[list[Scope], list[Question]]:
    """The scopes to search (those with sources) and the question with the call that embeds it."""
    async with jobs.holding(run.deps.db, work) as conn:
        ids = [work.notebook_id] if work.notebook_id else await scopes.notebooks_of(conn, work.person_id)
        mine = [scope for one in ids if (scope := await scopes.of_notebook(conn, one, work.person_id, work.source_ids))]
        if work.notebook_id and not mine:
            raise PermanentError("not_found")
        searched = [scope for scope in mine if scope.sources]
        if not searched:
            return [], []
        in_force = await roles.effective_roles(conn, run.deps.settings)
        role = embedding.role_of_space(await spaces.find_in_use(conn), in_force["embedding"], searched[0])
        spoken = language.identify(work.query)
        return searched, [await embedding.begin(conn, run, searched[0], work.query, spoken, role, None)]

"""How a question would be answered, without the model that writes: its route, its passages and the mark of its prompt. Source: S4-38."""

from __future__ import annotations

from typing import Any

from sourcebook_core import jobs
from sourcebook_core.errors import PermanentError
from sourcebook_core.jobs import PlanAnswer
from sourcebook_core.providers.listing import context_tokens
from sourcebook_core.store.scopes import Holder
from sourcebook_rag.answer import begin, by_model, compose, embedding, outcome, prepare
from sourcebook_rag.answer.begin import Asked
from sourcebook_rag.answer.compose import Composed
from sourcebook_rag.answer.passages import Passage
from sourcebook_rag.answer.retrieve import Retrieved
from sourcebook_rag.answer.run import Run
from sourcebook_rag.deps import Deps


async def plan_answer(work: PlanAnswer, deps: Deps) -> None:
    """Prepare, search and compose as an answer does, and leave what came of it as the job's result; nothing is written but that.

    A profile that searches by words alone makes no call of a provider. Safe to run twice. Raises PermanentError `not_found`.
    """
    run = Run(work, deps)
    async with jobs.holding(deps.db, work) as conn:
        holder = Holder(work.holder_kind, work.holder_id)
        asked = await begin.read(conn, deps.settings, begin.unkept(work.claim.job_id, holder, work.person_id, work.question, work.request))
        if asked is None:
            raise PermanentError("not_found")
        prepared = await prepare.prepare(conn, run, asked)
    asked, found, embedded = await prepare.searched(run, asked, prepared)
    role = asked.roles["chat"]
    limit = await context_tokens(role) if role.is_on else None
    most = by_model.reply_tokens(asked, limit)
    composed = by_model.compose_for(asked, found, fence=compose.new_fence(), limit=limit, reply_tokens=most)
    async with jobs.finishing(deps.db, work, _told(run, asked, found, composed)) as conn:
        await embedding.settle(conn, embedded)


def _told(run: Run, asked: Asked, found: Retrieved, composed: Composed) -> dict[str, Any]:
    return {
        "route": by_model.route_of(asked, composed.passages).model_dump(mode="json"),
        "searched": asked.search_text,
        "coverage": outcome.coverage(composed.passages),
        "passages": [_passage(n, one) for n, one in enumerate(composed.passages, 1)],
        "found": len(found.passages),
        "degraded": run.degraded,
        "prompt": composed.label,
        "prompt_hash": composed.fingerprint,
    }


def _passage(n: int, one: Passage) -> dict[str, Any]:
    return {
        "n": n,
        "source_id": str(one.source.id),
        "source_title": one.source.title,
        "chunk_id": str(one.chunk.id),
        "heading": one.chunk.heading,
        "page": one.chunk.page,
        "pool": one.pool or None,
        "similarity": one.similarity,
    }

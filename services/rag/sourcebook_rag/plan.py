"""How a question would be answered, without the model that writes: its route, its passages and the mark of its prompt. Source: S4-38."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from sourcebook_core import jobs
from sourcebook_core.errors import PermanentError
from sourcebook_core.jobs import PlanAnswer
from sourcebook_core.providers.listing import context_tokens
from sourcebook_core.store.scopes import Holder
from sourcebook_core.store.turns import Turn
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
        asked = await begin.read(conn, deps.settings, _as_turn(work))
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


def _as_turn(work: PlanAnswer) -> Turn:
    """The question as a turn that is nowhere kept, in a conversation in which nothing was said."""
    holder = Holder(work.holder_kind, work.holder_id)
    return Turn(
        id=work.claim.job_id, conversation_id=uuid4(), notebook_id=holder.notebook_id, assistant_id=holder.assistant_id,
        person_id=work.person_id, question=work.question, request=work.request, status="queued", finish=None, answer="", outcome=None,
        error=None, in_history=False, replaces=None, fence=None, opened_at=None, stop_requested=False, feedback=None, feedback_note=None,
        created_at=datetime.now(UTC), finished_at=None,
    )  # fmt: skip

"""How a question would be answered, for those who measure: the same preparation and prompt, and no model that writes."""

from __future__ import annotations

from uuid import UUID

from sourcebook_core import jobs
from sourcebook_core.jobs import PlanAnswer
from sourcebook_core.store.scopes import Holder
from sourcebook_gateway import begin_turn, limits
from sourcebook_gateway.access import gated_router, needs
from sourcebook_gateway.deps import Caller, CallerDep, Shared, SharedDep
from sourcebook_gateway.holders import check_held
from sourcebook_gateway.routes.asking import awaited
from sourcebook_gateway.shapes.plans import PlanAsk, PlanRead

router = gated_router("asking")


@router.post("/notebooks/{notebook_id}/plan", summary="How a notebook would answer", openapi_extra=needs("ask"))
async def plan_of_notebook(notebook_id: UUID, asked: PlanAsk, caller: CallerDep, shared: SharedDep) -> PlanRead:
    """Route, passages and the mark of the prompt; nothing is written, and nothing is kept."""
    return await _plan(Holder("notebook", notebook_id), asked, caller, shared)


@router.post("/assistants/{assistant_id}/plan", summary="How an assistant would answer", openapi_extra=needs("ask"))
async def plan_of_assistant(assistant_id: UUID, asked: PlanAsk, caller: CallerDep, shared: SharedDep) -> PlanRead:
    """The same for an assistant's draft; for its people."""
    return await _plan(Holder("assistant", assistant_id), asked, caller, shared)


async def _plan(holder: Holder, asked: PlanAsk, caller: Caller, shared: Shared) -> PlanRead:
    question = begin_turn.worded(asked.question, shared)
    await limits.count_search(shared, caller)
    work = PlanAnswer(
        holder_kind=holder.kind, holder_id=holder.id, person_id=caller.person_id, question=question,
        request=asked.model_dump(mode="json", exclude={"question"}, exclude_none=True),
    )  # fmt: skip
    async with shared.db.transaction() as conn:
        await check_held(conn, caller, holder)
        owner_id = await begin_turn.check_asked(conn, caller, holder, asked.source_ids)
        job_id = await jobs.insert(conn, work, owner_id=owner_id)
    return PlanRead.model_validate(await awaited(shared, job_id, "answer"))

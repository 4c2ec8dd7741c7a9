"""The guide of a notebook: made when somebody looks at it and the ready sources are others than those it was made of."""

from __future__ import annotations

from uuid import UUID

from sourcebook_core import jobs
from sourcebook_core.jobs import MakeGuide
from sourcebook_core.store import guides
from sourcebook_gateway.access import check_owned, gated_router, needs
from sourcebook_gateway.deps import CallerDep, SharedDep
from sourcebook_gateway.shapes.guides import GuideRead

router = gated_router("guide")


@router.get("/notebooks/{notebook_id}/guide", summary="What a notebook is about", openapi_extra=needs("read"))
async def get_guide(notebook_id: UUID, caller: CallerDep, shared: SharedDep) -> GuideRead:
    """Two lines, topics, and questions that search answers clearly; `building` while a newer one is made."""
    async with shared.db.transaction() as conn:
        await check_owned(conn, caller, notebook_id)
        held = await guides.material(conn, notebook_id)
        found = await guides.find(conn, notebook_id)
        if not held:
            return GuideRead(state="none")
        is_current = found is not None and found.sources_hash == guides.fingerprint(held)
        if not is_current:
            work = MakeGuide(notebook_id=notebook_id, person_id=caller.person_id)
            await jobs.insert(conn, work, owner_id=caller.person_id, subject=notebook_id, once=notebook_id)
    if not is_current:
        await shared.bell.ring("answer")
    return GuideRead.of(found, is_current=is_current)

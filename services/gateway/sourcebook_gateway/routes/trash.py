"""The trash: what lies in it, and removing it for good."""

from __future__ import annotations

from uuid import UUID

from sourcebook_core import jobs
from sourcebook_core.jobs import PurgeDeleted
from sourcebook_core.store import trash
from sourcebook_gateway.access import gated_router, needs
from sourcebook_gateway.deps import CallerDep, SharedDep
from sourcebook_gateway.refusals import not_found
from sourcebook_gateway.shapes.lists import Listed
from sourcebook_gateway.shapes.notebooks import TrashRead

router = gated_router("trash")


@router.get("/trash", summary="My trash", openapi_extra=needs("read"))
async def list_trash(caller: CallerDep, shared: SharedDep) -> Listed[TrashRead]:
    """Last deleted first; each can be restored until `purge_at`."""
    async with shared.db.transaction() as conn:
        found = await trash.list_for_person(conn, caller.person_id, shared.settings.limits.trash_days)
    return Listed(items=[TrashRead.of(item) for item in found])


@router.delete("/trash/{item_id}", status_code=204, summary="Delete for good", openapi_extra=needs("manage"))
async def purge(item_id: UUID, caller: CallerDep, shared: SharedDep) -> None:
    """Cannot be undone: text, chunks, vectors, files, and quotes of it in answers are removed."""
    async with shared.db.transaction() as conn:
        if not await trash.condemn(conn, caller.person_id, item_id):
            raise not_found()
        await jobs.insert(conn, PurgeDeleted(), once=item_id)
    await shared.bell.ring("care")

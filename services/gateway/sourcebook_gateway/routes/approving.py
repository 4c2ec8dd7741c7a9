"""What reading pictures would cost, and a person's word on it."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from uuid import UUID

from sourcebook_core.errors import RequestError
from sourcebook_core.store import grants, sources
from sourcebook_gateway import adding
from sourcebook_gateway.access import check_owned, gated_router, needs
from sourcebook_gateway.deps import CallerDep, SharedDep
from sourcebook_gateway.routes.sources import read_source, when_read
from sourcebook_gateway.shapes.sources import ApproveAsk, NotebookEstimate, SourceEstimate, SourceRead
from sourcebook_gateway.waiting import WaitQuery

router = gated_router("sources")


@router.post("/sources/{source_id}/approve", status_code=202, summary="Agree to what reading costs", openapi_extra=needs("add"))
async def approve_source(source_id: UUID, asked: ApproveAsk, caller: CallerDep, shared: SharedDep, wait: WaitQuery = None) -> SourceRead:
    """Reads on a source that waits for a word: all of it, or only its pages with text. 409 for one that does not wait."""
    async with shared.db.transaction() as conn:
        source = await read_source(conn, caller, source_id)
        if source.status != "needs_approval":
            raise RequestError(409, "conflict", why="only a source that waits to be approved can be.")
        await sources.approve(conn, source_id, asked.pages)
        await adding.queue_again(conn, shared, caller, source_id)
        changed = await read_source(conn, caller, source_id)
        books = await grants.notebooks_of(conn, source_id)
    await shared.bell.ring("ingest")
    await adding.hint(shared, caller, [source_id], books)
    return await when_read(shared, caller, changed, wait)


@router.get("/notebooks/{notebook_id}/estimate", summary="What waiting sources would cost", openapi_extra=needs("read"))
async def get_estimate(notebook_id: UUID, caller: CallerDep, shared: SharedDep) -> NotebookEstimate:
    """Each source of the notebook that waits to be approved, and the sum."""
    async with shared.db.transaction() as conn:
        await check_owned(conn, caller, notebook_id)
        waiting = await sources.list_to_approve(conn, notebook_id)
    items = [SourceEstimate(source_id=source_id, **estimate) for source_id, estimate in waiting]
    return NotebookEstimate(
        items=items, pages=sum(item.pages for item in items), calls=sum(item.calls for item in items), cost=_sum(items),
        currency=next((item.currency for item in items), None),
    )  # fmt: skip


def _sum(items: Sequence[SourceEstimate]) -> str | None:
    known = [Decimal(item.cost) for item in items if item.cost is not None]
    return f"{sum(known, Decimal(0)):f}" if len(known) == len(items) else None

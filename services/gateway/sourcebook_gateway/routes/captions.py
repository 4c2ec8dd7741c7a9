"""Captions that an owner brings for the chunks of a source, instead of having a model write them."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import Query

from sourcebook_core.errors import RequestError
from sourcebook_core.store import captions, recipes, source_work
from sourcebook_gateway import adding
from sourcebook_gateway.access import gated_router, needs
from sourcebook_gateway.deps import CallerDep, SharedDep
from sourcebook_gateway.routes.sources import read_source
from sourcebook_gateway.shapes.captions import CaptionList, CaptionRead, CaptionsBring
from sourcebook_gateway.shapes.sources import SourceRead

router = gated_router("sources")
_NOT_INDEXED = ("queued", "reading")  # captions that come now are there when it is cut
RecipeQuery = Annotated[str, Query(max_length=100, description="How the chunks are cut: a notebook's or assistant's recipe.")]


@router.get("/sources/{source_id}/captions", summary="Chunks and their captions", openapi_extra=needs("read"))
async def list_captions(source_id: UUID, caller: CallerDep, shared: SharedDep, recipe: RecipeQuery) -> CaptionList:
    """The chunks of the source as this recipe cuts them, each with the hash that its caption is kept by. Empty before it is indexed."""
    async with shared.db.transaction() as conn:
        await read_source(conn, caller, source_id)
        if await recipes.with_captions(conn, recipe, None) is None:
            raise RequestError(422, "invalid_field", why=f"recipe: {recipe} is not there.")
        found = await captions.list_chunks(conn, source_id, recipe)
    return CaptionList(items=[CaptionRead(hash=c.hashed.hex(), heading=c.heading, text=c.text, caption=c.caption) for c in found])


@router.put("/sources/{source_id}/captions", status_code=202, summary="Bring captions", openapi_extra=needs("manage"))
async def bring_captions(source_id: UUID, asked: CaptionsBring, caller: CallerDep, shared: SharedDep) -> SourceRead:
    """Kept for chunks of these hashes, also for those to come. A source that is indexed already is read again with them, and answers
    meanwhile. Safe to repeat: captions that are known already set nothing going.
    """
    brought = {bytes.fromhex(hashed): caption for hashed, caption in asked.captions.items()}
    async with shared.db.transaction() as conn:
        await read_source(conn, caller, source_id)
        await source_work.lock(conn, source_id)  # so that a worker that begins now sees them, or we see that it began
        source = await read_source(conn, caller, source_id)
        if source.status == "indexing":
            raise RequestError(409, "conflict", why="it is being indexed just now.")
        is_new = await captions.bring(conn, source_id, brought) > 0
        if is_new and source.status not in _NOT_INDEXED:
            await adding.queue_again(conn, shared, caller, source_id)
        changed = await read_source(conn, caller, source_id)
    await shared.bell.ring("ingest")
    return changed

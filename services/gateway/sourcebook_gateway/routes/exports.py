"""What a notebook gives away: its archive, and its sources for reference managers."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import Query, Response
from fastapi.responses import StreamingResponse

from sourcebook_core.store import sources
from sourcebook_gateway import bibliography, notebook_file
from sourcebook_gateway.access import check_owned, gated_router, needs
from sourcebook_gateway.deps import CallerDep, SharedDep
from sourcebook_gateway.multipart import attachment
from sourcebook_gateway.routes.notebooks import read_notebook

router = gated_router("exports")


@router.get("/notebooks/{notebook_id}/file", summary="The whole notebook", response_class=Response, openapi_extra=needs("read"))
async def export_notebook(notebook_id: UUID, caller: CallerDep, shared: SharedDep) -> Response:
    """A zip of its sources (as added and as read), my notes and conversations; `sourcebook import` makes a notebook of it again."""
    async with shared.db.transaction() as conn:
        notebook = await read_notebook(conn, caller.person_id, notebook_id)
    file = await notebook_file.written(shared, caller, notebook)
    headers = {"Content-Disposition": attachment(f"{notebook.title[:80]}.zip")}
    return StreamingResponse(notebook_file.pieces(file), media_type="application/zip", headers=headers)


@router.get("/notebooks/{notebook_id}/citations", summary="Bibliography", response_class=Response, openapi_extra=needs("read"))
async def export_citations(
    notebook_id: UUID, caller: CallerDep, shared: SharedDep,
    format: Annotated[bibliography.Format, Query(description="For LaTeX, or for other reference managers.")] = "bibtex",
) -> Response:  # fmt: skip
    """One entry for each source of the notebook, with what is known of title, authors, year, DOI and address."""
    async with shared.db.transaction() as conn:
        await check_owned(conn, caller, notebook_id)
        found = await sources.list_for_owner(conn, caller.person_id, notebook_file.MOST, notebook_id=notebook_id)
    headers = {"Content-Disposition": attachment(f"sources.{bibliography.ENDINGS[format]}")}
    return Response(bibliography.written(found, format), media_type=bibliography.MEDIA_TYPES[format], headers=headers)

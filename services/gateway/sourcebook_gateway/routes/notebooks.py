"""Notebooks: list, make, rename, trash and back."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

from fastapi import Request, Response

from sourcebook_core import events, jobs, profiles, roles
from sourcebook_core.db import Conn
from sourcebook_core.errors import RequestError
from sourcebook_core.store import notebooks, recipes
from sourcebook_core.store.scopes import Holder
from sourcebook_gateway import adding
from sourcebook_gateway.access import gated_router, needs
from sourcebook_gateway.creating import created
from sourcebook_gateway.deps import CallerDep, SharedDep
from sourcebook_gateway.refusals import not_found
from sourcebook_gateway.shapes.lists import CursorQuery, LimitQuery, Listed, paged, place
from sourcebook_gateway.shapes.notebooks import NotebookCreate, NotebookRead, NotebookUpdate

router = gated_router("notebooks")


@router.get("/notebooks", summary="My notebooks", openapi_extra=needs("read"))
async def list_notebooks(
    caller: CallerDep, shared: SharedDep, cursor_: CursorQuery = None, limit: LimitQuery = 100
) -> Listed[NotebookRead]:
    """Newest first."""
    before_at, before_id = place(cursor_)
    async with shared.db.transaction() as conn:
        found = await notebooks.list_for_owner(conn, caller.person_id, limit + 1, before_at, before_id)
    return paged(found, limit, NotebookRead.of, lambda row: (row.created_at, row.id))


@router.post("/notebooks", status_code=201, response_model=NotebookRead, summary="Make a notebook", openapi_extra=needs("manage"))
async def create_notebook(request: Request, caller: CallerDep, shared: SharedDep, asked: NotebookCreate | None = None) -> Response:
    """An empty notebook."""
    asked = asked or NotebookCreate()
    notebook_id = uuid4()
    overrides = profiles.merged({}, asked.profile_settings or {})
    profiles.of(asked.profile, overrides)
    settings = {"profile": overrides} if overrides else {}

    async def make(conn: Conn) -> tuple[int, NotebookRead]:
        recipe_id = roles.recipe_for((await roles.effective_roles(conn, shared.settings))["embedding"])
        await notebooks.insert(
            conn, notebook_id, caller.person_id, asked.title, asked.profile, recipe_id, settings, is_sample=asked.is_sample
        )
        return 201, await read_notebook(conn, caller.person_id, notebook_id)

    answer = await created(shared, request, caller, make)
    await events.hint(shared.redis, [caller.person_id], "notebook", id=str(notebook_id))
    return answer


async def read_notebook(conn: Conn, person_id: UUID, notebook_id: UUID) -> NotebookRead:
    """The notebook as this person sees it; 404 when it is not theirs."""
    found = await notebooks.find(conn, person_id, notebook_id)
    if found is None:
        raise not_found()
    return NotebookRead.of(found)


@router.get("/notebooks/{notebook_id}", summary="One notebook", openapi_extra=needs("read"))
async def get_notebook(notebook_id: UUID, caller: CallerDep, shared: SharedDep) -> NotebookRead:
    """Its title, settings and counts."""
    async with shared.db.transaction() as conn:
        return await read_notebook(conn, caller.person_id, notebook_id)


@router.patch("/notebooks/{notebook_id}", summary="Rename or set", openapi_extra=needs("manage"))
async def update_notebook(notebook_id: UUID, asked: NotebookUpdate, caller: CallerDep, shared: SharedDep) -> NotebookRead:
    """What is given is changed. Nothing is read or indexed anew by it: sources that another recipe would change are stale."""
    settings = asked.settings.model_dump(exclude_none=True) if asked.settings else {}
    captions, recipe = settings.pop("captions", None), settings.pop("recipe", None)
    async with shared.db.transaction() as conn:
        if asked.profile is not None or asked.profile_settings is not None:
            settings["profile"] = await _overrides(conn, caller.person_id, notebook_id, asked)
        if not await notebooks.update(conn, caller.person_id, notebook_id, asked.title, settings, asked.profile):
            raise not_found()
        if captions is not None or recipe is not None:
            await _want(conn, notebook_id, recipe, captions)
        changed = await read_notebook(conn, caller.person_id, notebook_id)
    await events.hint(shared.redis, [caller.person_id], "notebook", id=str(notebook_id))
    return changed


async def _overrides(conn: Conn, person_id: UUID, notebook_id: UUID, asked: NotebookUpdate) -> dict[str, Any]:
    """What differs from the profile once this is changed. Raises 404, 422 naming the field."""
    before = await notebooks.find(conn, person_id, notebook_id)
    if before is None:
        raise not_found()
    overrides = profiles.merged(before.settings.get("profile"), asked.profile_settings or {})
    profiles.of(asked.profile or before.profile, overrides)
    return overrides


async def _want(conn: Conn, notebook_id: UUID, recipe: str | None, captions: bool | None) -> None:
    """Note which recipe is to be used; in use at once when there is nothing to index anew."""
    chosen = recipe or (await recipes.choices_of(conn, notebook_id)).wanted
    found = await recipes.with_captions(conn, chosen, captions)
    if found is None:
        is_there = await recipes.with_captions(conn, chosen, None) is not None
        why = f"captions: {chosen} has none." if is_there else f"recipe: {chosen} is not there."
        raise RequestError(422, "invalid_field", why=why)
    await recipes.want(conn, Holder("notebook", notebook_id), found)
    await recipes.swap_if_whole(conn, Holder("notebook", notebook_id))


@router.post("/notebooks/{notebook_id}/reindex", status_code=202, summary="Index anew", openapi_extra=needs("manage"))
async def reindex_notebook(notebook_id: UUID, caller: CallerDep, shared: SharedDep) -> NotebookRead:
    """Read and index the stale sources under the settings of now, beside what answers; swapped in when whole. Safe to repeat."""
    async with shared.db.transaction() as conn:
        await read_notebook(conn, caller.person_id, notebook_id)
        stale = await recipes.stale_in(conn, Holder("notebook", notebook_id))
        for one in stale:
            if one.is_old and one.status == "ready":
                await adding.queue_again(conn, shared, caller, one.source_id)  # the new reading is indexed under what is wanted
            elif one.recipe_id is not None:
                await jobs.insert_indexing(
                    conn, owner_id=one.owner_id, source_id=one.source_id, reading_id=one.reading_id, recipe_id=one.recipe_id
                )
        await recipes.begin(conn, Holder("notebook", notebook_id))
        await recipes.swap_if_whole(conn, Holder("notebook", notebook_id))
        changed = await read_notebook(conn, caller.person_id, notebook_id)
    await shared.bell.ring("ingest")
    await adding.hint(shared, caller, [one.source_id for one in stale], [notebook_id])
    await events.hint(shared.redis, [caller.person_id], "notebook", id=str(notebook_id))
    return changed


@router.delete("/notebooks/{notebook_id}", status_code=204, summary="Move to the trash", openapi_extra=needs("manage"))
async def delete_notebook(notebook_id: UUID, caller: CallerDep, shared: SharedDep) -> None:
    """At once out of every list and search; kept for 14 days. Its sources stay in the library."""
    async with shared.db.transaction() as conn:
        if not await notebooks.delete(conn, caller.person_id, notebook_id):
            raise not_found()
    await events.hint(shared.redis, [caller.person_id], "notebook", id=str(notebook_id))


@router.post("/notebooks/{notebook_id}/restore", summary="Take out of the trash", openapi_extra=needs("manage"))
async def restore_notebook(notebook_id: UUID, caller: CallerDep, shared: SharedDep) -> NotebookRead:
    """As it was. Safe to repeat."""
    async with shared.db.transaction() as conn:
        await notebooks.restore(conn, caller.person_id, notebook_id)
        restored = await read_notebook(conn, caller.person_id, notebook_id)
    await events.hint(shared.redis, [caller.person_id], "notebook", id=str(notebook_id))
    return restored

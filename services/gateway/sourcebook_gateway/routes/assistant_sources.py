"""Which sources an assistant may use: given, paused or not given (S3-14), one by one or all at once."""

from __future__ import annotations

from uuid import UUID

from sourcebook_core import profiles
from sourcebook_core.db import Conn
from sourcebook_core.store import assistant_sources, assistants, grants, recipes
from sourcebook_core.store.assistants import Assistant
from sourcebook_core.store.scopes import Holder
from sourcebook_gateway import taking
from sourcebook_gateway.access import gated_router, needs
from sourcebook_gateway.deps import Caller, CallerDep, SharedDep
from sourcebook_gateway.holders import check_held, held_assistant, index_for
from sourcebook_gateway.refusals import not_found
from sourcebook_gateway.shapes.assistants import AssistantSource, SourcesReplace, SourcesReplaced
from sourcebook_gateway.shapes.lists import CursorQuery, LimitQuery, Listed, paged, place
from sourcebook_gateway.shapes.sources import GrantAsk

router = gated_router("assistants")


@router.get("/assistants/{assistant_id}/sources", summary="Its sources", openapi_extra=needs("read"))
async def list_sources(
    assistant_id: UUID, caller: CallerDep, shared: SharedDep, cursor_: CursorQuery = None, limit: LimitQuery = 200
) -> Listed[AssistantSource]:
    """For its owner the whole library, newest first, each given, paused or none; for members those that it holds."""
    before_at, before_id = place(cursor_)
    async with shared.db.transaction() as conn:
        held = await held_assistant(conn, caller, assistant_id)
        found = await assistant_sources.list_for_assistant(
            conn, assistant_id, limit + 1, before_at, before_id, held_only=held.role != "owner"
        )
    return paged(found, limit, AssistantSource.of, lambda row: (row.created_at, row.id))


@router.put("/assistants/{assistant_id}/sources", summary="Swap all its sources", openapi_extra=needs("manage"))
async def replace_sources(assistant_id: UUID, asked: SourcesReplace, caller: CallerDep, shared: SharedDep) -> SourcesReplaced:
    """Gives exactly these, in one commit: a question sees all that was or all that is. For its owner. 404 for a source not theirs.

    A source is found once it is cut as this assistant cuts: pause new ones first, and swap when their `searchable` says so.
    """
    async with shared.db.transaction() as conn:
        held = await held_assistant(conn, caller, assistant_id, to_own=True)
        if await assistant_sources.replace(conn, assistant_id, asked.source_ids, caller.person_id):
            raise not_found()
        await _check_taken(conn, held)
        await index_for(conn, assistant_id)
        await recipes.swap_if_whole(conn, Holder("assistant", assistant_id))  # the last that was not cut anew may be gone
        await assistants.touch(conn, assistant_id)
        now = await held_assistant(conn, caller, assistant_id)
    await shared.bell.ring("ingest")
    return SourcesReplaced(given=now.given, pending=now.pending)


@router.put("/assistants/{assistant_id}/sources/{source_id}", summary="Give or pause", openapi_extra=needs("manage"))
async def set_grant(
    assistant_id: UUID, source_id: UUID, caller: CallerDep, shared: SharedDep, asked: GrantAsk | None = None
) -> AssistantSource:
    """A paused source stays listed and is never searched. Only its owner gives a source; editors pause and take up again."""
    async with shared.db.transaction() as conn:
        held = await held_assistant(conn, caller, assistant_id, to_change=True)
        await _find(conn, caller, assistant_id, source_id, held_only=held.role != "owner")
        await grants.give(conn, assistant_id, source_id, caller.person_id, asked.grant if asked else "given", holder="assistant")
        await _check_taken(conn, held)
        await index_for(conn, assistant_id)
        await assistants.touch(conn, assistant_id)
        found = await _find(conn, caller, assistant_id, source_id, held_only=True)
    await shared.bell.ring("ingest")
    return found


@router.delete("/assistants/{assistant_id}/sources/{source_id}", status_code=204, summary="Take back", openapi_extra=needs("manage"))
async def take_back(assistant_id: UUID, source_id: UUID, caller: CallerDep, shared: SharedDep) -> None:
    """From the next search on it is not found. It stays in the library. For its owner."""
    async with shared.db.transaction() as conn:
        await check_held(conn, caller, Holder("assistant", assistant_id), to_own=True)
        if not await grants.take(conn, assistant_id, source_id, holder="assistant"):
            raise not_found()
        await recipes.swap_if_whole(conn, Holder("assistant", assistant_id))
        await assistants.touch(conn, assistant_id)


async def _check_taken(conn: Conn, held: Assistant) -> None:
    """Raises 413 or 415 for a source that the profile of the draft does not take in (C1)."""
    await taking.check_held(conn, Holder("assistant", held.id), profiles.of(held.profile, held.settings.get("profile")).ingest)


async def _find(conn: Conn, caller: Caller, assistant_id: UUID, source_id: UUID, *, held_only: bool) -> AssistantSource:
    found = await assistant_sources.find(conn, assistant_id, source_id, held_only=held_only)
    if found is None:
        raise not_found()
    return AssistantSource.of(found)

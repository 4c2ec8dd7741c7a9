"""Who may look at a notebook or an assistant, and who may change it."""

from __future__ import annotations

from uuid import UUID

from sourcebook_core import jobs
from sourcebook_core.db import Conn
from sourcebook_core.errors import RequestError
from sourcebook_core.store import assistant_sources, assistants
from sourcebook_core.store.assistants import Assistant
from sourcebook_core.store.scopes import Holder
from sourcebook_gateway.access import check_owned
from sourcebook_gateway.deps import Caller
from sourcebook_gateway.refusals import not_found


async def check_held(conn: Conn, caller: Caller, holder: Holder, *, to_change: bool = False, to_own: bool = False) -> None:
    """As `held_assistant`, of a notebook too (which is its owner's alone), where nothing but the caller's role is asked for."""
    if holder.kind == "notebook":
        await check_owned(conn, caller, holder.id)
        return
    role = await assistants.role_of(conn, holder.id, caller.person_id)
    if role is None:
        raise not_found()
    _check_role(role, to_change=to_change, to_own=to_own)


async def held_assistant(conn: Conn, caller: Caller, assistant_id: UUID, *, to_change: bool = False, to_own: bool = False) -> Assistant:
    """The assistant as the caller sees it. Raises 404 for somebody it is nothing to; 403 for a viewer who would change it, and for
    anybody but its owner with `to_own`."""
    found = await assistants.find(conn, caller.person_id, assistant_id)
    if found is None:
        raise not_found()
    _check_role(found.role, to_change=to_change, to_own=to_own)
    return found


def _check_role(role: str, *, to_change: bool, to_own: bool) -> None:
    if (to_change and role == "viewer") or (to_own and role != "owner"):
        raise RequestError(403, "forbidden")


async def named(conn: Conn, slug: str) -> Holder:
    """The assistant of this slug. Raises 404 where there is none; whether the caller may ask it is the gate's to say."""
    found = await assistants.id_of_slug(conn, slug)
    if found is None:
        raise not_found()
    return Holder("assistant", found)


async def index_for(conn: Conn, assistant_id: UUID) -> None:
    """Have an assistant's sources cut by its recipe where they are read and not cut so yet; it costs nothing where they are."""
    for one in await assistant_sources.unindexed(conn, assistant_id):
        await jobs.insert_indexing(conn, owner_id=one.owner_id, source_id=one.source_id, reading_id=one.reading_id, recipe_id=one.recipe_id)

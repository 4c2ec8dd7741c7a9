"""What a newly chosen embedding model sets going: its space is built beside the one in use, what is searchable stays so."""

from __future__ import annotations

from sourcebook_core import jobs, roles
from sourcebook_core.db import Conn
from sourcebook_core.jobs import RebuildSpace
from sourcebook_core.settings import RoleSettings
from sourcebook_core.store import rebuild, unindexed


async def go_on(conn: Conn, role: RoleSettings) -> None:
    """Go on with the space of the role's model where it is half built; one for a model chosen before is given up. Ring `care` after
    the commit."""
    building = await roles.find_space(conn, role, "building")
    await rebuild.retire_building(conn, building.id if building else None)
    if building is not None:
        await jobs.insert(conn, RebuildSpace(space_id=building.id), once=building.id)


async def index_unindexed(conn: Conn) -> None:
    """Queue every reading that lacks vectors, at least one: by it a model that has no space yet is noticed. Ring `ingest` after
    the commit."""
    for one in await unindexed.list_for_new_model(conn):
        await jobs.insert_indexing(conn, owner_id=one.owner_id, source_id=one.source_id, reading_id=one.reading_id, recipe_id=one.recipe_id)

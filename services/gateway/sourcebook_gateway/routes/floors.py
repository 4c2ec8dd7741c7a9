"""Floors: where noise ends for the embedding model in use, as it holds and as an evaluation sets it."""

from __future__ import annotations

from sourcebook_core import jobs, profiles
from sourcebook_core.db import Conn
from sourcebook_core.errors import RequestError
from sourcebook_core.jobs import MeasureFloor
from sourcebook_core.profiles import Profile, ProfileName
from sourcebook_core.settings import PREFIX, Settings
from sourcebook_core.store import floors, spaces
from sourcebook_core.store.floors import Floor
from sourcebook_core.store.spaces import Space
from sourcebook_gateway.access import gated_router, needs
from sourcebook_gateway.deps import SharedDep
from sourcebook_gateway.shapes.floors import FloorList, FloorRead, FloorSet, FloorSpace

router = gated_router("admin")
_VARIABLE = f"{PREFIX}FLOOR"


@router.get("/admin/floors", summary="Floors", openapi_extra=needs("admin"))
async def list_floors(shared: SharedDep) -> FloorList:
    """What a passage's nearness must reach, for each profile in each space: shipped, measured on noise, or set."""
    async with shared.db.transaction() as conn:
        return await _all(conn, shared.settings)


@router.put("/admin/floors/{profile}", summary="Set a floor", openapi_extra=needs("admin"))
async def set_floor(profile: ProfileName, asked: FloorSet, shared: SharedDep) -> FloorList:
    """Holds from the next question on, in the space in use. 409 without a space, or where the environment sets the floor."""
    if shared.settings.floor is not None:
        raise RequestError(409, "conflict", why=f"{_VARIABLE} sets the floor. Change it there.")
    async with shared.db.transaction() as conn:
        space = await spaces.find_in_use(conn)
        if space is None:
            raise RequestError(409, "conflict", why="no embedding model is in use yet. Connect one and add a source first.")
        if asked.floor is None:
            await floors.delete(conn, profile, space.id)
            if space.floor is None:
                await jobs.insert(conn, MeasureFloor(space_id=space.id), once=space.id)
        else:
            await floors.put(conn, profile, space.id, floor=asked.floor, weak_similarity=asked.weak_similarity, clear_lead=asked.clear_lead)
        found = await _all(conn, shared.settings)
    await shared.bell.ring("care")
    return found


async def _all(conn: Conn, settings: Settings) -> FloorList:
    items: list[FloorRead] = []
    for space in await spaces.list_filled(conn):
        known = {one.profile: one for one in await floors.list_of_space(conn, space.id)}
        names = dict.fromkeys([profiles.NOTEBOOK.name, *known])
        items += [_told(name, space, known.get(name), settings.floor) for name in names]
    return FloorList(items=items, locked_by=_VARIABLE if settings.floor is not None else None)


def _told(name: str, space: Space, row: Floor | None, fixed: float | None) -> FloorRead:
    """The numbers that hold: the environment's, else the row's, else those shipped with the model."""
    reply = _profile(name).reply
    origin = "environment" if fixed is not None else row.origin if row else "shipped" if space.floor is not None else None
    return FloorRead.model_validate(
        {
            "profile": name,
            "space": FloorSpace.model_validate(space, from_attributes=True),
            "floor": fixed if fixed is not None else row.floor if row else space.floor,
            "weak_similarity": row.weak_similarity if row and row.weak_similarity is not None else reply.weak_similarity,
            "clear_lead": row.clear_lead if row and row.clear_lead is not None else reply.clear_lead,
            "origin": origin,
            "measured_at": row.measured_at if row else None,
        }
    )  # fmt: skip


def _profile(name: str) -> Profile:
    try:
        return profiles.get(name)
    except KeyError:  # a profile that comes with a later version
        return profiles.NOTEBOOK

"""Table people: who can sign in."""

from dataclasses import dataclass
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid5

from sourcebook_core.db import Conn

# The owner of a one-machine stack has the same id in every installation, so that making them needs no lock.
LOCAL_OWNER = uuid5(NAMESPACE_URL, "sourcebook:local-owner")


@dataclass(frozen=True)
class Person:
    """One person. `preferences` holds only what they set themselves."""

    id: UUID
    email: str | None
    name: str
    is_admin: bool
    preferences: dict[str, Any]


async def ensure_local_owner(conn: Conn, name: str) -> None:
    """Make the local owner when there is none. Safe to run twice and from several processes."""
    await conn.execute("insert into people (id, name, is_admin) values ($1, $2, true) on conflict (id) do nothing", LOCAL_OWNER, name)


async def insert(conn: Conn, person_id: UUID, name: str, email: str | None, is_admin: bool) -> None:
    """Add a person; a person with this address must not exist."""
    await conn.execute("insert into people (id, name, email, is_admin) values ($1, $2, $3, $4)", person_id, name, email, is_admin)


async def get(conn: Conn, person_id: UUID) -> Person:
    """The person with this id, who must exist."""
    row = await conn.fetchrow("select id, email, name, is_admin, preferences from people where id = $1", person_id)
    if row is None:
        raise LookupError(f"no person {person_id}")
    return Person(**row)


async def exists(conn: Conn, person_id: UUID) -> bool:
    """Whether there is somebody of this id who can sign in: a visitor of an assistant is nobody here."""
    return await conn.fetchval("select true from people where id = $1 and visitor_of is null", person_id) is True


async def update_preferences(conn: Conn, person_id: UUID, changes: dict[str, Any]) -> Person:
    """Set the named preferences and keep the others; a preference set to None goes back to its default."""
    row = await conn.fetchrow(
        "update people set preferences = jsonb_strip_nulls(preferences || $2) where id = $1"
        " returning id, email, name, is_admin, preferences",
        person_id,
        changes,
    )
    if row is None:
        raise LookupError(f"no person {person_id}")
    return Person(**row)

"""Table assistant_members: who may work on an assistant beside its owner."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sourcebook_core.db import Conn


@dataclass(frozen=True, slots=True)
class Member:
    """One member: an editor changes and publishes it, a viewer tries it and sees what it could not answer."""

    person_id: UUID
    name: str
    email: str | None
    role: str
    created_at: datetime


async def list_for_assistant(conn: Conn, assistant_id: UUID) -> list[Member]:
    """The members, oldest first; for its people alone."""
    rows = await conn.fetch(
        """
        select m.person_id, p.name, p.email, m.role, m.created_at from assistant_members m join people p on p.id = m.person_id
        where m.assistant_id = $1 order by m.created_at, m.person_id
        """,
        assistant_id,
    )
    return [Member(**row) for row in rows]


async def put(conn: Conn, assistant_id: UUID, email: str, role: str) -> UUID | None:
    """Make the person with this address a member, or give a member another role; None when nobody has it, or it is the owner's."""
    found: UUID | None = await conn.fetchval(
        """
        insert into assistant_members (assistant_id, person_id, role)
        select a.id, p.id, $3 from people p, assistants a
        where lower(p.email) = lower($2) and p.visitor_of is null and a.id = $1 and a.owner_id <> p.id
        on conflict (assistant_id, person_id) do update set role = excluded.role returning person_id
        """,
        assistant_id, email, role,
    )  # fmt: skip
    return found


async def delete(conn: Conn, assistant_id: UUID, person_id: UUID) -> bool:
    """Take a member out; False when they are none."""
    found = await conn.fetchval(
        "delete from assistant_members where assistant_id = $1 and person_id = $2 returning true", assistant_id, person_id
    )
    return found is not None

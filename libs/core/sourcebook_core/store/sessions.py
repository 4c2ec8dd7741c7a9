"""Table sessions: browsers that are signed in. Only the SHA-256 of a session's secret is kept."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from sourcebook_core.db import Conn


@dataclass(frozen=True)
class Session:
    """A signed-in browser and its person."""

    id: UUID
    person_id: UUID
    csrf: str
    scopes: list[str]
    email: str | None
    name: str
    is_admin: bool
    preferences: dict[str, Any]


async def insert(
    conn: Conn, session_id: UUID, person_id: UUID, secret_hash: bytes, csrf: str, scopes: Sequence[str], lasts: timedelta
) -> None:
    """Sign a browser in for `lasts`, with the scopes of what signed it in; sessions of this person that ended are removed on the way."""
    await conn.execute("delete from sessions where person_id = $1 and expires_at <= now()", person_id)
    await conn.execute(
        "insert into sessions (id, person_id, secret_hash, csrf, scopes, expires_at) values ($1, $2, $3, $4, $5, now() + $6)",
        session_id,
        person_id,
        secret_hash,
        csrf,
        list(scopes),
        lasts,
    )


async def find(conn: Conn, secret_hash: bytes) -> Session | None:
    """The living session with this secret and its person; None when there is none or it has ended."""
    row = await conn.fetchrow(
        "select s.id, s.person_id, s.csrf, s.scopes, p.email, p.name, p.is_admin, p.preferences from sessions s"
        " join people p on p.id = s.person_id where s.secret_hash = $1 and s.expires_at > now()",
        secret_hash,
    )
    return Session(**row) if row else None


async def delete(conn: Conn, session_id: UUID) -> None:
    """Sign one browser out. Safe to run twice."""
    await conn.execute("delete from sessions where id = $1", session_id)

"""Table sign_in_links: links that sign a browser in once."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from sourcebook_core.db import Conn


@dataclass(frozen=True)
class SignIn:
    """Whom a link signs in, and with which scopes."""

    person_id: UUID
    scopes: list[str]


async def insert(conn: Conn, person_id: UUID, secret_hash: bytes, scopes: Sequence[str], lasts: timedelta) -> None:
    """Make a link that works once within `lasts` and gives its maker's scopes; links that ended a day ago are removed on the way."""
    await conn.execute("delete from sign_in_links where expires_at < now() - interval '1 day'")
    await conn.execute(
        "insert into sign_in_links (secret_hash, person_id, scopes, expires_at) values ($1, $2, $3, now() + $4)",
        secret_hash,
        person_id,
        list(scopes),
        lasts,
    )


async def use(conn: Conn, secret_hash: bytes) -> SignIn | None:
    """Whom this link signs in, and the link is spent; None when it is unknown, used or too old."""
    row = await conn.fetchrow(
        "update sign_in_links set used_at = now() where secret_hash = $1 and used_at is null and expires_at > now()"
        " returning person_id, scopes",
        secret_hash,
    )
    return SignIn(**row) if row else None


async def is_used(conn: Conn, secret_hash: bytes) -> bool:
    """True when this link was a good one and has been used."""
    return await conn.fetchval("select true from sign_in_links where secret_hash = $1 and used_at is not null", secret_hash) is not None

"""Table sign_in_links: links that sign a browser in once."""

from datetime import timedelta
from uuid import UUID

from sourcebook_core.db import Conn


async def insert(conn: Conn, person_id: UUID, secret_hash: bytes, lasts: timedelta) -> None:
    """Make a link that works once within `lasts`; links that ended a day ago are removed on the way."""
    await conn.execute("delete from sign_in_links where expires_at < now() - interval '1 day'")
    await conn.execute(
        "insert into sign_in_links (secret_hash, person_id, expires_at) values ($1, $2, now() + $3)", secret_hash, person_id, lasts
    )


async def use(conn: Conn, secret_hash: bytes) -> UUID | None:
    """The person this link signs in, and the link is spent; None when it is unknown, used or too old."""
    found: UUID | None = await conn.fetchval(
        "update sign_in_links set used_at = now() where secret_hash = $1 and used_at is null and expires_at > now() returning person_id",
        secret_hash,
    )
    return found


async def is_used(conn: Conn, secret_hash: bytes) -> bool:
    """True when this link was a good one and has been used."""
    return await conn.fetchval("select true from sign_in_links where secret_hash = $1 and used_at is not null", secret_hash) is not None

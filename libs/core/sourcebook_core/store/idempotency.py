"""Table idempotency: the first result of a creating request, kept for 24 hours (decisions, "Data")."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sourcebook_core.db import Conn


@dataclass(frozen=True)
class First:
    """The request that had this key first. `status` is None when its answer held a secret and was not kept."""

    body_hash: bytes
    status: int | None
    response: Any


async def claim(conn: Conn, person_id: UUID, route: str, key: str, body_hash: bytes) -> First | None:
    """None when this request is the first with its key (within 24 h); else the first one.

    Call it inside the transaction that creates: a second request with the key waits here until the first commits or
    rolls back, so that its result is either there or it may be made.
    """
    is_first = await conn.fetchval(
        "insert into idempotency (person_id, route, key, body_hash) values ($1, $2, $3, $4) on conflict (person_id, route, key)"
        " do update set body_hash = excluded.body_hash, status = null, response = null, created_at = now()"
        " where idempotency.created_at < now() - interval '24 hours' returning true",
        person_id,
        route,
        key,
        body_hash,
    )
    if is_first:
        return None
    row = await conn.fetchrow(
        "select body_hash, status, response from idempotency where person_id = $1 and route = $2 and key = $3", person_id, route, key
    )
    assert row is not None
    return First(**row)


async def keep(conn: Conn, person_id: UUID, route: str, key: str, status: int, response: Any) -> None:
    """Keep the answer of a claimed key, in the transaction that made it."""
    await conn.execute(
        "update idempotency set status = $4, response = $5 where person_id = $1 and route = $2 and key = $3",
        person_id,
        route,
        key,
        status,
        response,
    )


async def delete_old(conn: Conn) -> None:
    """Remove keys older than 24 hours."""
    await conn.execute("delete from idempotency where created_at < now() - interval '24 hours'")

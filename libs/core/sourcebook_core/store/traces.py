"""Traces of answers (S0-43): how passages were found, and turns whose conversation the client keeps, for as long as they stay."""

from __future__ import annotations

from uuid import UUID

from sourcebook_core.db import Conn


async def expire(conn: Conn, turn_id: UUID, days: int) -> None:
    """Keep a turn as a trace alone, for so many days: its conversation is the client's own."""
    await conn.execute("update turns set expires_at = created_at + make_interval(days => $2) where id = $1", turn_id, days)


async def delete_expired(conn: Conn, limit: int) -> int:
    """Remove turns whose time is over, with their citations and what their calls brought, and conversations that hold none any more.

    The ledger keeps what the calls cost. Returns how many turns went.
    """
    rows = await conn.fetch(
        """
        delete from turns where id in (
            select id from turns where expires_at < now() and status not in ('queued', 'running') order by expires_at limit $1)
        returning id, conversation_id
        """,
        limit,
    )
    await conn.execute("update calls set response = null where turn_id = any($1) and response is not null", [row["id"] for row in rows])
    await conn.execute(
        "delete from conversations c where id = any($1) and not exists (select from turns t where t.conversation_id = c.id)",
        [row["conversation_id"] for row in rows],
    )
    return len(rows)


async def forget_why(conn: Conn, days: int, limit: int) -> int:
    """Forget how the passages of answers were found that ended so many days ago; returns how many. The answers stay."""
    count: int = await conn.fetchval(
        """
        with old as (
            update turns set why = null where id in (
                select id from turns where why is not null and finished_at < now() - make_interval(days => $1) limit $2) returning 1)
        select count(*) from old
        """,
        days, limit,
    )  # fmt: skip
    return count

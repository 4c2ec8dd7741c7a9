"""Table counters: how often something happened in a window of time. Limits live here, the same with Redis away."""

from dataclasses import dataclass

from sourcebook_core.db import Conn


@dataclass(frozen=True)
class Count:
    """How often it happened in the running window, this time included, and seconds until the window ends (at least 1)."""

    count: int
    ends_in_s: int


async def add(conn: Conn, name: str, subject: str, window_s: int) -> Count:
    """Count one more. A new window starts when the last one has ended; one statement, so a counter always has an end (B53)."""
    row = await conn.fetchrow(
        "insert into counters as c (name, subject, window_ends_at, count) values ($1, $2, now() + make_interval(secs => $3), 1)"
        " on conflict (name, subject) do update set"
        " count = case when c.window_ends_at <= now() then 1 else c.count + 1 end,"
        " window_ends_at = case when c.window_ends_at <= now() then excluded.window_ends_at else c.window_ends_at end"
        " returning count, greatest(1, ceil(extract(epoch from window_ends_at - now())))::int as ends_in_s",
        name,
        subject,
        window_s,
    )
    assert row is not None
    return Count(**row)


async def current(conn: Conn, name: str, subject: str) -> Count | None:
    """The running window, uncounted; None when none is running."""
    row = await conn.fetchrow(
        "select count, greatest(1, ceil(extract(epoch from window_ends_at - now())))::int as ends_in_s from counters"
        " where name = $1 and subject = $2 and window_ends_at > now()",
        name,
        subject,
    )
    return Count(**row) if row else None


async def delete_ended(conn: Conn, limit: int) -> int:
    """Remove windows that have ended, at most `limit`; returns how many."""
    count: int = await conn.fetchval(
        """
        with gone as (
            delete from counters where (name, subject) in (
                select name, subject from counters where window_ends_at <= now() order by name, subject limit $1 for update skip locked)
            returning 1)
        select count(*) from gone
        """,
        limit,
    )
    return count

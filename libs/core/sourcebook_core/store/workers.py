"""Rows of `workers`: who is alive, by heartbeat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sourcebook_core.db import Conn


@dataclass(frozen=True, slots=True)
class Worker:
    """One live worker process."""

    id: UUID
    service: str
    host: str
    pid: int
    queues: list[str]
    version: str
    started_at: datetime
    heartbeat_at: datetime


async def beat(conn: Conn, worker_id: UUID, *, service: str, host: str, pid: int, queues: Sequence[str], version: str) -> None:
    """Say that this worker lives now; forgets workers that were silent for a day."""
    await conn.execute(
        """
        insert into workers (id, service, host, pid, queues, version) values ($1, $2, $3, $4, $5, $6)
        on conflict (id) do update set heartbeat_at = now()
        """,
        worker_id, service, host, pid, list(queues), version,
    )  # fmt: skip
    await conn.execute("delete from workers where heartbeat_at < now() - interval '1 day'")


async def leave(conn: Conn, worker_id: UUID) -> None:
    """Take this worker off the list."""
    await conn.execute("delete from workers where id = $1", worker_id)


async def list_alive(conn: Conn, within_s: float) -> list[Worker]:
    """Workers heard within the last `within_s` seconds."""
    rows = await conn.fetch(
        """
        select id, service, host, pid, queues, version, started_at, heartbeat_at from workers
        where heartbeat_at > now() - make_interval(secs => $1) order by service, started_at
        """,
        within_s,
    )
    return [Worker(**dict(row)) for row in rows]


async def end_frozen(conn: Conn, idle_s: float) -> int:
    """End the sessions of our processes that are amid a statement and have waited so long for their process; returns how many.

    The server's own limit (`database_idle_s`) sees a transaction that stands still between two statements, not one amid a COPY
    whose rows do not come, nor one whose rows nobody takes: that is what a process frozen just there leaves.
    """
    ended: int = await conn.fetchval(
        """
        select count(*) filter (where pg_terminate_backend(pid)) from pg_stat_activity
        where datname = current_database() and usename = current_user and application_name like 'sourcebook%' and state = 'active'
            and wait_event_type = 'Client' and query_start < now() - make_interval(secs => $1)
        """,
        idle_s,
    )
    return ended

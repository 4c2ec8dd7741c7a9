"""Rows of `jobs`: inserting, claiming, leasing, ending. Times are the database's own; durations come in as seconds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sourcebook_core.db import Conn


@dataclass(frozen=True, slots=True)
class ClaimedJob:
    """A job that is ours until its lease ends: `fence` is unique in the installation, `attempt` counts from 1."""

    id: UUID
    kind: str
    queue: str
    subject: UUID | None
    owner_id: UUID | None
    payload: dict[str, Any]
    sealed: bytes | None
    attempt: int
    crashes: int
    fence: int


@dataclass(frozen=True, slots=True)
class JobEnd:
    """How a job stands: `result` when done, `error` {code, message} when failed."""

    state: str
    result: dict[str, Any] | None
    error: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class QueueDepth:
    """One queue: jobs due and waiting, age of the oldest in seconds, jobs running."""

    queue: str
    waiting: int
    oldest_s: float | None
    running: int


async def insert(
    conn: Conn,
    job_id: UUID,
    *,
    kind: str,
    queue: str,
    payload: dict[str, Any],
    owner_id: UUID | None,
    subject: UUID | None,
    once: str | None,
    priority: int,
    delay_s: float,
    sealed: bytes | None,
    place_of: UUID | None = None,
) -> UUID:
    """Add a queued job; with `once`, the id of the unfinished job that has this key already, if there is one.

    That one neither begins nor ends before the caller's transaction: what was written there is seen by its last one (`for share`).
    `place_of`: it stands in the line where that job stood, not at the end.
    """
    found: UUID | None = None
    while found is None:  # again when the one that has the key ends between the two statements
        found = await conn.fetchval(
            """
            insert into jobs (id, kind, queue, payload, owner_id, subject, once, priority, run_after, sealed)
            values ($1, $2, $3, $4, $5, $6, $7, $8,
                coalesce((select run_after from jobs where id = $11), now()) + make_interval(secs => $9), $10)
            on conflict (once) where once is not null and state in ('queued', 'running') do nothing
            returning id
            """,
            job_id, kind, queue, payload, owner_id, subject, once, priority, delay_s, sealed, place_of,
        )  # fmt: skip
        if found is None:
            found = await conn.fetchval("select id from jobs where once = $1 and state in ('queued', 'running') for share", once)
    return found


_CLAIM_DEAD = """
    update jobs set attempt = attempt + 1, crashes = crashes + 1, fence = nextval('job_fence'), worker = $2,
        started_at = now(), lease_until = now() + make_interval(secs => $3)
    where id = (
        select id from jobs
        where state = 'running' and queue = any($1) and lease_until < now() and (crashes < 1 or $4)
            and (kind = any($5)) = $6
        order by priority desc, lease_until
        limit 1 for update skip locked)
    returning id, kind, queue, subject, owner_id, payload, sealed, attempt, crashes, fence
"""

_CLAIM_QUEUED = """
    with lately as (
        select owner_id, 1 as running, 0 as ended from jobs where state = 'running' and queue = any($1)
        union all
        select owner_id, 0, 1 from jobs where finished_at > now() - interval '5 seconds' and queue = any($1)),
    busy as (select owner_id, sum(running) as running, sum(ended) as ended from lately group by owner_id)
    update jobs set state = 'running', attempt = attempt + 1, fence = nextval('job_fence'), worker = $2,
        started_at = now(), lease_until = now() + make_interval(secs => $3)
    where id = (
        select j.id from jobs j left join busy b on b.owner_id = j.owner_id
        where j.state = 'queued' and j.queue = any($1) and j.run_after <= now() and (j.crashes < 2 or $4)
            and (j.kind = any($5)) = $6
        order by j.priority desc, coalesce(b.running, 0), coalesce(b.ended, 0), j.run_after, j.id
        limit 1 for update of j skip locked)
    returning id, kind, queue, subject, owner_id, payload, sealed, attempt, crashes, fence
"""


async def claim(
    conn: Conn, *, queues: Sequence[str], worker: UUID, lease_s: float, alone: bool, asides: Sequence[str] = (), is_aside: bool = False
) -> ClaimedJob | None:
    """Take one job: first one whose lease is dead, else a due one, the owner with the fewest running first, then with the fewest
    that ended just now: so that it is fair with one slot too.

    A job that already crashed twice is taken only when `alone` (this worker runs nothing else). With `is_aside` one of the
    kinds `asides`, else one of the other kinds.
    """
    given = (list(queues), worker, lease_s, alone, list(asides), is_aside)
    row = await conn.fetchrow(_CLAIM_DEAD, *given)
    if row is None:
        row = await conn.fetchrow(_CLAIM_QUEUED, *given)
    return ClaimedJob(**dict(row)) if row is not None else None


async def renew(conn: Conn, fences: Sequence[int], lease_s: float) -> set[int]:
    """Push the leases of these claims on; returns the fences that nobody else took. Not for use inside a transaction.

    A claim that we ended ourselves a moment ago keeps its fence and is not lost: it may still be telling its readers.
    """
    # No statement waits for one row while it holds another: erasing holds its own job and takes those of a source, and the two
    # would wait for each other. So those that nobody holds at once, then one by one those in which our own jobs are just writing.
    pushed = await conn.fetch(
        """
        update jobs set lease_until = now() + make_interval(secs => $2)
        where id in (select id from jobs where fence = any($1) and state = 'running' for update skip locked) returning fence
        """,
        list(fences), lease_s,
    )  # fmt: skip
    for fence in set(fences) - {row["fence"] for row in pushed}:
        await conn.execute(
            "update jobs set lease_until = now() + make_interval(secs => $2) where fence = $1 and state = 'running'", fence, lease_s
        )
    rows = await conn.fetch("select fence from jobs where fence = any($1)", list(fences))
    return {row["fence"] for row in rows}


async def unwanted(conn: Conn, fences: Sequence[int]) -> set[int]:
    """Those of these claims that somebody asked to cancel."""
    rows = await conn.fetch("select fence from jobs where fence = any($1) and state = 'running' and cancel_requested", list(fences))
    return {row["fence"] for row in rows}


async def lock_held(conn: Conn, job_id: UUID, fence: int, *, checkpoint: bool) -> bool:
    """Lock the job's row if the claim still holds; `checkpoint` starts the count of attempts and crashes anew."""
    found = await conn.fetchval(
        """
        update jobs set attempt = case when $3 then 0 else attempt end, crashes = case when $3 then 0 else crashes end
        where id = $1 and fence = $2 and state = 'running' and not cancel_requested returning true
        """,
        job_id, fence, checkpoint,
    )  # fmt: skip
    return bool(found)


async def lock_source(conn: Conn, source_id: UUID) -> None:
    """Lock the row of the source a job is about: whoever locks both takes the source first, or two would wait for each other."""
    await conn.execute("select 1 from sources where id = $1 for update", source_id)


async def finish(conn: Conn, job_id: UUID, fence: int, *, state: str, result: dict[str, Any] | None, error: dict[str, Any] | None) -> bool:
    """End a claim as `done`, `failed` or `cancelled`; clears the sealed part and what was reserved. False when it was not ours any more."""
    found = await conn.fetchval(
        """
        with over as (
            delete from reservations r using jobs j where r.job_id = $1 and j.id = r.job_id and j.fence = $2 and j.state = 'running')
        update jobs set state = $3, result = $4, error = $5, sealed = null, lease_until = null, finished_at = now()
        where id = $1 and fence = $2 and state = 'running' returning true
        """,
        job_id, fence, state, result, error,
    )  # fmt: skip
    return bool(found)


async def give_back(conn: Conn, job_id: UUID, fence: int, *, delay_s: float, counted: bool, error: dict[str, Any] | None) -> bool:
    """Queue a claim again after `delay_s`; `counted` = false takes this attempt off the count."""
    found = await conn.fetchval(
        """
        update jobs set state = 'queued', lease_until = null, run_after = now() + make_interval(secs => $3),
            attempt = case when $4 then attempt else greatest(attempt - 1, 0) end, error = $5
        where id = $1 and fence = $2 and state = 'running' returning true
        """,
        job_id, fence, delay_s, counted, error,
    )  # fmt: skip
    return bool(found)


async def request_cancel(conn: Conn, subject: UUID, kinds: Sequence[str]) -> int:
    """Cancel the unfinished jobs of a subject: queued ones at once, running ones when their worker sees it.

    These give up their key: they write nothing any more, so who wants the same work now gets a job of their own.
    """
    count: int = await conn.fetchval(
        """
        with hit as (
            update jobs set cancel_requested = true, once = case when state = 'queued' then once end,
                state = case when state = 'queued' then 'cancelled' else state end,
                sealed = case when state = 'queued' then null else sealed end,
                finished_at = case when state = 'queued' then now() end
            where subject = $1 and kind = any($2) and state in ('queued', 'running') returning 1)
        select count(*) from hit
        """,
        subject, list(kinds),
    )  # fmt: skip
    return count


async def set_due(conn: Conn, once: str, delay_s: float) -> bool:
    """Have the waiting job of this key run in so many seconds; False when none waits."""
    found = await conn.fetchval(
        "update jobs set run_after = now() + make_interval(secs => $2) where once = $1 and state = 'queued' returning true", once, delay_s
    )
    return found is not None


async def find_end(conn: Conn, job_id: UUID) -> JobEnd | None:
    """How the job ended; None while it is unfinished."""
    row = await conn.fetchrow("select state, result, error from jobs where id = $1 and state in ('done', 'failed', 'cancelled')", job_id)
    return JobEnd(**dict(row)) if row is not None else None


async def is_wanted(conn: Conn, subject: UUID, kinds: Sequence[str]) -> bool:
    """Whether a subject has an unfinished job of these kinds that nobody cancelled."""
    found: bool = await conn.fetchval(
        """
        select exists (
            select from jobs where subject = $1 and kind = any($2) and state in ('queued', 'running') and not cancel_requested)
        """,
        subject, list(kinds),
    )  # fmt: skip
    return found


async def depths(conn: Conn) -> list[QueueDepth]:
    """Depth and age of every queue that has work."""
    rows = await conn.fetch(
        """
        select queue, count(*) filter (where state = 'queued' and run_after <= now()) as waiting,
            extract(epoch from now() - min(run_after) filter (where state = 'queued' and run_after <= now()))::float8 as oldest_s,
            count(*) filter (where state = 'running') as running
        from jobs where state in ('queued', 'running') group by queue order by queue
        """
    )
    return [QueueDepth(**dict(row)) for row in rows]


async def queue_again(conn: Conn, job_id: UUID) -> bool:
    """Queue a failed job again with a fresh count of attempts; False when it is not failed or its work is queued anew already."""
    found = await conn.fetchval(
        """
        update jobs f set state = 'queued', attempt = 0, crashes = 0, run_after = now(), error = null, finished_at = null
        where id = $1 and state = 'failed'
            and not exists (select from jobs o where o.once = f.once and o.state in ('queued', 'running')) returning true
        """,
        job_id,
    )
    return bool(found)


async def delete_finished(conn: Conn, older_than_s: float, limit: int) -> int:
    """Remove ended jobs of the past, at most `limit`; returns how many."""
    count: int = await conn.fetchval(
        """
        with gone as (
            delete from jobs where id in (
                select id from jobs where finished_at < now() - make_interval(secs => $1) limit $2) returning 1)
        select count(*) from gone
        """,
        older_than_s, limit,
    )  # fmt: skip
    return count

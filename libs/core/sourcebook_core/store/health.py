"""What the health page asks of several tables at once."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sourcebook_core.db import Conn


@dataclass(frozen=True)
class FailedWork:
    """A job that failed for good and is not superseded, with the file it was about."""

    job_id: UUID
    kind: str
    queue: str
    source_id: UUID | None
    file: str | None
    stage: str | None
    attempts: int
    error: dict[str, Any] | None


async def failed_work(conn: Conn, limit: int) -> list[FailedWork]:
    """Jobs that failed in the last 14 days and whose source still stands failed, newest first."""
    rows = await conn.fetch(
        """
        select j.id as job_id, j.kind, j.queue, s.id as source_id, coalesce(s.file_name, s.url, s.title) as file,
            case j.kind when 'read_source' then 'reading' when 'index_reading' then 'indexing' end as stage, j.attempt as attempts, j.error
        from jobs j left join sources s on s.id = j.subject
        where j.state = 'failed' and j.finished_at > now() - interval '14 days' and j.queue <> 'answer'
            and (s.id is null or (s.status = 'failed' and s.deleted_at is null))
        order by j.finished_at desc limit $1
        """,
        limit,
    )
    return [FailedWork(**row) for row in rows]


@dataclass(frozen=True)
class JobRow:
    """One job as the operator sees it."""

    id: UUID
    kind: str
    queue: str
    state: str
    attempts: int
    subject: UUID | None
    error: dict[str, Any] | None


async def list_jobs(conn: Conn, limit: int) -> list[JobRow]:
    """Unfinished jobs and the last finished ones, newest first."""
    rows = await conn.fetch(
        "select id, kind, queue, state, attempt as attempts, subject, error from jobs"
        " order by (state in ('queued', 'running')) desc, created_at desc limit $1",
        limit,
    )
    return [JobRow(**row) for row in rows]


async def find_failed_job(conn: Conn, job_id: UUID) -> FailedWork | None:
    """One failed job, locked for update; None when it is not failed (any more)."""
    row = await conn.fetchrow(
        """
        select j.id as job_id, j.kind, j.queue, j.subject as source_id, null::text as file, null::text as stage, j.attempt as attempts,
            j.error
        from jobs j where j.id = $1 and j.state = 'failed' for update
        """,
        job_id,
    )
    return FailedWork(**row) if row else None


@dataclass(frozen=True)
class Change:
    """Something of a person's that changed: what it is (source, turn, notebook), its id and where it belongs."""

    what: str
    id: UUID
    notebook_id: UUID | None
    conversation_id: UUID | None


async def changes(conn: Conn, person_id: UUID, within_s: float) -> list[Change]:
    """What of a person's changed in the last `within_s` seconds (the feed's fall-back), at most 200."""
    rows = await conn.fetch(
        """
        select 'source' as what, id, null::uuid as notebook_id, null::uuid as conversation_id from sources
            where owner_id = $1 and updated_at > now() - make_interval(secs => $2)
        union all select 'notebook', id, null, null from notebooks
            where owner_id = $1 and greatest(updated_at, deleted_at) > now() - make_interval(secs => $2)
        union all select 'turn', id, notebook_id, conversation_id from turns
            where person_id = $1 and greatest(created_at, finished_at) > now() - make_interval(secs => $2)
        limit 200
        """,
        person_id,
        within_s,
    )
    return [Change(**row) for row in rows]

"""What `calls` add up to: the ledger of a month, by role, by holder, by person and call by call. Months are UTC, half-open."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from uuid import UUID

from sourcebook_core.db import Conn

# A call that failed without being billed bought nothing and is no usage. One that a crash cut off may be billed: its row stays
# `started` when its job is over, and it is counted, with an unknown cost.
_IS_CUT_OFF = "(c.state = 'started' and not exists (select from jobs j where j.id = c.job_id and j.state in ('queued', 'running')))"
_IS_USAGE = f"(c.state = 'done' or c.cost is not null or c.possibly_billed > 0 or {_IS_CUT_OFF})"


@dataclass(frozen=True, slots=True)
class OfRole:
    """Calls of one role. `cost` is the sum of the known ones, None where none is known; `unknown` counts the others."""

    role: str
    calls: int
    cost: Decimal | None
    unknown: int
    tokens_in: int
    tokens_out: int


@dataclass(frozen=True, slots=True)
class OfHolder:
    """Calls for one notebook or assistant; `library`: for reading and indexing sources, `other`: for none of these."""

    holder_kind: str
    holder_id: UUID | None
    title: str | None
    calls: int
    cost: Decimal | None
    unknown: int


@dataclass(frozen=True, slots=True)
class OfPerson:
    """Calls that one person paid for, with their account as it is."""

    person_id: UUID
    name: str
    calls: int
    cost: Decimal | None
    unknown: int
    balance: Decimal | None
    cap_month: Decimal | None


@dataclass(frozen=True, slots=True)
class Paid:
    """One call. Tokens, pages and seconds are None where they do not apply or the provider did not count."""

    id: UUID
    started_at: datetime
    role: str
    provider: str
    model: str
    state: str
    error_code: str | None
    possibly_billed: int
    tokens_in: int | None
    tokens_out: int | None
    pages: int | None
    seconds: float | None
    is_estimated: bool
    cost: Decimal | None
    notebook_id: UUID | None
    assistant_id: UUID | None
    source_id: UUID | None
    turn_id: UUID | None


async def by_role(conn: Conn, owner_id: UUID | None, since: datetime, until: datetime) -> list[OfRole]:
    """A month by what it was for; of everybody where `owner_id` is None."""
    rows = await conn.fetch(
        """
        select c.role, count(*) as calls, sum(c.cost) as cost, count(*) filter (where c.cost is null) as unknown,
            coalesce(sum(coalesce((c.units ->> 'tokens_in')::bigint, (c.units -> 'estimated' ->> 'tokens_in')::bigint)), 0)::bigint
                as tokens_in,
            coalesce(sum(coalesce((c.units ->> 'tokens_out')::bigint, (c.units -> 'estimated' ->> 'tokens_out')::bigint)), 0)::bigint
                as tokens_out
        from calls c
        where ($1::uuid is null or c.owner_id = $1) and c.started_at >= $2 and c.started_at < $3
            and IS_USAGE
        group by c.role order by sum(c.cost) desc nulls last, c.role
        """.replace("IS_USAGE", _IS_USAGE),
        owner_id, since, until,
    )  # fmt: skip
    return [OfRole(**dict(row)) for row in rows]


async def by_holder(conn: Conn, owner_id: UUID, since: datetime, until: datetime) -> list[OfHolder]:
    """A month by what was asked, the dearest first."""
    rows = await conn.fetch(
        """
        select c.holder_kind, c.holder_id, coalesce(n.title, a.name) as title, c.calls, c.cost, c.unknown from (
            select case when c.notebook_id is not null then 'notebook' when c.assistant_id is not null then 'assistant'
                    when c.source_id is not null then 'library' else 'other' end as holder_kind,
                coalesce(c.notebook_id, c.assistant_id) as holder_id, count(*) as calls, sum(c.cost) as cost,
                count(*) filter (where c.cost is null) as unknown
            from calls c
            where c.owner_id = $1 and c.started_at >= $2 and c.started_at < $3
                and IS_USAGE
            group by 1, 2) c
        left join notebooks n on n.id = c.holder_id left join assistants a on a.id = c.holder_id
        order by c.cost desc nulls last, c.holder_kind, c.holder_id
        """.replace("IS_USAGE", _IS_USAGE),
        owner_id, since, until,
    )  # fmt: skip
    return [OfHolder(**dict(row)) for row in rows]


async def by_person(conn: Conn, since: datetime, until: datetime) -> list[OfPerson]:
    """A month of everybody who paid for something or has an account, the dearest first."""
    rows = await conn.fetch(
        """
        select p.id as person_id, p.name, coalesce(c.calls, 0) as calls, c.cost, coalesce(c.unknown, 0) as unknown, a.balance, a.cap_month
        from people p left join accounts a on a.person_id = p.id
        left join (
            select c.owner_id, count(*) as calls, sum(c.cost) as cost, count(*) filter (where c.cost is null) as unknown
            from calls c
            where c.started_at >= $1 and c.started_at < $2
                and IS_USAGE
            group by c.owner_id) c on c.owner_id = p.id
        where c.owner_id is not null or a.person_id is not null
        order by c.cost desc nulls last, p.name, p.id
        """.replace("IS_USAGE", _IS_USAGE),
        since, until,
    )  # fmt: skip
    return [OfPerson(**dict(row)) for row in rows]


async def list_calls(
    conn: Conn, owner_id: UUID, since: datetime, until: datetime, limit: int, before_at: datetime | None, before_id: UUID | None
) -> list[Paid]:
    """The calls an owner pays for, newest first, also those that failed; `before_*` is the place of the last one of the page before."""
    rows = await conn.fetch(
        """
        select c.id, c.started_at, c.role, c.provider, c.model, c.state, c.error_code,
            c.possibly_billed + IS_CUT_OFF::int as possibly_billed,
            coalesce((c.units ->> 'tokens_in')::bigint, (c.units -> 'estimated' ->> 'tokens_in')::bigint) as tokens_in,
            coalesce((c.units ->> 'tokens_out')::bigint, (c.units -> 'estimated' ->> 'tokens_out')::bigint) as tokens_out,
            (c.units ->> 'page')::int as pages, (c.units ->> 'second')::float8 as seconds, c.units ? 'estimated' as is_estimated,
            c.cost, c.notebook_id, c.assistant_id, c.source_id, c.turn_id
        from calls c
        where c.owner_id = $1 and c.started_at >= $2 and c.started_at < $3
            and ($5::timestamptz is null or (c.started_at, c.id) < ($5, $6))
        order by c.started_at desc, c.id desc limit $4
        """.replace("IS_CUT_OFF", _IS_CUT_OFF),
        owner_id, since, until, limit, before_at, before_id,
    )  # fmt: skip
    return [Paid(**dict(row)) for row in rows]

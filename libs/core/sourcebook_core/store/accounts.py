"""Tables accounts, credits and reservations: what an owner may still spend, and what unfinished work holds of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from uuid import UUID

from sourcebook_core.db import Conn

ZERO = Decimal(0)
CODE = "out_of_credit"


@dataclass(frozen=True, slots=True)
class Reservation:
    """What an unfinished job was given (`amount`), what its calls have cost, and what those in flight may cost (`flying`)."""

    amount: Decimal
    cost: Decimal
    flying: Decimal

    def holds(self, more: Decimal = ZERO) -> Decimal:
        """What it holds: what is left of its amount, and at least what its calls in flight may cost, with `more` for another one."""
        return max(self.amount - self.cost, self.flying + more, ZERO)


@dataclass(frozen=True, slots=True)
class Account:
    """An owner's credit: `balance` is all that was given less all that was spent, `spent` of this calendar month (UTC).

    `cap_month` bounds a month (None: no cap); `renews_at` is when the next month begins; `reserved` is by job.
    """

    balance: Decimal
    cap_month: Decimal | None
    spent: Decimal
    renews_at: datetime
    reserved: Mapping[UUID, Reservation]

    @property
    def held(self) -> Decimal:
        """What unfinished jobs hold."""
        return sum((one.holds() for one in self.reserved.values()), ZERO)

    @property
    def left(self) -> Decimal:
        """What could still be spent this month if no job held any."""
        return self.balance if self.cap_month is None else min(self.balance, self.cap_month - self.spent)

    @property
    def available(self) -> Decimal:
        """What new work may still take."""
        return self.left - self.held


async def find(conn: Conn, person_id: UUID) -> Account | None:
    """A person's account as it is now; None when nobody ever gave them credit."""
    row = await conn.fetchrow(
        """
        select a.balance, a.cap_month,
            case when a.month = date_trunc('month', now() at time zone 'utc')::date then a.spent else 0 end as spent,
            (date_trunc('month', now() at time zone 'utc') + interval '1 month') at time zone 'utc' as renews_at
        from accounts a where a.person_id = $1
        """,
        person_id,
    )
    return Account(**dict(row), reserved=await _reserved(conn, person_id)) if row is not None else None


async def _reserved(conn: Conn, owner_id: UUID) -> dict[UUID, Reservation]:
    rows = await conn.fetch(
        """
        select r.job_id, r.amount, used.cost, used.flying
        from reservations r join jobs j on j.id = r.job_id and j.state in ('queued', 'running')
        cross join lateral (
            select coalesce(sum(c.cost), 0) as cost, coalesce(sum(c.reserved) filter (where c.state = 'started'), 0) as flying
            from calls c where c.job_id = r.job_id) used
        where r.owner_id = $1
        """,
        owner_id,
    )
    return {row["job_id"]: Reservation(row["amount"], row["cost"], row["flying"]) for row in rows}


async def lock(conn: Conn, person_id: UUID) -> None:
    """Let no other transaction take of this account until this one ends. Lock it last: after the rows of jobs and sources."""
    await conn.execute("select 1 from accounts where person_id = $1 for no key update", person_id)


async def reserve(conn: Conn, owner_id: UUID, job_id: UUID, amount: Decimal) -> bool:
    """Set `amount` aside for a job that was inserted in this transaction; False when the owner has not so much (B47).

    Nothing has to be given back: a reservation counts as long as its job is unfinished.
    """
    if amount <= ZERO:
        return True
    await lock(conn, owner_id)
    account = await find(conn, owner_id)
    if account is None or account.available < amount:
        return False
    await conn.execute("insert into reservations (job_id, owner_id, amount) values ($1, $2, $3)", job_id, owner_id, amount)
    return True


async def cover(conn: Conn, owner_id: UUID, job_id: UUID, amount: Decimal, *, is_let: bool = False) -> bool:
    """Whether a call of this job may begin that costs at most `amount`: out of what is set aside for it, else out of what is left.

    `is_let`: a job with a reservation goes on even so; its small calls must not break an answer that is paid already. Hold the
    row of the job, which is running. The call's row, with `reserved`, is to be written in the same transaction.
    """
    await lock(conn, owner_id)
    await conn.execute(
        "insert into reservations (job_id, owner_id, amount) select $1::uuid, person_id, 0 from accounts where person_id = $2"
        " on conflict do nothing",
        job_id, owner_id,
    )  # fmt: skip
    account = await find(conn, owner_id)
    if account is None:
        return False
    own = account.reserved[job_id]
    further = own.holds(amount) - own.holds()
    return further <= 0 or (is_let and own.amount > 0) or account.available >= further


async def debit(conn: Conn, person_id: UUID, amount: Decimal) -> None:
    """Take what a call has cost, in the commit that writes its cost; without an account there is nothing to take from."""
    await conn.execute(
        """
        update accounts set balance = balance - $2, month = date_trunc('month', now() at time zone 'utc')::date,
            spent = case when month = date_trunc('month', now() at time zone 'utc')::date then spent else 0 end + $2
        where person_id = $1
        """,
        person_id, amount,
    )  # fmt: skip


async def give(conn: Conn, credit_id: UUID, person_id: UUID, amount: Decimal, note: str, given_by: UUID) -> None:
    """Add credit (or take it away where `amount` is below 0), and keep who gave it and why."""
    await conn.execute(
        "insert into accounts as a (person_id, balance) values ($1, $2)"
        " on conflict (person_id) do update set balance = a.balance + excluded.balance",
        person_id, amount,
    )  # fmt: skip
    await conn.execute(
        "insert into credits (id, person_id, amount, note, given_by) values ($1, $2, $3, $4, $5)",
        credit_id, person_id, amount, note, given_by,
    )  # fmt: skip


async def set_cap(conn: Conn, person_id: UUID, cap_month: Decimal | None) -> None:
    """Bound what a person's work may cost in a calendar month; None takes the bound away."""
    await conn.execute(
        "insert into accounts (person_id, cap_month) values ($1, $2)"
        " on conflict (person_id) do update set cap_month = excluded.cap_month",
        person_id, cap_month,
    )  # fmt: skip


async def paused_sources(conn: Conn, owner_id: UUID) -> list[UUID]:
    """The owner's sources whose reading waits for credit, oldest first."""
    rows = await conn.fetch(
        "select id from sources where owner_id = $1 and status = 'paused' and error_code = $2 and deleted_at is null"
        " order by created_at, id",
        owner_id, CODE,
    )  # fmt: skip
    return [row["id"] for row in rows]


async def owners_waiting(conn: Conn) -> list[UUID]:
    """The owners with a source whose reading waits for credit."""
    rows = await conn.fetch(
        "select distinct owner_id from sources where status = 'paused' and error_code = $1 and deleted_at is null order by owner_id", CODE
    )
    return [row["owner_id"] for row in rows]

"""Rows of `calls`: the ledger and checkpoint of provider calls."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from uuid import UUID

from sourcebook_core.db import Conn
from sourcebook_core.store import accounts


@dataclass(frozen=True, slots=True)
class Call:
    """One provider call. `response` is what it bought before, when a run of this job already paid for it."""

    id: UUID
    state: str
    possibly_billed: int
    response: dict[str, Any] | None


async def begin(
    conn: Conn,
    call_id: UUID,
    *,
    job_id: UUID,
    step: str,
    role: str,
    provider: str,
    model: str,
    input_hash: bytes,
    owner_id: UUID | None,
    notebook_id: UUID | None,
    source_id: UUID | None,
    turn_id: UUID | None,
    assistant_id: UUID | None = None,
    reserved: Decimal | None = None,
) -> Call:
    """Write `started`, or find the call of an earlier run: `done` is to be reused, `started` is counted as possibly billed.

    `reserved` is what it may cost at most, where that is set aside. A failed one that was billed keeps its row (one row for each
    billed call, B47): its step gets a mark, and this is a call of its own.
    """
    await conn.execute(
        "update calls set step = step || '#' || id where job_id = $1 and step = $2 and input_hash = $3 and model = $4"
        " and state = 'failed' and cost > 0",
        job_id, step, input_hash, model,
    )  # fmt: skip
    row = await conn.fetchrow(
        """
        insert into calls (id, job_id, step, role, provider, model, input_hash, owner_id, notebook_id, source_id, turn_id,
            assistant_id, reserved, state)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, 'started')
        on conflict (job_id, step, input_hash, model) do update set reserved = excluded.reserved,
            possibly_billed = calls.possibly_billed + case when calls.state = 'started' then 1 else 0 end,
            state = case when calls.state = 'failed' then 'started' else calls.state end,
            started_at = case when calls.state = 'done' then calls.started_at else now() end
        returning id, state, possibly_billed, response
        """,
        call_id, job_id, step, role, provider, model, input_hash, owner_id, notebook_id, source_id, turn_id, assistant_id, reserved,
    )  # fmt: skip
    if row is None:
        raise LookupError("a call was neither inserted nor found")
    return Call(**dict(row))


async def finish(conn: Conn, call_id: UUID, *, response: dict[str, Any], units: dict[str, Any], cost: Decimal | None) -> None:
    """Write what the call bought: `units` {tokens_in, tokens_out, …}, `cost` unknown = None, never 0 for unknown. Its owner pays."""
    await _pay(conn, call_id, cost)
    await conn.execute(
        "update calls set state = 'done', response = $2, units = $3, cost = $4, done_at = now() where id = $1",
        call_id, response, units, cost,
    )  # fmt: skip


async def fail(conn: Conn, call_id: UUID, *, error_code: str, units: dict[str, Any], cost: Decimal | None) -> None:
    """Write that the call bought nothing; `units` and `cost` are what it used all the same, if the provider told.

    Nothing changes where another run of the job has finished it meanwhile.
    """
    if await conn.fetchval("select state from calls where id = $1 for update", call_id) != "started":
        return
    await _pay(conn, call_id, cost)
    await conn.execute(
        "update calls set state = 'failed', error_code = $2, units = $3, cost = $4, done_at = now() where id = $1",
        call_id, error_code, units, cost,
    )  # fmt: skip


async def _pay(conn: Conn, call_id: UUID, cost: Decimal | None) -> None:
    """Take the call's cost, less what was taken for it before, from its owner's account (A20: the same rows debit it)."""
    row = await conn.fetchrow("select owner_id, coalesce(cost, 0) as paid from calls where id = $1 for update", call_id)
    if row is None or row["owner_id"] is None:
        return
    due = (cost or Decimal(0)) - row["paid"]
    if due:
        await accounts.debit(conn, row["owner_id"], due)


async def spent_on_source(conn: Conn, source_id: UUID) -> tuple[int, Decimal | None]:
    """Calls made for a source and their cost; None when the cost of one of them is unknown."""
    row = await conn.fetchrow(
        """
        select count(*) as n, case when count(*) = count(cost) then coalesce(sum(cost), 0) end as cost
        from calls where source_id = $1 and state = 'done'
        """,
        source_id,
    )
    return (row["n"], row["cost"]) if row is not None else (0, None)


async def forget_responses(conn: Conn, job_id: UUID) -> None:
    """Keep nothing of what the calls of an ended job gave but their cost: they were checkpoints of that job alone."""
    await conn.execute("update calls set response = null where job_id = $1 and response is not null", job_id)

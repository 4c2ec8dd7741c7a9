"""Paid provider calls: one row is written before the call, and finished in the commit of what it bought."""

from __future__ import annotations

import hashlib
from decimal import Decimal
from typing import Any
from uuid import UUID, uuid4

import orjson

from sourcebook_core import jobs
from sourcebook_core.db import Conn, Db
from sourcebook_core.errors import PermanentError
from sourcebook_core.prices import Prices
from sourcebook_core.settings import RoleSettings
from sourcebook_core.store import accounts, calls
from sourcebook_core.store.calls import Call


def fingerprint(value: Any) -> bytes:
    """SHA-256 of a call's input (any JSON value): the same input of the same step is the same call."""
    return hashlib.sha256(orjson.dumps(value, option=orjson.OPT_SORT_KEYS | orjson.OPT_SERIALIZE_NUMPY)).digest()


async def begin(
    db: Db,
    work: jobs.Work,
    step: str,
    role: RoleSettings,
    input_hash: bytes,
    *,
    notebook_id: UUID | None = None,
    source_id: UUID | None = None,
    turn_id: UUID | None = None,
    prices: Prices,
) -> Call:
    """Commit `started` for one provider call of this job, before it is made.

    `call.response` is set when an earlier run of the job already paid for the very same input: use it and do not call.
    Otherwise call, then `finish` inside the commit of the result, or `fail`. Raises Overtaken, and PermanentError `out_of_credit`
    where accounting is on and the job's owner cannot pay for it.
    """
    async with jobs.holding(db, work) as conn:
        reserved = await cover(conn, prices, work, role)
        return await calls.begin(
            conn,
            uuid4(),
            job_id=work.claim.job_id,
            step=step,
            role=role.name,
            provider=role.provider,
            model=role.model or "",
            input_hash=input_hash,
            owner_id=work.claim.owner_id,
            notebook_id=notebook_id,
            source_id=source_id,
            turn_id=turn_id,
            reserved=reserved,
        )


async def cover(conn: Conn, prices: Prices, work: jobs.Work, role: RoleSettings, *, is_let: bool = False) -> Decimal | None:
    """What the next call of this role may cost at most, taken from the credit of the job's owner; None while nobody is charged.

    Inside the transaction that writes the call's row. Raises PermanentError `out_of_credit`. Work of nobody (care) is free.
    """
    owner_id = work.claim.owner_id
    if not prices.is_charged or owner_id is None:
        return None
    most = prices.most(role)
    if most > 0 and not await accounts.cover(conn, owner_id, work.claim.job_id, most, is_let=is_let):
        raise PermanentError(accounts.CODE)
    return most


async def finish(conn: Conn, call: Call, *, response: dict[str, Any], units: dict[str, Any], cost: Decimal | None) -> None:
    """Inside the commit of what the call bought: write its units and cost (None = unknown, never 0 for unknown)."""
    await calls.finish(conn, call.id, response=response, units=units, cost=cost)


async def fail(db: Db, call: Call, error_code: str, *, units: dict[str, Any] | None = None, cost: Decimal | None = None) -> None:
    """Write that the call bought nothing; safe after the job was lost, for the provider may have billed it."""
    async with db.transaction() as conn:
        await calls.fail(conn, call.id, error_code=error_code, units=units or {}, cost=cost)

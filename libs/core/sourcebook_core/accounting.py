"""Paid provider calls: one row is written before the call, and finished in the commit of what it bought."""

from __future__ import annotations

import hashlib
from decimal import Decimal
from typing import Any
from uuid import UUID, uuid4

import orjson

from sourcebook_core import jobs
from sourcebook_core.db import Conn, Db
from sourcebook_core.settings import RoleSettings
from sourcebook_core.store import calls
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
) -> Call:
    """Commit `started` for one provider call of this job, before it is made.

    `call.response` is set when an earlier run of the job already paid for the very same input: use it and do not call.
    Otherwise call, then `finish` inside the commit of the result, or `fail`. Raises Overtaken.
    """
    async with jobs.holding(db, work) as conn:
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
        )


async def finish(conn: Conn, call: Call, *, response: dict[str, Any], units: dict[str, Any], cost: Decimal | None) -> None:
    """Inside the commit of what the call bought: write its units and cost (None = unknown, never 0 for unknown)."""
    await calls.finish(conn, call.id, response=response, units=units, cost=cost)


async def fail(db: Db, call: Call, error_code: str, *, units: dict[str, Any] | None = None, cost: Decimal | None = None) -> None:
    """Write that the call bought nothing; safe after the job was lost, for the provider may have billed it."""
    async with db.transaction() as conn:
        await calls.fail(conn, call.id, error_code=error_code, units=units or {}, cost=cost)

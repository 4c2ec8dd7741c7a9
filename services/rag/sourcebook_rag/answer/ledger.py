"""The paid calls of a turn: written before they are made, settled in the commit of what they bought."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from uuid import UUID, uuid4

from sourcebook_core import accounting
from sourcebook_core.db import Conn
from sourcebook_core.prices import Prices
from sourcebook_core.providers.chat import Usage
from sourcebook_core.settings import RoleSettings
from sourcebook_core.store import calls
from sourcebook_core.store.calls import Call
from sourcebook_core.store.scopes import Holder
from sourcebook_rag.answer.run import Run


@dataclass(frozen=True, slots=True)
class Bill:
    """What one call used; tokens are None where the provider did not count, `estimated` then holds our own count."""

    call: Call
    tokens_in: int | None
    tokens_out: int | None
    cost: Decimal | None
    estimated: dict[str, int] | None = None
    refused: str | None = None  # the code with which it bought nothing

    @property
    def units(self) -> dict[str, Any]:
        """The units as the ledger keeps them."""
        told: dict[str, Any] = {"tokens_in": self.tokens_in, "tokens_out": self.tokens_out}
        return told | ({"estimated": self.estimated} if self.estimated else {})


async def begin(conn: Conn, run: Run, step: str, role: RoleSettings, asked: Any, holder: Holder | None, turn_id: UUID | None) -> Call:
    """Write `started` for a call inside the caller's transaction; the call may be made once that is committed.

    `call.response` is set when an earlier run of this job paid for the same input `asked`. Raises PermanentError `out_of_credit`
    where nothing is left for a call that writes; the small calls of a turn that was let in go through.
    """
    reserved = await accounting.cover(conn, run.deps.prices, run.work, role, is_let=role.name != "chat")
    return await calls.begin(
        conn,
        uuid4(),
        job_id=run.work.claim.job_id,
        step=step,
        role=role.name,
        provider=role.provider,
        model=role.model or "",
        input_hash=accounting.fingerprint(asked),
        owner_id=run.work.claim.owner_id,
        notebook_id=holder.notebook_id if holder else None,
        assistant_id=holder.assistant_id if holder else None,
        source_id=None,
        turn_id=turn_id,
        reserved=reserved,
    )


def bill(call: Call, prices: Prices, role: RoleSettings, tokens_in: int | None, tokens_out: int | None = 0) -> Bill:
    """The bill of a call at the role's price, 0 for a local one; an unknown price or count makes the cost unknown, never 0."""
    return Bill(call, tokens_in, tokens_out, prices.cost_of(role, {"tokens_in": tokens_in, "tokens_out": tokens_out}))


def estimate(call: Call, prices: Prices, role: RoleSettings, tokens_in: int, tokens_out: int) -> Bill:
    """The bill of a call whose provider did not count: the cost of our own count, which stands beside it as `estimated` (F22)."""
    counted = {"tokens_in": tokens_in, "tokens_out": tokens_out}
    return Bill(call, None, None, prices.cost_of(role, counted), counted)


def counted(call: Call, prices: Prices, role: RoleSettings, used: Usage | None, tokens_in: int, tokens_out: int) -> Bill:
    """The bill of a reply: as the provider counted it, else by our own count `tokens_in` and `tokens_out`."""
    if used is None:
        return estimate(call, prices, role, tokens_in, tokens_out)
    return bill(call, prices, role, used.prompt_tokens, used.completion_tokens)


def refused(call: Call, code: str) -> Bill:
    """The bill of a call that brought nothing and told no use: nobody pays for it, and it is in the ledger as failed."""
    return Bill(call, None, None, None, refused=code)


async def settle(conn: Conn, of: Bill, response: dict[str, Any]) -> None:
    """Inside the commit of what the call bought."""
    if of.refused is not None:
        await calls.fail(conn, of.call.id, error_code=of.refused, units={}, cost=None)
        return
    await accounting.finish(conn, of.call, response=response, units=of.units, cost=of.cost)

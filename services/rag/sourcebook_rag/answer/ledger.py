"""The paid calls of a turn: written before they are made, settled in the commit of what they bought."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from uuid import UUID, uuid4

from sourcebook_core import accounting
from sourcebook_core.db import Conn
from sourcebook_core.errors import SourcebookError
from sourcebook_core.prices import Prices
from sourcebook_core.providers import chat, failures
from sourcebook_core.providers.chat import Message, Usage
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


def of_failure(call: Call, prices: Prices, role: RoleSettings, error: SourcebookError) -> Bill:
    """The bill of a call that failed: what the error says that it used, else that it brought nothing and told no use. Nobody pays for
    that, and it is in the ledger as failed."""
    told = error.facts.get("usage")
    if told is not None:
        return bill(call, prices, role, told["prompt_tokens"], told["completion_tokens"])
    return Bill(call, None, None, None, refused=error.code)


async def ask(
    run: Run,
    call: Call,
    role: RoleSettings,
    messages: Sequence[Message],
    *,
    seconds: float | None = None,
    temperature: float | None = None,
    max_tokens: int | None = None,
) -> tuple[str, Bill] | SourcebookError:
    """What a model says in the small call that was begun, and its bill for the commit of what it bought; else the model's error, with
    which the call is in the ledger as failed, beside what it used all the same. Raises DatabaseAway."""
    try:
        async with failures.within(role, seconds):
            reply = await chat.complete(role, messages, temperature=temperature, max_tokens=max_tokens)
    except SourcebookError as error:
        spent = of_failure(call, run.deps.prices, role, error)
        await accounting.fail(run.deps.db, call, error.code, units=None if spent.refused else spent.units, cost=spent.cost)
        return error
    units = chat.token_units(reply.end.usage)
    return reply.text, bill(call, run.deps.prices, role, units["tokens_in"], units["tokens_out"])


async def settle(conn: Conn, of: Bill, response: dict[str, Any]) -> None:
    """Inside the commit of what the call bought."""
    if of.refused is not None:
        await calls.fail(conn, of.call.id, error_code=of.refused, units={}, cost=None)
        return
    await accounting.finish(conn, of.call, response=response, units=of.units, cost=of.cost)

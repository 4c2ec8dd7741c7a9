"""Limits per address, person, token and of everybody. They are counters in Postgres, the same with Redis away.

A message is counted once, before its body is read, so that an invalid one is spent too (N-15); what it came to is judged at the
gate of the answer, after the credit (C25). The installation's limits always hold; those of a profile hold beside them, for one holder.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from fastapi import Request

from sourcebook_core.db import Conn
from sourcebook_core.errors import RequestError
from sourcebook_core.profiles import Limiting
from sourcebook_core.store import asks, counters
from sourcebook_core.store.counters import Count
from sourcebook_core.store.scopes import Holder
from sourcebook_gateway.deps import Caller, Shared

_MINUTE_S, _HOUR_S, _DAY_S = 60, 3600, 86_400
_SLOT_S = 5  # when a slot that is taken may be free again: an answer takes seconds
EVERYBODY = "everybody"


@dataclass(frozen=True, slots=True)
class Budget:
    """One limit as this request found it, itself included."""

    limit: int
    spent: Count

    @property
    def left(self) -> int:
        """How many more there may be in this window."""
        return max(0, self.limit - self.spent.count)

    @property
    def is_over(self) -> bool:
        """Whether this request is one too many."""
        return self.spent.count > self.limit


@dataclass(frozen=True, slots=True)
class _Limit:
    name: str
    subject: str
    window_s: int
    limit: int | None


def address_of(request: Request) -> str:
    """The address of the client; behind a trusted proxy the one it forwards (uvicorn has settled that)."""
    return request.client.host if request.client else "socket"


async def count_sign_in(shared: Shared, request: Request) -> None:
    """Count an attempt to sign in. Raises 429 when the address had too many within the minute."""
    limit = _Limit("sign_in", address_of(request), _MINUTE_S, shared.settings.limits.sign_ins_per_minute)
    refuse(await _spend(shared, [limit]))


async def check_sign_in(shared: Shared, request: Request) -> None:
    """Refuse an address that had too many failed attempts within the minute, without counting."""
    limit = shared.settings.limits.sign_ins_per_minute
    async with shared.db.transaction() as conn:
        found = await counters.current(conn, "sign_in", address_of(request))
    if limit and found and found.count > limit:
        raise _too_many(found.ends_in_s)


async def count_search(shared: Shared, caller: Caller) -> None:
    """Count a search, which costs no writing model: it has a limit of its own. Raises 429 with the seconds to wait."""
    refuse(await _spend(shared, [_Limit("search", str(caller.person_id), _MINUTE_S, shared.settings.limits.searches_per_minute)]))


async def count_visit(shared: Shared, request: Request) -> None:
    """Count a new anonymous visitor. Raises 429 when the address had too many within the minute."""
    limit = shared.settings.limits.visitor_asks_per_address_minute
    refuse(await _spend(shared, [_Limit("visitor_new", _digest(address_of(request)), _MINUTE_S, limit)]))


async def count_token(shared: Shared, request: Request, caller: Caller) -> None:
    """Count a request of a token that has limits of its own, and have its budget told (K18). Raises 429."""
    if caller.token_id is None or not caller.limits:
        return
    subject, given = str(caller.token_id), caller.limits
    budgets = await _spend(
        shared, [_Limit("token", subject, _MINUTE_S, given.get("per_minute")), _Limit("token_day", subject, _DAY_S, given.get("per_day"))]
    )
    _tell(request, budgets)
    refuse(budgets)


async def count_message(shared: Shared, request: Request, caller: Caller, holder: Holder | None) -> Sequence[Budget]:
    """Count a message to a holder once for this request, whatever becomes of it; the budgets, for `refuse`.

    Streaming and plain routes and every face count here, into the same windows (N-22). `holder` None: what is asked is not there.
    """
    known: Sequence[Budget] | None = getattr(request.state, "budgets", None)
    if known is not None:
        return known
    async with shared.db.transaction() as conn:
        asked = await asks.find(conn, holder, caller.person_id) if holder is not None else None
        limiting = asked.profile.limits if asked is not None else Limiting()
        budgets = await _spent(conn, _message_limits(shared, request, caller, holder, limiting))
    request.state.budgets = budgets
    if caller.token_id is not None:
        _tell(request, budgets)
    return budgets


def holder_in(path: dict[str, Any]) -> Holder | None:
    """The holder that an address names, if it is one's id."""
    with suppress(ValueError):
        if "notebook_id" in path:
            return Holder("notebook", UUID(str(path["notebook_id"])))
        if "assistant_id" in path:
            return Holder("assistant", UUID(str(path["assistant_id"])))
    return None


def _message_limits(shared: Shared, request: Request, caller: Caller, holder: Holder | None, of: Limiting) -> Iterable[_Limit]:
    ours, person, address = shared.settings.limits, str(caller.person_id), _digest(address_of(request))
    yield _Limit("ask", person, _MINUTE_S, ours.asks_per_minute)
    yield _Limit("ask_hour", person, _HOUR_S, ours.visitor_asks_per_hour if caller.is_visitor else ours.asks_per_hour)
    yield _Limit("ask_address", address, _MINUTE_S, ours.asks_per_address_minute)
    yield _Limit("ask_hour", EVERYBODY, _HOUR_S, ours.asks_everyone_per_hour)
    if caller.is_visitor:
        yield _Limit("visitor_address", address, _MINUTE_S, ours.visitor_asks_per_address_minute)
    if holder is not None:
        here = str(holder.id)
        yield _Limit("ask_hour", f"{here}:{person}", _HOUR_S, of.per_person_hour)
        yield _Limit("ask_address", f"{here}:{address}", _MINUTE_S, of.per_address_minute)
        yield _Limit("ask_hour", here, _HOUR_S, of.everyone_hour)


async def check_at_once(conn: Conn, shared: Shared, caller: Caller, holder: Holder, of: Limiting) -> None:
    """In the transaction that adds a turn: raises 429 while the person has as many answers at once as they may, 503 while the
    holder or the installation has (A15). Whoever asks at the same moment waits for this transaction's end, so none is missed.
    """
    ours = shared.settings.limits
    subjects = [
        subject
        for subject, limit in (
            (EVERYBODY, ours.asks_at_once),
            (str(caller.person_id), ours.asks_at_once_per_person or of.at_once_person),
            (str(holder.id), of.at_once),
        )
        if limit
    ]
    if not subjects:
        return
    await asks.turnstile(conn, subjects)
    now = await asks.running(conn, caller.person_id, holder)
    if _is_full(now.person, ours.asks_at_once_per_person) or _is_full(now.person_here, of.at_once_person):
        raise _too_many(_SLOT_S)
    if _is_full(now.all, ours.asks_at_once) or _is_full(now.holder, of.at_once):
        raise RequestError(503, "busy", retry_after_s=_SLOT_S)


def refuse(budgets: Sequence[Budget]) -> None:
    """Raises 429 with the seconds to wait where one of these limits is passed."""
    over = [budget.spent.ends_in_s for budget in budgets if budget.is_over]
    if over:
        raise _too_many(max(over))


def headers(budgets: Sequence[Budget]) -> tuple[tuple[bytes, bytes], ...]:
    """The tightest budget as `RateLimit-*` headers. Source: draft-ietf-httpapi-ratelimit-headers-03."""
    if not budgets:
        return ()
    tight = min(budgets, key=lambda budget: (budget.left / budget.limit, -budget.spent.ends_in_s))
    told = (("limit", tight.limit), ("remaining", tight.left), ("reset", tight.spent.ends_in_s))
    return tuple((f"ratelimit-{name}".encode(), str(value).encode()) for name, value in told)


def _tell(request: Request, budgets: Sequence[Budget]) -> None:
    """Have the outermost layer put these budgets, with those told before, on the response, also when it is a refusal."""
    request.state.told_budgets = [*getattr(request.state, "told_budgets", ()), *budgets]
    request.state.rate_headers = headers(request.state.told_budgets)


async def _spend(shared: Shared, limits: Sequence[_Limit]) -> list[Budget]:
    if not any(limit.limit for limit in limits):
        return []
    async with shared.db.transaction() as conn:
        return await _spent(conn, limits)


async def _spent(conn: Conn, limits: Iterable[_Limit]) -> list[Budget]:
    """Count one more for each limit that is on, in one order everywhere: two that count the same must not wait in a circle."""
    on = sorted((limit for limit in limits if limit.limit), key=lambda limit: (limit.name, limit.subject))
    return [Budget(limit.limit or 0, await counters.add(conn, limit.name, limit.subject, limit.window_s)) for limit in on]


def _is_full(count: int, limit: int | None) -> bool:
    return bool(limit) and count >= (limit or 0)


def _digest(address: str) -> str:
    """What is kept of an address (N-14)."""
    return hashlib.sha256(address.encode()).hexdigest()[:32]


def _too_many(wait_s: int) -> RequestError:
    return RequestError(429, "rate_limited", retry_after_s=wait_s)

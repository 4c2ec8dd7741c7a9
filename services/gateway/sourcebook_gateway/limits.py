"""Limits per address and per person. They are counters in Postgres, the same with Redis away."""

from __future__ import annotations

from fastapi import Request

from sourcebook_core.errors import RequestError
from sourcebook_core.store import counters
from sourcebook_gateway.deps import Caller, Shared

_MINUTE_S = 60


def address_of(request: Request) -> str:
    """The address of the client; behind a trusted proxy the one it forwards (uvicorn has settled that)."""
    return request.client.host if request.client else "socket"


async def count_sign_in(shared: Shared, request: Request) -> None:
    """Count an attempt to sign in. Raises 429 when the address had too many within the minute."""
    await _count(shared, "sign_in", address_of(request), shared.settings.limits.sign_ins_per_minute)


async def check_sign_in(shared: Shared, request: Request) -> None:
    """Refuse an address that had too many failed attempts within the minute, without counting."""
    limit = shared.settings.limits.sign_ins_per_minute
    async with shared.db.transaction() as conn:
        found = await counters.current(conn, "sign_in", address_of(request))
    if limit and found and found.count > limit:
        raise _too_many(found.ends_in_s)


async def count_ask(shared: Shared, caller: Caller) -> None:
    """Count a question. Raises 429 with the seconds to wait when the person had too many within the minute."""
    await _count(shared, "ask", str(caller.person_id), shared.settings.limits.asks_per_minute)


async def count_search(shared: Shared, caller: Caller) -> None:
    """Count a search, which costs no writing model: it has a limit of its own. Raises as `count_ask`."""
    await _count(shared, "search", str(caller.person_id), shared.settings.limits.searches_per_minute)


async def _count(shared: Shared, name: str, subject: str, limit: int) -> None:
    if not limit:
        return
    async with shared.db.transaction() as conn:
        now = await counters.add(conn, name, subject, _MINUTE_S)
    if now.count > limit:
        raise _too_many(now.ends_in_s)


def _too_many(wait_s: int) -> RequestError:
    return RequestError(429, "rate_limited", retry_after_s=wait_s)

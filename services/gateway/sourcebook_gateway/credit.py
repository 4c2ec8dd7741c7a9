"""The gate of what costs money: the holder's owner pays, what a job may cost is set aside before it is queued."""

from __future__ import annotations

from decimal import Decimal
from uuid import UUID

from sourcebook_core import roles
from sourcebook_core.db import Conn
from sourcebook_core.errors import RequestError
from sourcebook_core.settings import RoleSettings
from sourcebook_core.store import accounts
from sourcebook_core.store.accounts import Account
from sourcebook_core.store.asks import Asked
from sourcebook_gateway.deps import Shared


async def price_of_ask(conn: Conn, shared: Shared, asked: Asked) -> Decimal:
    """What one answer costs at most by the models in force: one call that writes, and the question's vectors. 0 without accounting.

    A local model is free, and a notebook that is kept on this machine has no other. Raises PermanentError `bad_setting` for a model
    without a price.
    """
    if not shared.prices.is_charged or asked.settings.get("local_only"):
        return Decimal(0)
    in_force = await roles.effective_roles(conn, shared.settings)
    used: list[RoleSettings] = [in_force[name] for name in ("chat", "embedding", "translate") if in_force[name].is_on]
    return sum((shared.prices.most(role) for role in used), Decimal(0))


async def check(conn: Conn, owner_id: UUID, price: Decimal) -> None:
    """Raises 402 where the owner has not so much left; takes nothing."""
    if price > 0:
        account = await accounts.find(conn, owner_id)
        if account is None or account.available < price:
            raise refusal(account)


async def reserve(conn: Conn, owner_id: UUID, job_id: UUID, price: Decimal) -> None:
    """Set the price aside for a job of this transaction; many at once cannot take the same money. Raises 402."""
    if not await accounts.reserve(conn, owner_id, job_id, price):
        raise refusal(await accounts.find(conn, owner_id))


def refusal(account: Account | None) -> RequestError:
    """402, with the day on which a monthly cap begins anew where that is what is used up."""
    if account is None or account.cap_month is None or account.left >= account.balance:
        return RequestError(402, accounts.CODE)
    day = account.renews_at.date().isoformat()
    message = f"The credit for this month is used up. It starts again on {day}; an administrator can add more."
    return RequestError(402, accounts.CODE, message, detail={"renews_on": day})

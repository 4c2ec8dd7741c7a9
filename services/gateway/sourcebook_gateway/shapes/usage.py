"""Shapes of usage and credit. Money is a decimal string; unknown is null, never 0."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field, StringConstraints

from sourcebook_core.store.accounts import Account
from sourcebook_core.store.usage import OfHolder, OfPerson, OfRole, Paid
from sourcebook_gateway.shapes.lists import Ask, Listed, Told

Money = Annotated[Decimal, Field(max_digits=15, decimal_places=6)]
Month = Annotated[str, StringConstraints(pattern=r"^(20[0-9]{2})-(0[1-9]|1[0-2])$")]
_COST = "What they cost, without those of unknown cost; null where none is known."
_UNKNOWN = "Calls whose cost is not known."


def plain(amount: Decimal | None) -> str | None:
    """Money as it is told: digits, without an exponent or zeros at the end."""
    if amount is None:
        return None
    shown = f"{amount:f}"
    return shown.rstrip("0").rstrip(".") or "0" if "." in shown else shown


class UsageOfRole(Told):
    """Calls of one role."""

    role: str
    calls: int = Field(description="How many calls.")
    cost: str | None = Field(description=_COST)
    unknown: int = Field(description=_UNKNOWN)
    tokens_in: int = Field(description="Tokens given, where they were counted.")
    tokens_out: int = Field(description="Tokens written, where they were counted.")

    @classmethod
    def of(cls, row: OfRole) -> UsageOfRole:
        """As it is told."""
        return cls(
            role=row.role, calls=row.calls, cost=plain(row.cost), unknown=row.unknown, tokens_in=row.tokens_in, tokens_out=row.tokens_out
        )  # fmt: skip


class UsageOfHolder(Told):
    """Calls for one notebook or assistant, for reading sources (`library`) or for none of these."""

    holder_kind: Literal["notebook", "assistant", "library", "other"] = Field(description="What they were for.")
    holder_id: UUID | None = Field(None, description="Id of the notebook or assistant.")
    title: str | None = Field(None, description="Its name, while it is there.")
    calls: int = Field(description="How many calls.")
    cost: str | None = Field(description=_COST)
    unknown: int = Field(description=_UNKNOWN)

    @classmethod
    def of(cls, row: OfHolder) -> UsageOfHolder:
        """As it is told."""
        return cls.model_validate({
            "holder_kind": row.holder_kind, "holder_id": row.holder_id, "title": row.title, "calls": row.calls, "cost": plain(row.cost),
            "unknown": row.unknown,
        })  # fmt: skip


class CallRead(Told):
    """One provider call."""

    id: UUID
    at: datetime = Field(description="When it was made.")
    role: str
    provider: str
    model: str
    state: Literal["started", "done", "failed"] = Field(description="started: it runs, or a crash cut it off.")
    error_code: str | None = Field(None, description="Why it failed.")
    possibly_billed: int = Field(description="How often it was cut off by a crash before; the provider may have billed that too.")
    tokens_in: int | None = Field(None, description="Tokens given.")
    tokens_out: int | None = Field(None, description="Tokens written.")
    pages: int | None = Field(None, description="Pictures read.")
    seconds: float | None = Field(None, description="Seconds of sound.")
    is_estimated: bool = Field(description="The provider did not count: tokens and cost are by our own count.")
    cost: str | None = Field(description="What it cost; null = not known.")
    notebook_id: UUID | None = None
    assistant_id: UUID | None = Field(None, description="Id of the assistant.")
    source_id: UUID | None = None
    turn_id: UUID | None = None

    @classmethod
    def of(cls, row: Paid) -> CallRead:
        """As it is told."""
        told = {name: getattr(row, name) for name in cls.model_fields if name not in ("at", "cost")}
        return cls.model_validate(told | {"at": row.started_at, "cost": plain(row.cost)})


class AccountRead(Told):
    """What a person may still spend."""

    balance: str = Field(description="All that was given less all that was spent.")
    cap_month: str | None = Field(description="At most so much in a calendar month; null = no cap.")
    spent_month: str = Field(description="Spent in this calendar month.")
    held: str = Field(description="Set aside for work that is not finished.")
    available: str = Field(description="What new work may take.")
    renews_at: datetime = Field(description="When the next month begins.")

    @classmethod
    def of(cls, account: Account) -> AccountRead:
        """As it is told."""
        return cls(
            balance=plain(account.balance) or "0", cap_month=plain(account.cap_month), spent_month=plain(account.spent) or "0",
            held=plain(account.held) or "0", available=plain(account.available) or "0", renews_at=account.renews_at,
        )  # fmt: skip


class UsageRead(Told):
    """A month of the asker's own work."""

    month: str = Field(description="Year and month, UTC.")
    currency: str = Field(description="Of every cost here.")
    total: str | None = Field(description=_COST)
    calls_total: int = Field(description="How many calls.")
    unknown: int = Field(description=_UNKNOWN)
    by_role: list[UsageOfRole] = Field(description="By what it was for.")
    by_holder: list[UsageOfHolder] = Field(description="By notebook and assistant.")
    cap: str | None = Field(None, description="At most so much in a month; null = no cap.")
    balance: str | None = Field(None, description="What is left of the credit; null while there is no accounting.")
    account: AccountRead | None = Field(None, description="The whole account; null while there is no accounting.")
    calls: Listed[CallRead] = Field(description="Call by call, newest first.")


class UsageOfPerson(Told):
    """What one person paid for."""

    person_id: UUID = Field(description="Id of the person.")
    name: str
    calls: int = Field(description="How many calls.")
    cost: str | None = Field(description=_COST)
    unknown: int = Field(description=_UNKNOWN)
    balance: str | None = Field(None, description="What is left of their credit; null where none was given.")
    cap: str | None = Field(None, description="At most so much in a month; null = no cap.")

    @classmethod
    def of(cls, row: OfPerson) -> UsageOfPerson:
        """As it is told."""
        return cls(
            person_id=row.person_id, name=row.name, calls=row.calls, cost=plain(row.cost), unknown=row.unknown,
            balance=plain(row.balance), cap=plain(row.cap_month),
        )  # fmt: skip


class AdminUsage(Told):
    """A month of the whole installation."""

    month: str = Field(description="Year and month, UTC.")
    currency: str = Field(description="Of every cost here.")
    is_charged: bool = Field(description="Whether accounting is on: work is refused without credit.")
    total: str | None = Field(description=_COST)
    calls_total: int = Field(description="How many calls.")
    unknown: int = Field(description=_UNKNOWN)
    by_role: list[UsageOfRole] = Field(description="By what it was for.")
    by_person: list[UsageOfPerson] = Field(description="By who pays.")


class CreditAdd(Ask):
    """Credit for a person."""

    amount: Money = Field(description="How much; below 0 takes it away; 0 with a new cap.")
    note: Annotated[str, StringConstraints(max_length=500)] = Field("", description="Why.")
    cap_month: Annotated[Money, Field(ge=0)] | None = Field(None, description="At most so much in a month; null takes the cap away.")

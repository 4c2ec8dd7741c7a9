"""Usage: what was spent on what, the ledger as a file, and the credit of people."""

from __future__ import annotations

import csv
import io
from collections.abc import AsyncIterator, Iterable
from datetime import UTC, datetime
from decimal import Decimal
from typing import Annotated, Any
from uuid import UUID, uuid4

from fastapi import Query, Request, Response
from fastapi.responses import StreamingResponse

from sourcebook_core import log, paused
from sourcebook_core.db import Conn
from sourcebook_core.errors import RequestError
from sourcebook_core.store import accounts, people, usage
from sourcebook_core.store.usage import OfRole
from sourcebook_gateway.access import gated_router, needs
from sourcebook_gateway.creating import created
from sourcebook_gateway.deps import CallerDep, Shared, SharedDep
from sourcebook_gateway.multipart import attachment
from sourcebook_gateway.refusals import not_found
from sourcebook_gateway.shapes.lists import CursorQuery, LimitQuery, paged, place
from sourcebook_gateway.shapes.usage import (
    AccountRead,
    AdminUsage,
    CallRead,
    CreditAdd,
    Month,
    UsageOfHolder,
    UsageOfPerson,
    UsageOfRole,
    UsageRead,
    plain,
)

router = gated_router("usage")
MOST_CREDIT = 1_000_000_000  # the column holds nine digits before the point
MonthQuery = Annotated[Month | None, Query(description="Year and month, like 2026-11; else this month (UTC).")]
_PAGE = 1000
# Spreadsheets run a cell that begins so as a formula. Source: OWASP, CSV injection.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_log = log.get(__name__)


@router.get("/usage", summary="What I spent", openapi_extra=needs("read"))
async def get_usage(
    caller: CallerDep, shared: SharedDep, month: MonthQuery = None, cursor_: CursorQuery = None, limit: LimitQuery = 50
) -> UsageRead:
    """A month by role, by notebook and assistant, and call by call. The owner of a notebook or assistant pays for it."""
    before_at, before_id = place(cursor_)
    name, since, until = _bounds(month)
    async with shared.db.transaction() as conn:
        roles = await usage.by_role(conn, caller.person_id, since, until)
        holders = await usage.by_holder(conn, caller.person_id, since, until)
        calls = await usage.list_calls(conn, caller.person_id, since, until, limit + 1, before_at, before_id)
        account = await accounts.find(conn, caller.person_id) if shared.prices.is_charged else None
    told = AccountRead.of(account) if account is not None else None
    return UsageRead(
        month=name, currency=shared.prices.currency, **_sums(roles), by_role=[UsageOfRole.of(row) for row in roles],
        by_holder=[UsageOfHolder.of(row) for row in holders], cap=told.cap_month if told else None,
        balance=told.balance if told else None, account=told,
        calls=paged(calls, limit, CallRead.of, lambda row: (row.started_at, row.id)),
    )  # fmt: skip


@router.get("/usage/file", summary="My calls as a file", response_class=StreamingResponse, openapi_extra=needs("read"))
async def get_usage_file(caller: CallerDep, shared: SharedDep, month: MonthQuery = None) -> Response:
    """Every call of the month as CSV, newest first; a cost that is not known is an empty cell."""
    name, since, until = _bounds(month)
    headers = {"Content-Disposition": attachment(f"usage-{name}.csv")}
    return StreamingResponse(_rows(shared, caller.person_id, since, until), media_type="text/csv; charset=utf-8", headers=headers)


@router.get("/admin/usage", summary="What everybody spent", openapi_extra=needs("admin"))
async def get_admin_usage(shared: SharedDep, month: MonthQuery = None) -> AdminUsage:
    """A month of the installation by role and by who pays, with their credit."""
    name, since, until = _bounds(month)
    async with shared.db.transaction() as conn:
        roles = await usage.by_role(conn, None, since, until)
        persons = await usage.by_person(conn, since, until)
    return AdminUsage(
        month=name, currency=shared.prices.currency, is_charged=shared.prices.is_charged, **_sums(roles),
        by_role=[UsageOfRole.of(row) for row in roles], by_person=[UsageOfPerson.of(row) for row in persons],
    )  # fmt: skip


@router.post(
    "/admin/users/{user_id}/credit", status_code=201, response_model=AccountRead, summary="Give credit", openapi_extra=needs("admin")
)
async def add_credit(request: Request, user_id: UUID, asked: CreditAdd, caller: CallerDep, shared: SharedDep) -> Response:
    """Adds to a person's credit, or sets a cap for each month. Reading that waited for credit goes on."""
    has_cap = "cap_month" in asked.model_fields_set
    if not asked.amount and not has_cap:
        raise RequestError(422, "invalid_field", why="amount: 0 changes nothing. Give an amount or a cap_month.")

    async def make(conn: Conn) -> tuple[int, AccountRead]:
        if not await people.exists(conn, user_id):
            raise not_found()
        before = await accounts.find(conn, user_id)
        if abs((before.balance if before else 0) + asked.amount) >= MOST_CREDIT:
            raise RequestError(422, "invalid_field", why=f"amount: a balance stays below {MOST_CREDIT:,}.")
        if asked.amount:
            await accounts.give(conn, uuid4(), user_id, asked.amount, asked.note, caller.person_id)
        if has_cap:
            await accounts.set_cap(conn, user_id, asked.cap_month)
        account = await accounts.find(conn, user_id)
        assert account is not None, "it was made above"
        return 201, AccountRead.of(account)

    made = await created(shared, request, caller, make)
    # Apart from the change of the account: workers lock a source first and the account after it. Care makes up for a crash here.
    async with shared.db.transaction() as conn:
        account = await accounts.find(conn, user_id)
        if account is not None and account.available > 0:
            await paused.resume(conn, user_id)
    _log.info("credit.given", person_id=str(user_id), given_by=str(caller.person_id), amount=str(asked.amount))
    await shared.bell.ring("ingest")
    return made


def _bounds(month: str | None) -> tuple[str, datetime, datetime]:
    name = month or datetime.now(UTC).strftime("%Y-%m")
    since = datetime.strptime(name, "%Y-%m").replace(tzinfo=UTC)
    until = since.replace(year=since.year + since.month // 12, month=since.month % 12 + 1)
    return name, since, until


def _sums(roles: Iterable[OfRole]) -> dict[str, Any]:
    rows = list(roles)
    known = [row.cost for row in rows if row.cost is not None]
    total = sum(known, Decimal(0)) if known or not rows else None
    return {"total": plain(total), "calls_total": sum(row.calls for row in rows), "unknown": sum(row.unknown for row in rows)}


async def _rows(shared: Shared, owner_id: UUID, since: datetime, until: datetime) -> AsyncIterator[bytes]:
    """The file in pieces, each from a transaction of its own; no connection is held while a slow client reads."""
    yield _line(CallRead.model_fields)
    before_at, before_id = None, None
    while True:
        async with shared.db.transaction() as conn:
            found = await usage.list_calls(conn, owner_id, since, until, _PAGE, before_at, before_id)
        yield b"".join(_line(CallRead.of(row).model_dump(mode="json").values()) for row in found)
        if len(found) < _PAGE:
            return
        before_at, before_id = found[-1].started_at, found[-1].id


def _line(cells: Iterable[Any]) -> bytes:
    out = io.StringIO()
    csv.writer(out).writerow([_safe(cell) for cell in cells])
    return out.getvalue().encode()


def _safe(cell: Any) -> Any:
    """A cell that no spreadsheet runs: model names and the like come from outside."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else "" if cell is None else cell

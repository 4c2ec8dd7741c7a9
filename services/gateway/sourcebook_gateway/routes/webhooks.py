"""Webhooks: addresses of the asker's programs that are told what happened."""

from __future__ import annotations

import secrets
from uuid import UUID, uuid4

from fastapi import Request, Response

from sourcebook_core import addresses
from sourcebook_core.addresses import NotAnAddress
from sourcebook_core.db import Conn
from sourcebook_core.errors import RequestError
from sourcebook_core.seal import close_text
from sourcebook_core.store import webhooks
from sourcebook_gateway.access import gated_router, needs
from sourcebook_gateway.creating import created
from sourcebook_gateway.deps import CallerDep, SharedDep
from sourcebook_gateway.refusals import not_found
from sourcebook_gateway.shapes.lists import Listed
from sourcebook_gateway.shapes.webhooks import WebhookCreate, WebhookMade, WebhookRead

router = gated_router("webhooks")
MOST = 20  # of one person: each event is a job for each of them


@router.get("/webhooks", summary="My webhooks", openapi_extra=needs("manage"))
async def list_webhooks(caller: CallerDep, shared: SharedDep) -> Listed[WebhookRead]:
    """Every webhook of the asker, with how the last message went."""
    async with shared.db.transaction() as conn:
        found = await webhooks.list_for_person(conn, caller.person_id)
    return Listed(items=[WebhookRead.model_validate(one, from_attributes=True) for one in found])


@router.post("/webhooks", status_code=201, response_model=WebhookMade, summary="Add a webhook", openapi_extra=needs("manage"))
async def add_webhook(request: Request, asked: WebhookCreate, caller: CallerDep, shared: SharedDep) -> Response:
    """Messages are POSTed as JSON `{"id", "event", "created_at", "data"}` and signed; the secret is shown once.

    `X-Sourcebook-Signature: t=<seconds>,v1=<hex>` is the HMAC-SHA256 of `<t>.<body>`. A message may come twice with one `id`.
    """
    try:
        address = str(addresses.parse(asked.url, shared.settings.url_allow))
    except NotAnAddress:
        raise RequestError(422, "url_not_public") from None
    secret = f"whsec_{secrets.token_urlsafe(32)}"
    sealed = close_text(shared.settings, secret)

    async def make(conn: Conn) -> tuple[int, WebhookMade]:
        if await webhooks.count(conn, caller.person_id) >= MOST:
            raise RequestError(409, "conflict", why=f"there are {MOST} webhooks already. Take one away first.")
        row = await webhooks.insert(conn, uuid4(), caller.person_id, address, sorted(set(asked.events)), sealed)
        return 201, WebhookMade(**WebhookRead.model_validate(row, from_attributes=True).model_dump(), secret=secret)

    return await created(shared, request, caller, make, is_secret=True)


@router.delete("/webhooks/{webhook_id}", status_code=204, summary="Take a webhook away", openapi_extra=needs("manage"))
async def delete_webhook(webhook_id: UUID, caller: CallerDep, shared: SharedDep) -> None:
    """It is told nothing more, also not what waits to be told."""
    async with shared.db.transaction() as conn:
        if not await webhooks.delete(conn, caller.person_id, webhook_id):
            raise not_found()

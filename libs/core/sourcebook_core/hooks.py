"""Webhooks: what can be told, the job rows that tell it, and how a message is signed."""

from __future__ import annotations

import hashlib
import hmac
from datetime import UTC, datetime
from typing import Any, Literal
from uuid import UUID

from sourcebook_core import jobs
from sourcebook_core.db import Conn
from sourcebook_core.jobs import SendWebhook
from sourcebook_core.store import webhooks

Event = Literal["source.ready", "source.failed", "turn.done", "output.ready", "handover"]
SIGNATURE = "X-Sourcebook-Signature"
DELIVERY = "X-Sourcebook-Delivery"


async def tell(conn: Conn, owner_id: UUID, event: Event, about: dict[str, Any]) -> None:
    """Queue a message for every webhook of the owner that wants this event, in the transaction in which it happened.

    `about` holds ids and states as plain JSON, never anybody's words: it lies in a job row. Workers see it within a second.
    """
    for webhook_id in await webhooks.wanting(conn, owner_id, event):
        work = SendWebhook(webhook_id=webhook_id, event=event, at=datetime.now(UTC).isoformat(), about=about)
        await jobs.insert(conn, work, owner_id=owner_id, subject=webhook_id)


def signature(secret: str, at_s: int, body: bytes) -> str:
    """`t=<seconds>,v1=<hex>`: HMAC-SHA256 of `<t>.<body>`. The receiver refuses an old `t`, so that nobody sends a message again.

    Source: the scheme of Stripe's webhooks.
    """
    made = hmac.new(secret.encode(), f"{at_s}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={at_s},v1={made}"

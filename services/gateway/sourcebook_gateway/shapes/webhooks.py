"""Shapes of webhooks."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import Field, StringConstraints

from sourcebook_core.hooks import Event
from sourcebook_gateway.shapes.lists import Ask, Told


class WebhookCreate(Ask):
    """An address that is to be told."""

    url: Annotated[str, StringConstraints(min_length=8, max_length=2000)] = Field(description="A public http or https address.")
    events: list[Event] = Field(min_length=1, max_length=5, description="What it is to be told.")


class WebhookRead(Told):
    """An address that is told, without its secret."""

    id: UUID
    url: str = Field(description="Where messages go.")
    events: list[Event] = Field(description="What it is told.")
    created_at: datetime
    last_sent_at: datetime | None = Field(None, description="When a message arrived there last.")
    last_error: str | None = Field(None, description="Why the last message did not arrive; null when it did.")


class WebhookMade(WebhookRead):
    """A new webhook; the secret is shown this once."""

    secret: str = Field(description="Key of the HMAC-SHA256 in X-Sourcebook-Signature.")

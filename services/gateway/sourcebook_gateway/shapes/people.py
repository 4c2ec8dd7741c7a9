"""Shapes of sign-in, the person and their tokens."""

from __future__ import annotations

from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import Field, SecretStr

from sourcebook_core.store.people import LOCAL_OWNER
from sourcebook_gateway import VERSION
from sourcebook_gateway.deps import Caller
from sourcebook_gateway.shapes.lists import Ask, Language, Title, Told

TokenScope = Literal["read", "ask", "add", "manage", "admin"]


class LoginAsk(Ask):
    """Sign in with a token."""

    token: SecretStr = Field(min_length=1, max_length=500, description="The owner's token or an API token.")


class LinkAsk(Ask):
    """Ask for a one-time sign-in link."""


class LinkMade(Told):
    """A sign-in link that works once, within ten minutes."""

    url: str = Field(description="Open it in a browser.")


class Preferences(Told):
    """What the person set; null = the default."""

    pdf_capture: Literal["auto", "text", "vision"] | None = Field(None, description="Capture mode of new PDFs.")
    ui_language: str | None = Field(None, description="Language of the page.")
    answer_language: str | None = Field(None, description="Language of answers; null = the question's.")
    theme: Literal["light", "dark", "system"] | None = Field(None, description="Colours of the page.")


class PreferencesUpdate(Ask):
    """The named preferences are set; null goes back to the default."""

    pdf_capture: Literal["auto", "text", "vision"] | None = Field(None, description="Capture mode of new PDFs.")
    ui_language: Language | None = Field(None, description="Language of the page.")
    answer_language: Language | None = Field(None, description="Language of answers; null = the question's.")
    theme: Literal["light", "dark", "system"] | None = Field(None, description="Colours of the page.")


class MeUpdate(Ask):
    """Change what is mine."""

    preferences: PreferencesUpdate = Field(description="The preferences to change.")


class Me(Told):
    """The person who asks."""

    id: UUID
    name: str
    email: str | None = None
    role: Literal["owner", "admin", "member"] = Field(description="What the person is in this installation.")
    preferences: Preferences
    credit: str | None = Field(None, description="What new work may still take of their credit; null while there is no accounting.")
    csrf: str | None = Field(None, description="Send it as X-Sourcebook-CSRF with every changing request; null for tokens.")
    version: str = Field(description="Version of the server.")

    @classmethod
    def of(cls, caller: Caller, credit: str | None = None) -> Me:
        """The person of a request."""
        role: Literal["owner", "admin", "member"] = "admin" if caller.is_admin else "member"
        if caller.person_id == LOCAL_OWNER:
            role = "owner"
        return cls(
            id=caller.person_id, name=caller.name, email=caller.email, role=role,
            preferences=Preferences(**caller.preferences), credit=credit, csrf=caller.csrf, version=VERSION,
        )  # fmt: skip


class TokenLimits(Ask):
    """How many requests a token may make; null = as many as its person."""

    per_minute: int | None = Field(None, ge=1, le=1_000_000, description="Requests in a minute.")
    per_day: int | None = Field(None, ge=1, le=100_000_000, description="Requests in a day.")


class TokenCreate(Ask):
    """A new API token."""

    name: Title = Field(description="What it is for.")
    scopes: list[TokenScope] = Field(
        default=["read", "ask", "add", "manage"], min_length=1, max_length=5, description="What it may do; at most what its maker may."
    )
    expires_at: datetime | None = Field(None, description="When it ends; null = never.")
    limits: TokenLimits | None = Field(None, description="Limits of its own; its answers carry RateLimit headers.")


class TokenRead(Told):
    """A token without its secret."""

    id: UUID
    name: str
    prefix: str = Field(description="Its first characters, to tell it from others.")
    scopes: list[str]
    created_at: datetime
    last_used_at: datetime | None = None
    expires_at: datetime | None = None
    limits: dict[str, int] = Field(default_factory=dict, description="`per_minute` and `per_day`, where it has limits of its own.")


class TokenMade(TokenRead):
    """A new token; the secret is shown this once."""

    token: str = Field(description="Send it as `Authorization: Bearer …`.")

"""Shapes of the public tree: what a visitor sees of an assistant, asks and gets."""

from __future__ import annotations

from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import AfterValidator, Field

from sourcebook_gateway import handing_over
from sourcebook_gateway.shapes.lists import Ask, Language, SmallMap, Told
from sourcebook_gateway.shapes.turns import Message, TurnRead

SESSION = "The host application's own name for a conversation of this person (S4-33); without it they have one."

Contact = Annotated[str, Field(max_length=handing_over.MAIL_CHARS + 20), AfterValidator(handing_over.reachable)]


class Sessioned(Ask):
    """Which of the visitor's conversations is meant."""

    session_id: str | None = Field(None, max_length=200, description=SESSION)
    resource: str | None = Field(
        None,
        max_length=200,
        description="As `context.resource` of the questions; part of the session where the profile keeps them by resource.",
    )


class PublicAssistant(Told):
    """An assistant as a visitor meets it."""

    name: str
    slug: str = Field(description="Its part of public addresses.")
    mode: Literal["signed_in", "public"] = Field(description="signed_in: a token of the host application is needed.")
    look: dict[str, Any] = Field(description="greeting, placeholder, colour, position, where set.")
    language: str | None = Field(None, description="Language of the widget's own words.")
    handover: Literal["none", "link", "mail", "webhook"] = Field(description="How a visitor gets to a person.")
    keeps: bool = Field(description="The conversation is kept here until Reset; false: send it along as `history`.")


class PublicQuestion(Ask):
    """A question of a visitor; it goes on with their conversation."""

    question: str = Field(description="At most 4,000 characters (a setting).", min_length=1, max_length=100_000)
    session_id: str | None = Field(None, max_length=200, description=SESSION)
    history: list[Message] | None = Field(
        None, max_length=200, description="What was said before, where the assistant keeps nothing (`keeps`)."
    )
    context: SmallMap | None = Field(None, description="Facts of the host application.")
    answer_language: Language | None = Field(None, description="Answer in this language.")


class PublicConversation(Told):
    """A visitor's conversation."""

    id: UUID | None = Field(None, description="Its id; null before the first question and after Reset.")
    turns: list[TurnRead]


class HandoverAsk(Sessioned):
    """A visitor wants a person."""

    reply_to: Contact | None = Field(
        None,
        description="Where the person can answer: an e-mail address or a phone number. Anonymous visitors must give it when the hand-over"
        " is by mail or webhook (422 `contact_needed`); whom the host application signed in may leave it out.",
        examples=["ada@example.org", "+44 20 7946 0958"],
    )
    note: str | None = Field(None, max_length=2000, description="What they want to add.")


class HandoverLed(Told):
    """What became of it."""

    kind: Literal["link", "mail", "webhook"]
    to: str | None = Field(None, description="The web address to go to, for a link.")
    queued: bool = Field(description="The conversation is on its way to a person.")

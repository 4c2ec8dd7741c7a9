"""Shapes of asking: questions, turns, conversations, searches."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from pydantic import Field

from sourcebook_core.checks import Checks, Citation
from sourcebook_core.errors import CODES
from sourcebook_core.store.conversations import Conversation
from sourcebook_core.store.turns import Turn
from sourcebook_gateway.shapes.lists import Ask, SmallMap, Title, Told

_OUTCOME = (
    "sources", "checks", "coverage", "reply_kind", "pending_sources", "degraded", "usage", "timing", "closest", "cards", "route",
    "fallback", "carried",
)  # fmt: skip


class Message(Ask):
    """One message of a history the caller keeps."""

    role: Literal["user", "assistant"]
    content: str = Field(min_length=1, max_length=20_000)


class Question(Ask):
    """A question to a notebook."""

    question: str = Field(description="At most 4,000 characters (a setting).", min_length=1, max_length=100_000)
    conversation_id: UUID | None = Field(None, description="Go on with this conversation; else a new one begins.")
    source_ids: list[UUID] | None = Field(None, min_length=1, max_length=10_000, description="Ask only these sources of the notebook.")
    history: list[Message] | None = Field(None, max_length=200, description="What was said before, for callers without a conversation.")
    context: SmallMap | None = Field(None, description="Facts of the host application.")
    answer_language: str | None = Field(None, pattern=r"^[a-z]{2,3}(-[A-Za-z]{2,4})?$", description="Answer in this language.")
    replaces: UUID | None = Field(None, description="The last turn of the conversation, which this one replaces; versions are kept.")


class SearchAsk(Ask):
    """A search without an answer."""

    query: str = Field(description="At most 4,000 characters (a setting).", min_length=1, max_length=100_000)
    k: int = Field(8, ge=1, le=50, description="At most so many chunks.")
    source_ids: list[UUID] | None = Field(None, min_length=1, max_length=10_000, description="Search only these sources.")
    every: bool = Field(False, description="Also what was found and left out, after the rest, with the reason.")


class Found(Told):
    """What a search found."""

    items: list[dict[str, Any]] = Field(description="Ranked chunks with their places, ranks and similarities.")
    degraded: list[str] = Field(default_factory=list, description="Parts of the search that were away.")


class Feedback(Ask):
    """Thumbs for an answer."""

    value: Literal[1, -1, 0] = Field(description="1 up, -1 down, 0 takes it back.")
    note: str | None = Field(None, max_length=2000, description="Why.")


class Trouble(Told):
    """Why a turn failed."""

    code: str
    message: str


class TurnRead(Told):
    """A question and its answer."""

    id: UUID
    conversation_id: UUID
    notebook_id: UUID
    question: str
    status: Literal["queued", "running", "done", "stopped", "failed"]
    finish: Literal["complete", "stopped", "broken"] | None = None
    answer: str | None = Field(description="What was written so far; the marks [n] name the citations.")
    citations: list[Citation] = Field(default_factory=list, description="One entry per number.")
    sources: list[dict[str, Any]] = Field(default_factory=list, description="Sources handed over and used, by number.")
    checks: Checks | None = Field(None, description="What comparing the answer with its passages gave.")
    coverage: Any = Field(None, description="How much of the sources the answer drew on.")
    reply_kind: str | None = Field(None, description="How sure the search was.")
    pending_sources: Any = Field(None, description="Sources that were not searchable yet.")
    degraded: list[str] = Field(default_factory=list, description="Parts that were away.")
    usage: dict[str, Any] | None = Field(None, description="Tokens and calls.")
    timing: dict[str, Any] | None = Field(None, description="ttft_ms and total_ms.")
    closest: list[dict[str, Any]] | None = Field(None, description="Passages near the question that do not answer it.")
    route: dict[str, Any] | None = Field(None, description="How the question was taken.")
    error: Trouble | None = None
    in_history: bool = Field(description="Later prompts of the conversation may tell it.")
    replaces: UUID | None = None
    created_at: datetime
    feedback: dict[str, Any] | None = Field(None, description="value and note.")

    @classmethod
    def of(cls, turn: Turn, cited: list[Citation]) -> TurnRead:
        """The row with its citations."""
        outcome = turn.outcome or {}
        return cls(
            id=turn.id, conversation_id=turn.conversation_id, notebook_id=turn.notebook_id, question=turn.question,
            status=turn.status, finish=turn.finish, answer=turn.answer, citations=cited, in_history=turn.in_history,
            replaces=turn.replaces, created_at=turn.created_at, error=Trouble(**problem_of(turn)) if turn.error else None,
            feedback={"value": turn.feedback, "note": turn.feedback_note} if turn.feedback else None,
            **{name: outcome[name] for name in _OUTCOME if name in cls.model_fields and outcome.get(name) is not None},
        )  # fmt: skip


def problem_of(turn: Turn) -> dict[str, str]:
    """Code and sentence of a failed turn."""
    error = turn.error or {}
    code = str(error.get("code") or "internal")
    return {"code": code, "message": str(error.get("message") or CODES.get(code, CODES["internal"]))}


def done_of(turn: Turn, cited: list[Citation]) -> dict[str, Any]:
    """The data of `done` as the row has it."""
    outcome = turn.outcome or {}
    told = {name: outcome[name] for name in _OUTCOME if name in outcome}
    ids = {"turn_id": str(turn.id), "conversation_id": str(turn.conversation_id)}
    return {**ids, "finish": turn.finish, "answer": turn.answer, "citations": [c.model_dump(mode="json") for c in cited], **told}


def error_of(turn: Turn) -> dict[str, Any]:
    """The data of `error` as the row has it."""
    error = turn.error or {}
    told: dict[str, Any] = {**problem_of(turn), "retryable": bool(error.get("retryable", True))}
    if error.get("retry_after_s") is not None:
        told["retry_after_s"] = error["retry_after_s"]
    return told


class ConversationCreate(Ask):
    """A new conversation."""

    title: Title | None = Field(None, description="Its name; else the first question.")


class ConversationUpdate(Ask):
    """Rename."""

    title: Title = Field(description="A new name.")


class ConversationRead(Told):
    """A conversation."""

    id: UUID
    notebook_id: UUID
    title: str
    created_at: datetime
    updated_at: datetime
    turns: int = Field(description="Questions in it.")

    @classmethod
    def of(cls, row: Conversation) -> ConversationRead:
        """The row."""
        return cls.model_validate(row, from_attributes=True)


class ConversationWhole(Told):
    """A conversation with its turns, oldest first."""

    id: UUID
    notebook_id: UUID
    title: str
    created_at: datetime
    updated_at: datetime
    turns: list[TurnRead]


class Why(Told):
    """How the passages of an answer were found and dropped."""

    question: str
    candidates: list[dict[str, Any]] = Field(default_factory=list, description="Each passage with its ranks and why it was kept or not.")
    degraded: list[str] = Field(default_factory=list)
    prompt: str | None = Field(None, description="What the model was given.")

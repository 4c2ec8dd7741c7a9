"""Shapes of what a notebook or an assistant could not answer, and of the questions it is tested with."""

from __future__ import annotations

from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import Field

from sourcebook_core.store.misses import Count, Miss
from sourcebook_core.store.questions import TestQuestion
from sourcebook_gateway.shapes.lists import Ask, Told

State = Literal["open", "solved", "question"]
Kind = Literal["plain", "exact", "vague", "otherlang", "unanswerable"]
_KIND = "plain, exact (a name or number), vague, otherlang (another language than the source) or unanswerable."
_SOURCES = "Sources any of which answers it; none: nothing in the notebook should."


class MissRead(Told):
    """A question that the notebook or assistant could not answer, with all its wordings."""

    key: UUID = Field(description="Names the group: the same for the same words in any order and inflection.")
    question: str = Field(description="Its newest wording.")
    language: str | None = Field(None, description="Language of that wording, as two letters; null where it cannot be told.")
    count: int = Field(description="How often it was asked.")
    people: int = Field(description="By how many people.")
    reasons: dict[str, int] = Field(
        description="How often for each reason: nothing_found, not_covered (the writing model said so), thumbs_down. A turn may have two."
    )
    examples: list[str] = Field(description="Up to three other wordings.")
    first_at: datetime = Field(description="When it was asked first.")
    last_at: datetime = Field(description="When it was asked last.")
    state: State = Field(description="open; solved: marked so and not asked in vain since; question: a test question was made of it.")
    turn_id: UUID | None = Field(None, description="The newest turn, where it is the caller's own.")

    @classmethod
    def of(cls, miss: Miss, person_id: UUID) -> MissRead:
        """The group as this person sees it."""
        counts = {"nothing_found": miss.nothing_found, "not_covered": miss.not_covered, "thumbs_down": miss.thumbs_down}
        return cls(
            key=miss.key, question=miss.question, language=miss.language, count=miss.count, people=miss.people,
            reasons={reason: count for reason, count in counts.items() if count}, examples=miss.examples, first_at=miss.first_at,
            last_at=miss.last_at, state=miss.state, turn_id=miss.turn_id if miss.asked_by == person_id else None,
        )  # fmt: skip


class MissSet(Ask):
    """Mark a group."""

    state: Literal["solved", "open"] = Field(description="solved: it is out of the way until it is asked in vain again.")


class MissQuestion(Ask):
    """Make a test question of a miss."""

    source_ids: list[UUID] = Field(default_factory=list, max_length=1000, description=_SOURCES)
    kind: Kind | None = Field(None, description=f"{_KIND} Without it: plain, or unanswerable without sources.")


class QuestionCreate(Ask):
    """A test question."""

    question: str = Field(min_length=1, max_length=100_000, description="At most 4,000 characters (a setting).")
    language: str | None = Field(None, pattern=r"^[a-z]{2,3}$", description="Its language; told from its words without it.")
    source_ids: list[UUID] = Field(default_factory=list, max_length=1000, description=_SOURCES)
    kind: Kind | None = Field(None, description=f"{_KIND} Without it: plain, or unanswerable without sources.")


class QuestionRead(Told):
    """A question that the notebook or assistant is tested with."""

    id: UUID
    question: str
    language: str | None = Field(None, description="Its language, as two letters; null where it cannot be told.")
    kind: Kind = Field(description=_KIND)
    source_ids: list[UUID] = Field(
        description=f"{_SOURCES} Sources that were deleted for good leave it; a question left without any is not run."
    )
    created_at: datetime

    @classmethod
    def of(cls, row: TestQuestion) -> QuestionRead:
        """The row."""
        return cls.model_validate(row, from_attributes=True)


class MissCount(Told):
    """How much one notebook could not answer."""

    notebook_id: UUID
    title: str | None = Field(None, description="Its name, where it is the caller's own.")
    owner: str = Field(description="Whose it is.")
    open: int = Field(description="Questions that are open.")
    solved: int = Field(description="Questions marked as solved.")
    questions: int = Field(description="Questions that became test questions.")
    asked: int = Field(description="How often they were asked in all.")
    people: int = Field(description="By how many people.")
    last_at: datetime = Field(description="When one was asked last.")

    @classmethod
    def of(cls, row: Count, person_id: UUID) -> MissCount:
        """The row as this administrator sees it."""
        told = {name: getattr(row, name) for name in cls.model_fields if name != "title"}
        return cls(**told, title=row.title if row.owner_id == person_id else None)

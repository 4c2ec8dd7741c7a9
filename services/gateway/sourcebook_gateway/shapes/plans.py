"""Shapes of a plan: how a question would be answered."""

from __future__ import annotations

from uuid import UUID

from pydantic import Field

from sourcebook_core.events import Route
from sourcebook_gateway.shapes.lists import Ask, Language, SmallMap, Told
from sourcebook_gateway.shapes.turns import Message


class PlanAsk(Ask):
    """A question that is not answered."""

    question: str = Field(description="At most 4,000 characters (a setting).", min_length=1, max_length=100_000)
    source_ids: list[UUID] | None = Field(None, min_length=1, max_length=10_000, description="Of these sources only.")
    history: list[Message] | None = Field(None, max_length=200, description="What was said before.")
    context: SmallMap | None = Field(None, description="Facts of the host application.")
    answer_language: Language | None = Field(None, description="Answer in this language.")


class PlannedPassage(Told):
    """A passage that the model would be given."""

    n: int = Field(description="Its number in the prompt.")
    source_id: UUID
    source_title: str
    chunk_id: UUID
    heading: str | None = None
    page: int | None = None
    pool: str | None = Field(None, description="Its pool of evidence, where there are several.")
    similarity: float | None = Field(None, description="Nearness to the question: the raw cosine; null without a vector.")


class PlanRead(Told):
    """How the question would be answered: what the model would be told, and not what it would say."""

    route: Route = Field(description="How it would be taken.")
    searched: str = Field(description="What is searched: the question, or its translation.")
    coverage: str = Field(description="Bucket of the evidence count: none, low, medium, high; no probability.")
    passages: list[PlannedPassage] = Field(description="As they would be numbered.")
    found: int = Field(description="Passages that the search handed over.")
    degraded: list[str] = Field(description="Parts that were away.")
    prompt: str = Field(description="Name and version of the prompt.")
    prompt_hash: str = Field(description="The same for the same prompt; an answer's *why* has it too.")

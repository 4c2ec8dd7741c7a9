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
from sourcebook_gateway.shapes.lists import Ask, Language, SmallMap, Title, Told

_OUTCOME = (
    "sources", "checks", "coverage", "reply_kind", "pending_sources", "degraded", "usage", "timing", "closest", "cards", "route",
    "fallback", "carried", "drew_on", "asked_of",
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
    answer_language: Language | None = Field(None, description="Answer in this language.")
    style: Literal["shorter", "longer"] | None = Field(None, description="A shorter or a longer answer than usual.")
    replaces: UUID | None = Field(None, description="The last turn of the conversation, which this one replaces; versions are kept.")


class SearchAsk(Ask):
    """A search without an answer."""

    query: str = Field(
        description='At most 4,000 characters (a setting). "Words in quotes" are looked for exactly, word* for what begins so.',
        min_length=1,
        max_length=100_000,
    )
    k: int = Field(8, ge=1, le=50, description="At most so many chunks.")
    source_ids: list[UUID] | None = Field(None, min_length=1, max_length=10_000, description="Search only these sources.")
    every: bool = Field(False, description="Also what was found and left out, after the rest, with the reason.")


Reason = Literal[
    "kept", "under_floor", "few_words", "far_down", "no_place", "made_document", "same_section", "pool_full", "overlaps", "cut_by_prompt"
]


class CandidateRead(Told):
    """A chunk that a search looked at, and what became of it."""

    chunk_id: UUID
    source_id: UUID
    source_title: str = Field(description="Title of the source.")
    kind: str
    reading_id: UUID
    passage: int
    start: int
    end: int
    page: int | None = None
    heading: str | None = None
    text: str = Field(description="The words of the chunk, as they stand in the source.")
    words_rank: int | None = Field(None, description="Place by words, from 1; null when the words did not find it.")
    words_score: float | None = Field(None, description="BM25 score, comparable inside one list only.")
    idf_share: float | None = Field(None, description="What of the question's words it holds, by their weight, 0..1.")
    meaning_rank: int | None = Field(None, description="Place by meaning, from 1; null below the floor or without a vector.")
    similarity: float | None = Field(None, description="Nearness to the question: the raw cosine, -1..1; null without a vector.")
    fused_rank: int | None = Field(None, description="Place by both together; null when it is far down in both.")
    fused_score: float | None = Field(None, description="Sum of the reciprocal ranks.")
    needed: float | None = Field(None, description="The `idf_share` that a chunk found by words alone needs, 0..1.")
    pool: str | None = Field(None, description="Its pool of evidence, where there are several.")
    kept: bool = Field(description="Whether it was handed over.")
    reason: Reason | None = Field(None, description="Code of why it was handed over or not; null in old answers.")
    why: str = Field(description="The same as a sentence.")


class Snippet(Told):
    """The words around what matched."""

    text: str = Field(description="At most 240 code points, cut at borders of words.")
    start: int = Field(description="Where it begins, in the passage.")
    marks: list[tuple[int, int]] = Field(description="Half-open ranges of matched words inside the text; none when found by meaning alone.")


class FoundItem(CandidateRead):
    """One chunk that a search found."""

    notebook_id: UUID
    snippet: Snippet = Field(description="The words around what matched; else how the chunk begins.")


class Found(Told):
    """What a search found."""

    items: list[FoundItem] = Field(description="Ranked chunks with their places, ranks and similarities.")
    degraded: list[str] = Field(default_factory=list, description="Parts of the search that were away.")
    reply_kind: str | None = Field(None, description="How sure a quoted answer would sound; null over several notebooks.")


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
    notebook_id: UUID | None = Field(None, description="The notebook that was asked.")
    assistant_id: UUID | None = Field(None, description="The assistant that was asked, where it was no notebook.")
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
    cards: list[dict[str, Any]] | None = Field(None, description="Sections that fit, where the profile shows them so.")
    fallback: bool = Field(False, description="`sources` are what was found, for the answer cites nothing.")
    drew_on: int | None = Field(None, description="Sources that the answer cites.")
    asked_of: int | None = Field(None, description="Sources that were searched for it.")
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
            id=turn.id, conversation_id=turn.conversation_id, notebook_id=turn.notebook_id,
            assistant_id=turn.assistant_id, question=turn.question,
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
    notebook_id: UUID | None = Field(None, description="The notebook it asks.")
    assistant_id: UUID | None = Field(None, description="The assistant it asks, where that is no notebook.")
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
    notebook_id: UUID | None = Field(None, description="The notebook it asks.")
    assistant_id: UUID | None = Field(None, description="The assistant it asks, where that is no notebook.")
    title: str
    created_at: datetime
    updated_at: datetime
    turns: list[TurnRead]


class WordRead(Told):
    """A word of a question."""

    word: str = Field(description="Folded, as it is searched.")
    chunks: int | None = Field(None, description="In how many chunks of the scope it stands; null for a word that was left out.")


class Searched(Told):
    """What was searched."""

    sources: int = Field(description="How many sources.")
    chunks: int = Field(description="How many chunks they have.")
    chosen: bool = Field(description="Whether the asker chose them.")


class PoolRead(Told):
    """A kind of evidence with places of its own."""

    name: str
    k: int = Field(description="Its places.")
    kept: int = Field(description="How many were taken.")
    coverage: Literal["low", "medium", "high"] = Field(description="Bucket of that number; no probability.")
    is_evidence: bool = Field(description="Whether it counts for the coverage of the answer.")


class Why(Told):
    """How the passages of an answer were found and dropped. Answers from before a field have it null or empty."""

    question: str
    language: str | None = Field(None, description="Language of the question, where it is sure.")
    words: list[WordRead] = Field(default_factory=list, description="Each word of the question, with how many chunks hold it.")
    scope: Searched | None = Field(None, description="What was searched.")
    mode: Literal["hybrid", "vector", "lexical"] | None = Field(None, description="By which lists it was searched.")
    k: int | None = Field(None, description="How many passages could be handed over.")
    floor: float | None = Field(None, description="The nearness a passage had to reach, on the raw cosine; null for none.")
    recipe: str | None = Field(None, description="How the sources were cut.")
    model: str | None = Field(None, description="The embedding model of the vectors in use.")
    pools: list[PoolRead] = Field(default_factory=list, description="Kinds of evidence with places of their own, where there are any.")
    candidates: list[CandidateRead] = Field(default_factory=list, description="Each passage with its ranks and why it was kept or not.")
    near_misses: list[UUID] = Field(default_factory=list, description="The closest candidates, where none was near enough; at most 5.")
    degraded: list[str] = Field(default_factory=list)
    prompt: str | None = Field(None, description="Name and version of the prompt that the model was given.")
    prompt_hash: str | None = Field(None, description="The same for the same prompt; that of `/plan` too.")

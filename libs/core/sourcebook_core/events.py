"""What travels while an answer is written, and the hints of the live feed. One event model for every answer format."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Annotated, Any, Literal
from uuid import UUID

import orjson
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter
from redis.asyncio import Redis
from redis.exceptions import RedisError

from sourcebook_core import log
from sourcebook_core.checks import Checks, Citation

_log = log.get(__name__)

Finish = Literal["complete", "stopped", "broken"]
ReplyKind = Literal["none", "weak", "clear", "module", "several"]
Degraded = Literal["words_only", "indexing", "prompt_cut", "without_documents", "no_chat_model"]

# A stream is read back for an hour at most; after that the turn's row is the only copy.
STREAM_TTL_S = 3600
STREAM_MAX = 20_000


class _Event(BaseModel):
    model_config = ConfigDict(frozen=True)


class Route(_Event):
    """How the question was taken."""

    answer_mode: str = Field("notebook", description="Who answered; of a routed question, from which kind of evidence (S4-21).")
    intent: str = Field("question", description="What is wanted, of a routed question (S4-22).")
    by: str | None = Field(None, description="Who answered: model, tools, quoted, cards, refusal or empty.")
    language: str | None = None
    technology: str | None = Field(None, description="product: what the question is about, as its rules took it.")


class Open(_Event):
    """Search is done; the answer begins."""

    type: Literal["open"] = "open"
    turn_id: UUID
    conversation_id: UUID
    route: Route = Field(default_factory=Route)
    passages: int = Field(description="Passages handed over.")
    coverage: str | None = Field(None, description="Bucket of the evidence count: none, low, medium, high; no probability.")


class Stage(_Event):
    """What is being done now, with counts for the stage line."""

    type: Literal["stage"] = "stage"
    name: Literal["searching", "reading", "writing", "checking"]
    count: int | None = None


class Token(_Event):
    """The next piece of the answer; joined pieces equal `answer`."""

    type: Literal["token"] = "token"
    text: str
    at: int = Field(description="Offset of the piece in the answer, in Unicode code points.")


class CitationSeen(_Event):
    """A citation at its first appearance; its verdicts are null until the end."""

    type: Literal["citation"] = "citation"
    citation: Citation


class SourceUsed(_Event):
    """A source that was handed over and cited, in the order of its first number."""

    n: int
    source_id: UUID
    title: str
    kind: str
    page: int | None = None
    heading: str | None = None
    excerpt: str = ""
    address: str | None = Field(None, description="Of a record of the catalog: where it stands in the shop.")
    layer: str | None = Field(None, description="Of a built corpus: `local` is a local copy that has no address of its own.")


class Closest(_Event):
    """A passage near the question that does not answer it (nothing-found state)."""

    source_id: UUID
    reading_id: UUID
    source_title: str
    kind: str
    chunk_id: UUID
    passage: int
    page: int | None = None
    heading: str | None = None
    quote: str
    start: int
    end: int
    similarity: float | None = None


class Card(_Event):
    """A section as an answer without a model shows it, best first (S2-31, S2-54)."""

    rank: int = Field(description="From 1.")
    source_id: UUID
    reading_id: UUID
    title: str
    heading: str | None = None
    preview: str
    address: str | None = Field(None, description="Where exactly this section stands; null where its source has no address.")
    passage: int
    start: int
    end: int
    is_winner: bool = Field(description="One clear winner stands first and larger.")


class Usage(_Event):
    """Sums over the turn's model calls; `complete` is false when a reply came without numbers (N-16)."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    llm_calls: int = 0
    complete: bool = True
    cost: str | None = Field(None, description="Decimal; null = unknown.")


class Timing(_Event):
    """Milliseconds since the question was accepted by the worker."""

    ttft_ms: int | None = None
    total_ms: int = 0


class Done(_Event):
    """The whole answer with its checks; ends complete and stopped turns."""

    type: Literal["done"] = "done"
    turn_id: UUID
    conversation_id: UUID | None = None
    finish: Finish
    route: Route = Field(default_factory=Route)
    answer: str
    citations: list[Citation] = Field(default_factory=list)
    sources: list[SourceUsed] = Field(default_factory=list)
    checks: Checks | None = None
    coverage: str | None = None
    reply_kind: ReplyKind | None = None
    pending_sources: int = Field(0, description="Sources of the scope that were not fully searchable yet.")
    degraded: list[Degraded] = Field(default_factory=list)
    closest: list[Closest] = Field(default_factory=list)
    cards: list[Card] = Field(default_factory=list, description="Sections that fit, where the profile shows them so (S2-54).")
    fallback: bool = False
    carried: int = Field(0, description="Passages carried over from the last answer.")
    drew_on: int = Field(0, description="Sources that the answer cites.")
    asked_of: int = Field(0, description="Sources that were searched for it.")
    usage: Usage = Field(default_factory=Usage)
    timing: Timing = Field(default_factory=Timing)


class Failed(_Event):
    """The turn ended without an answer, or broke off; what was written stays on the turn."""

    type: Literal["error"] = "error"
    code: str
    message: str
    retryable: bool = False
    retry_after_s: float | None = None


Event = Annotated[Open | Stage | Token | CitationSeen | Done | Failed, Field(discriminator="type")]
EVENT: TypeAdapter[Open | Stage | Token | CitationSeen | Done | Failed] = TypeAdapter(Event)


def turn_stream(turn_id: UUID, fence: int) -> str:
    """Redis key of one run of one turn: a later run (another fence) never mixes with it."""
    return f"sourcebook:turn:{turn_id}:{fence}"


def payload(event: BaseModel) -> dict[str, Any]:
    """The `data` of an event as the contract has it: without `type`, a citation unwrapped."""
    if isinstance(event, CitationSeen):
        return event.citation.model_dump(mode="json")
    return event.model_dump(mode="json", exclude={"type"})


async def append(redis: Redis, key: str, events: Sequence[BaseModel]) -> bool:
    """Add events to a turn's stream, with its end of life; False when Redis did not take them (the row has them)."""
    try:
        async with redis.pipeline(transaction=False) as pipe:
            for event in events:
                pipe.xadd(key, {"e": event.model_dump_json()}, maxlen=STREAM_MAX, approximate=True)
            pipe.expire(key, STREAM_TTL_S)
            await pipe.execute()
    except (RedisError, OSError, TimeoutError) as error:
        _log.warning("stream.missed", error=type(error).__name__)
        return False
    return True


async def forget(redis: Redis, turns: Sequence[tuple[UUID, int]]) -> None:
    """Remove the streams of these runs (turn, fence) before their time; what Redis does not do now, their end of life does."""
    try:
        for turn_id, fence in turns:
            await redis.delete(turn_stream(turn_id, fence))
    except (RedisError, OSError, TimeoutError) as error:
        _log.warning("stream.not_forgotten", error=type(error).__name__)


def parse(fields: dict[bytes, bytes]) -> Open | Stage | Token | CitationSeen | Done | Failed | None:
    """One stream entry as an event; None for anything that we did not write."""
    raw = fields.get(b"e")
    if raw is None:
        return None
    try:
        return EVENT.validate_json(raw)
    except ValueError:
        return None


def feed_channel(person_id: UUID) -> str:
    """Pub/sub channel with the hints for one person's pages."""
    return f"sourcebook:feed:{person_id}"


async def hint(redis: Redis, person_ids: Sequence[UUID], what: Literal["source", "turn", "notebook", "health"], **ids: Any) -> None:
    """Tell open pages what to fetch again. Hints only: losing one costs a few seconds, so a failure is just logged."""
    told = {"what": what, **{name: value for name, value in ids.items() if value is not None}}
    message = orjson.dumps(told, default=str)  # an id from asyncpg is a subclass of UUID, which orjson does not take
    try:
        for person_id in person_ids:
            await redis.publish(feed_channel(person_id), message)
    except (RedisError, OSError, TimeoutError) as error:
        _log.warning("feed.missed", error=type(error).__name__)


async def hints(redis: Redis, person_id: UUID) -> AsyncIterator[dict[str, Any]]:
    """Hints for one person from now on; raises RedisError when Redis goes away."""
    async with redis.pubsub() as listener:
        await listener.subscribe(feed_channel(person_id))
        async for message in listener.listen():
            if message["type"] == "message":
                try:
                    found = orjson.loads(message["data"])
                except orjson.JSONDecodeError:
                    continue
                if isinstance(found, dict):
                    yield found

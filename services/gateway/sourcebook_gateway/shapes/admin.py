"""Shapes of running the server: model roles, health, jobs."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from pydantic import Field, SecretStr

from sourcebook_core.settings import RoleName
from sourcebook_gateway.shapes.lists import Ask, SmallMap, Told

Provider = Literal["none", "local", "api"]


class RebuildEstimate(Told):
    """What choosing an embedding model would set going: every chunk is embedded anew, beside the vectors that answer meanwhile."""

    chunks: int = Field(description="Chunks to embed.")
    seconds: int = Field(description="About how long, by the speed of the test's own call; the database's share is not counted.")
    cost: str | None = Field(None, description="About what it costs; null where the model has no price.")
    currency: str | None = Field(None, description="Of the cost.")


class Rebuild(Told):
    """How far the vectors of a newly chosen embedding model are. Until they are whole the model before answers."""

    state: Literal["waiting", "building", "failed"] = Field(
        description="waiting: for its turn or for a model that is away; failed: for good."
    )
    readings: int = Field(description="Texts in all.")
    chunks: int = Field(description="Chunks in all.")
    done: int = Field(description="Chunks that are embedded.")
    seconds_left: int | None = Field(None, description="About how long still, by its last calls; null before the first.")
    cost: str | None = Field(None, description="About what all of it costs, by what it cost so far; null where no price is known.")
    error: dict[str, Any] | None = Field(None, description="code and message: why it failed, or what it waits for.")
    job_id: UUID | None = Field(None, description="Its job, for POST /admin/jobs/{id}/retry.")


class ModelTested(Told):
    """What a test of a model found."""

    at: datetime | None = Field(None, description="When.")
    ok: bool = Field(description="It answered as it should.")
    seconds: float | None = Field(None, description="To the answer.")
    words_per_s: float | None = Field(None, description="How fast it writes.")
    cites_right: int | None = Field(None, description="How often it cited rightly …")
    cites_of: int | None = Field(None, description="… of so many times.")
    dimension: int | None = Field(None, description="Numbers a text gets, of an embedding model.")
    reads_right: int | None = Field(None, description="Words of a small picture that it read …")
    reads_of: int | None = Field(None, description="… of so many.")
    rebuild_estimate: RebuildEstimate | None = Field(
        None, description="What choosing this embedding model would set going; null when nothing is to be embedded."
    )
    error: dict[str, Any] | None = Field(None, description="code and message, when it failed.")


class ModelRole(Told):
    """One model role as it holds now."""

    role: RoleName
    provider: Provider
    base_url: str | None = None
    model: str | None = None
    has_key: bool = Field(description="A key is stored; it is never shown.")
    locked: bool = Field(description="The environment sets it; it cannot be changed here.")
    locked_by: str | None = Field(None, description="The variable that sets it.")
    tested: ModelTested | None = None
    options: dict[str, Any] = Field(default_factory=dict)
    rebuild: Rebuild | None = Field(None, description="Of the embedding role: the vectors of a newly chosen model, while they are built.")


class FoundServer(Told):
    """A model server that answers on this machine."""

    name: str
    base_url: str
    models: list[str]


class ModelList(Told):
    """Every role, and servers found on this machine."""

    items: list[ModelRole]
    found: list[FoundServer]


class ModelSet(Ask):
    """Set a role. Without `api_key` the stored key is kept as long as the address stays the same."""

    provider: Provider = Field(description="none switches the role off.")
    base_url: str | None = Field(None, max_length=1000, description="Address of an OpenAI-compatible endpoint, with /v1.")
    model: str | None = Field(None, max_length=300, description="Name of the model there.")
    api_key: SecretStr | None = Field(None, max_length=1000, description="Kept sealed, never shown.")
    options: SmallMap | None = Field(None, description="Prefixes, dimension, context_tokens and the like.")


class ModelTestAsk(Ask):
    """Try a role, as it is or with these fields instead."""

    role: RoleName
    provider: Provider | None = None
    base_url: str | None = Field(None, max_length=1000)
    model: str | None = Field(None, max_length=300)
    api_key: SecretStr | None = Field(None, max_length=1000)
    options: SmallMap | None = Field(None, description="Options instead of those that hold.")


class HealthLine(Told):
    """One part and how it is."""

    name: str
    state: Literal["good", "slow", "away", "off"]
    since: str | None = None
    what: str | None = None
    next: str | None = Field(None, description="What to do.")


class QueueRead(Told):
    """One queue."""

    queue: str
    waiting: int
    oldest_s: float | None = None
    running: int


class FailedRead(Told):
    """A job that failed for good."""

    job_id: UUID
    kind: str
    source_id: UUID | None = None
    file: str | None = None
    stage: str | None = None
    attempts: int
    error: dict[str, Any] | None = None


class WorkerRead(Told):
    """A live worker."""

    id: UUID
    service: str
    host: str
    pid: int
    queues: list[str]
    version: str
    started_at: datetime
    heartbeat_at: datetime


class HealthRead(Told):
    """How the installation is."""

    items: list[HealthLine]
    queues: list[QueueRead]
    failed: list[FailedRead]
    workers: list[WorkerRead]
    disk: dict[str, int] | None = Field(None, description="free_bytes and total_bytes, where files lie in a folder.")
    version: str
    last_backup_at: str | None = None


class JobRead(Told):
    """A job."""

    id: UUID
    kind: str
    queue: str
    state: str
    attempts: int
    subject: UUID | None = None
    error: dict[str, Any] | None = None

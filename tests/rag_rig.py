"""Turns for tests of answering: rows as the gateway writes them, answered by the worker's own runtime in this process."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from redis.asyncio import Redis

from sourcebook_core import bell, events, jobs
from sourcebook_core import settings as core_settings
from sourcebook_core.checks import Citation
from sourcebook_core.db import Db
from sourcebook_core.jobs import AnswerTurn, Work
from sourcebook_core.jobs_runtime import Runtime
from sourcebook_core.prices import Prices
from sourcebook_core.settings import Settings
from sourcebook_core.store import citations, turns
from sourcebook_core.store.turns import Turn
from sourcebook_rag.deps import Deps
from sourcebook_rag.tasks import TASKS
from sourcebook_rag.worker import warm_up
from tests import rows
from tests.fakes.provider import FakeProvider
from tests.fakes.vectors import Pins
from tests.rig import patient, until

DIMENSION = 64


def chat_settings(fake: FakeProvider, **more: str) -> dict[str, str]:
    """The environment of a writing model that is the fake."""
    return fake.settings("CHAT", **{"API_KEY": "k", **more})


def embedding_settings(fake: FakeProvider, **more: str) -> dict[str, str]:
    """The environment of an embedding model that is the fake; its space is `Desk.use_vectors`, with the same floor."""
    return fake.settings("EMBEDDING", **{"DIMENSION": str(DIMENSION), **more}) | {"SOURCEBOOK_FLOOR": "0.30"}


@dataclass
class Answered:
    """A turn that ended, with its citations, and the events its stream got, in order."""

    turn: Turn
    citations: list[Citation]
    events: list[Any]

    @property
    def outcome(self) -> Mapping[str, Any]:
        """What `done` carried; empty for a failed turn."""
        return self.turn.outcome or {}

    def of(self, kind: type) -> list[Any]:
        """The events of one kind."""
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def joined(self) -> str:
        """The pieces of the answer as they were streamed, put together by their offsets."""
        text = ""
        for token in self.of(events.Token):
            assert token.at == len(text)
            text += token.text
        return text


@dataclass
class Desk:
    """A database with one notebook and a running rag worker."""

    deps: Deps
    notebook: rows.Notebook
    pins: Pins

    @property
    def db(self) -> Db:
        """The pool of the worker."""
        return self.deps.db

    @property
    def redis(self) -> Redis:
        """The Redis of the streams."""
        return self.deps.redis

    async def use_vectors(self, fake: FakeProvider, floor: float | None = 0.30) -> None:
        """Put the fake's space in use."""
        async with self.db.transaction() as conn:
            space_id = await rows.space(conn, dimension=DIMENSION, floor=floor, base_url=fake.base_url)
        self.notebook = rows.Notebook(self.notebook.id, self.notebook.owner_id, space_id)
        self.pins = fake.script.pins

    async def add(self, *texts: str, title: str = "Lake report", with_vectors: bool | None = None, **more: Any) -> rows.Source:
        """A source in the notebook; embedded as the fake embeds when a space is in use."""
        embedded = self.notebook.space_id is not None if with_vectors is None else with_vectors
        vectors = [self.pins.vector(text, DIMENSION) for text in texts] if embedded else None
        async with self.db.transaction() as conn:
            return await rows.source(conn, self.notebook, texts, title=title, vectors=vectors, **more)

    async def ask(self, question: str, *, conversation_id: UUID | None = None, **request: Any) -> UUID:
        """Queue a turn."""
        async with self.db.transaction() as conn:
            turn_id = await rows.turn(conn, self.notebook, question, conversation_id=conversation_id, request=request)
            await jobs.insert(conn, AnswerTurn(turn_id=turn_id), owner_id=self.notebook.owner_id, subject=turn_id)
        return turn_id

    async def turn(self, turn_id: UUID) -> Turn:
        """The turn's row."""
        async with self.db.transaction() as conn:
            return await turns.get(conn, turn_id)

    async def ended(self, turn_id: UUID, timeout_s: float = 30.0) -> Answered:
        """The turn once it ended."""

        async def row() -> Turn | None:
            found = await self.turn(turn_id)
            return found if found.status not in ("queued", "running") else None

        found = await until(row, timeout_s, "the end of the turn")
        assert found is not None and found.fence is not None
        fence = found.fence

        async def whole() -> list[Any] | None:
            told = await self.stream(turn_id, fence)
            return told if told and isinstance(told[-1], events.Done | events.Failed) else None

        told = await until(whole, 30.0, "the end of the stream") or []
        async with self.db.transaction() as conn:
            cited = (await citations.list_for_turns(conn, [turn_id]))[turn_id]
        return Answered(found, cited, told)

    async def stream(self, turn_id: UUID, fence: int) -> list[Any]:
        """The events of one run of a turn so far."""
        entries = await self.redis.xrange(events.turn_stream(turn_id, fence))
        return [events.parse(fields) for _, fields in entries]

    async def answer(self, question: str, **more: Any) -> Answered:
        """Ask and wait."""
        return await self.ended(await self.ask(question, **more))

    async def result(self, work: Work, *, sealed: bytes | None = None, timeout_s: float = 30.0) -> Any:
        """Queue other work of the worker and give how it ended."""
        async with self.db.transaction() as conn:
            job_id = await jobs.insert(conn, work, owner_id=self.notebook.owner_id, sealed=sealed)
        return await jobs.wait_for_end(self.db, job_id, timeout_s)

    async def why(self, turn_id: UUID) -> dict[str, Any]:
        """How the passages of a turn were found."""
        async with self.db.transaction() as conn:
            return await turns.find_why(conn, turn_id, self.notebook.owner_id) or {}


@asynccontextmanager
async def desk(settings: Settings, *, working: bool = True) -> AsyncIterator[Desk]:
    """A desk whose worker answers until the block ends."""
    warm_up()
    db = await Db.open(settings)
    redis = bell.connect(settings)
    deps = Deps(db, redis, settings, Prices.load(settings.prices))
    async with db.transaction() as conn:
        notebook = await rows.notebook(conn)
    runtime = Runtime(patient(settings), db, service="rag", version="test", queues=["answer", "make"], tasks=TASKS, deps=deps, slots=4)
    running = asyncio.create_task(runtime.run()) if working else None
    try:
        yield Desk(deps, notebook, Pins())
    finally:
        runtime.stop()
        if running is not None:
            with suppress(asyncio.CancelledError):
                await running
        await redis.aclose()
        await db.close()


@asynccontextmanager
async def vector_desk(environment: Mapping[str, str], fake: FakeProvider) -> AsyncIterator[Desk]:
    """A desk whose space in use is the fake's; `environment` names the fake as embedding model, and others as it likes."""
    async with desk(core_settings.load(environment)) as made:
        await made.use_vectors(fake)
        yield made

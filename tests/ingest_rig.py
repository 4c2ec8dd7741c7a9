"""Sources for tests of reading: added the way the gateway adds them, read by the worker's own runtime in this process."""

import asyncio
import hashlib
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

from sourcebook_core import jobs
from sourcebook_core.blobs import original_key
from sourcebook_core.jobs import ReadSource
from sourcebook_core.jobs_runtime import Runtime
from sourcebook_core.settings import Settings
from sourcebook_core.store import grants, notebooks, people, sources
from sourcebook_core.store.sources import Added
from sourcebook_ingest.deps import Deps, opened
from sourcebook_ingest.worker import QUEUES, TASKS
from tests.rig import patient, until

RECIPE = "token_window-300-40-a2"
ENDED = ("ready", "failed", "stopped", "paused", "needs_approval")
MEDIA_TYPES = {"pdf": "application/pdf", "markdown": "text/markdown", "text": "text/plain"}


@dataclass
class Library:
    """One person with one notebook, and the worker's dependencies."""

    deps: Deps
    owner_id: UUID = field(default_factory=uuid4)
    notebook_id: UUID = field(default_factory=uuid4)

    async def begin(self, recipe: str = RECIPE) -> None:
        """Make the person and the notebook."""
        async with self.deps.db.transaction() as conn:
            await people.insert(conn, self.owner_id, "Ada", None, True)
            await notebooks.insert(conn, self.notebook_id, self.owner_id, "Lakes", "notebook", recipe)

    async def add(
        self, kind: str, content: bytes = b"", *, name: str | None = None, url: str | None = None, capture: str = "auto",
        media_type: str | None = None, sealed: bytes | None = None,
    ) -> UUID:  # fmt: skip
        """A stored source with its job, in the notebook; other kinds than those of `MEDIA_TYPES` need their media type."""
        source_id = uuid4()
        if url is None:
            await self.deps.blobs.put(original_key(source_id), content)
        added = Added(
            source_id, self.owner_id, self.owner_id, kind, name or url or f"a.{kind}", file_name=name,
            media_type=media_type or MEDIA_TYPES.get(kind), byte_size=len(content),
            content_hash=hashlib.sha256(content).digest() if url is None else None, url=url, has_file=url is None, capture=capture,
        )  # fmt: skip
        async with self.deps.db.transaction() as conn:
            assert await sources.insert(conn, added)
            await grants.give(conn, self.notebook_id, source_id, self.owner_id)
            work = ReadSource(source_id=source_id)
            await jobs.insert(conn, work, owner_id=self.owner_id, subject=source_id, once=source_id, sealed=sealed)
        await self.deps.bell.ring("ingest")
        return source_id

    async def again(self, source_id: UUID) -> None:
        """Try a source again, as the gateway does."""
        async with self.deps.db.transaction() as conn:
            await sources.queue_again(conn, source_id)
            await jobs.insert(conn, ReadSource(source_id=source_id), owner_id=self.owner_id, subject=source_id, once=source_id)
        await self.deps.bell.ring("ingest")

    async def row(self, source_id: UUID) -> dict[str, Any]:
        """The source's row."""
        async with self.deps.db.transaction() as conn:
            found = await conn.fetchrow("select * from sources where id = $1", source_id)
        assert found is not None
        return dict(found)

    async def ended(self, source_id: UUID, timeout_s: float = 60.0) -> dict[str, Any]:
        """The source's row once its work has come to an end."""

        async def row() -> dict[str, Any] | None:
            found = await self.row(source_id)
            return found if found["status"] in ENDED else None

        return await until(row, timeout_s, "the end of the work") or {}

    async def passages(self, source_id: UUID) -> list[dict[str, Any]]:
        """The passages of the current reading, in order."""
        return await self.all(
            "select p.* from corpus.passages p join sources s on s.reading_id = p.reading_id where s.id = $1 order by ordinal", source_id
        )

    async def chunks(self, source_id: UUID) -> list[dict[str, Any]]:
        """The chunks of the current reading, in order, each with its text."""
        return await self.all(
            "select c.*, substr(p.text, c.start_at + 1, c.end_at - c.start_at) as text from corpus.chunks c"
            " join corpus.passages p on p.reading_id = c.reading_id and p.ordinal = c.passage"
            " join sources s on s.reading_id = c.reading_id where s.id = $1 order by c.recipe_id, c.ordinal",
            source_id,
        )

    async def all(self, query: str, *args: Any) -> list[dict[str, Any]]:
        """Rows of any query."""
        async with self.deps.db.transaction() as conn:
            return [dict(row) for row in await conn.fetch(query, *args)]

    async def chunk_hash(self, source_id: UUID) -> str:
        """A hash over every chunk with its words: the same for the same source read undisturbed."""
        rows = await self.all(
            "select c.ordinal, c.passage, c.start_at, c.end_at, c.page, c.lexemes, l.sv::text as sv from corpus.chunks c"
            " join sources s on s.reading_id = c.reading_id join corpus.chunk_lex l on l.chunk_id = c.id where s.id = $1"
            " order by c.recipe_id, c.ordinal",
            source_id,
        )
        return hashlib.sha256(repr([tuple(row.values()) for row in rows]).encode()).hexdigest()

    @asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        """A worker's runtime in this process, for as long as the block lasts."""
        settings = patient(self.deps.settings)
        runtime = Runtime(settings, self.deps.db, service="ingest", version="0", queues=QUEUES, tasks=TASKS, deps=self.deps, slots=2)
        running = asyncio.create_task(runtime.run())
        try:
            yield
        finally:
            runtime.stop()
            await asyncio.wait_for(running, 30)


@asynccontextmanager
async def library(settings: Settings, *, working: bool = True, begin: bool = True) -> AsyncIterator[Library]:
    """A library whose sources are read by a runtime in this process (none with `working=False`)."""
    async with opened(settings) as deps, AsyncExitStack() as stack:
        made = Library(deps)
        if begin:
            await made.begin()
        if working:
            await stack.enter_async_context(made.run())
        yield made

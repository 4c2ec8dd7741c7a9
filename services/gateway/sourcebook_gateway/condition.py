"""How the installation is: each dependency, the queues, the workers. One look for readiness, metrics and the health page."""

from __future__ import annotations

import asyncio
import shutil
import time
from collections.abc import Awaitable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from redis.exceptions import RedisError

from sourcebook_core.errors import DatabaseAway, SourcebookError
from sourcebook_core.roles import effective_roles
from sourcebook_core.settings import RoleName, RoleSettings
from sourcebook_core.store import health, jobs, model_roles, vector_index, workers
from sourcebook_core.store.health import FailedWork
from sourcebook_core.store.jobs import QueueDepth
from sourcebook_core.store.model_roles import ModelRole
from sourcebook_core.store.workers import Worker
from sourcebook_gateway import VERSION
from sourcebook_gateway.deps import Shared

_SLOW_S = 0.5
_BELL = "Redis wakes workers and carries answers; without it work starts within seconds."
_WAIT_S = 3.0
WORKER_SILENT_S = 30.0  # three missed heartbeats
_since: dict[str, tuple[str, str]] = {}


@dataclass
class Line:
    """One dependency: good, slow, away or off, since when, what it is and what to do."""

    name: str
    state: str
    what: str
    next: str | None = None
    since: str | None = None


@dataclass
class Condition:
    """What one look found."""

    lines: list[Line] = field(default_factory=list)
    queues: list[QueueDepth] = field(default_factory=list)
    workers: list[Worker] = field(default_factory=list)
    failed: list[FailedWork] = field(default_factory=list)
    pgvector: str = ""

    @property
    def is_ready(self) -> bool:
        """Whether requests can be served: database and storage answer. Without Redis and workers, they wait but are taken."""
        return all(line.state in ("good", "slow") for line in self.lines if line.name in ("database", "storage"))

    def ready(self) -> dict[str, Any]:
        """The body of /readyz."""
        return {
            "status": "ready" if self.is_ready else "not_ready",
            "checks": {line.name: line.state for line in self.lines},
            "queues": [{"queue": q.queue, "waiting": q.waiting, "oldest_s": q.oldest_s, "running": q.running} for q in self.queues],
            "workers": {
                service: sum(1 for w in self.workers if w.service == service) for service in sorted({w.service for w in self.workers})
            },
            "version": VERSION,
        }

    def prometheus(self) -> bytes:
        """Gauges of what the database knows, in the text format."""
        lines = ["# TYPE sourcebook_queue_waiting gauge", "# TYPE sourcebook_queue_oldest_seconds gauge", "# TYPE sourcebook_up gauge"]
        for q in self.queues:
            lines.append(f'sourcebook_queue_waiting{{queue="{q.queue}"}} {q.waiting}')
            lines.append(f'sourcebook_queue_running{{queue="{q.queue}"}} {q.running}')
            lines.append(f'sourcebook_queue_oldest_seconds{{queue="{q.queue}"}} {q.oldest_s or 0}')
        lines += [f'sourcebook_up{{part="{line.name}"}} {int(line.state in ("good", "slow"))}' for line in self.lines]
        lines.append(f"sourcebook_live_workers {len(self.workers)}")
        return ("\n".join(lines) + "\n").encode()


async def look(shared: Shared) -> Condition:
    """Ask everything at once, each for at most three seconds."""
    found = Condition()
    database, bell, storage = await asyncio.gather(
        _timed("database", "Postgres holds everything that must not be lost.", _rows(shared, found), "Start it, or look into its log."),
        _timed("queue_bell", _BELL, _ping(shared), "Start it, or look into its log."),
        _timed("storage", "Files as they were added.", _storage(shared), "Look at SOURCEBOOK_BLOBS_URL and the free space."),
    )  # fmt: skip
    found.lines = [database, bell, storage]
    if database.state in ("good", "slow"):
        found.lines += _worker_lines(found)
        if not vector_index.is_new_enough(found.pgvector):
            database.next = f"pgvector {found.pgvector} searches large scopes without an index, which is slow. Update it to 0.8.4 or newer."
    for line in found.lines:
        line.since = _since_when(line)
    return found


async def _timed(name: str, what: str, asked: Awaitable[None], advice: str) -> Line:
    began = time.monotonic()
    try:
        async with asyncio.timeout(_WAIT_S):
            await asked
    except (SourcebookError, RedisError, OSError, TimeoutError):
        return Line(name, "away", what, advice)
    return Line(name, "good" if time.monotonic() - began < _SLOW_S else "slow", what)


async def _rows(shared: Shared, found: Condition) -> None:
    async with shared.db.transaction(timeout_s=2.0) as conn:
        found.queues = await jobs.depths(conn)
        found.workers = await workers.list_alive(conn, WORKER_SILENT_S)
        found.failed = await health.failed_work(conn, 50)
        found.pgvector = await vector_index.installed(conn)


async def _ping(shared: Shared) -> None:
    await shared.redis.ping()


async def _storage(shared: Shared) -> None:
    await shared.blobs.size("sources/none")


def _worker_lines(found: Condition) -> list[Line]:
    lines = []
    for service, what in (("ingest", "Reads what is added."), ("rag", "Answers questions.")):
        alive = sum(1 for worker in found.workers if worker.service == service)
        state = "good" if alive else "away"
        advice = None if alive else f"Start a worker: python -m sourcebook_{service}. What was added or asked waits safely."
        lines.append(Line(f"workers_{service}", state, f"{what} {alive} running.", advice))
    return lines


def _since_when(line: Line) -> str:
    """When this process first saw the line in its state."""
    state, since = _since.get(line.name, ("", ""))
    if state != line.state:
        since = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
        _since[line.name] = (line.state, since)
    return since


async def role_lines(shared: Shared) -> list[Line]:
    """One line per model role that is on, as its last test found it; chat and embedding also when they are off."""
    try:
        async with shared.db.transaction() as conn:
            roles = await effective_roles(conn, shared.settings)
            stored = {row.role: row for row in await model_roles.list_all(conn)}
    except DatabaseAway:
        return []
    return [
        _role_line(name, role, stored.get(name)) for name, role in roles.items() if role.is_on or name in ("chat", "embedding")
    ]  # fmt: skip


def _role_line(name: RoleName, role: RoleSettings, row: ModelRole | None) -> Line:
    if not role.is_on:
        what = "No writing model: answers quote the sources." if name == "chat" else "No model for meaning: search finds by words."
        return Line(name, "off", what, "Connect one under Models.")
    tested = (row.tested if row else None) or {}
    is_bad = tested.get("ok") is False
    return Line(name, "away" if is_bad else "good", str(role.model), "Test it under Models." if is_bad else None, tested.get("at"))


def disk(blobs_url: str) -> dict[str, int] | None:
    """Free and total bytes of the disk that holds the files; None when storage is not a folder."""
    parts = urlsplit(blobs_url)
    if parts.scheme != "file":
        return None
    try:
        usage = shutil.disk_usage(Path(unquote(parts.path)))
    except OSError:
        return None
    return {"free_bytes": usage.free, "total_bytes": usage.total}


def last_backup(data_dir: Path | None) -> str | None:
    """When the last backup was made, as the command line noted it."""
    try:
        return (data_dir / "last-backup").read_text("utf-8").strip() or None if data_dir else None
    except (OSError, UnicodeDecodeError):
        return None

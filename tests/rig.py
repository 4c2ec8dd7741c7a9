"""The test rig: real servers, copies of one migrated database, and Sourcebook's processes to start and kill."""

import asyncio
import contextlib
import functools
import inspect
import itertools
import os
import platform
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar, overload

import httpx2

from sourcebook.stack import spawn
from sourcebook.stack.postgres import FAST_AND_LOOSE, ROLE, Postgres
from sourcebook_core import migrations
from sourcebook_core import settings as core_settings
from sourcebook_core.settings import Settings
from tests.fork_server import Forked, ForkServer

T = TypeVar("T")
TEMPLATE = "migrated"
# Making a database is making 400 files: in memory it takes a sixth of the processor time that it takes on a disk.
MEMORY = Path("/dev/shm")
MEMORY_FREE = 2_000_000_000  # bytes; two clusters with their logs take below 1 GB
_POLL_S = 0.05


@overload
async def until(condition: Callable[[], Awaitable[T]], timeout_s: float = 30.0, what: str = "the condition") -> T: ...
@overload
async def until(condition: Callable[[], T], timeout_s: float = 30.0, what: str = "the condition") -> T: ...
async def until(condition: Callable[[], Any], timeout_s: float = 30.0, what: str = "the condition") -> Any:
    """Wait until `condition()` (or what it awaits) is true and return it. AssertionError after `timeout_s` (a bound, not a measure)."""
    deadline = time.monotonic() + timeout_s
    while True:
        value = condition()
        if inspect.isawaitable(value):
            value = await value
        if value:
            return value
        assert time.monotonic() < deadline, f"{what} did not come true within {timeout_s} s"
        await asyncio.sleep(_POLL_S)


def until_sync(condition: Callable[[], T], timeout_s: float = 30.0, what: str = "the condition") -> T:
    """`until` for tests and fixtures without an event loop."""
    deadline = time.monotonic() + timeout_s
    while not (value := condition()):
        assert time.monotonic() < deadline, f"{what} did not come true within {timeout_s} s"
        time.sleep(_POLL_S)
    return value


# Leases that no busy machine lets die: for a worker that nobody kills, whose work is not to be done twice.
PATIENT: dict[str, Any] = {"LEASE_S": "30", "RENEW_S": "5"}


def patient(settings: Settings) -> Settings:
    """The settings with such leases, for a worker in this process."""
    return settings.model_copy(update={"jobs": settings.jobs.model_copy(update={"lease_s": 30.0, "renew_s": 5.0})})


# Below the ports that the system gives to whoever asks for none, and to every connection: one of those may be taken by somebody else
# before the server that it is for has started. Each process of a test run counts through a share of its own.
_FIRST_PORT, _SHARE, _SHARES = 15_000, 1_500, 10


@functools.cache
def _ports() -> Iterator[int]:
    place = int(os.environ.get("PYTEST_XDIST_WORKER", "gw9").removeprefix("gw")) % _SHARES
    begin = random.randrange(_SHARE)  # another run on this machine begins elsewhere
    return itertools.cycle([_FIRST_PORT + place * _SHARE + (begin + step) % _SHARE for step in range(_SHARE)])


def free_port() -> int:
    """A TCP port of the loopback address that nobody listens on, and that nobody here is given soon."""
    for port in _ports():
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise AssertionError("the ports never end")


class TestPostgres:
    """One real Postgres for the whole run, and fresh databases in it."""

    __test__ = False

    def __init__(self, root: Path) -> None:
        self.server = Postgres(root / "postgres", root / "postgres.log", dict(FAST_AND_LOOSE))
        self._numbers = itertools.count(1)
        self._has_template = False

    def url(self, database: str, role: str = ROLE) -> str:
        """The address of one of its databases."""
        return self.server.url(database, role)

    def new_empty(self) -> str:
        """The name of a new database with nothing in it but pgvector."""
        name = f"empty_{next(self._numbers)}"
        self._create(name, "template1")
        self.server.sql("create extension if not exists vector", name)
        return name

    def new_migrated(self) -> str:
        """The name of a new database at the newest migration: a copy of a template that the real migrations made once."""
        if not self._has_template:
            self._create(TEMPLATE, "template1")
            self.server.sql("create extension if not exists vector", TEMPLATE)
            asyncio.run(migrations.run(core_settings.load({"SOURCEBOOK_DATABASE_URL": self.url(TEMPLATE)})))
            self._has_template = True
        name = f"test_{next(self._numbers)}"
        self._create(name, TEMPLATE)
        return name

    def dump(self, url: str) -> str:
        """Everything the database at an address holds, as `pg_dump` writes it."""
        return self.server.run("pg_dump", "--data-only", database=name_of(url))

    def drop(self, name: str) -> None:
        """Drop a database, whoever is still connected."""
        self.server.sql(f"drop database if exists {name} with (force)", "postgres")

    def _create(self, name: str, template: str) -> None:
        self.server.sql(f"create database {name} owner {ROLE} template {template} strategy file_copy", "postgres")


def name_of(url: str) -> str:
    """The name of the database at an address."""
    return url.partition("?")[0].rpartition("/")[2]


def in_memory() -> Path:
    """The folder in memory where there is one with room, else the temporary folder: for databases that nobody measures."""
    if MEMORY.is_dir() and os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > MEMORY_FREE:
        return MEMORY
    return Path(tempfile.gettempdir())


@contextlib.contextmanager
def short_folder(prefix: str, place: Path | None = None) -> Iterator[Path]:
    """A folder directly under `place` (the temporary folder) that a system account may enter: Postgres does not run as root."""
    with tempfile.TemporaryDirectory(prefix=f"sourcebook-{prefix}-", dir=place, ignore_cleanup_errors=True) as name:
        Path(name).chmod(0o711)
        yield Path(name)


class Running:
    """One started process of Sourcebook: signal it, wait for it, read its log."""

    def __init__(self, name: str, child: subprocess.Popen[bytes] | Forked, log: Path, address: str | None) -> None:
        self.name, self.child, self.log, self.address = name, child, log, address

    @property
    def pid(self) -> int:
        """Its process number."""
        return self.child.pid

    @property
    def is_alive(self) -> bool:
        """Whether it has not ended."""
        return self.child.poll() is None

    def kill(self) -> None:
        """SIGKILL, to it and all its children, and wait until it is gone."""
        spawn.signal_group(self.child, signal.SIGCONT)
        spawn.signal_group(self.child, signal.SIGKILL)
        self.child.wait()

    def pause(self) -> None:
        """SIGSTOP: alive, but answering nothing."""
        spawn.signal_group(self.child, signal.SIGSTOP)

    def resume(self) -> None:
        """SIGCONT after `pause`."""
        spawn.signal_group(self.child, signal.SIGCONT)

    def terminate(self) -> None:
        """SIGTERM, as a rolling update sends it; does not wait."""
        self.child.terminate()

    def wait(self, timeout_s: float = 30.0) -> int:
        """Its exit code, once it has ended."""
        return self.child.wait(timeout_s)

    def is_at(self, place: str = "") -> bool:
        """Whether it waits at the place that `FAULT_AT` names, to be killed there."""
        said = self.said()
        return "fault.waited" in said and (not place or f'"place": "{place}"' in said)

    def said(self) -> str:
        """Its log so far."""
        return self.log.read_text("utf-8", "replace") if self.log.exists() else ""


class Processes:
    """Starts `python -m sourcebook_<name>` with the test's environment, and kills what is left at the end."""

    def __init__(self, environment: Mapping[str, str], folder: Path) -> None:
        self.environment = dict(environment)
        self._folder = folder
        self._started: list[Running] = []

    def start(self, name: str, *, wait: bool = True, **extra: str) -> Running:
        """Start gateway, ingest, rag or models; `extra` are more `SOURCEBOOK_` settings (`start("ingest", FAULT_AT="read.before")`).

        With `wait`, returns when the HTTP ones answer `/healthz`; the workers are returned at once.
        """
        env = {key: value for key, value in os.environ.items() if not key.startswith("SOURCEBOOK_")}
        env |= self.environment | {f"SOURCEBOOK_{key}": value for key, value in extra.items()}
        env["PYTHONPATH"] = str(Path(__file__).parents[1])  # for workers that tests bring along ("tests.faults.counting_worker")
        log = self._folder / f"{name}-{len(self._started)}.log"
        child = _started(name if "." in name else f"sourcebook_{name}", log, env, self._folder)
        ports = {"gateway": env.get("SOURCEBOOK_PORT"), "models": env.get("SOURCEBOOK_MODELS_PORT")}
        address = f"http://127.0.0.1:{ports[name]}" if ports.get(name) else None
        running = Running(name, child, log, address)
        self._started.append(running)
        if wait and address:
            until_sync(lambda: _is_healthy(running), 60.0, f"{name} to answer (its log: {log})")
        return running

    @property
    def running(self) -> list[Running]:
        """Everything that was started, oldest first."""
        return list(self._started)

    def kill_all(self) -> None:
        """SIGKILL everything that still runs."""
        for running in self._started:
            running.kill()


def _started(module: str, log: Path, env: Mapping[str, str], folder: Path) -> subprocess.Popen[bytes] | Forked:
    if platform.system() == "Linux":
        return _fork_server().start(module, log=log, env=env, cwd=folder)
    return spawn.start([sys.executable, "-m", module], log=log, env=env, death_signal=signal.SIGKILL, cwd=str(folder))


@functools.cache
def _fork_server() -> ForkServer:
    return ForkServer()


def _is_healthy(running: Running) -> bool:
    assert running.is_alive, f"{running.name} ended with {running.child.returncode}:\n{spawn.last_lines(running.log, 30)}"
    try:
        return httpx2.get(f"{running.address}/healthz", timeout=2).status_code == 200
    except httpx2.TransportError:
        return False

"""Starts a whole stack in order, restarts what dies, and stops it cleanly."""

import contextlib
import os
import select
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from sourcebook import client
from sourcebook.stack import logs, plan, ports, schema, spawn, surroundings
from sourcebook.stack.bell import Bell
from sourcebook.stack.errors import StackError
from sourcebook.stack.folder import DataFolder, RunNote
from sourcebook.stack.plan import Options, ProcessPlan
from sourcebook.stack.postgres import Postgres
from sourcebook_core import settings as core_settings

_READY_S = 120.0  # a first start on a slow machine; the second one takes a few seconds
_STOP_S = 7.0  # then SIGKILL; the servers need the rest of the 10 s
_FIRST_WAIT_S = 0.5
_LONGEST_WAIT_S = 30.0
_CALM_S = 60.0  # who ran this long has recovered: its next death starts at the first wait again
_DEATHS_AT_START = 3
_TICK_S = 1.0


@dataclass
class Kept:
    """One thing the supervisor keeps alive: how to start it again, and when it died."""

    name: str
    log: Path
    launch: Callable[[], subprocess.Popen[bytes]]
    child: subprocess.Popen[bytes] | None = None
    started_at: float = 0.0
    deaths: int = 0
    start_at: float = 0.0

    def start(self) -> None:
        """Start it now."""
        self.child = self.launch()
        self.started_at = time.monotonic()

    def died(self) -> int | None:
        """Its exit code when it has just been found dead; plans the next start."""
        code = self.child.poll() if self.child is not None else None
        if self.child is None or code is None:
            return None
        spawn.signal_group(self.child, signal.SIGKILL)  # what it left behind
        calm = time.monotonic() - self.started_at > _CALM_S
        self.deaths = 1 if calm else self.deaths + 1
        self.start_at = time.monotonic() + min(_FIRST_WAIT_S * 2 ** (self.deaths - 1), _LONGEST_WAIT_S)
        self.child = None
        return code


@dataclass
class Stack:
    """One running Sourcebook on one data folder. `say` gets the lines for the person."""

    options: Options
    say: Callable[[str], None]
    kept: list[Kept] = field(default_factory=list)
    stopping: bool = False

    def __post_init__(self) -> None:
        self.folder = DataFolder(self.options.data)
        self.address = plan.gateway_url(self.options)
        self._postgres: Postgres | None = None
        self._bell: Bell | None = None
        self._wake_in, self._wake_out = socket.socketpair()
        self._wake_in.setblocking(False)
        self._wake_out.setblocking(False)

    # -- life -----------------------------------------------------------------------------------

    @contextlib.contextmanager
    def running(self) -> Iterator["Stack"]:
        """Start everything, and stop everything at the end. Raises StackError when it cannot start."""
        self.folder.make()
        with self.folder.locked(), self._signals():
            try:
                self._start()
                yield self
            finally:
                self._stop()

    def wait(self) -> None:
        """Keep everything running until a signal asks to stop."""
        while not self.stopping:
            self.tick(_TICK_S)

    def tick(self, wait_s: float) -> None:
        """Wait for a signal or `wait_s`; then restart what died and keep the logs small."""
        ready, _, _ = select.select([self._wake_out], [], [], wait_s)
        if ready:
            self._wake_out.recv(4096)
        if self.stopping:
            return
        for one in self.kept:
            code = one.died()
            if code is not None:
                again = max(0.0, one.start_at - time.monotonic())
                self.say(f"{one.name} ended ({_exit_words(code)}); it is started again in {again:.1f} s. Its log: {one.log}")
            elif one.child is None and time.monotonic() >= one.start_at:
                self._start_again(one)
            logs.rotate(one.log)

    def _start_again(self, one: Kept) -> None:
        try:
            one.start()
        except (StackError, OSError) as failed:
            one.deaths += 1
            one.start_at = time.monotonic() + min(_FIRST_WAIT_S * 2 ** (one.deaths - 1), _LONGEST_WAIT_S)
            self.say(f"{one.name} could not be started again: {failed}")

    # -- start ----------------------------------------------------------------------------------

    def _start(self) -> None:
        ports.claim(self.options.host, self.options.port)
        self.folder.sweep()
        env = surroundings.environment()
        servers = self._start_servers(env)
        models_port = ports.near(self.options.port)
        child_env = plan.process_environment(env, self.options, servers, models_port)
        settings = core_settings.load(child_env)
        schema.bring_up_to_date(settings, self.folder, self._postgres, self.say)
        plans = plan.processes(self.options, models_port)
        if not any(role.provider == "local" for role in settings.roles.values()):
            plans = [one for one in plans if one.name != "models"]
        self.folder.owner_token()
        for one in plans:
            self._keep(one, child_env)
        self.folder.write_note(RunNote(os.getpid(), self.address, self._socket_folders()))
        self._wait_until_ready(plans)

    def _start_servers(self, env: dict[str, str]) -> dict[str, str]:
        servers: dict[str, str] = {}
        if not plan.given(env, "DATABASE_URL"):
            postgres = self._postgres = Postgres(self.folder.postgres, self.folder.logs / "postgres.log")
            self._keep_server("postgres", postgres)
            servers["SOURCEBOOK_DATABASE_URL"] = postgres.url()
        if not plan.given(env, "REDIS_URL"):
            bell = self._bell = Bell(self.folder.logs / "redis.log")
            self._keep_server("redis", bell)
            servers["SOURCEBOOK_REDIS_URL"] = bell.url()
        if not plan.given(env, "BLOBS_URL"):
            servers["SOURCEBOOK_BLOBS_URL"] = self.folder.blobs.as_uri()
        self.folder.write_note(RunNote(os.getpid(), self.address, self._socket_folders()))
        return servers

    def _keep_server(self, name: str, server: Postgres | Bell) -> None:
        def launch() -> subprocess.Popen[bytes]:
            server.start()
            return server.child

        self._add(Kept(name, server.log, launch))

    def _keep(self, one: ProcessPlan, env: dict[str, str]) -> None:
        log = self.folder.logs / f"{one.name}.log"
        here = str(Path.cwd())  # a relative path in a setting means what it means here

        def launch() -> subprocess.Popen[bytes]:
            return spawn.start(one.command, log=log, env=env, death_signal=signal.SIGTERM, cwd=here)

        self._add(Kept(one.name, log, launch))

    def _add(self, one: Kept) -> None:
        logs.rotate(one.log)
        one.start()
        self.kept.append(one)
        pid = one.child.pid if one.child else "?"
        self.say(f"started {one.name} (process {pid}), log {one.log}")

    def _wait_until_ready(self, plans: list[ProcessPlan]) -> None:
        """Wait for the health of what speaks HTTP, then for the gateway's word that every part is there."""
        waiting = [one.health_url for one in plans if one.health_url] + [f"{self.address}/readyz"]
        deadline = time.monotonic() + _READY_S
        while waiting and not self.stopping:
            if client.answers(waiting[0]) == 200:
                waiting.pop(0)
                continue
            self.tick(0.1)
            for one in self.kept:
                if one.deaths >= _DEATHS_AT_START:
                    raise StackError(
                        "process_failed", f"{one.name} does not start; its log is {one.log}. It ended with:\n{spawn.last_lines(one.log)}"
                    )
            if time.monotonic() > deadline:
                raise StackError("not_ready", f"{waiting[0]} did not answer within {_READY_S:.0f} s: the logs are in {self.folder.logs}.")

    # -- stop -----------------------------------------------------------------------------------

    def _stop(self) -> None:
        self.stopping = True
        children = [one.child for one in self.kept if one.name not in {"postgres", "redis"} and one.child is not None]
        for child in children:
            if child.poll() is None:
                child.terminate()
        deadline = time.monotonic() + _STOP_S
        for child in children:
            spawn.stop(child, signal.SIGTERM, max(0.0, deadline - time.monotonic()))
        for server in (self._bell, self._postgres):
            if server is not None:
                server.stop(2.5)
        self.folder.drop_note()
        self._wake_in.close()
        self._wake_out.close()
        self.say("stopped")

    def _socket_folders(self) -> list[str]:
        return [str(server.socket_folder) for server in (self._postgres, self._bell) if server is not None and server.socket_folder]

    @contextlib.contextmanager
    def _signals(self) -> Iterator[None]:
        """Ctrl-C, SIGTERM and a closed terminal ask to stop; a child's death wakes the loop."""

        def ask(*_: object) -> None:
            self.stopping = True

        wanted = {signal.SIGINT: ask, signal.SIGTERM: ask, signal.SIGHUP: ask, signal.SIGCHLD: lambda *_: None}
        before = {number: signal.signal(number, handler) for number, handler in wanted.items()}
        woken = signal.set_wakeup_fd(self._wake_in.fileno(), warn_on_full_buffer=False)
        try:
            yield
        finally:
            signal.set_wakeup_fd(woken)
            for number, handler in before.items():
                signal.signal(number, handler)


def _exit_words(code: int) -> str:
    if code < 0:
        with contextlib.suppress(ValueError):
            return f"signal {signal.Signals(-code).name}"
    return f"exit code {code}"


def forget(folder: Path) -> None:
    """Remove a throw-away data folder and the place of its database, wherever that is. The stack must have stopped."""
    postgres = Postgres(folder / "postgres", folder / "logs" / "postgres.log")
    place = folder / "postgres" / "place"
    if place.exists():
        shutil.rmtree(postgres.home, ignore_errors=True)
    shutil.rmtree(folder, ignore_errors=True)

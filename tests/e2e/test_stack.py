"""`sourcebook up` as a person runs it: real processes, killed and stopped from outside."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import httpx2
import pytest

from tests.rig import free_port, until_sync
from tests.stack_rig import READY_S, Up, command_line, is_ready, running, stack_place

pytestmark = pytest.mark.timeout(600)  # each starts whole stacks, some of them twice


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder of the test with a space and an umlaut; every data folder in it is removed with its database."""
    with stack_place() as made:
        yield made


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z" if Path("/proc").exists() else True


def test_a_stack_starts_gives_links_restarts_what_dies_and_stops_cleanly(place: Path) -> None:
    with running(place / "data") as up:
        link = re.findall(r"works once\): (\S+)", up.said())[0]
        with httpx2.Client(follow_redirects=False, timeout=60) as browser:
            first = browser.get(link)
            assert first.status_code == 303
            assert browser.get(up.address("/api/v1/me")).json()["role"] == "owner"
        assert httpx2.get(link, timeout=60).headers["location"] == "/sign-in?reason=link_used"
        opened = command_line(place / "data", "open")
        assert opened.returncode == 0, opened.stderr
        assert opened.stdout.startswith(up.address("/"))

        examined = command_line(place / "data", "doctor").stdout
        assert "ok  running database: good" in examined
        assert f"Sourcebook runs at {up.address('')}" in examined

        for name in ("ingest", "rag", "gateway", "redis", "postgres"):
            before = up.pid_of(name)
            os.kill(before, signal.SIGKILL)
            until_sync(partial(has_noticed, up, name), 60, f"{name}'s death to be noticed")
        until_sync(lambda: is_ready(up), READY_S, "readiness after five kills")
        assert command_line(place / "data", "list", "notebooks").returncode == 0

        up.child.send_signal(signal.SIGTERM)
        assert up.child.wait(90) == 0
        assert "stopped" in up.said()
        assert not list(Path("/tmp").glob(f"{sockets(up)}*"))
    assert command_line(place / "data", "list", "notebooks").returncode == 3


def has_noticed(up: Up, name: str) -> bool:
    return f"{name} ended (signal SIGKILL)" in up.said()


def sockets(up: Up) -> str:
    """The name of the socket folder of a stack's Postgres, as its log tells."""
    log = (up.data / "logs" / "postgres.log").read_text("utf-8")
    return str(re.findall(r"/tmp/(sourcebook-pg-[^/]+)/", log)[-1])


def test_two_stacks_run_side_by_side_and_a_second_on_the_same_folder_or_port_is_refused(place: Path) -> None:
    with running(place / "one") as one, running(place / "two") as two:
        for up in (one, two):
            until_sync(partial(is_ready, up), READY_S, "both to be ready")
        same_folder = Up(place / "one")
        assert same_folder.child.wait(90) == 1
        assert "already runs on this data folder" in same_folder.said()
        third = place / "three"
        taken = command_line(third, "up", "--port", str(one.port))
        assert taken.returncode == 1
        assert taken.stderr.strip() == (
            f"Port {one.port} is taken by another program: choose another with --port, for example --port {one.port + 10}."
        )


def test_a_killed_supervisor_leaves_nothing_running_and_the_next_start_goes_on(place: Path) -> None:
    with running(place / "data") as up:
        made = command_line(place / "data", "token", "create", "canary")
        assert made.returncode == 0, made.stderr
        pids = [up.pid_of(name) for name in ("postgres", "redis", "gateway", "ingest", "rag")]
        up.child.kill()
        up.child.wait()
        until_sync(lambda: not any(is_alive(pid) for pid in pids), 60, "its children to end")
    with running(place / "data") as again:
        with httpx2.Client(headers={"Authorization": f"Bearer {made.stdout.strip()}"}, timeout=60) as program:
            assert program.get(again.address("/api/v1/me")).status_code == 200


def test_given_servers_are_used_and_nothing_is_embedded_for_them(place: Path, environment: dict[str, str]) -> None:
    data = place / "data"
    port = free_port()
    mine = {name: environment[name] for name in ("SOURCEBOOK_DATABASE_URL", "SOURCEBOOK_REDIS_URL", "SOURCEBOOK_BLOBS_URL")}
    env = {name: value for name, value in os.environ.items() if not name.startswith("SOURCEBOOK_")} | mine
    out = place / "given.out"
    with open(out, "ab") as sink:
        child = subprocess.Popen(
            [sys.executable, "-m", "sourcebook", "up", "--data", str(data), "--port", str(port), "--no-models"],
            stdout=sink,
            stderr=sink,
            env=env,
        )
    try:
        until_sync(lambda: "Sign in" in out.read_text() or child.poll() is not None, READY_S, "the stack to be ready")
        assert child.poll() is None, out.read_text()
        assert "started postgres" not in out.read_text()
        assert "started redis" not in out.read_text()
        assert "started models" not in out.read_text()
        assert not (data / "postgres").exists()
        assert json.loads((data / "run.json").read_text())["sockets"] == []
    finally:
        child.terminate()
        child.wait(90)

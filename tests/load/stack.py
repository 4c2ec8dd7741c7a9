"""The one-machine stack: how long it takes to be ready and to stop, and what it holds in memory when idle."""

import asyncio
import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from sourcebook.stack import supervisor
from tests.load.bench import Bench
from tests.load.figures import Figure
from tests.rig import free_port, until_sync

_READY_S = 180.0
_REST_S = 10.0  # until start-up garbage has been given back


async def whole(bench: Bench) -> list[Figure]:
    """Start twice on one folder, let it rest, stop it: `sourcebook up --data FOLDER` without a chat model."""
    data = bench.folder / "whole"
    try:
        with _up(data, bench.folder / "first.out") as (_, first_s):
            pass
        with _up(data, bench.folder / "second.out") as (child, second_s):
            await asyncio.sleep(_REST_S)
            each = resident_bytes(child.pid)
            begun = time.monotonic()
            child.send_signal(signal.SIGTERM)
            child.wait()
            stop_s = time.monotonic() - begun
    finally:
        supervisor.forget(data)
    parts = ", ".join(f"{name} {size / 1e6:.0f}" for name, size in sorted(each.items(), key=lambda one: -one[1]))
    return [
        Figure("ready1", "seconds until ready on a new folder", first_s, 120, "<="),
        Figure("ready2", "seconds until ready on a folder that was used before", second_s, 20, "<="),
        Figure(
            "idle",
            "GB of the whole idle stack (proportional set size)",
            sum(each.values()) / 1e9,
            1.5,
            "<=",
            f"MB: {parts}",
            "no chat model",
        ),
        Figure("stop", "seconds from SIGTERM to the end", stop_s, 10, "<="),
    ]


@contextlib.contextmanager
def _up(data: Path, out: Path) -> Iterator[tuple[subprocess.Popen[bytes], float]]:
    env = {name: value for name, value in os.environ.items() if not name.startswith("SOURCEBOOK_")}
    command = [sys.executable, "-m", "sourcebook", "up", "--data", str(data), "--port", str(free_port())]
    begun = time.monotonic()
    with open(out, "wb") as sink:
        child = subprocess.Popen(command, stdout=sink, stderr=sink, env=env, start_new_session=True)
    try:
        until_sync(lambda: "Sign in" in out.read_text("utf-8") or child.poll() is not None, _READY_S, "the stack to be ready")
        if child.poll() is not None:
            raise RuntimeError(out.read_text("utf-8"))
        yield child, time.monotonic() - begun
    finally:
        if child.poll() is None:
            child.terminate()
            child.wait()


def resident_bytes(root_pid: int) -> dict[str, int]:
    """The proportional set size of a process and all it started, by name (memory shared by n processes counts 1/n in each)."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                parents[int(entry.name)] = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
    family = {root_pid}
    while more := {pid for pid, parent in parents.items() if parent in family} - family:
        family |= more
    found: dict[str, int] = {}
    for pid in family:
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
            command = Path(f"/proc/{pid}/cmdline").read_bytes().decode("utf-8", "replace").replace("\0", " ")
            name = _name(command)
            found[name] = found.get(name, 0) + int(re.findall(r"^Pss:\s+(\d+) kB", rollup, re.MULTILINE)[0]) * 1024
    return found


def _name(command: str) -> str:
    for word in (
        "sourcebook_gateway",
        "sourcebook_ingest",
        "sourcebook_rag",
        "sourcebook_models",
        "postgres",
        "redis-server",
        "valkey-server",
    ):
        if word in command:
            return word.removeprefix("sourcebook_")
    return "sandbox" if "sandbox" in command else "supervisor"

"""Whole stacks for tests: `sourcebook up` as a process, and the other commands beside it."""

import contextlib
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx2

from sourcebook.stack import supervisor
from tests.rig import free_port, in_memory, short_folder, until_sync

READY_S = 150.0


class Up:
    """One `sourcebook up` on a data folder of the test."""

    def __init__(self, data: Path, *options: str, **settings: str) -> None:
        self.data, self.port = data, free_port()
        self.out = data.parent / f"{data.name}-{self.port}.out"
        env = {name: value for name, value in os.environ.items() if not name.startswith("SOURCEBOOK_")}
        env |= {f"SOURCEBOOK_{name}": value for name, value in settings.items()}
        command = [sys.executable, "-m", "sourcebook", "up", "--data", str(data), "--port", str(self.port), *options]
        with open(self.out, "ab") as sink:
            self.child = subprocess.Popen(command, stdout=sink, stderr=subprocess.STDOUT, env=env, start_new_session=True)

    def said(self) -> str:
        """What it has printed so far."""
        return self.out.read_text("utf-8")

    def ready(self) -> "Up":
        """Itself, once it has given a sign-in link."""

        def is_ready() -> bool:
            assert self.child.poll() is None, self.said()
            return "Sign in" in self.said()

        until_sync(is_ready, READY_S, f"the stack to be ready:\n{self.said()}")
        return self

    def pid_of(self, name: str) -> int:
        """The process number it named for one of its processes."""
        return int(re.findall(rf"started {name} \(process (\d+)\)", self.said())[-1])

    def address(self, path: str) -> str:
        """The address of a path of its gateway."""
        return f"http://127.0.0.1:{self.port}{path}"


@contextlib.contextmanager
def stack_place() -> Iterator[Path]:
    """A folder of the test with a space and an umlaut; every data folder in it is removed with its database."""
    with short_folder("up", in_memory()) as root:
        place = root / "Büro 1"
        place.mkdir()
        try:
            yield place
        finally:
            for data in place.iterdir():
                if data.is_dir():
                    supervisor.forget(data)


@contextlib.contextmanager
def running(data: Path, *options: str, **settings: str) -> Iterator[Up]:
    """A ready stack, killed at the end if the test has not stopped it."""
    up = Up(data, *options, **settings)
    try:
        yield up.ready()
    finally:
        if up.child.poll() is None:
            up.child.terminate()
            up.child.wait(90)


def command_line(data: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run `sourcebook …` on a data folder."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("SOURCEBOOK_")}
    return subprocess.run(
        [sys.executable, "-m", "sourcebook", *words, "--data", str(data)], capture_output=True, text=True, env=env, check=False
    )


def is_ready(up: Up) -> bool:
    """Whether the gateway says that every part is there."""
    with contextlib.suppress(httpx2.TransportError):
        return httpx2.get(up.address("/readyz"), timeout=30).status_code == 200
    return False

"""Starts Sourcebook's processes as forks of one that has loaded their modules: most of a start's processor time is loading them."""

from __future__ import annotations

import gc
import importlib
import json
import os
import runpy
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sourcebook.stack import spawn

# What the services load before they read a setting or open anything. Nothing here starts a thread or a connection.
PRELOADED = ("sourcebook_gateway.app", "sourcebook_ingest.worker", "sourcebook_ingest.care", "sourcebook_rag.worker", "uvicorn", "uvloop")
_POLL_S = 0.02
_MESSAGE_BYTES = 200_000


class Forked:
    """A process of the fork server, with the few calls of `subprocess.Popen` that tests use."""

    def __init__(self, server: ForkServer, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._server = server

    def poll(self) -> int | None:
        """Its exit code (minus the signal that ended it), None while it runs."""
        if self.returncode is None:
            self.returncode = self._server.ask({"poll": self.pid})
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Its exit code once it has ended. Raises TimeoutExpired."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while (code := self.poll()) is None:
            if deadline is not None and time.monotonic() > deadline:
                raise subprocess.TimeoutExpired("a forked process", timeout or 0)
            time.sleep(_POLL_S)  # between two looks at whether it has ended
        return code

    def send_signal(self, number: signal.Signals) -> None:
        """A signal to it alone; nothing when it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        """SIGTERM."""
        self.send_signal(signal.SIGTERM)


class ForkServer:
    """One per test process, made at its first use; it and all its forks end with the test process."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._socket, self._lock = ours, threading.Lock()
        root = str(Path(__file__).parents[1])
        command = [sys.executable, "-m", "tests.fork_server", str(theirs.fileno())]
        env = os.environ | {"PYTHONPATH": root}
        self._process = subprocess.Popen(
            command, pass_fds=[theirs.fileno()], cwd=root, env=env, preexec_fn=spawn.leash(signal.SIGKILL)
        )  # fmt: skip
        theirs.close()

    def start(self, module: str, *, log: Path, env: Mapping[str, str], cwd: Path) -> Forked:
        """`python -m module` with exactly this environment, in a process group of its own, its output appended to `log`."""
        return Forked(self, self.ask({"module": module, "log": str(log), "env": dict(env), "cwd": str(cwd)}))

    def ask(self, order: dict[str, Any]) -> Any:
        """The server's answer to one order."""
        with self._lock:
            try:
                self._socket.send(json.dumps(order).encode())
                return json.loads(self._socket.recv(_MESSAGE_BYTES))
            except (OSError, ValueError) as error:
                raise RuntimeError("the fork server has ended: what it said stands above (a module that cannot be loaded?)") from error


def _serve(orders: socket.socket) -> str:
    """Answer orders until the test process is gone. Returns in a fork only: the module that it is to run."""
    leash = spawn.leash(signal.SIGKILL)
    assert leash is not None
    while message := orders.recv(_MESSAGE_BYTES):
        order = json.loads(message)
        if "poll" in order:
            pid, status = os.waitpid(order["poll"], os.WNOHANG)
            answer = os.waitstatus_to_exitcode(status) if pid else None
        else:
            begun, told = os.pipe()
            answer = os.fork()
            if answer == 0:
                orders.close()
                os.close(begun)
                leash()
                return _begin(order, told)
            os.close(told)
            os.read(begun, 1)  # until it leads a group of its own: whoever is told of it may kill the group at once
            os.close(begun)
        orders.send(json.dumps(answer).encode())
    os._exit(0)


def _begin(order: dict[str, Any], told: int) -> str:
    """Make this fork what a newly started process would be; `told` is closed once it can be killed with its group."""
    os.setsid()
    os.close(told)
    for descriptor, path, flags in ((0, os.devnull, os.O_RDONLY), (1, order["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)):
        opened = os.open(path, flags, 0o600)
        os.dup2(opened, descriptor)
        os.close(opened)
    os.dup2(1, 2)
    os.chdir(order["cwd"])
    os.environ.clear()
    os.environ.update(order["env"])
    return str(order["module"])


def main() -> None:
    """The server: `python -m tests.fork_server DESCRIPTOR`."""
    for name in PRELOADED:
        importlib.import_module(name)
    gc.collect()
    gc.freeze()
    module = _serve(socket.socket(fileno=int(sys.argv[1])))
    sys.argv = [module]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()

"""Start a child that cannot outlive us, and stop it for certain."""

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from sourcebook.stack.account import Account

_PR_SET_PDEATHSIG = 1  # prctl(2)
# Loaded before any fork: a child between fork and exec may not load libraries.
_LIBC = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def leash(death_signal: signal.Signals) -> Callable[[], None] | None:
    """A `preexec_fn` that sends `death_signal` to the child when its parent dies, also by SIGKILL.

    Linux only; elsewhere None, and what a killed supervisor left is stopped by the next start.
    It runs after the change of user, which would have cleared the setting (prctl(2)).
    """
    libc = _LIBC
    if libc is None:
        return None
    parent = os.getpid()

    def bind() -> None:
        libc.prctl(_PR_SET_PDEATHSIG, int(death_signal))
        if os.getppid() != parent:  # it died between fork and prctl
            os._exit(1)

    return bind


def start(
    command: Sequence[str],
    *,
    log: Path,
    env: Mapping[str, str],
    death_signal: signal.Signals,
    account: Account | None = None,
    cwd: str = "/",
) -> subprocess.Popen[bytes]:
    """Start `command` in a process group of its own, its output appended to `log`.

    Raises OSError when the program or the log cannot be opened.
    """
    switch = account is not None and account.switch
    with open(log, "ab") as sink:  # O_APPEND: the log can be cut back to nothing while it is written
        return subprocess.Popen(
            list(command),
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=subprocess.STDOUT,
            env=dict(env),
            cwd=cwd,
            start_new_session=True,
            preexec_fn=leash(death_signal),  # only prctl and getppid: nothing that takes a lock
            user=account.uid if account and switch else None,
            group=account.gid if account and switch else None,
            extra_groups=[] if switch else None,
        )


class HasPid(Protocol):
    """A process, however it was started, in a group of its own."""

    @property
    def pid(self) -> int:
        """Its number, which is its group's too."""


def signal_group(child: HasPid, number: signal.Signals) -> None:
    """Send a signal to the child's whole process group; nothing when it is gone."""
    try:
        os.killpg(child.pid, number)
    except (ProcessLookupError, PermissionError):
        return


def stop(child: subprocess.Popen[bytes], number: signal.Signals, grace_s: float) -> bool:
    """Ask the child to end with `number`; after `grace_s` seconds kill its group. True when it ended by itself."""
    if child.poll() is None:
        child.send_signal(number)
    try:
        child.wait(grace_s)
        ended_by_itself = True
    except subprocess.TimeoutExpired:
        ended_by_itself = False
    signal_group(child, signal.SIGKILL)
    child.wait()
    return ended_by_itself


def last_lines(log: Path, count: int = 5) -> str:
    """The end of a log, for an error message."""
    try:
        with open(log, "rb") as source:
            source.seek(0, os.SEEK_END)
            source.seek(max(0, source.tell() - 4096))
            lines = source.read().decode("utf-8", "replace").splitlines()
    except FileNotFoundError:
        return ""
    return "\n".join(lines[-count:])

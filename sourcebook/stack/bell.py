"""An embedded Redis: the doorbell between the processes. It keeps nothing on disk, for the rows are the truth."""

import shutil
import signal
import socket
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from sourcebook.stack import spawn
from sourcebook.stack.account import Account, current
from sourcebook.stack.binaries import bell_program
from sourcebook.stack.errors import StackError

# Streams of running answers and a few rings: 128 MB is far more. When it is full, what ends soonest goes first.
SETTINGS = {
    "port": "0",
    "unixsocketperm": "700",
    "save": "",
    "appendonly": "no",
    "maxmemory": "128mb",
    "maxmemory-policy": "volatile-ttl",
    "databases": "1",
    "daemonize": "no",
    "loglevel": "notice",
}
_START_S = 20.0
_POLL_S = 0.02


@dataclass
class Bell:
    """One Redis (or Valkey) server, reachable only by its socket in a folder of mode 0700."""

    log: Path
    settings: dict[str, str] = field(default_factory=dict)
    account: Account = field(default_factory=current)

    def __post_init__(self) -> None:
        self._child: subprocess.Popen[bytes] | None = None
        self.socket_folder: Path | None = None

    @property
    def child(self) -> subprocess.Popen[bytes]:
        """The server's process. Raises StackError `not_running` when it was never started, or stopped."""
        if self._child is None:
            raise StackError("not_running", "The embedded Redis is not running: start it with `sourcebook up`.")
        return self._child

    @property
    def socket_path(self) -> Path:
        """The server's socket. The server must have been started."""
        if self.socket_folder is None:
            raise StackError("not_running", "The embedded Redis is not running: start it with `sourcebook up`.")
        return self.socket_folder / "redis.sock"

    def url(self) -> str:
        """The address for redis-py and arq."""
        return f"unix://{self.socket_path}"

    def start(self) -> None:
        """Start the server and wait until it answers. A second start after a crash keeps the address. Raises StackError `redis_failed`."""
        if self.socket_folder is None:
            self.socket_folder = Path(tempfile.mkdtemp(prefix="sourcebook-redis-", dir="/tmp"))  # a socket path has 107 bytes
            self.account.own(self.socket_folder)
        self.socket_path.unlink(missing_ok=True)
        command = [str(bell_program(self.account))]
        for name, value in {**SETTINGS, **self.settings, "unixsocket": str(self.socket_path), "dir": str(self.socket_folder)}.items():
            command += [f"--{name}", value]
        env = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC"}
        child = self._child = spawn.start(command, log=self.log, env=env, death_signal=signal.SIGTERM, account=self.account)
        deadline = time.monotonic() + _START_S
        while not self.answers():
            if child.poll() is not None or time.monotonic() > deadline:
                self.stop()
                raise StackError(
                    "redis_failed", f"The embedded Redis did not start; its log is {self.log}. It ended with:\n{spawn.last_lines(self.log)}"
                )
            time.sleep(_POLL_S)

    def answers(self, timeout_s: float = 1.0) -> bool:
        """Whether the server answers a PING."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
            line.settimeout(timeout_s)
            try:
                line.connect(str(self.socket_path))
                line.sendall(b"PING\r\n")
                return line.recv(16).startswith(b"+PONG")
            except OSError:
                return False

    def stop(self, grace_s: float = 3.0) -> None:
        """Stop the server; there is nothing to save."""
        if self._child is not None:
            spawn.stop(self._child, signal.SIGTERM, grace_s)
            self._child = None
        if self.socket_folder is not None:
            shutil.rmtree(self.socket_folder, ignore_errors=True)
            self.socket_folder = None

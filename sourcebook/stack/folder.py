"""The data folder: everything one stack keeps, its secrets, its lock, and the note that tells the other commands where it runs."""

import contextlib
import fcntl
import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from sourcebook.stack.errors import StackError
from sourcebook.stack.secret import kept_secret

# Postgres alone needs about 60 MB; below this the first upload would already fail.
LEAST_FREE_BYTES = 200_000_000


@dataclass(frozen=True)
class RunNote:
    """What a running stack writes into `run.json`: its process, address and the socket folders it made."""

    pid: int
    url: str
    sockets: list[str]


@dataclass(frozen=True)
class DataFolder:
    """One data folder. Nothing is made before `make()`."""

    path: Path

    @property
    def logs(self) -> Path:
        """The folder with a log per process."""
        return self.path / "logs"

    @property
    def blobs(self) -> Path:
        """The folder with the files that people added."""
        return self.path / "blobs"

    @property
    def postgres(self) -> Path:
        """The folder of the embedded database (as root it may only name the place, see `postgres.py`)."""
        return self.path / "postgres"

    def make(self) -> None:
        """Make the folder (for us alone when new) and its parts. Raises StackError `data_folder` or `disk_full`."""
        try:
            if not self.path.exists():
                self.path.mkdir(parents=True, mode=0o700)
                if os.geteuid() == 0:
                    self.path.chmod(0o711)  # root's database runs as another account, which has to pass through
            for part in (self.logs, self.blobs):
                part.mkdir(mode=0o700, exist_ok=True)
        except OSError as refused:
            raise StackError(
                "data_folder", f"The data folder {self.path} cannot be used ({refused.strerror}): choose another with --data."
            ) from refused
        free = shutil.disk_usage(self.path).free
        if free < LEAST_FREE_BYTES:
            raise StackError(
                "disk_full",
                f"Only {free // 1_000_000} MB are free where {self.path} lies,"
                f" and Sourcebook needs {LEAST_FREE_BYTES // 1_000_000} MB to start: free some space, or choose another with --data.",
            )

    def owner_token(self) -> str:
        """The local owner's API token (0600), made on first use."""
        return kept_secret(self.path / "owner-token")

    def secret_key(self) -> str:
        """The key that seals provider keys and passwords (0600), made on first use."""
        return kept_secret(self.path / "secret-key")

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the folder for one stack; the kernel lets go when we die. Raises StackError `already_running`."""
        fd = os.open(self.path / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as taken:
                note = self.note()
                where = f" at {note.url} (process {note.pid})" if note else ""
                raise StackError(
                    "already_running",
                    f"Sourcebook already runs on this data folder{where}:"
                    " `sourcebook open` gives a sign-in link; for a second one choose another folder with --data and another --port.",
                ) from taken
            yield
        finally:
            os.close(fd)

    def is_running(self) -> bool:
        """Whether a stack holds the folder now."""
        try:
            with self.locked():
                return False
        except FileNotFoundError:
            return False
        except StackError:
            return True

    def note(self) -> RunNote | None:
        """The note of the stack that runs, or ran last and was killed."""
        try:
            return RunNote(**json.loads((self.path / "run.json").read_text("utf-8")))
        except (FileNotFoundError, ValueError, TypeError):
            return None

    def write_note(self, note: RunNote) -> None:
        """Replace the note in one step."""
        fresh = self.path / ".run.json"
        fresh.write_text(json.dumps(asdict(note)), "utf-8")
        fresh.replace(self.path / "run.json")

    def drop_note(self) -> None:
        """Take the note away: the stack has stopped."""
        (self.path / "run.json").unlink(missing_ok=True)

    def sweep(self) -> None:
        """Remove the socket folders that a killed stack left (its lock is ours now)."""
        note = self.note()
        for name in note.sockets if note else []:
            if Path(name).name.startswith("sourcebook-"):
                shutil.rmtree(name, ignore_errors=True)
        self.drop_note()

"""A backup in one file and the way back: the database, the files people added, and the key that opens sealed settings."""

import contextlib
import json
import shutil
import tarfile
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import sourcebook
from sourcebook.stack.errors import StackError
from sourcebook.stack.folder import DataFolder
from sourcebook.stack.postgres import Postgres

FORMAT = 1
_DUMP, _ROLES, _MANIFEST, _KEY, _BLOBS = "database.dump", "roles.sql", "manifest.json", "secret-key", "blobs"


@dataclass(frozen=True)
class Manifest:
    """What a backup says about itself. `created_at` is UTC, RFC 3339."""

    format: int
    version: str
    postgres_major: str
    created_at: str
    files: int


def write_database(postgres: Postgres, folder: Path) -> None:
    """Dump the database (one snapshot, also while it is used) and its roles into `folder` (0700)."""
    folder.mkdir(parents=True, mode=0o700, exist_ok=True)
    postgres.run("pg_dump", "--format=custom", f"--file={folder / _DUMP}")
    (folder / _ROLES).write_text(postgres.run("pg_dumpall", "--roles-only", "--no-role-passwords"), "utf-8")


@contextlib.contextmanager
def opened(folder: DataFolder) -> Iterator[Postgres]:
    """The database of a data folder: the running stack's, or started for this alone and stopped again."""
    postgres = Postgres(folder.postgres, folder.logs / "postgres.log")
    note = folder.note()
    if folder.is_running() and note is not None:
        socket_folder = next((Path(name) for name in note.sockets if Path(name).name.startswith("sourcebook-pg-")), None)
        if socket_folder is None:
            raise StackError(
                "not_embedded", "This stack uses the database of SOURCEBOOK_DATABASE_URL: back that up with its own tools (pg_dump)."
            )
        postgres.socket_folder = socket_folder
        yield postgres
        return
    folder.make()
    with folder.locked():
        folder.sweep()
        postgres.start()
        try:
            yield postgres
        finally:
            postgres.stop()


def write(folder: DataFolder, target: Path) -> Manifest:
    """Write everything of a data folder into the tar file `target` (0600); it appears when it is complete.

    The database is dumped first and the files are copied after it, so every file that a row names is there
    unless it was deleted meanwhile. Raises StackError.
    """
    if not (folder.path / "pg-version").exists():
        raise StackError("nothing_there", f"{folder.path} holds no database of Sourcebook: name its data folder with --data.")
    if target.exists():
        raise StackError("file_exists", f"{target} is already there: choose another name.")
    with tempfile.TemporaryDirectory(prefix=".backup-", dir=target.parent) as name, opened(folder) as postgres:
        work = Path(name)
        write_database(postgres, work)
        building = work / "backup.tar"
        building.touch(mode=0o600)
        with tarfile.open(building, "w") as tar:
            tar.add(work / _DUMP, _DUMP)
            tar.add(work / _ROLES, _ROLES)
            count = _add_files(tar, folder.blobs)
            (work / _KEY).touch(mode=0o600)
            (work / _KEY).write_text(folder.secret_key(), "ascii")
            tar.add(work / _KEY, _KEY)
            now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
            manifest = Manifest(FORMAT, sourcebook.__version__, postgres.major(), now, count)
            (work / _MANIFEST).write_text(json.dumps(asdict(manifest)), "utf-8")
            tar.add(work / _MANIFEST, _MANIFEST)
        building.rename(target)
    (folder.path / "last-backup").write_text(f"{manifest.created_at}\n", "ascii")
    return manifest


def _add_files(tar: tarfile.TarFile, blobs: Path) -> int:
    count = 0
    for path in sorted(blobs.rglob("*")):
        with contextlib.suppress(FileNotFoundError):  # deleted for good while we copied: its row is gone too
            if path.is_file():
                tar.add(path, f"{_BLOBS}/{path.relative_to(blobs).as_posix()}", recursive=False)
                count += 1
    return count


def restore(source: Path, folder: DataFolder) -> Manifest:
    """Fill a new data folder from a backup; the next `sourcebook up` goes on from there. Raises StackError."""
    if (folder.path / "pg-version").exists() or folder.is_running():
        raise StackError("not_empty", f"{folder.path} already holds a database: restore into a new folder with --data.")
    folder.make()
    with folder.locked(), tempfile.TemporaryDirectory(prefix=".restore-", dir=folder.path) as name:
        work = Path(name)
        manifest = _unpack(source, work)
        postgres = Postgres(folder.postgres, folder.logs / "postgres.log")
        postgres.start()
        try:
            # Roles that are there already are reported and skipped; the others and their memberships are made.
            postgres.run("psql", "-Xq", stdin=(work / _ROLES).read_text("utf-8"), database="postgres")
            postgres.run("pg_restore", "--dbname=sourcebook", "--exit-on-error", str(work / _DUMP))
        finally:
            postgres.stop()
        if (work / _BLOBS).exists():
            shutil.rmtree(folder.blobs)
            (work / _BLOBS).rename(folder.blobs)
        (work / _KEY).replace(folder.path / _KEY)
        (folder.path / _KEY).chmod(0o600)
    return manifest


def _unpack(source: Path, work: Path) -> Manifest:
    try:
        with tarfile.open(source) as tar:
            tar.extractall(work, filter="data")  # refuses names that lead out of the folder
        manifest = Manifest(**json.loads((work / _MANIFEST).read_text("utf-8")))
    except FileNotFoundError as missing:
        raise StackError(
            "not_a_backup", f"{missing.filename or source} is not there: name a file that `sourcebook backup` wrote."
        ) from missing
    except (tarfile.TarError, ValueError, TypeError) as broken:
        raise StackError("not_a_backup", f"{source} is not a backup of Sourcebook, or it is damaged ({broken}).") from broken
    if manifest.format > FORMAT:
        raise StackError(
            "newer_backup", f"{source} was written by Sourcebook {manifest.version}: restore it with that version or a newer one."
        )
    return manifest

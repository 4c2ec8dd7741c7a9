"""Finds the server that a command speaks to, and turns failures into a sentence and an exit code."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import typer

from sourcebook.client import Client, Refused, Unreachable
from sourcebook.stack import surroundings
from sourcebook.stack.folder import DataFolder
from sourcebook_core.errors import SourcebookError

REFUSED, UNREACHABLE = 1, 3


@contextlib.contextmanager
def sentences() -> Iterator[None]:
    """Print what went wrong as a sentence on standard error; exit 1 (refused or failed) or 3 (not reachable)."""
    try:
        yield
    except Unreachable as away:
        fail(
            f"No Sourcebook answers at {away}: start it with `sourcebook up`, name its folder with --data, or set SOURCEBOOK_URL.",
            UNREACHABLE,
        )
    except Refused as refused:
        fail(f"{refused.message} ({refused.code})", REFUSED)
    except SourcebookError as failed:
        fail(failed.message, REFUSED)


def fail(message: str, code: int) -> None:
    """Say why on standard error and end with the exit code."""
    typer.echo(message, err=True)
    raise typer.Exit(code)


def data_folder(chosen: Path | None) -> DataFolder:
    """The data folder a command means: `--data`, `SOURCEBOOK_DATA_DIR`, or the platform's."""
    return DataFolder((chosen or surroundings.default_data_folder()).expanduser().absolute())


def connect(chosen: Path | None = None) -> Client:
    """A client for `SOURCEBOOK_URL` with `SOURCEBOOK_TOKEN`, each defaulting to the running local stack. Raises Unreachable."""
    env = surroundings.environment()
    folder = data_folder(chosen)
    note = folder.note()
    url = env.get("SOURCEBOOK_URL") or (note.url if note else None)
    if url is None:
        raise Unreachable(f"the data folder {folder.path}")
    token = env.get("SOURCEBOOK_TOKEN")
    if token is None:
        path = folder.path / "owner-token"
        try:
            token = path.read_text("ascii").strip()
        except OSError:
            fail(f"There is no token in {path}: set SOURCEBOOK_TOKEN, or name the stack's folder with --data.", REFUSED)
            raise
    return Client(url, token)

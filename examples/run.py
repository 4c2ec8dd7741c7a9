"""`python -m examples.run NAME …`: starts a server of its own in a folder that is removed afterwards, and plays these examples on it."""

from __future__ import annotations

import importlib
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from examples.api import Api
from examples.stage import HOST_PORT, WEB_PORT, Stage, played
from sourcebook.stack import ports, supervisor
from sourcebook.stack.folder import DataFolder
from sourcebook.stack.plan import Options
from sourcebook.stack.postgres import Postgres
from sourcebook.stack.supervisor import Stack

NAMES = ("notebook", "docs", "help", "persona", "product")
LIMITS = ("SOURCEBOOK_ASKS_PER_MINUTE", "SOURCEBOOK_VISITOR_ASKS_PER_HOUR", "SOURCEBOOK_VISITOR_ASKS_PER_ADDRESS_MINUTE")


def play_of(name: str) -> Callable[[Stage], None]:
    """The function that plays an example."""
    play: Callable[[Stage], None] = importlib.import_module(f"examples.{name}.run").play
    return play


def main() -> None:
    """Play the named examples (all without a name), one after the other, on one server."""
    names = sys.argv[1:] or list(NAMES)
    if unknown := sorted(set(names) - set(NAMES)):
        sys.exit(f"There is no example {', '.join(unknown)}: choose of {', '.join(NAMES)}.")
    os.environ["SOURCEBOOK_HOST_ALLOW"] = f"127.0.0.1:{HOST_PORT}"
    for limit in LIMITS:  # a script asks faster than people: all five come to more than 20 visitors' questions a minute
        os.environ[limit] = "0"
    folder = Path(tempfile.mkdtemp(prefix="sourcebook-examples-"))
    options = Options(data=folder, port=ports.any_free(), url_allow=(f"127.0.0.1:{WEB_PORT}",))
    failed = 0
    try:
        with Stack(options, lambda line: print(f"   … {line}")).running() as stack:
            with Api(stack.address, f"Bearer {stack.folder.owner_token()}") as api:
                for name in names:
                    print(f"\n#### {name}")
                    stage = Stage(api, stop_store=lambda: _rights(folder, "revoke"), start_store=lambda: _rights(folder, "grant"))
                    failed += played(play_of(name), stage)
    finally:
        supervisor.forget(folder)
        shutil.rmtree(folder, ignore_errors=True)
    sys.exit(1 if failed else 0)


def _rights(folder: Path, change: str) -> None:
    """Take the search its right to read, as when its store is down, or give it back."""
    note = DataFolder(folder).note()
    if note is None:
        raise RuntimeError("the server does not run any more")
    postgres = Postgres(folder / "postgres", folder / "logs" / "postgres.log")
    postgres.socket_folder = next(Path(place) for place in note.sockets if "pg" in Path(place).name)
    postgres.sql(right(change))


def right(change: str) -> str:
    """The statement that takes the search its right to read ("revoke") or gives it back ("grant")."""
    return f"{change} select on all tables in schema corpus {'from' if change == 'revoke' else 'to'} sourcebook_search"


if __name__ == "__main__":
    main()

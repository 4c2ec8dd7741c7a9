"""Brings the database up to date on start, after a backup when there is something to lose."""

import asyncio
import time
from collections.abc import Callable

from sourcebook.stack import backup
from sourcebook.stack.errors import StackError
from sourcebook.stack.folder import DataFolder
from sourcebook.stack.postgres import Postgres
from sourcebook_core import migrations
from sourcebook_core.settings import Settings


def bring_up_to_date(settings: Settings, folder: DataFolder, postgres: Postgres | None, say: Callable[[str], None]) -> bool:
    """Run the pending migrations; True when there were any.

    A database that already holds something is backed up first. A database of our own is: of a given one
    (`postgres` is None) its operator keeps backups. Raises StackError `newer_database` or `database_away`.
    """
    try:
        at = asyncio.run(migrations.applied(settings))
    except OSError as away:
        raise StackError(
            "database_away", f"The database of SOURCEBOOK_DATABASE_URL cannot be reached ({away}): check the address, then start again."
        ) from away
    newest = migrations.newest()
    if at == newest:
        return False
    if at is not None and at > newest:
        raise StackError(
            "newer_database",
            f"This data folder was written by a newer Sourcebook (schema {at}, this one knows {newest}): start that version instead.",
        )
    if at is not None and postgres is not None:
        target = folder.path / "backups" / f"before-{newest}-{time.strftime('%Y%m%d-%H%M%S')}"
        backup.write_database(postgres, target)
        say(f"backed the database up to {target} before changing it")
    asyncio.run(migrations.run(settings))
    say(f"database at schema {newest}")
    return True

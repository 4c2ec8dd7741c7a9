"""Commands that keep a data folder well: backup, restore, migrate, doctor."""

import time
from pathlib import Path
from typing import Annotated

import typer

from sourcebook import doctor as examining
from sourcebook.reach import data_folder, sentences
from sourcebook.stack import backup as backups
from sourcebook.stack import schema, surroundings
from sourcebook.stack.errors import StackError
from sourcebook.stack.plan import given
from sourcebook_core import settings as core_settings

app = typer.Typer()
Data = Annotated[Path | None, typer.Option("--data", help="The stack's data folder.", show_default="the platform's")]


@app.command()
def backup(
    file: Annotated[Path | None, typer.Argument(help="The file to write.", show_default="sourcebook-DATE.tar here")] = None,
    data: Data = None,
) -> None:
    """Write database, files and key into one file, also while the stack runs."""
    with sentences():
        _refuse_own_database()
        target = (file or Path(f"sourcebook-{time.strftime('%Y%m%d-%H%M%S')}.tar")).expanduser().absolute()
        manifest = backups.write(data_folder(data), target)
        typer.echo(f"Wrote {target} ({target.stat().st_size // 1000} kB, {manifest.files} files).")
        typer.echo("It holds the key that opens stored provider keys: keep it where only you can read it.")


@app.command()
def restore(file: Annotated[Path, typer.Argument(help="A file that `sourcebook backup` wrote.")], data: Data = None) -> None:
    """Fill a new data folder from a backup."""
    with sentences():
        _refuse_own_database()
        folder = data_folder(data)
        manifest = backups.restore(file.expanduser().absolute(), folder)
        typer.echo(f"Restored the backup of {manifest.created_at} with {manifest.files} files into {folder.path}.")
        typer.echo(f'Start it: sourcebook up --data "{folder.path}"')


@app.command()
def migrate(data: Data = None) -> None:
    """Bring the database up to date (`up` does this by itself)."""
    with sentences():
        env = surroundings.environment()
        folder = data_folder(data)
        if given(env, "DATABASE_URL"):
            changed = schema.bring_up_to_date(core_settings.load(env), folder, None, typer.echo)
        else:
            with backups.opened(folder) as postgres:
                settings = core_settings.load(env | {"SOURCEBOOK_DATABASE_URL": postgres.url()})
                changed = schema.bring_up_to_date(settings, folder, postgres, typer.echo)
        typer.echo("The database was changed." if changed else "The database is up to date.")


@app.command()
def doctor(
    data: Data = None,
    host: Annotated[str | None, typer.Option(help="The address `up` would listen on.", show_default="127.0.0.1")] = None,
    port: Annotated[int | None, typer.Option(help="The port `up` would use.", show_default="8400")] = None,
) -> None:
    """Check this machine and print every setting with where it came from. Exit 1 when something needs doing."""
    with sentences():
        settings = core_settings.load(surroundings.environment())
        findings = examining.examine(settings, data_folder(data), host or settings.host, port or settings.port)
        for finding in findings:
            typer.echo(f"{'ok ' if finding.good else '!! '} {finding.name}: {finding.words}")
        typer.echo("")
        for line in examining.setting_lines(settings):
            typer.echo(line)
    raise typer.Exit(0 if all(finding.good for finding in findings) else 1)


def _refuse_own_database() -> None:
    if given(surroundings.environment(), "DATABASE_URL"):
        raise StackError(
            "not_embedded",
            "SOURCEBOOK_DATABASE_URL names a database of your own: back it up and restore it with its own tools (pg_dump, pg_restore).",
        )

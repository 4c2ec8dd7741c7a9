"""`sourcebook corpus`: build the documents of an assistant, or check that what was built is fresh."""

import json
from pathlib import Path
from typing import Annotated

import typer

from sourcebook.corpus import build as building
from sourcebook.corpus import lock, plan
from sourcebook.reach import connect, fail, sentences

app = typer.Typer(no_args_is_help=True, help="The documents that an assistant reads, built from files.")


@app.callback()
def corpus() -> None:
    """The documents that an assistant reads, built from files."""


@app.command("build")
def build(
    file: Annotated[Path, typer.Argument(help="A corpus.toml.")],
    check: Annotated[bool, typer.Option("--check", help="Only say whether what was built last is still what the files say.")] = False,
    missing: Annotated[Path | None, typer.Option("--missing", help="Write the chunks that have no caption into this JSON file.")] = None,
    patience_s: Annotated[float, typer.Option("--patience", min=1, help="Seconds to wait for all pages to be ready.")] = 3600,
    data: Annotated[Path | None, typer.Option("--data", help="The stack's data folder.", show_default="the platform's")] = None,
) -> None:
    """Read the pages, index them beside those in use, and swap them in at once; a failed build changes nothing."""
    with sentences():
        found = plan.load(file)
        if check:
            stale = lock.differences(file, found)
            for line in stale:
                typer.echo(line, err=True)
            if stale:
                fail(f"The corpus is stale: run `sourcebook corpus build {file}`.", 1)
            typer.echo(f"{found.name} is fresh: {len(found.pages)} pages.")
            return
        with connect(data) as client:
            done = building.build(client, found, _say_aside, patience_s=patience_s)
        lock.write(file, found)
        if missing is not None:
            missing.write_text(json.dumps(done.uncaptioned, ensure_ascii=False, indent=1) + "\n", "utf-8")
        typer.echo(
            f"{found.name}: {done.in_use} sources in use, {done.added} added, {done.removed} replaced,"
            f" {len(done.uncaptioned)} chunks without a caption."
        )


def _say_aside(line: str) -> None:
    typer.echo(line, err=True)

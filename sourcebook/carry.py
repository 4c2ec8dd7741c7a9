"""Commands that carry a notebook out of a server and into one: export, import."""

from __future__ import annotations

import json
import shutil
import tempfile
import zipfile
from pathlib import Path
from typing import Annotated, Any

import typer

from sourcebook import ask as asking
from sourcebook.client import Client, Refused
from sourcebook.reach import connect, sentences
from sourcebook.stack.errors import StackError

app = typer.Typer()
Data = Annotated[Path | None, typer.Option("--data", help="The stack's data folder.", show_default="the platform's")]
VERSION = 1  # of the archive; a newer one is refused
MANIFEST_BYTES = 50_000_000
_ENDINGS = {"markdown": ".md", "text": ".txt", "pdf": ".pdf"}


@app.command(name="export")
def export_notebook(
    notebook: Annotated[str, typer.Argument(help="A notebook's id or title.")],
    file: Annotated[Path, typer.Argument(help="The zip to write.")],
    data: Data = None,
) -> None:
    """Write a notebook into one zip: sources as added and as read, notes, conversations, bibliography."""
    with sentences(), connect(data) as client:
        found = asking.find_notebook(client, notebook)
        target = file.expanduser().absolute()
        size = client.download(f"/notebooks/{found['id']}/file", target)
        typer.echo(f"Wrote {target} ({size // 1000} kB).")


@app.command(name="import")
def import_notebook(
    file: Annotated[Path, typer.Argument(help="A zip that `sourcebook export` wrote.")],
    title: Annotated[str | None, typer.Option(help="Its name here.", show_default="as it was")] = None,
    wait: Annotated[bool, typer.Option("--wait", help="Wait until every source is read.")] = False,
    data: Data = None,
) -> None:
    """Make a notebook of an exported one: its sources are added and read again, its notes kept as text; conversations stay in the zip."""
    with sentences(), connect(data) as client, _opened(file.expanduser()) as archive:
        about = _about(archive)
        made = client.post("/notebooks", {"title": title or about["notebook"]["title"]})
        added, refused = _sources(client, made["id"], archive, about["sources"])
        notes = _notes(client, made["id"], archive)
        typer.echo(f"{made['title']}: {len(added)} sources and {notes} notes, notebook {made['id']}.")
        if wait and not asking.wait_until_read(client, added, lambda line: typer.echo(line, err=True)):
            refused += 1
    raise typer.Exit(1 if refused else 0)


def _opened(file: Path) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(file)
    except (OSError, zipfile.BadZipFile) as error:
        raise StackError("unreadable", f"{file} cannot be read as an exported notebook: {error}.") from None


def _about(archive: zipfile.ZipFile) -> dict[str, Any]:
    """What the archive says it holds. Nothing in it is trusted as a path: members are looked up by the ids of sources."""
    try:
        if archive.getinfo("notebook.json").file_size > MANIFEST_BYTES:
            raise ValueError("its notebook.json is too large")
        about = dict(json.loads(archive.read("notebook.json")))
        version, sources = int(about["version"]), list(about["sources"])
        about["notebook"]["title"].strip()
    except (KeyError, ValueError, TypeError, AttributeError, zipfile.BadZipFile) as error:
        raise StackError("unreadable", f"This is no notebook that `sourcebook export` wrote: {error}.") from None
    if version > VERSION:
        raise StackError("newer", f"This notebook was exported by a newer version (format {version}); update this one first.")
    return about | {"sources": sources}


def _sources(client: Client, notebook_id: str, archive: zipfile.ZipFile, told: list[dict[str, Any]]) -> tuple[list[str], int]:
    """Ids of the sources that were taken in, and how many were refused (each said with its reason)."""
    added, refused = [], 0
    for one in told:
        try:
            item = _added(client, notebook_id, archive, one)
            if item.get("error"):
                raise Refused(422, item["error"]["code"], item["error"]["message"])
            source_id = item["source"]["id"]
            details = {name: one[name] for name in ("title", "authors", "year", "doi", "labels", "meta") if one.get(name)}
            client.patch(f"/sources/{source_id}", details)
            if one.get("grant") == "paused":
                client.put(f"/notebooks/{notebook_id}/sources/{source_id}", {"grant": "paused"})
            added.append(source_id)
        except Refused as refusal:
            refused += 1
            typer.echo(f"{one.get('title')}: {refusal.message} ({refusal.code})", err=True)
    return added, refused


def _added(client: Client, notebook_id: str, archive: zipfile.ZipFile, of: dict[str, Any]) -> dict[str, Any]:
    member = f"sources/{of['id']}/original"
    if of.get("url") and of["kind"] == "url":
        item: dict[str, Any] = client.post(f"/notebooks/{notebook_id}/sources", {"url": of["url"]})["items"][0]
        return item
    if member not in archive.namelist():
        raise Refused(422, "empty_file", "its file is not in the archive.")
    name = Path(str(of.get("file_name") or "")).name or f"source{_ENDINGS.get(of['kind'], '')}"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        with archive.open(member) as taken, open(path, "wb") as kept:
            shutil.copyfileobj(taken, kept)
        taken_in: dict[str, Any] = client.upload(f"/notebooks/{notebook_id}/sources", path, {"title": str(of["title"])})["items"][0]
        return taken_in


def _notes(client: Client, notebook_id: str, archive: zipfile.ZipFile) -> int:
    names = [name for name in archive.namelist() if name.startswith("notes/") and name.endswith(".json")]
    for name in reversed(names):  # the list has the last changed first
        note = json.loads(archive.read(name))
        words = archive.read(name.removesuffix(".json") + ".md").decode("utf-8", "replace")
        client.post(f"/notebooks/{notebook_id}/notes", {"title": note["title"], "text": words})
    return len(names)

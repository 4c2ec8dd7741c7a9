"""Commands that carry a notebook out of a server and into one: export, import."""

from __future__ import annotations

import json
import lzma
import tempfile
import zipfile
import zlib
from pathlib import Path
from typing import Annotated, Any

import typer

from sourcebook import ask as asking
from sourcebook.client import Client, Refused
from sourcebook.reach import connect, sentences
from sourcebook.stack.errors import StackError

app = typer.Typer()
Data = Annotated[Path | None, typer.Option("--data", help="The stack's data folder.", show_default="the platform's")]
VERSION = 2  # of the archive; a newer one is refused, an older one is taken
MANIFEST_BYTES = 50_000_000
SOURCE_BYTES = 5_000_000_000  # more than any export holds; a smaller file may say that it unpacks to petabytes
_PIECE = 1_000_000
_NAME_CHARS, _ENDING_CHARS = 100, 12
# What reading an archive of somebody's making can raise: broken, locked, of a method nobody has, lying about itself, no room on the disk.
_BROKEN = (zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, lzma.LZMAError, EOFError, RuntimeError, NotImplementedError, OSError)
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
        notes, lost = _notes(client, made["id"], archive)
        refused += lost
        typer.echo(f"{made['title']}: {_count(len(added), 'source')} and {_count(notes, 'note')}, notebook {made['id']}.")
        if wait and not asking.wait_until_read(client, added, lambda line: typer.echo(line, err=True)):
            refused += 1
    raise typer.Exit(1 if refused else 0)


def _opened(file: Path) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(file)
    except (*_BROKEN, ValueError) as error:
        raise StackError("unreadable", f"{file} cannot be read as an exported notebook: {error}.") from None


def _about(archive: zipfile.ZipFile) -> dict[str, Any]:
    """What the archive says it holds. Nothing in it is trusted as a path: members are looked up by the names it gives, and files
    written under names of our own."""
    try:
        about = dict(json.loads(_read(archive, "notebook.json")))
        version, sources = int(about["version"]), list(about["sources"])
        about["notebook"]["title"].strip()
        if not all(isinstance(one, dict) and isinstance(one.get("id"), str) and isinstance(one.get("kind"), str) for one in sources):
            raise ValueError("a source in it has no id or no kind")
    except (*_BROKEN, KeyError, ValueError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise StackError("unreadable", f"This is no notebook that `sourcebook export` wrote: {error}.") from None
    if version > VERSION:
        raise StackError("newer", f"This notebook was exported by a newer version (format {version}); update this one first.")
    return about | {"sources": sources}


def _read(archive: zipfile.ZipFile, member: str) -> bytes:
    """A member of a sane size. What the archive says of its size is not believed. Raises KeyError, ValueError, those of `_BROKEN`."""
    with archive.open(member) as taken:
        found = taken.read(MANIFEST_BYTES + 1)
    if len(found) > MANIFEST_BYTES:
        raise ValueError(f"{member} is too large")
    return found


def _sources(client: Client, notebook_id: str, archive: zipfile.ZipFile, told: list[dict[str, Any]]) -> tuple[list[str], int]:
    """Ids of the sources that were taken in, and how many were refused (each said with its reason)."""
    added, refused = [], 0
    for one in told:
        try:
            added.append(_source(client, notebook_id, archive, one))
        except Refused as refusal:
            refused += 1
            typer.echo(f"{one.get('title')}: {refusal.message} ({refusal.code})", err=True)
    return added, refused


def _source(client: Client, notebook_id: str, archive: zipfile.ZipFile, of: dict[str, Any]) -> str:
    """Take in one source with what is told of it; its id. Raises Refused."""
    try:
        item = _added(client, notebook_id, archive, of)
    except (*_BROKEN, ValueError) as error:
        raise Refused(422, "unreadable", f"its file cannot be taken out of the archive: {error}") from None
    if item.get("error"):
        raise Refused(422, item["error"]["code"], item["error"]["message"])
    source_id = str(item["source"]["id"])
    details = {name: of[name] for name in ("title", "authors", "year", "doi", "labels", "meta") if of.get(name)}
    client.patch(f"/sources/{source_id}", details)
    if of.get("grant") == "paused":
        client.put(f"/notebooks/{notebook_id}/sources/{source_id}", {"grant": "paused"})
    return source_id


def _added(client: Client, notebook_id: str, archive: zipfile.ZipFile, of: dict[str, Any]) -> dict[str, Any]:
    member = str(of["file"]) if isinstance(of.get("file"), str) else f"sources/{of['id']}/original"  # the latter in version 1
    if of.get("url") and of["kind"] == "url":  # the server judges the address as any other
        item: dict[str, Any] = client.post(f"/notebooks/{notebook_id}/sources", {"url": of["url"]})["items"][0]
        return item
    try:
        archive.getinfo(member)
    except KeyError:
        raise Refused(422, "empty_file", "its file is not in the archive.") from None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, _name(of))
        take_out(archive, member, path)
        taken_in: dict[str, Any] = client.upload(f"/notebooks/{notebook_id}/sources", path, {"title": str(of["title"])})["items"][0]
        return taken_in


def take_out(archive: zipfile.ZipFile, member: str, path: Path, most: int = SOURCE_BYTES) -> None:
    """Write a member to a file. Raises Refused once it is larger than `most` bytes, whatever the archive says of its size."""
    with archive.open(member) as taken, open(path, "wb") as kept:
        while piece := taken.read(_PIECE):
            if kept.tell() + len(piece) > most:
                raise Refused(413, "too_large", f"its file is larger than {most // 1_000_000} MB.")
            kept.write(piece)


def _name(of: dict[str, Any]) -> str:
    """A file name for a source that stays in its folder on every system, its ending kept: the server tells kinds by it."""
    given = Path(str(of.get("file_name") or "").replace("\\", "/")).name
    ending = Path(given).suffix[:_ENDING_CHARS]
    plain = "".join(sign if sign.isalnum() or sign in " -_" else "_" for sign in Path(given).stem)[:_NAME_CHARS].strip()
    return f"{plain or 'source'}{ending if ending[1:].isalnum() else _ENDINGS.get(of['kind'], '')}"


def _notes(client: Client, notebook_id: str, archive: zipfile.ZipFile) -> tuple[int, int]:
    """How many notes were kept, and how many were not (each said with its reason)."""
    names = [name for name in archive.namelist() if name.startswith("notes/") and name.endswith(".json")]
    kept = refused = 0
    for name in reversed(names):  # the list has the last changed first
        try:
            title = str(json.loads(_read(archive, name))["title"])
            words = _read(archive, name.removesuffix(".json") + ".md").decode("utf-8", "replace")
            client.post(f"/notebooks/{notebook_id}/notes", {"title": title, "text": words})
            kept += 1
        except (*_BROKEN, Refused, KeyError, ValueError, TypeError, RecursionError) as error:
            refused += 1
            typer.echo(f"{name[:_NAME_CHARS]}: this note could not be kept: {error}", err=True)
    return kept, refused


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"

"""The archive of a notebook: its sources as they were added and as they were read, notes, conversations, and what they are."""

from __future__ import annotations

import asyncio
import tempfile
import zipfile
from collections.abc import AsyncIterator, Iterator
from typing import IO, Any
from uuid import UUID

import orjson

from sourcebook_core.blobs import original_key
from sourcebook_core.errors import RequestError
from sourcebook_core.store import conversations, notes, sources
from sourcebook_core.store.notes import Note
from sourcebook_core.store.scopes import Holder
from sourcebook_core.store.sources import Source
from sourcebook_gateway import bibliography, conversing, exported
from sourcebook_gateway.deps import Caller, Shared
from sourcebook_gateway.json_answers import dumps
from sourcebook_gateway.routes.reading import texts
from sourcebook_gateway.shapes.notebooks import NotebookRead
from sourcebook_gateway.shapes.notes import NoteRead
from sourcebook_gateway.shapes.sources import SourceRead
from sourcebook_gateway.shapes.turns import ConversationWhole

VERSION = 1
MOST_BYTES = 5_000_000_000  # of originals; more is a backup's work
MOST = 10_000  # sources, notes, conversations of one notebook that leave it
_PIECE = 1_000_000
# What `sourcebook import` gives a source again.
_DETAILS = {
    "id", "kind", "title", "url", "file_name", "media_type", "authors", "year", "doi", "labels", "external_id", "meta", "language", "grant",
}  # fmt: skip


async def written(shared: Shared, caller: Caller, notebook: NotebookRead) -> IO[bytes]:
    """The archive as a file that is gone when it is closed. Raises 413 where the originals are too large together.

    `notebook.json` says what it is; `sources/<n> <id>/` has each original and its text, `notes/` and `conversations/` are Markdown
    with footnotes, `sources.bib` is for reference managers.
    """
    async with shared.db.transaction() as conn:
        held = await sources.list_for_owner(conn, caller.person_id, MOST, notebook_id=notebook.id)
    if sum(one.byte_size for one in held) > MOST_BYTES:
        raise RequestError(413, "too_large", limit=f"{MOST_BYTES // 1_000_000_000} GB of files")
    file: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - who sends it closes it
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as into:
        told = [SourceRead.of(one).model_dump(mode="json", include=_DETAILS) for one in held]
        about = {"version": VERSION, "notebook": notebook.model_dump(mode="json"), "sources": told}
        into.writestr("notebook.json", orjson.dumps(about, option=orjson.OPT_INDENT_2))
        into.writestr("sources.bib", bibliography.written(held, "bibtex"))
        for one in held:
            await _source(shared, into, one)
        await _notes(shared, caller, into, notebook.id)
        await _conversations(shared, caller, into, notebook.id)
    file.seek(0)
    return file


async def pieces(file: IO[bytes]) -> AsyncIterator[bytes]:
    """The file from its beginning, closed at the end."""
    with file:
        while piece := await asyncio.to_thread(file.read, _PIECE):
            yield piece


async def _source(shared: Shared, into: zipfile.ZipFile, of: Source) -> None:
    folder = f"sources/{of.id}"
    if of.has_file:
        with into.open(zipfile.ZipInfo(f"{folder}/original"), "w", force_zip64=True) as out:
            async for piece in shared.blobs.get_stream(original_key(of.id)):
                await asyncio.to_thread(out.write, piece)
    if of.reading_id is None:
        return
    with into.open(f"{folder}/text.txt", "w", force_zip64=True) as out:
        async for text in texts(shared, of.reading_id):
            await asyncio.to_thread(out.write, text.encode("utf-8", "replace"))


async def _notes(shared: Shared, caller: Caller, into: zipfile.ZipFile, notebook_id: UUID) -> None:
    async with shared.db.transaction() as conn:
        found = await notes.list_for_notebook(conn, caller.person_id, notebook_id, MOST)
    for name, note in _named(found):
        await asyncio.to_thread(_note, into, name, note)  # sentences of a long one that was changed take a second


def _note(into: zipfile.ZipFile, name: str, note: Note) -> None:
    read = NoteRead.of(note)
    into.writestr(f"notes/{name}.md", exported.note_markdown(read))
    into.writestr(f"notes/{name}.json", dumps(read))


async def _conversations(shared: Shared, caller: Caller, into: zipfile.ZipFile, notebook_id: UUID) -> None:
    async with shared.db.transaction() as conn:
        found = await conversations.list_for_holder(conn, caller.person_id, Holder("notebook", notebook_id), MOST)
    for name, one in _named(found):
        async with shared.db.transaction() as conn:
            whole = await conversing.whole(conn, one, caller.person_id)
        await asyncio.to_thread(_conversation, into, name, whole)


def _conversation(into: zipfile.ZipFile, name: str, whole: ConversationWhole) -> None:
    told = exported.markdown(whole.title or "Conversation", exported.of_conversation(whole))
    into.writestr(f"conversations/{name}.md", told)
    into.writestr(f"conversations/{name}.json", dumps(whole))


def _named(items: list[Any]) -> Iterator[tuple[str, Any]]:
    """Each with a name that sorts as the list does and any file system takes."""
    for number, item in enumerate(items, 1):
        words = "".join(sign if sign.isalnum() or sign in " -" else " " for sign in item.title)
        yield f"{number:03} {' '.join(words.split())[:60]}".strip(), item

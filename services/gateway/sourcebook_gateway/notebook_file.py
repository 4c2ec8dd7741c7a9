"""The archive of a notebook: its sources as they were added and as they were read, notes, conversations, and what they are."""

from __future__ import annotations

import asyncio
import re
import tempfile
import unicodedata
import zipfile
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import IO, Any
from uuid import UUID

import orjson

from sourcebook_core.blobs import original_key
from sourcebook_core.errors import RequestError
from sourcebook_core.kinds import EXTENSIONS
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

VERSION = 2  # 1 had `sources/<id>/original` and `text.txt`, which nobody could open by their names
MOST_BYTES = 5_000_000_000  # of originals; more is a backup's work
MOST = 10_000  # sources, notes, conversations of one notebook that leave it
_PIECE = 1_000_000
_NAME_CHARS = 58  # of four bytes each at most: with number and ending within the 255 bytes of a name in any file system
_ENDING = re.compile(r"\.[A-Za-z0-9]{1,10}\Z")
_ENDINGS = {"pdf": ".pdf", "markdown": ".md", "text": ".txt", "url": ".html"}
# What `sourcebook import` gives a source again.
_DETAILS = {
    "id", "kind", "title", "url", "file_name", "media_type", "authors", "year", "doi", "labels", "external_id", "meta", "language", "grant",
}  # fmt: skip


async def written(shared: Shared, caller: Caller, notebook: NotebookRead) -> IO[bytes]:
    """The archive as a file that is gone when it is closed. Raises 413 where the originals are too large together.

    `notebook.json` says what it is, and of each source which `file` is its original and which `text` its words: `sources/<n> <name>`
    under its own name and ending, `texts/<n> <name>.txt`. `notes/` and `conversations/` are Markdown with footnotes, `sources.bib` is for
    reference managers.
    """
    async with shared.db.transaction() as conn:
        held = await sources.list_for_owner(conn, caller.person_id, MOST, notebook_id=notebook.id)
    if sum(one.byte_size for one in held) > MOST_BYTES:
        raise RequestError(413, "too_large", limit=f"{MOST_BYTES // 1_000_000_000} GB of files")
    file: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - who sends it closes it
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as into:
        members = [members_of(number, one) for number, one in enumerate(held, 1)]
        told = [_details(one, member) for one, member in zip(held, members, strict=True)]
        about = {"version": VERSION, "notebook": notebook.model_dump(mode="json"), "sources": told}
        into.writestr("notebook.json", orjson.dumps(about, option=orjson.OPT_INDENT_2))
        into.writestr("sources.bib", bibliography.written(held, "bibtex"))
        for one, member in zip(held, members, strict=True):
            await _source(shared, into, one, member)
        await _notes(shared, caller, into, notebook.id)
        await _conversations(shared, caller, into, notebook.id)
    file.seek(0)
    return file


async def pieces(file: IO[bytes]) -> AsyncIterator[bytes]:
    """The file from its beginning, closed at the end."""
    with file:
        while piece := await asyncio.to_thread(file.read, _PIECE):
            yield piece


@dataclass(frozen=True, slots=True)
class Members:
    """The paths of a source in the archive, where it has them: its bytes as they were added, and its words as they were read."""

    file: str | None
    text: str | None


def members_of(number: int, of: Source) -> Members:
    """Under names that a person knows: the number keeps them apart and in the order of the manifest."""
    given = of.file_name or of.title
    found = _ENDING.search(given) if of.file_name else None
    if found:
        stem, ending = given[: found.start()], found.group()
    else:
        known = EXTENSIONS.get((of.media_type or "").partition(";")[0].strip())
        stem, ending = given, f".{known}" if known else _ENDINGS.get(of.kind, "")
    name = f"{number:03} {_plain(stem)}".strip()
    return Members(f"sources/{name}{ending}" if of.has_file else None, f"texts/{name}.txt" if of.reading_id is not None else None)


def _details(of: Source, member: Members) -> dict[str, Any]:
    told = SourceRead.of(of).model_dump(mode="json", include=_DETAILS)
    return told | {"file": member.file, "text": member.text}


async def _source(shared: Shared, into: zipfile.ZipFile, of: Source, member: Members) -> None:
    if member.file is not None:
        with into.open(zipfile.ZipInfo(member.file), "w", force_zip64=True) as out:
            async for piece in shared.blobs.get_stream(original_key(of.id)):
                await asyncio.to_thread(out.write, piece)
    if member.text is None or of.reading_id is None:
        return
    with into.open(member.text, "w", force_zip64=True) as out:
        async for text in texts(shared, of.reading_id):
            await asyncio.to_thread(out.write, text.encode("utf-8", "replace"))


async def _notes(shared: Shared, caller: Caller, into: zipfile.ZipFile, notebook_id: UUID) -> None:
    async with shared.db.transaction() as conn:
        found = await notes.list_for_notebook(conn, caller.person_id, notebook_id, MOST)
    for name, note in _named(found):
        await asyncio.to_thread(_note, into, name, note)  # sentences of a long one that was changed take a second


def _note(into: zipfile.ZipFile, name: str, note: Note) -> None:
    read = NoteRead.of(note)
    into.writestr(f"notes/{name}.md", exported.note_markdown(read, note.uncited))
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
        yield f"{number:03} {_plain(item.title)}".strip(), item


def _plain(name: str) -> str:
    """The letters (with the signs that are written on them) and digits of a name, in which no system sees a path, a device or an
    ending; perhaps none."""
    whole = unicodedata.normalize("NFC", name)
    words = "".join(sign if sign in " -_" or unicodedata.category(sign)[0] in "LMN" else " " for sign in whole)
    return " ".join(words.split())[:_NAME_CHARS].strip()

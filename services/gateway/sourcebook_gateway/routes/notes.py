"""Notes of a notebook: answers and words of sources that a person keeps, changes, exports or makes a source."""

from __future__ import annotations

import asyncio
import re
from typing import Annotated, Literal
from uuid import UUID, uuid4

from fastapi import Query, Request, Response

from sourcebook_core import events
from sourcebook_core.checks import Citation, Context, Evidence, Use
from sourcebook_core.db import Conn
from sourcebook_core.errors import RequestError
from sourcebook_core.store import citations, notes, passages, turns
from sourcebook_core.store.notes import Note
from sourcebook_core.store.passages import Passage
from sourcebook_core.store.sources import Source
from sourcebook_gateway import exported, uploads
from sourcebook_gateway.access import check_owned, gated_router, needs
from sourcebook_gateway.creating import created
from sourcebook_gateway.deps import Caller, CallerDep, Shared, SharedDep
from sourcebook_gateway.refusals import not_found
from sourcebook_gateway.routes.reading import own_reading
from sourcebook_gateway.shapes.lists import CursorQuery, LimitQuery, Listed, paged, place
from sourcebook_gateway.shapes.notes import NoteCreate, NoteRead, NoteUpdate
from sourcebook_gateway.shapes.sources import AddedList

router = gated_router("notes")
_MARK = re.compile(r"\[(\d{1,4})\]")
_TITLE_CHARS = 80
_SELECTION_CHARS = 20_000


@router.get("/notebooks/{notebook_id}/notes", summary="My notes", openapi_extra=needs("read"))
async def list_notes(
    notebook_id: UUID, caller: CallerDep, shared: SharedDep, cursor_: CursorQuery = None, limit: LimitQuery = 100
) -> Listed[NoteRead]:
    """Last changed first."""
    before_at, before_id = place(cursor_)
    async with shared.db.transaction() as conn:
        await check_owned(conn, caller, notebook_id)
        found = await notes.list_for_notebook(conn, caller.person_id, notebook_id, limit + 1, before_at, before_id)
    # In a thread: sentences of long notes that were changed take a second each, and there may be 200.
    return await asyncio.to_thread(paged, found, limit, NoteRead.of, lambda row: (row.updated_at, row.id))


@router.post(
    "/notebooks/{notebook_id}/notes", status_code=201, response_model=NoteRead, summary="Keep a note", openapi_extra=needs("manage")
)  # fmt: skip
async def create_note(request: Request, notebook_id: UUID, asked: NoteCreate, caller: CallerDep, shared: SharedDep) -> Response:
    """An answer with its citations, words of a source with their place, or a text of one's own."""
    note_id = uuid4()

    async def make(conn: Conn) -> tuple[int, NoteRead]:
        await check_owned(conn, caller, notebook_id)
        if asked.turn_id is not None:
            await _keep_answer(conn, caller, notebook_id, note_id, asked.turn_id, asked.title)
        elif asked.source_id is not None:
            await _keep_words(conn, caller, notebook_id, note_id, asked)
        else:
            text = asked.text or ""
            title = asked.title or _first_words(text)
            await notes.insert(conn, note_id, notebook_id=notebook_id, person_id=caller.person_id, title=title, text=text)
        return 201, await _read(conn, caller, note_id)

    made = await created(shared, request, caller, make)
    await _hint(shared, caller, notebook_id)
    return made


async def _keep_answer(conn: Conn, caller: Caller, notebook_id: UUID, note_id: UUID, turn_id: UUID, title: str | None) -> None:
    turn = await turns.find(conn, turn_id, caller.person_id)
    if turn is None or turn.notebook_id != notebook_id:
        raise not_found()
    if turn.status in ("queued", "running") or not turn.answer.strip():
        raise RequestError(409, "conflict", why="this answer is not there yet, or is empty.")
    cited = (await citations.list_for_turns(conn, [turn_id]))[turn_id]
    known = {one.n for one in cited}
    text = _MARK.sub(lambda mark: f"[^{mark[1]}]" if int(mark[1]) in known else mark[0], turn.answer)
    await notes.insert(
        conn, note_id, notebook_id=notebook_id, person_id=caller.person_id, title=title or _first_words(turn.question), text=text,
        kept=text, citations=cited, turn_id=turn_id,
    )  # fmt: skip


async def _keep_words(conn: Conn, caller: Caller, notebook_id: UUID, note_id: UUID, asked: NoteCreate) -> None:
    assert asked.source_id is not None and asked.passage is not None and asked.start is not None and asked.end is not None
    source, reading = await own_reading(conn, caller, asked.source_id, asked.reading_id)
    found = await passages.find(conn, reading.id, asked.passage)
    if found is None or asked.start >= asked.end or asked.end > len(found.text) or asked.end - asked.start > _SELECTION_CHARS:
        raise RequestError(422, "invalid_field", why="start and end: they do not lie in this passage, or hold too much.")
    quote = found.text[asked.start : asked.end]
    text = "\n".join(f"> {line}".rstrip() for line in quote.strip().splitlines()) + " [^1]"
    await notes.insert(
        conn, note_id, notebook_id=notebook_id, person_id=caller.person_id, title=asked.title or _first_words(quote), text=text,
        kept=text, citations=[_quoted(source, reading.id, found, asked.start, asked.end)],
    )  # fmt: skip


def _quoted(source: Source, reading_id: UUID, of: Passage, start: int, end: int) -> Citation:
    """The citation of words that are the source's own."""
    quote = of.text[start:end]
    use = Use(
        statement=0, quote=quote, start=start, end=end, context=Context(), verdict="found",
        evidence=Evidence(spans=[(start, end)], quoted_words_found=True),
    )  # fmt: skip
    return Citation(
        n=1, source_id=source.id, reading_id=reading_id, source_title=source.title, kind=source.kind, chunk_id=reading_id,
        passage=of.ordinal, page=of.page, heading=of.heading, sheet=of.sheet, start_ms=of.start_ms, end_ms=of.end_ms, quote=quote,
        start=start, end=end, verdict="found", uses=[use],
    )  # fmt: skip


@router.get("/notes/{note_id}", summary="One note", openapi_extra=needs("read"))
async def get_note(note_id: UUID, caller: CallerDep, shared: SharedDep) -> NoteRead:
    """With what stands behind its marks."""
    async with shared.db.transaction() as conn:
        return await _read(conn, caller, note_id)


@router.patch("/notes/{note_id}", summary="Change a note", openapi_extra=needs("manage"))
async def update_note(note_id: UUID, asked: NoteUpdate, caller: CallerDep, shared: SharedDep) -> NoteRead:
    """Its title or text; sentences that change are told as the person's own."""
    async with shared.db.transaction() as conn:
        if not await notes.update(conn, caller.person_id, note_id, asked.title, asked.text):
            raise not_found()
        changed = await _read(conn, caller, note_id)
    await _hint(shared, caller, changed.notebook_id)
    return changed


@router.delete("/notes/{note_id}", status_code=204, summary="Move to the trash", openapi_extra=needs("manage"))
async def delete_note(note_id: UUID, caller: CallerDep, shared: SharedDep) -> None:
    """Kept for 14 days."""
    async with shared.db.transaction() as conn:
        if not await notes.delete(conn, caller.person_id, note_id):
            raise not_found()
    await events.hint(shared.redis, [caller.person_id], "notebook")


@router.post("/notes/{note_id}/restore", summary="Take out of the trash", openapi_extra=needs("manage"))
async def restore_note(note_id: UUID, caller: CallerDep, shared: SharedDep) -> NoteRead:
    """As it was. Safe to repeat."""
    async with shared.db.transaction() as conn:
        await notes.restore(conn, caller.person_id, note_id)
        return await _read(conn, caller, note_id)


@router.post("/notes/{note_id}/source", status_code=202, response_model=NoteRead, summary="Make it a source", openapi_extra=needs("add"))
async def note_as_source(request: Request, note_id: UUID, caller: CallerDep, shared: SharedDep) -> NoteRead:
    """The note, with its footnotes, becomes a text of the notebook that can be asked; again: its new wording, as a new reading. It stays
    known as a note: originals come before it, and its words alone prove nothing."""
    async with shared.db.transaction() as conn:
        note = await _read(conn, caller, note_id)
    given = {"title": note.title or "Note", "text": exported.note_words(note), "format": "markdown", "external_id": f"note:{note_id}"}
    taken = await uploads.take_given(request, shared, caller, note.notebook_id, given, made_of="note")
    added = AddedList.model_validate_json(bytes(taken.body)).items[0].source
    assert added is not None, "a refusal was raised"
    async with shared.db.transaction() as conn:
        await notes.made_source(conn, note_id, added.id)
        return await _read(conn, caller, note_id)


@router.get("/notes/{note_id}/file", summary="Export", response_class=Response, openapi_extra=needs("read"))
async def export_note(
    note_id: UUID, caller: CallerDep, shared: SharedDep,
    format: Annotated[Literal["md", "docx"], Query(description="Markdown with footnotes, or Word.")] = "md",
) -> Response:  # fmt: skip
    """The note, each mark a footnote with title, place and quote; it says what is the person's own, and what no source was given for."""
    async with shared.db.transaction() as conn:
        found = await _row(conn, caller, note_id)
    note = await asyncio.to_thread(NoteRead.of, found)
    return await exported.file(note.title or "Note", exported.of_note(note, found.uncited), format)


async def _row(conn: Conn, caller: Caller, note_id: UUID) -> Note:
    found = await notes.find(conn, caller.person_id, note_id)
    if found is None:
        raise not_found()
    return found


async def _read(conn: Conn, caller: Caller, note_id: UUID) -> NoteRead:
    return await asyncio.to_thread(NoteRead.of, await _row(conn, caller, note_id))


async def _hint(shared: Shared, caller: Caller, notebook_id: UUID) -> None:
    await events.hint(shared.redis, [caller.person_id], "notebook", notebook_id=str(notebook_id))


def _first_words(text: str) -> str:
    """The title of a note without one: its first words."""
    line = " ".join(text.replace("#", " ").split())
    return line if len(line) <= _TITLE_CHARS else line[: _TITLE_CHARS - 1].rsplit(" ", 1)[0] + "…"

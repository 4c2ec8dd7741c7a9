"""Sources: adding, listing, details, grants, trash and back."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from fastapi import Request, Response

from sourcebook_core import jobs
from sourcebook_core.db import Conn
from sourcebook_core.errors import RequestError
from sourcebook_core.jobs import OF_A_SOURCE, SummariseSource
from sourcebook_core.store import grants, notebooks, sources
from sourcebook_gateway import adding, uploads, waiting
from sourcebook_gateway.access import check_owned, gated_router, needs
from sourcebook_gateway.deps import Caller, CallerDep, Shared, SharedDep
from sourcebook_gateway.json_answers import JsonAnswer
from sourcebook_gateway.refusals import not_found
from sourcebook_gateway.shapes.lists import CursorQuery, LimitQuery, Listed, paged, place
from sourcebook_gateway.shapes.sources import AddedList, GrantAsk, RereadAsk, RetryAsk, SourceRead, SourceUpdate, TextAdd, UrlAdd
from sourcebook_gateway.waiting import WaitQuery

router = gated_router("sources")
_BODY = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["file"],
                    "properties": {
                        "file": {"type": "array", "items": {"type": "string", "format": "binary"}, "description": "One or more files."},
                        "capture": {"type": "string", "enum": ["auto", "text", "vision"], "description": "How PDFs are read."},
                        "password": {"type": "string", "description": "Opens a protected PDF."},
                        "external_id": {"type": "string", "description": "Your own id, for one file."},
                        "title": {"type": "string", "description": "Its name, for one file; else the file's."},
                    },
                }
            },
            "application/json": {"schema": {"anyOf": [TextAdd.model_json_schema(), UrlAdd.model_json_schema()]}},
        },
    }
}
_ADDED: dict[int | str, dict[str, Any]] = {
    200: {"model": AddedList, "description": "All of it was known already: linked, ready at once."},
    207: {"model": AddedList, "description": "Some were taken in, some refused."},
    413: {"description": "Too large."},
    415: {"description": "None of it can be read here."},
}


@router.post(
    "/notebooks/{notebook_id}/sources", status_code=202, response_model=AddedList, responses=_ADDED, summary="Add sources",
    openapi_extra=needs("add", **_BODY),
)  # fmt: skip
async def add_sources(request: Request, notebook_id: UUID, caller: CallerDep, shared: SharedDep, wait: WaitQuery = None) -> Response:
    """Files (streamed to storage, hashed on the way), a text or a web address. The same content is the same source."""
    async with shared.db.transaction() as conn:
        await check_owned(conn, caller, notebook_id)
    taken = await uploads.take(request, shared, caller, notebook_id)
    wait_s = waiting.seconds_of(wait)
    return taken if wait_s is None else await _when_read(shared, caller, notebook_id, taken, wait_s)


async def _when_read(shared: Shared, caller: Caller, notebook_id: UUID, taken: Response, wait_s: float) -> Response:
    """The same answer with the sources as they are when they are read, or when the time is over; 200 when nothing is left to do."""
    items = AddedList.model_validate_json(bytes(taken.body)).items
    is_over = await waiting.for_sources(shared, [item.source.id for item in items if item.source], wait_s)
    async with shared.db.transaction() as conn:
        now = [
            item.model_copy(update={"source": await read_source(conn, caller, item.source.id, notebook_id)}) if item.source else item
            for item in items
        ]
    status = 200 if is_over and taken.status_code == 202 else taken.status_code
    return JsonAnswer(AddedList(items=now), status_code=status)


@router.get("/notebooks/{notebook_id}/sources", summary="A notebook's sources", openapi_extra=needs("read"))
async def list_in_notebook(
    notebook_id: UUID, caller: CallerDep, shared: SharedDep, cursor_: CursorQuery = None, limit: LimitQuery = 200
) -> Listed[SourceRead]:
    """Newest first, with the grant of each."""
    async with shared.db.transaction() as conn:
        await check_owned(conn, caller, notebook_id)
        return await _page(conn, caller, cursor_, limit, notebook_id)


@router.get("/sources", summary="My library", openapi_extra=needs("read"))
async def list_library(caller: CallerDep, shared: SharedDep, cursor_: CursorQuery = None, limit: LimitQuery = 200) -> Listed[SourceRead]:
    """Every source of the asker, newest first, with how many notebooks hold it."""
    async with shared.db.transaction() as conn:
        return await _page(conn, caller, cursor_, limit, None)


async def _page(conn: Conn, caller: Caller, given: str | None, limit: int, notebook_id: UUID | None) -> Listed[SourceRead]:
    before_at, before_id = place(given)
    found = await sources.list_for_owner(conn, caller.person_id, limit + 1, before_at, before_id, notebook_id)
    return paged(found, limit, SourceRead.of, lambda row: (row.created_at, row.id))


async def read_source(conn: Conn, caller: Caller, source_id: UUID, notebook_id: UUID | None = None) -> SourceRead:
    """The source as its owner sees it; 404 when it is not theirs."""
    found = await sources.find(conn, caller.person_id, source_id, notebook_id)
    if found is None:
        raise not_found()
    return SourceRead.of(found)


@router.get("/sources/{source_id}", summary="One source", openapi_extra=needs("read"))
async def get_source(source_id: UUID, caller: CallerDep, shared: SharedDep) -> SourceRead:
    """Status, progress, report and details."""
    async with shared.db.transaction() as conn:
        return await read_source(conn, caller, source_id)


@router.patch("/sources/{source_id}", summary="Change details", openapi_extra=needs("manage"))
async def update_source(source_id: UUID, asked: SourceUpdate, caller: CallerDep, shared: SharedDep) -> SourceRead:
    """Title, authors, year, DOI, labels, external id, meta; nothing is read again."""
    changes = asked.model_dump(exclude_unset=True)
    for name, empty in (("authors", []), ("labels", []), ("meta", {})):
        if name in changes and changes[name] is None:
            changes[name] = empty
    if "title" in changes and changes["title"] is None:
        raise RequestError(422, "invalid_field", why="title: a source needs one.")
    async with shared.db.transaction() as conn:
        before = await read_source(conn, caller, source_id)
        if not await sources.update(conn, caller.person_id, before.id, changes):
            raise RequestError(409, "conflict", why="another source has this external id.")
        changed = await read_source(conn, caller, source_id)
        books = await grants.notebooks_of(conn, source_id)
    await adding.hint(shared, caller, [source_id], books)
    return changed


@router.post("/sources/{source_id}/retry", status_code=202, summary="Try again", openapi_extra=needs("add"))
async def retry_source(
    source_id: UUID, caller: CallerDep, shared: SharedDep, asked: RetryAsk | None = None, wait: WaitQuery = None
) -> SourceRead:
    """Read a failed or stopped source again, with a password where it needs one. 409 for one that is not failed or stopped."""
    password = asked.password.get_secret_value() if asked and asked.password else None
    async with shared.db.transaction() as conn:
        source = await read_source(conn, caller, source_id)
        if source.status not in ("failed", "stopped", "paused"):
            raise RequestError(409, "conflict", why="only a source that was not read can be tried again.")
        await adding.queue_again(conn, shared, caller, source_id, password)
        changed = await read_source(conn, caller, source_id)
    return await when_read(shared, caller, await _rung(shared, caller, changed), wait)


@router.post("/sources/{source_id}/reread", status_code=202, summary="Read again", openapi_extra=needs("add"))
async def reread_source(
    source_id: UUID, caller: CallerDep, shared: SharedDep, asked: RereadAsk | None = None, wait: WaitQuery = None
) -> SourceRead:
    """Make a new reading; the one before answers until it is there. 409 while it is being read."""
    async with shared.db.transaction() as conn:
        source = await read_source(conn, caller, source_id)
        if source.status in ("queued", "reading", "indexing"):
            raise RequestError(409, "conflict", why="it is being read just now.")
        await sources.forget_approval(conn, source_id)
        await adding.queue_again(conn, shared, caller, source_id, capture=asked.capture if asked else None)
        changed = await read_source(conn, caller, source_id)
    return await when_read(shared, caller, await _rung(shared, caller, changed), wait)


async def when_read(shared: Shared, caller: Caller, source: SourceRead, wait: str | None) -> SourceRead:
    """The source as it is when nothing works on it any more, or when the time is over; as it was given without `wait`."""
    wait_s = waiting.seconds_of(wait)
    if wait_s is None:
        return source
    await waiting.for_sources(shared, [source.id], wait_s)
    async with shared.db.transaction() as conn:
        return await read_source(conn, caller, source.id)


async def _rung(shared: Shared, caller: Caller, source: SourceRead) -> SourceRead:
    await shared.bell.ring("ingest")
    async with shared.db.transaction() as conn:
        books = await grants.notebooks_of(conn, source.id)
    await adding.hint(shared, caller, [source.id], books)
    return source


@router.post("/sources/{source_id}/stop", status_code=202, summary="Stop reading", openapi_extra=needs("add"))
async def stop_source(source_id: UUID, caller: CallerDep, shared: SharedDep) -> SourceRead:
    """Reading ends soon; what is done stays for the next try. Stopping an ended one changes nothing."""
    async with shared.db.transaction() as conn:
        await read_source(conn, caller, source_id)
        await jobs.cancel(conn, source_id, *OF_A_SOURCE)
        await sources.set_stopped(conn, source_id)
        changed = await read_source(conn, caller, source_id)
    return await _rung(shared, caller, changed)


@router.delete("/sources/{source_id}", status_code=204, summary="Move to the trash", openapi_extra=needs("manage"))
async def delete_source(source_id: UUID, caller: CallerDep, shared: SharedDep) -> None:
    """At once out of every notebook and search; kept for 14 days. Reading it stops."""
    async with shared.db.transaction() as conn:
        if not await sources.delete(conn, caller.person_id, source_id):
            raise not_found()
        await jobs.cancel(conn, source_id, *OF_A_SOURCE)
        await sources.set_stopped(conn, source_id)
        books = await grants.notebooks_of(conn, source_id)
    await adding.hint(shared, caller, [source_id], books)


@router.post("/sources/{source_id}/restore", summary="Take out of the trash", openapi_extra=needs("manage"))
async def restore_source(source_id: UUID, caller: CallerDep, shared: SharedDep) -> SourceRead:
    """As it was, in the notebooks that held it. 409 when the same content was added again since. Safe to repeat."""
    async with shared.db.transaction() as conn:
        is_back = await sources.restore(conn, caller.person_id, source_id)
        if not is_back and await sources.in_trash(conn, caller.person_id, source_id):
            raise RequestError(409, "conflict", why="the same source was added again meanwhile.")
        restored = await read_source(conn, caller, source_id)
        if restored.reading_id is None and (restored.status == "stopped" or (is_back and restored.status == "reading")):
            # Deleting it stopped its reading, or is about to; what is taken back goes on.
            await adding.queue_again(conn, shared, caller, source_id)
            restored = await read_source(conn, caller, source_id)
        await adding.index_for_all(conn, caller, source_id)
        if restored.reading_id is not None and restored.summary is None:
            summary = SummariseSource(source_id=source_id, reading_id=restored.reading_id)
            await jobs.insert(conn, summary, owner_id=caller.person_id, subject=source_id, once=restored.reading_id)
        books = await grants.notebooks_of(conn, source_id)
    await shared.bell.ring("ingest")
    await adding.hint(shared, caller, [source_id], books)
    return restored


@router.put("/notebooks/{notebook_id}/sources/{source_id}", summary="Link or pause", openapi_extra=needs("add"))
async def set_grant(notebook_id: UUID, source_id: UUID, caller: CallerDep, shared: SharedDep, asked: GrantAsk | None = None) -> SourceRead:
    """Gives a source of the library to the notebook, or pauses it there."""
    state = asked.grant if asked else "given"
    async with shared.db.transaction() as conn:
        await adding.link(conn, caller, notebook_id, source_id, state)
        await notebooks.touch(conn, notebook_id)
        linked = await read_source(conn, caller, source_id, notebook_id)
    await shared.bell.ring("ingest")
    await adding.hint(shared, caller, [source_id], [notebook_id])
    return linked


@router.delete("/notebooks/{notebook_id}/sources/{source_id}", status_code=204, summary="Unlink", openapi_extra=needs("manage"))
async def unlink(notebook_id: UUID, source_id: UUID, caller: CallerDep, shared: SharedDep) -> None:
    """Takes the source out of the notebook; it stays in the library."""
    async with shared.db.transaction() as conn:
        is_theirs = await notebooks.owns(conn, caller.person_id, notebook_id)
        if not is_theirs or not await grants.take(conn, notebook_id, source_id):
            raise not_found()
        await notebooks.touch(conn, notebook_id)
    await adding.hint(shared, caller, [source_id], [notebook_id])

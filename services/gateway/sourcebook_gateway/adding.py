"""Adding sources: the same content, address or external id is the same source, however many ask at once."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

from sourcebook_core import events, jobs
from sourcebook_core.blobs import incoming_key, original_key
from sourcebook_core.db import Conn
from sourcebook_core.errors import RequestError, SourcebookError
from sourcebook_core.jobs import ReadSource
from sourcebook_core.seal import close_text
from sourcebook_core.store import asks, assistant_sources, grants, notebooks, sources
from sourcebook_core.store.scopes import Holder
from sourcebook_core.store.sources import Added, Known
from sourcebook_gateway import holders, taking
from sourcebook_gateway.deps import Caller, Shared
from sourcebook_gateway.refusals import not_found
from sourcebook_gateway.shapes.sources import AddedItem, AddedList, SourceProblem, SourceRead, TextAdd

_AGAIN = frozenset({"failed", "stopped"})
_TITLE_CHARS = 300


@dataclass(frozen=True)
class Kept:
    """Something that was taken in: its row to be, and the key under which its bytes lie (None for an address).

    `shown` is its name where that is more than the source's: with its archive's.
    """

    added: Added
    key: str | None
    password: str | None = None
    shown: str | None = None

    @property
    def name(self) -> str:
        """By which it was sent."""
        return self.shown or self.added.file_name or self.added.title


@dataclass(frozen=True)
class Refused:
    """Something that was not taken in, and why."""

    name: str
    error: SourcebookError


@dataclass
class Outcome:
    """What became of one item; `is_new` when there is something to read, `is_taken` when its bytes are the source's now.

    `name` and `same_as` are set where an item before it in the request has the very same bytes: both are one source.
    """

    source_id: UUID
    is_new: bool
    is_taken: bool = False
    name: str | None = None
    same_as: str | None = None


class Misplaced(Exception):
    """The bytes of `kept` belong under `key` before the rows can be written: move them, outside any transaction, and try again."""

    def __init__(self, kept: Kept, key: str) -> None:
        super().__init__(key)
        self.kept, self.key = kept, key


async def text_item(shared: Shared, caller: Caller, asked: TextAdd) -> Kept:
    """Keep a pasted text like an uploaded file of the same bytes. Raises 422 `empty_file`, 413 `too_large`."""
    raw = asked.text.encode()
    limit = shared.settings.limits.text_bytes
    title = asked.title or _first_line(asked.text) or "Text"
    if not raw:
        raise RequestError(422, "empty_file", name=title)
    if len(raw) > limit:
        raise RequestError(413, "too_large", limit=f"{limit // 1_000_000} MB")
    source_id = uuid4()
    key = upload_key(source_id)
    await shared.blobs.put(key, raw)
    kind = "markdown" if asked.format == "markdown" else "text"
    media_type = "text/markdown" if asked.format == "markdown" else "text/plain"
    added = Added(
        id=source_id, owner_id=caller.person_id, added_by=caller.person_id, kind=kind, title=title, media_type=media_type,
        byte_size=len(raw), content_hash=hashlib.sha256(raw).digest(), has_file=True, external_id=asked.external_id,
    )  # fmt: skip
    return Kept(added, key)


def upload_key(source_id: UUID) -> str:
    """Where the bytes of a source to be are stored: where they stay if it is new. Without a row, care sweeps them."""
    return original_key(source_id)


def _first_line(text: str) -> str:
    for line in text[:10_000].splitlines():
        words = line.strip().strip("#").replace("\x00", "").strip()
        if words:
            return words[:_TITLE_CHARS]
    return ""


async def add_all(
    conn: Conn, shared: Shared, caller: Caller, notebook_id: UUID, items: Sequence[Kept | Refused]
) -> list[Outcome | Refused]:
    """`add` for each that was kept; the outcomes in the order given.

    They are added in the order of their content: two requests with the same files in another order would else wait for
    each other in a circle.
    """
    outcomes: dict[int, Outcome | Refused] = {}
    for place, item in sorted(enumerate(items), key=lambda placed: _content_of(placed[1])):
        outcomes[place] = item if isinstance(item, Refused) else await add(conn, shared, caller, notebook_id, item)
    _tell_the_same(items, outcomes)
    return [outcomes[place] for place in range(len(items))]


def _tell_the_same(items: Sequence[Kept | Refused], outcomes: dict[int, Outcome | Refused]) -> None:
    """Note with each item which one before it has the same bytes: one of two files would else vanish without a word."""
    firsts: dict[bytes, str] = {}
    for place, item in enumerate(items):
        outcome, content = outcomes[place], _content_of(item)
        if isinstance(item, Kept) and isinstance(outcome, Outcome) and content:
            first = firsts.setdefault(content, item.name)
            if first is not item.name:
                outcome.name, outcome.same_as = item.name, first


def _content_of(item: Kept | Refused) -> bytes:
    return b"" if isinstance(item, Refused) else item.added.content_hash or b""


async def add(conn: Conn, shared: Shared, caller: Caller, notebook_id: UUID, kept: Kept) -> Outcome:
    """Make or find the source and give it to the notebook, inside the caller's transaction. Raises Misplaced.

    No byte is moved or removed here, for a slow storage would hold the rows, and a rollback would not bring back what is gone:
    they lie in their place before (object first, row second), and what nobody took over is removed after the commit.
    """
    added = kept.added
    known = await _known(conn, added)
    if known is None:
        _in_place(kept, original_key(added.id))
        if await sources.insert(conn, added):
            await _queue(conn, shared, added.id, caller, kept.password)
            await grants.give(conn, notebook_id, added.id, caller.person_id)
            return Outcome(added.id, is_new=True, is_taken=True)
        # Another request with the same content committed between our look and our insert.
        known = await _known(conn, added)
        if known is None:
            raise RequestError(409, "conflict", why="the same source was added and removed at the same moment. Try again.")
    outcome = await _meet(conn, shared, caller, kept, known)
    await grants.give(conn, notebook_id, known.id, caller.person_id)
    await _index_for(conn, caller, notebook_id, known.id)
    return outcome


def _in_place(kept: Kept, key: str) -> None:
    if kept.key is not None and kept.key != key:
        raise Misplaced(kept, key)


async def _known(conn: Conn, added: Added) -> Known | None:
    return await sources.find_known(conn, added.owner_id, added.content_hash, added.url, added.external_id)


async def _meet(conn: Conn, shared: Shared, caller: Caller, kept: Kept, known: Known) -> Outcome:
    """What a known source does with what was sent: new content under its external id is a new reading, a failed one is tried again."""
    added = kept.added
    is_other_content = added.content_hash is not None and known.content_hash != added.content_hash
    if added.external_id is not None and known.external_id == added.external_id and is_other_content:
        assert added.content_hash is not None
        _in_place(kept, incoming_key(known.id, added.content_hash))
        if not await sources.replace_content(
            conn, known.id, kind=added.kind, file_name=added.file_name, media_type=added.media_type, byte_size=added.byte_size,
            content_hash=added.content_hash,
        ):  # fmt: skip
            raise RequestError(409, "conflict", why="another source of the library has this very content.")
        await jobs.cancel(conn, known.id, ReadSource)  # one that runs has the content of before in its hands
        await queue_again(conn, shared, caller, known.id, kept.password)
        return Outcome(known.id, is_new=True, is_taken=True)
    is_again = known.status in _AGAIN
    if is_again:
        await queue_again(conn, shared, caller, known.id, kept.password)
    return Outcome(known.id, is_again)


async def settle(shared: Shared, kept: Kept, outcome: Outcome) -> None:
    """After the commit: new bytes of a known source take the place of those before. Who reads the source does it too, after a crash."""
    if outcome.is_taken and kept.key is not None and kept.key != original_key(outcome.source_id):
        with suppress(LookupError, SourcebookError):
            await shared.blobs.move(kept.key, original_key(outcome.source_id))


async def queue_again(
    conn: Conn, shared: Shared, caller: Caller, source_id: UUID, password: str | None = None, capture: str | None = None
) -> None:
    """Put a source back at the start of its way."""
    await sources.queue_again(conn, source_id, capture)
    await _queue(conn, shared, source_id, caller, password)


async def _queue(conn: Conn, shared: Shared, source_id: UUID, caller: Caller, password: str | None) -> None:
    sealed = close_text(shared.settings, password) if password else None
    work = ReadSource(source_id=source_id)
    await jobs.insert(conn, work, owner_id=caller.person_id, subject=source_id, once=source_id, sealed=sealed)


async def _index_for(conn: Conn, caller: Caller, notebook_id: UUID, source_id: UUID) -> None:
    """A source that is read but not cut as this notebook wants it is indexed for it; it costs nothing when it is."""
    source = await sources.find(conn, caller.person_id, source_id, notebook_id)
    notebook = await notebooks.find(conn, caller.person_id, notebook_id)
    if source is None or notebook is None or source.reading_id is None or source.searchable == "full":
        return
    await jobs.insert_indexing(
        conn, owner_id=caller.person_id, source_id=source_id, reading_id=source.reading_id, recipe_id=notebook.recipe_id
    )


async def index_for_all(conn: Conn, caller: Caller, source_id: UUID) -> None:
    """A source that comes back is indexed for each of its notebooks and assistants, where a model that was chosen meanwhile wants it."""
    for notebook_id in await grants.notebooks_of(conn, source_id):
        await _index_for(conn, caller, notebook_id, source_id)
    for assistant_id in await assistant_sources.assistants_of(conn, source_id):
        await holders.index_for(conn, assistant_id)


async def link(conn: Conn, caller: Caller, notebook_id: UUID, source_id: UUID, state: str) -> None:
    """Give a source of the library to a notebook, or pause it there. Raises 404 for either that is not theirs, 413 or 415 for one
    that the notebook's profile does not take in."""
    source = await sources.find(conn, caller.person_id, source_id)
    asked = await asks.find(conn, Holder("notebook", notebook_id), caller.person_id)
    if not await notebooks.owns(conn, caller.person_id, notebook_id) or source is None or asked is None:
        raise not_found()
    refused = taking.refusal(source.title, source.kind, source.byte_size, asked.profile.ingest)
    if refused is not None:
        raise refused
    await grants.give(conn, notebook_id, source_id, caller.person_id, state)
    if state == "given":
        await _index_for(conn, caller, notebook_id, source_id)


async def answer(conn: Conn, caller: Caller, notebook_id: UUID, outcomes: Sequence[Outcome | Refused]) -> tuple[int, AddedList]:
    """Status and items: 202 when something new is to be read, 200 when all was known, 207 mixed, else the first refusal's own."""
    items, status = [], 0
    for outcome in outcomes:
        if isinstance(outcome, Refused):
            problem = SourceProblem(code=outcome.error.code, message=outcome.error.message)
            items.append(AddedItem(error=problem, name=outcome.name))
            continue
        source = await sources.find(conn, caller.person_id, outcome.source_id, notebook_id)
        if source is None:
            raise not_found()
        items.append(AddedItem(source=SourceRead.of(source), name=outcome.name, same_as=outcome.same_as))
        status = max(status, 202 if outcome.is_new else 200)
    if any(item.error for item in items):
        status = 207
    return status, AddedList(items=items)


def refusal_of_all(refused: Sequence[Refused]) -> SourcebookError:
    """When nothing was taken in: one refusal answers for itself, several are 415 with their reasons."""
    if len(refused) == 1:
        only = refused[0].error
        return only if isinstance(only, RequestError) else _at_door(only)
    listed: list[dict[str, Any]] = [{"name": r.name, "code": r.error.code, "message": r.error.message} for r in refused]
    return RequestError(415, "unsupported_kind", "None of the files can be read here.", detail={"items": listed})


def _at_door(error: SourcebookError) -> RequestError:
    status = 415 if error.code == "unsupported_kind" else error.status
    return RequestError(status, error.code, error.message)


async def hint(shared: Shared, caller: Caller, source_ids: Sequence[UUID], notebook_ids: Sequence[UUID]) -> None:
    """Tell open pages that sources changed."""
    books = [str(i) for i in notebook_ids]
    for source_id in source_ids:
        await events.hint(shared.redis, [caller.person_id], "source", id=str(source_id), notebook_ids=books)

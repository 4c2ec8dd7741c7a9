"""What POST /notebooks/{id}/sources takes: files streamed to storage and hashed on the way, a text, or an address."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID, uuid4

import orjson
from fastapi import Request, Response
from pydantic import BaseModel, ValidationError

from sourcebook_core import faults, kinds
from sourcebook_core.db import Conn
from sourcebook_core.errors import PermanentError, RequestError, SourcebookError
from sourcebook_core.profiles import Taking
from sourcebook_core.store import asks, notebooks
from sourcebook_core.store.scopes import Holder
from sourcebook_core.store.sources import Added
from sourcebook_gateway import adding, archive, body, creating, filing, multipart, taking
from sourcebook_gateway.access import check_owned
from sourcebook_gateway.adding import Kept, Outcome, Refused
from sourcebook_gateway.addresses import canonical
from sourcebook_gateway.deps import Caller, Shared
from sourcebook_gateway.json_answers import JsonAnswer, dumps
from sourcebook_gateway.refusals import invalid, not_found
from sourcebook_gateway.shapes.sources import TextAdd, UrlAdd

_FIELD_BYTES = 10_000
_FORM_BYTES = 900_000  # boundaries, headers and fields around the files
_PLACINGS = 3
_CAPTURES = ("auto", "text", "vision")
_FIELDS = frozenset({"capture", "password", "external_id", "title"})


@dataclass
class _Form:
    """What a request held: things kept and refused in order, and its fields; `taken` are the keys that are a source's now."""

    items: list[Kept | Refused] = field(default_factory=list)
    fields: dict[str, str] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)
    is_deciding: bool = False  # the commit was begun and its outcome is not known
    digest: Any = field(default_factory=hashlib.sha256)  # of names, hashes and fields: what an Idempotency-Key stands for


async def take(request: Request, shared: Shared, caller: Caller, notebook_id: UUID) -> Response:
    """Read the body as it comes, store it, then make rows and jobs in one transaction; ring; answer with one item each."""
    limits = shared.settings.limits
    creating.key_of(request)
    form = _Form()
    try:
        if request.headers.get("content-type", "").lower().startswith("multipart/"):
            body.check_headers(request, limits.body_bytes + _FORM_BYTES)
            await _take_files(request, shared, caller, form)
        else:
            await _take_json(request, shared, caller, form)
        await faults.point(shared.settings, "upload.stored")
        return await _commit(request, shared, caller, notebook_id, form)
    finally:
        await _sweep(shared, form)


async def take_given(
    request: Request, shared: Shared, caller: Caller, notebook_id: UUID, given: dict[str, Any], made_of: str | None = None
) -> Response:
    """As `take`, of a text or an address that was given otherwise than as the body (`given` as the JSON body would be). `made_of`: what
    of the notebook it was made of, which a new source knows from its first moment."""
    form = _Form()
    try:
        await _take_one(shared, caller, form, given)
        if made_of is not None:
            form.items = [_made_of(item, made_of) for item in form.items]
        return await _commit(request, shared, caller, notebook_id, form)
    finally:
        await _sweep(shared, form)


def _made_of(item: Kept | Refused, what: str) -> Kept | Refused:
    return item if isinstance(item, Refused) else replace(item, added=replace(item.added, meta={"made_of": what}))


async def _sweep(shared: Shared, form: _Form) -> None:
    """Remove what was stored and not taken over by a source; also when the client left in the middle.

    Where nobody knows whether the rows were committed (the database went away just then), care decides by the rows a day later.
    """
    if form.is_deciding:
        return
    for item in form.items:
        if isinstance(item, Kept) and item.key is not None and item.key not in form.taken:
            await _drop(shared, item.key)


async def _drop(shared: Shared, key: str) -> None:
    with suppress(SourcebookError):  # storage is away: care sweeps what has no row
        await shared.blobs.delete(key)


async def _judge(shared: Shared, caller: Caller, notebook_id: UUID, form: _Form) -> None:
    """Refuse what the notebook's profile does not take in, and remove what was stored of it."""
    async with shared.db.transaction() as conn:
        asked = await asks.find(conn, Holder("notebook", notebook_id), caller.person_id)
    if asked is None:
        raise not_found()
    wanted = asked.profile.ingest
    for at, item in enumerate(form.items):
        form.items[at] = _judged(item, wanted)
        if isinstance(form.items[at], Refused) and isinstance(item, Kept) and item.key is not None:
            await _drop(shared, item.key)


def _judged(item: Kept | Refused, wanted: Taking) -> Kept | Refused:
    """The item as it may come in, read as the profile says; else its refusal."""
    if isinstance(item, Refused):
        return item
    refused = taking.refusal(item.added.file_name or item.added.title, item.added.kind, item.added.byte_size, wanted)
    if refused is not None:
        return Refused(item.added.file_name or item.added.title, refused)
    return replace(item, added=replace(item.added, capture=wanted.capture)) if wanted.capture else item


async def _commit(request: Request, shared: Shared, caller: Caller, notebook_id: UUID, form: _Form) -> Response:
    await _judge(shared, caller, notebook_id, form)
    if not any(isinstance(item, Kept) for item in form.items):
        raise adding.refusal_of_all([item for item in form.items if isinstance(item, Refused)])
    status, plain, outcomes = await _placed(request, shared, caller, notebook_id, form)
    await faults.point(shared.settings, "upload.committed")
    for item, outcome in zip(form.items, outcomes, strict=False):  # a repeated request has no outcomes
        if isinstance(item, Kept) and isinstance(outcome, Outcome):
            await adding.settle(shared, item, outcome)
    await shared.bell.ring("ingest")
    added = [outcome.source_id for outcome in outcomes if isinstance(outcome, Outcome)]
    await adding.hint(shared, caller, added, [notebook_id])
    return JsonAnswer(plain, status_code=status)


_Written = tuple[int, Any, list[Outcome | Refused]]


async def _placed(request: Request, shared: Shared, caller: Caller, notebook_id: UUID, form: _Form) -> _Written:
    """Write the rows; where bytes must lie elsewhere first (they replace a known source's), move them and write again."""
    for _ in range(_PLACINGS):
        try:
            return await _written(request, shared, caller, notebook_id, form)
        except adding.Misplaced as at:
            assert at.kept.key is not None
            await shared.blobs.move(at.kept.key, at.key)
            form.items = [replace(item, key=at.key) if item is at.kept else item for item in form.items]
    raise RequestError(409, "conflict", why="the same source was changed several times at this moment. Try again.")


async def _written(request: Request, shared: Shared, caller: Caller, notebook_id: UUID, form: _Form) -> _Written:
    """Status, answer and outcomes, from one transaction (the first answer and no outcomes for a repeated Idempotency-Key)."""

    async def write(conn: Conn) -> _Written:
        first = await creating.first_of(conn, request, caller, form.digest.digest())
        if first is not None:
            return first.status or 200, first.response, []
        await check_owned(conn, caller, notebook_id)  # it went to the trash while the bytes came
        outcomes = await adding.add_all(conn, shared, caller, notebook_id, form.items)
        await notebooks.touch(conn, notebook_id)
        status, answer = await adding.answer(conn, caller, notebook_id, outcomes)
        plain = _without_empty(orjson.loads(dumps(answer)))
        await creating.keep(conn, request, caller, status, plain)
        await faults.point(shared.settings, "upload.before_commit")
        return status, plain, outcomes

    form.is_deciding = True
    try:
        status, plain, outcomes = await shared.db.retried(write)
    except (RequestError, adding.Misplaced):
        form.is_deciding = False  # rolled back
        raise
    form.is_deciding = False
    for item, outcome in zip(form.items, outcomes, strict=False):
        if isinstance(item, Kept) and item.key is not None and isinstance(outcome, Outcome) and outcome.is_taken:
            form.taken.add(item.key)
    return status, plain, outcomes


def _without_empty(answer: dict[str, Any]) -> dict[str, Any]:
    """Each item has its source, or its error and name, and nothing else."""
    return {"items": [{name: value for name, value in item.items() if value is not None} for item in answer["items"]]}


async def _take_json(request: Request, shared: Shared, caller: Caller, form: _Form) -> None:
    given = await body.read_json(request, shared.settings.limits.json_bytes, nul_in=frozenset({"text"}))
    form.digest.update(request._body)
    if not isinstance(given, dict):
        raise RequestError(422, "invalid_field", why="send an object with url, or with text.")
    await _take_one(shared, caller, form, given)


async def _take_one(shared: Shared, caller: Caller, form: _Form, given: dict[str, Any]) -> None:
    if "url" in given:
        asked = _valid(UrlAdd, given)
        assert isinstance(asked, UrlAdd)
        form.items.append(_address(shared, caller, asked))
        return
    pasted = _valid(TextAdd, given)
    assert isinstance(pasted, TextAdd)
    form.items.append(await adding.text_item(shared, caller, pasted))


def _valid(shape: type[BaseModel], given: dict[str, Any]) -> BaseModel:
    try:
        return shape.model_validate(given)
    except ValidationError as error:
        raise invalid(error) from None


def _address(shared: Shared, caller: Caller, asked: UrlAdd) -> Kept | Refused:
    try:
        url = canonical(asked.url, shared.settings.url_allow)
    except PermanentError as error:
        return Refused(asked.url[:200], error)
    added = Added(
        id=uuid4(), owner_id=caller.person_id, added_by=caller.person_id, kind="url", title=asked.title or url[:1000], url=url,
        external_id=asked.external_id,
    )  # fmt: skip
    return Kept(added, None)


async def _take_files(request: Request, shared: Shared, caller: Caller, form: _Form) -> None:
    limits = shared.settings.limits
    parts = multipart.events(request, limits.body_bytes + _FORM_BYTES, limits.files_per_upload + len(_FIELDS))
    async for event in parts:
        assert isinstance(event, multipart.Begin)
        if event.file_name is None:
            form.fields[event.field] = await _field(event.field, parts)
        elif event.field == "file":
            await _file(shared, caller, kinds.clean_name(event.file_name), parts, form)
        else:
            raise RequestError(422, "invalid_field", why=f"{event.field}: files go into the field named file.")
    if not form.items:
        raise RequestError(422, "invalid_field", why="file: there is none in the form.")
    _apply_fields(caller, form)


async def _field(name: str, parts: AsyncIterator[multipart.Event]) -> str:
    if name not in _FIELDS:
        raise RequestError(422, "invalid_field", why=f"{name}: there is no such field.")
    raw = b""
    async for event in parts:
        if isinstance(event, multipart.End):
            break
        assert isinstance(event, multipart.Piece)
        raw += event.raw
        if len(raw) > _FIELD_BYTES:
            raise RequestError(422, "invalid_field", why=f"{name}: it is too long.")
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        raise RequestError(422, "invalid_field", why=f"{name}: it is not UTF-8.") from None
    if "\x00" in text:
        raise RequestError(422, "invalid_field", why=f"{name}: it holds a NUL character.")
    return text


async def _file(shared: Shared, caller: Caller, name: str, parts: AsyncIterator[multipart.Event], form: _Form) -> None:
    """One file from the stream into storage; of an archive its files."""
    filed = await filing.keep(shared, caller, name, _bytes_of(parts))
    form.digest.update(b"\x00file\x00" + name.encode("utf-8", "replace") + filed.digest)
    if filed.is_archive and isinstance(filed.item, Kept) and filed.item.key is not None:
        await archive.unpack(shared, caller, name, filed.item.key, form.items)
    else:
        form.items.append(filed.item)


async def _bytes_of(parts: AsyncIterator[multipart.Event]) -> AsyncIterator[bytes]:
    """The bytes of the part that began last."""
    async for event in parts:
        if isinstance(event, multipart.End):
            return
        if isinstance(event, multipart.Piece):
            yield event.raw


def _apply_fields(caller: Caller, form: _Form) -> None:
    """The form's fields hold for its files, wherever in the form they stood."""
    for name in sorted(form.fields):
        form.digest.update(f"\x00{name}\x00{form.fields[name]}".encode())
    capture = form.fields.get("capture") or caller.preferences.get("pdf_capture") or "auto"
    if capture not in _CAPTURES:
        raise RequestError(422, "invalid_field", why="capture: auto, text or vision.")
    title, external_id = form.fields.get("title", "").strip(), form.fields.get("external_id", "").strip()
    if (title or external_id) and len(form.items) > 1:
        raise RequestError(422, "invalid_field", why="title and external_id are for one file.")
    if len(title) > 1000 or len(external_id) > 300:
        raise RequestError(422, "invalid_field", why="title has at most 1,000 characters, external_id 300.")
    for at, item in enumerate(form.items):
        if isinstance(item, Kept):
            added = replace(
                item.added, capture=capture, title=title or item.added.title, external_id=external_id or None
            )  # fmt: skip
            form.items[at] = replace(item, added=added, password=form.fields.get("password") or None)

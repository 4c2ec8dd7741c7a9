"""What notebooks and assistants could not answer, and the questions they are tested with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated
from uuid import UUID, uuid4

from fastapi import Query, Request

from sourcebook_core.db import Conn
from sourcebook_core.errors import RequestError
from sourcebook_core.store import grants, misses, questions
from sourcebook_core.store.misses import Miss
from sourcebook_core.store.scopes import Holder
from sourcebook_core.text import language
from sourcebook_gateway import creating
from sourcebook_gateway.access import gated_router, needs
from sourcebook_gateway.begin_turn import worded
from sourcebook_gateway.deps import Caller, CallerDep, Shared, SharedDep
from sourcebook_gateway.holders import check_held
from sourcebook_gateway.refusals import not_found
from sourcebook_gateway.shapes.lists import CursorQuery, LimitQuery, Listed, paged, place
from sourcebook_gateway.shapes.misses import (
    Kind,
    MissCount,
    MissQuestion,
    MissRead,
    MissSet,
    QuestionCreate,
    QuestionRead,
    State,
)

router = gated_router("misses")
StateQuery = Annotated[State, Query(description="Which ones.")]


@router.get("/notebooks/{notebook_id}/misses", summary="What it could not answer", openapi_extra=needs("read"))
async def list_misses(
    notebook_id: UUID, caller: CallerDep, shared: SharedDep, state: StateQuery = "open", cursor_: CursorQuery = None, limit: LimitQuery = 50
) -> Listed[MissRead]:
    """Questions that found nothing, are not covered or got a thumbs down, the same question together, last asked first."""
    return await _misses(Holder("notebook", notebook_id), caller, shared, state, cursor_, limit)


@router.get("/assistants/{assistant_id}/misses", summary="What visitors asked in vain", openapi_extra=needs("read"))
async def list_misses_of_assistant(
    assistant_id: UUID, caller: CallerDep, shared: SharedDep, state: StateQuery = "open", cursor_: CursorQuery = None,
    limit: LimitQuery = 50,
) -> Listed[MissRead]:  # fmt: skip
    """Visitors' questions that found nothing, are not covered or got a thumbs down, without who asked them; for its members too."""
    return await _misses(Holder("assistant", assistant_id), caller, shared, state, cursor_, limit)


async def _misses(holder: Holder, caller: Caller, shared: Shared, state: State, given: str | None, limit: int) -> Listed[MissRead]:
    before_at, before_key = place(given)
    async with shared.db.transaction() as conn:
        await check_held(conn, caller, holder)
        found = await misses.list_for_holder(conn, holder, state, limit + 1, before_at, before_key)
    return paged(found, limit, lambda row: MissRead.of(row, caller.person_id), lambda row: (row.last_at, row.key))


@router.post("/notebooks/{notebook_id}/misses/{key}", summary="Mark as solved or open", openapi_extra=needs("manage"))
async def set_miss(notebook_id: UUID, key: UUID, asked: MissSet, caller: CallerDep, shared: SharedDep) -> MissRead:
    """A solved one is kept for 90 days; asked in vain again, it is open again. Safe to repeat."""
    return await _set(Holder("notebook", notebook_id), key, asked, caller, shared)


@router.post("/assistants/{assistant_id}/misses/{key}", summary="Mark as solved or open", openapi_extra=needs("manage"))
async def set_miss_of_assistant(assistant_id: UUID, key: UUID, asked: MissSet, caller: CallerDep, shared: SharedDep) -> MissRead:
    """A solved one is kept for 90 days; asked in vain again, it is open again. Safe to repeat. For owner and editors."""
    return await _set(Holder("assistant", assistant_id), key, asked, caller, shared)


async def _set(holder: Holder, key: UUID, asked: MissSet, caller: Caller, shared: Shared) -> MissRead:
    async with shared.db.transaction() as conn:
        await _found(conn, caller, holder, key)
        await misses.set_solved(conn, holder, key, asked.state == "solved")
        return MissRead.of(await _found(conn, caller, holder, key), caller.person_id)


@router.post(
    "/notebooks/{notebook_id}/misses/{key}/question", status_code=201, summary="Make it a test question", openapi_extra=needs("manage")
)
async def ask_from_now_on(
    request: Request, notebook_id: UUID, key: UUID, asked: MissQuestion, caller: CallerDep, shared: SharedDep
) -> QuestionRead:
    """The notebook is tested with its newest wording from now on. A second time sets kind and sources anew."""
    return await _ask_from_now_on(request, Holder("notebook", notebook_id), key, asked, caller, shared)


@router.post(
    "/assistants/{assistant_id}/misses/{key}/question", status_code=201, summary="Make it a test question", openapi_extra=needs("manage")
)
async def ask_assistant_from_now_on(
    request: Request, assistant_id: UUID, key: UUID, asked: MissQuestion, caller: CallerDep, shared: SharedDep
) -> QuestionRead:
    """The assistant is tested with its newest wording whenever it is published. A second time sets kind and sources anew."""
    return await _ask_from_now_on(request, Holder("assistant", assistant_id), key, asked, caller, shared)


async def _ask_from_now_on(
    request: Request, holder: Holder, key: UUID, asked: MissQuestion, caller: Caller, shared: Shared
) -> QuestionRead:  # fmt: skip
    async with shared.db.transaction() as conn:
        first = await creating.first_of(conn, request, caller, creating.hash_of(request))
        if first is not None:
            return await _question(conn, caller, UUID(first.response["question_id"]))
        miss = await _found(conn, caller, holder, key)
        kind = await _kind(conn, holder, asked.kind, asked.source_ids)
        made = await questions.insert(
            conn, uuid4(), holder, question=miss.question, language=miss.language, kind=kind, source_ids=asked.source_ids,
            key=key, turn_id=miss.turn_id,
        )  # fmt: skip
        await creating.keep(conn, request, caller, 201, {"question_id": str(made)})
        return await _question(conn, caller, made)


@router.get("/notebooks/{notebook_id}/questions", summary="Its test questions", openapi_extra=needs("read"))
async def list_questions(
    notebook_id: UUID, caller: CallerDep, shared: SharedDep, cursor_: CursorQuery = None, limit: LimitQuery = 100
) -> Listed[QuestionRead]:
    """Newest first. `sourcebook eval run --notebook` asks them."""
    return await _questions(Holder("notebook", notebook_id), caller, shared, cursor_, limit)


@router.get("/assistants/{assistant_id}/questions", summary="Its test questions", openapi_extra=needs("read"))
async def list_questions_of_assistant(
    assistant_id: UUID, caller: CallerDep, shared: SharedDep, cursor_: CursorQuery = None, limit: LimitQuery = 100
) -> Listed[QuestionRead]:
    """Newest first. They are searched before it is published."""
    return await _questions(Holder("assistant", assistant_id), caller, shared, cursor_, limit)


async def _questions(holder: Holder, caller: Caller, shared: Shared, given: str | None, limit: int) -> Listed[QuestionRead]:
    before_at, before_id = place(given)
    async with shared.db.transaction() as conn:
        await check_held(conn, caller, holder)
        found = await questions.list_for_holder(conn, holder, limit + 1, before_at, before_id)
    return paged(found, limit, QuestionRead.of, lambda row: (row.created_at, row.id))


@router.post("/notebooks/{notebook_id}/questions", status_code=201, summary="Add a test question", openapi_extra=needs("manage"))
async def create_question(request: Request, notebook_id: UUID, asked: QuestionCreate, caller: CallerDep, shared: SharedDep) -> QuestionRead:
    """A question of the owner's own, with the sources that should answer it."""
    return await _create_question(request, Holder("notebook", notebook_id), asked, caller, shared)


@router.post("/assistants/{assistant_id}/questions", status_code=201, summary="Add a test question", openapi_extra=needs("manage"))
async def create_question_of_assistant(
    request: Request, assistant_id: UUID, asked: QuestionCreate, caller: CallerDep, shared: SharedDep
) -> QuestionRead:
    """A question of one's own, with the sources that should answer it."""
    return await _create_question(request, Holder("assistant", assistant_id), asked, caller, shared)


async def _create_question(request: Request, holder: Holder, asked: QuestionCreate, caller: Caller, shared: Shared) -> QuestionRead:
    text = worded(asked.question, shared)
    async with shared.db.transaction() as conn:
        first = await creating.first_of(conn, request, caller, creating.hash_of(request))
        if first is not None:
            return await _question(conn, caller, UUID(first.response["question_id"]))
        await check_held(conn, caller, holder, to_change=True)
        kind = await _kind(conn, holder, asked.kind, asked.source_ids)
        spoken = asked.language or language.identify(text)
        made = await questions.insert(conn, uuid4(), holder, question=text, language=spoken, kind=kind, source_ids=asked.source_ids)
        # Its words stand in one row alone, so that a deletion for good finds them.
        await creating.keep(conn, request, caller, 201, {"question_id": str(made)})
        return await _question(conn, caller, made)


@router.delete("/questions/{question_id}", status_code=204, summary="Remove a test question", openapi_extra=needs("manage"))
async def delete_question(question_id: UUID, caller: CallerDep, shared: SharedDep) -> None:
    """The miss it was made of is open again."""
    async with shared.db.transaction() as conn:
        if not await questions.delete(conn, caller.person_id, question_id):
            raise not_found()


@router.get("/admin/misses", summary="How much notebooks could not answer", openapi_extra=needs("admin"))
async def count_misses(shared: SharedDep, caller: CallerDep, cursor_: CursorQuery = None, limit: LimitQuery = 100) -> Listed[MissCount]:
    """Counts by notebook, last asked first, without a word of anybody's questions."""
    before_at, before_id = place(cursor_)
    async with shared.db.transaction() as conn:
        found = await misses.count_by_notebook(conn, limit + 1, before_at, before_id)
    return paged(found, limit, lambda row: MissCount.of(row, caller.person_id), lambda row: (row.last_at, row.notebook_id))


async def _found(conn: Conn, caller: Caller, holder: Holder, key: UUID) -> Miss:
    """The group, for somebody who may change it. Raises 404, or 403 for a member who may only look."""
    await check_held(conn, caller, holder, to_change=True)
    found = await misses.find(conn, holder, key)
    if found is None:
        raise not_found()
    return found


async def _question(conn: Conn, caller: Caller, question_id: UUID) -> QuestionRead:
    found = await questions.find(conn, caller.person_id, question_id)
    if found is None:
        raise not_found()
    return QuestionRead.of(found)


async def _kind(conn: Conn, holder: Holder, kind: Kind | None, source_ids: Sequence[UUID]) -> Kind:
    """The kind of a question with these sources. Raises 422 where they do not fit, 404 for a source that the holder does not hold."""
    settled: Kind = kind or ("plain" if source_ids else "unanswerable")
    if (settled == "unanswerable") == bool(source_ids):
        raise RequestError(422, "invalid_field", why="source_ids: none for an unanswerable question, at least one for any other kind.")
    if source_ids and await grants.missing(conn, holder, list(source_ids)):
        raise not_found()
    return settled

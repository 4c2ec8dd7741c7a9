"""Assistants: made, drafted, tried, published, given to people, trashed and back."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

from fastapi import Request, Response

from sourcebook_core import jobs, seal
from sourcebook_core.db import Conn
from sourcebook_core.errors import RequestError
from sourcebook_core.jobs import PublishAssistant
from sourcebook_core.store import assistant_members, assistants, questions, recipes, visitors
from sourcebook_core.store.scopes import Holder
from sourcebook_gateway import begin_turn, conversing, drafting, visits, waiting
from sourcebook_gateway.access import asks, gated_router, needs
from sourcebook_gateway.creating import created
from sourcebook_gateway.deps import Caller, CallerDep, Shared, SharedDep
from sourcebook_gateway.holders import check_held, held_assistant, index_for
from sourcebook_gateway.json_answers import JsonAnswer
from sourcebook_gateway.refusals import not_found
from sourcebook_gateway.routes.asking import ASKED, failed
from sourcebook_gateway.shapes.assistants import (
    AskedRead,
    AssistantCreate,
    AssistantRead,
    AssistantUpdate,
    MemberAdd,
    MemberRead,
    PublishAsk,
    Published,
    TokenAsk,
    VisitorToken,
)
from sourcebook_gateway.shapes.lists import CursorQuery, LimitQuery, Listed, paged, place
from sourcebook_gateway.shapes.turns import ConversationCreate, ConversationRead, Question
from sourcebook_gateway.waiting import WaitQuery

router = gated_router("assistants")
PUBLISH_S = 60.0  # 200 questions at a tenth of a second, thrice; a slow embedder goes on without us
_RUNNING: dict[int | str, dict[str, Any]] = {
    202: {"model": Published, "description": "It takes longer and goes on; the assistant tells when."}
}


def _read(shared: Shared, row: assistants.Assistant) -> AssistantRead:
    secret = seal.derived(shared.settings, f"handover {row.id}") if shared.settings.secret_key is not None else None
    return AssistantRead.of(row, secret)


@router.get("/assistants", summary="My assistants", openapi_extra=needs("read"))
async def list_assistants(
    caller: CallerDep, shared: SharedDep, cursor_: CursorQuery = None, limit: LimitQuery = 100
) -> Listed[AssistantRead]:
    """Those of mine and those I work on, newest first."""
    before_at, before_id = place(cursor_)
    async with shared.db.transaction() as conn:
        found = await assistants.list_for_person(conn, caller.person_id, limit + 1, before_at, before_id)
    return paged(found, limit, lambda row: _read(shared, row), lambda row: (row.created_at, row.id))


@router.post("/assistants", status_code=201, response_model=AssistantRead, summary="Make an assistant", openapi_extra=needs("manage"))
async def create_assistant(request: Request, asked: AssistantCreate, caller: CallerDep, shared: SharedDep) -> Response:
    """It holds no source and answers nobody until it is published. 409 when its slug is taken."""
    settings = drafting.changed({}, asked.profile, asked, shared.settings)
    assistant_id = uuid4()

    async def make(conn: Conn) -> tuple[int, AssistantRead]:
        recipe_id = await drafting.recipe_of(conn, shared.settings, asked.profile, asked.recipe)
        slug = asked.slug or drafting.slug_for(asked.name)
        if not await assistants.insert(
            conn, assistant_id, caller.person_id, slug=slug, name=asked.name, profile=asked.profile, settings=settings,
            recipe_id=recipe_id,
        ):  # fmt: skip
            raise _taken(slug)
        return 201, _read(shared, await held_assistant(conn, caller, assistant_id))

    return await created(shared, request, caller, make)


def _taken(slug: str) -> RequestError:
    return RequestError(409, "conflict", why=f"the slug {slug} is taken. Choose another.")


@router.get("/assistants/{assistant_id}", summary="One assistant", openapi_extra=needs("read"))
async def get_assistant(assistant_id: UUID, caller: CallerDep, shared: SharedDep) -> AssistantRead:
    """Its draft, what is published, and its sources by state."""
    async with shared.db.transaction() as conn:
        return _read(shared, await held_assistant(conn, caller, assistant_id))


@router.patch("/assistants/{assistant_id}", summary="Change the draft", openapi_extra=needs("manage"))
async def update_assistant(assistant_id: UUID, asked: AssistantUpdate, caller: CallerDep, shared: SharedDep) -> AssistantRead:
    """What is given is changed; visitors see it when it is published, but for `publication`, `local_only`, name and slug, which hold
    at once. Where another profile cuts sources otherwise, they answer on as they are cut, and `reindex` cuts them anew."""
    async with shared.db.transaction() as conn:
        before = await held_assistant(conn, caller, assistant_id, to_change=True)
        profile = asked.profile or before.profile
        stored = await assistants.lock_settings(conn, assistant_id)
        settings = drafting.changed(stored, profile, asked, shared.settings)
        if asked.slug and await assistants.has_slug(conn, asked.slug, assistant_id):
            raise _taken(asked.slug)
        await assistants.update(conn, assistant_id, name=asked.name, slug=asked.slug, profile=asked.profile, settings=settings)
        if profile != before.profile:
            holder = Holder("assistant", assistant_id)
            await recipes.want(conn, holder, await drafting.recipe_of(conn, shared.settings, profile, None))
            await recipes.swap_if_whole(conn, holder)
        changed = _read(shared, await held_assistant(conn, caller, assistant_id))
    if stored.get("local_only") and not settings.get("local_only"):
        # What was kept from the hosted model goes to it now. Once that is committed, as with a model: queueing waits for an indexing that
        # ends, and that one may wait for the assistant's row.
        async with shared.db.transaction() as conn:
            await index_for(conn, assistant_id)
        await shared.bell.ring("ingest")
    return changed


@router.post("/assistants/{assistant_id}/reindex", status_code=202, summary="Cut its sources anew", openapi_extra=needs("manage"))
async def reindex_assistant(assistant_id: UUID, caller: CallerDep, shared: SharedDep) -> AssistantRead:
    """Index its sources as its purpose cuts, beside what answers; swapped in when whole. Nothing is read anew. Safe to repeat."""
    async with shared.db.transaction() as conn:
        await held_assistant(conn, caller, assistant_id, to_change=True)
        holder = Holder("assistant", assistant_id)
        for one in await recipes.stale_in(conn, holder):
            if one.recipe_id is not None:  # else only its reading is old
                await jobs.insert_indexing(
                    conn, owner_id=one.owner_id, source_id=one.source_id, reading_id=one.reading_id, recipe_id=one.recipe_id
                )
        await recipes.begin(conn, holder)
        await recipes.swap_if_whole(conn, holder)
        changed = _read(shared, await held_assistant(conn, caller, assistant_id))
    await shared.bell.ring("ingest")
    return changed


@router.delete("/assistants/{assistant_id}", status_code=204, summary="Move to the trash", openapi_extra=needs("manage"))
async def delete_assistant(assistant_id: UUID, caller: CallerDep, shared: SharedDep) -> None:
    """At once it answers nobody; kept for 14 days with its visitors' conversations. Its sources stay in the library."""
    async with shared.db.transaction() as conn:
        await check_held(conn, caller, Holder("assistant", assistant_id), to_own=True)
        await assistants.delete(conn, caller.person_id, assistant_id)


@router.post("/assistants/{assistant_id}/restore", summary="Take out of the trash", openapi_extra=needs("manage"))
async def restore_assistant(assistant_id: UUID, caller: CallerDep, shared: SharedDep) -> AssistantRead:
    """As it was. Safe to repeat."""
    async with shared.db.transaction() as conn:
        await assistants.restore(conn, caller.person_id, assistant_id)
        return _read(shared, await held_assistant(conn, caller, assistant_id))


@router.post(
    "/assistants/{assistant_id}/publish", response_model=Published, responses=_RUNNING, summary="Publish the draft",
    openapi_extra=needs("manage"),
)  # fmt: skip
async def publish_assistant(assistant_id: UUID, caller: CallerDep, shared: SharedDep, asked: PublishAsk | None = None) -> Response:
    """Searches its test questions with the draft first and tells which found something else than when it was published last."""
    work = PublishAssistant(assistant_id=assistant_id, person_id=caller.person_id, when=asked.when if asked else "always")
    async with shared.db.transaction() as conn:
        held = await held_assistant(conn, caller, assistant_id, to_change=True)
        job_id = await jobs.insert(conn, work, owner_id=held.owner_id, subject=assistant_id, once=f"{assistant_id}:{work.when}")
    await shared.bell.ring("answer")
    end = await jobs.wait_for_end(shared.db, job_id, PUBLISH_S)
    if end is None:
        return JsonAnswer(Published(as_before=0, changed=0, right=0, total=0, published=False, running=True), status_code=202)
    if end.state != "done":
        raise failed(end)
    async with shared.db.transaction() as conn:
        return JsonAnswer(await _told(conn, caller, end.result or {}))


async def _told(conn: Conn, caller: Caller, result: dict[str, Any]) -> Published:
    """What the job found, with the words of the questions as they are now; one that was removed meanwhile is left out."""
    changed = []
    for one in result["questions"]:
        asked = await questions.find(conn, caller.person_id, UUID(one["question_id"]))
        if asked is not None:
            changed.append({**one, "question": asked.question})
    return Published.model_validate({**result, "questions": changed})


@router.post("/assistants/{assistant_id}/ask", summary="Try the draft", responses=ASKED, openapi_extra=asks())
async def ask_draft(
    request: Request, assistant_id: UUID, asked: Question, caller: CallerDep, shared: SharedDep, wait: WaitQuery = None
) -> Response:
    """Answers as visitors would be answered if the draft were published. `GET /turns/{id}/why` tells how it was found."""
    return await begin_turn.ask(request, Holder("assistant", assistant_id), asked, caller, shared, waiting.seconds_of(wait))


@router.get("/assistants/{assistant_id}/conversations", summary="My tries", openapi_extra=needs("read"))
async def list_tries(
    assistant_id: UUID, caller: CallerDep, shared: SharedDep, cursor_: CursorQuery = None, limit: LimitQuery = 100
) -> Listed[ConversationRead]:
    """The asker's own conversations with it, last used first; never a visitor's."""
    return await conversing.listed(shared, caller, Holder("assistant", assistant_id), cursor_, limit)


@router.post(
    "/assistants/{assistant_id}/conversations", status_code=201, response_model=ConversationRead, summary="Begin a try",
    openapi_extra=needs("ask"),
)  # fmt: skip
async def create_try(
    request: Request, assistant_id: UUID, caller: CallerDep, shared: SharedDep, asked: ConversationCreate | None = None
) -> Response:
    """An empty one; asking without a conversation begins one by itself."""
    return await conversing.begun(shared, request, caller, Holder("assistant", assistant_id), asked)


@router.get("/assistants/{assistant_id}/turns", summary="What visitors asked", openapi_extra=needs("read"))
async def list_asked(
    assistant_id: UUID, caller: CallerDep, shared: SharedDep, cursor_: CursorQuery = None, limit: LimitQuery = 100
) -> Listed[AskedRead]:
    """Newest first: questions alone, without who asked, what was answered, or which belong together."""
    before_at, before_id = place(cursor_)
    async with shared.db.transaction() as conn:
        await check_held(conn, caller, Holder("assistant", assistant_id))
        found = await visitors.list_asked(conn, assistant_id, limit + 1, before_at, before_id)
    return paged(found, limit, AskedRead.of, lambda row: (row.created_at, row.id))


@router.post("/assistants/{assistant_id}/token", summary="Let a person of the host application in", openapi_extra=needs("ask"))
async def exchange_token(assistant_id: UUID, asked: TokenAsk, caller: CallerDep, shared: SharedDep) -> VisitorToken:
    """For the backend of the application that embeds it: a token for one of its signed-in people, good for 15 minutes.

    409 while it is not published; 403 for a person who is not on its list.
    """
    async with shared.db.transaction() as conn:
        held = await held_assistant(conn, caller, assistant_id, to_change=True)
        met = await assistants.find_published(conn, held.slug)
    if met is None or visits.mode_of(met) == "off":
        raise RequestError(409, "conflict", why="it is not published. Publish it, and say for whom.")
    visits.check_listed(met, asked.subject)
    token, lasts_s = visits.token_for(shared.settings, assistant_id, asked.subject, asked.name, is_anonymous=False)
    return VisitorToken(token=token, expires_in=lasts_s)


@router.get("/assistants/{assistant_id}/members", summary="Who works on it", openapi_extra=needs("read"))
async def list_members(assistant_id: UUID, caller: CallerDep, shared: SharedDep) -> Listed[MemberRead]:
    """Beside its owner, oldest first."""
    async with shared.db.transaction() as conn:
        await check_held(conn, caller, Holder("assistant", assistant_id))
        found = await assistant_members.list_for_assistant(conn, assistant_id)
    return Listed(items=[MemberRead.of(row) for row in found])


@router.post("/assistants/{assistant_id}/members", status_code=201, summary="Let somebody work on it", openapi_extra=needs("manage"))
async def put_member(assistant_id: UUID, asked: MemberAdd, caller: CallerDep, shared: SharedDep) -> MemberRead:
    """Somebody who signs in here, by their address; a member gets the new role. For its owner. Safe to repeat."""
    async with shared.db.transaction() as conn:
        await check_held(conn, caller, Holder("assistant", assistant_id), to_own=True)
        person_id = await assistant_members.put(conn, assistant_id, asked.email, asked.role)
        if person_id is None:
            raise RequestError(422, "invalid_field", why="email: nobody else signs in here with this address.")
        found = await assistant_members.list_for_assistant(conn, assistant_id)
    return next(MemberRead.of(row) for row in found if row.person_id == person_id)


@router.delete(
    "/assistants/{assistant_id}/members/{person_id}", status_code=204, summary="Take a member out", openapi_extra=needs("manage")
)
async def delete_member(assistant_id: UUID, person_id: UUID, caller: CallerDep, shared: SharedDep) -> None:
    """For its owner; a member takes nobody out but themselves."""
    async with shared.db.transaction() as conn:
        await check_held(conn, caller, Holder("assistant", assistant_id), to_own=person_id != caller.person_id)
        if not await assistant_members.delete(conn, assistant_id, person_id):
            raise not_found()

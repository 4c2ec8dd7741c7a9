"""Conversations of a notebook."""

from __future__ import annotations

from typing import Annotated, Literal
from uuid import UUID

from fastapi import Query, Request, Response

from sourcebook_core import events
from sourcebook_core.store import conversations
from sourcebook_core.store.scopes import Holder
from sourcebook_gateway import conversing, exported
from sourcebook_gateway.access import gated_router, needs
from sourcebook_gateway.deps import CallerDep, SharedDep
from sourcebook_gateway.json_answers import JsonAnswer
from sourcebook_gateway.multipart import attachment
from sourcebook_gateway.refusals import not_found
from sourcebook_gateway.shapes.lists import CursorQuery, LimitQuery, Listed
from sourcebook_gateway.shapes.turns import ConversationCreate, ConversationRead, ConversationUpdate, ConversationWhole

router = gated_router("conversations")


@router.get("/notebooks/{notebook_id}/conversations", summary="My conversations", openapi_extra=needs("read"))
async def list_conversations(
    notebook_id: UUID, caller: CallerDep, shared: SharedDep, cursor_: CursorQuery = None, limit: LimitQuery = 100
) -> Listed[ConversationRead]:
    """Last used first."""
    return await conversing.listed(shared, caller, Holder("notebook", notebook_id), cursor_, limit)


@router.post(
    "/notebooks/{notebook_id}/conversations", status_code=201, response_model=ConversationRead, summary="Begin a conversation",
    openapi_extra=needs("ask"),
)  # fmt: skip
async def create_conversation(
    request: Request, notebook_id: UUID, caller: CallerDep, shared: SharedDep, asked: ConversationCreate | None = None
) -> Response:
    """An empty one; asking without a conversation begins one by itself."""
    return await conversing.begun(shared, request, caller, Holder("notebook", notebook_id), asked)


@router.get("/conversations/{conversation_id}", summary="One conversation", openapi_extra=needs("read"))
async def get_conversation(conversation_id: UUID, caller: CallerDep, shared: SharedDep) -> ConversationWhole:
    """Its turns, oldest first."""
    async with shared.db.transaction() as conn:
        return await conversing.whole(conn, await conversing.own(conn, caller, conversation_id), caller.person_id)


@router.patch("/conversations/{conversation_id}", summary="Rename", openapi_extra=needs("ask"))
async def rename_conversation(conversation_id: UUID, asked: ConversationUpdate, caller: CallerDep, shared: SharedDep) -> ConversationRead:
    """Gives it a name."""
    async with shared.db.transaction() as conn:
        if not await conversations.rename(conn, caller.person_id, conversation_id, asked.title):
            raise not_found()
        return ConversationRead.of(await conversing.own(conn, caller, conversation_id))


@router.delete("/conversations/{conversation_id}", status_code=204, summary="Move to the trash", openapi_extra=needs("ask"))
async def delete_conversation(conversation_id: UUID, caller: CallerDep, shared: SharedDep) -> None:
    """Kept for 14 days."""
    async with shared.db.transaction() as conn:
        if not await conversations.delete(conn, caller.person_id, conversation_id):
            raise not_found()
    await events.hint(shared.redis, [caller.person_id], "turn", conversation_id=str(conversation_id))


@router.post("/conversations/{conversation_id}/restore", summary="Take out of the trash", openapi_extra=needs("ask"))
async def restore_conversation(conversation_id: UUID, caller: CallerDep, shared: SharedDep) -> ConversationRead:
    """As it was. Safe to repeat."""
    async with shared.db.transaction() as conn:
        await conversations.restore(conn, caller.person_id, conversation_id)
        return ConversationRead.of(await conversing.own(conn, caller, conversation_id))


@router.get("/conversations/{conversation_id}/file", summary="Export", response_class=Response, openapi_extra=needs("read"))
async def export_conversation(
    conversation_id: UUID, caller: CallerDep, shared: SharedDep,
    format: Annotated[Literal["md", "docx", "json"], Query(description="Markdown with footnotes, Word, or all fields as JSON.")] = "md",
) -> Response:  # fmt: skip
    """Questions and answers, each mark a footnote with title, place and quote."""
    async with shared.db.transaction() as conn:
        whole = await conversing.whole(conn, await conversing.own(conn, caller, conversation_id), caller.person_id)
    title = whole.title or "Conversation"
    if format == "json":
        return JsonAnswer(whole, headers={"Content-Disposition": attachment(f"{title[:80]}.json")})
    return await exported.file(title, exported.of_conversation(whole), format)

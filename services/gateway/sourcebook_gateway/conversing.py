"""Conversations with a notebook or an assistant: begun, listed, and read with their turns."""

from __future__ import annotations

from uuid import UUID, uuid4

from fastapi import Request, Response

from sourcebook_core.db import Conn
from sourcebook_core.store import citations, conversations, turns
from sourcebook_core.store.conversations import Conversation
from sourcebook_core.store.scopes import Holder
from sourcebook_gateway.creating import created
from sourcebook_gateway.deps import Caller, Shared
from sourcebook_gateway.holders import check_held
from sourcebook_gateway.refusals import not_found
from sourcebook_gateway.shapes.lists import Listed, paged, place
from sourcebook_gateway.shapes.turns import ConversationCreate, ConversationRead, ConversationWhole, TurnRead


async def listed(shared: Shared, caller: Caller, holder: Holder, cursor: str | None, limit: int) -> Listed[ConversationRead]:
    """The caller's own with a holder, last used first. Raises 404 for what is not theirs to see."""
    before_at, before_id = place(cursor)
    async with shared.db.transaction() as conn:
        await check_held(conn, caller, holder)
        found = await conversations.list_for_holder(conn, caller.person_id, holder, limit + 1, before_at, before_id)
    return paged(found, limit, ConversationRead.of, lambda row: (row.updated_at, row.id))


async def begun(shared: Shared, request: Request, caller: Caller, holder: Holder, asked: ConversationCreate | None) -> Response:
    """A new one, empty; the same again for the same Idempotency-Key. Raises as `listed`."""
    conversation_id = uuid4()

    async def make(conn: Conn) -> tuple[int, ConversationRead]:
        await check_held(conn, caller, holder)
        await conversations.insert(conn, conversation_id, holder, caller.person_id, (asked and asked.title) or "")
        return 201, ConversationRead.of(await own(conn, caller, conversation_id))

    return await created(shared, request, caller, make)


async def own(conn: Conn, caller: Caller, conversation_id: UUID) -> Conversation:
    """The caller's conversation. Raises 404."""
    found = await conversations.find(conn, caller.person_id, conversation_id)
    if found is None:
        raise not_found()
    return found


async def whole(conn: Conn, of: Conversation, person_id: UUID) -> ConversationWhole:
    """A conversation with its turns, oldest first."""
    return ConversationWhole(**{**ConversationRead.of(of).model_dump(), "turns": await turns_of(conn, of.id, person_id)})


async def turns_of(conn: Conn, conversation_id: UUID, person_id: UUID, most: int | None = None) -> list[TurnRead]:
    """Its turns with their citations, oldest first; of many the last `most`."""
    rows = await turns.list_for_conversation(conn, conversation_id, person_id)
    kept = rows[-most:] if most is not None else rows
    cited = await citations.list_for_turns(conn, [turn.id for turn in kept])
    return [TurnRead.of(turn, cited[turn.id]) for turn in kept]

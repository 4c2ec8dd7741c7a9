"""Table handovers: visitors who asked for a person, and how far their conversation got."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from sourcebook_core.db import Conn

TURNS = 100  # of a conversation that are handed over: more nobody reads


@dataclass(frozen=True, slots=True)
class Handover:
    """One request for a person: to whom it goes (`target`: a mail address or a web address), and what was said until then."""

    id: UUID
    assistant_id: UUID
    owner_id: UUID
    assistant: str
    kind: str
    target: str
    reply_to: str | None
    note: str | None
    visitor: str
    subject: str
    state: str
    turns: list[tuple[str, str, str]]


async def insert(
    conn: Conn,
    handover_id: UUID,
    *,
    assistant_id: UUID,
    conversation_id: UUID,
    kind: str,
    target: str,
    reply_to: str | None,
    note: str | None,
) -> tuple[UUID, bool] | None:
    """Ask for a person: the handover and whether it is new; the same until the visitor asks something more. None when nothing was
    said in the conversation yet."""
    last = await conn.fetchval("select id from turns where conversation_id = $1 order by created_at desc, id desc limit 1", conversation_id)
    if last is None:
        return None
    row = await conn.fetchrow(
        """
        with made as (
            insert into handovers (id, assistant_id, conversation_id, last_turn_id, kind, target, reply_to, note)
            values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (conversation_id, last_turn_id) do nothing returning id)
        select id, true as is_new from made
        union all select id, false from handovers where conversation_id = $3 and last_turn_id = $4 order by is_new desc limit 1
        """,
        handover_id, assistant_id, conversation_id, last, kind, target, reply_to, note,
    )  # fmt: skip
    return (row["id"], row["is_new"]) if row else None


async def find(conn: Conn, handover_id: UUID) -> Handover | None:
    """A handover with the last turns until then, as (question, answer, titles of the cited sources); None when it is gone."""
    row = await conn.fetchrow(
        """
        select h.id, h.assistant_id, a.owner_id, a.name as assistant, h.kind, h.target, h.reply_to, h.note, p.name as visitor, p.subject,
            h.state, h.conversation_id, h.created_at
        from handovers h join assistants a on a.id = h.assistant_id join conversations c on c.id = h.conversation_id
            join people p on p.id = c.person_id
        where h.id = $1 and a.deleted_at is null and c.deleted_at is null
        """,
        handover_id,
    )
    if row is None:
        return None
    said = await conn.fetch(
        """
        select t.question, t.answer, coalesce((
            select string_agg(distinct s.title, '; ') from citations c join sources s on s.id = c.source_id and s.deleted_at is null
            where c.turn_id = t.id and not c.hidden), '') as sources
        from turns t where t.conversation_id = $1 and t.created_at <= $2 order by t.created_at desc, t.id desc limit $3
        """,
        row["conversation_id"], row["created_at"], TURNS,
    )  # fmt: skip
    told = {name: row[name] for name in Handover.__slots__ if name != "turns"}
    return Handover(**told, turns=[(one["question"], one["answer"], one["sources"]) for one in reversed(said)])


async def end(conn: Conn, handover_id: UUID, state: str, error_code: str | None = None) -> None:
    """It was sent, or could not be."""
    await conn.execute("update handovers set state = $2, error_code = $3, ended_at = now() where id = $1", handover_id, state, error_code)

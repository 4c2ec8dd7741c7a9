"""Rows of `turns`: a question, the answer as it grows, and how it ended."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sourcebook_core.db import Conn
from sourcebook_core.store.scopes import Holder


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn. `outcome` is what `done` carried beside the answer and its citations; `why` is how the passages were found."""

    id: UUID
    conversation_id: UUID
    notebook_id: UUID | None
    assistant_id: UUID | None
    person_id: UUID
    question: str
    request: dict[str, Any]
    status: str
    finish: str | None
    answer: str
    outcome: dict[str, Any] | None
    error: dict[str, Any] | None
    in_history: bool
    replaces: UUID | None
    fence: int | None
    opened_at: datetime | None
    stop_requested: bool
    feedback: int | None
    feedback_note: str | None
    created_at: datetime
    finished_at: datetime | None

    @property
    def holder(self) -> Holder:
        """What is asked."""
        return Holder.of(self.notebook_id, self.assistant_id)


_COLUMNS = """id, conversation_id, notebook_id, assistant_id, person_id, question, request, status, finish, answer, outcome, error,
    in_history, replaces, fence, opened_at, stop_requested, feedback, feedback_note, created_at, finished_at"""


async def insert(
    conn: Conn,
    turn_id: UUID,
    *,
    conversation_id: UUID,
    holder: Holder,
    person_id: UUID,
    question: str,
    request: dict[str, Any],
    replaces: UUID | None = None,
) -> bool:
    """Add a queued turn; False when a turn of this conversation is queued or running already.

    `request` keeps the rest of what was asked: source_ids, history, context, answer_language.
    """
    added = await conn.fetchval(
        """
        insert into turns (id, conversation_id, notebook_id, assistant_id, person_id, question, request, replaces)
        values ($1, $2, $3, $4, $5, $6, $7, $8)
        on conflict (conversation_id) where status in ('queued', 'running') do nothing returning true
        """,
        turn_id, conversation_id, holder.notebook_id, holder.assistant_id, person_id, question, request, replaces,
    )  # fmt: skip
    return bool(added)


async def get(conn: Conn, turn_id: UUID) -> Turn:
    """The turn with this id, whoever asks: for work, not for answering a person. Raises LookupError."""
    row = await conn.fetchrow(f"select {_COLUMNS} from turns where id = $1", turn_id)  # noqa: S608 - a constant of this file
    if row is None:
        raise LookupError(f"no turn {turn_id}")
    return Turn(**dict(row))


async def find(conn: Conn, turn_id: UUID, person_id: UUID) -> Turn | None:
    """The turn, if it is this person's and neither its conversation nor what it asks is in the trash."""
    row = await conn.fetchrow(
        """
        select t.id, t.conversation_id, t.notebook_id, t.assistant_id, t.person_id, t.question, t.request, t.status, t.finish, t.answer,
            t.outcome, t.error, t.in_history, t.replaces, t.fence, t.opened_at, t.stop_requested, t.feedback, t.feedback_note, t.created_at,
            t.finished_at
        from turns t join conversations c on c.id = t.conversation_id
            left join notebooks n on n.id = t.notebook_id left join assistants a on a.id = t.assistant_id
        where t.id = $1 and t.person_id = $2 and c.deleted_at is null and n.deleted_at is null and a.deleted_at is null
        """,
        turn_id,
        person_id,
    )
    return Turn(**dict(row)) if row is not None else None


async def list_for_conversation(conn: Conn, conversation_id: UUID, person_id: UUID) -> list[Turn]:
    """The turns of a person's conversation, oldest first."""
    rows = await conn.fetch(
        f"select {_COLUMNS} from turns where conversation_id = $1 and person_id = $2 order by created_at, id",  # noqa: S608
        conversation_id,
        person_id,
    )
    return [Turn(**dict(row)) for row in rows]


async def find_why(conn: Conn, turn_id: UUID, person_id: UUID) -> dict[str, Any] | None:
    """How the passages of a person's turn were found: {candidates, degraded, prompt}; None before the search and for others."""
    why: dict[str, Any] | None = await conn.fetchval("select why from turns where id = $1 and person_id = $2", turn_id, person_id)
    return why


async def request_stop(conn: Conn, turn_id: UUID, person_id: UUID) -> bool:
    """Ask for the end of a person's turn; False when it has ended or is not theirs."""
    found = await conn.fetchval(
        "update turns set stop_requested = true where id = $1 and person_id = $2 and status in ('queued', 'running') returning true",
        turn_id,
        person_id,
    )
    return bool(found)


async def set_feedback(conn: Conn, turn_id: UUID, person_id: UUID, value: int | None, note: str | None) -> bool:
    """Keep thumbs up (1), down (-1) or none (None) for a person's turn; False when it is not theirs."""
    found = await conn.fetchval(
        "update turns set feedback = $3, feedback_note = $4 where id = $1 and person_id = $2 returning true",
        turn_id,
        person_id,
        value,
        note,
    )
    return bool(found)


# what the answering worker does


async def begin(conn: Conn, turn_id: UUID, fence: int) -> Turn:
    """Mark the turn as running under this claim's fence; gives it as it was before. An ended turn is left alone."""
    before = await get(conn, turn_id)
    await conn.execute("update turns set status = 'running', fence = $2 where id = $1 and status in ('queued', 'running')", turn_id, fence)
    return before


async def open_stream(conn: Conn, turn_id: UUID) -> None:
    """From now on the asker has seen this answer begin, so that it is never run again."""
    await conn.execute("update turns set opened_at = now() where id = $1", turn_id)


async def write_answer(conn: Conn, turn_id: UUID, fence: int, answer: str) -> bool | None:
    """Keep the text so far; returns whether a stop was requested, or None when the claim is no longer ours."""
    stop: bool | None = await conn.fetchval(
        "update turns set answer = $3 where id = $1 and fence = $2 and status = 'running' returning stop_requested",
        turn_id,
        fence,
        answer,
    )
    return stop


async def is_stop_requested(conn: Conn, turn_id: UUID) -> bool:
    """Whether the asker pressed Stop."""
    return bool(await conn.fetchval("select stop_requested from turns where id = $1", turn_id))


async def finish(
    conn: Conn,
    turn_id: UUID,
    *,
    status: str,
    finish: str | None,
    answer: str,
    outcome: dict[str, Any] | None,
    error: dict[str, Any] | None,
    in_history: bool,
    why: dict[str, Any] | None = None,
) -> None:
    """End the turn as done, stopped or failed. `in_history`: later prompts of the conversation may tell it. `why`: how its
    passages were found."""
    await conn.execute(
        """
        update turns set status = $2, finish = $3, answer = $4, outcome = $5, error = $6, in_history = $7, why = $8,
            finished_at = now()
        where id = $1
        """,
        turn_id, status, finish, answer, outcome, error, in_history, why,
    )  # fmt: skip


async def history(conn: Conn, turn: Turn, limit: int) -> list[Turn]:
    """The last complete turns of the same conversation before this one, oldest first; replaced ones are left out."""
    rows = await conn.fetch(
        f"""
        select {_COLUMNS} from turns t
        where conversation_id = $1 and id <> $2 and created_at <= $3 and status = 'done' and in_history
            and id is distinct from $4
            and not exists (select from turns r where r.replaces = t.id and r.id <> $2 and r.status = 'done')
        order by created_at desc, id desc limit $5
        """,  # noqa: S608
        turn.conversation_id,
        turn.id,
        turn.created_at,
        turn.replaces,
        limit,
    )
    return [Turn(**dict(row)) for row in reversed(rows)]


async def name_conversation(conn: Conn, conversation_id: UUID, title: str) -> None:
    """Give a conversation that has no title yet this one, and note that it was used."""
    await conn.execute(
        "update conversations set title = case when title = '' then $2 else title end, updated_at = now() where id = $1",
        conversation_id,
        title,
    )

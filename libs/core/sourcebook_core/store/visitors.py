"""Visitors of assistants: people who ask one assistant from outside and never sign in, their conversation, and what is told of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID, uuid4

from sourcebook_core.db import Conn
from sourcebook_core.errors import Contended
from sourcebook_core.store import conversations
from sourcebook_core.store.scopes import Holder

ANONYMOUS = "anonymous:"  # begins the subject of a visitor whom no host application knows; no subject of a host may begin so
FORGOTTEN = f"{ANONYMOUS}forgotten"  # whose questions are left when their conversation was reset


@dataclass(frozen=True, slots=True)
class AskedTurn:
    """A question of a visitor without whose it is: for the people of an assistant. `sources` counts what it drew on."""

    id: UUID
    question: str
    language: str | None
    status: str
    reply_kind: str | None
    feedback: int | None
    sources: int
    created_at: datetime


async def ensure(conn: Conn, assistant_id: UUID, subject: str, name: str) -> UUID:
    """The person for this visitor of this assistant, made when they are new. Safe to run twice and side by side."""
    found: UUID = await conn.fetchval(
        """
        insert into people (id, name, visitor_of, subject) values ($1, $2, $3, $4)
        on conflict (visitor_of, subject) where visitor_of is not null do update set name = excluded.name returning id
        """,
        uuid4(), name, assistant_id, subject,
    )  # fmt: skip
    return found


async def find(conn: Conn, assistant_id: UUID, subject: str) -> tuple[UUID, str] | None:
    """The person of a visitor who asked before, and what they were called."""
    row = await conn.fetchrow("select id, name from people where visitor_of = $1 and subject = $2", assistant_id, subject)
    return (row["id"], row["name"]) if row else None


async def hold(conn: Conn, person_id: UUID) -> None:
    """Keep a visitor from being forgotten until this transaction ends. Raises Contended when they were just now: asked again, they
    are a new one."""
    if await conn.fetchval("select true from people where id = $1 for key share", person_id) is None:
        raise Contended


async def conversation_of(conn: Conn, assistant_id: UUID, person_id: UUID, session: str, ttl_s: float | None) -> UUID | None:
    """The visitor's conversation of this session; None without one, or when it lay idle for longer than `ttl_s` seconds."""
    found: UUID | None = await conn.fetchval(
        """
        select id from conversations where assistant_id = $1 and person_id = $2 and session = $3 and deleted_at is null
            and ($4::float8 is null or updated_at > now() - make_interval(secs => $4))
        """,
        assistant_id, person_id, session, ttl_s,
    )  # fmt: skip
    return found


async def open_conversation(
    conn: Conn, assistant_id: UUID, person_id: UUID, session: str, *, ttl_s: float | None, most: int | None
) -> UUID:
    """The conversation of this session, begun where there is none. One that lay idle for too long is a session no more (S4-37): its
    words stay for the inbox. The oldest beyond `most` of the visitor go to the trash (S4-36).
    """
    found = await conversation_of(conn, assistant_id, person_id, session, ttl_s)
    if found is not None:
        return found
    await conn.execute(
        "update conversations set session = null where assistant_id = $1 and person_id = $2 and session = $3 and deleted_at is null"
        " and $4::float8 is not null and updated_at <= now() - make_interval(secs => $4)",
        assistant_id, person_id, session, ttl_s,
    )  # fmt: skip
    made: UUID = await conn.fetchval(
        "insert into conversations (id, assistant_id, person_id, session) values ($1, $2, $3, $4)"
        " on conflict (assistant_id, person_id, session) where session is not null and deleted_at is null"
        " do update set session = excluded.session returning id",
        uuid4(), assistant_id, person_id, session,
    )  # fmt: skip
    if most is not None:
        await conversations.drop_oldest(conn, person_id, Holder("assistant", assistant_id), most)
    return made


async def reset(conn: Conn, assistant_id: UUID, person_id: UUID, session: str) -> UUID | None:
    """Remove the conversation of this session for good (S2-52): due at once. Returns it; None when there is none.

    What was asked in vain stays in the inbox as a bare question: it moves to a visitor whom nobody is, without its answer.
    """
    found: UUID | None = await conn.fetchval(
        """
        update conversations set deleted_at = '-infinity'
        where assistant_id = $1 and person_id = $2 and session = $3 and deleted_at is null returning id
        """,
        assistant_id, person_id, session,
    )  # fmt: skip
    if found is not None:
        await _forget(conn, assistant_id, found)
    return found


async def _forget(conn: Conn, assistant_id: UUID, conversation_id: UUID) -> None:
    rows = await conn.fetch(
        "select m.turn_id from misses m join turns t on t.id = m.turn_id where t.conversation_id = $1 order by 1", conversation_id
    )
    if not rows:
        return
    moved, nobody, bare = [row["turn_id"] for row in rows], await ensure(conn, assistant_id, FORGOTTEN, "Visitor"), uuid4()
    await conversations.insert(conn, bare, Holder("assistant", assistant_id), nobody)
    await conn.execute(
        """
        update turns set conversation_id = $2, person_id = $3, answer = '', why = null, error = null, request = '{}', replaces = null,
            in_history = false, feedback_note = null,
            outcome = jsonb_build_object('reply_kind', outcome -> 'reply_kind',
                'route', jsonb_build_object('language', outcome -> 'route' -> 'language'))
        where id = any($1)
        """,
        moved, bare, nobody,
    )  # fmt: skip
    await conn.execute("update misses set person_id = $2 where turn_id = any($1)", moved, nobody)
    await conn.execute("delete from citations where turn_id = any($1)", moved)
    await conn.execute("update calls set response = null where turn_id = any($1)", moved)


async def delete_forgotten(conn: Conn, limit: int) -> int:
    """Remove bare questions that are in no inbox and no test any more, at most `limit`; returns how many."""
    count: int = await conn.fetchval(
        """
        with gone as (delete from turns where id in (
            select t.id from people p join turns t on t.person_id = p.id
            where p.visitor_of is not null and p.subject = $1 and not exists (select from misses m where m.turn_id = t.id)
                and not exists (select from questions q where q.turn_id = t.id) limit $2)
            returning 1)
        select count(*) from gone
        """,
        FORGOTTEN, limit,
    )  # fmt: skip
    return count


async def end_idle(conn: Conn, days: int, limit: int) -> int:
    """Remove the conversations of anonymous visitors whose last question lies more than `days` days back, as by Reset: due at once.

    Returns how many, at most `limit`. What was asked in vain stays in the inbox as a bare question. Whom a host application signed
    in keeps theirs.
    """
    rows = await conn.fetch(
        """
        update conversations set deleted_at = '-infinity' where id in (
            select c.id from people p join conversations c on c.person_id = p.id
            where p.visitor_of is not null and starts_with(p.subject, $1) and p.subject <> $2
                and (c.deleted_at is null or c.deleted_at > '-infinity') and not exists (
                    select from conversations o where o.person_id = p.id and o.updated_at >= now() - make_interval(days => $3))
            limit $4)
            and updated_at < now() - make_interval(days => $3)  -- looked at once more where somebody asks in this moment
        returning id, assistant_id
        """,
        ANONYMOUS, FORGOTTEN, days, limit,
    )  # fmt: skip
    for row in rows:
        await _forget(conn, row["assistant_id"], row["id"])
    return len(rows)


async def delete_idle(conn: Conn, days: int, limit: int) -> int:
    """Remove anonymous visitors who have no conversation and are known for more than `days` days; returns how many, at most `limit`.

    They are held first (`hold`), so that none who asks in this moment goes with their new conversation.
    """
    held = await conn.fetch(
        """
        select p.id from people p where p.visitor_of is not null and starts_with(p.subject, $1) and p.subject <> $2
            and p.created_at < now() - make_interval(days => $3) and not exists (select from conversations c where c.person_id = p.id)
        limit $4 for update skip locked
        """,
        ANONYMOUS, FORGOTTEN, days, limit,
    )  # fmt: skip
    gone = await conn.fetch(
        "delete from people p where id = any($1) and not exists (select from conversations c where c.person_id = p.id) returning id",
        [row["id"] for row in held],
    )
    return len(gone)


async def stop_all(conn: Conn, conversation_id: UUID) -> None:
    """Ask for the end of what is being answered in a conversation."""
    await conn.execute(
        "update turns set stop_requested = true where conversation_id = $1 and status in ('queued', 'running')", conversation_id
    )


async def note_asked(conn: Conn, assistant_id: UUID) -> None:
    """Note that a visitor asked, at most once a minute: many ask at once."""
    await conn.execute(
        "update assistants set last_asked_at = now() where id = $1"
        " and (last_asked_at is null or last_asked_at < now() - interval '1 minute')",
        assistant_id,
    )


async def list_asked(
    conn: Conn, assistant_id: UUID, limit: int, before_at: datetime | None = None, before_id: UUID | None = None
) -> list[AskedTurn]:
    """What visitors asked an assistant, newest first: no names, no answers, nothing that joins two questions of one visitor."""
    rows = await conn.fetch(
        """
        select t.id, t.question, t.outcome -> 'route' ->> 'language' as language, t.status, t.outcome ->> 'reply_kind' as reply_kind,
            t.feedback, (select count(distinct c.source_id) from citations c where c.turn_id = t.id) as sources, t.created_at
        from turns t join people p on p.id = t.person_id and p.visitor_of = t.assistant_id
            join conversations c on c.id = t.conversation_id and c.deleted_at is null
        where t.assistant_id = $1 and ($3::timestamptz is null or (t.created_at, t.id) < ($3, $4))
        order by t.created_at desc, t.id desc limit $2
        """,
        assistant_id, limit, before_at, before_id,
    )  # fmt: skip
    return [AskedTurn(**row) for row in rows]

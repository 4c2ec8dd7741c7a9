"""Table conversations: a person's threads of questions to a notebook or an assistant."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sourcebook_core.db import Conn
from sourcebook_core.store.scopes import Holder


@dataclass(frozen=True)
class Conversation:
    """One conversation; `turns` counts its questions."""

    id: UUID
    notebook_id: UUID | None
    assistant_id: UUID | None
    title: str
    created_at: datetime
    updated_at: datetime
    turns: int

    @property
    def holder(self) -> Holder:
        """What is asked in it."""
        return Holder.of(self.notebook_id, self.assistant_id)


async def insert(conn: Conn, conversation_id: UUID, holder: Holder, person_id: UUID, title: str = "", resource: str = "") -> None:
    """Begin a conversation; `resource` is what of the host application it is about."""
    await conn.execute(
        "insert into conversations (id, notebook_id, assistant_id, person_id, title, resource) values ($1, $2, $3, $4, $5, $6)",
        conversation_id, holder.notebook_id, holder.assistant_id, person_id, title, resource,
    )  # fmt: skip


async def goes_on(conn: Conn, conversation_id: UUID, resource: str | None, ttl_s: int | None) -> bool:
    """Whether a conversation may be gone on with: about the same resource (None: whatever it is), and not idle for longer than `ttl_s`.

    One in which nothing was asked yet takes the resource on. Source: S4-33, S4-37.
    """
    return (
        await conn.fetchval(
            """
            update conversations c set resource = coalesce($2, resource) where id = $1
                and ($2::text is null or resource = $2 or not exists (select from turns t where t.conversation_id = c.id))
                and ($3::int is null or updated_at > now() - make_interval(secs => $3))
            returning true
            """,
            conversation_id, resource, ttl_s,
        )
        is not None
    )  # fmt: skip


async def drop_oldest(conn: Conn, person_id: UUID, holder: Holder, keep: int) -> None:
    """Move all but the `keep` conversations last used to the trash, none in which an answer is being written (S4-36)."""
    await conn.execute(
        """
        update conversations c set deleted_at = now() where id in (
            select id from conversations where (notebook_id = $2 or assistant_id = $2) and person_id = $1 and deleted_at is null
            order by updated_at desc, id desc offset $3
        ) and not exists (select from turns t where t.conversation_id = c.id and t.status in ('queued', 'running'))
        """,
        person_id, holder.id, keep,
    )  # fmt: skip


async def find(conn: Conn, person_id: UUID, conversation_id: UUID) -> Conversation | None:
    """The person's conversation; None when it is not theirs, or it or what it asks is in the trash."""
    row = await conn.fetchrow(
        """
        select c.id, c.notebook_id, c.assistant_id, c.title, c.created_at, c.updated_at,
            (select count(*) from turns t where t.conversation_id = c.id) as turns
        from conversations c left join notebooks n on n.id = c.notebook_id left join assistants a on a.id = c.assistant_id
        where c.id = $1 and c.person_id = $2 and c.deleted_at is null and n.deleted_at is null and a.deleted_at is null
        """,
        conversation_id, person_id,
    )  # fmt: skip
    return Conversation(**row) if row else None


async def list_for_holder(
    conn: Conn, person_id: UUID, holder: Holder, limit: int, before_at: datetime | None = None, before_id: UUID | None = None
) -> list[Conversation]:
    """The person's conversations with a notebook or an assistant, last used first, after a place where one is given."""
    rows = await conn.fetch(
        """
        select c.id, c.notebook_id, c.assistant_id, c.title, c.created_at, c.updated_at,
            (select count(*) from turns t where t.conversation_id = c.id) as turns
        from conversations c
        where (c.notebook_id = $2 or c.assistant_id = $2) and c.person_id = $1 and c.deleted_at is null
            and ($4::timestamptz is null or (c.updated_at, c.id) < ($4, $5))
        order by c.updated_at desc, c.id desc limit $3
        """,
        person_id, holder.id, limit, before_at, before_id,
    )  # fmt: skip
    return [Conversation(**row) for row in rows]


async def rename(conn: Conn, person_id: UUID, conversation_id: UUID, title: str) -> bool:
    """Give it a title; False when it is not theirs."""
    return (
        await conn.fetchval(
            "update conversations set title = $3 where id = $1 and person_id = $2 and deleted_at is null returning true",
            conversation_id, person_id, title,
        )
        is not None
    )  # fmt: skip


async def touch(conn: Conn, conversation_id: UUID, holder: Holder) -> None:
    """Note that a question was asked in it, for the order of the lists."""
    await conn.execute("update conversations set updated_at = now() where id = $1", conversation_id)
    if holder.kind == "notebook":
        await conn.execute("update notebooks set last_asked_at = now() where id = $1", holder.id)


async def delete(conn: Conn, person_id: UUID, conversation_id: UUID) -> bool:
    """Move to the trash; False when it is not theirs or there already."""
    return (
        await conn.fetchval(
            "update conversations set deleted_at = now() where id = $1 and person_id = $2 and deleted_at is null returning true",
            conversation_id, person_id,
        )
        is not None
    )  # fmt: skip


async def restore(conn: Conn, person_id: UUID, conversation_id: UUID) -> bool:
    """Take out of the trash; False when it is not there."""
    return (
        await conn.fetchval(
            "update conversations set deleted_at = null where id = $1 and person_id = $2 and deleted_at > '-infinity' returning true",
            conversation_id, person_id,
        )
        is not None
    )  # fmt: skip

"""What lies in the trash, and its removal for good. Something condemned has `deleted_at = -infinity`: due at once."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sourcebook_core.db import Conn
from sourcebook_core.store import citations, notes


@dataclass(frozen=True)
class TrashItem:
    """Something of a person's in the trash; `purge_at` is when it may be removed for good."""

    kind: str
    id: UUID
    title: str
    deleted_at: datetime
    purge_at: datetime


async def list_for_person(conn: Conn, person_id: UUID, days: int) -> list[TrashItem]:
    """What lies in a person's trash, last deleted first, at most 500."""
    rows = await conn.fetch(
        """
        select kind, id, title, deleted_at, deleted_at + make_interval(days => $2) as purge_at from (
            select 'notebook' as kind, id, title, deleted_at from notebooks where owner_id = $1
            union all select 'source', id, title, deleted_at from sources where owner_id = $1
            union all select 'assistant', id, name, deleted_at from assistants where owner_id = $1
            union all select 'note', o.id, o.title, o.deleted_at from notes o join notebooks n on n.id = o.notebook_id
                where o.person_id = $1 and n.deleted_at is null
            union all select 'conversation', c.id, c.title, c.deleted_at from conversations c
                left join notebooks n on n.id = c.notebook_id left join assistants a on a.id = c.assistant_id
                where c.person_id = $1 and n.deleted_at is null and a.deleted_at is null
        ) gone where deleted_at > '-infinity' order by deleted_at desc, id limit 500
        """,
        person_id, days,
    )  # fmt: skip
    return [TrashItem(**row) for row in rows]


async def condemn(conn: Conn, person_id: UUID, item_id: UUID) -> bool:
    """Make something in a person's trash due for removal now; False when it is not there."""
    for statement in (
        "update notebooks set deleted_at = '-infinity' where id = $2 and owner_id = $1 and deleted_at > '-infinity' returning true",
        "update sources set deleted_at = '-infinity' where id = $2 and owner_id = $1 and deleted_at > '-infinity' returning true",
        "update assistants set deleted_at = '-infinity' where id = $2 and owner_id = $1 and deleted_at > '-infinity' returning true",
        "update notes set deleted_at = '-infinity' where id = $2 and person_id = $1 and deleted_at > '-infinity' returning true",
        "update conversations set deleted_at = '-infinity' where id = $2 and person_id = $1 and deleted_at > '-infinity' returning true",
    ):
        if await conn.fetchval(statement, person_id, item_id):
            return True
    return False


async def sources_due(conn: Conn, days: int, limit: int) -> list[UUID]:
    """Sources whose time in the trash is over."""
    rows = await conn.fetch("select id from sources where deleted_at < now() - make_interval(days => $1) limit $2", days, limit)
    return [row["id"] for row in rows]


async def delete_due_conversations(conn: Conn, days: int, limit: int) -> int:
    """Remove conversations, with their answers and what paid calls gave for them, whose time in the trash is over; returns how many.

    The ledger keeps what the calls cost. Misses and test questions go with the turns whose words they are.
    """
    count: int = await conn.fetchval(
        """
        with due as (select id, person_id from conversations where deleted_at < now() - make_interval(days => $1) limit $2),
        unkept as (delete from idempotency i using due where i.person_id = due.person_id and i.response ->> 'id' = due.id::text),
        blanked as (update calls set response = null where response is not null and turn_id in (
            select t.id from turns t where t.conversation_id in (select id from due))),
        gone as (delete from conversations where id in (select id from due) returning 1)
        select count(*) from gone
        """,
        days, limit,
    )  # fmt: skip
    return count


async def delete_due_notebooks(conn: Conn, days: int, limit: int) -> int:
    """Remove notebooks, with their conversations, misses, test questions and grants, whose time in the trash is over; their sources
    stay in the library."""
    count: int = await conn.fetchval(
        """
        with due as (select id, owner_id from notebooks where deleted_at < now() - make_interval(days => $1) limit $2),
        unkept as (delete from idempotency i using due where i.person_id = due.owner_id and i.response ->> 'id' = due.id::text),
        unsearched as (delete from jobs j using due where j.kind = 'search_notebook' and j.owner_id = due.owner_id
            and j.state in ('done', 'failed', 'cancelled') and j.payload ->> 'notebook_id' = due.id::text),
        ungranted as (delete from grants where holder_kind = 'notebook' and holder_id in (select id from due)),
        blanked as (update calls set response = null where response is not null and turn_id in (
            select t.id from turns t where t.notebook_id in (select id from due))),
        gone as (delete from notebooks where id in (select id from due) returning 1)
        select count(*) from gone
        """,
        days, limit,
    )  # fmt: skip
    return count


async def delete_due_assistants(conn: Conn, days: int, limit: int) -> int:
    """Remove assistants whose time in the trash is over, with their visitors and all they said, misses, test questions and grants;
    their sources stay in the library. The ledger keeps what the calls cost."""
    count: int = await conn.fetchval(
        """
        with due as (select id, owner_id from assistants where deleted_at < now() - make_interval(days => $1) limit $2),
        unkept as (delete from idempotency i using due where i.person_id = due.owner_id and i.response ->> 'id' = due.id::text),
        ungranted as (delete from grants where holder_kind = 'assistant' and holder_id in (select id from due)),
        untold as (delete from jobs j using due where j.subject = due.id and j.state in ('done', 'failed', 'cancelled')),
        blanked as (update calls set response = null where response is not null and turn_id in (
            select t.id from turns t where t.assistant_id in (select id from due))),
        gone as (delete from assistants where id in (select id from due) returning 1)
        select count(*) from gone
        """,
        days, limit,
    )  # fmt: skip
    return count


async def delete_corpus_batch(conn: Conn, source_id: UUID, limit: int) -> int:
    """Remove up to `limit` chunks of a source with their vectors and words; returns how many there were."""
    count: int = await conn.fetchval(
        """
        with batch as (select id from corpus.chunks where source_id = $1 limit $2),
        lex as (delete from corpus.chunk_lex where chunk_id in (select id from batch)),
        vec as (delete from corpus.chunk_vec where chunk_id in (select id from batch)),
        gone as (delete from corpus.chunks where id in (select id from batch) returning 1)
        select count(*) from gone
        """,
        source_id, limit,
    )  # fmt: skip
    return count


async def erase_source(conn: Conn, source_id: UUID) -> list[tuple[UUID, int]]:
    """Remove the rest of a source for good, and its words wherever they were repeated: quotes, how answers were found, what
    searches gave, calls, first answers of repeated requests. Returns the turns (with their fences) whose streams may hold its words.

    Its blobs go before; the chunks went in batches. An answer that was made of quotes alone loses its text. Only its owner's
    answers and searches are looked through: nobody else's can have held it.
    """
    blanked = await _blank_turns(conn, source_id)
    await _erase_unanswered(conn, source_id, [turn_id for turn_id, _ in blanked])
    await notes.forget_source(conn, source_id)
    await citations.forget_in_lines(conn, source_id)
    await citations.forget_source(conn, source_id)
    await conn.execute(
        "update calls set response = null where source_id = $1 or turn_id in (select turn_id from citations where source_id = $1)",
        source_id,
    )
    await conn.execute("delete from jobs where state in ('done', 'failed', 'cancelled') and subject = $1", source_id)
    await conn.execute(
        """
        delete from jobs where kind in ('search_notebook', 'plan_answer') and state in ('done', 'failed', 'cancelled')
            and owner_id = (select owner_id from sources where id = $1) and result::text like '%' || $1::text || '%'
        """,
        source_id,
    )
    await conn.execute(
        """
        delete from idempotency where person_id in (select unnest(array[owner_id, added_by]) from sources where id = $1)
            and response::text like '%' || $1::text || '%'
        """,
        source_id,
    )
    for statement in (
        "delete from corpus.chunk_lex where source_id = $1",
        "delete from corpus.chunk_vec where source_id = $1",
        "delete from corpus.chunks where source_id = $1",
        "delete from corpus.captions where source_id = $1",
        "delete from corpus.indexes where source_id = $1",
        "delete from corpus.passages where source_id = $1",
        "delete from corpus.readings where source_id = $1",
        "delete from sources where id = $1",
    ):
        await conn.execute(statement, source_id)
    return [(turn_id, fence) for turn_id, fence in blanked if fence is not None]


async def _blank_turns(conn: Conn, source_id: UUID) -> list[tuple[UUID, int | None]]:
    """Take the source's words out of the answers that may hold them, of notebooks and assistants of its owner; their ids and fences."""
    rows = await conn.fetch(
        """
        update turns set why = null,
            answer = case when coalesce(outcome #>> '{route,by}', outcome #>> '{route,answer_mode}') = 'quoted' then '' else answer end,
            outcome = outcome || '{"closest": [], "cards": []}'::jsonb || jsonb_build_object('sources', (
                select coalesce(jsonb_agg(case when s ->> 'source_id' <> $1::uuid::text then s
                    else s || '{"title": "", "heading": null}'::jsonb end), '[]'::jsonb)
                from jsonb_array_elements(outcome -> 'sources') s))
        where id in (select turn_id from citations where source_id = $1)
            or (coalesce(notebook_id, assistant_id) in (
                    select h.id from (select id, owner_id from notebooks union all select id, owner_id from assistants) h
                    join sources s on s.owner_id = h.owner_id where s.id = $1)
                and created_at >= (select created_at from sources where id = $1)
                and (why::text like '%' || $1::text || '%' or outcome::text like '%' || $1::text || '%'))
        returning id, fence
        """,
        source_id,
    )
    return [(row["id"], row["fence"]) for row in rows]


async def _erase_unanswered(conn: Conn, source_id: UUID, blanked: list[UUID]) -> None:
    """What a blanked turn could not answer is told no more; a test question only loses the source that should answer it."""
    await conn.execute("delete from misses where turn_id = any($1)", blanked)
    await conn.execute("update questions set source_ids = array_remove(source_ids, $1) where source_ids @> array[$1::uuid]", source_id)

"""Table misses: questions that a whole notebook, or an assistant for its visitors, could not answer; one per turn, told in groups."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sourcebook_core.db import Conn
from sourcebook_core.store.scopes import Holder

EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class Miss:
    """Misses of one key: the newest wording with up to `EXAMPLES` others, how often, by how many people and for which reasons.

    `turn_id` is the newest turn; `asked_by` whose it is. `state`: `solved` when every miss is, else `question` when a test question
    was made of it, else `open`.
    """

    key: UUID
    question: str
    language: str | None
    count: int
    people: int
    nothing_found: int
    not_covered: int
    thumbs_down: int
    examples: list[str]
    first_at: datetime
    last_at: datetime
    state: str
    turn_id: UUID
    asked_by: UUID


@dataclass(frozen=True, slots=True)
class Count:
    """How much a notebook could not answer, without a word of anybody's questions. `open` … `questions` count groups."""

    notebook_id: UUID
    owner_id: UUID
    owner: str
    title: str
    open: int
    solved: int
    questions: int
    asked: int
    people: int
    last_at: datetime


async def keep(conn: Conn, turn_id: UUID, key: UUID, language: str | None) -> bool:
    """Keep an ended turn as a miss where it is one, in the commit that ends or rates it; safe to run twice. Whether it is kept.

    It is one when it ended complete over the whole notebook and found nothing, was not covered, or has a thumbs down. The
    whole notebook: no sources chosen, none paused, none still being read, and the embedding model, where there is one, was not
    away. What the asker may not see is not a gap, so nothing outside the scope is looked at, and a smaller scope gives no miss.
    Of an assistant only what a visitor asked counts; what is paused there was taken away from visitors for good reason.
    """
    kept = await conn.fetchval(
        """
        insert into misses (turn_id, notebook_id, assistant_id, person_id, key, question, language, found, is_down, asked_at)
        select t.id, t.notebook_id, t.assistant_id, t.person_id, $2, t.question, $3,
            case when t.outcome ->> 'reply_kind' = 'none' then
                case t.outcome -> 'route' ->> 'answer_mode' when 'model' then 'not_covered' else 'nothing_found' end end,
            t.feedback is not distinct from -1, t.created_at
        from turns t
        where t.id = $1 and t.status = 'done' and t.finish = 'complete'
            and (t.assistant_id is null or exists (select from people p where p.id = t.person_id and p.visitor_of = t.assistant_id))
            and t.outcome -> 'route' ->> 'answer_mode' <> 'empty'
            and (t.outcome ->> 'reply_kind' = 'none' or t.feedback = -1)
            and coalesce(t.request -> 'source_ids', 'null') = 'null'
            and coalesce((t.outcome ->> 'pending_sources')::integer, 0) = 0
            and not coalesce(t.outcome -> 'degraded', '[]') ?| array['indexing', 'without_documents']
            and not exists (select from calls k where k.turn_id = t.id and k.step = 'question' and k.state = 'failed')
            and not exists (
                select from grants g join sources s on s.id = g.source_id
                where g.holder_kind = 'notebook' and g.holder_id = t.notebook_id and g.state = 'paused' and s.deleted_at is null)
        on conflict (turn_id) do update set found = excluded.found, is_down = excluded.is_down,
            solved_at = case when excluded.is_down and not misses.is_down then null else misses.solved_at end
        returning true
        """,
        turn_id, key, language,
    )  # fmt: skip
    return bool(kept)


async def take_thumb_back(conn: Conn, turn_id: UUID) -> None:
    """The thumbs down of a turn was taken back: a miss for no other reason is none any more."""
    await conn.execute("delete from misses where turn_id = $1 and found is null", turn_id)
    await conn.execute("update misses set is_down = false where turn_id = $1", turn_id)


_GROUPS = """
    select m.key, (array_agg(m.question order by m.asked_at desc, m.turn_id desc))[1] as question,
        (array_agg(m.language order by m.asked_at desc, m.turn_id desc))[1] as language,
        count(*) as count, count(distinct m.person_id) as people,
        count(*) filter (where m.found = 'nothing_found') as nothing_found,
        count(*) filter (where m.found = 'not_covered') as not_covered,
        count(*) filter (where m.is_down) as thumbs_down,
        (array_agg(distinct m.question))[1:4] as examples, min(m.asked_at) as first_at, max(m.asked_at) as last_at,
        case when bool_and(m.solved_at is not null) then 'solved' when bool_or(q.id is not null) then 'question' else 'open' end as state,
        (array_agg(m.turn_id order by m.asked_at desc, m.turn_id desc))[1] as turn_id,
        (array_agg(m.person_id order by m.asked_at desc, m.turn_id desc))[1] as asked_by
    from misses m join turns t on t.id = m.turn_id join conversations c on c.id = t.conversation_id
    left join questions q on (q.notebook_id = m.notebook_id or q.assistant_id = m.assistant_id) and q.key = m.key
    where (m.notebook_id = $1 or m.assistant_id = $1) and c.deleted_at is null
"""


async def list_for_holder(
    conn: Conn, holder: Holder, state: str, limit: int, before_at: datetime | None = None, before_key: UUID | None = None
) -> list[Miss]:
    """The groups of a notebook or an assistant in this state, last asked first, after the place where one is given; for its
    people alone.

    What was asked in a conversation that lies in the trash is not told.
    """
    rows = await conn.fetch(
        f"""
        select * from ({_GROUPS} group by m.key) g
        where state = $2 and ($4::timestamptz is null or (last_at, key) < ($4, $5)) order by last_at desc, key desc limit $3
        """,  # noqa: S608 - a constant of this file
        holder.id, state, limit, before_at, before_key,
    )  # fmt: skip
    return [_miss(row) for row in rows]


async def find(conn: Conn, holder: Holder, key: UUID) -> Miss | None:
    """One group of a notebook or an assistant; for its people alone."""
    row = await conn.fetchrow(f"{_GROUPS} and m.key = $2 group by m.key", holder.id, key)  # a constant of this file
    return _miss(row) if row else None


def _miss(row: Any) -> Miss:
    fields = dict(row)
    fields["examples"] = [one for one in row["examples"] if one != row["question"]][:EXAMPLES]
    return Miss(**fields)


async def set_solved(conn: Conn, holder: Holder, key: UUID, is_solved: bool) -> None:
    """Mark every miss of a group as solved, or as not. Safe to run twice: what is solved already keeps its time."""
    await conn.execute(
        """
        update misses set solved_at = case when $3 then now() end
        where (notebook_id = $1 or assistant_id = $1) and key = $2 and (solved_at is not null) <> $3
        """,
        holder.id, key, is_solved,
    )  # fmt: skip


async def count_by_notebook(conn: Conn, limit: int, before_at: datetime | None = None, before_id: UUID | None = None) -> list[Count]:
    """The notebooks that could not answer something, last asked first: for administrators, without a word of a question."""
    rows = await conn.fetch(
        """
        with told as (
            select m.notebook_id, m.key, m.person_id, m.asked_at, m.solved_at
            from misses m join turns t on t.id = m.turn_id join conversations c on c.id = t.conversation_id where c.deleted_at is null),
        groups as (
            select g.notebook_id, bool_and(g.solved_at is not null) as is_solved, count(*) as asked, max(g.asked_at) as last_at,
                exists (select from questions q where q.notebook_id = g.notebook_id and q.key = g.key) as is_question
            from told g group by g.notebook_id, g.key),
        asking as (select notebook_id, count(distinct person_id) as people from told group by notebook_id),
        counted as (
            select notebook_id, count(*) filter (where not is_solved and not is_question) as open,
                count(*) filter (where is_solved) as solved, count(*) filter (where not is_solved and is_question) as questions,
                sum(asked)::bigint as asked, max(last_at) as last_at
            from groups group by notebook_id)
        select k.notebook_id, n.owner_id, p.name as owner, n.title, k.open, k.solved, k.questions, k.asked, a.people, k.last_at
        from counted k join asking a on a.notebook_id = k.notebook_id
        join notebooks n on n.id = k.notebook_id join people p on p.id = n.owner_id
        where n.deleted_at is null and ($2::timestamptz is null or (k.last_at, k.notebook_id) < ($2, $3))
        order by k.last_at desc, k.notebook_id desc limit $1
        """,
        limit, before_at, before_id,
    )  # fmt: skip
    return [Count(**row) for row in rows]


async def delete_solved(conn: Conn, days: int, limit: int) -> int:
    """Remove misses that were solved `days` ago, at most `limit`; returns how many."""
    count: int = await conn.fetchval(
        """
        with gone as (delete from misses where turn_id in (
            select turn_id from misses where solved_at < now() - make_interval(days => $1) limit $2) returning 1)
        select count(*) from gone
        """,
        days, limit,
    )  # fmt: skip
    return count

"""Table questions: what a notebook is tested with, each with the sources that should answer it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sourcebook_core.db import Conn


@dataclass(frozen=True, slots=True)
class TestQuestion:
    """A question of a notebook's test. `kind` is one of evaluation's; `source_ids` any of which answers it (none: nothing should).

    A question that is not `unanswerable` and has no sources lost them when they were deleted for good.
    """

    __test__ = False  # for pytest: not a test class

    id: UUID
    notebook_id: UUID
    question: str
    language: str | None
    kind: str
    source_ids: list[UUID]
    created_at: datetime


async def insert(
    conn: Conn,
    question_id: UUID,
    notebook_id: UUID,
    *,
    question: str,
    language: str | None,
    kind: str,
    source_ids: Sequence[UUID],
    key: UUID | None = None,
    turn_id: UUID | None = None,
) -> UUID:
    """Add a question and return its id. `key` and `turn_id`: of the miss it is made of; the same miss gives one question, whose
    kind and sources are then set anew."""
    made: UUID = await conn.fetchval(
        """
        insert into questions (id, notebook_id, turn_id, key, question, language, kind, source_ids)
        values ($1, $2, $3, $4, $5, $6, $7, $8)
        on conflict (notebook_id, key) where key is not null do update set kind = excluded.kind, source_ids = excluded.source_ids
        returning id
        """,
        question_id, notebook_id, turn_id, key, question, language, kind, list(dict.fromkeys(source_ids)),
    )  # fmt: skip
    return made


async def list_for_notebook(
    conn: Conn, notebook_id: UUID, limit: int, before_at: datetime | None = None, before_id: UUID | None = None
) -> list[TestQuestion]:
    """The questions of a notebook, newest first, after the place where one is given; for its owner alone."""
    rows = await conn.fetch(
        """
        select id, notebook_id, question, language, kind, source_ids, created_at from questions
        where notebook_id = $1 and ($3::timestamptz is null or (created_at, id) < ($3, $4))
        order by created_at desc, id desc limit $2
        """,
        notebook_id, limit, before_at, before_id,
    )  # fmt: skip
    return [TestQuestion(**row) for row in rows]


async def find(conn: Conn, owner_id: UUID, question_id: UUID) -> TestQuestion | None:
    """A question of a living notebook of this person's."""
    row = await conn.fetchrow(
        """
        select q.id, q.notebook_id, q.question, q.language, q.kind, q.source_ids, q.created_at
        from questions q join notebooks n on n.id = q.notebook_id where q.id = $2 and n.owner_id = $1 and n.deleted_at is null
        """,
        owner_id, question_id,
    )  # fmt: skip
    return TestQuestion(**row) if row else None


async def delete(conn: Conn, owner_id: UUID, question_id: UUID) -> bool:
    """Remove a question of this person's; the misses it was made of are open again. False when it is not theirs."""
    return (
        await conn.fetchval(
            """
            delete from questions q using notebooks n
            where q.id = $2 and n.id = q.notebook_id and n.owner_id = $1 and n.deleted_at is null returning true
            """,
            owner_id, question_id,
        )
        is not None
    )  # fmt: skip

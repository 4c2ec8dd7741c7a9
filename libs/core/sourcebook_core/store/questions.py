"""Table questions: what a notebook or an assistant is tested with, each with the sources that should answer it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sourcebook_core.db import Conn
from sourcebook_core.store.scopes import Holder


@dataclass(frozen=True, slots=True)
class TestQuestion:
    """A question of a test. `kind` is one of evaluation's; `source_ids` any of which answers it (none: nothing should).

    A question that is not `unanswerable` and has no sources lost them when they were deleted for good. `outcome`: what an
    assistant found for it when it was published last, {is_right, first}.
    """

    __test__ = False  # for pytest: not a test class

    id: UUID
    notebook_id: UUID | None
    assistant_id: UUID | None
    question: str
    language: str | None
    kind: str
    source_ids: list[UUID]
    outcome: dict[str, Any] | None
    created_at: datetime

    @property
    def can_be_judged(self) -> bool:
        """Whether what answers it was not deleted for good."""
        return bool(self.source_ids) or self.kind == "unanswerable"


_COLUMNS = "q.id, q.notebook_id, q.assistant_id, q.question, q.language, q.kind, q.source_ids, q.outcome, q.created_at"
# Whose test it is: the notebook's owner, or the assistant's owner and editors ($2: who may only look counts too).
_THEIRS = """
    (exists (select from notebooks n where n.id = q.notebook_id and n.owner_id = $1 and n.deleted_at is null)
    or exists (select from assistants a where a.id = q.assistant_id and a.deleted_at is null and (a.owner_id = $1 or exists (
        select from assistant_members m where m.assistant_id = a.id and m.person_id = $1 and (m.role = 'editor' or $2)))))
"""


async def insert(
    conn: Conn,
    question_id: UUID,
    holder: Holder,
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
    unique = "notebook_id" if holder.kind == "notebook" else "assistant_id"
    also = "" if holder.kind == "notebook" else " and assistant_id is not null"
    made: UUID = await conn.fetchval(
        f"""
        insert into questions (id, notebook_id, assistant_id, turn_id, key, question, language, kind, source_ids)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
        on conflict ({unique}, key) where key is not null{also}
            do update set kind = excluded.kind, source_ids = excluded.source_ids, outcome = null
        returning id
        """,  # noqa: S608 - constants of this function
        question_id, holder.notebook_id, holder.assistant_id, turn_id, key, question, language, kind, list(dict.fromkeys(source_ids)),
    )  # fmt: skip
    return made


async def list_for_holder(
    conn: Conn, holder: Holder, limit: int, before_at: datetime | None = None, before_id: UUID | None = None
) -> list[TestQuestion]:
    """The questions of a notebook or an assistant, newest first, after the place where one is given; for its people alone."""
    rows = await conn.fetch(
        f"""
        select {_COLUMNS} from questions q
        where (notebook_id = $1 or assistant_id = $1) and ($3::timestamptz is null or (created_at, id) < ($3, $4))
        order by created_at desc, id desc limit $2
        """,  # noqa: S608 - a constant of this file
        holder.id, limit, before_at, before_id,
    )  # fmt: skip
    return [TestQuestion(**row) for row in rows]


async def find(conn: Conn, person_id: UUID, question_id: UUID) -> TestQuestion | None:
    """A question of a living notebook of this person's, or of an assistant that they work on."""
    row = await conn.fetchrow(f"select {_COLUMNS} from questions q where q.id = $3 and {_THEIRS}", person_id, True, question_id)  # noqa: S608
    return TestQuestion(**row) if row else None


async def delete(conn: Conn, person_id: UUID, question_id: UUID) -> bool:
    """Remove a question that this person may change; the misses it was made of are open again. False when they may not."""
    found = await conn.fetchval(f"delete from questions q where q.id = $3 and {_THEIRS} returning true", person_id, False, question_id)  # noqa: S608
    return found is not None


async def keep_outcomes(conn: Conn, outcomes: Mapping[UUID, Mapping[str, Any]]) -> None:
    """Keep what each question found at a publication; one that was deleted meanwhile is left out."""
    await conn.executemany("update questions set outcome = $2 where id = $1", [(one, dict(found)) for one, found in outcomes.items()])

"""Table notes: what a person kept of a notebook, with the citations that stand behind its marks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from sourcebook_core.checks import Citation
from sourcebook_core.db import Conn
from sourcebook_core.store.citations import WORDLESS


@dataclass(frozen=True, slots=True)
class Note:
    """One note. `kept` is the text that was saved, empty where the person wrote it all; each citation knows whether
    its source has left the notebook since. `uncited`: the statements of the answer it was kept of that had no mark, word for word."""

    id: UUID
    notebook_id: UUID
    turn_id: UUID | None
    source_id: UUID | None
    title: str
    text: str
    kept: str
    citations: list[Citation]
    created_at: datetime
    updated_at: datetime
    uncited: list[str] = field(default_factory=list)


# `removed` as `citations.list_for_turns` tells it: a paused source still opens.
_NOTE = """
    select n.id, n.notebook_id, n.turn_id, n.source_id, n.title, n.text, n.kept, n.created_at, n.updated_at, n.citations,
        (select coalesce(array_agg(g.source_id), '{}') from grants g join sources s on s.id = g.source_id
            where g.holder_kind = 'notebook' and g.holder_id = n.notebook_id and s.deleted_at is null
                and g.source_id in (select (c ->> 'source_id')::uuid from jsonb_array_elements(n.citations) c)) as held,
        (select coalesce(array_agg(substr(
                t.answer, (s ->> 'start')::int + 1, (s ->> 'end')::int - (s ->> 'start')::int) order by ord), '{}')
            from turns t, jsonb_array_elements(case when jsonb_typeof(t.outcome #> '{checks,statements}') = 'array'
                then t.outcome #> '{checks,statements}' else '[]' end) with ordinality told (s, ord)
            where t.id = n.turn_id and s ->> 'status' = 'uncited') as uncited
    from notes n join notebooks b on b.id = n.notebook_id and b.deleted_at is null
    where n.person_id = $1 and n.deleted_at is null
"""


async def insert(
    conn: Conn,
    note_id: UUID,
    *,
    notebook_id: UUID,
    person_id: UUID,
    title: str,
    text: str,
    kept: str = "",
    citations: Sequence[Citation] = (),
    turn_id: UUID | None = None,
) -> None:
    """Keep a note; what stands behind its marks is kept with it, as it was. `kept`: its text where it is not the person's own."""
    told = [one.model_dump(mode="json") for one in citations]
    await conn.execute(
        "insert into notes (id, notebook_id, person_id, turn_id, title, text, kept, citations) values ($1, $2, $3, $4, $5, $6, $7, $8)",
        note_id, notebook_id, person_id, turn_id, title, text, kept, told,
    )  # fmt: skip


async def find(conn: Conn, person_id: UUID, note_id: UUID) -> Note | None:
    """A person's note; None when it is not theirs, or it or its notebook is in the trash."""
    row = await conn.fetchrow(f"{_NOTE} and n.id = $2", person_id, note_id)
    return _note(row) if row else None


async def list_for_notebook(
    conn: Conn, person_id: UUID, notebook_id: UUID, limit: int, before_at: datetime | None = None, before_id: UUID | None = None
) -> list[Note]:
    """A person's notes in a notebook, last changed first, after the place where one is given."""
    rows = await conn.fetch(
        f"{_NOTE} and n.notebook_id = $2 and ($4::timestamptz is null or (n.updated_at, n.id) < ($4, $5))"
        " order by n.updated_at desc, n.id desc limit $3",
        person_id, notebook_id, limit, before_at, before_id,
    )  # fmt: skip
    return [_note(row) for row in rows]


async def update(conn: Conn, person_id: UUID, note_id: UUID, title: str | None, text: str | None) -> bool:
    """Change title or text (None: stays); False when it is not theirs."""
    found = await conn.fetchval(
        "update notes set title = coalesce($3, title), text = coalesce($4, text), updated_at = now()"
        " where id = $2 and person_id = $1 and deleted_at is null returning true",
        person_id, note_id, title, text,
    )  # fmt: skip
    return bool(found)


async def made_source(conn: Conn, note_id: UUID, source_id: UUID) -> None:
    """Note which source the note was made."""
    await conn.execute("update notes set source_id = $2 where id = $1", note_id, source_id)


async def delete(conn: Conn, person_id: UUID, note_id: UUID) -> bool:
    """Move to the trash; False when it is not theirs or there already."""
    found = await conn.fetchval(
        "update notes set deleted_at = now() where id = $2 and person_id = $1 and deleted_at is null returning true", person_id, note_id
    )
    return bool(found)


async def restore(conn: Conn, person_id: UUID, note_id: UUID) -> None:
    """Take out of the trash, where it is there."""
    await conn.execute(
        "update notes set deleted_at = null where id = $2 and person_id = $1 and deleted_at > '-infinity'", person_id, note_id
    )


async def delete_due(conn: Conn, days: int, limit: int) -> int:
    """Remove notes whose time in the trash is over; returns how many."""
    rows = await conn.fetch(
        "delete from notes where id in (select id from notes where deleted_at < now() - make_interval(days => $1) limit $2) returning id",
        days, limit,
    )  # fmt: skip
    return len(rows)


async def forget_source(conn: Conn, source_id: UUID) -> None:
    """Take the words of a source that is removed for good out of the citations of notes. What a person wrote stays theirs."""
    await conn.execute(
        f"""
        update notes set citations = (
            select jsonb_agg(case when c ->> 'source_id' <> $1::uuid::text then c else {WORDLESS} end)
            from jsonb_array_elements(citations) c)
        where citations @> jsonb_build_array(jsonb_build_object('source_id', $1::uuid::text))
        """,  # noqa: S608 - a constant
        source_id,
    )


def _note(row: Any) -> Note:
    fields = dict(row)
    held = set(fields.pop("held"))
    cited = [Citation.model_validate(one) for one in fields.pop("citations")]
    return Note(**fields, citations=[one.model_copy(update={"removed": one.source_id not in held}) for one in cited])

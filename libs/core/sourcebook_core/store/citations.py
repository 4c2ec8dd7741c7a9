"""Rows of `citations`: the numbered marks of an answer and the words of the source behind each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sourcebook_core.checks import Citation
from sourcebook_core.db import Conn

# A citation c (JSON) once its source is removed for good: where it stood, and none of the source's words. Notes keep citations too.
WORDLESS = """
    c || jsonb_build_object('quote', null, 'source_title', '', 'heading', null, 'uses', (
        select coalesce(jsonb_agg(u || '{"quote": null, "context": {"before": "", "after": ""}, "evidence": {}}'::jsonb), '[]'::jsonb)
        from jsonb_array_elements(c -> 'uses') u))
"""


# How the line begins by which the program names the sources of an answer that shows no marks (`minted` of the fixed lines); behind its
# words and a colon stand the titles. No reply of a model has one.
LINE_SIGN = "\U0001f4c4"
LINE = f"\n\n{LINE_SIGN}[^:\n]*: "
LINE_TITLE_CHARS = 120  # N-12


@dataclass(frozen=True, slots=True)
class CitedChunk:
    """A chunk that an answer cites: half-open range of a passage of a reading."""

    n: int
    source_id: UUID
    reading_id: UUID
    chunk_id: UUID
    passage: int
    start_at: int
    end_at: int


async def replace(
    conn: Conn, turn_id: UUID, citations: Sequence[Citation], ranges: Sequence[tuple[int, int]], hidden: bool = False
) -> None:
    """Write the citations of a turn with the ranges of their chunks; what was there before goes. Hidden ones are shown to nobody."""
    await conn.execute("delete from citations where turn_id = $1", turn_id)
    await conn.executemany(
        """
        insert into citations (turn_id, n, source_id, reading_id, chunk_id, passage, start_at, end_at, data, hidden)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
        """,
        [
            (turn_id, c.n, c.source_id, c.reading_id, c.chunk_id, c.passage, start, end, c.model_dump(mode="json"), hidden)
            for c, (start, end) in zip(citations, ranges, strict=True)
        ],
    )


async def list_for_turns(conn: Conn, turn_ids: Sequence[UUID]) -> dict[UUID, list[Citation]]:
    """The citations of these turns by number, as stored without hidden ones, each with whether its source has left the notebook or
    assistant since (`removed`).

    A paused source still opens. The caller has checked that the turns are the person's.
    """
    rows = await conn.fetch(
        """
        select c.turn_id, c.data, c.data ->> 'kind' <> 'catalog' and not exists (
            select from grants g join sources s on s.id = g.source_id
            where g.holder_id = coalesce(t.notebook_id, t.assistant_id) and g.source_id = c.source_id and s.deleted_at is null
        ) as removed
        from citations c join turns t on t.id = c.turn_id
        where c.turn_id = any($1) and not c.hidden order by c.turn_id, c.n
        """,
        list(turn_ids),
    )
    found: dict[UUID, list[Citation]] = {turn_id: [] for turn_id in turn_ids}
    for row in rows:
        found[row["turn_id"]].append(Citation.model_validate({**row["data"], "removed": row["removed"]}))
    return found


async def chunks_of(conn: Conn, turn_id: UUID) -> list[CitedChunk]:
    """The chunks that a turn cites, by number, hidden ones too."""
    rows: list[Any] = await conn.fetch(
        "select n, source_id, reading_id, chunk_id, passage, start_at, end_at from citations where turn_id = $1 order by n", turn_id
    )
    return [CitedChunk(**dict(row)) for row in rows]


async def forget_in_lines(conn: Conn, source_id: UUID) -> None:
    """Take the title of a source that is removed for good out of the lines that name the sources of answers, and of notes that were
    kept of them, before `forget_source`. A line that named nothing else goes.

    Only such an answer tells sources and hides its citations.
    """
    await conn.execute(
        """
        with lines as (
            select t.id, substring(t.answer from $2::text || '[^\n]*$') as before, (
                select string_agg(title, ', ' order by n) from (
                    select min(c.n) as n, left(btrim(regexp_replace(c.data ->> 'source_title', '[[:space:]]+', ' ', 'g')), $3) as title
                    from citations c where c.turn_id = t.id and c.source_id <> $1 and c.data ->> 'source_title' <> '' group by 2) other
            ) as others
            from turns t where t.id in (select turn_id from citations where source_id = $1 and hidden)
                and t.outcome -> 'sources' @> jsonb_build_array(jsonb_build_object('source_id', $1::uuid::text))
        ), told as (
            select id, before, coalesce(substring(before from $2::text) || others, '') as after from lines where before is not null
        ), kept as (
            update notes o set text = replace(o.text, before, after), kept = replace(o.kept, before, after) from told
            where o.turn_id = told.id returning o.id
        ), unrepeated as (
            delete from idempotency where response ->> 'id' in (select id::text from kept)
        )
        update turns t set answer = left(answer, length(answer) - length(before)) || after from told where t.id = told.id
        """,
        source_id, LINE, LINE_TITLE_CHARS,
    )  # fmt: skip


async def forget_source(conn: Conn, source_id: UUID) -> None:
    """Take the words of a source that is removed for good out of the citations of answers."""
    await conn.execute(
        f"update citations set data = (select {WORDLESS} from (select data as c) one) where source_id = $1",  # noqa: S608 - a constant
        source_id,
    )

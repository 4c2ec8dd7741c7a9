"""Table guides: what a notebook is about, made of the sources that were ready; and what it is made of."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sourcebook_core.db import Conn

SOURCES = 100  # a guide is made of, the oldest first; who asks whether it is current looks at the same


@dataclass(frozen=True, slots=True)
class Guide:
    """A kept guide: `told` is {summary, topics, questions}."""

    sources_hash: bytes
    told: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Material:
    """A ready source: its paragraph (written or quoted, None without one) and its outline's headings [{title, level, …}]."""

    source_id: UUID
    reading_id: UUID
    title: str
    summary: str | None
    summary_kind: str | None
    outline: list[dict[str, Any]]
    language: str | None


async def find(conn: Conn, notebook_id: UUID) -> Guide | None:
    """The guide that was made last."""
    row = await conn.fetchrow("select sources_hash, told from guides where notebook_id = $1", notebook_id)
    return Guide(**dict(row)) if row else None


async def keep(conn: Conn, notebook_id: UUID, sources_hash: bytes, told: dict[str, Any]) -> None:
    """Put a guide in the place of the one before."""
    await conn.execute(
        "insert into guides (notebook_id, sources_hash, told) values ($1, $2, $3)"
        " on conflict (notebook_id) do update set sources_hash = excluded.sources_hash, told = excluded.told, made_at = now()",
        notebook_id, sources_hash, told,
    )  # fmt: skip


async def material(conn: Conn, notebook_id: UUID) -> list[Material]:
    """The notebook's ready uploads that are given, oldest first, at most `SOURCES`."""
    rows = await conn.fetch(
        """
        select s.id as source_id, s.reading_id, s.title, s.summary, s.summary_kind, r.outline, coalesce(r.language, s.language) as language
        from grants g join sources s on s.id = g.source_id join corpus.readings r on r.id = s.reading_id
        where g.holder_kind = 'notebook' and g.holder_id = $1 and g.state = 'given' and s.deleted_at is null and s.status = 'ready'
            and s.kind <> 'generated' and s.meta ->> 'made_of' is null
        order by s.created_at, s.id limit $2
        """,
        notebook_id, SOURCES,
    )  # fmt: skip
    return [Material(**dict(row)) for row in rows]


def fingerprint(of: list[Material]) -> bytes:
    """What a guide is made of: it is made anew when this changes."""
    told = "".join(f"{one.source_id}{one.reading_id}{one.summary or ''}\n" for one in of)
    return hashlib.sha256(told.encode()).digest()

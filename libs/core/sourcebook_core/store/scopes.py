"""What one search may see: the one place that decides it, and the second wall around it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sourcebook_core.db import Conn, narrow


@dataclass(frozen=True, slots=True)
class ScopeSource:
    """A granted source of a notebook; `searchable` is none, words or full, for its current reading under the notebook's recipe."""

    id: UUID
    reading_id: UUID | None
    title: str
    kind: str
    status: str
    language: str | None
    chunks: int
    searchable: str


@dataclass(frozen=True, slots=True)
class Scope:
    """What one search may see, and how it is cut and embedded. Made by `of_notebook` alone; without it nothing can be searched."""

    notebook_id: UUID
    owner_id: UUID
    profile: str
    settings: dict[str, Any]
    recipe_id: str
    space_id: UUID | None
    floor: float | None
    granted: tuple[ScopeSource, ...]
    sources: tuple[ScopeSource, ...]
    is_chosen: bool
    chosen: frozenset[UUID] = frozenset()

    @property
    def source_ids(self) -> list[UUID]:
        """The sources that are searched."""
        return [source.id for source in self.sources]

    @property
    def reading_ids(self) -> list[UUID]:
        """Their current readings."""
        return [source.reading_id for source in self.sources if source.reading_id]

    @property
    def languages(self) -> frozenset[str]:
        """The languages of the searched sources, where known."""
        return frozenset(source.language for source in self.sources if source.language)

    @property
    def pending(self) -> list[ScopeSource]:
        """Granted sources, of the chosen ones if the person chose, whose reading or indexing still goes on."""
        asked = [s for s in self.granted if not self.is_chosen or s.id in self.chosen]
        return [s for s in asked if s.searchable != "full" and s.status in ("queued", "needs_approval", "reading", "indexing")]

    @property
    def is_one_source(self) -> bool:
        """Whether the person chose exactly one source to ask."""
        return self.is_chosen and len(self.sources) == 1


async def of_notebook(conn: Conn, notebook_id: UUID, person_id: UUID, source_ids: Sequence[UUID] | None) -> Scope | None:
    """What this person may search in this notebook; None when there is no such notebook for them.

    Granted and not paused, not deleted, with a current reading cut under the notebook's recipe; of `source_ids` where given
    (an id that is not granted is left out, an empty list gives an empty scope). The only place that decides this.
    """
    notebook = await conn.fetchrow(
        """
        select n.id, n.owner_id, n.profile, n.settings, n.recipe_id, s.id as space_id, s.floor
        from notebooks n left join spaces s on s.state = 'in_use'
        where n.id = $1 and n.owner_id = $2 and n.deleted_at is null
        """,
        notebook_id,
        person_id,
    )
    if notebook is None:
        return None
    rows = await conn.fetch(
        """
        select s.id, s.reading_id, s.title, s.kind, s.status, coalesce(r.language, s.language) as language,
            coalesce(i.chunks, 0) as chunks,
            case when i.is_full then 'full' when i.has_words then 'words' else 'none' end as searchable
        from grants g
        join sources s on s.id = g.source_id
        left join corpus.readings r on r.id = s.reading_id
        left join lateral (
            select max(x.chunks) as chunks, bool_or(x.state in ('words', 'full')) as has_words,
                bool_or(x.state = 'full' and x.space_id = $3) as is_full
            from corpus.indexes x where x.reading_id = s.reading_id and x.recipe_id = $2
        ) i on true
        where g.holder_kind = 'notebook' and g.holder_id = $1 and g.state = 'given' and s.deleted_at is null
        order by s.created_at, s.id
        """,
        notebook_id,
        notebook["recipe_id"],
        notebook["space_id"],
    )
    granted = tuple(ScopeSource(**row) for row in rows)
    wanted = None if source_ids is None else set(source_ids)
    searched = tuple(s for s in granted if s.searchable != "none" and (wanted is None or s.id in wanted))
    return Scope(**_settled(notebook), granted=granted, sources=searched, is_chosen=wanted is not None, chosen=frozenset(wanted or ()))


def _settled(row: Any) -> dict[str, Any]:
    names = ("owner_id", "profile", "settings", "recipe_id", "space_id", "floor")
    return {"notebook_id": row["id"], **{name: row[name] for name in names}}


async def notebooks_of(conn: Conn, person_id: UUID) -> list[UUID]:
    """The person's notebooks, for a search over all of them; each has a scope of its own."""
    rows = await conn.fetch("select id from notebooks where owner_id = $1 and deleted_at is null order by created_at, id", person_id)
    return [row["id"] for row in rows]


async def enter(conn: Conn, of: Scope) -> None:
    """Close the second wall: from here this transaction reads the corpus only, and only of the scope's sources."""
    await narrow(conn, of.source_ids)

"""What one search may see: the one place that decides it, and the second wall around it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal
from uuid import UUID

from sourcebook_core import profiles
from sourcebook_core.db import Conn, narrow
from sourcebook_core.text.lexemes import ANALYSER_VERSION, QuestionLexemes, question_lexemes

HolderKind = Literal["notebook", "assistant"]
MADE = frozenset({"generated", "note"})  # kinds of what was made from sources


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds grants: a notebook or an assistant."""

    kind: HolderKind
    id: UUID

    @classmethod
    def of(cls, notebook_id: UUID | None, assistant_id: UUID | None) -> Holder:
        """The holder of a row that names one of the two."""
        if notebook_id is not None:
            return cls("notebook", notebook_id)
        assert assistant_id is not None, "a row names a notebook or an assistant"
        return cls("assistant", assistant_id)

    @property
    def notebook_id(self) -> UUID | None:
        """Its id where it is a notebook."""
        return self.id if self.kind == "notebook" else None

    @property
    def assistant_id(self) -> UUID | None:
        """Its id where it is an assistant."""
        return self.id if self.kind == "assistant" else None


@dataclass(frozen=True, slots=True)
class ScopeSource:
    """A granted source; `searchable` is none, words or full, for its current reading under the holder's recipe. `kind` is that of its
    file, but `note` for one that was made of a note (`meta.made_of`).

    `meta` has only the fields that the holder's profile looks at.
    """

    id: UUID
    reading_id: UUID | None
    title: str
    kind: str
    status: str
    language: str | None
    chunks: int
    searchable: str
    meta: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_made(self) -> bool:
        """Whether it was made from sources: it takes only places that originals leave, and is no evidence like one (S1-47, S1-48)."""
        return self.kind in MADE

    def values(self, name: str) -> frozenset[str]:
        """The values of one field of `meta` as they are compared: folded; several where it is a list."""
        return compared(self.meta.get(name))


@dataclass(frozen=True, slots=True)
class Scope:
    """What one person's search may see, and how it is cut and embedded. Made by `of` alone; without it nothing can be searched.

    `floor`, `weak_similarity` and `clear_lead` are those of (profile, space in use), on the raw cosine (-1..1); None where
    nothing was set or measured. `analyser` is the version of the words that its recipe holds: a question asks for no others.
    """

    holder: Holder
    person_id: UUID
    owner_id: UUID
    profile: str
    settings: dict[str, Any]
    recipe_id: str
    space_id: UUID | None
    model: str | None
    floor: float | None
    granted: tuple[ScopeSource, ...]
    sources: tuple[ScopeSource, ...]
    is_chosen: bool
    chosen: frozenset[UUID] = frozenset()
    analyser: int = ANALYSER_VERSION
    weak_similarity: float | None = None
    clear_lead: float | None = None

    @property
    def notebook_id(self) -> UUID | None:
        """The notebook that is searched; None for an assistant."""
        return self.holder.notebook_id

    @property
    def source_ids(self) -> list[UUID]:
        """The sources that are searched."""
        return [source.id for source in self.sources]

    @property
    def reading_ids(self) -> list[UUID]:
        """Their current readings."""
        return [source.reading_id for source in self.sources if source.reading_id]

    @property
    def chunks(self) -> int:
        """How many chunks that is."""
        return sum(source.chunks for source in self.sources)

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
        return len(self.chosen) == 1

    def words_of(self, question: str, language: str | None) -> QuestionLexemes:
        """The words of a question, in that language where it is sure, as the indexes of these sources hold them."""
        return question_lexemes(question, self.languages, language, self.analyser)

    def narrowed(self, where: Mapping[str, Collection[str]]) -> Scope:
        """The part of the scope whose sources have, in each named field of `meta`, one of the values; ranking comes after (S4-04).

        Values compare folded; a source without the field fits nothing, and no value lets nothing in.
        """
        allowed = {name: compared(list(values)) for name, values in where.items()}
        kept = tuple(s for s in self.sources if all(s.values(name) & values for name, values in allowed.items()))
        return replace(self, sources=kept)

    def in_languages(self, languages: Collection[str]) -> Scope:
        """The part of the scope in these languages; a source whose language is not known stays (S2-19, S2-47)."""
        return replace(self, sources=tuple(s for s in self.sources if s.language is None or s.language in languages))


def compared(value: Any) -> frozenset[str]:
    """A value of a source's `meta` or of a question's context as it is compared: its words folded, of a list each of its items."""
    given = value if isinstance(value, list | tuple | set | frozenset) else [value]
    return frozenset(str(one).strip().casefold() for one in given if one is not None and str(one).strip())


async def of(conn: Conn, holder: Holder, person_id: UUID, source_ids: Collection[UUID] | None) -> Scope | None:
    """What this person may search there; None when there is no such notebook or assistant for them: a notebook is its
    owner's, an assistant its owner's, its members' and, once published, its visitors', who are answered by what was published.

    Granted and not paused, not deleted, with a current reading cut under the holder's recipe; of `source_ids` where given
    (an id that is not granted is left out, an empty list gives an empty scope). The only place that decides this. The floor
    is that of (profile, space in use), else the space's own. Source: S1-38, S3-14, S3-15.
    """
    found = await conn.fetchrow(_HOLDERS[holder.kind], holder.id, person_id)
    if found is None:
        return None
    fields = profiles.of(found["profile"], found["settings"].get("profile")).meta_fields
    rows = await conn.fetch(_GRANTED, holder.kind, holder.id, found["recipe_id"], found["space_id"], sorted(fields))
    granted = tuple(ScopeSource(**row) for row in rows)
    wanted = None if source_ids is None else frozenset(source_ids)
    searched = tuple(s for s in granted if s.searchable != "none" and (wanted is None or s.id in wanted))
    return Scope(
        holder=holder, person_id=person_id, **dict(found), granted=granted, sources=searched,
        is_chosen=wanted is not None, chosen=wanted or frozenset(),
    )  # fmt: skip


# `numeric` on the way: as a float a real of 0.3 would lie above 0.3, and what is at the floor is in (A6).
_HOLDER = """
    select h.owner_id, h.profile, h.settings, h.recipe_id, s.id as space_id, s.model, p.analyser,
        coalesce(f.floor, s.floor)::numeric::float8 as floor, f.weak_similarity::numeric::float8, f.clear_lead::numeric::float8
    from HOLDERS h join recipes p on p.id = h.recipe_id left join spaces s on s.state = 'in_use'
        left join floors f on f.space_id = s.id and f.profile = h.profile
    where h.deleted_at is null
"""
_NOTEBOOK = "(select * from notebooks where id = $1 and owner_id = $2)"
# Its people ask the draft, a visitor what was published; but whether its models are on this server holds at once.
_ASSISTANT = """(
    select a.id, a.owner_id, a.recipe_id, a.deleted_at, a.profile, a.settings from assistants a where a.id = $1 and (a.owner_id = $2
        or exists (select from assistant_members m where m.assistant_id = a.id and m.person_id = $2))
    union all
    select a.id, a.owner_id, a.recipe_id, a.deleted_at, a.published ->> 'profile',
        (a.published -> 'settings') || jsonb_build_object('local_only', a.settings -> 'local_only')
    from assistants a join people v on v.visitor_of = a.id where a.id = $1 and v.id = $2 and a.published is not null
)"""
_FOR_PERSON: dict[HolderKind, str] = {"notebook": _NOTEBOOK, "assistant": _ASSISTANT}
_HOLDERS = {kind: _HOLDER.replace("HOLDERS", rows) for kind, rows in _FOR_PERSON.items()}
_OWNERS = {kind: f"select h.owner_id from {rows} h where h.deleted_at is null" for kind, rows in _FOR_PERSON.items()}  # noqa: S608
_GRANTED = """
    select s.id, s.reading_id, s.title, case when s.meta ->> 'made_of' = 'note' then 'note' else s.kind end as kind, s.status,
        coalesce(r.language, s.language) as language, coalesce(i.chunks, 0) as chunks,
        case when i.is_full then 'full' when i.has_words then 'words' else 'none' end as searchable,
        case when s.meta ?| $5 then (select jsonb_object_agg(m.key, m.value) from jsonb_each(s.meta) m where m.key = any($5))
            else '{}' end as meta
    from grants g
    join sources s on s.id = g.source_id
    left join corpus.readings r on r.id = s.reading_id
    left join lateral (
        select max(x.chunks) as chunks, bool_or(x.state in ('words', 'full')) as has_words,
            bool_or(x.state = 'full' and x.space_id = $4) as is_full
        from corpus.indexes x where x.reading_id = s.reading_id and x.recipe_id = $3
    ) i on true
    where g.holder_kind = $1 and g.holder_id = $2 and g.state = 'given' and s.deleted_at is null
    order by s.created_at, s.id
"""


async def owner_of(conn: Conn, holder: Holder, person_id: UUID) -> UUID | None:
    """Whose it is, who also pays for it; None for somebody who may not ask it. The same people as in `of`."""
    found: UUID | None = await conn.fetchval(_OWNERS[holder.kind], holder.id, person_id)
    return found


async def again(conn: Conn, of_before: Scope) -> Scope | None:
    """The same scope as it is now: a grant that was taken back, paused or deleted since is no longer in it."""
    return await of(conn, of_before.holder, of_before.person_id, of_before.chosen if of_before.is_chosen else None)


async def notebooks_of(conn: Conn, person_id: UUID) -> list[UUID]:
    """The person's notebooks, for a search over all of them; each has a scope of its own."""
    rows = await conn.fetch("select id from notebooks where owner_id = $1 and deleted_at is null order by created_at, id", person_id)
    return [row["id"] for row in rows]


async def enter(conn: Conn, of: Scope) -> None:
    """Close the second wall: from here this transaction reads the corpus only, and only of the scope's sources."""
    await narrow(conn, of.source_ids)


async def enter_again(conn: Conn, of_before: Scope) -> Scope | None:
    """The same scope as it is now, with the second wall closed around it; None when it is no longer there for this person."""
    scope = await again(conn, of_before)
    if scope is not None:
        await enter(conn, scope)
    return scope

"""Table assistants: what an application embeds. `profile` and `settings` are the draft; visitors are answered by `published`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from sourcebook_core.db import Conn

Role = Literal["owner", "editor", "viewer"]


@dataclass(frozen=True, slots=True)
class Assistant:
    """One assistant as one of its people sees it. `role` is what they are; `given`, `paused` and `pending` (given, and not read or
    cut for it yet) count its sources. `wanted_recipe_id` is set while its purpose cuts otherwise than its sources are cut, `stale`
    counts those that are to be cut anew for it, and `is_reindexing` says that this goes on."""

    id: UUID
    owner_id: UUID
    slug: str
    name: str
    profile: str
    settings: dict[str, Any]
    recipe_id: str
    published: dict[str, Any] | None
    published_at: datetime | None
    last_check: dict[str, Any] | None
    seen_origin: str | None
    seen_at: datetime | None
    last_asked_at: datetime | None
    created_at: datetime
    updated_at: datetime
    role: Role
    given: int
    paused: int
    pending: int
    wanted_recipe_id: str | None
    is_reindexing: bool
    stale: int


@dataclass(frozen=True, slots=True)
class Published:
    """An assistant as its visitors meet it: `profile` and `settings` as they were published, `live` the settings of now, of which
    its publication and limits hold at once."""

    id: UUID
    owner_id: UUID
    slug: str
    name: str
    profile: str
    settings: dict[str, Any]
    live: dict[str, Any]


# $1 person, $2 assistant or null, $3 limit, $4 and $5 the place after which to go on.
_SELECT = """
    select a.id, a.owner_id, a.slug, a.name, a.profile, a.settings, a.recipe_id, a.published, a.published_at, a.last_check, a.seen_origin,
        a.seen_at, a.last_asked_at, a.created_at, a.updated_at, case when a.owner_id = $1 then 'owner' else m.role end as role,
        c.given, c.paused, c.pending, a.wanted_recipe_id, a.reindex_at is not null as is_reindexing, c.stale
    from assistants a left join assistant_members m on m.assistant_id = a.id and m.person_id = $1
    cross join lateral (
        select count(*) filter (where g.state = 'given') as given, count(*) filter (where g.state = 'paused') as paused,
            count(*) filter (where g.state = 'given' and not exists (
                select from corpus.indexes i where i.reading_id = s.reading_id and i.recipe_id = a.recipe_id
                    and i.state in ('words', 'full'))) as pending,
            count(*) filter (where a.wanted_recipe_id is not null and s.reading_id is not null
                and not corpus.is_built(s.reading_id, a.wanted_recipe_id)) as stale
        from grants g join sources s on s.id = g.source_id
        where g.holder_kind = 'assistant' and g.holder_id = a.id and s.deleted_at is null
    ) c
    where (a.owner_id = $1 or m.role is not null) and a.deleted_at is null and ($2::uuid is null or a.id = $2)
        and ($4::timestamptz is null or (a.created_at, a.id) < ($4, $5))
    order by a.created_at desc, a.id desc limit $3
"""


async def insert(
    conn: Conn, assistant_id: UUID, owner_id: UUID, *, slug: str, name: str, profile: str, settings: dict[str, Any], recipe_id: str
) -> bool:
    """Make an assistant that holds no source; False when the slug is taken, also by one in the trash."""
    made = await conn.fetchval(
        """
        insert into assistants (id, owner_id, slug, name, profile, settings, recipe_id) values ($1, $2, $3, $4, $5, $6, $7)
        on conflict (slug) do nothing returning true
        """,
        assistant_id, owner_id, slug, name, profile, settings, recipe_id,
    )  # fmt: skip
    return made is not None


async def find(conn: Conn, person_id: UUID, assistant_id: UUID) -> Assistant | None:
    """The assistant for its owner or a member; None for anybody else, and when it is in the trash."""
    row = await conn.fetchrow(_SELECT, person_id, assistant_id, 1, None, None)
    return Assistant(**row) if row else None


async def list_for_person(
    conn: Conn, person_id: UUID, limit: int, before_at: datetime | None = None, before_id: UUID | None = None
) -> list[Assistant]:
    """The assistants that are the person's or that they are a member of, newest first, after the place where one is given."""
    rows = await conn.fetch(_SELECT, person_id, None, limit, before_at, before_id)
    return [Assistant(**row) for row in rows]


async def role_of(conn: Conn, assistant_id: UUID, person_id: UUID) -> Role | None:
    """What a person is to a living assistant; None for nothing."""
    found: Role | None = await conn.fetchval(
        """
        select case when a.owner_id = $2 then 'owner' else m.role end
        from assistants a left join assistant_members m on m.assistant_id = a.id and m.person_id = $2
        where a.id = $1 and a.deleted_at is null
        """,
        assistant_id, person_id,
    )  # fmt: skip
    return found


async def lock_settings(conn: Conn, assistant_id: UUID) -> dict[str, Any]:
    """The draft's settings, the row locked so that of two who change it each sees the other's. Raises LookupError."""
    row = await conn.fetchrow("select settings from assistants where id = $1 for update", assistant_id)
    if row is None:
        raise LookupError(f"no assistant {assistant_id}")
    found: dict[str, Any] = row["settings"]
    return found


async def has_slug(conn: Conn, slug: str, other_than: UUID) -> bool:
    """Whether another assistant, also one in the trash, has this slug."""
    found: bool = await conn.fetchval("select exists (select from assistants where slug = $1 and id <> $2)", slug, other_than)
    return found


async def update(
    conn: Conn, assistant_id: UUID, *, name: str | None, slug: str | None, profile: str | None, settings: dict[str, Any] | None
) -> None:
    """Change what is given."""
    await conn.execute(
        """
        update assistants set name = coalesce($2, name), slug = coalesce($3, slug), profile = coalesce($4, profile),
            settings = coalesce($5, settings), updated_at = now()
        where id = $1
        """,
        assistant_id, name, slug, profile, settings,
    )  # fmt: skip


async def touch(conn: Conn, assistant_id: UUID) -> None:
    """Note that its sources changed."""
    await conn.execute("update assistants set updated_at = now() where id = $1", assistant_id)


async def publish(conn: Conn, assistant_id: UUID, profile: str, settings: dict[str, Any]) -> None:
    """Answer visitors by this profile and these settings from now on."""
    await conn.execute(
        "update assistants set published = jsonb_build_object('profile', $2::text, 'settings', $3::jsonb), published_at = now()"
        " where id = $1",
        assistant_id, profile, settings,
    )  # fmt: skip


async def keep_check(conn: Conn, assistant_id: UUID, told: dict[str, Any]) -> None:
    """Keep how its test questions did the last time they were looked at."""
    await conn.execute("update assistants set last_check = $2 where id = $1", assistant_id, told)


async def find_published(conn: Conn, slug: str) -> Published | None:
    """The assistant of this slug where it was published and is not in the trash. Who may meet it is the caller's to settle."""
    row = await conn.fetchrow(
        """
        select id, owner_id, slug, name, published ->> 'profile' as profile, published -> 'settings' as settings, settings as live
        from assistants where slug = $1 and published is not null and deleted_at is null
        """,
        slug,
    )
    return Published(**row) if row else None


async def find_sites(conn: Conn, slug: str) -> frozenset[str]:
    """The sites on whose pages the assistant of this slug may be embedded, whether it is published or not; none for no assistant."""
    found = await conn.fetchval(
        "select settings -> 'publication' -> 'origins' from assistants where slug = $1 and deleted_at is null", slug
    )
    return frozenset(found or ())


async def id_of_slug(conn: Conn, slug: str) -> UUID | None:
    """The assistant of this slug that is not in the trash. Whether somebody may ask it is for `scopes` to say."""
    found: UUID | None = await conn.fetchval("select id from assistants where slug = $1 and deleted_at is null", slug)
    return found


async def note_seen(conn: Conn, assistant_id: UUID, origin: str) -> None:
    """Note on which site it was opened, at most once a minute."""
    await conn.execute(
        """
        update assistants set seen_origin = $2, seen_at = now()
        where id = $1 and (seen_at is null or seen_at < now() - interval '1 minute' or seen_origin <> $2)
        """,
        assistant_id, origin,
    )  # fmt: skip


async def delete(conn: Conn, owner_id: UUID, assistant_id: UUID) -> bool:
    """Move to the trash: at once it answers nobody. False when it is not theirs or there already."""
    found = await conn.fetchval(
        "update assistants set deleted_at = now() where id = $1 and owner_id = $2 and deleted_at is null returning true",
        assistant_id, owner_id,
    )  # fmt: skip
    return found is not None


async def restore(conn: Conn, owner_id: UUID, assistant_id: UUID) -> bool:
    """Take out of the trash; False when it is not there. Safe to run twice by the caller looking it up afterwards."""
    found = await conn.fetchval(
        "update assistants set deleted_at = null where id = $1 and owner_id = $2 and deleted_at > '-infinity' returning true",
        assistant_id, owner_id,
    )  # fmt: skip
    return found is not None

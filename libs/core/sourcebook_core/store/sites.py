"""Table sites: web sites whose pages are sources, and when each is looked at again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sourcebook_core.db import Conn


@dataclass(frozen=True)
class Site:
    """One site. `addresses` is the list it was given instead of finding any; `report` says what became of each address, and while a
    look goes on it is what that look knows so far; `is_living` is false while its notebook lies in the trash."""

    id: UUID
    owner_id: UUID
    notebook_id: UUID
    added_by: UUID
    url: str
    addresses: list[str] | None
    max_pages: int
    refresh_hours: int | None
    status: str
    error_code: str | None
    error_message: str | None
    report: dict[str, Any] | None
    looked_at: datetime | None
    look_again_at: datetime | None
    created_at: datetime
    is_living: bool


@dataclass(frozen=True)
class Page:
    """A source that a site's address stands for. `is_granted`: its notebook holds it; `is_gone`: it lies in the trash."""

    id: UUID
    url: str
    canonical_url: str | None
    site_id: UUID | None
    status: str
    fetched_at: datetime | None
    is_granted: bool
    is_gone: bool


_SELECT = """
    select s.id, s.owner_id, s.notebook_id, s.added_by, s.url, s.addresses, s.max_pages, s.refresh_hours, s.status, s.error_code,
        s.error_message, s.report, s.looked_at, s.look_again_at, s.created_at, n.deleted_at is null as is_living
    from sites s join notebooks n on n.id = s.notebook_id
"""


async def insert(
    conn: Conn, site_id: UUID, owner_id: UUID, notebook_id: UUID, url: str, addresses: Sequence[str] | None, max_pages: int,
    refresh_hours: int | None,
) -> bool:  # fmt: skip
    """Add a site to be looked at; False when the notebook has one of this address already."""
    return (
        await conn.fetchval(
            """
            insert into sites (id, owner_id, notebook_id, added_by, url, addresses, max_pages, refresh_hours)
            values ($1, $2, $3, $2, $4, $5, $6, $7) on conflict (notebook_id, url) do nothing returning true
            """,
            site_id, owner_id, notebook_id, url, list(addresses) if addresses is not None else None, max_pages, refresh_hours,
        )
        is not None
    )  # fmt: skip


async def find(conn: Conn, owner_id: UUID, site_id: UUID) -> Site | None:
    """The owner's site; None when it is not theirs or its notebook is in the trash."""
    row = await conn.fetchrow(_SELECT + "where s.id = $2 and s.owner_id = $1 and n.deleted_at is null", owner_id, site_id)
    return Site(**row) if row else None


async def find_by_url(conn: Conn, notebook_id: UUID, url: str) -> Site | None:
    """The notebook's site of this address."""
    row = await conn.fetchrow(_SELECT + "where s.notebook_id = $1 and s.url = $2", notebook_id, url)
    return Site(**row) if row else None


async def list_for_notebook(
    conn: Conn, notebook_id: UUID, limit: int, before_at: datetime | None = None, before_id: UUID | None = None
) -> list[Site]:
    """A notebook's sites, newest first, after the place where one is given."""
    rows = await conn.fetch(
        _SELECT + "where s.notebook_id = $1 and ($3::timestamptz is null or (s.created_at, s.id) < ($3, $4))"
        " order by s.created_at desc, s.id desc limit $2",
        notebook_id, limit, before_at, before_id,
    )  # fmt: skip
    return [Site(**row) for row in rows]


async def set_addresses(conn: Conn, site_id: UUID, addresses: Sequence[str] | None, max_pages: int, refresh_hours: int | None) -> None:
    """Give a site that is added again what it is added with now."""
    await conn.execute(
        "update sites set addresses = $2, max_pages = $3, refresh_hours = $4 where id = $1",
        site_id, list(addresses) if addresses is not None else None, max_pages, refresh_hours,
    )  # fmt: skip


async def update(conn: Conn, site_id: UUID, max_pages: int, refresh_hours: int | None) -> None:
    """Set how many pages and how often; when it is looked at next follows from that."""
    await conn.execute(
        """
        update sites set max_pages = $2, refresh_hours = $3,
            look_again_at = coalesce(looked_at, now()) + make_interval(hours => $3)
        where id = $1
        """,
        site_id, max_pages, refresh_hours,
    )  # fmt: skip


async def queue(conn: Conn, site_id: UUID) -> None:
    """Say that it is to be looked at now."""
    await conn.execute("update sites set status = 'queued', error_code = null, error_message = null where id = $1", site_id)


async def delete(conn: Conn, site_id: UUID) -> None:
    """Remove a site; the sources it brought stay, as sources of their own."""
    await conn.execute("update sources set site_id = null where site_id = $1", site_id)
    await conn.execute("delete from sites where id = $1", site_id)


async def lock(conn: Conn, site_id: UUID) -> Site | None:
    """The site with its row locked for this transaction; None when it is deleted."""
    row = await conn.fetchrow(_SELECT + "where s.id = $1 for update of s", site_id)
    return Site(**row) if row else None


async def begin(conn: Conn, site_id: UUID) -> None:
    """Say that it is being looked at."""
    await conn.execute("update sites set status = 'looking', error_code = null, error_message = null where id = $1", site_id)


async def keep(conn: Conn, site_id: UUID, report: dict[str, Any]) -> None:
    """Keep what a look knows so far."""
    await conn.execute("update sites set report = $2 where id = $1", site_id, report)


async def finish(conn: Conn, site_id: UUID, report: dict[str, Any]) -> float | None:
    """A look is done. Returns after how many seconds the next one is due, by the plan as it is now; None without one."""
    hours: int | None = await conn.fetchval(
        """
        update sites set status = 'ready', error_code = null, error_message = null, report = $2, looked_at = now(),
            look_again_at = now() + make_interval(hours => refresh_hours)
        where id = $1 returning refresh_hours
        """,
        site_id, report,
    )  # fmt: skip
    return hours * 3600.0 if hours is not None else None


async def fail(conn: Conn, site_id: UUID, code: str, message: str, report: dict[str, Any] | None) -> float | None:
    """A look came to nothing; its pages stay as they are. Returns as `finish`."""
    hours: int | None = await conn.fetchval(
        """
        update sites set status = 'failed', error_code = $2, error_message = $3, report = $4,
            look_again_at = now() + make_interval(hours => refresh_hours)
        where id = $1 returning refresh_hours
        """,
        site_id, code, message, report,
    )  # fmt: skip
    return hours * 3600.0 if hours is not None else None


async def pages_for(conn: Conn, site: Site, urls: Sequence[str]) -> list[Page]:
    """The owner's sources that stand for any of these addresses, by their own or the canonical one; those in the trash where this
    site had brought them (a page that a person threw away is not brought back)."""
    rows = await conn.fetch(
        """
        select s.id, s.url, s.canonical_url, s.site_id, s.status, s.fetched_at, s.deleted_at is not null as is_gone,
            exists (select from grants g where g.source_id = s.id and g.holder_kind = 'notebook' and g.holder_id = $2) as is_granted
        from sources s
        where s.owner_id = $1 and s.url is not null and (s.url = any($4) or s.canonical_url = any($4))
            and (s.deleted_at is null or s.site_id = $3)
        order by s.deleted_at is not null, s.created_at
        """,
        site.owner_id, site.notebook_id, site.id, list(urls),
    )  # fmt: skip
    return [Page(**row) for row in rows]


async def adopt(conn: Conn, site_id: UUID, source_id: UUID) -> None:
    """Say that a source was brought by a site."""
    await conn.execute("update sources set site_id = $1 where id = $2", site_id, source_id)

"""Rows of `spaces`: the embedding models whose vectors are here; one is in use."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from sourcebook_core.db import Conn


@dataclass(frozen=True, slots=True)
class Space:
    """One embedding model. `floor` is on the raw cosine (-1..1) and belongs to this model; None = no floor known.

    It is read as the decimal that was shipped, not as the nearest `real`.
    """

    id: UUID
    provider: str
    base_url: str
    model: str
    dimension: int
    query_prefix: str
    passage_prefix: str
    centring: int
    floor: float | None
    state: str


_SPACES = """
    select id, provider, base_url, model, dimension, query_prefix, passage_prefix, centring, floor::numeric::float8, state from spaces
"""


async def lock(conn: Conn) -> None:
    """Let nobody else begin or change a space until this transaction ends; reading goes on."""
    await conn.execute("lock table spaces in share row exclusive mode")


async def find_in_use(conn: Conn) -> Space | None:
    """The space that answers questions now, if any."""
    row = await conn.fetchrow(f"{_SPACES} where state = 'in_use'")
    return Space(**dict(row)) if row is not None else None


async def find(conn: Conn, space_id: UUID) -> Space | None:
    """The space with this id, if it is still there."""
    row = await conn.fetchrow(f"{_SPACES} where id = $1", space_id)
    return Space(**dict(row)) if row is not None else None


async def list_filled(conn: Conn) -> list[Space]:
    """Spaces that are in use or being built, the one in use first, then the newest."""
    rows = await conn.fetch(f"{_SPACES} where state in ('in_use', 'building') order by state desc, created_at desc")
    return [Space(**dict(row)) for row in rows]


async def get(conn: Conn, space_id: UUID) -> Space:
    """The space with this id. Raises LookupError."""
    found = await find(conn, space_id)
    if found is None:
        raise LookupError(f"no space {space_id}")
    return found


async def insert(
    conn: Conn,
    space_id: UUID,
    *,
    provider: str,
    base_url: str,
    model: str,
    dimension: int,
    query_prefix: str,
    passage_prefix: str,
    centring: int,
    floor: float | None,
    in_use: bool,
) -> Space:
    """Add a space; as the one in use when none is yet (a race's loser gets the winner's), else `building`."""
    await conn.execute(
        """
        insert into spaces (id, provider, base_url, model, dimension, query_prefix, passage_prefix, centring, floor, state, in_use_since)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, case when $10 then 'in_use' else 'building' end, case when $10 then now() end)
        on conflict do nothing
        """,
        space_id, provider, base_url, model, dimension, query_prefix, passage_prefix, centring, floor, in_use,
    )  # fmt: skip
    found = await find_in_use(conn) if in_use else await get(conn, space_id)
    if found is None:
        raise LookupError("no space in use")
    return found


async def swap(conn: Conn, space_id: UUID) -> None:
    """Put a built space in use; the one before retires. One commit: a question sees one or the other."""
    await conn.execute("update spaces set state = 'retired' where state = 'in_use'")
    await conn.execute("update spaces set state = 'in_use', in_use_since = now() where id = $1", space_id)

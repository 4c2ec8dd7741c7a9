"""Rows of `floors`: where noise ends, for a profile in a space, with the thresholds of how sure a quoted answer may sound.

A search reads its own with its scope (`scopes.of`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sourcebook_core.db import Conn


@dataclass(frozen=True, slots=True)
class Floor:
    """Numbers of one profile in one space, on the raw cosine (-1..1); None where the profile's own number holds.

    Read as the decimals that were set, not as the nearest `real`: what is exactly at a floor is in.
    """

    profile: str
    space_id: UUID
    floor: float
    weak_similarity: float | None
    clear_lead: float | None
    origin: str
    measured_at: datetime


async def list_of_space(conn: Conn, space_id: UUID) -> list[Floor]:
    """Every row of a space, by profile."""
    rows = await conn.fetch(
        """
        select profile, space_id, floor::numeric::float8, weak_similarity::numeric::float8, clear_lead::numeric::float8, origin,
            measured_at
        from floors
        where space_id = $1 order by profile
        """,
        space_id,
    )
    return [Floor(**dict(row)) for row in rows]


async def put(conn: Conn, profile: str, space_id: UUID, *, floor: float, weak_similarity: float | None, clear_lead: float | None) -> None:
    """Set what an evaluation found, or a person decided; it stays whatever noise says later."""
    await conn.execute(
        """
        insert into floors (profile, space_id, floor, weak_similarity, clear_lead, origin) values ($1, $2, $3, $4, $5, 'evaluated')
        on conflict (profile, space_id) do update set floor = excluded.floor, weak_similarity = excluded.weak_similarity,
            clear_lead = excluded.clear_lead, origin = excluded.origin, measured_at = now()
        """,
        profile, space_id, floor, weak_similarity, clear_lead,
    )  # fmt: skip


async def put_noise(conn: Conn, profiles: Sequence[str], space_id: UUID, *, floor: float, weak_similarity: float) -> None:
    """Keep where noise ends in a space, for every profile that has no number of its own there."""
    await conn.execute(
        """
        insert into floors (profile, space_id, floor, weak_similarity, origin)
        select p, $2, $3, $4, 'noise' from unnest($1::text[]) as p
        on conflict (profile, space_id) do update set floor = excluded.floor, weak_similarity = excluded.weak_similarity,
            measured_at = now()
        where floors.origin = 'noise'
        """,
        list(profiles), space_id, floor, weak_similarity,
    )  # fmt: skip


async def delete(conn: Conn, profile: str, space_id: UUID) -> None:
    """Take back what was set: the number shipped with the model holds again, or noise is asked again."""
    await conn.execute("delete from floors where profile = $1 and space_id = $2", profile, space_id)


async def unmeasured(conn: Conn, profile: str) -> list[UUID]:
    """Spaces in use or being built for which no number is shipped, and none was measured or set for the profile."""
    rows = await conn.fetch(
        """
        select s.id from spaces s where s.state in ('in_use', 'building') and s.floor is null
            and not exists (select from floors f where f.space_id = s.id and f.profile = $1)
        """,
        profile,
    )
    return [row["id"] for row in rows]

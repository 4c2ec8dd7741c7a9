"""What limits on asking look at: how the holder answers, and how many answers are being written (rows of `turns`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sourcebook_core import profiles
from sourcebook_core.db import Conn
from sourcebook_core.profiles import Profile
from sourcebook_core.store.scopes import Holder

_TURNSTILE = "at_once"


@dataclass(frozen=True, slots=True)
class Asked:
    """How a notebook or assistant answers who asks it: its profile's name and its settings."""

    name: str
    settings: dict[str, Any]

    @property
    def profile(self) -> Profile:
        """The profile in force."""
        return profiles.of(self.name, self.settings.get("profile"))


@dataclass(frozen=True, slots=True)
class Running:
    """Answers that are queued or being written: of everybody, of one person, of one holder, and of the person there.

    Derived from the turns themselves, so a slot is free when its turn ended, however it ended (S0-81).
    """

    all: int
    person: int
    holder: int
    person_here: int


# A visitor ($2) gets what was published, everybody else the draft: as in `scopes.of`, by which the answer is made.
_ASKED = """
    select profile as name, settings from notebooks where id = $1 and deleted_at is null
    union all
    select coalesce(case when v.id is not null then a.published ->> 'profile' end, a.profile),
        coalesce(case when v.id is not null
            then (a.published -> 'settings') || jsonb_build_object('local_only', a.settings -> 'local_only') end, a.settings)
    from assistants a left join people v on v.id = $2 and v.visitor_of = a.id where a.id = $1 and a.deleted_at is null
"""


async def find(conn: Conn, holder: Holder, person_id: UUID) -> Asked | None:
    """How a holder answers this person; None where there is none. Whether they may ask it is for `scopes` to say."""
    row = await conn.fetchrow(_ASKED, holder.id, person_id)
    return Asked(**dict(row)) if row is not None else None


async def turnstile(conn: Conn, subjects: Sequence[str]) -> None:
    """Let those who ask for one of these subjects pass one after the other, each until its transaction ends.

    So that many questions at one moment count one another. The rows are counters, which have an end (B53).
    """
    for subject in sorted(subjects):
        await conn.execute(
            "insert into counters (name, subject, window_ends_at, count) values ($1, $2, now() + interval '1 hour', 0)"
            " on conflict (name, subject) do update set window_ends_at = excluded.window_ends_at",
            _TURNSTILE,
            subject,
        )


async def running(conn: Conn, person_id: UUID, holder: Holder) -> Running:
    """How many answers are being written just now."""
    row = await conn.fetchrow(
        """
        select count(*) as all, count(*) filter (where person_id = $1) as person, count(*) filter (where is_here) as holder,
            count(*) filter (where is_here and person_id = $1) as person_here
        from (select person_id, coalesce(notebook_id, assistant_id) = $2 as is_here from turns where status in ('queued', 'running')) t
        """,
        person_id, holder.id,
    )  # fmt: skip
    assert row is not None
    return Running(**dict(row))

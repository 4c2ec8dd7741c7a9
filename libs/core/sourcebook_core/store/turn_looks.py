"""Short looks at a turn that is being answered, for those who relay it. No lock, no text unless asked for."""

from dataclasses import dataclass
from uuid import UUID

from sourcebook_core import profiles
from sourcebook_core.db import Conn
from sourcebook_core.profiles import Profile


@dataclass(frozen=True, slots=True)
class Look:
    """How far a turn is. `fence` is that of the run that is answering it now; `chars` the code points written to the row."""

    status: str
    fence: int | None
    chars: int


async def look(conn: Conn, turn_id: UUID) -> Look | None:
    """How far the turn is; None when it is gone."""
    row = await conn.fetchrow(
        """
        select t.status, coalesce(
            (select max(j.fence) from jobs j where j.subject = t.id and j.kind = 'answer_turn' and j.state = 'running'), t.fence) as fence,
            length(t.answer) as chars
        from turns t where t.id = $1
        """,
        turn_id,
    )
    return Look(**dict(row)) if row is not None else None


async def profile_of(conn: Conn, turn_id: UUID) -> Profile | None:
    """How the turn is answered: by the profile of what it asks, of a visitor by the published one; None when it is gone."""
    row = await conn.fetchrow(
        """
        select coalesce(n.profile, case when p.visitor_of is not null then a.published ->> 'profile' end, a.profile) as name,
            coalesce(n.settings, case when p.visitor_of is not null then a.published -> 'settings' end, a.settings) as settings
        from turns t join people p on p.id = t.person_id
            left join notebooks n on n.id = t.notebook_id left join assistants a on a.id = t.assistant_id
        where t.id = $1
        """,
        turn_id,
    )
    return profiles.of(row["name"], row["settings"].get("profile")) if row is not None else None


async def text_from(conn: Conn, turn_id: UUID, start: int) -> str:
    """What the row holds of the answer from code point `start` on."""
    found: str | None = await conn.fetchval("select substr(answer, $2 + 1) from turns where id = $1", turn_id, start)
    return found or ""


async def end_waiting(conn: Conn, turn_id: UUID) -> bool:
    """End a turn that no worker has taken yet as stopped, with its job; False when one has (it looks at `stop_requested` then)."""
    job = await conn.fetchval(
        """
        update jobs set state = 'cancelled', cancel_requested = true, sealed = null, finished_at = now()
        where subject = $1 and kind = 'answer_turn' and state = 'queued' returning true
        """,
        turn_id,
    )
    if not job:
        return False
    await conn.execute(
        """
        update turns set status = 'stopped', finish = 'stopped', finished_at = now()
        where id = $1 and status in ('queued', 'running')
        """,
        turn_id,
    )
    return True

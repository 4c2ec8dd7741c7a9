"""Short looks at a turn that is being answered, for those who relay it. No lock, no text unless asked for."""

from dataclasses import dataclass
from uuid import UUID

from sourcebook_core.db import Conn


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


async def text_from(conn: Conn, turn_id: UUID, start: int) -> str:
    """What the row holds of the answer from code point `start` on."""
    found: str | None = await conn.fetchval("select substr(answer, $2 + 1) from turns where id = $1", turn_id, start)
    return found or ""

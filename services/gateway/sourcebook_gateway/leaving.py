"""A reader who leaves an answer that is not to be written for nobody: it is stopped, as if they had pressed Stop (B49, S4-35)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from uuid import UUID

from sourcebook_core import log
from sourcebook_core.errors import DatabaseAway
from sourcebook_core.store import turn_looks, turns
from sourcebook_gateway.deps import Shared

_log = log.get(__name__)
_going: set[asyncio.Task[None]] = set()  # a task that nobody holds may be collected before it ran


def stopping(shared: Shared, turn_id: UUID, person_id: UUID) -> Callable[[], None]:
    """What to call when the reader is gone; it returns at once, for the connection is being closed around it."""

    def left() -> None:
        if not shared.is_closing:
            task = asyncio.create_task(_stop(shared, turn_id, person_id))
            _going.add(task)
            task.add_done_callback(_going.discard)

    return left


async def _stop(shared: Shared, turn_id: UUID, person_id: UUID) -> None:
    try:
        async with shared.db.transaction() as conn:
            if await turns.request_stop(conn, turn_id, person_id):
                await turn_looks.end_waiting(conn, turn_id)
                _log.info("turn.left", turn_id=str(turn_id))
    except DatabaseAway as error:  # then the answer is written to its end
        _log.warning("turn.not_stopped", turn_id=str(turn_id), code=error.code)

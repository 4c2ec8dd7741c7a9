"""`?wait=`: a request that starts work answers when the work has ended, or with how far it is when the time is over (K18)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Annotated
from uuid import UUID

from fastapi import Query

from sourcebook_core.store import source_work
from sourcebook_gateway.deps import Shared

MOST_S = 300.0  # what `ready` waits, and at most: proxies and clients give up about then
_FIRST_S, _LONGEST_S = 0.1, 1.0
WaitQuery = Annotated[
    str | None,
    Query(
        pattern=r"^(ready|[1-9][0-9]{0,2}s)$",
        description="`ready`: answer when the work has ended (at most 300 s); `60s`: after so many seconds at the latest; else at once.",
    ),
]


def seconds_of(wait: str | None) -> float | None:
    """How long to wait; None for not at all."""
    if wait is None:
        return None
    return MOST_S if wait == "ready" else min(float(wait.removesuffix("s")), MOST_S)


async def for_sources(shared: Shared, source_ids: Sequence[UUID], wait_s: float) -> bool:
    """Wait until nothing works on these sources; False when something still does. Holds no connection between two looks.

    One that waits for a person (an approval, a password, credit) is not worked on.
    """
    pause_s = _FIRST_S
    deadline = asyncio.get_running_loop().time() + wait_s
    while True:
        async with shared.db.transaction() as conn:
            if not await source_work.count_working(conn, source_ids):
                return True
        left_s = deadline - asyncio.get_running_loop().time()
        if left_s <= 0 or shared.is_closing:
            return False
        await asyncio.sleep(min(pause_s, left_s))
        pause_s = min(pause_s * 1.5, _LONGEST_S)

"""Work that waits for credit, and goes on from its last step when there is some."""

from __future__ import annotations

from uuid import UUID

from sourcebook_core import jobs
from sourcebook_core.db import Conn
from sourcebook_core.jobs import ReadSource
from sourcebook_core.store import accounts, sources


async def resume(conn: Conn, owner_id: UUID) -> int:
    """Queue the reading of every source of the owner that waits for credit, in the caller's transaction; ring `ingest` after it.

    What was read and paid before is kept. Returns how many. Safe to run twice.
    """
    waiting = await accounts.paused_sources(conn, owner_id)
    for source_id in waiting:
        await sources.queue_again(conn, source_id)
        await jobs.insert(conn, ReadSource(source_id=source_id), owner_id=owner_id, subject=source_id, once=source_id)
    return len(waiting)


async def resume_all(conn: Conn) -> int:
    """`resume` for every owner who can pay again, as when a month began; ring `ingest` after the commit. Returns how many sources."""
    total = 0
    for owner_id in await accounts.owners_waiting(conn):
        account = await accounts.find(conn, owner_id)
        if account is not None and account.available > 0:
            total += await resume(conn, owner_id)
    return total

"""What every task of this worker is handed: opened once, closed at the end."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from uuid import UUID

from redis.asyncio import Redis

from sourcebook_core import bell, events
from sourcebook_core.bell import Bell
from sourcebook_core.blobs import Blobs
from sourcebook_core.db import Db
from sourcebook_core.prices import Prices
from sourcebook_core.providers import request
from sourcebook_core.sandbox import Child
from sourcebook_core.settings import Settings
from sourcebook_core.store import grants, source_work
from sourcebook_ingest.hosts import Hosts

# A Redis that hangs costs its time-out for each hint; pages fetch anew by themselves, so hints can wait.
SLOW_S, REST_S = 1.0, 15.0


@dataclass(slots=True)
class Rest:
    """Until when no hints are tried (monotonic seconds)."""

    until: float = 0.0


@dataclass(frozen=True, slots=True)
class Deps:
    """The worker's database, blobs, bell, extraction child, and prices."""

    settings: Settings
    db: Db
    blobs: Blobs
    bell: Bell
    child: Child
    prices: Prices
    redis: Redis
    hosts: Hosts
    rest: Rest = field(default_factory=Rest)

    async def tell(self, source_id: UUID) -> None:
        """Hint to open pages that this source changed; call it after a commit."""
        if time.monotonic() < self.rest.until:
            return
        async with self.db.transaction() as conn:
            people = await source_work.people_who_see(conn, source_id)
            notebooks = await grants.notebooks_of(conn, source_id)
        began = time.monotonic()
        await events.hint(self.redis, people, "source", id=str(source_id), notebook_ids=[str(found) for found in notebooks])
        if time.monotonic() - began > SLOW_S:
            self.rest.until = time.monotonic() + REST_S


@asynccontextmanager
async def opened(settings: Settings) -> AsyncIterator[Deps]:
    """Everything a worker needs, for as long as the block lasts. Raises DatabaseAway."""
    db = await Db.open(settings, name="sourcebook_ingest")
    child = Child(settings.limits)
    ringer = Bell(settings)
    redis = bell.connect(settings)
    try:
        prices = Prices.of(settings)
        yield Deps(settings, db, Blobs.open(settings.blobs_url), ringer, child, prices, redis, Hosts(settings.limits.site_pause_s))
    finally:
        await request.close_clients()
        await child.close()
        await ringer.close()
        await redis.aclose()
        await db.close()

"""What every task of a rag worker is given."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from redis.asyncio import Redis

from sourcebook_core.db import Db
from sourcebook_core.prices import Prices
from sourcebook_core.settings import Settings


@dataclass(frozen=True)
class Kept:
    """A catalog as it was read, good until a moment of the monotonic clock."""

    records: tuple[Any, ...]
    until: float


@dataclass(frozen=True)
class Deps:
    """The pool, the Redis of answer streams, settings and prices of one process, and which chat models (address, name) were
    seen to mix their thinking into an answer."""

    db: Db
    redis: Redis
    settings: Settings
    prices: Prices
    thinks_aloud: set[tuple[str | None, str | None]] = field(default_factory=set)
    catalogs: dict[str, Kept] = field(default_factory=dict)  # by address; as many as profiles of this installation name

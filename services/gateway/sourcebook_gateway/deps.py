"""What routes share: the one object that holds the process's connections, and who is asking."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any
from uuid import UUID

from fastapi import Depends, Request
from redis.asyncio import Redis

from sourcebook_core.bell import Bell
from sourcebook_core.blobs import Blobs
from sourcebook_core.db import Db
from sourcebook_core.prices import Prices
from sourcebook_core.sandbox import Child
from sourcebook_core.settings import Settings
from sourcebook_gateway.feed import FeedHub
from sourcebook_gateway.streams import Streams


@dataclass
class Shared:
    """The connections of one gateway process."""

    settings: Settings
    db: Db
    redis: Redis
    bell: Bell
    blobs: Blobs
    streams: Streams
    feed: FeedHub
    child: Child
    is_closing: bool = False  # set by SIGTERM: streams end by themselves, and their readers come back to the next process
    prices: Prices = field(default_factory=Prices)
    sites: dict[str, frozenset[str]] = field(default_factory=dict)  # by slug, as last seen: `cross_site` keeps them
    rendering: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(2))


@dataclass(frozen=True)
class Caller:
    """Who asks: the person, what they may do, and by which session or token."""

    person_id: UUID
    name: str
    email: str | None
    is_admin: bool
    preferences: dict[str, Any]
    scopes: frozenset[str]
    csrf: str | None = None
    session_id: UUID | None = None
    token_id: UUID | None = None
    limits: Mapping[str, int] = field(default_factory=dict)  # of the token itself: per_minute, per_day
    is_visitor: bool = False  # of an assistant, from outside


def shared_of(request: Request) -> Shared:
    """The connections of this process."""
    found: Shared = request.app.state.shared
    return found


def caller_of(request: Request) -> Caller:
    """Who asks, as the gate found out before the body was read."""
    found: Caller = request.state.caller
    return found


SharedDep = Annotated[Shared, Depends(shared_of)]
CallerDep = Annotated[Caller, Depends(caller_of)]

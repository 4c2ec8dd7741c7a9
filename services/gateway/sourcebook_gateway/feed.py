"""Hints for open pages: one Redis listener for the process, and a look into the rows while Redis is away."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import UUID

import orjson
from redis.asyncio import Redis
from redis.exceptions import RedisError

from sourcebook_core import events, log

_log = log.get(__name__)
_AWAY = (RedisError, OSError, TimeoutError)
_REST_S = 1.0
_PREFIX = events.feed_channel(UUID(int=0)).removesuffix(str(UUID(int=0)))
Hint = dict[str, Any]


class FeedHub:
    """`listen(person_id)` for every open feed; `is_away` while Redis does not answer."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis
        self._listeners: dict[UUID, set[asyncio.Queue[Hint]]] = {}
        self.is_away = True

    @asynccontextmanager
    async def listen(self, person_id: UUID) -> AsyncIterator[asyncio.Queue[Hint]]:
        """Hints for one person from now on. A full queue drops hints: they only say what to fetch again."""
        queue: asyncio.Queue[Hint] = asyncio.Queue(200)
        self._listeners.setdefault(person_id, set()).add(queue)
        try:
            yield queue
        finally:
            self._listeners[person_id].discard(queue)
            if not self._listeners[person_id]:
                del self._listeners[person_id]

    async def run(self) -> None:
        """Listen until cancelled."""
        while True:
            try:
                await self._listen()
            except _AWAY as error:
                if not self.is_away:
                    _log.warning("feed.away", error=type(error).__name__)
                self.is_away = True
                await asyncio.sleep(_REST_S)

    async def _listen(self) -> None:
        async with self._redis.pubsub() as listener:
            await listener.psubscribe(f"{_PREFIX}*")
            self.is_away = False
            while True:
                message = await listener.get_message(ignore_subscribe_messages=True, timeout=1.0)
                if message is None:
                    await asyncio.wait_for(listener.ping(), 2.0)
                elif message["type"] == "pmessage":
                    self._hand_out(message["channel"], message["data"])

    def _hand_out(self, channel: bytes, raw: bytes) -> None:
        try:
            person_id = UUID(channel.decode().removeprefix(_PREFIX))
            hint = orjson.loads(raw)
        except (ValueError, UnicodeDecodeError):
            return  # not ours (F9)
        if not isinstance(hint, dict) or hint.get("what") not in ("source", "turn", "notebook", "health"):
            return
        for queue in self._listeners.get(person_id, ()):
            if not queue.full():
                queue.put_nowait(hint)

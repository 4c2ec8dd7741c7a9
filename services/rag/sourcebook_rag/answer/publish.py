"""Sends an answer's events to whoever reads along, pieces that come close together joined."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from pydantic import BaseModel
from redis.asyncio import Redis

from sourcebook_core import events, log
from sourcebook_core.events import Token

JOIN_S = 0.025  # performance section 6: joining 20 to 30 ms of pieces halves the work for each of them
APPEND_S = 3.0  # a Redis that hangs (F7) holds an answer up no longer than this
REST_S = 2.0  # a Redis that did not take an event is left alone for this long, so that it cannot slow the answer

_log = log.get(__name__)


class Publisher:
    """One run of one turn. What is given to `send` is on its way at once or within `JOIN_S`, in order.

    Redis may be away: the row has the whole answer, and the gateway reads it from there (F6, F8).
    """

    def __init__(self, redis: Redis, key: str) -> None:
        self._redis, self._key = redis, key
        self._waiting: list[BaseModel] = []
        self._has_more = asyncio.Event()
        self._sending = asyncio.Lock()
        self._rest_until = 0.0
        self._is_closed = False

    def send(self, event: BaseModel) -> None:
        """Queue an event; a token is joined to the one before it."""
        last = self._waiting[-1] if self._waiting else None
        if isinstance(event, Token) and isinstance(last, Token):
            self._waiting[-1] = Token(text=last.text + event.text, at=last.at)
        else:
            self._waiting.append(event)
        self._has_more.set()

    async def flush(self) -> None:
        """Send what waits, now."""
        async with self._sending:
            taken, self._waiting = self._waiting, []
            self._has_more.clear()
            if taken and asyncio.get_running_loop().time() >= self._rest_until and not await self._append(taken):
                self._rest_until = asyncio.get_running_loop().time() + REST_S

    async def _append(self, taken: list[BaseModel]) -> bool:
        try:
            async with asyncio.timeout(APPEND_S):
                return await events.append(self._redis, self._key, taken)
        except TimeoutError:
            _log.warning("stream.missed", error="TimeoutError")
            return False

    async def run(self) -> None:
        """Send until `close`. It ends by itself: a cancelled Redis call can be swallowed, and then one waits for ever."""
        while not self._is_closed:
            await self._has_more.wait()
            await self.flush()
            await asyncio.sleep(JOIN_S)

    def close(self) -> None:
        """Let `run` end."""
        self._is_closed = True
        self._has_more.set()


@asynccontextmanager
async def publishing(redis: Redis, key: str) -> AsyncIterator[Publisher]:
    """A publisher that sends in the background until the block ends, and then what is left."""
    publisher = Publisher(redis, key)
    running = asyncio.create_task(publisher.run())
    try:
        yield publisher
        await publisher.flush()
    finally:
        publisher.close()
        await asyncio.wait({running})

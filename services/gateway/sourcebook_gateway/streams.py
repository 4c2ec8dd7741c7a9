"""One reader of answer streams for the whole process: every open answer is a key of one blocking XREAD."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from redis.asyncio import Redis
from redis.exceptions import RedisError

from sourcebook_core import events, log

_log = log.get(__name__)
_AWAY = (RedisError, OSError, TimeoutError)
_BLOCK_MS = 1000
_COUNT = 2000  # a reader that comes late takes what is there in few round trips
_REST_S = 1.0
# An answer is at most a few thousand entries; a reader this far behind is dropped to the row instead of filling memory.
_QUEUE = 20_000

Event = events.Open | events.Stage | events.Token | events.CitationSeen | events.Done | events.Failed


class Listener:
    """The events of one stream, from its beginning. `lost` is set when some may be missing: then the row is the truth."""

    def __init__(self) -> None:
        self.queue: asyncio.Queue[Event] = asyncio.Queue(_QUEUE)
        self.lost = False

    def put(self, event: Event) -> None:
        """Add an event without waiting."""
        try:
            self.queue.put_nowait(event)
        except asyncio.QueueFull:
            self.lost = True


class _Stream:
    def __init__(self) -> None:
        self.last = "0-0"
        self.seen: list[Event] = []
        self.listeners: set[Listener] = set()


class Streams:
    """Multiplexes: `listen(key)` for as many as like; `is_away` while Redis does not answer."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis
        self._streams: dict[str, _Stream] = {}
        # A key of this process's own, in every read: adding to it wakes the blocking read for a new stream.
        self._wake = f"sourcebook:wake:{uuid.uuid4()}"
        self._wake_last = "0-0"
        self._some = asyncio.Event()
        self.is_away = False

    @asynccontextmanager
    async def listen(self, key: str) -> AsyncIterator[Listener]:
        """A listener that first gets what the stream holds already."""
        listener = Listener()
        stream = self._streams.setdefault(key, _Stream())
        for event in stream.seen:
            listener.put(event)
        stream.listeners.add(listener)
        self._some.set()
        await self._rouse()
        try:
            yield listener
        finally:
            stream.listeners.discard(listener)
            if not stream.listeners:
                self._streams.pop(key, None)
            if not self._streams:
                self._some.clear()

    async def _rouse(self) -> None:
        if self.is_away:
            return
        try:
            async with self._redis.pipeline(transaction=False) as pipe:
                pipe.xadd(self._wake, {"w": "1"}, maxlen=1)
                pipe.expire(self._wake, 60)
                await pipe.execute()
        except _AWAY as error:
            _log.warning("streams.not_roused", error=type(error).__name__)

    async def run(self) -> None:
        """Read until cancelled; with Redis away, try again every second and let the rows serve meanwhile."""
        while True:
            await self._some.wait()
            try:
                await self._read()
                self.is_away = False
            except _AWAY as error:
                if not self.is_away:
                    _log.warning("streams.away", error=type(error).__name__)
                self.is_away = True
                self._mark_lost()
                await asyncio.sleep(_REST_S)

    def _mark_lost(self) -> None:
        for stream in self._streams.values():
            for listener in stream.listeners:
                listener.lost = True

    async def _read(self) -> None:
        places: dict[Any, Any] = {key: stream.last for key, stream in self._streams.items()}
        began = time.monotonic()
        found = await self._redis.xread({**places, self._wake: self._wake_last}, count=_COUNT, block=_BLOCK_MS)
        for raw_key, entries in found or []:
            key = raw_key.decode()
            if key == self._wake:
                self._wake_last = entries[-1][0].decode()
            else:
                self._hand_out(key, entries, places[key])
        if not found and time.monotonic() - began < _BLOCK_MS / 2000:
            await asyncio.sleep(_REST_S / 20)  # a server that does not block must not make us spin

    def _hand_out(self, key: str, entries: list[tuple[bytes, dict[bytes, bytes]]], read_from: str) -> None:
        stream = self._streams.get(key)
        if stream is None or stream.last != read_from:
            return  # the last listener left and another came while we read: the next read begins at its beginning
        stream.last = entries[-1][0].decode()
        for _, fields in entries:
            event = events.parse(fields)
            if event is None:
                continue
            stream.seen.append(event)
            for listener in stream.listeners:
                listener.put(event)

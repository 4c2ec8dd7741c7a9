"""The doorbell: a tiny arq job that names a queue and no row. It may be lost, doubled or late."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from typing import Any

from arq.connections import ArqRedis
from arq.worker import Worker, func
from redis.asyncio import BlockingConnectionPool
from redis.exceptions import RedisError

from sourcebook_core import log
from sourcebook_core.settings import Settings

_log = log.get(__name__)
_AWAY = (RedisError, OSError, TimeoutError)
# After a failed ring the next ones are not even tried for this long: workers look at the rows every second anyway.
_REST_S = 2.0
_LAST_RING_S = 1.0  # a ring takes a moment, unless Redis hangs


def _dumps(value: dict[str, Any]) -> bytes:
    return json.dumps(value, default=str).encode()


def _loads(data: bytes) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(data)
    return value


def connect(settings: Settings, *, block_s: float = 0.0) -> ArqRedis:
    """A Redis client whose every call ends within the Redis timeout (plus `block_s` for blocking reads).

    JSON only: arq's default pickles, so whoever can write to Redis could run code (F9).
    """
    timeout_s = settings.jobs.redis_timeout_s
    pool = BlockingConnectionPool.from_url(
        settings.redis_url.get_secret_value(),
        socket_timeout=timeout_s + block_s,
        socket_connect_timeout=timeout_s,
        max_connections=50,
        timeout=timeout_s,
    )
    client = ArqRedis(pool, job_serializer=_dumps, job_deserializer=_loads)
    client.auto_close_connection_pool = True  # the pool is this client's own, so `aclose` closes it
    return client


def _name(queue: str) -> str:
    return f"sourcebook:bell:{queue}"


class Bell:
    """Rings queues. A failed ring is logged and forgotten."""

    def __init__(self, settings: Settings) -> None:
        self._redis = connect(settings)
        self._rest_until = 0.0

    async def ring(self, queue: str) -> None:
        """Tell the workers of a queue to look; call it after the commit. Never raises for an unreachable Redis."""
        if time.monotonic() < self._rest_until:
            return
        try:
            async with asyncio.timeout(1.0):
                await self._redis.enqueue_job("ring", queue, _queue_name=_name(queue), _expires=60)
        except _AWAY as error:
            self._rest_until = time.monotonic() + _REST_S
            _log.warning("bell.missed", queue=queue, error=type(error).__name__)

    async def close(self) -> None:
        """Close the connections."""
        await self._redis.aclose()


async def listen(settings: Settings, queue: str, heard: Callable[[], Awaitable[None]]) -> None:
    """Call `heard` at every ring of a queue until cancelled; starts anew whenever Redis was away, hung or flushed.

    arq only carries the ring: its retries, results, aborts and cron are off, and it runs no work, so a Redis that goes
    away takes no running job with it (a plain arq worker exits; performance section 4).
    """

    async def ring(ctx: dict[Any, Any], *args: Any, **kwargs: Any) -> None:  # arq fixes these names
        await heard()

    while True:
        redis = connect(settings)
        worker = Worker(
            functions=[func(ring, name="ring", keep_result=0, max_tries=1)],
            queue_name=_name(queue),
            redis_pool=redis,
            handle_signals=False,
            poll_delay=0.02 if queue == "answer" else 0.1,
            keep_result=0,
            max_tries=1,
            retry_jobs=False,
            job_timeout=10,
            job_serializer=_dumps,
            job_deserializer=_loads,
            health_check_interval=3600,
        )
        try:
            await worker.async_run()
        except _AWAY as error:
            _log.warning("bell.lost", queue=queue, error=type(error).__name__)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            # Hostile or foreign values under our keys (F9): forget them, the rows know the work.
            _log.warning("bell.garbled", queue=queue, error=type(error).__name__)
            await _forget(redis, queue)
        finally:
            await _put_down(worker, redis)
        await asyncio.sleep(0.5)


async def _forget(redis: ArqRedis, queue: str) -> None:
    try:
        await redis.delete(_name(queue))
    except _AWAY:
        return


async def _put_down(worker: Worker, redis: ArqRedis) -> None:
    """Close the connections, once the rings at work have ended: one that is cut off is noted by arq all the same, in a shielded
    task that would open a connection anew behind us."""
    if worker.tasks:
        _, late = await asyncio.wait(worker.tasks.values(), timeout=_LAST_RING_S)
        for running in late:
            running.cancel()
    try:
        async with asyncio.timeout(1.0):
            await redis.aclose()
    except _AWAY:
        return

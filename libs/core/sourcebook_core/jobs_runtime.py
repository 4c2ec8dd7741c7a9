"""The runtime of a worker: claims jobs while it has free slots, keeps their leases, ends or gives back what it claimed."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import socket
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from pydantic import ValidationError

from sourcebook_core import bell, log
from sourcebook_core.db import Db
from sourcebook_core.errors import (
    Contended,
    DatabaseAway,
    Overtaken,
    PermanentError,
    RequestError,
    SourcebookError,
    TransientError,
    TurnOver,
)
from sourcebook_core.jobs import Claim, Queue, Task, Work, lock_source_of
from sourcebook_core.leases import Leases
from sourcebook_core.settings import Settings
from sourcebook_core.store import jobs as rows
from sourcebook_core.store import workers
from sourcebook_core.store.jobs import ClaimedJob

_log = log.get(__name__)
_CLOSING_S = 3.0  # more than `bell` takes to end its last ring and close


@dataclass(slots=True)
class _Running:
    claim: ClaimedJob
    task: asyncio.Task[None]
    lost: bool = False
    stopped: bool = False
    is_ending: bool = False  # its outcome is being written: nobody cancels it any more


class Runtime:
    """Runs the tasks of some queues in this process until SIGTERM; `deps` is handed to every task."""

    def __init__(
        self,
        settings: Settings,
        db: Db,
        *,
        service: str,
        version: str,
        queues: Sequence[Queue],
        tasks: Sequence[Task[Any]],
        deps: Any,
        slots: int,
    ) -> None:
        self._settings, self._times, self._db, self._deps = settings, settings.jobs, db, deps
        self._service, self._version = service, version
        self._queues, self._slots = list(queues), slots
        self._tasks: Mapping[str, Task[Any]] = {task.work.kind: task for task in tasks}
        self._asides = [task.work.kind for task in tasks if task.is_aside]
        self._id = uuid4()
        self._running: dict[int, _Running] = {}
        self._wake = asyncio.Event()
        self._stopping = asyncio.Event()
        self._leases = Leases(settings, self._lost)

    async def run(self) -> None:
        """Work until SIGTERM or SIGINT, then finish or give back within the grace time."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self.stop)
        self._leases.start(loop)
        rings = [asyncio.create_task(bell.listen(self._settings, queue, self._heard)) for queue in self._queues]
        beat = asyncio.create_task(self._beat())
        _log.info("worker.started", queues=self._queues, slots=self._slots)
        try:
            await self._claim_until_stopped()
        finally:
            for other in (*rings, beat):
                other.cancel()
            await self._leave()
            await _end({*rings, beat})
            self._leases.stop()
            _log.info("worker.stopped")

    def stop(self) -> None:
        """Claim nothing more; `run` ends when the running jobs are done or given back."""
        self._stopping.set()
        self._wake.set()

    async def _heard(self) -> None:
        self._wake.set()

    def _lost(self, fence: int) -> None:
        running = self._running.get(fence)
        if running is not None and not running.is_ending:
            running.lost = True
            running.task.cancel()

    async def _claim_until_stopped(self) -> None:
        while not self._stopping.is_set():
            self._wake.clear()
            try:
                await self._fill()
                await self._cancel_unwanted()
            except DatabaseAway as error:
                _log.warning("worker.waited", reason=error.code)
            with suppress(TimeoutError):
                async with asyncio.timeout(self._times.poll_s * random.uniform(0.8, 1.2)):
                    await self._wake.wait()

    async def _fill(self) -> None:
        while self._has_room(is_aside=False) and await self._claim(is_aside=False):
            pass
        if self._asides and self._has_room(is_aside=True):
            await self._claim(is_aside=True)

    def _has_room(self, *, is_aside: bool) -> bool:
        if self._stopping.is_set() or any(running.claim.crashes >= 2 for running in self._running.values()):
            return False  # a job that crashed twice runs alone
        beside = sum((running.claim.kind in self._asides) == is_aside for running in self._running.values())
        return beside < (1 if is_aside else self._slots)

    async def _claim(self, *, is_aside: bool) -> bool:
        async with self._db.transaction() as conn:
            claim = await rows.claim(
                conn, queues=self._queues, worker=self._id, lease_s=self._times.lease_s, alone=not self._running,
                asides=self._asides, is_aside=is_aside,
            )  # fmt: skip
        if claim is None:
            return False
        self._leases.hold(claim.fence)
        self._running[claim.fence] = _Running(claim, asyncio.create_task(self._run(claim)))
        return True

    async def _cancel_unwanted(self) -> None:
        if not self._running:
            return
        async with self._db.transaction() as conn:
            unwanted = await rows.unwanted(conn, list(self._running))
        for fence in unwanted:
            running = self._running.get(fence)
            if running is not None and not (running.stopped or running.is_ending):
                running.stopped = True
                running.task.cancel()

    async def _run(self, claim: ClaimedJob) -> None:
        with log.bind(job_id=str(claim.id), kind=claim.kind, attempt=claim.attempt, fence=claim.fence):
            try:
                await self._do(claim)
            finally:
                self._leases.release(claim.fence)
                self._running.pop(claim.fence, None)
                self._wake.set()

    async def _do(self, claim: ClaimedJob) -> None:
        task = self._tasks.get(claim.kind)
        if task is None:
            await self._insist(lambda: self._end(claim, None, None, PermanentError("internal"), "failed"))
            return
        try:
            work = task.work.model_validate(claim.payload)
        except ValidationError as error:
            # Only where and what, for a payload may hold somebody's words.
            _log.error("job.garbled", fields=[(one["loc"], one["type"]) for one in error.errors(include_input=False)])
            await self._insist(lambda: self._end(claim, task, None, PermanentError("internal"), "failed"))
            return
        work._claim = Claim(
            job_id=claim.id, owner_id=claim.owner_id, subject=claim.subject, attempt=claim.attempt,
            crashes=claim.crashes, fence=claim.fence, sealed=claim.sealed,
        )  # fmt: skip
        limit = task.attempts or self._times.attempts
        if claim.attempt > limit:
            gave_up = PermanentError("gave_up", attempts=limit)
            await self._insist(lambda: self._end(claim, task, work, gave_up, "failed"))
            return
        await self._attempt(claim, task, work, limit)

    async def _attempt(self, claim: ClaimedJob, task: Task[Any], work: Work, limit: int) -> None:
        running = self._running[claim.fence]
        failure: BaseException | None = None
        try:
            await task.run(work, self._deps)
        except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001 - the one place where failures become rows
            # Cancellation is not an Exception, so failure paths would be skipped (B28): every outcome is written here.
            failure = error
        running.is_ending = True
        self._leases.release(claim.fence)
        await self._write_outcome(running, claim, task, work, limit, failure)

    async def _write_outcome(
        self, running: _Running, claim: ClaimedJob, task: Task[Any], work: Work, limit: int, failure: BaseException | None
    ) -> None:
        if failure is None:
            await self._insist(lambda: self._close(claim))
            _log.info("job.done")
        elif running.stopped or (isinstance(failure, Overtaken) and await self._is_cancelled(claim)):
            await self._insist(lambda: self._end(claim, task, work, PermanentError("stopped"), "cancelled"))
        elif running.lost or isinstance(failure, Overtaken):
            _log.warning("job.overtaken")
        elif isinstance(failure, TurnOver):
            await self._insist(lambda: self._give_back(claim, None, counted=False, delay_s=0.0))
        elif isinstance(failure, asyncio.CancelledError | DatabaseAway) and not isinstance(failure, Contended):
            _log.warning("job.given_back", reason=type(failure).__name__)
            delay_s = self._times.poll_s if isinstance(failure, DatabaseAway) else 0.0
            await self._insist(lambda: self._give_back(claim, None, counted=False, delay_s=delay_s))
        elif isinstance(failure, PermanentError | RequestError):
            _log.info("job.failed", code=failure.code)
            await self._insist(lambda: self._end(claim, task, work, failure, "failed"))
        else:
            await self._failed_for_now(claim, task, work, limit, failure)

    async def _failed_for_now(self, claim: ClaimedJob, task: Task[Any], work: Work, limit: int, error: BaseException) -> None:
        if isinstance(error, TransientError):
            known: SourcebookError = error
            _log.warning("job.delayed", code=error.code)
        else:
            known = TransientError("internal")
            _log.error("job.crashed", exc_info=error)
        if claim.attempt >= limit:
            await self._insist(lambda: self._end(claim, task, work, known, "failed"))
            return
        wait_s = min(self._times.backoff_s * 2 ** (claim.attempt - 1), self._times.backoff_max_s) * random.uniform(0.5, 1.5)
        if isinstance(error, TransientError) and error.retry_after_s:
            wait_s = max(wait_s, error.retry_after_s)
        await self._insist(lambda: self._give_back(claim, known, counted=True, delay_s=wait_s))

    async def _insist(self, write: Callable[[], Awaitable[None]]) -> None:
        """Write how a job ended, again while the database is away, until it is written or the lease would be dead."""
        try:
            async with asyncio.timeout(self._times.lease_s):
                while True:
                    try:
                        return await write()
                    except DatabaseAway:
                        await asyncio.sleep(min(1.0, self._times.poll_s) * random.uniform(0.5, 1.0))
        except TimeoutError:
            _log.warning("job.unwritten")  # its lease dies and another worker takes it

    async def _end(self, claim: ClaimedJob, task: Task[Any] | None, work: Work | None, error: SourcebookError, state: str) -> None:
        async with self._db.transaction() as conn:
            told = {"code": error.code, "message": error.message}
            if work is not None:
                await lock_source_of(conn, work)
            if not await rows.finish(conn, claim.id, claim.fence, state=state, result=None, error=told):
                return
            if task is not None and task.failed is not None and work is not None:
                await task.failed(conn, work, error)
        if task is not None and task.ended is not None and work is not None:
            await task.ended(work, self._deps)

    async def _close(self, claim: ClaimedJob) -> None:
        # A task that ended without `finishing` had nothing to write; for all others the row is done already.
        async with self._db.transaction() as conn:
            await rows.finish(conn, claim.id, claim.fence, state="done", result=None, error=None)

    async def _give_back(self, claim: ClaimedJob, error: SourcebookError | None, *, counted: bool, delay_s: float) -> None:
        told = {"code": error.code, "message": error.message} if error is not None else None
        async with self._db.transaction() as conn:
            await rows.give_back(conn, claim.id, claim.fence, delay_s=delay_s, counted=counted, error=told)

    async def _is_cancelled(self, claim: ClaimedJob) -> bool:
        with suppress(DatabaseAway):
            async with self._db.transaction() as conn:
                return bool(await rows.unwanted(conn, [claim.fence]))
        return False

    async def _beat(self) -> None:
        while True:
            with suppress(DatabaseAway):  # or a slow database would end the heartbeat for good
                async with self._db.transaction() as conn:
                    await workers.beat(
                        conn, self._id, service=self._service, host=socket.gethostname(), pid=os.getpid(),
                        queues=self._queues, version=self._version,
                    )  # fmt: skip
                    ended = await workers.end_frozen(conn, self._settings.database_idle_s)
                if ended:
                    _log.warning("sessions.ended", reason="their process is frozen", count=ended)
            await asyncio.sleep(min(5.0, self._times.renew_s))

    async def _leave(self) -> None:
        left = [running.task for running in self._running.values()]
        if left:
            _, late = await asyncio.wait(left, timeout=self._times.grace_s)
            for task in late:
                task.cancel()
            if late:
                await asyncio.wait(late, timeout=2.0)
        with suppress(DatabaseAway):
            async with self._db.transaction(timeout_s=2.0) as conn:
                await workers.leave(conn, self._id)


async def _end(others: set[asyncio.Task[None]]) -> None:
    """Wait until all that were cancelled have ended; cancel again only what had the time to close its connections.

    Again, for on Python 3.11 `asyncio.wait_for`, which the Redis client uses, may swallow a cancellation.
    """
    while others:
        _, others = await asyncio.wait(others, timeout=_CLOSING_S)
        for other in others:
            other.cancel()

"""R10, R11, R12: how soon a job starts, how full the slots are, how soon a killed worker's job goes on."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from typing import Any, ClassVar
from uuid import uuid4

from arq.worker import Worker as ArqWorker
from arq.worker import func
from redis.asyncio import Redis
from saq import Worker as SaqWorker
from saq.queue.redis import RedisQueue as SaqRedisQueue

from sourcebook_core import bell, jobs
from sourcebook_core.db import Db
from sourcebook_core.jobs_runtime import Runtime
from sourcebook_core.settings import Settings
from tests.faults.counting_worker import STEPS, CountSteps
from tests.load.bench import Bench
from tests.load.figures import Figure, median, ms, percentile
from tests.rig import Processes, until

JOBS = 100
COUNTING = "tests.faults.counting_worker"
WORKERS, COUNTED, KILL_EVERY_S = 4, 400, 2.0


class Noop(jobs.Work):
    """Nothing, or a pause; says when it started."""

    kind: ClassVar[str] = "noop"
    queue: ClassVar[jobs.Queue] = "answer"
    pause_s: float = 0.0


@jobs.task(Noop)
async def noop(work: Noop, deps: dict[str, Any]) -> None:
    """Record the start, pause, finish."""
    deps["started"].append(time.perf_counter())
    await asyncio.sleep(work.pause_s)
    async with jobs.finishing(deps["db"], work):
        pass
    deps["ended"].append(time.perf_counter())


@contextlib.asynccontextmanager
async def _runtime(settings: Settings, deps: dict[str, Any], slots: int) -> AsyncIterator[None]:
    runtime = Runtime(settings, deps["db"], service="bench", version="bench", queues=["answer"], tasks=[noop], deps=deps, slots=slots)
    running = asyncio.create_task(runtime.run())
    await asyncio.sleep(0.5)
    try:
        yield
    finally:
        runtime.stop()
        await running


async def _ours(settings: Settings) -> list[float]:
    db = await Db.open(settings)
    deps: dict[str, Any] = {"db": db, "started": [], "ended": []}
    ringer, waits = bell.Bell(settings), []
    async with _runtime(settings, deps, slots=4):
        for number in range(JOBS):
            async with db.transaction() as conn:
                await jobs.insert(conn, Noop())
            committed = time.perf_counter()
            await ringer.ring("answer")
            await until(lambda number=number: len(deps["ended"]) > number)  # type: ignore[misc]
            waits.append(deps["started"][-1] - committed)
    await ringer.close()
    await db.close()
    return waits


async def _saq(url: str) -> list[float]:
    queue, started, waits = SaqRedisQueue(Redis.from_url(url), name="bench"), [], []

    async def run(_ctx: Any) -> None:
        started.append(time.perf_counter())

    worker = SaqWorker(queue, functions=[("run", run)], concurrency=4)
    running = asyncio.create_task(worker.start())
    await asyncio.sleep(0.5)
    for number in range(JOBS):
        sent = time.perf_counter()
        await queue.enqueue("run")
        await until(lambda number=number: len(started) > number)  # type: ignore[misc]
        waits.append(started[-1] - sent)
    await worker.stop()
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    await queue.disconnect()
    return waits


async def _arq(settings: Settings) -> list[float]:
    """arq with its defaults: the poll every half second."""
    started, waits = [], []

    async def run(ctx: Any, *args: Any, **kwargs: Any) -> None:
        started.append(time.perf_counter())

    redis = bell.connect(settings)
    worker = ArqWorker(
        functions=[func(run, name="run", keep_result=0)], queue_name="bench:arq", redis_pool=redis, handle_signals=False,
        job_serializer=redis.job_serializer, job_deserializer=redis.job_deserializer,
    )  # fmt: skip
    running = asyncio.create_task(worker.async_run())
    await asyncio.sleep(0.5)
    for number in range(20):
        sent = time.perf_counter()
        await redis.enqueue_job("run", _queue_name="bench:arq")
        await until(lambda number=number: len(started) > number)  # type: ignore[misc]
        waits.append(started[-1] - sent)
        await asyncio.sleep(0.037 * (number % 7))  # not in step with the poll
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    await redis.aclose()
    return waits


async def start_delay(bench: Bench) -> list[Figure]:
    """R10: from the commit of a job to its start, beside saq and arq's default."""
    settings = bench.settings()
    ours, saq, arq = await _ours(settings), await _saq(bench.bell.url()), await _arq(settings)
    mine, theirs, slow = percentile(ours, 0.95), percentile(saq, 0.95), percentile(arq, 0.95)
    return [
        Figure("R10a", "job commit to start p95, beside saq", mine / theirs, 10, "<=", ms(mine), ms(theirs)),
        Figure("R10b", "job commit to start p95, beside arq's default", mine / slow, 0.1, "<=", ms(mine), ms(slow)),
    ]


async def slot_use(bench: Bench) -> list[Figure]:
    """R11: 80 jobs of 0.2 s on 4 slots, against the ideal of 4 s."""
    settings = bench.settings()
    db = await Db.open(settings)
    deps: dict[str, Any] = {"db": db, "started": [], "ended": []}
    async with db.transaction() as conn:
        for _ in range(80):
            await jobs.insert(conn, Noop(pause_s=0.2), owner_id=uuid4())
    async with _runtime(settings, deps, slots=4):
        await until(lambda: len(deps["ended"]) == 80, 60)
    await db.close()
    took = deps["ended"][-1] - deps["started"][0]
    return [Figure("R11", "slot use with 0.2 s jobs", 80 * 0.2 / 4 / took, 0.9, ">=", f"{took:.2f} s", "4.00 s")]


async def recovery(bench: Bench) -> list[Figure]:
    """R12: SIGKILL a worker; seconds until another one has its job, against the lease."""
    lease_s = 4.0
    environment = bench.environment(LEASE_S=str(lease_s), RENEW_S="1", POLL_S="1")
    db = await _counting_tables(environment)
    seconds = []
    with bench.processes(environment) as processes:
        second = processes.start(COUNTING, wait=False, SLOTS_INGEST="1")
        for _ in range(5):
            first, second = second, processes.start(COUNTING, wait=False)
            async with db.transaction() as conn:
                job_id = await jobs.insert(conn, CountSteps(pause_s=20))
            await until(lambda job_id=job_id: _fence(db, job_id))  # type: ignore[misc]
            fence = await _fence(db, job_id)
            for running in (first, second):
                running.kill()
            killed = time.perf_counter()
            second = processes.start(COUNTING, wait=False)
            await until(lambda job_id=job_id, fence=fence: _has_moved(db, job_id, fence), 60)  # type: ignore[misc]
            seconds.append(time.perf_counter() - killed)
            async with db.transaction() as conn:
                await conn.execute("delete from jobs")
    await db.close()
    return [
        Figure(
            "R12",
            "a killed worker's job goes on, in leases",
            median(seconds) / lease_s,
            1.5,
            "<=",
            f"{median(seconds):.1f} s",
            f"{lease_s} s",
        )
    ]


async def under_kills(bench: Bench) -> list[Figure]:
    """R16: jobs of three steps by four workers, one of which is killed every 2 s and started anew, beside the same undisturbed."""
    calm, killed = await _counted(bench, killing=False), await _counted(bench, killing=True)
    return [
        Figure("R16", "jobs under kill -9 every 2 s, beside undisturbed", calm / killed, 0.6, ">=", f"{killed:.1f} s", f"{calm:.1f} s"),
    ]  # fmt: skip


async def _counted(bench: Bench, *, killing: bool) -> float:
    """Seconds for all jobs, none lost and none doubled."""
    environment = bench.environment(LEASE_S="2", RENEW_S="0.5", POLL_S="0.2")
    db = await _counting_tables(environment)
    with bench.processes(environment) as processes:
        for _ in range(WORKERS):
            processes.start(COUNTING, wait=False)
        await until(lambda: _workers(db), 60)
        began = time.perf_counter()
        async with db.transaction() as conn:
            for _ in range(COUNTED):
                await jobs.insert(conn, CountSteps(pause_s=0.2), owner_id=uuid4())
        killer = asyncio.create_task(_kill_every(processes, KILL_EVERY_S)) if killing else None
        await until(lambda: _ends(db), 300)
        seconds = time.perf_counter() - began
        if killer is not None:
            killer.cancel()
    async with db.transaction() as conn:
        steps, ends = await conn.fetchval("select count(*) from counted"), await conn.fetchval("select count(*) from counted_ends")
    assert (steps, ends) == (COUNTED * STEPS, COUNTED), "a job was lost or done twice"
    await db.close()
    return seconds


async def _kill_every(processes: Processes, pause_s: float) -> None:
    while True:
        await asyncio.sleep(pause_s)
        oldest = next(running for running in processes.running if running.is_alive)
        await asyncio.to_thread(oldest.kill)
        processes.start(COUNTING, wait=False)


async def _workers(db: Db) -> bool:
    async with db.transaction() as conn:
        return bool(await conn.fetchval("select count(*) >= $1 from workers", WORKERS))


async def _ends(db: Db) -> bool:
    async with db.transaction() as conn:
        return bool(await conn.fetchval("select not exists (select from jobs where state in ('queued', 'running'))"))


async def _counting_tables(environment: dict[str, str]) -> Db:
    db = await Db.open(Settings.model_validate({"database_url": environment["SOURCEBOOK_DATABASE_URL"]}))
    async with db.transaction() as conn:
        await conn.execute("create table counted (job_id uuid, step int, primary key (job_id, step))")
        await conn.execute("create table counted_starts (job_id uuid, step int, attempt int)")
        await conn.execute("create table counted_ends (job_id uuid, code text)")
    return db


async def _fence(db: Db, job_id: Any) -> int:
    async with db.transaction() as conn:
        return int(await conn.fetchval("select coalesce(fence, 0) from jobs where id = $1", job_id) or 0)


async def _has_moved(db: Db, job_id: Any, fence: int) -> bool:
    return await _fence(db, job_id) > fence

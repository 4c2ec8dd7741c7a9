"""The claim protocol under kills, pauses and lost servers: every job done once, nothing lost, nothing doubled."""

import asyncio
import signal
from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID, uuid4

import pytest
import redis

from sourcebook.stack.bell import Bell as RedisServer
from sourcebook_core import bell, jobs
from sourcebook_core.db import Db
from sourcebook_core.errors import DatabaseAway
from sourcebook_core.jobs_runtime import Runtime
from sourcebook_core.settings import Settings
from tests.faults.counting_worker import STEPS, CountSteps
from tests.rig import Processes, Running, TestPostgres, until

WORKER = "tests.faults.counting_worker"


@pytest.fixture
async def db(settings: Settings) -> AsyncIterator[Db]:
    """A pool on the test's database, with the tables the counting worker writes."""
    found = await Db.open(settings)
    async with found.transaction() as conn:
        await conn.execute("create table counted (job_id uuid, step int, primary key (job_id, step))")
        await conn.execute("create table counted_starts (job_id uuid, step int, attempt int)")
        await conn.execute("create table counted_ends (job_id uuid, code text)")
    yield found
    await found.close()


async def queue(db: Db, count: int, **fields: object) -> list[UUID]:
    """Queue counting jobs, each of an owner of its own."""
    async with db.transaction() as conn:
        return [await jobs.insert(conn, CountSteps.model_validate(fields), owner_id=uuid4()) for _ in range(count)]


async def states(db: Db) -> dict[str, int]:
    """How many jobs are in each state."""
    async with db.transaction() as conn:
        rows = await conn.fetch("select state, count(*) as n from jobs group by state")
    return {row["state"]: row["n"] for row in rows}


async def count(db: Db, table: str) -> int:
    """Rows in one of the tables of the counting worker."""
    async with db.transaction() as conn:
        found: int = await conn.fetchval(f"select count(*) from {table}")
    return found


async def all_done(db: Db, number: int) -> bool:
    """True once every job is done; a database that is away is not done yet."""
    try:
        return (await states(db)).get("done") == number
    except DatabaseAway:
        return False


async def assert_each_once(db: Db, number: int) -> None:
    """Each job left each step's row once and ended well once."""
    assert await states(db) == {"done": number}
    assert await count(db, "counted") == number * STEPS
    assert await count(db, "counted_ends") == number


def worker(processes: Processes) -> Running:
    """Start one counting worker."""
    return processes.start(WORKER, wait=False)


async def begun(db: Db) -> bool:
    """True once a job has begun."""
    return await count(db, "counted_starts") > 0


async def test_killed_workers_lose_and_double_nothing(db: Db, processes: Processes) -> None:
    await queue(db, 30)
    running = [worker(processes), worker(processes)]
    for round_number in range(4):
        before = await count(db, "counted_starts")
        await until(lambda before=before: _more(db, before), what="a job to start")  # type: ignore[misc]
        running[round_number % 2].kill()
        running[round_number % 2] = worker(processes)
    await until(lambda: all_done(db, 30), 60)
    await assert_each_once(db, 30)


async def _more(db: Db, before: int) -> bool:
    return await count(db, "counted_starts") > before


async def test_a_killed_workers_job_goes_on_from_its_last_checkpoint(db: Db, processes: Processes) -> None:
    [job_id] = await queue(db, 1, pause_s=1.0)
    first = worker(processes)
    await until(lambda: _steps(db, 1))
    first.kill()
    worker(processes)
    await until(lambda: all_done(db, 1))
    await assert_each_once(db, 1)
    async with db.transaction() as conn:
        worked = await conn.fetchval("select count(*) from counted_starts s where job_id = $1 and step = 0 and attempt > 0", job_id)
    assert worked == 2, "the second run looked at step 0 and found it done"


async def _steps(db: Db, number: int) -> bool:
    return await count(db, "counted") >= number


async def test_a_redis_that_is_flushed_again_and_again_delays_nothing_for_good(
    db: Db, processes: Processes, redis_server: RedisServer, settings: Settings
) -> None:
    """F5, in short: `make faults` runs it for a minute."""
    worker(processes)
    client = redis.Redis.from_url(redis_server.url())
    ringer = bell.Bell(settings)
    for _ in range(20):
        await queue(db, 2)
        await ringer.ring("care")
        client.flushall()
        await asyncio.sleep(0.05)  # as fast as a person's script would flush
    await ringer.close()
    client.close()
    await until(lambda: all_done(db, 40), 60)
    await assert_each_once(db, 40)


async def test_work_goes_on_while_redis_is_gone_and_rings_are_heard_again_after(
    db: Db, processes: Processes, redis_server: RedisServer, settings: Settings
) -> None:
    """F6."""
    running = worker(processes)
    await queue(db, 4, pause_s=0.3)
    await until(lambda: begun(db))
    assert redis_server.child is not None
    redis_server.child.kill()
    redis_server.child.wait()
    ringer = bell.Bell(settings)
    await queue(db, 4)
    await ringer.ring("care")
    await until(lambda: all_done(db, 8))
    assert running.is_alive
    redis_server.start()
    await until(lambda: "bell.lost" in running.said())
    await queue(db, 2)
    await until(lambda: all_done(db, 10))
    await ringer.close()
    assert running.is_alive
    await assert_each_once(db, 10)


async def test_a_redis_that_hangs_blocks_neither_the_ringer_nor_the_worker(
    db: Db, processes: Processes, redis_server: RedisServer, settings: Settings
) -> None:
    """F7."""
    running = worker(processes)
    ringer = bell.Bell(settings)
    await queue(db, 1)
    await ringer.ring("care")
    await until(lambda: all_done(db, 1))
    assert redis_server.child is not None
    redis_server.child.send_signal(signal.SIGSTOP)
    try:
        await queue(db, 5)
        async with asyncio.timeout(30):  # without a bound of its own it would wait for ever
            await ringer.ring("care")
        await until(lambda: all_done(db, 6))
    finally:
        redis_server.child.send_signal(signal.SIGCONT)
    await ringer.close()
    assert running.is_alive


async def test_a_listener_that_ends_while_a_ring_is_heard_leaves_no_connection_open(redis_server: RedisServer, settings: Settings) -> None:
    began, ringer = asyncio.Event(), bell.Bell(settings)

    async def hear() -> None:
        began.set()
        await asyncio.sleep(0.05)  # still at work when the listener ends

    listener = asyncio.create_task(bell.listen(settings, "care", hear))
    await ringer.ring("care")
    await asyncio.wait_for(began.wait(), 30)
    listener.cancel()
    while not (await asyncio.wait([listener], timeout=3.0))[0]:
        listener.cancel()  # on Python 3.11 the Redis client may swallow one, see `jobs_runtime`
    await ringer.close()
    await no_connection_left(redis_server)


async def test_a_worker_that_ends_while_a_ring_is_heard_leaves_no_connection_open(
    db: Db, redis_server: RedisServer, settings: Settings
) -> None:
    began, ringer = asyncio.Event(), bell.Bell(settings)

    class Slow(Runtime):
        async def _heard(self) -> None:
            began.set()
            await asyncio.sleep(0.2)  # still at work when the worker ends

    runtime = Slow(settings, db, service="slow", version="test", queues=["care"], tasks=[], deps=db, slots=1)
    running = asyncio.create_task(runtime.run())
    await ringer.ring("care")
    await asyncio.wait_for(began.wait(), 30)
    runtime.stop()
    await running
    await ringer.close()
    await no_connection_left(redis_server)


async def no_connection_left(redis_server: RedisServer) -> None:
    """Wait until Redis knows of no connection but the one that asks it."""
    client = redis.Redis.from_url(redis_server.url())
    await until(lambda: client.info("clients")["connected_clients"] == 1, 30, "no connection but the one that looks")  # type: ignore[index]
    client.close()


async def test_hostile_values_in_redis_are_forgotten(db: Db, processes: Processes, redis_server: RedisServer) -> None:
    """F9."""
    client = redis.Redis.from_url(redis_server.url())
    client.set("sourcebook:bell:care", b"not a sorted set")
    client.set("arq:job:x", b"\x80\x04cos\nsystem\n(S'true'\ntR.")
    running = worker(processes)
    await queue(db, 2)
    await until(lambda: all_done(db, 2))
    client.delete("sourcebook:bell:care")
    client.zadd("sourcebook:bell:care", {"x": 1})
    client.close()
    await queue(db, 2)
    await until(lambda: all_done(db, 4))
    assert running.is_alive


async def test_a_postgres_that_restarts_at_once_loses_no_job(db: Db, processes: Processes, postgres: TestPostgres) -> None:
    """F10."""
    running = worker(processes)
    await queue(db, 12, pause_s=0.3)
    await until(lambda: begun(db))
    assert postgres.server.child is not None
    postgres.server.child.send_signal(signal.SIGQUIT)  # "immediate shutdown": no goodbye, recovery at the next start
    postgres.server.child.wait()
    postgres.server.start()
    await until(lambda: all_done(db, 12), 60)
    assert running.is_alive
    await assert_each_once(db, 12)


async def test_a_stopped_worker_that_wakes_after_its_lease_writes_nothing(db: Db, processes: Processes) -> None:
    """F29, and F28's forced expiry."""
    await queue(db, 1, pause_s=1.0)
    zombie = worker(processes)
    await until(lambda: begun(db))
    zombie.pause()
    worker(processes)
    await until(lambda: all_done(db, 1))
    zombie.resume()
    await until(lambda: "job.overtaken" in zombie.said())
    await assert_each_once(db, 1)


async def test_bells_rung_thrice_with_two_workers_run_each_job_once(db: Db, processes: Processes, settings: Settings) -> None:
    """F28."""
    worker(processes), worker(processes)
    ringer = bell.Bell(settings)
    for _ in range(10):
        await queue(db, 1)
        for _ring in range(3):
            await ringer.ring("care")
    await until(lambda: all_done(db, 10))
    await ringer.close()
    await assert_each_once(db, 10)
    async with db.transaction() as conn:
        assert await conn.fetchval("select max(fence) - min(fence) from jobs") == 9, "no job was claimed twice"


async def test_a_worker_told_to_stop_gives_its_jobs_back_and_the_next_one_has_them(db: Db, processes: Processes) -> None:
    """F31."""
    await queue(db, 4, pause_s=1.0)
    first = processes.start(WORKER, wait=False, GRACE_S="0.2")
    await until(lambda: begun(db))
    first.terminate()
    assert first.wait() == 0
    assert await states(db) == {"queued": 4}
    async with db.transaction() as conn:
        assert await conn.fetchval("select max(attempt) from jobs") == 0, "giving back takes the attempt off"
    worker(processes)
    await until(lambda: all_done(db, 4))
    await assert_each_once(db, 4)


@pytest.mark.parametrize(("ends", "code"), [("permanent", "no_text"), ("transient", "busy"), ("killed", "gave_up")])
async def test_a_job_that_always_fails_ends_with_its_reason_and_blocks_nobody(db: Db, processes: Processes, ends: str, code: str) -> None:
    processes.environment["SOURCEBOOK_ATTEMPTS"] = "3"  # each of them waits for a lease to die, where the worker is killed
    await queue(db, 1, ends=ends, pause_s=0.01)
    await queue(db, 3)
    started = [worker(processes)]

    async def ended() -> bool:
        if not started[-1].is_alive:
            started.append(worker(processes))
        return (await states(db)).get("failed") == 1

    await until(ended, 90)
    if not started[-1].is_alive:
        worker(processes)
    await until(lambda: _ends(db, 4), 60)
    async with db.transaction() as conn:
        assert await conn.fetchval("select error->>'code' from jobs where state = 'failed'") == code
        assert await conn.fetchval("select count(*) from counted_ends where code = $1", code) == 1


async def _ends(db: Db, number: int) -> bool:
    return await count(db, "counted_ends") == number


async def test_a_cancelled_job_stops_and_says_so(db: Db, processes: Processes) -> None:
    subject = uuid4()
    async with db.transaction() as conn:
        await jobs.insert(conn, CountSteps(pause_s=30), subject=subject)
    worker(processes)
    await until(lambda: begun(db))
    async with db.transaction() as conn:
        assert await jobs.cancel(conn, subject, CountSteps) == 1
    await until(lambda: _ends(db, 1))
    assert await states(db) == {"cancelled": 1}


async def test_one_owners_many_jobs_do_not_block_anothers_one(db: Db, processes: Processes) -> None:
    many, one = uuid4(), uuid4()
    async with db.transaction() as conn:
        for _ in range(16):
            await jobs.insert(conn, CountSteps(pause_s=0.1), owner_id=many)
        last = await jobs.insert(conn, CountSteps(pause_s=0.1), owner_id=one)
    worker(processes)
    await until(lambda: all_done(db, 17), 60)
    async with db.transaction() as conn:
        place = await conn.fetchval("select count(*) from jobs where started_at < (select started_at from jobs where id = $1)", last)
    assert place <= 4, f"{place} jobs of the other owner began before it"


async def test_a_full_database_counts_as_a_try_and_the_worker_works_on(db: Db, processes: Processes) -> None:
    """F17, as far as it can be had without a disk of its own: what Postgres says then, in the midst of a transaction that writes."""
    running = worker(processes)
    [job_id] = await queue(db, 1, ends="full")

    async def given_back() -> Any:
        async with db.transaction() as conn:
            return await conn.fetchrow(
                "select attempt, error, run_after > now() as waits from jobs where id = $1 and error is not null", job_id
            )

    row = await until(given_back, 60, "the job to be given back")
    assert (row["attempt"], row["error"]["code"], row["waits"]) == (1, "database_full", True)
    assert await count(db, "counted") == 0, "the step was rolled back whole"
    await queue(db, 1)
    await until(lambda: _steps(db, STEPS), 60, "the next job to be done")
    assert running.is_alive

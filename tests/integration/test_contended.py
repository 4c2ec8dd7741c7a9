"""F13, F15: a statement that takes too long and transactions that meet are transient, and tried again where that is safe."""

import asyncio
from uuid import uuid4

import pytest

from sourcebook_core import jobs
from sourcebook_core.db import Conn, Db
from sourcebook_core.errors import Contended
from sourcebook_core.jobs import PurgeDeleted
from sourcebook_core.store import jobs as job_rows
from tests.rig import until

pytestmark = pytest.mark.usefixtures("places")


@pytest.mark.parametrize(("setting", "statement"), [("statement_timeout", "select pg_sleep(5)"), ("lock_timeout", "lock table places")])
async def test_a_statement_over_its_time_is_a_503_with_a_wish_and_the_connection_stays_good(db: Db, setting: str, statement: str) -> None:
    async with db.transaction() as other:
        await other.execute("lock table places")
        with pytest.raises(Contended) as raised:
            async with db.transaction() as conn:
                await conn.execute(f"set local {setting} = 50")
                await conn.execute(statement)
    assert (raised.value.code, raised.value.status, raised.value.retry_after_s) == ("busy", 503, 1)
    async with db.transaction() as conn:
        assert await conn.fetchval("select sum(n) from places") == 0


async def test_a_statement_over_the_pools_own_limit_is_the_same(db: Db) -> None:
    with pytest.raises(Contended):
        async with db.transaction() as conn:
            await conn.execute("select pg_sleep(5)", timeout=0.05)


async def test_two_transactions_in_a_circle_both_come_to_their_end(db: Db) -> None:
    met = asyncio.Barrier(2)
    tries: list[int] = []

    async def add(first: int, second: int) -> None:
        async def work(conn: Conn) -> None:
            tries.append(first)
            await conn.execute("update places set n = n + 1 where id = $1", first)
            if len(tries) <= 2:
                await met.wait()
            await conn.execute("update places set n = n + 1 where id = $1", second)

        await db.retried(work)

    await asyncio.gather(add(1, 2), add(2, 1))
    async with db.transaction() as conn:
        assert [row["n"] for row in await conn.fetch("select n from places order by id")] == [2, 2]
    assert len(tries) == 3, "the one that was rolled back was run once more"


async def test_what_meets_every_time_is_given_up_after_three_tries(db: Db) -> None:
    tries: list[int] = []

    async def work(conn: Conn) -> None:
        tries.append(1)
        await conn.execute("do $$ begin raise exception using errcode = 'serialization_failure'; end $$")

    with pytest.raises(Contended):
        await db.retried(work)
    assert len(tries) == 3


async def test_an_error_of_the_statement_itself_is_not_tried_again(db: Db) -> None:
    tries: list[int] = []

    async def work(conn: Conn) -> None:
        tries.append(1)
        await conn.execute("insert into places values (1, $1)", hash(uuid4()) % 100)

    with pytest.raises(Exception, match="duplicate key"):
        await db.retried(work)
    assert len(tries) == 1


async def test_leases_are_renewed_beside_a_transaction_that_holds_one_of_the_jobs_and_wants_the_other(db: Db) -> None:
    """As erasing does, which holds its own job and takes those of the source: neither waits for the other in a circle."""
    async with db.transaction() as conn:
        ids = [await jobs.insert(conn, PurgeDeleted(), once=str(number)) for number in range(2)]
        await conn.execute("update jobs set state = 'running', fence = case when id = $1 then 1 else 2 end, lease_until = now()", ids[0])
    for held, wanted in (ids, reversed(ids)):
        async with db.outside() as renewing:
            async with db.transaction() as conn:
                await conn.execute("update jobs set attempt = 0 where id = $1", held)
                renewed = asyncio.create_task(job_rows.renew(renewing, [1, 2], 60.0))
                await until(lambda: _waits(db), what="the renewal to wait for the job that is held")
                await conn.execute("update jobs set attempt = 0 where id = $1", wanted)
            assert await renewed == {1, 2}
        async with db.transaction() as conn:
            assert await conn.fetchval("select count(*) from jobs where lease_until > now() + interval '20 seconds'") == 2
            await conn.execute("update jobs set lease_until = now()")


async def _waits(db: Db) -> bool:
    async with db.transaction() as conn:
        return bool(await conn.fetchval("select exists (select from pg_locks where not granted)"))

"""What Postgres can say to us, each told as what it is: away, busy, full or refused; at the gateway a 503 with a wish, never a bare 500."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from sourcebook_core.db import Conn, Db
from sourcebook_core.errors import CODES, Contended, DatabaseAway, DatabaseFull, SearchRefused, TransientError
from sourcebook_core.settings import Settings
from sourcebook_gateway.refusals import refusal
from tests import rows
from tests.integration.gateway_rig import Api, owner_api, refused
from tests.rig import Processes, TestPostgres, name_of, until

SOON = "set local idle_in_transaction_session_timeout = 50"


async def _runs_too_long(db: Db) -> None:
    async with db.transaction() as conn:
        await conn.execute("set local statement_timeout = 20")
        await conn.execute("select pg_sleep(60)")


async def _meets_another_in_a_circle(db: Db) -> None:
    met = asyncio.Barrier(2)

    async def write(first: int, second: int) -> None:
        async with db.transaction() as conn:
            await conn.execute("update places set n = n + 1 where id = $1", first)
            await met.wait()
            await conn.execute("update places set n = n + 1 where id = $1", second)

    ended = await asyncio.gather(write(1, 2), write(2, 1), return_exceptions=True)
    [error] = [one for one in ended if isinstance(one, BaseException)]
    raise error


async def _is_ended_amid_a_statement(db: Db) -> None:
    async with db.transaction() as conn:
        await conn.execute("select pg_terminate_backend(pg_backend_pid())")


async def _session(conn: Conn) -> int:
    found: int = await conn.fetchval("select pg_backend_pid()")
    return found


async def _is_gone(db: Db, session: int) -> bool:
    async with db.transaction() as conn:
        return not await conn.fetchval("select exists (select from pg_stat_activity where pid = $1)", session)


async def _is_ended_between_statements(db: Db) -> None:
    async with db.transaction() as conn:
        session = await _session(conn)
        async with db.transaction() as other:
            await other.execute("select pg_terminate_backend($1)", session)
        await until(lambda: _is_gone(db, session))
        await conn.execute("select 1")


async def _stands_still_in_a_transaction(db: Db) -> None:
    async with db.transaction() as conn:
        await conn.execute("update places set n = 7")
        session = await _session(conn)
        await conn.execute(SOON)
        await until(lambda: _is_gone(db, session))
        await conn.execute("update places set n = 8")


async def _stands_still_before_its_commit(db: Db) -> None:
    async with db.transaction() as conn:
        await conn.execute("update places set n = 7")
        session = await _session(conn)
        await conn.execute(SOON)
        await until(lambda: _is_gone(db, session))


def _says(state: str) -> Callable[[Db], Awaitable[None]]:
    """What Postgres says with this SQLSTATE, where the real cause (a full disk) cannot be had for a test."""

    async def raises(db: Db) -> None:
        async with db.transaction() as conn:
            await conn.execute(f"do $$ begin raise exception using errcode = '{state}'; end $$")

    return raises


TOLD: list[tuple[Callable[[Db], Awaitable[None]], type[TransientError], str]] = [
    (_runs_too_long, Contended, "busy"),
    (_meets_another_in_a_circle, Contended, "busy"),
    (_is_ended_amid_a_statement, DatabaseAway, "database_away"),
    (_is_ended_between_statements, DatabaseAway, "database_away"),
    (_stands_still_in_a_transaction, DatabaseAway, "database_away"),
    (_stands_still_before_its_commit, DatabaseAway, "database_away"),
    (_says("40001"), Contended, "busy"),
    (_says("55P03"), Contended, "busy"),
    (_says("53200"), Contended, "busy"),
    (_says("53400"), Contended, "busy"),
    (_says("53100"), DatabaseFull, "database_full"),
    (_says("53300"), DatabaseAway, "database_away"),
    (_says("57P02"), DatabaseAway, "database_away"),
    (_says("57P03"), DatabaseAway, "database_away"),
    (_says("25P04"), DatabaseAway, "database_away"),
    (_says("08006"), DatabaseAway, "database_away"),
    (_says("42501"), SearchRefused, "search_away"),
]


@pytest.mark.usefixtures("places")
async def test_each_is_told_as_what_it_is_and_the_next_transaction_works(db: Db) -> None:
    for provoke, kind, code in TOLD:
        with pytest.raises(TransientError) as raised:
            await provoke(db)
        assert type(raised.value) is kind, (provoke, raised.value)
        answer = refusal(raised.value, "a-request")
        assert (answer.status_code, raised.value.code) == (503, code)
        assert int(answer.headers["Retry-After"]) >= 1
        assert CODES[code].encode() in bytes(answer.body)
        async with db.transaction() as conn:
            assert await conn.fetchval("select max(n) from places") <= 1, "what was cut off was rolled back whole"


async def test_every_session_is_ended_that_stands_still_in_a_transaction_for_as_long_as_is_set(settings: Settings) -> None:
    opened = await Db.open(settings.model_copy(update={"database_idle_s": 1.5}))
    try:
        async with opened.transaction() as conn:
            assert await conn.fetchval("show idle_in_transaction_session_timeout") == "1500ms"
    finally:
        await opened.close()


@pytest.mark.usefixtures("places")
async def test_a_wrong_statement_is_told_as_it_is(db: Db) -> None:
    with pytest.raises(Exception, match="duplicate key"):
        async with db.transaction() as conn:
            await conn.execute("insert into places values (1, 1)")
    with pytest.raises(Exception, match="invalid input"):
        async with db.transaction() as conn:
            await conn.execute("update places set n = $1", "closed")


async def test_a_database_that_lets_nobody_in_is_away(db: Db, settings: Settings, postgres: TestPostgres) -> None:
    name = name_of(settings.database_url.get_secret_value())
    postgres.server.sql(f"alter database {name} connection limit 0", "postgres")
    with pytest.raises(DatabaseAway):
        await Db.open(settings)
    with pytest.raises(DatabaseAway):
        await _is_ended_amid_a_statement(db)
    with pytest.raises(DatabaseAway):
        async with db.transaction():
            pass
    postgres.server.sql(f"alter database {name} connection limit -1", "postgres")
    async with db.transaction() as conn:
        assert await conn.fetchval("select 1") == 1


async def test_a_gateway_says_that_it_is_busy_or_that_the_database_is_away_and_serves_again(
    processes: Processes, owner_token: str, postgres: TestPostgres, database: str
) -> None:
    name = name_of(database)
    end = f"select pg_terminate_backend(pid) from pg_stat_activity where datname = '{name}' and application_name = 'sourcebook-gateway'"

    def get(api: Api) -> tuple[int, str]:
        answer = api.get("/notebooks")
        return answer.status_code, answer.json().get("error", {}).get("code", "")

    with owner_api(processes, owner_token) as (running, api):
        async with rows.opened(database) as conn:
            await conn.execute("set local idle_in_transaction_session_timeout = 0")
            await conn.execute("lock table notebooks")
            postgres.server.sql(f"alter database {name} set statement_timeout = '200ms'; {end}", "postgres")
            await until(lambda: get(api) == (503, "busy"), 60, "a statement to take too long")
            assert int(api.get("/notebooks").headers["Retry-After"]) >= 1
            postgres.server.sql(f"alter database {name} reset statement_timeout; {end}", "postgres")
            asked = asyncio.create_task(asyncio.to_thread(api.get, "/notebooks"))
            waits = f"{end} and wait_event_type = 'Lock'"
            await until(lambda: asked.done() or bool(postgres.server.sql(waits, "postgres").strip()), 60, "it to wait for the lock")
            answer = await asked
            refused(answer, 503, "database_away")
            assert int(answer.headers["Retry-After"]) >= 1
        await until(lambda: get(api) == (200, ""), 60, "the gateway to serve again")
        assert running.is_alive

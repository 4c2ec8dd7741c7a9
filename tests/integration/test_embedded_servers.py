"""The embedded Postgres and Redis: made once, private, and back after a crash."""

import os
import signal
import stat
from collections.abc import Iterator
from pathlib import Path

import asyncpg
import pytest
import redis.asyncio

from sourcebook.stack.bell import Bell
from sourcebook.stack.errors import StackError
from sourcebook.stack.postgres import FAST_AND_LOOSE, Postgres
from tests.rig import TestPostgres, in_memory, short_folder, until_sync


@pytest.fixture
def server() -> Iterator[Postgres]:
    """A Postgres of this test alone, in a folder with a space and an umlaut; not started."""
    with short_folder("own", in_memory()) as root:
        folder = root / "Büro der Käse"
        folder.mkdir()
        server = Postgres(folder / "postgres", folder / "postgres.log", dict(FAST_AND_LOOSE))
        yield server
        server.stop()


async def test_a_database_copy_has_pgvector_and_a_role_that_is_no_superuser(database: str) -> None:
    conn = await asyncpg.connect(database)
    try:
        assert await conn.fetchval("select extversion from pg_extension where extname = 'vector'") >= "0.8.0"
        rows = await conn.fetch("select rolsuper, rolbypassrls, rolcreaterole from pg_roles where rolname = current_user")
        assert [tuple(row) for row in rows] == [(False, False, True)]
    finally:
        await conn.close()


async def test_each_test_gets_a_database_of_its_own(postgres: TestPostgres) -> None:
    names = [postgres.new_migrated(), postgres.new_migrated()]
    conn = await asyncpg.connect(postgres.url(names[0]))
    await conn.execute("create table only_here (id int)")
    await conn.close()
    other = await asyncpg.connect(postgres.url(names[1]))
    assert await other.fetchval("select to_regclass('only_here')") is None
    await other.close()
    for name in names:
        postgres.drop(name)


async def test_what_was_committed_survives_a_kill_of_the_server(server: Postgres) -> None:
    server.start()
    conn = await asyncpg.connect(server.url())
    await conn.execute("create table kept (id int); insert into kept values (7)")
    await conn.close()
    os.killpg(server.child.pid, signal.SIGKILL)
    server.child.wait()
    again = Postgres(server.folder, server.log, dict(FAST_AND_LOOSE))
    again.start()
    conn = await asyncpg.connect(again.url())
    assert await conn.fetchval("select id from kept") == 7
    await conn.close()
    again.stop()


def test_a_server_left_by_a_killed_supervisor_is_ended_by_the_next_start(server: Postgres) -> None:
    server.start()
    left = server.child
    assert left is not None
    again = Postgres(server.folder, server.log, dict(FAST_AND_LOOSE))
    again.start()
    assert left.wait(30) == 0
    assert again.sql("select 1").strip() == "1"
    again.stop()


def test_a_stale_note_that_names_a_live_stranger_does_not_stop_the_start(server: Postgres) -> None:
    server.start()
    server.stop()
    stranger = os.getppid()
    note = server.cluster / "postmaster.pid"
    note.write_text(f"{stranger}\n{server.cluster}\n1\n5432\n\n\n\nready\n")
    if server.account.switch:
        os.chown(note, server.account.uid, server.account.gid)
    server.start()
    os.kill(stranger, 0)


def test_nobody_else_can_reach_the_socket_and_no_port_is_open(server: Postgres) -> None:
    server.start()
    assert server.socket_folder is not None
    assert stat.S_IMODE(server.socket_folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((server.folder.parent / "database-password").stat().st_mode) == 0o600
    assert server.sql("show listen_addresses").strip() == ""


async def test_the_database_asks_for_its_password(server: Postgres) -> None:
    server.start()
    wrong = server.url().replace(server.password, "wrong")
    with pytest.raises(asyncpg.InvalidPasswordError):
        await asyncpg.connect(wrong)


def test_a_folder_of_another_postgres_major_is_refused_in_one_sentence(server: Postgres) -> None:
    (server.folder.parent / "pg-version").write_text("17\n")
    with pytest.raises(StackError) as refused:
        server.start()
    assert refused.value.code == "postgres_other_major"
    assert "Postgres 17" in refused.value.message and "sourcebook backup" in refused.value.message


def test_no_parent_folder_changes_its_mode(server: Postgres) -> None:
    parents = [server.folder.parent, *server.folder.parent.parents]
    before = [(folder, folder.stat().st_mode) for folder in parents]
    server.start()
    assert [(folder, folder.stat().st_mode) for folder in parents] == before


async def test_redis_keeps_its_address_when_it_is_killed_and_started_again(redis_server: Bell) -> None:
    address = redis_server.url()
    async with redis.asyncio.Redis.from_url(address) as client:
        await client.set("rung", 1)
    redis_server.child.kill()
    redis_server.child.wait()
    redis_server.start()
    assert redis_server.url() == address
    async with redis.asyncio.Redis.from_url(address) as client:
        assert await client.get("rung") is None  # it keeps nothing: the rows are the truth


def test_a_paused_redis_answers_nothing_and_answers_again_when_resumed(redis_server: Bell) -> None:
    os.kill(redis_server.child.pid, signal.SIGSTOP)
    assert not redis_server.answers(timeout_s=0.2)
    os.kill(redis_server.child.pid, signal.SIGCONT)
    until_sync(redis_server.answers, 30, "Redis to answer")


def test_the_secret_of_a_folder_is_made_once(tmp_path: Path) -> None:
    first = Postgres(tmp_path / "postgres", tmp_path / "log")
    assert first.password == Postgres(tmp_path / "postgres", tmp_path / "log").password

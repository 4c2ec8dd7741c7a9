"""Fixtures every test may use: real Postgres and Redis, a migrated database, settings, Sourcebook's processes."""

import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest

from sourcebook.stack.bell import Bell
from sourcebook_core import settings as core_settings
from sourcebook_core.providers.endpoint import forget
from sourcebook_core.settings import Settings
from tests.fakes.provider import FakeProvider
from tests.fakes.website import Website
from tests.rig import Processes, TestPostgres, free_port, in_memory, short_folder


@pytest.fixture(scope="session")
def postgres() -> Iterator[TestPostgres]:
    """One real Postgres 18 with pgvector for the run (per xdist worker): `.new_migrated()`, `.url(name)`, `.server`."""
    with short_folder("pg", in_memory()) as root:
        started = TestPostgres(root)
        started.server.start()
        try:
            yield started
        finally:
            started.server.stop()


@pytest.fixture
def database(postgres: TestPostgres) -> Iterator[str]:
    """The URL of a fresh database at the newest migration (role `sourcebook`, not a superuser)."""
    name = postgres.new_migrated()
    yield postgres.url(name)
    postgres.drop(name)


@pytest.fixture
def redis_server(tmp_path: Path) -> Iterator[Bell]:
    """A fresh, empty, real Redis of this test: `.url()`, `.child.pid`; `.child.kill()` and `.start()` again keep the address."""
    bell = Bell(tmp_path / "redis.log")
    bell.start()
    try:
        yield bell
    finally:
        bell.stop()


@pytest.fixture
def blobs(tmp_path: Path) -> str:
    """The URL of an empty blob folder."""
    folder = tmp_path / "blobs"
    folder.mkdir()
    return folder.as_uri()


@pytest.fixture
def environment(database: str, redis_server: Bell, blobs: str, tmp_path: Path) -> dict[str, str]:
    """The `SOURCEBOOK_` environment of one test's stack: short leases, ports of its own, no models.

    Change it before `settings` or `processes` are used, or take `core_settings.load(environment | {...})`.
    """
    folder = tmp_path / "data"
    folder.mkdir()
    for name in ("owner-token", "secret-key"):
        (folder / name).touch(mode=0o600)
        (folder / name).write_text(secrets.token_urlsafe(32))
    return {
        "SOURCEBOOK_DATABASE_URL": database,
        "SOURCEBOOK_REDIS_URL": redis_server.url(),
        "SOURCEBOOK_BLOBS_URL": blobs,
        "SOURCEBOOK_DATA_DIR": str(folder),
        "SOURCEBOOK_SECRET_KEY": (folder / "secret-key").read_text(),
        "SOURCEBOOK_HOST": "127.0.0.1",
        "SOURCEBOOK_PORT": str(free_port()),
        "SOURCEBOOK_MODELS_PORT": str(free_port()),
        "SOURCEBOOK_LEASE_S": "2",
        "SOURCEBOOK_RENEW_S": "0.5",
        "SOURCEBOOK_POLL_S": "0.2",
        "SOURCEBOOK_BACKOFF_S": "0.1",
        "SOURCEBOOK_BACKOFF_MAX_S": "1",
    }


@pytest.fixture
def fake() -> Iterator[FakeProvider]:
    """A fake model provider; what this process learnt of earlier ones is forgotten."""
    forget()
    with FakeProvider() as started:
        yield started


@pytest.fixture
def site() -> Iterator[Website]:
    """A website on this machine."""
    with Website() as started:
        yield started


@pytest.fixture
def settings(environment: dict[str, str]) -> Settings:
    """The settings object of one test's stack."""
    return core_settings.load(environment)


@pytest.fixture
def owner_token(environment: dict[str, str]) -> str:
    """The local owner's API token of one test's stack."""
    return Path(environment["SOURCEBOOK_DATA_DIR"], "owner-token").read_text()


@pytest.fixture
def processes(environment: dict[str, str], tmp_path: Path) -> Iterator[Processes]:
    """Starts and kills the test's own processes: `processes.start("ingest").kill()`."""
    started = Processes(environment, tmp_path)
    yield started
    started.kill_all()

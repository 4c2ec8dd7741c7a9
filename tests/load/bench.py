"""What every bench has: real servers, a fresh migrated database, settings, and processes to start."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sourcebook.stack.bell import Bell
from sourcebook_core import settings as core_settings
from sourcebook_core.settings import Settings
from tests.rig import Processes, TestPostgres, free_port, short_folder


@dataclass
class Bench:
    """The servers of one bench run."""

    postgres: TestPostgres
    bell: Bell
    folder: Path

    def environment(self, **more: str) -> dict[str, str]:
        """A `SOURCEBOOK_` environment on a fresh database; `more` without the prefix."""
        data = self.folder / f"data-{secrets.token_hex(3)}"
        data.mkdir()
        for name in ("owner-token", "secret-key"):
            (data / name).touch(mode=0o600)
            (data / name).write_text(secrets.token_urlsafe(32))
        return {
            "SOURCEBOOK_DATABASE_URL": self.postgres.url(self.postgres.new_migrated()),
            "SOURCEBOOK_DATABASE_IDLE_S": "3600",  # a bench counts for minutes beside the snapshot that it looks at
            "SOURCEBOOK_REDIS_URL": self.bell.url(),
            "SOURCEBOOK_BLOBS_URL": (data / "blobs").as_uri(),
            "SOURCEBOOK_DATA_DIR": str(data),
            "SOURCEBOOK_SECRET_KEY": (data / "secret-key").read_text(),
            "SOURCEBOOK_PORT": str(free_port()),
            "SOURCEBOOK_MODELS_PORT": str(free_port()),
            **{f"SOURCEBOOK_{name}": value for name, value in more.items()},
        }

    def settings(self, **more: str) -> Settings:
        """Settings on a fresh database."""
        return core_settings.load(self.environment(**more))

    @contextlib.contextmanager
    def processes(self, environment: dict[str, str]) -> Iterator[Processes]:
        """Sourcebook's processes, killed at the end."""
        started = Processes(environment, self.folder)
        try:
            yield started
        finally:
            started.kill_all()


@contextlib.contextmanager
def opened() -> Iterator[Bench]:
    """Start Postgres and Redis for a bench run, and stop them after it."""
    with short_folder("bench") as root:
        postgres = TestPostgres(root)
        postgres.server.start()
        postgres.new_migrated()  # makes the template here, before any event loop runs
        bell = Bell(root / "redis.log")
        bell.start()
        try:
            yield Bench(postgres, bell, root)
        finally:
            bell.stop()
            postgres.server.stop()

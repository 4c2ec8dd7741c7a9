"""Forward-only schema migrations, run by Alembic from SQL files; safe from several processes at once."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import asyncpg
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory

from sourcebook_core.db import is_at_least
from sourcebook_core.errors import PermanentError
from sourcebook_core.settings import Settings

_LEAST_PGVECTOR = (0, 8, 0)  # iterative scans; api.md section 8
_FOLDER = Path(__file__).parent
_one_at_a_time = threading.Lock()  # Alembic's context is one per process


def _config(database_url: str) -> Config:
    config = Config()
    config.set_main_option("script_location", str(_FOLDER).replace("%", "%%"))
    config.attributes["database_url"] = database_url
    return config


def newest() -> str:
    """The revision this program was written for."""
    head = ScriptDirectory.from_config(_config("")).get_current_head()
    if head is None:
        raise RuntimeError("there is no migration")
    return head


async def applied(settings: Settings) -> str | None:
    """The revision the database stands at; None in an empty database."""
    conn = await asyncpg.connect(settings.database_url.get_secret_value(), timeout=10)
    try:
        if await conn.fetchval("select to_regclass('public.alembic_version')") is None:
            return None
        found: str | None = await conn.fetchval("select version_num from public.alembic_version")
        return found
    finally:
        await conn.close()


async def run(settings: Settings) -> None:
    """Bring the database to `newest()`. Safe to run twice and from several processes: one works, the others wait for its lock.

    Raises PermanentError `bad_setting` for a database whose pgvector is missing or too old.
    """
    await _refuse_old_pgvector(settings)
    # Alembic drives an event loop of its own in env.py, so it gets a thread of its own.
    await asyncio.to_thread(_upgrade, settings.database_url.get_secret_value())


async def _refuse_old_pgvector(settings: Settings) -> None:
    conn = await asyncpg.connect(settings.database_url.get_secret_value(), timeout=10)
    try:
        version = await conn.fetchval(
            "select coalesce(installed_version, default_version) from pg_available_extensions where name = 'vector'"
        )
    finally:
        await conn.close()
    if version is None or not is_at_least(version, _LEAST_PGVECTOR):
        why = f"its pgvector is {version or 'missing'}; Sourcebook needs 0.8.0 or newer."
        raise PermanentError("bad_setting", setting="SOURCEBOOK_DATABASE_URL", why=why)


def _upgrade(database_url: str) -> None:
    with _one_at_a_time:
        command.upgrade(_config(database_url), "head")

"""Alembic's entry: one connection by asyncpg, one lock, all pending migrations in one transaction."""

from __future__ import annotations

import asyncio

import asyncpg
from alembic import context
from sqlalchemy import Connection, text
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool

# Any number that nothing else in this database locks: "sourcebook" in letters of the alphabet's first ten.
_LOCK = 1915213521


def _upgrade(connection: Connection) -> None:
    context.configure(connection=connection, transaction_per_migration=False)
    with context.begin_transaction():
        connection.execute(text("select pg_advisory_xact_lock(:n)"), {"n": _LOCK})
        context.run_migrations()


async def _main() -> None:
    url = context.config.attributes["database_url"]
    engine = create_async_engine("postgresql+asyncpg://", async_creator=lambda: asyncpg.connect(url, timeout=30), poolclass=NullPool)
    async with engine.connect() as connection:
        await connection.run_sync(_upgrade)
        await connection.commit()
    await engine.dispose()


asyncio.run(_main())

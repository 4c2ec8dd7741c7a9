"""The pool, transactions, and what a lost database looks like to the rest."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import TypeAlias, TypeVar
from uuid import UUID

import asyncpg
import orjson
from asyncpg.pool import PoolConnectionProxy
from pgvector.asyncpg import register_vector

from sourcebook_core import log
from sourcebook_core.errors import Contended, DatabaseAway, DatabaseFull, SearchRefused, TransientError
from sourcebook_core.settings import Settings

Conn: TypeAlias = "asyncpg.Connection[asyncpg.Record] | PoolConnectionProxy[asyncpg.Record]"
T = TypeVar("T")
TRIES = 3  # of a transaction that met another (F15)
PAUSE_S = 0.05  # before the second try, with jitter; doubles

# What asyncpg raises when the server is gone, starting, stopping or out of connections, or ended our session or its transaction.
_LOST = (
    ConnectionError,
    asyncpg.PostgresConnectionError,
    asyncpg.CannotConnectNowError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.DatabaseDroppedError,
    asyncpg.TooManyConnectionsError,
    asyncpg.IdleInTransactionSessionTimeoutError,
    asyncpg.IdleSessionTimeoutError,
    asyncpg.TransactionTimeoutError,
)
UNREACHABLE = (OSError, TimeoutError, *_LOST)
# A transaction that lost against another, against its time limit or for want of memory: rolled back whole, so it may be run again
# (F13, F15). TimeoutError is asyncpg's own, for a statement over the pool's `command_timeout`.
_CONTENDED = (
    TimeoutError,
    asyncpg.TransactionRollbackError,
    asyncpg.LockNotAvailableError,
    asyncpg.QueryCanceledError,
    asyncpg.InsufficientResourcesError,
)
_DRIVER = (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError)
_log = log.get(__name__)


def is_at_least(version: str, least: tuple[int, ...]) -> bool:
    """Whether a version of the database or an extension ("0.8.6") is that one or a newer one."""
    return tuple(int(part) for part in version.split(".")[: len(least)]) >= least


def is_away(error: BaseException) -> bool:
    """True when this error means that Postgres went away, not that a statement was wrong."""
    # InternalClientError: the server's last words came while nothing was asked, as after a freeze, and asyncpg lost its thread.
    if isinstance(error, (*_LOST, asyncpg.InternalClientError)):
        return True
    # asyncpg has no class of its own for a connection or pool that was closed under us.
    return isinstance(error, asyncpg.InterfaceError) and "clos" in str(error)


def told(error: BaseException) -> TransientError | None:
    """What an error of the driver means to the rest: the one place that tells them apart; None for a statement that was wrong."""
    if isinstance(error, asyncpg.DiskFullError):
        return DatabaseFull()
    if is_away(error):
        return DatabaseAway()
    if isinstance(error, _CONTENDED):
        return Contended()
    return SearchRefused() if isinstance(error, asyncpg.InsufficientPrivilegeError) else None


async def _prepare(conn: asyncpg.Connection[asyncpg.Record]) -> None:
    await register_vector(conn)
    await conn.set_type_codec(
        "jsonb", schema="pg_catalog", format="binary", encoder=lambda v: b"\x01" + orjson.dumps(v), decoder=lambda b: orjson.loads(b[1:])
    )


async def _keep(_: asyncpg.Connection[asyncpg.Record]) -> None:
    """Nothing has to be undone when a connection goes back: all our settings are local to a transaction.

    asyncpg itself still rolls back what was left open; its own reset would cost every transaction four statements more.
    """


class Db:
    """A pool of connections to one migrated database. Open with `Db.open`, one a process."""

    def __init__(self, pool: asyncpg.Pool[asyncpg.Record]) -> None:
        self.pool = pool

    @classmethod
    async def open(cls, settings: Settings, *, size: int | None = None, name: str = "sourcebook") -> Db:
        """Connect; raises DatabaseAway when Postgres cannot be reached.

        `force_custom_plan`: a generic plan turns a vector bound as parameter from 15 into 400 ms from its sixth run
        (measured, decisions "Data"); `jit=off`: compiling costs more than these queries take. A process that is frozen inside a
        transaction would keep its locks for ever: the server ends its session after `database_idle_s` without a statement.
        """
        try:
            pool = await asyncpg.create_pool(
                settings.database_url.get_secret_value(),
                min_size=1,
                max_size=size or settings.database_pool,
                init=_prepare,
                reset=_keep,
                timeout=10,
                command_timeout=60,
                server_settings={
                    "plan_cache_mode": "force_custom_plan",
                    "jit": "off",
                    "application_name": name,
                    "timezone": "UTC",
                    "idle_in_transaction_session_timeout": str(round(settings.database_idle_s * 1000)),
                },
            )
        except UNREACHABLE as error:
            raise DatabaseAway from error
        return cls(pool)

    async def close(self) -> None:
        """Wait for running transactions, at most 5 s, then cut."""
        try:
            async with asyncio.timeout(5):
                await self.pool.close()
        except TimeoutError:
            self.pool.terminate()

    @asynccontextmanager
    async def _connection(self, timeout_s: float) -> AsyncIterator[Conn]:
        try:
            conn = await self.pool.acquire(timeout=timeout_s)
        except UNREACHABLE as error:
            raise DatabaseAway from error
        except asyncpg.PostgresError as error:  # it answers and lets nobody in: a password, a right or the database itself changed
            _log.error("database.refused", reason=type(error).__name__)
            raise DatabaseAway from error
        except asyncpg.InterfaceError as error:
            if is_away(error):
                raise DatabaseAway from error
            raise
        try:
            yield conn
        except (TimeoutError, ConnectionError, *_DRIVER) as error:
            meant = told(error)
            if meant is None:
                raise
            raise meant from error
        finally:
            await self._release(conn)

    async def _release(self, conn: PoolConnectionProxy[asyncpg.Record]) -> None:
        try:
            await self.pool.release(conn)
        except (OSError, *_DRIVER) as error:
            # asyncpg has cut it, and the transaction has ended, for good or bad, before: whose it was has been told that.
            _log.warning("connection.lost", reason=type(error).__name__)

    @asynccontextmanager
    async def transaction(self, *, timeout_s: float = 10.0) -> AsyncIterator[Conn]:
        """One transaction; commits when the block ends, rolls back on any error. Raises DatabaseAway, Contended.

        Never hold it across a model, network or child-process call. `timeout_s` bounds the wait for a connection.
        """
        async with self._connection(timeout_s) as conn, conn.transaction():
            yield conn

    @asynccontextmanager
    async def outside(self, *, timeout_s: float = 10.0) -> AsyncIterator[Conn]:
        """A connection without a transaction, for statements that refuse one (`create index concurrently`). Raises DatabaseAway, Contended.

        What is set for the session must be set back: nothing is when the connection goes back to the pool.
        """
        async with self._connection(timeout_s) as conn:
            yield conn

    async def retried(self, work: Callable[[Conn], Awaitable[T]]) -> T:
        """What `work` returns, run in a transaction of its own, again up to three times with jitter when it met another.

        `work` must do nothing but write to this connection. Raises DatabaseAway, Contended after the last try.
        """
        for tried in range(1, TRIES):
            try:
                async with self.transaction() as conn:
                    return await work(conn)
            except Contended:
                await asyncio.sleep(PAUSE_S * 2 ** (tried - 1) * random.uniform(0.5, 1.5))
        async with self.transaction() as conn:
            return await work(conn)

    @asynccontextmanager
    async def snapshot(self, *, timeout_s: float = 10.0) -> AsyncIterator[Conn]:
        """One read-only repeatable-read transaction: every statement sees the same instant. Raises DatabaseAway."""
        async with self._connection(timeout_s) as conn, conn.transaction(isolation="repeatable_read", readonly=True):
            yield conn


async def narrow(conn: Conn, source_ids: Sequence[UUID]) -> None:
    """From here to the end of this transaction: read the corpus only, and only of these sources (row-level security)."""
    # One statement, for each costs a round trip of every search; setting `role` so is `set local role`.
    await conn.execute(
        "select set_config('sourcebook.sources', $1, true), set_config('role', 'sourcebook_search', true)",
        "{" + ",".join(str(i) for i in source_ids) + "}",
    )

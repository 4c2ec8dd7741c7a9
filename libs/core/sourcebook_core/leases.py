"""Keeps the leases of running claims, from a thread and a connection of its own, so that busy Python cannot lose them."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

import asyncpg

from sourcebook_core import log
from sourcebook_core.db import UNREACHABLE, is_away
from sourcebook_core.settings import Settings
from sourcebook_core.store import jobs as rows

_log = log.get(__name__)


class Leases:
    """Renews every claim that is held; tells the runtime's loop which ones are no longer ours."""

    def __init__(self, settings: Settings, lost: Callable[[int], None]) -> None:
        self._settings = settings
        self._tell = lost
        self._held: set[int] = set()
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        """Start renewing; losses are told on `loop`."""
        self._thread = threading.Thread(target=lambda: asyncio.run(self._renew(loop)), name="leases", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the thread; leases that are still held die by themselves."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(timeout=5)

    def hold(self, fence: int) -> None:
        """Renew this claim from now on."""
        with self._lock:
            self._held.add(fence)

    def release(self, fence: int) -> None:
        """Renew this claim no more."""
        with self._lock:
            self._held.discard(fence)

    async def _renew(self, loop: asyncio.AbstractEventLoop) -> None:
        conn: asyncpg.Connection[asyncpg.Record] | None = None
        while not await asyncio.to_thread(self._stop.wait, self._settings.jobs.renew_s):
            with self._lock:
                held = list(self._held)
            if not held:
                continue
            try:
                if conn is None or conn.is_closed():
                    url, named = self._settings.database_url.get_secret_value(), {"application_name": "sourcebook_leases"}
                    conn = await asyncpg.connect(url, timeout=5, command_timeout=5, server_settings=named)
                ours = await rows.renew(conn, held, self._settings.jobs.lease_s)
            except (*UNREACHABLE, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
                if not (isinstance(error, UNREACHABLE) or is_away(error)):
                    _log.exception("lease.failed")
                if conn is not None:
                    conn.terminate()  # it may still be open: a statement that took too long leaves it so
                conn = None
                continue
            for fence in set(held) - ours:
                with self._lock:
                    still_held = fence in self._held
                if still_held:  # not one that ended while we asked
                    loop.call_soon_threadsafe(self._tell, fence)
        if conn is not None:
            await conn.close(timeout=2)

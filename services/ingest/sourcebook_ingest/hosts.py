"""Politeness: the pages of a site are fetched one after the other, with a pause between."""

from __future__ import annotations

import asyncio
from urllib.parse import urlsplit

_REMEMBERED = 1000


class Hosts:
    """When each host may be asked next by this process; hosts of long ago are forgotten."""

    def __init__(self, pause_s: float) -> None:
        self._pause_s = pause_s
        self._next: dict[str, float] = {}

    async def wait_turn(self, url: str) -> None:
        """Wait until this host has had its pause; the turn after this one is a pause later."""
        host = urlsplit(url).hostname or ""
        now = asyncio.get_running_loop().time()
        turn = max(now, self._next.get(host, now))
        if len(self._next) >= _REMEMBERED:
            self._next = {known: at for known, at in self._next.items() if at > now}
        self._next[host] = turn + self._pause_s
        await asyncio.sleep(turn - now)

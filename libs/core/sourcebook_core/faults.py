"""Places where a test can make a process wait, to be killed from outside there."""

from __future__ import annotations

import asyncio

from sourcebook_core import log
from sourcebook_core.settings import Settings

_log = log.get(__name__)


async def point(settings: Settings, place: str) -> None:
    """Return at once; wait for ever when `SOURCEBOOK_FAULT_AT` names this place (tests only)."""
    if settings.fault_at == place:
        _log.warning("fault.waited", place=place)
        await asyncio.Event().wait()

"""Starts the worker that reads and indexes sources: `python -m sourcebook_ingest`."""

from __future__ import annotations

import asyncio
from importlib.metadata import version

from sourcebook_core import log, start
from sourcebook_core.errors import DatabaseAway
from sourcebook_core.jobs_runtime import Runtime
from sourcebook_core.settings import Settings
from sourcebook_core.text import language
from sourcebook_ingest.care import begin_care
from sourcebook_ingest.deps import Deps, opened
from sourcebook_ingest.worker import QUEUES, TASKS

_log = log.get(__name__)


async def _run(loaded: Settings) -> None:
    async with opened(loaded) as deps:
        await asyncio.to_thread(language.warm)
        runtime = Runtime(
            loaded, deps.db, service="ingest", version=version("sourcebook"), queues=QUEUES, tasks=TASKS, deps=deps,
            slots=loaded.jobs.slots_ingest,
        )  # fmt: skip
        beginning = asyncio.create_task(_begin(deps, runtime))
        await runtime.run()
        beginning.cancel()
        await asyncio.wait({beginning})
        if not beginning.cancelled():
            beginning.result()  # raises what was wrong


async def _begin(deps: Deps, runtime: Runtime) -> None:
    """Begin care beside the work: it waits for another worker's care, which may be one that is frozen."""
    try:
        while True:
            try:
                return await begin_care(deps)
            except DatabaseAway as error:
                _log.warning("care.waited", reason=error.code)
                await asyncio.sleep(deps.settings.jobs.poll_s)
    except Exception:
        runtime.stop()
        raise


if __name__ == "__main__":
    start.service("ingest", lambda loaded: asyncio.run(_run(loaded)))

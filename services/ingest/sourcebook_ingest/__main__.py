"""Starts the worker that reads and indexes sources: `python -m sourcebook_ingest`."""

from __future__ import annotations

import asyncio
from importlib.metadata import version

from sourcebook_core import log, settings
from sourcebook_core.jobs_runtime import Runtime
from sourcebook_core.text import language
from sourcebook_ingest.care import begin_care
from sourcebook_ingest.deps import opened
from sourcebook_ingest.worker import QUEUES, TASKS


async def _run() -> None:
    loaded = settings.load()
    log.configure("ingest", loaded.log_level)
    async with opened(loaded) as deps:
        await asyncio.gather(begin_care(deps), asyncio.to_thread(language.warm))
        runtime = Runtime(
            loaded, deps.db, service="ingest", version=version("sourcebook"), queues=QUEUES, tasks=TASKS, deps=deps,
            slots=loaded.jobs.slots_ingest,
        )  # fmt: skip
        await runtime.run()


if __name__ == "__main__":
    asyncio.run(_run())

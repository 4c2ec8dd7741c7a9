"""Starts the worker that reads and indexes sources: `python -m sourcebook_ingest`."""

from __future__ import annotations

import asyncio
from importlib.metadata import version

from sourcebook_core import start
from sourcebook_core.jobs_runtime import Runtime
from sourcebook_core.settings import Settings
from sourcebook_core.text import language
from sourcebook_ingest.care import begin_care
from sourcebook_ingest.deps import opened
from sourcebook_ingest.worker import QUEUES, TASKS


async def _run(loaded: Settings) -> None:
    async with opened(loaded) as deps:
        await asyncio.gather(begin_care(deps), asyncio.to_thread(language.warm))
        runtime = Runtime(
            loaded, deps.db, service="ingest", version=version("sourcebook"), queues=QUEUES, tasks=TASKS, deps=deps,
            slots=loaded.jobs.slots_ingest,
        )  # fmt: skip
        await runtime.run()


if __name__ == "__main__":
    start.service("ingest", lambda loaded: asyncio.run(_run(loaded)))

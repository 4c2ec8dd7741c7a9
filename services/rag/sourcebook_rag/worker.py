"""The rag worker: answers turns, searches, tests models, until SIGTERM."""

from __future__ import annotations

import asyncio
import gc
from importlib.metadata import version

from sourcebook_core import bell, log, roles, start
from sourcebook_core.db import Db
from sourcebook_core.errors import SourcebookError
from sourcebook_core.jobs_runtime import Runtime
from sourcebook_core.prices import Prices
from sourcebook_core.providers import request
from sourcebook_core.settings import RoleName, Settings
from sourcebook_core.text import language, lexemes
from sourcebook_rag.deps import Deps
from sourcebook_rag.tasks import TASKS

_log = log.get(__name__)
WARM_ROLES: tuple[RoleName, ...] = ("chat", "embedding")


def warm_up() -> None:
    """Load what the first question would otherwise wait for, and its lease with it: the language tables and a stemmer."""
    spoken = language.identify("The lake is forty metres deep at its southern end.")
    lexemes.question_lexemes("How deep is the lake?", {spoken or "en"}, spoken)
    # What is loaded by now stays for good: without this each full collection walks all of it in the midst of an answer.
    gc.collect()
    gc.freeze()


async def open_clients(db: Db, config: Settings) -> None:
    """Make the HTTP clients of the models in force, which takes a good part of a second, before the first question needs them.

    What is wrong with a role is told to who asks, not here.
    """
    try:
        async with db.transaction() as conn:
            in_force = await roles.effective_roles(conn, config)
    except SourcebookError as error:
        _log.warning("worker.not_warm", code=error.code)
        return
    for name in WARM_ROLES:
        if in_force[name].is_on:
            request.client(in_force[name])


async def work(config: Settings) -> None:
    """Serve the queues `answer` and `make` until SIGTERM or SIGINT."""
    warm_up()
    db = await Db.open(config, name="sourcebook-rag")
    redis = bell.connect(config)
    try:
        await open_clients(db, config)
        deps = Deps(db, redis, config, Prices.of(config))
        runtime = Runtime(
            config,
            db,
            service="rag",
            version=version("sourcebook"),
            queues=["answer", "make"],
            tasks=TASKS,
            deps=deps,
            slots=config.jobs.slots_answer,
        )
        await runtime.run()
    finally:
        await request.close_clients()
        await redis.aclose()
        await db.close()


def main() -> None:
    """Run the worker from the environment's settings."""
    start.service("rag", lambda config: asyncio.run(work(config)))

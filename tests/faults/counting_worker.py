"""A worker whose jobs take three steps and leave one row a step, to be killed and cut off by the fault tests."""

import asyncio
import sys
from typing import ClassVar

from sourcebook_core import jobs, log, settings
from sourcebook_core.db import Conn, Db
from sourcebook_core.errors import PermanentError, SourcebookError, TransientError
from sourcebook_core.jobs_runtime import Runtime

STEPS = 3


class CountSteps(jobs.Work):
    """Leave the rows (job, 0..STEPS-1), `pause_s` apart; `ends` in success or in an error."""

    kind: ClassVar[str] = "count_steps"
    queue: ClassVar[jobs.Queue] = "care"
    pause_s: float = 0.05
    ends: str = "well"


async def failed(conn: Conn, work: CountSteps, error: SourcebookError) -> None:
    """Leave a row that says how the job ended."""
    await conn.execute("insert into counted_ends (job_id, code) values ($1, $2)", work.claim.job_id, error.code)


@jobs.task(CountSteps, failed=failed)
async def count_steps(work: CountSteps, deps: Db) -> None:
    """Safe to run twice: a step whose row is there is not taken again."""
    job_id = work.claim.job_id
    for step in range(STEPS):
        async with deps.transaction() as conn:
            done = await conn.fetchval("select count(*) from counted where job_id = $1 and step = $2", job_id, step)
            await conn.execute("insert into counted_starts (job_id, step, attempt) values ($1, $2, $3)", job_id, step, work.claim.attempt)
        if done:
            continue
        await asyncio.sleep(work.pause_s)  # the work of this step
        if work.ends == "transient":
            raise TransientError("busy")
        if work.ends == "permanent":
            raise PermanentError("no_text", name="It")
        if work.ends == "killed":
            sys.exit(9)
        async with jobs.holding(deps, work, checkpoint=True) as conn:
            await conn.execute("insert into counted (job_id, step) values ($1, $2)", job_id, step)
            if work.ends == "full":
                await conn.execute("do $$ begin raise exception using errcode = 'disk_full'; end $$")
    async with jobs.finishing(deps, work) as conn:
        await conn.execute("insert into counted_ends (job_id, code) values ($1, 'well')", job_id)


async def main() -> None:
    """Run until SIGTERM."""
    found = settings.load()
    log.configure("counting")
    db = await Db.open(found)
    await Runtime(found, db, service="counting", version="test", queues=["care"], tasks=[count_steps], deps=db, slots=4).run()
    await db.close()


if __name__ == "__main__":
    asyncio.run(main())

"""What a source shows when its work ended without success."""

from __future__ import annotations

from sourcebook_core import hooks
from sourcebook_core.db import Conn
from sourcebook_core.errors import SourcebookError
from sourcebook_core.jobs import IndexReading, ReadSource, SummariseSource
from sourcebook_core.store import calls, passages, recipes, source_work
from sourcebook_core.store import jobs as job_rows
from sourcebook_core.store.source_work import SourceWork
from sourcebook_ingest.deps import Deps

# F25: no retry helps until somebody mends the key or the account, and then the work goes on from its last step.
PAUSING = frozenset({"model_unauthorized", "model_out_of_credit", "out_of_credit"})
_STAGES = {"read_source": "reading", "index_reading": "indexing"}
_NOT_AGAIN = "It could not be read again, so what was read before stays."
_STOPPED_AGAIN = "Reading it again was stopped, so what was read before stays."
_NOT_ANEW = "It could not be indexed anew, so what was there before answers on; index the notebook anew to try again."
_RETRY = "Start it again under the source's menu."


async def record_failure(conn: Conn, work: ReadSource | IndexReading, error: SourcebookError) -> None:
    """Write why the work ended, in the transaction that ends its job: the sentence names file, stage and next step.

    A source that was ready stays ready: a further index of it (another notebook's recipe) or a later reading failed.
    """
    source = await source_work.lock(conn, work.source_id)
    if source is None or await _is_wanted_anew(conn, work, error):
        return
    if source.status == "ready" and isinstance(work, IndexReading):
        await _keep(conn, source, work, error)
        return
    told = sentence(error, source.name, _STAGES[work.kind])
    # What was read before answers on: a source that cannot be read again is a warning, not a source lost.
    why = _STOPPED_AGAIN if error.code == "stopped" else f"{_NOT_AGAIN} {told}"
    if error.code not in PAUSING and await source_work.stay_ready(conn, source.id, why):
        return
    if error.code == "stopped":
        await source_work.end(conn, source.id, "stopped", "stopped", error.message)
        return
    status = "paused" if error.code in PAUSING else "failed"
    # The next try, with another model or mode, asks again for what could not be read; what was read stays.
    await passages.delete_unread(conn, source.id, also_wordless=error.code == "no_text")
    count, cost = await calls.spent_on_source(conn, source.id)
    if count:
        await source_work.spent(conn, source.id, count, cost)
    await source_work.end(conn, source.id, status, error.code, told)
    about = {"source_id": str(source.id), "status": status, "code": error.code}
    await hooks.tell(conn, source.owner_id, "source.failed", about)


async def _is_wanted_anew(conn: Conn, work: ReadSource | IndexReading, error: SourcebookError) -> bool:
    """Whether other content came, or the source came back, while this work was being stopped: then the later job says how it ended."""
    if isinstance(work, ReadSource):
        return await job_rows.is_wanted(conn, work.source_id, [ReadSource.kind])
    return error.code == "stopped" and await job_rows.is_wanted(conn, work.source_id, [ReadSource.kind, IndexReading.kind])


async def _keep(conn: Conn, source: SourceWork, work: IndexReading, error: SourcebookError) -> None:
    """Indexing under a recipe that is wanted came to no end: the one in use answers on, and the report says why."""
    await recipes.give_up(conn, source.id, work.recipe_id)
    if error.code != "stopped":
        await source_work.warn(conn, source.id, "reindex_failed", f"{_NOT_ANEW} {sentence(error, source.name, _STAGES[work.kind])}")


async def tell_failure(work: ReadSource | IndexReading | SummariseSource, deps: Deps) -> None:
    """Hint to open pages that the source's work ended."""
    await deps.tell(work.source_id)


def sentence(error: SourcebookError, name: str, stage: str) -> str:
    """The error's sentence with the file's name and the stage, where it does not name them itself (B16)."""
    if error.code == "internal":
        return f"{name} could not be finished: {stage} stopped because of a fault on our side. {_RETRY}"
    if name in error.message or error.code.startswith("url_"):
        return error.message
    return f"{name}, {stage}: {error.message}"

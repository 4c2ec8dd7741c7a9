"""What a source is about, in a paragraph: written by the chat model, or quoted from the source itself."""

from __future__ import annotations

import secrets

from sourcebook_core import accounting, faults, jobs, log, prompts, roles
from sourcebook_core.db import Conn
from sourcebook_core.errors import PermanentError, SourcebookError, TransientError, TurnOver
from sourcebook_core.jobs import SummariseSource, task
from sourcebook_core.providers import chat
from sourcebook_core.providers.chat import Reply
from sourcebook_core.settings import RoleSettings
from sourcebook_core.store import calls, passages, readings, source_work, summaries
from sourcebook_core.store.calls import Call
from sourcebook_core.store.source_work import SourceWork
from sourcebook_ingest import quoting
from sourcebook_ingest.deps import Deps
from sourcebook_ingest.failures import tell_failure

_log = log.get(__name__)
STEP = "summary"
WARNING = "summary_not_written"
HEAD_CHARS = 12_000  # S1-23: the head of the text alone; about 3,000 tokens
CHARS_PER_TOKEN = 3  # cautious, for `context_tokens`
REPLY_TOKENS = 400
MOST_CHARS = 2000  # of what came back; 120 words are about 800
PIECES = 6
_PACKAGE = "sourcebook_ingest.prompts"


async def _warn(conn: Conn, work: SummariseSource, error: SourcebookError) -> None:
    """A summary that could not be written fails nothing: the quoted one stays, and the report says why."""
    source = await source_work.lock(conn, work.source_id)
    if source is None or error.code == "stopped":
        return
    why = f"Its summary is made of its own sentences, for none could be written: {error.message} Read it again to have one written."
    await source_work.warn(conn, source.id, WARNING, why)


@task(SummariseSource, failed=_warn, ended=tell_failure, is_aside=True)
async def summarise_source(work: SummariseSource, deps: Deps) -> None:
    """Give a source the summary of its newest reading: quoted at once, then written where a chat model may be asked.

    Safe to run twice: a reading's written summary is made once, and its commit is the end of the job.
    """
    async with jobs.holding(deps.db, work) as conn:
        source = await _wanting(conn, work)
        if source is None:
            return
        role, is_refused = await roles.for_source(conn, deps.settings, "chat", source.id)
        # A local writing model copies and misreads at this task (models page, section 4): the source's own sentences are better.
        is_written = role.is_on and role.provider == "api" and not is_refused
        language = (await readings.get(conn, work.reading_id)).language
        pieces = await summaries.central(conn, work.reading_id, PIECES)
        head = [] if pieces else await summaries.first(conn, work.reading_id, PIECES)
    quoted = quoting.central_sentences(pieces, language) if pieces else quoting.first_sentences(head)
    if not is_written:
        async with jobs.finishing(deps.db, work) as conn:
            if not pieces and await summaries.central(conn, work.reading_id, PIECES):
                raise TurnOver  # its indexing ended meanwhile, and found this job running
            await summaries.write(conn, source.id, work.reading_id, "quoted" if quoted else None, quoted)
        await deps.tell(source.id)
        return
    async with jobs.holding(deps.db, work) as conn:
        await summaries.write(conn, source.id, work.reading_id, "quoted" if quoted else None, quoted)
    await _write(deps, work, source, role, language)
    await deps.tell(source.id)


async def _wanting(conn: Conn, work: SummariseSource) -> SourceWork | None:
    """The source, unless it is deleted, read anew meanwhile, or has the written summary of this reading."""
    source = await source_work.lock(conn, work.source_id)
    if source is None or source.deleted_at is not None or await readings.newest_closed(conn, source.id) != work.reading_id:
        return None
    kept = await summaries.find(conn, source.id)
    is_done = kept is not None and kept.reading_id == work.reading_id and kept.kind == "written"
    return None if is_done else source


async def _write(deps: Deps, work: SummariseSource, source: SourceWork, role: RoleSettings, language: str | None) -> None:
    async with deps.db.transaction() as conn:
        head = await passages.head(conn, work.reading_id, _head_chars(role))
    system = prompts.load(_PACKAGE, STEP)
    spoken = f"Write in the language of the text (its ISO 639-1 code is {language})." if language else "Write in the language of the text."
    inputs = accounting.fingerprint([system.label, head])
    call = await accounting.begin(deps.db, work, STEP, role, inputs, source_id=source.id, prices=deps.prices)
    reply = await _asked(deps, call, role, system.fill(language=spoken), head)
    await faults.point(deps.settings, "summary.written")
    text = " ".join(reply.text.split())[:MOST_CHARS]
    units = chat.token_units(reply.end.usage)
    async with jobs.finishing(deps.db, work) as conn:
        await accounting.finish(conn, call, response={}, units=units, cost=deps.prices.cost_of(role, units))
        await summaries.write(conn, source.id, work.reading_id, "written", text)
        await source_work.spent(conn, source.id, *await calls.spent_on_source(conn, source.id))
        await source_work.warn(conn, source.id, WARNING, None)
    _log.info("source.summarised", source_id=str(source.id), prompt=system.label, chars=len(head))


async def _asked(deps: Deps, call: Call, role: RoleSettings, system: str, head: str) -> Reply:
    fence = f"===== {secrets.token_hex(8)} ====="
    messages = [{"role": "system", "content": system}, {"role": "user", "content": f"{fence}\n{head}\n{fence}"}]
    try:
        return await chat.complete(role, messages, max_tokens=REPLY_TOKENS)
    except (TransientError, PermanentError) as error:
        await accounting.fail(deps.db, call, error.code)
        raise


def _head_chars(role: RoleSettings) -> int:
    if role.context_tokens is None:
        return HEAD_CHARS
    return max(min(HEAD_CHARS, (role.context_tokens - REPLY_TOKENS) * CHARS_PER_TOKEN // 2), 1000)

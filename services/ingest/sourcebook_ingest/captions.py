"""Captions: what a chunk is about in everyday words, written once, put before it in the index and nowhere else."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from sourcebook_core import accounting, faults, jobs, log, prompts, roles
from sourcebook_core.errors import PermanentError, TransientError, TurnOver
from sourcebook_core.jobs import IndexReading
from sourcebook_core.providers import chat
from sourcebook_core.settings import RoleSettings
from sourcebook_core.store import captions, source_work
from sourcebook_core.store.captions import Words
from sourcebook_core.store.chunks import Slice
from sourcebook_core.store.indexes import Recipe
from sourcebook_core.store.source_work import SourceWork
from sourcebook_ingest import index
from sourcebook_ingest.deps import Deps
from sourcebook_ingest.failures import PAUSING

_log = log.get(__name__)
STEP = "caption"
PAGE = 64
IN_FLIGHT = 4  # calls at once: what a crash may cost again
REPLY_TOKENS = 150
MOST_CHARS = 500  # two sentences; a longer one would bury the chunk under it
REFUSED = 10  # then the rest is indexed without: a model that refuses so many refuses all
_PACKAGE = "sourcebook_ingest.prompts"
Warning_ = dict[str, str]


@dataclass(slots=True)
class _Run:
    """One writing of the captions of a reading: what it knows and what came of it."""

    deps: Deps
    work: IndexReading
    source: SourceWork
    recipe: Recipe
    role: RoleSettings
    refused: list[PermanentError] = field(default_factory=list)


async def write(deps: Deps, work: IndexReading, source: SourceWork, recipe: Recipe, total: int) -> list[Warning_]:
    """Write the captions that the chunks of a reading lack, each a commit with the chunk's new words; returns the report's warnings.

    Nothing to do, no warning and no call where they are all there. Without a model for it there is a warning, and the reading is
    indexed without. Safe to run twice. Raises TransientError, PermanentError that nobody but a person mends, and TurnOver.
    """
    async with deps.db.transaction() as conn:
        role, is_refused = await roles.for_source(conn, deps.settings, "caption", source.id)
    if not role.is_on or is_refused:
        return [] if await _are_all_brought(deps, work, source, recipe) else [_without(is_refused)]
    run = _Run(deps, work, source, recipe, role)
    turn_ends = time.monotonic() + deps.settings.jobs.turn_s
    first = 0
    while len(run.refused) < REFUSED:
        async with deps.db.transaction() as conn:
            page = await captions.slices(conn, work.reading_id, recipe.id, first, PAGE)
            hashes = [_hash(piece) for piece in page]
            have = await captions.written_by(conn, source.id, str(role.model), hashes)
        if not page:
            break
        lacking = {hashed: piece for piece, hashed in zip(page, hashes, strict=True) if hashed not in have}
        todo = list(lacking.values())
        for start in range(0, len(todo), IN_FLIGHT):
            await _write_some(run, todo[start : start + IN_FLIGHT], page)
            async with jobs.holding(deps.db, work) as conn:
                await source_work.progress(conn, source.id, "indexing", todo[start].ordinal, 2 * total)
            await deps.tell(source.id)
            if time.monotonic() >= turn_ends:
                raise TurnOver
        first = page[-1].ordinal + 1
    return [_missing(run.refused)] if run.refused else []


async def _are_all_brought(deps: Deps, work: IndexReading, source: SourceWork, recipe: Recipe) -> bool:
    """Whether every chunk has a caption that its owner brought, so that no model is needed."""
    first = 0
    while True:
        async with deps.db.transaction() as conn:
            page = await captions.slices(conn, work.reading_id, recipe.id, first, PAGE)
            hashes = {_hash(piece) for piece in page}
            have = await captions.written_by(conn, source.id, captions.BROUGHT, list(hashes))
        if not page or have != hashes:
            return not page
        first = page[-1].ordinal + 1


def _hash(piece: Slice) -> bytes:
    return captions.chunk_hash(piece.lead, piece.text)


async def _write_some(run: _Run, some: Sequence[Slice], page: Sequence[Slice]) -> None:
    """These captions at once. What came is kept before an error of another is raised."""
    outcomes = await asyncio.gather(*(_write_one(run, piece, page) for piece in some), return_exceptions=True)
    failures = [outcome for outcome in outcomes if isinstance(outcome, BaseException)]
    for failure in failures:
        if not isinstance(failure, PermanentError) or failure.code in PAUSING:
            raise failure
    run.refused += [failure for failure in failures if isinstance(failure, PermanentError)]


async def _write_one(run: _Run, piece: Slice, page: Sequence[Slice]) -> None:
    system = prompts.load(_PACKAGE, STEP)
    role, hashed = run.role, _hash(piece)
    asked = accounting.fingerprint([system.label, hashed.hex()])
    call = await accounting.begin(run.deps.db, run.work, STEP, role, asked, source_id=run.source.id, prices=run.deps.prices)
    fence = f"===== {secrets.token_hex(8)} ====="
    about = f"Title of the document: {run.source.title[:200]}\n" + (f"Section: {piece.heading[:300]}\n" if piece.heading else "")
    messages = [{"role": "system", "content": system.fill()}, {"role": "user", "content": f"{about}{fence}\n{piece.indexed}\n{fence}"}]
    try:
        reply = await chat.complete(role, messages, max_tokens=REPLY_TOKENS)
    except (TransientError, PermanentError) as error:
        await accounting.fail(run.deps.db, call, error.code)
        raise
    await faults.point(run.deps.settings, "caption.written")
    caption = " ".join(reply.text.split()).strip("\"'\u201c\u201d\u201e")[:MOST_CHARS]
    units = chat.token_units(reply.end.usage)
    words = await asyncio.to_thread(lambda: [_words(run.recipe, one, caption) for one in page if _hash(one) == hashed])
    async with jobs.holding(run.deps.db, run.work, checkpoint=True) as conn:
        await captions.insert(conn, run.source.id, hashed, str(role.model), caption)
        await captions.set_words(conn, words)
        await accounting.finish(conn, call, response={}, units=units, cost=run.deps.prices.cost_of(role, units))


def _words(recipe: Recipe, piece: Slice, caption: str) -> Words:
    front, title = captions.in_front(piece.heading, caption), index.title_of(piece.heading, [], 0)
    length, weights = index.words_of(piece.text, piece.lead, front, title, piece.language, recipe)
    return Words(piece.id, length, weights)


def _without(is_refused: bool) -> Warning_:
    why = "no model for captions is connected. Connect one under Models, then read it again."
    if is_refused:
        why = "a notebook or assistant that holds it keeps to models on this server, and the model for captions is hosted."
    return {"code": "no_captions", "message": f"It is indexed without captions: {why}"}


def _missing(refused: Sequence[PermanentError]) -> Warning_:
    said = f"Some passages are indexed without a caption. {refused[0].message} Read it again to have them written."
    return {"code": "captions_missing", "message": said}

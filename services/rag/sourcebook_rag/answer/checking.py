"""Checks an answer against the passages it was given, and binds each mark to the words that carry it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from sourcebook_core import accounting, jobs, log
from sourcebook_core.checks import Checks, Citation, Use
from sourcebook_core.errors import DatabaseAway, SourcebookError
from sourcebook_core.providers import embed
from sourcebook_core.settings import RoleSettings
from sourcebook_core.store.calls import Call
from sourcebook_core.text import language
from sourcebook_rag.answer import check as checks
from sourcebook_rag.answer import entailing, ledger
from sourcebook_rag.answer.begin import Asked
from sourcebook_rag.answer.cite import Mark
from sourcebook_rag.answer.compare import CheckPassage, Similarity
from sourcebook_rag.answer.ledger import Bill
from sourcebook_rag.answer.passages import Passage
from sourcebook_rag.answer.run import Run

STEP = "check"
MAX_MARKS = 150  # a mark takes some milliseconds; an answer with more is no answer a person reads
MAX_TEXTS = 48  # embedded for one check; statements beyond are judged by their words
_log = log.get(__name__)


@dataclass(frozen=True, slots=True)
class Checked:
    """The citations of an answer, one per number, and the outcome of its checks."""

    citations: list[Citation]
    checks: Checks
    bill: Bill | None = None
    entailment_bill: Bill | None = None


async def check(
    run: Run,
    asked: Asked,
    passages: Sequence[Passage],
    answer: str,
    marks: Sequence[Mark],
    *,
    invalid_numbers: Sequence[int] = (),
    grounding: Sequence[str] = (),
) -> Checked:
    """Compare the answer with its passages; statements in another language than their passage by embedding, where one answers.

    `grounding`: what else may ground a number (the asker's own words, host data). A check never changes the answer, and a model that is
    away only makes it know less.
    """
    compared = [of_passage(passage) for passage in passages]
    order = dict(sorted({mark.n: mark.passage for mark in marks}.items()))
    left_out, marks = marks[MAX_MARKS:], marks[:MAX_MARKS]
    spoken = checks.spoken_language(answer, asked.reply_language, compared)
    pairs = await asyncio.to_thread(checks.texts_to_compare, answer, marks, compared, spoken)
    similarity, bill = await _similarity(run, asked, pairs, spoken)
    found = await asyncio.to_thread(  # a long answer takes a while, and other answers stream meanwhile
        checks.check,
        answer,
        marks,
        compared,
        invalid_numbers=invalid_numbers,
        grounding=[*grounding, *_listed(asked)],
        constants=asked.profile.citations.constants,
        language=spoken,
        similarity=similarity,
    )
    found, entailment_bill = await entailing.looked_at(run, asked, answer, found)
    cited = [_with_uses(passages[number - 1], n, found.uses.get(n, [])) for n, number in order.items()]
    return Checked(cited, _bounded(found, left_out[0].start) if left_out else found.checks, bill, entailment_bill)


def _listed(asked: Asked) -> list[str]:
    """What a model that is given the list of documents may say of it: how many there are, and their titles."""
    if not asked.profile.prompt.gives_list:
        return []
    return [str(len(asked.scope.granted)), *(source.title for source in asked.scope.granted)]


def _with_uses(passage: Passage, n: int, uses: Sequence[Use]) -> Citation:
    """The citation with its uses; of a table it names the rows of its first quote."""
    made = checks.with_uses(passage.citation(n), uses)
    return made if made.start is None or made.end is None else made.model_copy(update={"rows": passage.rows(made.start, made.end)})


def _bounded(found: checks.Checked, start: int) -> Checks:
    """The checks of an answer with more marks than are compared: what stands behind the last compared one is not checked."""
    rows = [row if row.end <= start else row.model_copy(update={"status": "not_checked"}) for row in found.checks.statements]
    return found.checks.model_copy(update={"statements": rows, "found": checks.count_found(rows, found.uncounted)})


def of_passage(passage: Passage) -> CheckPassage:
    """A passage as the checks see it; titles around it may name what its words call "it"."""
    chunk = passage.chunk
    around = " ".join(part for part in (passage.source.title, chunk.heading, chunk.lead) if part)
    spoken = chunk.language or passage.source.language
    return CheckPassage(chunk.text, chunk.start_at, spoken, around, chunk.lead, passage.source.is_made)


async def _similarity(
    run: Run, asked: Asked, pairs: Sequence[tuple[str, str]], spoken: str | None
) -> tuple[Similarity | None, Bill | None]:
    """The cosines of these pairs as a look-up, and what they cost; None where no embedding model can be asked."""
    role = asked.question_role
    texts = list(dict.fromkeys(text for pair in pairs for text in pair if text.strip()))[:MAX_TEXTS]
    if role is None or not texts:
        return None, None
    claims = {claim for claim, _ in pairs}
    languages = [spoken if text in claims else language.identify(text) for text in texts]
    try:
        async with jobs.holding(run.deps.db, run.work) as conn:
            call = await ledger.begin(conn, run, STEP, role, texts, asked.scope.holder, asked.turn.id)
        found = await _embedded(run, call, role, texts, languages)
    except DatabaseAway:
        _log.warning("check.not_embedded", code="database_away")  # a paid answer is not lost for its check
        return None, None
    if found is None:
        return None, None
    return checks.cosines(texts, found.vectors), ledger.bill(call, run.deps.prices, role, found.tokens)


async def _embedded(
    run: Run, call: Call, role: RoleSettings, texts: Sequence[str], languages: Sequence[str | None]
) -> embed.Embedded | None:
    try:
        return await embed.embed_counted(role, texts, mode="passage", languages=languages)
    except DatabaseAway:
        raise
    except SourcebookError as error:
        _log.warning("check.not_embedded", code=error.code)
        await accounting.fail(run.deps.db, call, error.code)
        return None

"""A question made ready for its search: translated where the profile wants that, and the call that embeds it written down."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sourcebook_core import jobs
from sourcebook_core.db import Conn
from sourcebook_core.store.calls import Call
from sourcebook_rag.answer import begin, embedding, seek, translate
from sourcebook_rag.answer.begin import Asked
from sourcebook_rag.answer.embedding import Embedded, Question
from sourcebook_rag.answer.retrieve import Retrieved
from sourcebook_rag.answer.run import Run


@dataclass(frozen=True, slots=True)
class Prepared:
    """What a question needs before it is searched: the call that translates it, else the question as it is embedded."""

    translation: Call | None
    question: Question | None


async def prepare(conn: Conn, run: Run, asked: Asked) -> Prepared:
    """Write down the first call that the question needs, in the transaction in which it was read."""
    if translate.is_wanted(asked):
        return Prepared(await translate.begin(conn, run, asked), None)
    return Prepared(None, await begin.question(conn, run, asked))


async def searched(run: Run, asked: Asked, prepared: Prepared) -> tuple[Asked, Retrieved, Embedded]:
    """The question as it was searched, with what that found. The one way to the passages of an answer, shared with the evaluation
    (S4-38). Raises PermanentError `not_found`, and the error of a model that the profile cannot do without."""
    asked, question = await _translated(run, asked, prepared)
    embedded = await embedding.embed_question(run, question, must=asked.profile.answer.on_unavailable == "error")
    return asked, await seek.find_or_without(run, asked, question, embedded), embedded


async def _translated(run: Run, asked: Asked, prepared: Prepared) -> tuple[Asked, Question]:
    """The question as it is searched, with the call that embeds it written down."""
    if prepared.question is not None:
        return asked, prepared.question
    assert prepared.translation is not None
    told = await translate.translated(run, asked, prepared.translation)
    asked = replace(asked, translation=told.text)
    async with jobs.holding(run.deps.db, run.work) as conn:
        await translate.settle(conn, told)
        return asked, await begin.question(conn, run, asked)

"""The sentences of the found passages that are nearest to the question: for quotes, and for models that take little text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sourcebook_core import accounting, jobs, log
from sourcebook_core.db import Conn
from sourcebook_core.errors import DatabaseAway, SourcebookError
from sourcebook_core.providers import embed
from sourcebook_core.store.calls import Call
from sourcebook_core.store.chunks import indexed_text
from sourcebook_core.text import lexemes
from sourcebook_rag.answer import ledger, quoted
from sourcebook_rag.answer.begin import Asked
from sourcebook_rag.answer.embedding import Embedded
from sourcebook_rag.answer.ledger import Bill
from sourcebook_rag.answer.passages import Passage
from sourcebook_rag.answer.quoted import QuotablePassage, Sentence
from sourcebook_rag.answer.retrieve import Retrieved
from sourcebook_rag.answer.run import Run

STEP = "sentences"
FOR_A_MODEL = 4  # models.md section 4: what a small model answered best from
_log = log.get(__name__)


def of_passage(passage: Passage) -> QuotablePassage:
    """A passage as it may be quoted: under the own title of its section, else of its source."""
    title = (passage.chunk.heading or "").rpartition(" > ")[2] or passage.source.title
    chunk = passage.chunk
    return QuotablePassage(
        chunk.text, title, chunk.language or passage.source.language, chunk.lead or "", is_table=chunk.row_at is not None
    )


def originals_first(passages: Sequence[Passage]) -> list[Passage]:
    """The passages whose sentences may stand for the sources: those of originals; of notes and made documents where no original is left."""
    return [one for one in passages if not one.source.is_made] or list(passages)


def candidates(asked: Asked, found: Retrieved, passages: Sequence[QuotablePassage]) -> list[Sentence]:
    """The sentences worth comparing with the question, at most 12."""
    question = lexemes.question_lexemes(asked.question, found.scope.languages, asked.language)
    return quoted.candidates(passages, question)


async def begin(conn: Conn, run: Run, asked: Asked, embedded: Embedded, sentences: Sequence[Sentence]) -> Call | None:
    """Write `started` for the call that will embed the sentences; None where no embedding model can be asked."""
    if asked.question_role is None or not embedded.vectors or not sentences:
        return None
    texts = [one.text for one in sentences]
    return await ledger.begin(conn, run, STEP, asked.question_role, texts, asked.scope.holder, asked.turn.id)


async def cosines(
    run: Run, asked: Asked, embedded: Embedded, sentences: Sequence[Sentence], passages: Sequence[QuotablePassage], call: Call | None
) -> tuple[list[float] | None, Bill | None]:
    """The cosine of each sentence to the question from one batch, and its bill; None where no model answers: words decide."""
    role = asked.question_role
    if role is None or call is None:
        return None, None
    languages = [passages[one.passage - 1].language for one in sentences]
    try:
        texts = [indexed_text(passages[one.passage - 1].lead, one.text) for one in sentences]
        found = await embed.embed_counted(role, texts, mode="passage", languages=languages)
    except DatabaseAway:
        raise
    except SourcebookError as error:
        _log.warning("sentences.not_embedded", code=error.code)
        await accounting.fail(run.deps.db, call, error.code)
        return None, None
    near = [max(float(vector @ question) for question in embedded.arrays) for vector in found.vectors]
    return near, ledger.bill(call, run.deps.prices, role, found.tokens)


async def narrowed(run: Run, asked: Asked, found: Retrieved, embedded: Embedded) -> tuple[list[Passage], Bill | None]:
    """The found passages cut down to their sentences nearest to the question, at most four, each still a slice of its source.

    Sentences of one passage become one slice from the first to the last of them.
    """
    passages = originals_first(found.passages)
    quotable = [of_passage(passage) for passage in passages]
    sentences = candidates(asked, found, quotable)
    async with jobs.holding(run.deps.db, run.work) as conn:
        call = await begin(conn, run, asked, embedded, sentences)
    near, bill = await cosines(run, asked, embedded, sentences, quotable, call)
    chosen = quoted.choose(sentences, near, found.floor, FOR_A_MODEL)
    kept: dict[int, tuple[int, int]] = {}
    for one in chosen:
        start, end = kept.get(one.passage, (one.start, one.end))
        kept[one.passage] = (min(start, one.start), max(end, one.end))
    return [_slice(passages[number - 1], start, end) for number, (start, end) in kept.items()], bill


def _slice(passage: Passage, start: int, end: int) -> Passage:
    chunk = passage.chunk
    return replace(passage, chunk=replace(chunk, start_at=chunk.start_at + start, end_at=chunk.start_at + end, text=chunk.text[start:end]))

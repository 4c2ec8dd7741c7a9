"""The answer without a writing model: sentences of the passages found, the nearest to the question quoted and cited."""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic

from sourcebook_core import jobs
from sourcebook_core.events import CitationSeen, Stage, Token
from sourcebook_core.store import turns
from sourcebook_core.store.calls import Call
from sourcebook_rag import lines
from sourcebook_rag.answer import by_line, checking, commit, embedding, near_sentences, outcome, quoted, seek, shown, sureness
from sourcebook_rag.answer.begin import Asked
from sourcebook_rag.answer.commit import Ended
from sourcebook_rag.answer.embedding import Embedded
from sourcebook_rag.answer.publish import Publisher
from sourcebook_rag.answer.quoted import Sentence
from sourcebook_rag.answer.retrieve import Retrieved
from sourcebook_rag.answer.run import Run


async def answer(run: Run, asked: Asked, found: Retrieved, embedded: Embedded, publisher: Publisher) -> None:
    """Quote the found passages under a line no surer than the search was, and end the turn."""
    passages = near_sentences.originals_first(found.passages)
    quotable = [near_sentences.of_passage(passage) for passage in passages]
    sentences = near_sentences.candidates(asked, found, quotable)
    call = await _open(run, asked, embedded, sentences)
    route = asked.taken.told("quoted")
    publisher.send(commit.opening(asked, route, passages))
    kind = sureness.reply_kind(found, asked.profile, asked.search_text) if sentences else "none"
    line, first_at = "", None
    if kind != "several":  # it may turn out to be one quote; every other line is known before the sentences are compared
        line, first_at = lines.line(by_line.key_of(asked, kind), asked.reply_language, asked.turn.id), monotonic()
        publisher.send(Token(text=line, at=0))
    cosines, bill = await near_sentences.cosines(run, asked, embedded, sentences, quotable, call)
    chosen = quoted.choose(sentences, cosines, found.floor)
    hides = shown.hides_marks(asked.profile.citations)
    written = quoted.compose_quotes(
        chosen, quotable, kind, asked.reply_language, asked.turn.id, by_line.key_of(asked, ""), hides_sources=hides
    )
    for n, number in enumerate(() if hides else written.order, 1):
        publisher.send(CitationSeen(citation=passages[number - 1].citation(n)))
    if written.answer != line:
        publisher.send(Token(text=written.answer[len(line) :], at=len(line)))
    first_at = first_at or monotonic()
    publisher.send(Stage(name="checking", count=len(written.order)))
    checked = await checking.check(run, asked, passages, written.answer if written.marks else "", written.marks)
    ended = Ended(
        written.answer,
        route,
        passages=passages,
        citations=checked.citations,
        checks=checked.checks,
        reply_kind=kind,
        closest=outcome.closest(passages) if kind == "none" else (),
        bills=(bill, checked.bill, checked.entailment_bill),
        ttft_ms=run.ms(first_at),
        why=await seek.explain(run, asked, found),
    )
    await commit.end(run, asked, ended, publisher)


async def _open(run: Run, asked: Asked, embedded: Embedded, sentences: Sequence[Sentence]) -> Call | None:
    """Commit that the answer begins, with the bill of the question and the call that will embed the sentences."""
    async with jobs.holding(run.deps.db, run.work) as conn:
        await embedding.settle(conn, embedded)
        await turns.open_stream(conn, asked.turn.id)
        return await near_sentences.begin(conn, run, asked, embedded, sentences)

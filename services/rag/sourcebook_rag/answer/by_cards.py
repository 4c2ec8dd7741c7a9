"""The answer of a help desk without a writing model: a line no surer than the search was, and cards of the sections (S2-31)."""

from __future__ import annotations

from collections.abc import Sequence

from sourcebook_core import jobs
from sourcebook_core.events import Card, ReplyKind, Token
from sourcebook_core.store import turns
from sourcebook_rag import lines
from sourcebook_rag.answer import commit, embedding, outcome, seek, sureness
from sourcebook_rag.answer.begin import Asked
from sourcebook_rag.answer.commit import Ended
from sourcebook_rag.answer.embedding import Embedded
from sourcebook_rag.answer.ledger import Bill
from sourcebook_rag.answer.publish import Publisher
from sourcebook_rag.answer.retrieve import Retrieved
from sourcebook_rag.answer.run import Run

SHOWN = 5  # cards


async def answer(run: Run, asked: Asked, found: Retrieved, embedded: Embedded, publisher: Publisher) -> None:
    """Open the turn, say the line of the reply kind, show the sections found, and end."""
    async with jobs.holding(run.deps.db, run.work) as conn:
        await embedding.settle(conn, embedded)
        await turns.open_stream(conn, asked.turn.id)
    publisher.send(commit.opening(asked, asked.taken.told("cards"), found.passages))
    await end(run, asked, found, publisher)


async def end(run: Run, asked: Asked, found: Retrieved, publisher: Publisher, *, bills: Sequence[Bill | None] = ()) -> None:
    """The same for a turn that is open, and of which nothing was said: also when the writing model failed (S2-50)."""
    kind = sureness.reply_kind(found, asked.profile, asked.search_text) if found.passages else "none"
    text = lines.line(f"cards_{kind}", asked.reply_language, asked.turn.id)
    publisher.send(Token(text=text, at=0))
    first_ms = run.ms()
    ended = Ended(
        text,
        asked.taken.told("cards"),
        passages=found.passages,
        reply_kind=kind,
        cards=cards_of(found, kind),
        closest=outcome.closest(found.nearest) if kind == "none" else (),
        bills=bills,
        ttft_ms=first_ms,
        why=await seek.explain(run, asked, found),
    )
    await commit.end(run, asked, ended, publisher)


def cards_of(found: Retrieved, kind: ReplyKind) -> list[Card]:
    """The cards of a search."""
    return outcome.cards(found.passages[:SHOWN], kind)

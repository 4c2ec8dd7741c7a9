"""What an ended turn carries beside its text: sources used, coverage, usage, timing; and the row it leaves."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any
from urllib.parse import quote
from uuid import UUID

from sourcebook_core import events
from sourcebook_core.checks import Citation
from sourcebook_core.events import Card, Closest, Done, Finish, ReplyKind, Route, SourceUsed, Usage
from sourcebook_core.profiles import Profile
from sourcebook_core.text.sentences import sentences
from sourcebook_rag.answer.ledger import Bill
from sourcebook_rag.answer.passages import Passage
from sourcebook_rag.answer.refusals import is_refusal

EXCERPT_CHARS = 300
WORD_CHARS = 40  # a longer word is cut in two
CLOSEST = 3  # passages shown where nothing is near enough
TITLE_CHARS = 80  # of a conversation, taken from its first question
_ADDRESS = re.compile(r"https?://[^\s<>\"']+$|/(?!/)[^\s<>\"']*$")
NOT_KEPT = {"turn_id", "conversation_id", "finish", "answer", "citations"}  # columns and rows of their own


def coverage(passages: Sequence[Passage]) -> str:
    """The bucket of the evidence count: none without a passage, low (0 or 1), medium (2-3), high (4 and more).

    Background of a product's answer does not count, nor what was made from sources. It is no probability. Source: A14, S4-20.
    """
    return bucket(sum(passage.is_evidence and not passage.source.is_made for passage in passages)) if passages else "none"


def bucket(count: int) -> str:
    """The name of a number of passages."""
    return "low" if count <= 1 else "medium" if count <= 3 else "high"


def sources_of(profile: Profile, citations: Sequence[Citation], passages: Sequence[Passage], *, is_fallback: bool) -> list[SourceUsed]:
    """The sources that are told with an answer: those it cites, else, as a fallback, all that were found (S4-24)."""
    if is_fallback:
        found = [one for one in passages if not one.is_catalog]
        return sources_used([one.citation(n) for n, one in enumerate(found, 1)], passages)
    if not profile.citations.renumber:
        numbers = {passage.chunk.id: n for n, passage in enumerate(passages, 1)}
        citations = sorted(citations, key=lambda one: numbers.get(one.chunk_id, 0))
    return sources_used(citations, passages)


def falls_back(
    profile: Profile, finish: Finish, answer: str, citations: Sequence[Citation], passages: Sequence[Passage], kind: ReplyKind | None
) -> bool:
    """Whether what was found is told though no mark resolves: never under a refusal, never of a record of the catalog alone.

    Source: S4-24, S4-25, C5, C19.
    """
    is_wanted = profile.citations.none_valid == "retrieved" and profile.citations.sources == "citations"
    has_corpus = any(not one.is_catalog for one in passages)
    return is_wanted and finish == "complete" and not citations and has_corpus and kind != "none" and not _refuses(answer)


def _refuses(answer: str) -> bool:
    return all(is_refusal(answer[one.start : one.end]) for one in sentences(answer))


def sources_used(citations: Sequence[Citation], passages: Sequence[Passage]) -> list[SourceUsed]:
    """The passages that were handed over and cited, in the order of their numbers."""
    by_chunk = {passage.chunk.id: passage for passage in passages}
    return [
        SourceUsed(
            n=citation.n,
            source_id=citation.source_id,
            title=citation.source_title,
            kind=citation.kind,
            page=citation.page,
            heading=citation.heading,
            excerpt=citation.quote or excerpt(by_chunk[citation.chunk_id].chunk.text),
            address=address_of(by_chunk[citation.chunk_id]) if by_chunk[citation.chunk_id].is_catalog else None,
            layer=citation.layer,
        )
        for citation in citations
    ]


def cards(passages: Sequence[Passage], kind: ReplyKind) -> list[Card]:
    """The sections that fit as cards, best first; a clear winner is called so (S2-54)."""
    return [
        Card(
            rank=rank,
            source_id=passage.source.id,
            reading_id=passage.chunk.reading_id,
            title=passage.source.title,
            heading=passage.chunk.heading,
            preview=excerpt(passage.chunk.text),
            address=address_of(passage),
            passage=passage.chunk.passage,
            start=passage.chunk.start_at,
            end=passage.chunk.end_at,
            is_winner=rank == 1 and kind == "clear",
        )
        for rank, passage in enumerate(passages, 1)
    ]


def address_of(passage: Passage) -> str | None:
    """The address of a section: `meta.url` of its source, with the anchor of its heading (`meta.anchors`) or of the source.

    Only http(s) or a path of the host's own site: the page makes a link of it. A local copy has none (S0-11).
    """
    meta = passage.source.meta
    url = meta.get("url")
    if passage.layer == "local" or not isinstance(url, str) or not _ADDRESS.match(url):
        return None
    last = (passage.chunk.heading or "").rsplit(" > ", 1)[-1]
    anchors = meta.get("anchors")
    anchor = (anchors.get(passage.chunk.heading or "") or anchors.get(last)) if isinstance(anchors, dict) else None
    anchor = anchor or meta.get("anchor")
    return f"{url.split('#')[0]}#{quote(str(anchor).lstrip('#'))}" if anchor else url


def closest(passages: Sequence[Passage]) -> list[Closest]:
    """Up to three passages near a question that nothing answers: shown as that, without a mark."""
    return [
        Closest(
            source_id=passage.source.id,
            reading_id=passage.chunk.reading_id,
            source_title=passage.source.title,
            kind=passage.source.kind,
            chunk_id=passage.chunk.id,
            passage=passage.chunk.passage,
            page=passage.chunk.page,
            heading=passage.chunk.heading,
            quote=excerpt(passage.chunk.text),
            start=passage.chunk.start_at,
            end=passage.chunk.start_at + len(excerpt(passage.chunk.text)),
            similarity=passage.similarity,
        )
        for passage in passages[:CLOSEST]
    ]


def excerpt(text: str) -> str:
    """The head of a passage, at most 300 code points, cut at a blank where one is near."""
    if len(text) <= EXCERPT_CHARS:
        return text
    words = text[: EXCERPT_CHARS + 1].rsplit(None, 1)[0]
    return words if len(words) >= EXCERPT_CHARS - WORD_CHARS else text[:EXCERPT_CHARS]


def usage(bills: Sequence[Bill]) -> Usage:
    """Sums over the turn's model calls; a reply without numbers adds 0 tokens, makes them incomplete and their cost unknown (N-16)."""
    is_complete = all(bill.tokens_in is not None and bill.tokens_out is not None for bill in bills)
    costs = [bill.cost for bill in bills if bill.cost is not None]
    is_known = bool(costs) and len(costs) == len(bills) and is_complete  # else the ledger's is an estimate (F22)
    return Usage(
        prompt_tokens=sum(bill.tokens_in or 0 for bill in bills),
        completion_tokens=sum(bill.tokens_out or 0 for bill in bills),
        llm_calls=len(bills),
        complete=is_complete,
        cost=str(sum(costs, Decimal(0))) if is_known else None,
    )


def kept(done: Done, route: Route) -> dict[str, Any]:
    """What of `done` the turn's row keeps as its outcome.

    Excerpts stay out: the words of a source stand in the rows of citations alone, where its deletion finds them.
    """
    told = {name: value for name, value in events.payload(done).items() if name not in NOT_KEPT}
    told["sources"] = [one | {"excerpt": ""} for one in told["sources"]]
    return told | {"route": route.model_dump(mode="json")}


def title_of(question: str) -> str:
    """The title of a conversation: its first question on one line, cut at a word."""
    line = " ".join(question.split())
    if len(line) <= TITLE_CHARS:
        return line
    return line[: TITLE_CHARS - 1].rsplit(" ", 1)[0] + "…"


def ranges(citations: Sequence[Citation], passages: Sequence[Passage]) -> list[tuple[int, int]]:
    """The range of the cited chunk of each citation."""
    by_chunk: dict[UUID, Passage] = {passage.chunk.id: passage for passage in passages}
    return [(by_chunk[c.chunk_id].chunk.start_at, by_chunk[c.chunk_id].chunk.end_at) for c in citations]

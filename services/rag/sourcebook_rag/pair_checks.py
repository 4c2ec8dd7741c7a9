"""`python -m sourcebook_rag.pair_checks`: what the checks of an answer say of labelled pairs, one JSON object a line in and out."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sourcebook_core import log, settings
from sourcebook_core.providers import embed
from sourcebook_core.settings import RoleSettings
from sourcebook_core.text import language
from sourcebook_rag.answer import check
from sourcebook_rag.answer.cite import CitationFilter
from sourcebook_rag.answer.compare import CheckPassage, Similarity


@dataclass(frozen=True, slots=True)
class Pair:
    """A statement with the passage it cites, each with its language."""

    statement: str
    statement_language: str
    passage: str
    passage_language: str


async def statuses(role: RoleSettings, pairs: Sequence[Pair]) -> list[str]:
    """The status that each statement would have in an answer citing its passage; the embedding role compares languages.

    The functions are those of an answer, from the filter of the reply on. Raises as `embed_counted`.
    """
    answers = [_answer(pair) for pair in pairs]
    compared = [of for reply, passages, spoken in answers for of in check.texts_to_compare(reply.answer, reply.marks, passages, spoken)]
    similarity = await _similarity(role, compared)
    return [_status(*answer, similarity) for answer in answers]


def _answer(pair: Pair) -> tuple[CitationFilter, list[CheckPassage], str]:
    """The reply that consists of the statement with its mark, its passage, and its language."""
    reply = CitationFilter(1)
    body, end = (pair.statement[:-1], pair.statement[-1:]) if pair.statement.endswith((".", "!", "?")) else (pair.statement, "")
    reply.feed(f"{body} [1]{end}")
    reply.finish()
    passages = [CheckPassage(pair.passage, language=pair.passage_language)]
    return reply, passages, check.spoken_language(reply.answer, pair.statement_language, passages) or pair.statement_language


def _status(reply: CitationFilter, passages: Sequence[CheckPassage], spoken: str, similarity: Similarity | None) -> str:
    found = check.check(reply.answer, reply.marks, passages, language=spoken, similarity=similarity).checks
    return min((one.status for one in found.statements), key=_WORST_FIRST.index, default="not_checked")


_WORST_FIRST = ("not_found", "number_differs", "uncited", "not_checked", "partly", "found")


async def _similarity(role: RoleSettings, pairs: Sequence[tuple[str, str]]) -> Similarity | None:
    texts = list(dict.fromkeys(text for pair in pairs for text in pair))
    if not texts or not role.is_on:
        return None
    found = await embed.embed_counted(role, texts, mode="passage", languages=[language.identify(text) for text in texts])
    return check.cosines(texts, found.vectors)


def parse(lines: Iterable[str]) -> list[Pair]:
    """The pairs of a file of `evals/checks`."""
    rows = (json.loads(line) for line in lines if line.strip())
    return [Pair(row["statement"], row["language"], row["passage"], row["passage_language"]) for row in rows]


def main() -> int:
    """Read pairs from stdin, write their statuses to stdout."""
    log.configure("checks", "error")
    given = settings.load()
    sys.stdout.writelines(f"{status}\n" for status in asyncio.run(statuses(given.role("embedding"), parse(sys.stdin))))
    return 0


if __name__ == "__main__":
    sys.exit(main())

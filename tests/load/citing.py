"""CITE: what the citation filter adds to a streamed answer, and what the check of one costs at its end."""

from __future__ import annotations

import time

from sourcebook_rag.answer.check import check
from sourcebook_rag.answer.cite import CitationFilter
from sourcebook_rag.answer.compare import CheckPassage
from tests.load.bench import Bench
from tests.load.figures import Figure, median, ms

SAID = (
    "The bridge at Sarn was opened in April 1932 after nine years of work [2]. It carries 4,310 carriages a day [1, 3] and may be closed"
    " in strong wind [Source 4]. **Bicycles** are allowed on the `north[side]` of it [2-4]; a fee of 1.5 crowns was dropped"
    " in 1948 [9].\n\n"
)
PASSAGE = (
    "Work on the bridge at Sarn went on for nine years. It was opened on a rainy Sunday in April 1932. In strong wind it may be closed"
    " for some hours. Bicycles are allowed on its north side, and 4,310 carriages cross it each day. The fee of 1.5 crowns was dropped. "
)
PIECE_CHARS = 4  # about a token
ANSWER_CHARS = 6000
ROUNDS = 15


async def filter_and_check(_: Bench) -> list[Figure]:
    """Pieces of four characters through the filter, by 1,000 characters; then a usual answer (about 20 marks) over 8 passages checked."""
    reply = SAID * (ANSWER_CHARS // len(SAID))
    spent = median([_filter(reply) for _ in range(ROUNDS)])
    answer = CitationFilter(8)
    answer.feed(SAID * 3)
    answer.finish()
    passages = [CheckPassage(PASSAGE * 3, language="en") for _ in range(8)]
    check(answer.answer, answer.marks, passages, language="en")  # the tables are loaded
    checked = median([_check(answer, passages) for _ in range(ROUNDS)])
    each = 1000 * spent / (len(reply) / 1000)
    marks = f"{len(answer.marks)} marks, 8 passages"
    return [
        Figure(
            "CITE",
            "ms that the citation filter adds per 1,000 characters, in pieces of 4",
            each,
            1.0,
            "<=",
            ms(spent),
            f"{len(reply)} characters",
        ),
        Figure("CITE", "s that the check of a usual answer takes, without embedding", checked, None, "<=", marks),
    ]


def _filter(reply: str) -> float:
    marks = CitationFilter(8)
    began = time.process_time()
    for at in range(0, len(reply), PIECE_CHARS):
        marks.feed(reply[at : at + PIECE_CHARS])
    marks.finish()
    return time.process_time() - began


def _check(answer: CitationFilter, passages: list[CheckPassage]) -> float:
    began = time.process_time()
    check(answer.answer, answer.marks, passages, language="en")
    return time.process_time() - began

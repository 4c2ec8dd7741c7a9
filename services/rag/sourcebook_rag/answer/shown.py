"""What of an answer its reader may be shown, as the profile says: everything, no source at all, or one line that names them."""

from __future__ import annotations

from collections.abc import Sequence

from sourcebook_core.checks import Checks, Citation
from sourcebook_core.events import Done, Token
from sourcebook_core.profiles import Citing
from sourcebook_rag.answer import declared, machine_marks
from sourcebook_rag.answer.begin import Asked
from sourcebook_rag.answer.cite import CitationFilter
from sourcebook_rag.answer.passages import Passage
from sourcebook_rag.answer.publish import Publisher


def hides_marks(citing: Citing) -> bool:
    """Whether no mark and no citation may leave the server (S0-73)."""
    return citing.sources != "citations"


def filter_for(citing: Citing, passages: int, *, expect_reasoning: bool = False) -> CitationFilter:
    """The filter of a reply over so many passages."""
    return CitationFilter(
        passages,
        invalid=citing.invalid,
        renumber=citing.renumber,
        hide=hides_marks(citing),
        own_line=machine_marks.own_beginnings() if citing.sources == "line" else (),
        expect_reasoning=expect_reasoning,
    )


def told(done: Done, citing: Citing) -> Done:
    """The end of an answer as its reader and the turn's row get it. Citations stay in their own rows, and their ids in the log.

    With hidden sources only the warning about numbers can appear (S0-61); with a line, `sources` are those it names.
    """
    if not hides_marks(citing):
        return done
    sources = done.sources if citing.sources == "line" else []
    return done.model_copy(update={"citations": [], "sources": sources, "closest": [], "cards": [], "checks": _numbers_alone(done.checks)})


def with_line(
    asked: Asked, replied: CitationFilter, text: str, passages: Sequence[Passage], citations: Sequence[Citation], publisher: Publisher
) -> tuple[str, list[Citation]]:
    """The answer and its citations, where the profile wants it with the line that names the sources, and that sent as its last piece.

    A model that declared nothing has said by its marks what it used. A stopped reply has neither.
    """
    citing = asked.profile.citations
    if citing.sources != "line":
        return text, list(citations)
    used = replied.used if replied.used is not None else replied.order
    settled = declared.settle(text, used, passages, asked.reply_language, citing, is_refusal_marked=replied.is_not_covered)
    if settled.line_sources:
        publisher.send(Token(text=settled.answer[len(text) :], at=len(text)))
    return settled.answer, [passages[number - 1].citation(n) for n, number in enumerate(settled.line_sources, 1)]


def _numbers_alone(checks: Checks | None) -> Checks | None:
    if checks is None:
        return None
    return checks.model_copy(update={"citations_valid": True, "statements": [], "found": 0, "total": 0})

"""Checks an answer's citations and numbers after it is written. It shows what it found and changes nothing."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from sourcebook_core.checks import Checks, Citation, Context, Statement, Status, Use, Verdict
from sourcebook_core.providers.embed import Vector
from sourcebook_core.text import language as languages
from sourcebook_core.text import numbers
from sourcebook_rag.answer.cite import Mark
from sourcebook_rag.answer.claims import ClaimWords, take_apart
from sourcebook_rag.answer.compare import CheckPassage, Outcome, Similarity, compare, literal
from sourcebook_rag.answer.statements import AnswerStatement, marked_titles, statements

# Best first: a statement takes the best verdict of its marks.
_ORDER: tuple[Status, ...] = ("found", "partly", "number_differs", "not_checked", "not_found")
LONG_CHARS = 300  # the language of a shorter text is easily mistaken for a sister of it (cs, sk, sl)
_SISTERS = (
    frozenset({"cs", "sk", "sl", "hr", "sr", "pl"}),
    frozenset({"de", "nl", "da", "no", "sv"}),
    frozenset({"es", "pt", "ca", "it", "fr"}),
    frozenset({"ru", "uk", "bg", "sr"}),
)
MAX_CLAIMS = 30  # of one statement: what has more marks is no sentence for a person, and each takes some milliseconds
MAX_COMPARED_SENTENCES = 16  # of one passage in another language: what is embedded stays bounded


@dataclass(frozen=True)
class Checked:
    """`checks` of an answer, the uses of each citation by its number, and which places of `checks.statements` state nothing."""

    checks: Checks
    uses: dict[int, list[Use]] = field(default_factory=dict)
    uncounted: frozenset[int] = frozenset()


def check(
    answer: str,
    marks: Sequence[Mark],
    passages: Sequence[CheckPassage],
    *,
    invalid_numbers: Sequence[int] = (),
    grounding: Sequence[str] = (),
    constants: Sequence[int] = (),
    language: str | None = None,
    similarity: Similarity | None = None,
) -> Checked:
    """Compare every statement with the passages its marks name, and every number with all that the model was given.

    `passages` are all that were handed over, in their order; `mark.passage` counts them from 1. `grounding` holds what else
    may ground a number: the asker's own messages and host data, never the system prompt, a caption or an earlier answer
    (N-09, S0-58). `similarity` gives the cosine of a statement and a sentence in another language (`texts_to_compare`).
    Headings, questions and lead-ins that have a mark stand among the statements in reading order; `found` and `total` do not count them.
    Pure: the same input gives the same checks.
    """
    said = statements(answer, marks)
    work = _Comparing(passages, language or languages.identify(answer), similarity)
    rows: list[Statement] = []
    titles = marked_titles(answer, marks)
    in_order = sorted((*said, *titles), key=lambda one: one.start)
    uncounted = frozenset(index for index, one in enumerate(in_order) if one in titles)
    for index, statement in enumerate(in_order):
        status = _check_statement(index, statement, work)
        rows.append(Statement(start=statement.start, end=statement.end, cited=statement.cited, status=status))
    given = [text for passage in passages for text in (passage.text, passage.around)]
    known = numbers.Grounding([*given, *grounding], constants)
    missing = numbers.ungrounded(answer, known)
    checks = Checks(
        citations_valid=not invalid_numbers,
        numbers_grounded=not missing,
        ungrounded_numbers=missing,
        statements=rows,
        found=count_found(rows, uncounted),
        total=len(said),
    )
    return Checked(checks, work.uses, uncounted)


def count_found(rows: Sequence[Statement], uncounted: Collection[int]) -> int:
    """How many of the rows that count were found; `uncounted` are the places of the others."""
    return sum(row.status == "found" for index, row in enumerate(rows) if index not in uncounted)


def with_uses(citation: Citation, uses: Sequence[Use]) -> Citation:
    """The citation with its uses; the first one's quote, place and verdict also stand on the citation itself."""
    first = uses[0] if uses else None
    if first is None:
        return citation.model_copy(update={"verdict": "not_checked"})
    update = {"uses": list(uses), "quote": first.quote, "start": first.start, "end": first.end, "verdict": first.verdict}
    return citation.model_copy(update=update)


def texts_to_compare(
    answer: str, marks: Sequence[Mark], passages: Sequence[CheckPassage], language: str | None = None
) -> list[tuple[str, str]]:
    """The pairs (statement's words, sentence) whose cosine `check` will ask for: only where the two languages differ."""
    spoken = language or languages.identify(answer)
    pairs: dict[tuple[str, str], None] = {}
    compared = (*statements(answer, marks), *marked_titles(answer, marks))
    for claim in (claim for statement in compared for claim in statement.claims[:MAX_CLAIMS]):
        apart = take_apart(claim.text, spoken_language(claim.text, spoken, passages))
        for passage in (passages[mark.passage - 1] for mark in claim.marks):
            if passage.language in (None, apart.language) or literal(apart, passage):
                continue
            for start, end in passage.sentences[:MAX_COMPARED_SENTENCES]:
                pairs[claim.text, passage.text[start:end]] = None
    return list(pairs)


def cosines(texts: Sequence[str], vectors: Sequence[Vector]) -> Similarity:
    """The cosine of two of these texts by their vectors (of length 1); None where one is not among them."""
    known = dict(zip(texts, vectors, strict=True))
    return lambda claim, sentence: float(known[claim] @ known[sentence]) if claim in known and sentence in known else None


@dataclass
class _Comparing:
    """One check: what is compared with what, the uses found so far by their mark's number, and what is known of words said before."""

    passages: Sequence[CheckPassage]
    spoken: str | None
    similarity: Similarity | None
    uses: dict[int, list[Use]] = field(default_factory=dict)
    apart: dict[str, ClaimWords] = field(default_factory=dict)
    known: dict[tuple[str, int], Use] = field(default_factory=dict)

    def use(self, index: int, words: str, number: int) -> Use:
        """The use of a passage (from 1) by these words, for the statement of this index."""
        key = words, number
        if key not in self.known:
            passage, apart = self.passages[number - 1], self._taken_apart(words)
            self.known[key] = _use(index, compare(apart, passage, self.similarity), passage, apart)
        return self.known[key].model_copy(update={"statement": index})

    def _taken_apart(self, words: str) -> ClaimWords:
        if words not in self.apart:
            self.apart[words] = take_apart(words, spoken_language(words, self.spoken, self.passages))
        return self.apart[words]


def _check_statement(index: int, statement: AnswerStatement, work: _Comparing) -> Status:
    """Append a use for each mark of the statement and return the statement's status."""
    found: list[Status] = []
    cited: dict[str, None] = {}
    for place, claim in enumerate(statement.claims):
        for mark in claim.marks:
            passage = work.passages[mark.passage - 1]
            is_compared = place < MAX_CLAIMS
            use = work.use(index, claim.text, mark.passage) if is_compared else Use(statement=index, verdict="not_checked")
            work.uses.setdefault(mark.n, []).append(use)
            found.append(use.verdict)
            cited |= {passage.text: None, passage.around: None}
    if not found:
        return "uncited"
    best = min(found, key=_ORDER.index)
    if best == "found" and numbers.ungrounded(statement.text, numbers.Grounding(cited)) and not _spelled_out(statement):
        return "number_differs"  # a number outside the words of its marks stands in no passage it cites
    return best


def _spelled_out(statement: AnswerStatement) -> bool:
    """Whether the words of its marks hold all of the statement's numbers: those were compared, also where a passage spells them out."""
    return not numbers.ungrounded(statement.text, numbers.Grounding([claim.text for claim in statement.claims]))


def spoken_language(text: str, told: str | None, passages: Sequence[CheckPassage]) -> str | None:
    """The language of an answer, or of a claim in it, which may be a quotation of another: as it reads, unless it is short and reads
    like a sister of one that is expected (cs, sk, sl); `told` where that is not sure."""
    found = languages.identify(text)
    expected = [one for one in (told, *(passage.language for passage in passages)) if one]
    if found is None:
        return told
    if found in expected or len(text) >= LONG_CHARS:
        return found
    return next((one for one in expected if any({one, found} <= family for family in _SISTERS)), found)


def _use(index: int, outcome: Outcome, passage: CheckPassage, claim: ClaimWords) -> Use:
    evidence = outcome.evidence
    # Generated text is no evidence like a source: what only a note says is never told as found (S1-48).
    verdict: Verdict = "partly" if passage.is_made and outcome.verdict == "found" else outcome.verdict
    moved = evidence.model_copy(update={"spans": [(passage.start + start, passage.start + end) for start, end in evidence.spans]})
    if outcome.quote is None:
        return Use(statement=index, verdict=verdict, evidence=moved.model_copy(update={"spans": []}))
    start, end = outcome.quote
    return Use(
        statement=index,
        quote=passage.text[start:end],
        start=passage.start + start,
        end=passage.start + end,
        context=_context(passage, start, end),
        verdict=verdict,
        evidence=moved,
    )


def _context(passage: CheckPassage, start: int, end: int) -> Context:
    before = [passage.text[a:start] for a, b in passage.sentences if b <= start]
    after = [passage.text[end:b] for a, b in passage.sentences if a >= end]
    return Context(before=before[-1] if before else "", after=after[0] if after else "")

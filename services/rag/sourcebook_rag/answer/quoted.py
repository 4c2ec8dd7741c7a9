"""The answer without a writing model: the sources' own sentences, quoted and cited, under a line no surer than the search was."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import groupby
from uuid import UUID

from sourcebook_core.events import ReplyKind
from sourcebook_core.profiles import Replying
from sourcebook_core.store.chunks import indexed_text
from sourcebook_core.text.lexemes import QuestionLexemes, chunk_lexemes, fold
from sourcebook_core.text.outline import outline
from sourcebook_core.text.sentences import sentences
from sourcebook_rag import lines
from sourcebook_rag.answer.cite import Mark

MAX_CANDIDATES = 12  # architecture section 5: sentences embedded for one answer
QUOTED = 3
NEAR_BEST = 0.12  # a further sentence is quoted when it is at most this much further from the question than the best
SHARE_WEIGHT = 0.1  # words in common decide between sentences about equally near
INHERITED = 0.7  # of the words that the heading or question above a sentence shares
MIN_CHARS = 20
_PLACES = (4, 3, 2, 1, 1, 1)  # candidates by rank of their passage: together `MAX_CANDIDATES`
_TOLERANCE = 1e-9

_NO_STATEMENT = re.compile(r"\s*(?:#{1,6}\s|```|~~~|\||!\[)")
_ROW = re.compile(r"\s*\|.*\w.* \| ")  # of a table in a text; the line under its header has no words
_RULE_BELOW = re.compile(r"[ \t]*\r?\n[ \t]*\|?[ \t:|-]*-{2,}[ \t:|-]*(?:[\r\n]|\Z)")  # a line under the names of a table's columns
_QUESTION_END = re.compile(r"[?\uff1f][\"'\u201d\u2019\u00bb)\]\s]*$")
_SENTENCE_END = re.compile(r"[.!\u2026:;\u3002\uff01][\"'\u201d\u2019\u00bb)\]\s]*$")
_REFERENCES = re.compile(r"(?:\s*\[\d{1,3}(?:\s*[,;\u2013-]\s*\d{1,3})*\])+[.!\u3002]?$")
_MARK_LIKE = re.compile(r"[\[\u3010]\s*\d{1,3}\s*[\]\u3011,;]")
_BULLET = re.compile(r"(?:[-*+\u2022\u2013]|\d{1,3}[.)])\s+")
_LINE_END = re.compile(r"[ \t]*[\r\n]\s*")
_BROKEN_WORD = re.compile(r"\u00ad[ \t]*\r?\n\s*")
_TITLE_SIGNS = re.compile(r"[*_`\[\]<>#|\\\s]+")
_QUOTES = {"de": ("\u201e", "\u201c"), "cs": ("\u201e", "\u201c"), "fr": ("\u00ab\u00a0", "\u00a0\u00bb"), "es": ("\u00ab", "\u00bb")}


@dataclass(frozen=True, slots=True)
class QuotablePassage:
    """A passage that was handed over: its words, the title of its section or source, its language where known.

    Of a table (`is_table`) each line is a statement, to be read with the names of its columns (`lead`).
    """

    text: str
    title: str = ""
    language: str | None = None
    lead: str = ""
    is_table: bool = False


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence that may be quoted: its passage (1-based), its range in the passage's text, and the share (0..1) of the
    question's words it holds, or 0.7 of what the heading above it holds."""

    passage: int
    start: int
    end: int
    text: str
    share: float


@dataclass(frozen=True, slots=True)
class Quoted:
    """The answer with its marks; `order[n - 1]` is the passage behind n, as of a `CitationFilter`."""

    answer: str
    marks: list[Mark]
    order: list[int]


def candidates(passages: Sequence[QuotablePassage], question: QuestionLexemes, limit: int = MAX_CANDIDATES) -> list[Sentence]:
    """The sentences worth embedding, at most `limit`: of each passage those that share most words with the question, more of
    the passages ranked first. Headings, questions, code and fragments are no candidates. Safe for questions in another language.
    """
    per_passage = [_ranked(passage, place, question) for place, passage in enumerate(passages, 1)]
    chosen: list[Sentence] = []
    for found, places in zip(per_passage, _PLACES, strict=False):
        chosen += found[:places]
    rest = [one for found, places in zip(per_passage, _PLACES, strict=False) for one in found[places:]]
    rest.sort(key=lambda one: (-one.share, one.passage, one.start))
    return (chosen + rest)[:limit]


def choose(found: Sequence[Sentence], cosines: Sequence[float] | None, floor: float | None = None, limit: int = QUOTED) -> list[Sentence]:
    """The sentences to quote: the best and those about as near, each words once; by passage, in reading order.

    `cosines` are those of the sentences to the question, None when no embedding model answers: then shared words decide. At
    least one sentence is chosen when there is one: how sure the line above may sound is decided by `reply_kind`.
    """
    scored = [
        (share_score(one, cosines[place]) if cosines is not None else one.share, cosines[place] if cosines is not None else None, one)
        for place, one in enumerate(found)
    ]
    scored.sort(key=lambda row: (-row[0], row[2].passage, row[2].start))
    kept: list[Sentence] = []
    seen: set[str] = set()
    for score, cosine, one in scored:
        words = " ".join(fold(one.text).split())
        passes = not kept or (score >= scored[0][0] - NEAR_BEST - _TOLERANCE and _is_near(one, cosine, floor))
        if passes and words not in seen:
            kept.append(one)
            seen.add(words)
        if len(kept) == limit:
            break
    best_first = list(dict.fromkeys(one.passage for one in kept))
    return sorted(kept, key=lambda one: (best_first.index(one.passage), one.start))


def share_score(one: Sentence, cosine: float) -> float:
    """How well a sentence fits: its cosine, with shared words deciding between sentences about as near."""
    return cosine + SHARE_WEIGHT * one.share


def compose_quotes(
    chosen: Sequence[Sentence],
    passages: Sequence[QuotablePassage],
    kind: ReplyKind,
    language: str | None,
    turn_id: UUID | None = None,
    lines_of: str = "",
    *,
    hides_sources: bool = False,
) -> Quoted:
    """The answer: the line of the kind, then for each passage its title and each quote with its mark. Nothing else is said. `lines_of` is
    the beginning of the keys of its lines.

    Between the quotation marks stands a slice of the passage, its line ends as blanks: a line of its own could be taken for a
    statement that lacks a mark. Neighbouring sentences are one quote, rows of a table are not.
    """
    opening, closing = _QUOTES.get(language or "en", ("\u201c", "\u201d"))
    answer = lines.line(lines_of + _line_key(kind, chosen, passages), language, turn_id)
    marks: list[Mark] = []
    order: list[int] = []
    last_title = ""
    for number, group in groupby(() if kind == "none" else chosen, key=lambda one: one.passage):
        passage = passages[number - 1]
        order.append(number)
        for start, end in _joined(passage, list(group)):
            title = _title_above(passage, start)
            if title and title != last_title and not hides_sources:
                answer += f"\n\n**{title}**"
                last_title = title
            answer += f"\n\n{opening}{_on_one_line(passage.text[start:end])}{closing}" + ("" if hides_sources else " ")
            mark = "" if hides_sources else f"[{len(order)}]"
            marks.append(Mark(len(answer), len(answer) + len(mark), len(order), number))
            answer += mark
    return Quoted(answer, marks, order)


def _line_key(kind: ReplyKind, chosen: Sequence[Sentence], passages: Sequence[QuotablePassage]) -> str:
    """The line for what is quoted: one quote is never introduced as several places, nor for that as a sure answer."""
    if kind != "several":
        return kind
    groups = groupby(chosen, key=lambda one: one.passage)
    quotes = sum(len(_joined(passages[number - 1], list(group))) for number, group in groups)
    return "one_place" if quotes == 1 else kind


def reply_kind(
    words: Sequence[tuple[Hashable, float]],
    meaning: Sequence[tuple[Hashable, float]] | None,
    knobs: Replying,
    *,
    is_best_of_module: bool = False,
) -> ReplyKind:
    """How sure the line above a quoted answer may sound, from both lists as they passed the floor, best first.

    `words` holds (what was found, BM25 score), `meaning` (what was found, cosine), None without an embedding model. In this
    order: none, weak, clear, module, several. Source: S2-32 to S2-35, A11.
    """
    if not words and not meaning:
        return "none"
    word_score = words[0][1] if words else 0.0
    is_weak = word_score < knobs.weak_words
    if meaning is not None:
        is_weak = is_weak and (meaning[0][1] if meaning else 0.0) < knobs.weak_similarity
    if is_weak:
        return "weak"
    if _is_clear(words, meaning, knobs):
        return "clear"
    return "module" if is_best_of_module else "several"


def _title_above(passage: QuotablePassage, start: int) -> str:
    """The last heading before `start` in the passage, else the passage's own title; without signs that would be markup."""
    above = [heading.title for heading in outline(passage.text) if heading.title and heading.start <= start]
    return " ".join(_TITLE_SIGNS.sub(" ", above[-1] if above else passage.title).split())


def _is_clear(words: Sequence[tuple[Hashable, float]], meaning: Sequence[tuple[Hashable, float]] | None, knobs: Replying) -> bool:
    if meaning is None:
        return len(words) == 1 or words[0][1] >= knobs.clear_ratio * words[1][1] - _TOLERANCE
    if not meaning:
        return False
    if words and words[0][0] == meaning[0][0]:
        return True
    return len(meaning) == 1 or meaning[0][1] - meaning[1][1] >= knobs.clear_lead - _TOLERANCE


def _is_near(one: Sentence, cosine: float | None, floor: float | None) -> bool:
    if cosine is None:
        return one.share > 0
    return floor is None or cosine >= floor or one.share >= 0.5


def _ranked(passage: QuotablePassage, number: int, question: QuestionLexemes) -> list[Sentence]:
    """The passage's quotable sentences, most shared words first."""
    found: list[Sentence] = []
    inherited = 0.0
    for start, end in sentences(passage.text):
        text = passage.text[start:end]
        share = _share(indexed_text(passage.lead, text), passage.language, question)
        is_row = passage.is_table or bool(_ROW.match(text))
        if _ROW.match(text) and _RULE_BELOW.match(passage.text, end):
            continue
        if not is_row and (_is_title(text, passage.text) or _QUESTION_END.search(text)):
            inherited = share * INHERITED
            continue
        bullet = _BULLET.match(text)
        start += bullet.end() if bullet else 0
        references = _REFERENCES.search(passage.text[start:end])
        end -= len(references.group()) if references else 0
        if end - start >= MIN_CHARS or is_row:
            found.append(Sentence(number, start, end, passage.text[start:end], max(share, inherited)))
    clean = [one for one in found if not _MARK_LIKE.search(one.text)] or found
    return sorted(clean, key=lambda one: (-one.share, one.start))


def _is_title(text: str, whole: str) -> bool:
    return bool(_NO_STATEMENT.match(text)) or (len(text) < 80 and not _SENTENCE_END.search(text) and "\n" in whole)


def _share(text: str, language: str | None, question: QuestionLexemes) -> float:
    if not question.words:
        return 0.0
    held = chunk_lexemes(text, language).counts
    return sum(any(term in held for term in word.terms) for word in question.words) / len(question.words)


def _on_one_line(text: str) -> str:
    return _LINE_END.sub(" ", _BROKEN_WORD.sub("", text))


def _joined(passage: QuotablePassage, group: Sequence[Sentence]) -> list[tuple[int, int]]:
    """Ranges of one passage in reading order, those with only blanks between them joined; never rows of a table."""
    text = passage.text
    joined: list[tuple[int, int]] = []
    for one in sorted(group, key=lambda sentence: sentence.start):
        between = text[joined[-1][1] : one.start] if joined else ""
        is_row = passage.is_table or _ROW.match(one.text) is not None
        if joined and not is_row and not between.strip() and between.count("\n") < 2:
            joined[-1] = (joined[-1][0], one.end)
        else:
            joined.append((one.start, one.end))
    return joined

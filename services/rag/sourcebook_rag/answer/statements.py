"""The statements of an answer, and the words that each mark answers for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sourcebook_core.text.lexemes import placed_words
from sourcebook_core.text.sentences import blocks, sentences
from sourcebook_rag.answer.cite import Mark
from sourcebook_rag.answer.refusals import says_silent

_FENCED = re.compile(r"^ {0,3}(`{3,}+|~{3,}+)[^\n]*+\n.*?(?:^ {0,3}\1[`~]*[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_LIST_ITEM = re.compile(r"[ \t]*(?:[-*+\u2022]|\d{1,3}[.)])\s+")
_TABLE_ROW = re.compile(r"[ \t]*\|")
_ONE_QUOTATION = re.compile(r"\s*[\u201c\u201e\u00ab\"].*[\u201d\u201c\u00bb\"]\s*(?:\[\d{1,3}\]\s*)+$", re.DOTALL)
_TABLE_RULE = re.compile(r"[ \t]*\|?[ \t:|-]*-{2,}[ \t:|-]*\|?[ \t]*$")
_HEADING = re.compile(r"[ \t]*(?:#{1,6}\s|(?:\*\*|__)[^*_\n]+(?:\*\*|__)[.:]?\s*$)")
_LEAD_IN = re.compile(r"[:\uff1a][*_\s]*$")
_QUESTION = re.compile(r"[?\uff1f][\"'\u201d\u00bb)*_\s]*$")
_RULE = re.compile(r"[ \t]*(?:-{3,}|\*{3,}|_{3,})[ \t]*$")
_ONLY_CODE = r"\s*`[^`]*`\s*[.;]?\s*"
MAX_CLAIM_CHARS = 1000  # before a mark: what it answers for; no sentence that a person reads is longer
_MIN_WORDS = 2  # "Yes." alone asserts nothing that could be looked for


@dataclass(frozen=True, slots=True)
class Claim:
    """Words that a group of marks answers for: half-open range in the answer, the text without marks, the marks' numbers."""

    start: int
    end: int
    text: str
    marks: tuple[Mark, ...]


@dataclass(frozen=True, slots=True)
class AnswerStatement:
    """A sentence, list item or table row that asserts: half-open range in the answer, its words without marks, its claims.

    Without a mark `claims` is empty.
    """

    start: int
    end: int
    text: str
    claims: tuple[Claim, ...]

    @property
    def cited(self) -> list[int]:
        """The numbers of its marks, each once."""
        return list(dict.fromkeys(mark.n for claim in self.claims for mark in claim.marks))


def statements(answer: str, marks: Sequence[Mark]) -> list[AnswerStatement]:
    """The statements of an answer in order.

    Questions, headings, lead-ins ending in a colon, code and refusals are none. A mark answers for the words between the
    mark before it (or the statement's start) and itself; marks with nothing but blanks and signs between them share their
    words. A mark alone on its line belongs to the statement before.
    """
    visible = _without_code(answer)
    spans: list[tuple[int, int]] = []
    for start, end in _units(visible):
        if spans and not _words(visible, start, end, marks) and _marks_in(start, end, marks):
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
    found = [_statement(visible, start, end, _marks_in(start, end, marks)) for start, end in spans]
    return [one for one in found if _asserts(one)]


def marked_titles(answer: str, marks: Sequence[Mark]) -> list[AnswerStatement]:
    """What states nothing by itself and has a mark all the same, in order: headings, heads of tables, questions and lead-ins.

    They are compared, so that their marks say something, and never counted.
    """
    visible = _without_code(answer)
    spans = [(start, end) for start, end in _units(visible, with_titles=True) if _marks_in(start, end, marks)]
    found = [_statement(visible, start, end, _marks_in(start, end, marks)) for start, end in spans if _words(visible, start, end, marks)]
    stated = {one.start for one in statements(answer, marks)}
    return [one for one in found if one.start not in stated and not re.fullmatch(_ONLY_CODE, one.text)]


def _without_code(answer: str) -> str:
    return _FENCED.sub(lambda match: re.sub(r"[^\r\n]", " ", match.group()), answer)


def _units(text: str, *, with_titles: bool = False) -> list[tuple[int, int]]:
    """Ranges that may be statements: list items, table rows and a quotation that fills its line whole, other blocks by sentence.
    With titles: also headings, and the head of a table.
    """
    found: list[tuple[int, int]] = []
    all_blocks = list(blocks(text))
    for place, (start, end) in enumerate(all_blocks):
        block = text[start:end]
        if _TABLE_ROW.match(block):
            following = text[slice(*all_blocks[place + 1])] if place + 1 < len(all_blocks) else ""
            is_head = _TABLE_RULE.match(following) is not None
            if not _TABLE_RULE.match(block) and (with_titles or not is_head):  # neither the rule nor the head above it
                found.append(_trimmed(text, start, end))
        elif _LIST_ITEM.match(block) or _ONE_QUOTATION.match(block) or (with_titles and _HEADING.match(block)):
            found.append(_trimmed(text, start, end))
        elif not _HEADING.match(block) and not _RULE.match(block):
            found.extend((one.start, one.end) for one in sentences(text, start, end))
    return found


def _statement(text: str, start: int, end: int, marks: Sequence[Mark]) -> AnswerStatement:
    claims: list[Claim] = []
    begin = start
    group: list[Mark] = []
    for place, mark in enumerate(marks):
        group.append(mark)
        following = marks[place + 1] if place + 1 < len(marks) else None
        if following and not placed_words(text[mark.end : following.start]):
            continue
        begin = max(begin, group[0].start - MAX_CLAIM_CHARS)
        claims.append(Claim(begin, group[0].start, _without(text, begin, group[0].start, marks), tuple(group)))
        begin = mark.end
        group = []
    return AnswerStatement(start, end, _without(text, start, end, marks), tuple(_with_words(text, claims, marks)))


def _with_words(text: str, claims: Sequence[Claim], marks: Sequence[Mark]) -> list[Claim]:
    """A claim of hardly any words ("and [2]") answers for the words before it too."""
    found: list[Claim] = []
    for claim in claims:
        if found and len(placed_words(claim.text)) < _MIN_WORDS:
            start = max(found[-1].start, claim.end - MAX_CLAIM_CHARS)
            claim = Claim(start, claim.end, _without(text, start, claim.end, marks), claim.marks)
        found.append(claim)
    return found


def _asserts(one: AnswerStatement) -> bool:
    if len(placed_words(one.text)) < _MIN_WORDS and not one.claims:
        return False
    if _QUESTION.search(one.text) or _LEAD_IN.search(one.text) or _HEADING.match(one.text):
        return False
    if re.fullmatch(_ONLY_CODE, one.text):
        return False
    return bool(one.claims) or not says_silent(one.text)


def _marks_in(start: int, end: int, marks: Sequence[Mark]) -> list[Mark]:
    return [mark for mark in marks if start <= mark.start and mark.end <= end]


def _words(text: str, start: int, end: int, marks: Sequence[Mark]) -> int:
    return len(placed_words(_without(text, start, end, marks)))


def _without(text: str, start: int, end: int, marks: Sequence[Mark]) -> str:
    """The slice without its marks and the blanks before them, without a list sign."""
    parts: list[str] = []
    place = start
    for mark in marks:
        if start <= mark.start and mark.end <= end:
            parts.append(text[place : mark.start].rstrip(" "))
            place = mark.end
    parts.append(text[place:end])
    return _LIST_ITEM.sub("", "".join(parts), count=1).strip() if _LIST_ITEM.match(text[start:end]) else "".join(parts).strip()


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end

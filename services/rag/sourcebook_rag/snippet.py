"""The few words of a chunk in which a search was found, with what matched marked. Pure."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from sourcebook_core.text import lexemes
from sourcebook_core.text.lexemes import QuestionLexemes
from sourcebook_rag import typed as typing_in
from sourcebook_rag.typed import Typed

CHARS = 240  # about three lines of a list
EXACT_WEIGHT = 3.0  # a phrase or beginning says more than a word


@dataclass(frozen=True, slots=True)
class _Hit:
    start: int
    end: int
    key: Hashable
    weight: float


def snippet(text: str, start_at: int, asked: QuestionLexemes, language: str | None, typed: Typed) -> dict[str, Any]:
    """`{"text", "start", "marks"}`: at most 240 code points of a chunk around its best words, cut at borders of words.

    `start` is the place in the passage (`start_at` is the chunk's), `marks` are half-open ranges inside the snippet's text;
    a word matched by its stem is marked whole. Found by meaning alone: the head of the chunk, without marks (S2-26).
    """
    hits = _hits(text, asked, language, typed)
    begin, end = _window(text, hits)
    marks: list[list[int]] = []
    for hit in hits:
        first, last = max(hit.start, begin) - begin, min(hit.end, end) - begin
        if first >= last:
            continue
        if marks and first <= marks[-1][1]:
            marks[-1][1] = max(marks[-1][1], last)
        else:
            marks.append([first, last])
    return {"text": text[begin:end], "start": start_at + begin, "marks": marks}


def _hits(text: str, asked: QuestionLexemes, language: str | None, typed: Typed) -> list[_Hit]:
    word_of = {term: word.word for word in asked.words for term in word.terms}
    hits = []
    for start, end, word in lexemes.placed_words(text):
        found = next((word_of[form] for form in lexemes.forms(word, language) if form in word_of), None)
        if found is not None:
            hits.append(_Hit(start, end, found, 1.0))
    if typed.is_exact:
        whole = typing_in.squeezed(text)
        hits += [_Hit(a, b, ("phrase", one), EXACT_WEIGHT) for one in typed.phrases for a, b in typing_in.places(one, whole)]
        hits += [
            _Hit(a, b, ("begins", one), EXACT_WEIGHT)
            for one in typed.beginnings
            for a, b in typing_in.places(one, whole, is_beginning=True)
        ]
    return sorted(hits, key=lambda hit: (hit.start, hit.end))


def _window(text: str, hits: Sequence[_Hit]) -> tuple[int, int]:
    """The half-open range to show: where most different words stand together, the first such place, in its middle."""
    best, best_at = 0.0, (0, 0)
    for place, hit in enumerate(hits):
        if hit.start == hits[place - 1].start and place:
            continue  # the same place by a longer one: looked at already
        within = _within(hits, place)
        score = sum({one.key: one.weight for one in within}.values()) + len(within) / 1000
        if score > best:
            best, best_at = score, (hit.start, max(one.end for one in within))
    first, last = best_at
    begin = max(0, first - max(0, CHARS - (last - first)) // 2) if hits else 0
    begin = max(0, min(begin, len(text) - CHARS))
    return _trimmed(text, begin, min(len(text), begin + CHARS))


def _within(hits: Sequence[_Hit], place: int) -> Sequence[_Hit]:
    """The hits that lie whole within a snippet from this one on, itself always: those after the snippet's end are not looked at."""
    last = hits[place].start + CHARS
    found = []
    for at in range(place, len(hits)):
        if hits[at].start > last:
            break
        if hits[at].end <= last:
            found.append(hits[at])
    return found or [hits[place]]


def _trimmed(text: str, begin: int, end: int) -> tuple[int, int]:
    """The range without the halves of words and the blanks at its ends; as it is where nothing else would be left."""
    first, last = begin, end
    while first < last and not typing_in.is_border(text, first):
        first += 1
    while last > first and not typing_in.is_border(text, last):
        last -= 1
    if first == last:
        first, last = begin, end
    while first < last and text[first].isspace():
        first += 1
    while last > first and text[last - 1].isspace():
        last -= 1
    return first, last

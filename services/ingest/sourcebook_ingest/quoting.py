"""A summary that nobody wrote: the source's own sentences, chosen because they say most of what the others say too."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sourcebook_core.store.summaries import Piece
from sourcebook_core.text import lexemes
from sourcebook_core.text.sentences import sentences

WORDS = 120  # S1-23: as long as a written one
SENTENCES = 6
LEAST_CHARS, MOST_CHARS = 40, 400  # shorter is a heading or a caption, longer a list or a table
_ENDS = re.compile("[.!?\u2026\u3002\uff01\uff1f][\"'\u201d\u2019\u00bb\u201c)\\]]*$")
_LETTERS = 0.6  # of what is visible; less is a table, a formula or a list of references


@dataclass(frozen=True, slots=True)
class _Sentence:
    passage: int
    start: int
    text: str
    words: frozenset[str]


def first_sentences(pieces: Sequence[Piece]) -> str | None:
    """The first substantial sentences of a text, about 120 words of them, word for word; None when it has none (a table, a list)."""
    chosen: list[_Sentence] = []
    for sentence in _all(pieces, None):
        chosen.append(sentence)
        if _count(chosen) >= WORDS or len(chosen) == SENTENCES:
            break
    return _joined(chosen)


def central_sentences(pieces: Sequence[Piece], language: str | None) -> str | None:
    """The sentences of these pieces whose words stand in most of the others, in the order of the text, about 120 words of them.

    None when there is no substantial sentence. Source: sentence centrality by shared words, as in LexRank (Erkan and Radev 2004)
    without its matrix: the pieces are the nearest to the middle of the text already.
    """
    found = list({(one.passage, one.start): one for one in _all(pieces, language)}.values())
    shared = Counter(word for one in found for word in one.words)
    ranked = sorted(found, key=lambda one: -sum(shared[word] - 1 for word in one.words) / (len(one.words) + 4))
    chosen: list[_Sentence] = []
    for sentence in ranked:
        if _repeats(sentence, chosen):
            continue
        chosen.append(sentence)
        if _count(chosen) >= WORDS or len(chosen) == SENTENCES:
            break
    return _joined(sorted(chosen, key=lambda one: (one.passage, one.start)))


def _all(pieces: Sequence[Piece], language: str | None) -> Iterator[_Sentence]:
    for piece in pieces:
        for start, end in sentences(piece.text, piece.start, piece.end):
            text = piece.text[start:end]
            is_cut = start == piece.start and bool(before := piece.text[:start].rstrip()) and not _ENDS.search(before)
            if not is_cut and _is_substantial(text):
                words = frozenset(word for word in lexemes.words(text) if not lexemes.is_stop_word(word, language))
                yield _Sentence(piece.passage, start, text, words)


def _is_substantial(text: str) -> bool:
    visible = [char for char in text if not char.isspace()]
    letters = sum(char.isalpha() for char in visible)
    is_long_enough = len(visible) >= LEAST_CHARS or (len(visible) >= LEAST_CHARS // 3 and not text.isascii() and " " not in text)
    return is_long_enough and len(text) <= MOST_CHARS and letters >= _LETTERS * len(visible) and bool(_ENDS.search(text))


def _repeats(sentence: _Sentence, chosen: Sequence[_Sentence]) -> bool:
    """Whether most of its words stand in one that was chosen: a header of every page, a sentence said twice."""
    return any(len(sentence.words & one.words) > 0.7 * max(len(sentence.words), 1) for one in chosen)


def _count(chosen: Sequence[_Sentence]) -> int:
    # Scripts without blanks: two characters count as a word.
    return sum(max(len(one.text.split()), 0 if one.text.isascii() else len(one.text) // 8) for one in chosen)


def _joined(chosen: Sequence[_Sentence]) -> str | None:
    return " ".join(" ".join(one.text.split()) for one in chosen) or None

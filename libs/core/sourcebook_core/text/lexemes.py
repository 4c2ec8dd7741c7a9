"""Words of chunks and questions as search terms, and their BM25 weights: one set of functions for both sides."""

import hashlib
import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from sourcebook_core.text import words as text_words
from sourcebook_core.text.folding import fold, fold_of_version_1, loose, settled
from sourcebook_core.text.stems import stem, stems
from sourcebook_core.text.stopwords import STOP_WORDS
from sourcebook_core.text.words import MAX_WORD_BYTES, identifiers_in, placed_words, words

__all__ = ["MAX_WORD_BYTES", "fold", "identifiers_in", "placed_words", "stem", "words"]

# Raise it when a change gives other terms or weights, keep what the older ones gave (their indexes answer on, and what is added
# to their notebooks is indexed like the rest), and add recipes that name it: notebooks want them from then on.
ANALYSER_VERSION = 2

K1 = 1.2  # S2-12
B = 0.75  # S2-12
MAX_QUESTION_TERMS = 64
# One less than pgvector's largest sparsevec index, so that a dimension is valid both 1-based (SQL text) and 0-based (Python client).
DIMENSIONS = 999_999_999


@dataclass(frozen=True, slots=True)
class ChunkLexemes:
    """The terms of one chunk with how often each stands in it, and the chunk's length in words (title words not counted)."""

    counts: Mapping[str, int]
    length: int


@dataclass(frozen=True, slots=True)
class QuestionWord:
    """One word of a question with every term that stands for it; a chunk is given the best of them once, never their sum."""

    word: str
    terms: tuple[str, ...]
    is_identifier: bool


@dataclass(frozen=True, slots=True)
class QuestionLexemes:
    """The words of a question in order, each once, with at most 64 different terms together."""

    words: tuple[QuestionWord, ...]

    @property
    def terms(self) -> tuple[str, ...]:
        """Every different term of the question, in order of first use."""
        return tuple(dict.fromkeys(term for word in self.words for term in word.terms))


def forms(word: str, language: str | None) -> tuple[str, ...]:
    """The terms by which a folded word stands in the index of a chunk of that language: itself and, where it differs, its stem,
    without accents where writers leave them out."""
    return _forms(word, stem(word, language), language)


def chunk_lexemes(
    text: str, language: str | None, title: str = "", title_weight: int = 0, analyser: int = ANALYSER_VERSION
) -> ChunkLexemes:
    """The terms of a chunk: each word that is no stop word of `language`, folded, and its stem where that differs; beside them
    names and numbers as wholes (`words.Token`), and runs of three stop words, so that "to be or not to be" can be found.

    A word of `title` counts `title_weight` times more, as if it stood in the text that often (S2-13); the length does not grow,
    neither by it nor by wholes. `analyser`: the version that the chunk's recipe names.
    """
    found = _Found.of(text, language, analyser)
    length = sum(found.words.values())
    if title_weight:
        titled = _Found.of(title, language, analyser)
        for ours, theirs in ((found.words, titled.words), (found.others, titled.others)):
            for word, count in theirs.items():
                ours[word] += title_weight * count
    counts = _with_stems(found.words, language, analyser)
    for whole, count in found.others.items():
        for term in forms(whole, language) if whole.isalpha() else (settled(whole),):
            counts[term] = counts.get(term, 0) + count
    return ChunkLexemes(counts, length)


def question_lexemes(
    text: str, scope_languages: Collection[str], language: str | None = None, analyser: int = ANALYSER_VERSION
) -> QuestionLexemes:
    """The words of a question, each with its folded form and its stem in every language of the scope.

    A name is a word of its own beside its parts and alone is the identifier; another spelling of the whole ("wifi", "14.2")
    stands for any of its words. Stop words of `language` (the question's own) are left out; when it is unknown, those of every
    language in the scope; where nothing else is left, three of them in a row are one word. Repeated words count once. At most
    64 different terms: words after them are left out. `analyser`: the version of the indexes that are searched.
    """
    of_languages, spoken = [language] if language else sorted(scope_languages), sorted(scope_languages)
    asked = _asked(text, of_languages) if analyser > 1 else _asked_of_version_1(text, of_languages)
    kept: list[QuestionWord] = []
    used: set[str] = set()
    for word, one in asked.items():
        terms = _terms_of(word, one, spoken, analyser)
        if len(used | set(terms)) > MAX_QUESTION_TERMS:
            break
        used.update(terms)
        kept.append(QuestionWord(word, terms, one.is_identifier))
    return QuestionLexemes(tuple(kept))


def is_stop_word(word: str, language: str | None) -> bool:
    """Whether the folded word carries no content in that language; never for a language without a list."""
    return language is not None and word in STOP_WORDS.get(language, frozenset())


@lru_cache(maxsize=200_000)  # the words of a source repeat from chunk to chunk
def dimension(term: str) -> int:
    """The term's place in the sparse vector, 1 to 999,999,999, the same on every machine and in every run."""
    digest = hashlib.blake2b(term.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "big") % DIMENSIONS + 1


def document_weights(counts: Mapping[str, int], length: int, avgdl: float, k1: float = K1, b: float = B) -> dict[int, float]:
    """BM25 weight of each term of a chunk without its idf, by dimension. `avgdl` is the recipe's fixed average length in words.

    The sum over a question's terms of `idf * weight` is the BM25 score. Two terms that share a dimension add up.
    Source: Robertson & Zaragoza 2009, eq. 3.15, with the factor k1 + 1 (S2-12).
    """
    if avgdl <= 0:
        raise ValueError("the average chunk length must be above 0")
    norm = k1 * (1 - b + b * length / avgdl)
    weights: dict[int, float] = {}
    for term, count in counts.items():
        place = dimension(term)
        weights[place] = weights.get(place, 0.0) + count * (k1 + 1) / (count + norm)
    return weights


def idf(n_docs: int, df: int) -> float:
    """How much a term found in `df` of `n_docs` chunks tells; above 0 for every df from 0 to n_docs. Source: S2-12."""
    return math.log(1 + (n_docs - df + 0.5) / (df + 0.5))


def best_scores(question: QuestionLexemes, idfs: Mapping[str, float], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """The BM25 score of each chunk: for each word of the question the best of its terms, once.

    `weights` has a row for each chunk and a column for each of `question.terms`: its weight as in `document_weights`, 0 where
    the chunk does not hold it.
    """
    scores = np.zeros(len(weights))
    columns = {term: place for place, term in enumerate(question.terms)}
    for word in question.words:
        terms = [term for term in word.terms if term in idfs]
        if terms:
            scores += (weights[:, [columns[term] for term in terms]] * [idfs[term] for term in terms]).max(axis=1)
    return scores


def idf_shares(
    question: QuestionLexemes, idfs: Mapping[str, float], weights: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """For each chunk the share (0..1) of the question's idf mass whose words it holds, and whether it holds one of its identifiers.

    `weights` as in `best_scores`. A word weighs the idf of its most frequent term, so that a rare inflection does not outweigh
    the word it belongs to.
    """
    total, held = 0.0, np.zeros(len(weights))
    has_identifier = np.zeros(len(weights), dtype=np.bool_)
    columns = {term: place for place, term in enumerate(question.terms)}
    for word in question.words:
        mass = min((idfs[term] for term in word.terms if term in idfs), default=0.0)
        holds = (weights[:, [columns[term] for term in word.terms]] > 0).any(axis=1)
        total += mass
        held += mass * holds
        if word.is_identifier:
            has_identifier |= holds
    return (held / total if total else held), has_identifier


@dataclass(frozen=True, slots=True)
class _Found:
    """What stands in a text: its words without stop words, and the terms beside them."""

    words: Counter[str]
    others: Counter[str]

    @classmethod
    def of(cls, text: str, language: str | None, analyser: int) -> "_Found":
        stops = STOP_WORDS.get(language or "", frozenset())
        if analyser == 1:
            every = text_words.words_of_folded(fold_of_version_1(text))
            others: list[str] = []
        else:
            folded = fold(text)
            every, others = text_words.scan(folded)
            others += text_words.numbered_names(text) + text_words.spaced_numbers(folded) + _stop_runs(every, stops)
            others += text_words.capital_names(text, stops)
        counted = Counter(every)
        for word in stops & counted.keys():
            del counted[word]
        return cls(counted, Counter(others))


def _stop_runs(every: Sequence[str], stops: Collection[str]) -> list[str]:
    """Every three neighbours that are all stop words, as one term each; a blank stands in no other term."""
    three = zip(every, every[1:], every[2:], strict=False)
    return [f"{a} {b} {c}" for a, b, c in three if b in stops and a in stops and c in stops] if stops else []


def _with_stems(counted: Mapping[str, int], language: str | None, analyser: int) -> dict[str, int]:
    """How often each word and each stem stands in a text, by the counts of its words."""
    counts = dict(counted)
    for word, stemmed in zip(counted, stems(list(counted), language), strict=True):
        if word.isascii() or analyser == 1:
            if stemmed != word:
                counts[stemmed] = counts.get(stemmed, 0) + counted[word]
            continue
        plain, *inner = _forms(word, stemmed, language)
        if plain != word:
            counts[plain] = counts.get(plain, 0) + counts.pop(word)
        for term in inner:
            counts[term] = counts.get(term, 0) + counted[word]
    return counts


@dataclass(slots=True)
class _Asked:
    """What is known of a word of a question: spellings that stand for it too, and whether it is a whole, which has no stem."""

    is_identifier: bool = False
    is_whole: bool = False
    others: list[str] = field(default_factory=list)


def _asked(text: str, of_languages: Iterable[str]) -> dict[str, _Asked]:
    """The words of a question in order."""
    lists = [STOP_WORDS.get(one, frozenset()) for one in of_languages]
    every = frozenset[str]().union(*lists)
    found = _asked_but(text, every)
    if not found and len(lists) > 1:  # "most" is a bridge in Czech
        found = _asked_but(text, lists[0].intersection(*lists[1:]))
    return found or {run: _Asked(is_whole=True) for run in _stop_runs(words(text), every)}


def _asked_but(text: str, stops: Collection[str]) -> dict[str, _Asked]:
    """The words of a question without these."""
    folded = fold(text)
    numbered = text_words.numbered_names(text)
    capitals = set(text_words.capital_names(text, stops))
    by_case = {word for word in text_words.names_by_case(text) if not any(name.startswith(word) for name in numbered)}
    asked = {name: _Asked(True, True) for name in numbered}
    for token in text_words.tokens(folded):
        kept = [part for part in token.parts if part not in stops or part in capitals]
        wholes: Sequence[str] = token.wholes
        if token.kind == "measure":
            kept, wholes = [whole for whole in wholes if whole not in stops], token.parts if "".join(wholes) == token.parts[0] else ()
        if token.kind == "name" or not kept:
            for whole in wholes:
                asked.setdefault(whole, _Asked(token.kind == "name", True))
        for word in kept:
            known = asked.setdefault(word, _Asked(token.kind != "name" and (word in by_case or text_words.is_name(word))))
            known.others += wholes if token.kind != "name" else ()
    for number in text_words.spaced_numbers(folded):
        for word, known in asked.items():
            if word.isdecimal() and word in number:
                known.others.append(number)
    return asked


def _asked_of_version_1(text: str, of_languages: Sequence[str]) -> dict[str, _Asked]:
    """The words of a question as the indexes of the first analyser hold them: no wholes, so that nothing is missed in vain."""
    identifiers = {piece for found in identifiers_in(text) for piece in text_words.words_of_folded(fold_of_version_1(found))}
    every = text_words.words_of_folded(fold_of_version_1(text))
    return {word: _Asked(word in identifiers) for word in every if not any(is_stop_word(word, one) for one in of_languages)}


def _terms_of(word: str, known: _Asked, languages: Sequence[str], analyser: int) -> tuple[str, ...]:
    """Every term that stands for a word of a question in these languages: itself first."""
    if analyser == 1:
        return tuple(dict.fromkeys([word, *(stem(word, one) for one in languages)]))
    inflected = [*([] if known.is_whole else [word]), *(other for other in known.others if other.isalpha())]
    spoken = [term for one in languages for other in inflected for term in forms(other, one)]
    return tuple(dict.fromkeys([settled(word), *spoken, *(settled(other) for other in known.others)]))


def _forms(word: str, stemmed: str, language: str | None) -> tuple[str, ...]:
    plain, inner = (word, stemmed) if word.isascii() else (settled(word), loose(stemmed, language))
    return (plain,) if inner == plain else (plain, inner)

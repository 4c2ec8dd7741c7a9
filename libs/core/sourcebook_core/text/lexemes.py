"""Words of chunks and questions as search terms, and their BM25 weights: one set of functions for both sides."""

import hashlib
import math
import re
import threading
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
import Stemmer
from numpy.typing import NDArray

from sourcebook_core.text.scripts import HANGUL, IDEOGRAPHS, INVISIBLE, UNSPACED, combining_marks, invisible_pattern
from sourcebook_core.text.stopwords import STOP_WORDS

# Raise it when a change below gives other terms or weights: indexes of another version are stale and built again.
ANALYSER_VERSION = 1

K1 = 1.2  # S2-12
B = 0.75  # S2-12
MIN_WORD_CHARS = 2  # S2-04
MAX_WORD_BYTES = 255
MAX_QUESTION_TERMS = 64
# One less than pgvector's largest sparsevec index, so that a dimension is valid both 1-based (SQL text) and 0-based (Python client).
DIMENSIONS = 999_999_999

_SNOWBALL = {
    "ar": "arabic", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german", "el": "greek", "en": "english", "es": "spanish",
    "et": "estonian", "eu": "basque", "fa": "persian", "fi": "finnish", "fr": "french", "ga": "irish", "hi": "hindi", "hu": "hungarian",
    "hy": "armenian", "id": "indonesian", "it": "italian", "lt": "lithuanian", "nb": "norwegian", "ne": "nepali", "nl": "dutch",
    "nn": "norwegian", "no": "norwegian", "pl": "polish", "pt": "portuguese", "ro": "romanian", "ru": "russian", "sr": "serbian",
    "sv": "swedish", "ta": "tamil", "tr": "turkish",
}  # fmt: skip
_local = threading.local()


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


def fold(text: str) -> str:
    """The text as words are compared: NFC, case folded, without soft hyphens and zero-width characters. Lengths change."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", invisible_pattern().sub("", text)).casefold())


def words(text: str) -> list[str]:
    """The folded words of a text in order: runs of letters and digits of two or more characters, pairs of neighbours in
    scripts without spaces and in Hangul. Words over 255 bytes are dropped. Source: S2-03, S2-04, B38."""
    found: list[str] = []
    for match in _word_pattern().finditer(fold(text)):
        run = match.group()
        if match.lastgroup == "pairs":
            found.extend(_pairs(run))
        elif len(run) >= MIN_WORD_CHARS and len(run.encode("utf-8", "replace")) <= MAX_WORD_BYTES:
            found.append(run)
    return found


def placed_words(text: str) -> list[tuple[int, int, str]]:
    """The same words with their half-open places in the text as it stands, unfolded."""
    found: list[tuple[int, int, str]] = []
    for match in _placed_pattern().finditer(text):
        start, end = match.span()
        if match.lastgroup == "pairs":
            found.extend((start + place, start + place + len(pair), fold(pair)) for place, pair in enumerate(_pairs(match.group())))
            continue
        word = fold(match.group())
        if len(word) >= MIN_WORD_CHARS and len(word.encode("utf-8", "replace")) <= MAX_WORD_BYTES:
            found.append((start, end, word))
    return found


def stem(word: str, language: str | None) -> str:
    """The Snowball stem of a folded word; the word itself where its language is unknown, has no stemmer, or is no word of letters."""
    return _stems((word,), language)[0]


def chunk_lexemes(text: str, language: str | None, title: str = "", title_weight: int = 0) -> ChunkLexemes:
    """The terms of a chunk: each word that is no stop word of `language`, folded, and its stem where that differs.

    A word of `title` counts `title_weight` times more, as if it stood in the text that often (S2-13); the length does not grow.
    Numbers are left as written, so "14.2" gives "14" only.
    """
    body = Counter(words(text))
    length = sum(count for word, count in body.items() if not is_stop_word(word, language))
    if title_weight:
        for word in words(title):
            body[word] += title_weight
    kept = [word for word in body if not is_stop_word(word, language)]
    counts: Counter[str] = Counter()
    for word, stemmed in zip(kept, _stems(kept, language), strict=True):
        counts[word] += body[word]
        if stemmed != word:
            counts[stemmed] += body[word]
    return ChunkLexemes(dict(counts), length)


def question_lexemes(text: str, scope_languages: Collection[str], language: str | None = None) -> QuestionLexemes:
    """The words of a question, each with its folded form and its stem in every language of the scope.

    Stop words of `language` (the question's own) are left out; when it is unknown, those of every language in the scope.
    Repeated words count once. At most 64 different terms: words after them are left out.
    """
    of_languages = [language] if language else sorted(scope_languages)
    identifiers = {piece for found in identifiers_in(text) for piece in words(found)}
    kept: list[QuestionWord] = []
    used: set[str] = set()
    for word in dict.fromkeys(words(text)):
        if any(is_stop_word(word, one) for one in of_languages):
            continue
        terms = tuple(dict.fromkeys([word, *(stem(word, one) for one in sorted(scope_languages))]))
        if len(used | set(terms)) > MAX_QUESTION_TERMS:
            break
        used.update(terms)
        kept.append(QuestionWord(word, terms, word in identifiers))
    return QuestionLexemes(tuple(kept))


def is_stop_word(word: str, language: str | None) -> bool:
    """Whether the folded word carries no content in that language; never for a language without a list."""
    return language is not None and word in STOP_WORDS.get(language, frozenset())


def identifiers_in(text: str) -> list[str]:
    """Names that mean one thing exactly: letters with digits ("H2O", "v1.2.3", "COVID-19"), snake_case, CamelCase, paths, acronyms."""
    seen = invisible_pattern().sub("", text)
    runs = (match.group().strip("./+-") for match in _RUN.finditer(seen))
    found = [run for run in runs if 2 <= len(run) <= MAX_IDENTIFIER_CHARS and _IDENTIFIER.fullmatch(run)]
    # In a text typed in capitals, capitals alone name nothing.
    return [name for name in found if not name.isalpha()] if seen.isupper() else found


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


def average_length(chunker: str, size: int) -> float:
    """The fixed average chunk length in words to bake with for a recipe: `size` tokens (`token_window`) or characters (others).

    Measured on English and German prose: 0.53 of the tokens of full windows are words that are not stop words; pages and
    sections end windows early. It must not follow the corpus, or every new source would change every stored weight.
    """
    return size * (0.5 if chunker == "token_window" else 0.09)


_RUN = re.compile(r"[\w./+-]+")
MAX_IDENTIFIER_CHARS = 64
_IDENTIFIER = re.compile(
    r"(?!\d+(?:st|nd|rd|th)?(?:-\d+)*(?:-[^\W\d_]+)*$)(?=.*\d)(?=.*[^\W\d_])\w+(?:[.+-]\w+)*"  # H2O, COVID-19, v1.2.3; not 18-year-old
    r"|[^\W_]+(?:_[^\W_]+)+"  # snake_case
    r"|[^\W\d_]*[a-zà-öø-ÿ][A-Z]\w*"  # CamelCase
    r"|[A-Z]{2,}"  # ABC
    r"|(?=.*[^\W\d_])[\w.-]+(?:/[\w.-]+){2,}"  # a/longer/path; not and/or
)


@lru_cache(maxsize=1)
def _word_pattern() -> re.Pattern[str]:
    return _pattern_of_words(combining_marks())


@lru_cache(maxsize=1)
def _placed_pattern() -> re.Pattern[str]:
    return _pattern_of_words(combining_marks() + INVISIBLE)


def _pattern_of_words(inner: str) -> re.Pattern[str]:
    pairs = f"{IDEOGRAPHS}{HANGUL}{UNSPACED}"
    letter = f"[^\\W_{pairs}]"
    return re.compile(f"(?P<pairs>[{pairs}]+)|(?P<word>{letter}(?:{letter}|[{inner}])*)")


def _pairs(run: str) -> Iterator[str]:
    if len(run) == 1:
        yield run
    for first, second in pairwise(run):
        yield first + second


def _stems(of_words: Sequence[str], language: str | None) -> list[str]:
    name = _SNOWBALL.get(language or "")
    if name is None:
        return list(of_words)
    return [found or word for found, word in zip(_stemmer(name).stemWords(list(of_words)), of_words, strict=True)]


def _stemmer(name: str) -> Stemmer.Stemmer:
    """One stemmer per thread and language: a Snowball stemmer keeps state while it works."""
    kept: dict[str, Stemmer.Stemmer] = _local.__dict__.setdefault("stemmers", {})
    if name not in kept:
        kept[name] = Stemmer.Stemmer(name)
    return kept[name]

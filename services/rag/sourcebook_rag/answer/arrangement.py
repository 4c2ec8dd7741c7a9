"""Whether the words of a claim stand together in a passage as the claim has them: in one sentence, of one subject, in one order.

Every word of "rye bread lost a tenth" stands in "rye bread grew, while white rolls lost a tenth".
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from sourcebook_core.text.lexemes import is_stop_word, placed_words, stem
from sourcebook_rag.answer import concepts
from sourcebook_rag.answer.same_word import same_word

# Words between a sentence's parts, of which each may speak of somebody or something else.
_JOINS = {
    "en": "and|but|while|whereas|or",
    "de": "und|aber|während|oder|sondern",
    "cs": "a|ale|zatímco|nebo|však",
    "es": "y|e|pero|mientras|o",
    "fr": "et|mais|tandis que|ou",
}
_PRONOUNS = {
    "en": "it they he she this these its their his her",
    "de": "er sie es ihr ihre sein seine diese dieser dieses",
    "cs": "on ona ono oni ony jeho její jejich tento tato toto",
    "es": "él ella ello ellos ellas este esta esto su sus",
    "fr": "il elle ils elles ce cette ces son sa ses leur leurs",
}
_PREPOSITIONS = {
    "en": "in on at by before after during since from between with under over for until within around near about through against to without"
    " of",
    "de": "in im am an bei beim vor nach seit von vom zwischen mit unter über für zu zum zur bis während ab aus gegen um ohne innerhalb"
    " außerhalb",
    "cs": "v ve na po před za od do mezi s se pod nad pro během k ke u z ze o bez při",
    "es": "en a al antes después durante desde de del entre con bajo sobre para por hasta sin",
    "fr": "en à au aux avant après pendant depuis de du des entre avec sous sur pour par jusque dans chez sans",
}
_PASSIVE = {
    "en": r"\b(?:is|are|was|were|been|being|be)\s(?:\w+\s)?\w+(?:ed|en|wn|lt|pt|nt|de|ld|ught)\b",
    "de": r"\b(?:wird|werden|wurden?|worden)\b",
    "cs": r"\b(?:je|jsou|byl[aoyi]?|bude|budou|být)\s(?:\w+\s){0,3}\w+[nt][aoyi]?\b",
    "es": r"\b(?:es|son|fue|fueron|sido)\s\w+[aio]d[ao]s?\b",
    "fr": r"\b(?:est|sont|été|fut|furent)\s\w+(?:é|ée|és|ées|i|ie|is|ies|u|ue|us|ues|t|te|ts|tes)\b",
}
_YEAR = re.compile(r"1\d{3}|20\d{2}")
_WORD = re.compile(r"[^\W_]+")
FIRST_WORDS = 4  # of a sentence: where its subject stands, or the pronoun for the one before


@dataclass(frozen=True, slots=True)
class Token:
    """A word of content or a number: its place, the word folded, its stem, whether it is a number, whether it had a capital."""

    start: int
    word: str
    root: str
    is_number: bool
    has_capital: bool


def tokens(text: str, language: str | None) -> list[Token]:
    """The words of content and the numbers of a text in their order."""
    digits = [(match.start(), match.end()) for match in re.finditer(r"\d+(?:[.,]\d+)*", text)]
    found = [Token(start, text[start:end], text[start:end], True, False) for start, end in digits]
    for start, end, word in placed_words(text):
        if not is_stop_word(word, language) and not any(a < end and start < b for a, b in digits):
            found.append(Token(start, word, stem(word, language), False, text[start : start + 1].isupper()))
    return sorted(found, key=lambda token: token.start)


def disarranged(claim: str, sentences: Sequence[str], language: str | None, ignored: Sequence[str]) -> str | None:
    """A word of the claim that the passage has elsewhere: in another sentence, said of something else, or in another order.

    `sentences` are those of the quote in order; `ignored` words need not stand there. None when the words stand together.
    """
    asked = tokens(claim, language)
    for part in _parts(claim, language):
        wanted = [token for token in tokens(part, language) if token.word not in ignored]
        found, missing = _best_sentence(wanted, sentences, language)
        if missing is not None:
            return missing
        if found is not None:
            away = _other_subject(wanted, asked, sentences[found], language) or out_of_order(part, sentences[found], language)
            if away is not None:
                return away
    if len(sentences) == 1 and len(_parts(claim, language)) > 1:
        return out_of_order(claim, sentences[0], language)
    return None


@lru_cache(maxsize=16)
def _between(language: str | None) -> re.Pattern[str]:
    return re.compile(rf"[,;:\u2013\u2014]\s+|\s(?:{_JOINS.get(language or '', 'and')})\s")


def _parts(claim: str, language: str | None) -> list[str]:
    """The claim's parts, a short one ("and Tolmen") with the one before it."""
    starts = [0]
    for match in _between(language).finditer(claim):
        if len(_WORD.findall(claim[starts[-1] : match.start()])) >= FIRST_WORDS:
            starts.append(match.end())
    if len(starts) > 1 and len(_WORD.findall(claim[starts[-1] :])) < FIRST_WORDS:
        starts.pop()
    return [claim[start:end] for start, end in zip(starts, [*starts[1:], len(claim)], strict=True)]


def _best_sentence(wanted: Sequence[Token], sentences: Sequence[str], language: str | None) -> tuple[int | None, str | None]:
    """The sentence that holds all of the words that are held at all, and a word that only another one holds."""
    held = [_held(wanted, sentence, language) for sentence in sentences]
    everything = set().union(*held)
    if not everything:
        return None, None
    best = max(range(len(sentences)), key=lambda place: len(held[place]))
    lacking = sorted(everything - held[best])
    if not lacking:
        return best, None
    if best > 0 and _begins_with_pronoun(sentences[best], language):
        subject = _matched(wanted, tokens(sentences[best - 1], language)[:FIRST_WORDS], language)
        if set(lacking) <= subject:
            return best, None
    return best, wanted[lacking[0]].word


def _other_subject(wanted: Sequence[Token], asked: Sequence[Token], sentence: str, language: str | None) -> str | None:
    """A word that the claim takes from a part of the sentence that begins with somebody or something else than the claim names."""
    parts = [tokens(part, language) for part in _between(language).split(sentence) if part.strip()]
    held = [_matched(wanted, part, language) for part in parts]
    giving = [place for place, own in enumerate(held) if own - set().union(*held[:place], *held[place + 1 :])]
    if len(giving) < 2:
        return None
    for place in giving:
        first = next((token for token in parts[place] if not token.is_number), None)
        if first is not None and not _matched([first], asked, language):
            return wanted[min(held[place])].word
    base = max(giving, key=lambda place: len(held[place]))
    if any(token.is_number and not _matched([token], asked, language) for token in parts[base]):
        return next((token.word for at, token in enumerate(wanted) if token.is_number and at not in held[base]), None)
    return None


def out_of_order(claim: str, text: str, language: str | None) -> str | None:
    """A word that stands in another order, unless what moved is one phrase with its preposition ("in the spring").

    "Who beat whom" and "how many of which" hang on order alone. When it was may stand anywhere; so may, in German, one verb.
    What is said in the passive on one side only may run backwards.
    """
    if _is_passive(claim, language) != _is_passive(text, language):
        return None
    theirs = tokens(text, language)
    moving = [token for token in tokens(claim, language) if not _tells_when(token, language)]
    placed = [(token, places) for token in moving if (places := _places(token, theirs, language))]
    chosen = _greedy([place for _, place in placed])
    moved = _moved(chosen)
    if not moved:
        return None
    word = placed[moved[0]][0].word
    if moved[-1] - moved[0] + 1 != len(moved):
        return word
    crossed = [number for number, at in enumerate(chosen) if number not in moved and (number < moved[0]) != (at < chosen[moved[0]])]
    for block in (one for one in (moved, crossed) if one):
        ours, other = placed[block[0]][0], theirs[chosen[block[0]]]
        before = _preposition(claim, ours.start, language)
        if before and before == _preposition(text, other.start, language):
            return None
    first = placed[moved[0]][0]
    if len(moved) == 1 and not first.is_number and _may_stand_anywhere(first, theirs[chosen[moved[0]]], language):
        return None
    return word


def _may_stand_anywhere(ours: Token, theirs: Token, language: str | None) -> bool:
    """Whether its form says what a word is in its sentence, wherever it stands: a German verb, a Czech word in the same case."""
    return (language == "de" and not ours.has_capital) or (language == "cs" and ours.word == theirs.word)


def _greedy(options: Sequence[Sequence[int]]) -> list[int]:
    """One place for each word: the next one behind the last word's, else the first."""
    chosen: list[int] = []
    for places in options:
        last = chosen[-1] if chosen else -1
        chosen.append(next((place for place in places if place > last), places[0]))
    return chosen


def _moved(places: Sequence[int]) -> list[int]:
    """Which words are left out of a longest run of rising places. Source: patience sorting."""
    tails: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for number, place in enumerate(places):
        at = bisect_left(tails, place)
        before.append(ends[at - 1] if at else -1)
        tails[at : at + 1], ends[at : at + 1] = [place], [number]
    kept: set[int] = set()
    number = ends[-1] if ends else -1
    while number >= 0:
        kept.add(number)
        number = before[number]
    return [number for number in range(len(places)) if number not in kept]


def _held(wanted: Sequence[Token], sentence: str, language: str | None) -> set[int]:
    return _matched(wanted, tokens(sentence, language), language)


def _matched(wanted: Sequence[Token], others: Sequence[Token], language: str | None) -> set[int]:
    return {number for number, token in enumerate(wanted) if _places(token, others, language)}


def _places(token: Token, others: Sequence[Token], language: str | None) -> list[int]:
    """Where a word stands among others."""
    return [place for place, other in enumerate(others) if _same(token, other, language)]


def _same(one: Token, other: Token, language: str | None) -> bool:
    if one.is_number or other.is_number:
        return one.word == other.word
    return same_word(one.word, one.root, other.word, other.root, language)


def _tells_when(token: Token, language: str | None) -> bool:
    return bool(_YEAR.fullmatch(token.word)) if token.is_number else bool(concepts.members(token.word, language))


def _is_passive(text: str, language: str | None) -> bool:
    pattern = _PASSIVE.get(language or "")
    return pattern is not None and re.search(pattern, text, re.IGNORECASE) is not None


def _begins_with_pronoun(sentence: str, language: str | None) -> bool:
    first = _WORD.search(sentence)
    return first is not None and first.group().casefold() in _PRONOUNS.get(language or "", "").split()


def _preposition(text: str, start: int, language: str | None) -> str | None:
    """The preposition at a place or among the two words before it ("in the spring")."""
    here = _WORD.match(text, start)
    before = [word.casefold() for word in [*_WORD.findall(text[:start])[-2:], here.group() if here else ""]]
    return next((word for word in reversed(before) if word in _PREPOSITIONS.get(language or "", "").split()), None)

"""What the words of a claim consist of: content words, names, numbers, dates, words in quotation marks."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from sourcebook_core.text import numbers
from sourcebook_core.text.lexemes import fold, identifiers_in, is_stop_word, placed_words, stem
from sourcebook_core.text.sentences import sentences
from sourcebook_rag.answer import caution

DATES = re.compile(r"\d{4}-\d{1,2}-\d{1,2}|\d{1,2}\.\s?\d{1,2}\.\s?\d{2,4}|\d{1,2}/\d{1,2}/\d{2,4}|\d{1,3}:\d{1,3}")
_QUOTED = re.compile(r"[\"\u201c\u201e\u00ab]\s*([^\"\u201c\u201d\u201e\u00ab\u00bb]{4,300}?)\s*[\"\u201d\u201c\u00bb]")
_LETTERS = r"[\w\u0300-\u036f]+"  # a letter and its accent may be two characters
_CAPITAL = re.compile(rf"(?<![\w.])[^\W\d_a-zß-öø-ÿ]{_LETTERS}(?:[-'\u2019]{_LETTERS})*")


@dataclass(frozen=True)
class ClaimWords:
    """A claim taken apart once: its content words with stems, names, numbers, number words, dates and quoted words."""

    text: str
    language: str | None
    content: list[tuple[str, str]] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    numbers: list[numbers.Number] = field(default_factory=list)
    number_words: list[str] = field(default_factory=list)
    dates: list[str] = field(default_factory=list)
    quoted: list[str] = field(default_factory=list)


def take_apart(text: str, language: str | None) -> ClaimWords:
    """What a claim consists of. `text` is without marks."""
    spelled = caution.number_words(language)
    names = names_in(text, language)
    hedges = {fold(word) for word in (caution.denial(text, language), caution.caution(text, language)) if word}
    content: dict[str, str] = {}
    number_words: list[str] = []
    for _, _, word in placed_words(text):
        if word in spelled:
            number_words.append(word)
        elif not word.isdigit() and not is_stop_word(word, language) and word not in hedges:
            content.setdefault(stem(word, language), word)
    return ClaimWords(
        text=text,
        language=language,
        content=[(word, stemmed) for stemmed, word in content.items()],
        names=names,
        numbers=numbers.scan(text),
        number_words=number_words,
        dates=[match.group() for match in DATES.finditer(text)],
        quoted=[match.group(1) for match in _QUOTED.finditer(text)],
    )


def names_in(text: str, language: str | None) -> list[str]:
    """Names as written: identifiers, and capitalised words that do not begin a sentence; in German only two in a row."""
    found = list(identifiers_in(text))
    starts = {one.start for one in sentences(text)}
    capitals = [match for match in _CAPITAL.finditer(text) if not is_stop_word(fold(match.group()), language)]
    capitals = [match for match in capitals if match.group() not in found]
    for place, match in enumerate(capitals):
        beside = capitals[max(0, place - 1) : place + 2]
        in_row = any(other.start() - match.end() == 1 or match.start() - other.end() == 1 for other in beside)
        begins = match.start() in starts or not text[: match.start()].strip(" \"'\u201c\u201e\u00ab(*_-")
        if in_row or (language != "de" and not begins):
            found.append(match.group())
    return list(dict.fromkeys(found))

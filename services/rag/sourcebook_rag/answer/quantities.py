"""The numbers and dates of a claim beside those of a quote: in figures, in words, and what stands in their place."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from sourcebook_core.checks import Numbers
from sourcebook_core.text import numbers
from sourcebook_core.text.lexemes import words
from sourcebook_rag.answer import caution
from sourcebook_rag.answer.claims import DATES, ClaimWords


@lru_cache(maxsize=1024)  # each claim on a passage looks at the same runs of sentences
def _grounding(text: str) -> numbers.Grounding:
    return numbers.Grounding([text])


def digits_held(claim: ClaimWords, text: str) -> float:
    """How many of the claim's numbers stand in the text."""
    if not claim.numbers:
        return 0.0
    grounding = _grounding(text)
    return float(sum(grounding.holds(number) for number in claim.numbers))


def numbers_of(claim: ClaimWords, text: str, spoken: str | None) -> tuple[Numbers, bool]:
    """The claim's numbers and dates by whether the quote has them, and whether it has others in their place."""
    grounding = numbers.Grounding([text], constants=_spelled_values(text, spoken))
    matched = [number.text for number in claim.numbers if grounding.holds(numbers.scaled(number))]
    missing = [number.text for number in claim.numbers if not grounding.holds(numbers.scaled(number))]
    dates = [match.group() for match in DATES.finditer(text)]
    for date in claim.dates:
        (matched if _has_date(date, dates, grounding) else missing).append(date)
    asked = numbers.Grounding([claim.text])
    others = [number for number in numbers.scan(text) if not asked.holds(number)]
    competes = bool(others) or any(date not in claim.dates for date in dates)
    return Numbers(matched=list(dict.fromkeys(matched)), missing=list(dict.fromkeys(missing))), competes


def _has_date(date: str, dates: Sequence[str], grounding: numbers.Grounding) -> bool:
    parts = [int(part) for part in re.findall(r"\d+", date)]
    if dates:
        return any(
            sorted(parts) == sorted(own) and parts in (own, own[::-1]) for own in ([int(p) for p in re.findall(r"\d+", d)] for d in dates)
        )
    return all(grounding.holds(number) for part in parts for number in numbers.scan(str(part)))


def _spelled_values(text: str, language: str | None) -> list[int]:
    spelled = caution.number_words(language)
    return [spelled[word] for word in words(text) if word in spelled]


def missing_number_words(claim: ClaimWords, text: str) -> list[str]:
    """Spelled-out numbers of the claim that the quote has neither as that word nor in figures nor in another language's word."""
    if not claim.number_words:
        return []
    values = caution.number_words(claim.language)
    held = set(words(text))
    known = numbers.Grounding([text], constants=[value for language in caution.LANGUAGES for value in _spelled_values(text, language)])
    return [word for word in claim.number_words if word not in held and numbers.ungrounded(str(values[word]), known)]


def has_other_number_word(claim: ClaimWords, text: str, spoken: str | None) -> bool:
    """Whether the quote spells out a number that the claim does not have."""
    spelled = caution.number_words(claim.language)
    asked = numbers.Grounding([claim.text], [spelled[word] for word in claim.number_words])
    return any(numbers.ungrounded(str(value), asked) for value in _spelled_values(text, spoken))

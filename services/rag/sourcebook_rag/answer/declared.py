"""The line under a persona's answer that names the sources it used: the program writes it, the model can only veto it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sourcebook_core.profiles import Citing
from sourcebook_core.store.citations import LINE_TITLE_CHARS
from sourcebook_core.text import language as languages
from sourcebook_core.text import numbers
from sourcebook_core.text.lexemes import is_stop_word, placed_words, stem
from sourcebook_core.text.sentences import sentences
from sourcebook_rag import lines
from sourcebook_rag.answer.passages import Passage
from sourcebook_rag.answer.refusals import is_refusal

MIN_WORDS = 3  # content words that a share is taken of; a heart or "Yes!" carries nothing
MIN_WORDS_OF_PART = 4
RUN_WORDS = 5  # A12: so many words in a row are no chance …
RUN_CONTENT = 2  # … unless they say nothing ("it is one of the")
RARE_CHARS = 5  # beside a shared number: a word of so many letters, or a name
_PARTS = re.compile(r"[,;:\u2013\u2014]\s+(?:(?:and|but|und|aber|a|ale|y|pero|et|mais)\s)?")


@dataclass(frozen=True, slots=True)
class Declared:
    """The answer with its line, and the numbers of the passages that the line names, from 1; none: the answer as it was."""

    answer: str
    line_sources: tuple[int, ...] = ()


def settle(
    answer: str,
    used: Sequence[int] | None,
    passages: Sequence[Passage],
    language: str | None,
    citing: Citing,
    *,
    is_refusal_marked: bool = False,
) -> Declared:
    """Add the line that names the sources of the passages which the model said it used and whose content the answer carries.

    `used`: its declaration (None or empty: it used none). The model can take a source away and never add one; a refusal has no
    source. Pure. Source: S3-08 to S3-13, C19, A12, A13.
    """
    said = "" if is_refusal_marked else asserted(answer)
    named = [number for number in dict.fromkeys(used or ()) if 1 <= number <= len(passages)]
    if citing.evidence_check == "on" or not said:
        named = [number for number in named if carries(said, passages[number - 1], citing.evidence_share)]
    titles = list(dict.fromkeys(" ".join(passages[number - 1].source.title.split())[:LINE_TITLE_CHARS] for number in named))
    if not titles:
        return Declared(answer)
    line = lines.line("minted", language).replace("{sources}", ", ".join(titles))
    return Declared(f"{answer}\n\n{line}", tuple(named))


def asserted(answer: str) -> str:
    """The answer without the sentences by which it says that it has none."""
    return " ".join(one for one in _sentences(answer) if not is_refusal(one))


def carries(said: str, passage: Passage, share: float) -> bool:
    """Whether the answer, or one sentence or part of it, holds the content of a passage: enough of its content words, five words in a
    row, or a number beside a rare word of one sentence. In another language only the last can be seen. Source: A12."""
    text, spoken = passage.chunk.text, passage.chunk.language or passage.source.language
    own = languages.identify(said) or spoken
    if best_share(said, text, own, spoken) >= share:
        return True
    return _shares_run(said, text, own) or _shares_number(said, text, own, spoken)


def best_share(said: str, text: str, own: str | None, spoken: str | None) -> float:
    """The greatest share of content words, of the whole, a sentence or a part, that stand in the passage; 0 where they are too few."""
    theirs = {form for _, _, word in placed_words(text) for form in (word, stem(word, spoken))}
    best = 0.0
    for unit, least in _units(said):
        content = [word for _, _, word in placed_words(unit) if not is_stop_word(word, own) and not word.isdigit()]
        if len(content) >= least:
            best = max(best, sum(word in theirs or stem(word, own) in theirs for word in content) / len(content))
    return best


def _units(said: str) -> Iterator[tuple[str, int]]:
    """The answer, its sentences, and their parts, each with the content words it must have."""
    yield said, MIN_WORDS
    for sentence in _sentences(said):
        yield sentence, MIN_WORDS
        for part in _PARTS.split(sentence):
            yield part, MIN_WORDS_OF_PART


def _shares_run(said: str, text: str, language: str | None) -> bool:
    ours, theirs = ([word for _, _, word in placed_words(one)] for one in (said, text))
    runs = {tuple(theirs[place : place + RUN_WORDS]) for place in range(len(theirs) - RUN_WORDS + 1)}
    return any(
        tuple(run) in runs and sum(not is_stop_word(word, language) for word in run) >= RUN_CONTENT
        for run in (ours[place : place + RUN_WORDS] for place in range(len(ours) - RUN_WORDS + 1))
    )


def _shares_number(said: str, text: str, own: str | None, spoken: str | None) -> bool:
    """Whether a sentence of each side has the same number and the same rare word."""
    ours = [(found, one) for one in _sentences(said) if (found := numbers.scan(one))]
    theirs = [(numbers.Grounding([one]), one) for one in _sentences(text)] if ours else []
    return any(
        any(grounding.holds(number) for number in found) and _shares_rare_word(mine, other, own, spoken)
        for found, mine in ours
        for grounding, other in theirs
    )


def _shares_rare_word(ours: str, theirs: str, own: str | None, spoken: str | None) -> bool:
    stems = {stem(word, spoken) for _, _, word in placed_words(theirs)}
    rare = [word for _, _, word in placed_words(ours) if len(word) >= RARE_CHARS and not is_stop_word(word, own) and word.isalpha()]
    return any(stem(word, own) in stems for word in rare)


def _sentences(text: str) -> list[str]:
    return [text[one.start : one.end] for one in sentences(text)]

"""Compares the words of a claim with a passage by a written table: numbers, names, denial and caution, content."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from sourcebook_core.checks import Evidence, Numbers, Verdict
from sourcebook_core.text import numbers
from sourcebook_core.text.lexemes import fold, placed_words, stem, words
from sourcebook_core.text.sentences import sentences
from sourcebook_rag.answer import agreement, arrangement, caution, opposites, quantities
from sourcebook_rag.answer.agreement import Difference
from sourcebook_rag.answer.claims import ClaimWords, names_in
from sourcebook_rag.answer.same_word import same_word

PARTLY_SHARE = 0.33  # of the content words; these numbers are tuned on evals/checks/tuning.jsonl
PARTLY_WORDS = 2  # so many words must be carried for a part, or `ENOUGH_SHARE` of a claim of few words
ENOUGH_SHARE = 0.45
FOUND_COSINE = 0.65  # centred cosine of two sentences in different languages
PARTLY_COSINE = 0.36
CLAUSE_SHARE = 0.5  # of the words that the best clause carries: what says less of the claim may deny or doubt what it likes
MAX_SENTENCES = 3  # of one quote
SENTENCE_COST = 0.4  # a further sentence must carry more than this many words of the claim
Similarity = Callable[[str, str], float | None]


@dataclass(frozen=True)
class CheckPassage:
    """A chunk as it was handed over: its text, where it starts in its passage, its language, the names around it (titles), and the
    column names above it where it holds rows of a table. What `is_made` was made from sources, and proves nothing by itself."""

    text: str
    start: int = 0
    language: str | None = None
    around: str = ""
    columns: str = ""
    is_made: bool = False

    @cached_property
    def sentences(self) -> list[tuple[int, int]]:
        """Half-open ranges of its sentences in `text`."""
        return [(one.start, one.end) for one in sentences(self.text)]

    @cached_property
    def placed(self) -> list[list[tuple[int, int, str, str]]]:
        """Per sentence: start, end, folded word, stem; places in `text`."""
        return [
            [(start + a, start + b, word, stem(word, self.language)) for a, b, word in placed_words(self.text[start:end])]
            for start, end in self.sentences
        ]

    @cached_property
    def folded_words(self) -> set[str]:
        """Every word of the chunk and of what stands around it, folded."""
        return set(words(self.text)) | set(words(self.around))

    @cached_property
    def stems(self) -> set[str]:
        """The stems of those words."""
        return {stem(word, self.language) for word in self.folded_words}


@dataclass(frozen=True)
class Outcome:
    """A verdict with its evidence and the quote's half-open range in the chunk's text (None without a quote)."""

    verdict: Verdict
    evidence: Evidence
    quote: tuple[int, int] | None = None


def compare(claim: ClaimWords, passage: CheckPassage, similarity: Similarity | None = None) -> Outcome:
    """The verdict over one claim and one chunk, by the table of architecture section 5.

    Same language (or one unknown): shared content words. Other language: `similarity`, the centred cosine of two sentences;
    without it `not_checked`. Pure.
    """
    if not passage.sentences:
        return Outcome("not_found", Evidence())
    word_for_word = literal(claim, passage)
    if word_for_word:
        return word_for_word
    if claim.language and passage.language and claim.language != passage.language:
        return _compare_across(claim, passage, similarity)
    window = _best_window(claim, passage)
    share = window.share
    if share < PARTLY_SHARE or (share < ENOUGH_SHARE and len(window.spans) < PARTLY_WORDS):
        return _not_found(claim, passage, window)
    # What is missing may be one word that turns the statement round: another subject, cause, day or detail.
    is_carried = not agreement.without_light(window.missing, claim.language)
    return _judge(claim, passage, window, is_carried=is_carried)


@dataclass(frozen=True)
class _Window:
    """A run of sentences: its range, the words of the claim found in it with their places, the share found."""

    start: int
    end: int
    first: int
    last: int
    spans: list[tuple[int, int]]
    missing: list[str]
    share: float


def _not_found(claim: ClaimWords, passage: CheckPassage, window: _Window) -> Outcome:
    """Without a quote, but with what was missing in the nearest one."""
    found, _ = quantities.numbers_of(claim, passage.text[window.start : window.end], passage.language)
    return Outcome("not_found", Evidence(missing=window.missing, numbers=found))


def literal(claim: ClaimWords, passage: CheckPassage) -> Outcome | None:
    """Found when the claim is whole sentences of the chunk word for word, as in a quoted answer."""
    wanted = [word for _, _, word in placed_words(claim.text)]
    if len(wanted) < 3:
        return None
    flat = [(start, end, word) for row in passage.placed for start, end, word, _ in row]
    sequence = [word for _, _, word in flat]
    for place in range(len(sequence) - len(wanted) + 1):
        if sequence[place] == wanted[0] and sequence[place : place + len(wanted)] == wanted:
            start, end = flat[place][0], flat[place + len(wanted) - 1][1]
            covered = [(a, b) for a, b in passage.sentences if a < end and b > start]
            whole = sum(len(words(passage.text[a:b])) for a, b in covered)
            text = passage.text[covered[0][0] : covered[-1][1]]
            is_cut = len(wanted) < whole and _loses(claim, text, passage.language or claim.language)
            if len(wanted) >= 0.9 * whole and not is_cut and not _changed_digits(claim, passage, covered[0][0], covered[-1][1]):
                quote = (covered[0][0], covered[-1][1])
                matched = [number.text for number in claim.numbers]
                quoted = True if claim.quoted else None
                return Outcome("found", Evidence(spans=[quote], numbers=Numbers(matched=matched), quoted_words_found=quoted), quote)
    return None


def _loses(claim: ClaimWords, text: str, spoken: str | None) -> bool:
    """Whether the words that a claim leaves out of its sentence bound, doubt or deny it ("Some", "Probably", "Nobody says that")."""
    if agreement.bound_lost(claim.text, claim.language, text, text, spoken):
        return True
    if agreement.attribution_lost(claim.text, claim.language, text, spoken):
        return True
    return len(caution.denials(claim.text, claim.language)) != len(caution.denials(text, spoken))


def _changed_digits(claim: ClaimWords, passage: CheckPassage, start: int, end: int) -> bool:
    """Whether a number or a name with digits differs: single digits are no words, so "1,5" and "1.7" or "X-1" and "X-2" look alike."""
    if numbers.ungrounded(claim.text, numbers.Grounding([passage.text[start:end]])):
        return True
    return not all(_has_name(name, passage) for name in claim.names if any(char.isdigit() for char in name))


def _best_window(claim: ClaimWords, passage: CheckPassage) -> _Window:
    """The run of one to three sentences that carries most of the claim, shorter ones first."""
    per_sentence = [_matches(claim, row) for row in passage.placed]
    named = _named_around(claim, passage) | _named_by_columns(claim, passage)
    wanted = max(1, len(claim.content))
    best, best_score = (0, 0), -1.0
    for first in range(len(per_sentence)):
        held: set[int] = set()
        for last in range(first, min(first + MAX_SENTENCES, len(per_sentence))):
            held |= per_sentence[last].keys()
            text = passage.text[passage.sentences[first][0] : passage.sentences[last][1]]
            score = len(held) + quantities.digits_held(claim, text) - SENTENCE_COST * (last - first)
            if score > best_score:
                best, best_score = (first, last), score
    first, last = best
    held_places: dict[int, tuple[int, int]] = {}
    for row in per_sentence[first : last + 1]:
        held_places = row | held_places
    missing = [word for place, (word, _) in enumerate(claim.content) if place not in held_places and word not in named]
    share = 1 - len(missing) / wanted if claim.content else float(best_score > 0)
    return _Window(passage.sentences[first][0], passage.sentences[last][1], first, last, sorted(held_places.values()), missing, share)


def _named_around(claim: ClaimWords, passage: CheckPassage) -> set[str]:
    """Words of the claim's names that stand in the titles around the chunk: a section seldom repeats what it is about."""
    around = set(words(passage.around))
    return {word for name in claim.names for word in words(name) if word in around}


def _named_by_columns(claim: ClaimWords, passage: CheckPassage) -> set[str]:
    """Words of the claim that are names of the table's columns: a row says them without repeating them."""
    heads = [(word, stem(word, passage.language)) for word in words(passage.columns)]
    return {
        word
        for word, stemmed in claim.content
        if any(same_word(word, stemmed, head, head_stem, claim.language) for head, head_stem in heads)
    }


def _matches(claim: ClaimWords, row: Sequence[tuple[int, int, str, str]]) -> dict[int, tuple[int, int]]:
    """Which content words of the claim (by index) a sentence holds, and where first."""
    found: dict[int, tuple[int, int]] = {}
    for place, (word, stemmed) in enumerate(claim.content):
        for start, end, other, other_stem in row:
            if same_word(word, stemmed, other, other_stem, claim.language):
                found[place] = (start, end)
                break
    return found


def _judge(claim: ClaimWords, passage: CheckPassage, window: _Window, *, is_carried: bool) -> Outcome:
    """The table: content is carried at least in part, now numbers, names, quoted words, denial and caution decide."""
    quote = (window.start, window.end)
    text = passage.text[window.start : window.end]
    found, competes = quantities.numbers_of(claim, text, passage.language)
    missing_words = quantities.missing_number_words(claim, text)
    missing_names = [name for name in claim.names if not _has_name(name, passage)]
    doubt = _difference(claim, passage, window)
    quoted = _quoted_words(claim, passage)
    missing = list(dict.fromkeys(missing_names + window.missing + missing_words))
    evidence = Evidence(spans=window.spans, missing=missing, numbers=found, quoted_words_found=quoted)
    if doubt:
        evidence = evidence.model_copy(update={"caution" if doubt.in_source else "differs": doubt.word})
    same_language = not (claim.language and passage.language and claim.language != passage.language)
    if missing_names and same_language and len(missing_names) == len(claim.names) and _other_name(claim, text, passage):
        return Outcome("not_found", evidence)
    if (found.missing and competes) or (missing_words and quantities.has_other_number_word(claim, text, passage.language)):
        return Outcome("number_differs", evidence, quote)
    is_partly = bool(found.missing or missing_names or doubt or quoted is False or missing_words) or not is_carried
    return Outcome("partly" if is_partly else "found", evidence, quote)


def _has_name(name: str, passage: CheckPassage) -> bool:
    """Whether every word of a name stands in the chunk or around it, as written, by stem, or in another case ("Praha", "Prahy")."""
    if any(char.isdigit() for char in name):
        return bool(_as_written(name).search(fold(f"{passage.text}\n{passage.around}")))
    own = passage.folded_words
    return all(part in own or stem(part, passage.language) in passage.stems or _in_other_case(part, own) for part in words(name))


def _as_written(identifier: str) -> re.Pattern[str]:
    """The identifier with or without signs between its letters and digits ("COVID-19", "Covid 19"), as a whole word."""
    runs = re.findall(r"[^\W\d_]+|\d+", fold(identifier))
    return re.compile(r"(?<![^\W_])" + r"[\W_]{0,2}".join(map(re.escape, runs)) + r"(?![^\W_])")


def _in_other_case(word: str, others: set[str]) -> bool:
    shared = max(3, len(word) - 2)
    return any(other[:shared] == word[:shared] and abs(len(other) - len(word)) <= 3 for other in others)


def _other_name(claim: ClaimWords, text: str, passage: CheckPassage) -> bool:
    """Whether the quote names something that the claim does not, of the same kind as the claim's missing names."""
    own = set(words(claim.text))
    return any(not set(words(name)) & own for name in names_in(text, passage.language or claim.language))


def _difference(claim: ClaimWords, passage: CheckPassage, window: _Window) -> Difference | None:
    """The word of denial, caution or opposite direction that only one side has; None when both sides say it alike."""
    best, relevant = _carrying_clauses(claim, passage, window)
    theirs_language = passage.language or claim.language
    for tell in (caution.denial, caution.caution):
        ours, theirs = tell(claim.text, claim.language), tell(relevant, theirs_language)
        if bool(ours) != bool(theirs):
            return Difference(theirs, in_source=True) if theirs else Difference(ours or "")
    own, others = set(words(claim.text)), set(words(relevant))
    for one, other, language in ((others, own, theirs_language), (own, others, claim.language)):
        denied = next((word for word in sorted(one - other) if caution.negated_by_prefix(word, other, language)), None)
        if denied:
            return Difference(denied)
    doubt = _disagreement(claim, passage, window, relevant)
    if doubt or claim.language != theirs_language:
        return doubt
    turned = opposites.opposed(own, set(words(best)), claim.language) or opposites.opposed(own, others, claim.language)
    return Difference(turned) if turned else None


def _disagreement(claim: ClaimWords, passage: CheckPassage, window: _Window, relevant: str) -> Difference | None:
    """What keeps words that are all there from saying the same (`agreement`)."""
    text, spoken = passage.text[window.start : window.end], passage.language or claim.language
    ours = claim.text, claim.language
    found = (
        agreement.bound_lost(*ours, text, relevant, spoken)
        or agreement.turned(*ours, text, spoken)
        or agreement.attribution_lost(*ours, text, spoken)
    )
    if found or claim.language != spoken:
        return found
    denied = agreement.denied_otherwise(claim.text, text, spoken)
    moved = None if denied else arrangement.disarranged(claim.text, _sentences(passage, window), spoken, window.missing)
    return denied or (Difference(moved) if moved else None)


def _sentences(passage: CheckPassage, window: _Window) -> list[str]:
    return [passage.text[start:end] for start, end in passage.sentences[window.first : window.last + 1]]


def _carrying_clauses(claim: ClaimWords, passage: CheckPassage, window: _Window) -> tuple[str, str]:
    """The clause of the quote that carries most words of the claim, and all that carry at least half as many, or a word
    of it that no other clause has.

    What another clause denies is not what the claim says. In another language no words can be counted: all clauses.
    """
    counted: list[tuple[set[int], str]] = []
    for place in range(window.first, window.last + 1):
        start, end = passage.sentences[place]
        for a, b in caution.clauses(passage.text[start:end]):
            row = [token for token in passage.placed[place] if start + a <= token[0] and token[1] <= start + b]
            counted.append((set(_matches(claim, row)), passage.text[start + a : start + b]))
    most = max(len(held) for held, _ in counted)
    best = next(text for held, text in counted if len(held) == most)
    kept: list[str] = []
    for held, text in counted:
        elsewhere = set().union(*(other for other, its in counted if its is not text))
        if len(held) >= CLAUSE_SHARE * most or held - elsewhere:
            kept.append(text)
    return best, " ".join(kept)


def _quoted_words(claim: ClaimWords, passage: CheckPassage) -> bool | None:
    """Whether what the claim puts in quotation marks stands in the chunk word for word; None when it quotes nothing."""
    if not claim.quoted:
        return None
    own = " ".join(words(passage.text))
    return all(" ".join(words(quoted)) in own for quoted in claim.quoted)


def _compare_across(claim: ClaimWords, passage: CheckPassage, similarity: Similarity | None) -> Outcome:
    """The table for two languages: the nearest sentence by cosine carries the claim."""
    scored = [
        (cosine, place)
        for place, (a, b) in enumerate(passage.sentences)
        if similarity and (cosine := similarity(claim.text, passage.text[a:b])) is not None
    ]
    if not scored:
        return Outcome("not_checked", Evidence())
    cosine, place = max(scored, key=lambda row: (row[0], -row[1]))
    start, end = passage.sentences[place]
    window = _Window(start, end, place, place, [], [], cosine)
    if cosine < PARTLY_COSINE:
        return _not_found(claim, passage, window)
    is_carried = cosine >= FOUND_COSINE and not agreement.compares(claim.text, claim.language)
    return _judge(claim, passage, window, is_carried=is_carried)

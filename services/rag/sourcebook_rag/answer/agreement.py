"""What must agree before a statement counts as found: bounds, direction, scope of a denial, who says it, and the order of its words."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import combinations

from sourcebook_core.text import numbers
from sourcebook_core.text.lexemes import is_stop_word, placed_words, stem
from sourcebook_rag.answer import caution, concepts
from sourcebook_rag.answer.same_word import same_word

# Words that add nothing to what is said with them: a claim may have them where its passage has not.
_LIGHT = {
    "en": "amount amounts amounted equal equals total located lies lie lay stand stands stood take takes took taken get gets got"
    " make makes made hold holds held contain contains contained place happen happened become became according way also use"
    " used using people person thing number called named given gave give",
    "de": "liegt liegen lag befindet beträgt betragen machen macht gemacht bekommen bekam geben gab laut also etwa rund zahl heißt steht"
    " stehen",
    "cs": "činí nachází leží stojí trvá dělá dostal mít bývá počet zhruba přibližně zvaný",
    "es": "encuentra está están hay según número llamado dar dado hacer hecho",
    "fr": "trouve est sont selon nombre appelé donner fait faire",
}
# Who says it: what a source only reports is less than what it says itself.
_SAYS = {
    "en": r"according to|sa(?:ys?|id)|claim\w*|wr(?:ites?|ote|itten)|th(?:inks?|ought)|belie\w+|warn\w*|announc\w*|argue\w*|suspect\w*"
    r"|hop(?:es?|ed)|report(?:s|ed)? that|told|attribut\w*|assum\w*|view(?:s|ed) as|regard\w*|consider\w*|suppos\w*|propos\w*"
    r"|plan(?:s|ned) to|want(?:s|ed)? to",
    "de": r"laut|nach angaben|zufolge|sag(?:t|te|en|ten)|mein(?:t|te|en)|glaub\w*|behaupt\w*|vermut\w*|schr(?:eib|ieb)\w*|warn\w*|erklär\w*"
    r"|berichte\w*|nimmt an|nehmen an|hoff\w*|kündig\w*|angeblich|soll(?:en)?|will|wollen|plan\w*|fürcht\w*|hält für|halten für",
    "cs": r"podle|tvrd\w+|říká\w*|řekl\w*|uvedl\w*|uvád\w+|myslí|domnív\w+|věří|varuj\w+|oznám\w+|předpoklád\w+|údajně|prý|napsal\w*"
    r"|píš\w+|chce|chtěj\w*|doufá\w*",
    "es": r"según|dice\w*|dijo|afirm\w*|cree\w*|advier\w*|anunci\w*|escrib\w*|sostien\w*|supon\w*|esper\w*|quier\w*",
    "fr": r"selon|d['\u2019]après|dit|disent|affirm\w*|croi\w*|pens\w*|averti\w*|annonc\w*|écri\w*|suppos\w*|espèr\w*"
    r"|veut|veulent|estim\w*",
}
# By whom something is done, in the passive.
_AGENTS = {
    "en": r"\b(?:is|are|was|were|been|being|be)\b.*\bby\b",
    "de": r"\b(?:wird|werden|wurden?|worden)\b.*\b(?:von|vom|durch)\b|\b(?:von|vom|durch)\b.*\b(?:wird|werden|wurden?|worden)\b",
    "cs": r"\b(?:je|jsou|byl[aoyi]?|bude|budou|být)\b.*\w+[nt][aoyi]?\b",
    "es": r"\b(?:es|son|fue|fueron|sido)\b.*\bpor\b",
    "fr": r"\b(?:est|sont|été|fut|furent)\b.*\bpar\b",
}
_COMPARES = {"en": "than", "de": "als", "cs": "než", "es": "que", "fr": "que"}
# A bound of the passage that a claim may not lose ("some patients", "only adults", "if the leader agrees").
_KEPT = frozenset({"some", "most", "only", "except", "if", "never", "nearly", "can", "over", "under"})
_MAY_ADD = frozenset({"can"})  # and one that a claim may add
_YEAR = re.compile(r"1\d{3}|20\d{2}")
# A sentence's parts, of which each may speak of somebody or something else.
_PARTS = re.compile(r"[,;:\u2013\u2014]\s+|\s(?:and|but|while|und|aber|während|a|ale|zatímco|y|pero|et|mais|tandis)\s")
MAX_ORDERED = 24  # words of a claim whose order is looked at: three at a time, so that a long one stays quick
NEXT_WORDS = 4  # a denial denies the next word of content, if it comes so soon


def without_light(missing: Sequence[str], language: str | None) -> list[str]:
    """The missing words without those that add nothing."""
    light = set(_LIGHT.get(language or "", "").split())
    return [word for word in missing if word not in light and not numbers.is_scale_word(word)]


def bound_lost(claim: str, language: str | None, whole: str, carrying: str, spoken: str | None) -> str | None:
    """A bound, unit, day, month or season that only one side has, by its English name; None when both agree.

    `whole` are the sentences of the quote, `carrying` its clauses that carry the claim, `spoken` their language.
    """
    ours, theirs = concepts.bounds(claim, language), concepts.bounds(whole, spoken)
    if ours - theirs - _MAY_ADD:
        return min(ours - theirs - _MAY_ADD)
    lost = (concepts.bounds(carrying, spoken) & _KEPT) - ours
    if lost:
        return min(lost)
    added = concepts.members(claim, language) - concepts.members(whole, spoken)
    return min(added) if added else None


def turned(claim: str, language: str | None, text: str, spoken: str | None) -> str | None:
    """The side of an axis that the claim has while the text has only the other one ("later" beside "earlier")."""
    ours, theirs = concepts.sides(claim, language), concepts.sides(text, spoken)
    return next((side for side in sorted(ours - theirs) if concepts.OPPOSITE.get(side) in theirs), None)


def attribution_lost(claim: str, language: str | None, text: str, spoken: str | None) -> str | None:
    """The word by which one side alone says that somebody else says it, or that it is not sure."""
    ours = _says(claim, language) or caution.caution(claim, language)
    theirs = _says(text, spoken) or caution.caution(text, spoken)
    return (ours or theirs) if bool(ours) != bool(theirs) else None


def denied_otherwise(claim: str, text: str, language: str | None) -> str | None:
    """A word of both sides that only one of them denies. Both sides are of one language."""
    ours, theirs = _denied(claim, language), _denied(text, language)
    here = {stem(word, language) for _, _, word in placed_words(claim)}
    there = {stem(word, language) for _, _, word in placed_words(text)}
    return next((word for word in sorted(ours ^ theirs) if word in here and word in there), None)


def out_of_order(claim: str, text: str, language: str | None) -> str | None:
    """A word of the claim whose neighbours stand in the text the other way round: three words that run backwards there.

    "Who beat whom" and "how many of which" hang on order alone; when it was may stand anywhere. What is said
    in the passive on one side only may run backwards.
    """
    if _is_passive(claim, language) != _is_passive(text, language):
        return None
    ours = [
        (word, is_number)
        for _, _, word, is_number in _tokens(claim)
        if (is_number and not _YEAR.fullmatch(word)) or not (is_number or is_stop_word(word, language) or concepts.members(word, language))
    ]
    theirs = [(word, stem(word, language)) for _, _, word, _ in _tokens(text)]
    known: list[tuple[str, list[int]]] = []
    for word, number in ours:
        if places := [at for at, (other, root) in enumerate(theirs) if _matches(word, number, other, root, language)]:
            known.append((word, places))
    known = known[:MAX_ORDERED]
    for first, second, third in combinations(known, 3):
        if _runs(third[1], second[1], first[1]) and not _runs(first[1], second[1], third[1]):
            return second[0]
    return _compared_otherwise(claim, language, known, theirs)


def _runs(*places: Sequence[int]) -> bool:
    """Whether one can go through the places in this order, each further on than the one before."""
    at = -1
    for options in places:
        following = [place for place in options if place > at]
        if not following:
            return False
        at = following[0]
    return True


def _compared_otherwise(
    claim: str, language: str | None, known: Sequence[tuple[str, Sequence[int]]], theirs: Sequence[tuple[str, str]]
) -> str | None:
    """What a claim compares something with, where the text names that first: "A is older than B" beside "B is older than A"."""
    than = _COMPARES.get(language or "")
    match = re.search(rf"\b{than}\b", claim, re.IGNORECASE) if than else None
    if match is None or not known or than not in {word for word, _ in theirs}:
        return None
    behind = {word for _, _, word in placed_words(claim[match.end() :])}
    others = [(word, places) for word, places in known if word in behind]
    return others[0][0] if others and not _runs(known[0][1], others[0][1]) else None


def said_of_another(claim: str, names: Sequence[str], text: str, others: Sequence[str], language: str | None) -> str | None:
    """A name or number of the claim that the text has in another part than the rest of it, where that part has its own name or number.

    "Chair is Ada, treasurer is Bob" does not say that the chair is Bob. `names` are the claim's, `others` those of the text.
    """
    own = {word for name in names for _, _, word in placed_words(name)}
    rest = [(word, root) for word, root in _content(claim, language) if word not in own]
    parts = [part for part in _PARTS.split(text) if part.strip()]
    if len(parts) < 2 or not rest:
        return None
    best = max(parts, key=lambda part: _held(rest, part, language))
    if (subject := _subject_elsewhere(rest, best, text, language)) is not None:
        return subject
    asked = {word for _, _, word in placed_words(claim)}
    clauses = [part for part in parts if part is not best and _says_more(part, asked, language)]
    strangers = [name for name in others if name in best and not own & {word for _, _, word in placed_words(name)}]
    here = {word for _, _, word in placed_words(best)}
    for name in names if strangers else ():
        if not here & {word for _, _, word in placed_words(name)} and any(name in part for part in clauses):
            return name
    held, in_claim = numbers.Grounding([best]), numbers.Grounding([claim])
    if all(in_claim.holds(number) for number in numbers.scan(best)):
        return None
    elsewhere = [number for number in numbers.scan(claim) if not held.holds(number)]
    return next((number.text for number in elsewhere if any(numbers.Grounding([part]).holds(number) for part in clauses)), None)


def _subject_elsewhere(rest: Sequence[tuple[str, str]], best: str, text: str, language: str | None) -> str | None:
    """The first word of a claim, where the part of the text that says the rest of it begins with another word, and it stands elsewhere."""
    first = _content(best, language)[:1]
    ours = " ".join(word for word, _ in rest)
    if not first or _held(first, ours, language) or _held(rest[:1], best, language) or not _held(rest[:1], text, language):
        return None
    return rest[0][0]


def _says_more(part: str, asked: Collection[str], language: str | None) -> bool:
    """Whether a part of a sentence says anything that the claim does not, so that it is more than one more name."""
    return any(word not in asked and not word[:1].isdigit() for word, _ in _content(part, language))


def _content(text: str, language: str | None) -> list[tuple[str, str]]:
    return [(word, stem(word, language)) for _, _, word, digits in _tokens(text) if not digits and not is_stop_word(word, language)]


def _held(words: Sequence[tuple[str, str]], part: str, language: str | None) -> int:
    theirs = [(word, stem(word, language)) for _, _, word in placed_words(part)]
    return sum(any(same_word(word, root, other, other_root, language) for other, other_root in theirs) for word, root in words)


def compares(text: str, language: str | None) -> bool:
    """Whether the text compares two things: which of them is more cannot be told across languages."""
    word = _COMPARES.get(language or "")
    return word is not None and re.search(rf"\b{word}\b", text, re.IGNORECASE) is not None and bool(concepts.sides(text, language))


def _matches(word: str, is_number: bool, other: str, root: str, language: str | None) -> bool:
    return word == other if is_number or other.isdigit() else same_word(word, stem(word, language), other, root, language)


def _tokens(text: str) -> list[tuple[int, int, str, bool]]:
    """Every word and run of digits with its place, folded, and whether it is a number (single digits too)."""
    digits = [(match.start(), match.end(), match.group(), True) for match in re.finditer(r"\d+", text)]
    spans = [(start, end) for start, end, _, _ in digits]
    words = [(start, end, word, False) for start, end, word in placed_words(text) if not any(a < end and start < b for a, b in spans)]
    return sorted(digits + words)


def _is_passive(text: str, language: str | None) -> bool:
    pattern = _AGENTS.get(language or "")
    return pattern is not None and re.search(pattern, text, re.IGNORECASE) is not None


def _says(text: str, language: str | None) -> str | None:
    words = _SAYS.get(language or "")
    match = re.search(rf"\b(?:{words})(?!\w)", text, re.IGNORECASE) if words else None
    return match.group() if match else None


def _denied(text: str, language: str | None) -> frozenset[str]:
    """The stems of the words that a denial stands before: the next word of content; without one, the word before it."""
    found: set[str] = set()
    for start, end in caution.denials(text, language):
        following = [word for _, _, word in placed_words(text[end:])][:NEXT_WORDS]
        before = [word for _, _, word in placed_words(text[:start])][-2:]
        meant = [word for word in following if not is_stop_word(word, language)] or [
            word for word in reversed(before) if not is_stop_word(word, language)
        ]
        found.update(stem(word, language) for word in meant[:1])
    return frozenset(found)

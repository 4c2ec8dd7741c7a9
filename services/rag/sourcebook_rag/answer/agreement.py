"""What must agree before a statement counts as found: bounds, direction, scope of a denial, and who says it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sourcebook_core.text import numbers
from sourcebook_core.text.lexemes import is_stop_word, placed_words, stem
from sourcebook_rag.answer import caution, concepts

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
_COMPARES = {"en": "than", "de": "als", "cs": "než", "es": "que", "fr": "que"}
# A bound of the passage that a claim may not lose ("some patients", "only adults", "if the leader agrees").
_KEPT = frozenset({"some", "most", "only", "except", "if", "never", "nearly", "can", "over", "under"})
_MAY_ADD = frozenset({"can"})  # and one that a claim may add
NEXT_WORDS = 4  # a denial denies the next word of content, if it comes so soon


def without_light(missing: Sequence[str], language: str | None) -> list[str]:
    """The missing words without those that add nothing."""
    light = set(_LIGHT.get(language or "", "").split())
    return [word for word in missing if word not in light and not numbers.is_scale_word(word)]


@dataclass(frozen=True, slots=True)
class Difference:
    """A word that keeps a claim from being found; `in_source`: the passage has it and is the more careful side."""

    word: str
    in_source: bool = False


def bound_lost(claim: str, language: str | None, whole: str, carrying: str, spoken: str | None) -> Difference | None:
    """A bound, unit, day, month or season that only one side has; None when both agree.

    `whole` are the sentences of the quote, `carrying` its clauses that carry the claim, `spoken` their language.
    """
    ours, theirs = concepts.bounds(claim, language), concepts.bounds(whole, spoken)
    added = (ours - theirs - _MAY_ADD) or (concepts.members(claim, language) - concepts.members(whole, spoken))
    lost = (concepts.bounds(carrying, spoken) & _KEPT) - ours
    if lost:
        return Difference(concepts.written(min(lost), carrying, spoken), in_source=True)
    return Difference(concepts.written(min(added), claim, language)) if added else None


def turned(claim: str, language: str | None, text: str, spoken: str | None) -> Difference | None:
    """The side of an axis that the claim has while the text has only the other one ("later" beside "earlier")."""
    ours, theirs = concepts.sides(claim, language), concepts.sides(text, spoken)
    side = next((side for side in sorted(ours - theirs) if concepts.OPPOSITE.get(side) in theirs), None)
    return Difference(concepts.written(side, claim, language)) if side else None


def attribution_lost(claim: str, language: str | None, text: str, spoken: str | None) -> Difference | None:
    """The word by which one side alone says that somebody else says it, or that it is not sure."""
    ours = _says(claim, language) or caution.caution(claim, language)
    theirs = _says(text, spoken) or caution.caution(text, spoken)
    if bool(ours) == bool(theirs):
        return None
    return Difference(theirs, in_source=True) if theirs else Difference(ours or "")


def denied_otherwise(claim: str, text: str, language: str | None) -> Difference | None:
    """A word of both sides that only one of them denies. Both sides are of one language."""
    ours, theirs = _denied(claim, language), _denied(text, language)
    here = {stem(word, language): word for _, _, word in placed_words(claim)}
    there = {stem(word, language) for _, _, word in placed_words(text)}
    return next((Difference(here[root]) for root in sorted(ours ^ theirs) if root in here and root in there), None)


def compares(text: str, language: str | None) -> bool:
    """Whether the text compares two things: which of them is more cannot be told across languages."""
    word = _COMPARES.get(language or "")
    return word is not None and re.search(rf"\b{word}\b", text, re.IGNORECASE) is not None and bool(concepts.sides(text, language))


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

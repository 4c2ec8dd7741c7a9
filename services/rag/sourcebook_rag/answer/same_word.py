"""Whether two words are forms of one word, or say the same."""

from __future__ import annotations

from sourcebook_rag.answer.synonyms import same_meaning


def same_word(one: str, one_stem: str, other: str, other_stem: str, language: str | None) -> bool:
    """Whether two folded words with their stems are the same word: as written, by stem, by a long common beginning, or by a
    common word that says the same."""
    if one == other or one_stem == other_stem or akin(one, other):
        return True
    return (language == "de" and akin(_bare(one), _bare(other))) or same_meaning(one, other, language)


def akin(one: str, other: str) -> bool:
    """Whether two words share so long a beginning that they are forms of one word ("approve", "approval")."""
    if one[:4] != other[:4]:
        return False
    shared = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        shared += 1
    longer = max(len(one), len(other))
    return (shared >= 5 and shared >= 0.65 * longer) or (shared >= 4 and shared >= 0.75 * longer)


def _bare(word: str) -> str:
    """A German word without the "ge-" of a participle ("gebaut" beside "baute")."""
    return word[2:] if word.startswith("ge") and len(word) >= 6 else word

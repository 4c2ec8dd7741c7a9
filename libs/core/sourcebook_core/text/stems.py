"""Snowball stems, which only have to make question and text agree."""

import threading
from collections.abc import Sequence

import Stemmer

_SNOWBALL = {
    "ar": "arabic", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german", "el": "greek", "en": "english", "es": "spanish",
    "et": "estonian", "eu": "basque", "fa": "persian", "fi": "finnish", "fr": "french", "ga": "irish", "hi": "hindi", "hu": "hungarian",
    "hy": "armenian", "id": "indonesian", "it": "italian", "lt": "lithuanian", "nb": "norwegian", "ne": "nepali", "nl": "dutch",
    "nn": "norwegian", "no": "norwegian", "pl": "polish", "pt": "portuguese", "ro": "romanian", "ru": "russian", "sr": "serbian",
    "sv": "swedish", "ta": "tamil", "tr": "turkish",
}  # fmt: skip
# Words whose stem is another word's: a business is not busy (S2-06).
_KEPT = {"en": {"business": "business", "businesses": "business"}}
_local = threading.local()


def stem(word: str, language: str | None) -> str:
    """The Snowball stem of a folded word; the word itself where its language is unknown, has no stemmer, or is no word of letters."""
    return stems((word,), language)[0]


def stems(of_words: Sequence[str], language: str | None) -> list[str]:
    """The stem of each of these words, as `stem` gives it."""
    name = _SNOWBALL.get(language or "")
    if name is None:
        return list(of_words)
    kept = _KEPT.get(language or "", {})
    return [kept.get(word) or found or word for found, word in zip(_stemmer(name).stemWords(list(of_words)), of_words, strict=True)]


def _stemmer(name: str) -> Stemmer.Stemmer:
    """One stemmer per thread and language: a Snowball stemmer keeps state while it works."""
    kept: dict[str, Stemmer.Stemmer] = _local.__dict__.setdefault("stemmers", {})
    if name not in kept:
        kept[name] = Stemmer.Stemmer(name)
    return kept[name]

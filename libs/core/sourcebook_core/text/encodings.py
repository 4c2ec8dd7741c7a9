"""Which older encoding a file without a mark is in: the one whose text reads like a language."""

import re
from collections import Counter

from sourcebook_core.text.language import identify

# In the order of how often such files are met; a tie goes to the earlier one.
CANDIDATES = (
    "cp1252", "cp1250", "iso-8859-2", "cp1251", "koi8-r", "koi8-u", "iso-8859-5", "cp1253", "iso-8859-9", "cp1257", "cp1255", "cp1256",
    "cp949", "cp932", "euc_jp", "gb18030", "big5", "cp437", "cp852", "cp850", "mac_roman",
)  # fmt: skip
HEAD_BYTES = 60_000
LEAST_SCORE = 0.75
_CAPITAL_COST = 0.1  # the small letters of one Cyrillic encoding are the capitals of another

_PUNCTUATION = (
    "\u2018\u2019\u201a\u201c\u201d\u201e\u2013\u2014\u2026\u2022\u20ac\u00a7\u00b0\u00ab\u00bb\u00a0\u00a1\u00bf\u00b7\u00b2\u00b3\u00bd\u00d7"
    "\u00a9\u00ae\u2122\u00b1\u2039\u203a"
)
# Letters beyond ASCII that a language uses, small; a text in it has few others.
_LETTERS = {
    "ca": "àçèéíïòóúü", "cs": "áčďéěíňóřšťúůýž", "da": "æøåé", "de": "äöüßé", "en": "éïöèüçà", "es": "áéíñóúü", "et": "äõöüšž",
    "fi": "äöåšž", "fr": "àâæçèéêëîïôœùûüÿ", "hr": "čćđšž", "hu": "áéíóöőúüű", "it": "àèéìíîòóùú", "lt": "ąčęėįšųūž",
    "lv": "āčēģīķļņšūž", "nl": "éëïóöüèáê", "no": "æøåéòô", "pl": "ąćęłńóśźż", "pt": "áâãàçéêíóôõúü", "ro": "ăâîșțşţ",
    "sk": "áäčďéíĺľňóôŕšťúýž", "sl": "čšž", "sv": "åäöé", "tr": "çğıöşüâîİ", "ru": "абвгдежзийклмнопрстуфхцчшщъыьэюяё",
    "uk": "абвгґдеєжзиіїйклмнопрстуфхцчшщьюя", "bg": "абвгдежзийклмнопрстуфхцчшщъьюя", "sr": "абвгдђежзијклљмнњопрстћуфхцчџш",
    "el": "αβγδεζηθικλμνξοπρστυφχψωςάέήίόύώϊϋΐΰ", "he": "אבגדהוזחטיךכלםמןנסעףפץצקרשת",
}  # fmt: skip
_WIDE = "\u3000-\u3003\u3005-\u3011\uff01-\uff5e"
_RANGES = {
    "zh": re.compile(f"[{_WIDE}\u4e00-\u9fff]"),
    "ja": re.compile(f"[{_WIDE}\u3041-\u30ff\u4e00-\u9fff]"),
    "ko": re.compile(f"[{_WIDE}\uac00-\ud7a3]"),
    "ar": re.compile("[\u0600-\u06ff]"),
    "fa": re.compile("[\u0600-\u06ff]"),
    "th": re.compile("[\u0e00-\u0e7f]"),
}
# Their double bytes give plausible ideographs for one another's texts; kana and Hangul tell them apart.
_ONLY_FOR = {"cp932": "ja", "euc_jp": "ja", "cp949": "ko", "gb18030": "zh", "big5": "zh"}
# What no writer types: a sign or a capital inside a word, a control of the upper half, a piece of a frame.
_ODD = re.compile(
    "[^\\W\\d_][\u00a1-\u00b6\u00b8-\u00bf\u00d7\u00f7\u2020-\u2022\u2030\u2122][^\\W\\d_]"
    "|[a-zß-öø-ÿа-яά-ώ][A-ZÀ-ÖØ-ÞЀ-ЯΑ-Ω](?=[a-zß-öø-ÿа-яά-ώ]|\\b)|[\x80-\x9f\u2500-\u259f]"
)


def detect(content: bytes) -> str | None:
    """The encoding whose reading of the head of `content` looks most like a language, or None when none does.

    Meant for bytes that are not UTF-8: every byte above 127 must be a letter or mark of the language the rest is in.
    """
    head = content[:HEAD_BYTES]
    best, best_score = None, LEAST_SCORE
    for encoding in CANDIDATES:
        score = _score(head, encoding)
        if score > best_score + 1e-9:
            best, best_score = encoding, score
    return best


def _score(head: bytes, encoding: str) -> float:
    """How well the head reads in this encoding, at most 1; 0 when it cannot be read."""
    try:
        # The cut may split the last character of several bytes.
        text = head.decode(encoding, "strict" if len(head) < HEAD_BYTES else "ignore")
    except UnicodeDecodeError:
        return 0.0
    beyond = Counter(char for char in text if ord(char) > 127)
    total = sum(beyond.values())
    language = identify(text)
    if language is None or not total or language != _ONLY_FOR.get(encoding, language):
        return 0.0
    known = sum(count for char, count in beyond.items() if _belongs(char, language))
    capitals = sum(count for char, count in beyond.items() if char.isupper())
    return (known - capitals * _CAPITAL_COST) / total - 3 * len(_ODD.findall(text)) / total


def _belongs(char: str, language: str) -> bool:
    if char in _PUNCTUATION:
        return True
    if language in _RANGES:
        return bool(_RANGES[language].match(char))
    return char.lower() in _LETTERS.get(language, "")

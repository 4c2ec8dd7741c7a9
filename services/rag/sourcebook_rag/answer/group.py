"""What the words between two brackets must look like to be a citation."""

import re

MAX_GROUP_CHARS = 24  # C30: an open "[" is held for at most this many characters

CLOSINGS = {"[": "]", "【": "】", "［": "］"}  # the last pair is full-width

_BLANK = "[ \t\u00a0\u202f\u3000]*"
_NAMES = (
    "sources?|src|docs?|documents?|passages?|excerpts?|refs?|references?|citations?"
    "|quellen?|dokumente?|belege?|passagen|textstellen?|fundstellen?"
    "|zdroje?|zdroj[ůi]|dokument[yů]?|prameny?|úryv(?:ek|ky)|pasáže?|citace"
    "|fuentes?|documentos?|pasajes?|fragmentos?|referencias?|citas?"
    "|extraits?|références?"
)
_NUMBER_WORD = "no|nr|n|č|núm"  # "zdroj č. 3", "source n° 1": only behind a name
_AND = "and|und|a|y|et"
_LABEL = rf"(?:(?:{_NAMES}){_BLANK}[.:#_-]?{_BLANK}(?:(?:{_NUMBER_WORD})\.?[°º]?{_BLANK})?|[#^])?"
_DASH = "\u2010-\u2015\u2212\uff0d-"
_COMMA = ",;&/\uff0c\u3001\uff1b"
_ITEM = rf"{_LABEL}(\d{{1,3}})(?:{_BLANK}[{_DASH}]{_BLANK}{_LABEL}(\d{{1,3}}))?"
_SEPARATOR = rf"{_BLANK}(?:[{_COMMA}]|\b(?:{_AND})\b){_BLANK}"
_GROUP = re.compile(rf"{_BLANK}{_ITEM}(?:{_SEPARATOR}{_ITEM})*{_BLANK}(?:\u2020[^\n`\[(]*)?", re.IGNORECASE)
_ITEMS = re.compile(_ITEM, re.IGNORECASE)
_THOUSANDS = re.compile(r"\d,\d{3}(?!\d)")
MAX_RANGE = 100  # "[100-999]" names no passages
_BRACKETS = re.escape("".join(CLOSINGS) + "".join(CLOSINGS.values()))
# Seen after an open bracket, one of these means that no citation can come of it any more: a line end or another bracket, four
# digits, a sign that citations do not have, a finished word that is no label.
NEVER_IN_GROUP = re.compile(
    rf"[\n`{_BRACKETS}(]|^[^\u2020]*?(?:\d{{4}}|[^\w \t\u00a0\u202f\u3000{_COMMA}.:#^°º\u2020{_DASH}]"
    rf"|(?<![^\W\d_])(?!(?:{_NAMES}|{_NUMBER_WORD}|{_AND})(?![^\W\d_]))[^\W\d_]+(?=[\W\d_]))",
    re.IGNORECASE,
)


def cited_numbers(inside: str, valid_n: int = 0) -> list[int] | None:
    """The passage numbers that the words between two brackets cite, each once in order, or None when they are no citation.

    Numbers have at most three digits; one that is 0, a range that runs down or is too wide, "1,234", decimals and words make it none.
    Source: N-07.
    """
    if not _GROUP.fullmatch(inside) or (valid_n < 100 and _THOUSANDS.search(inside)):
        return None
    numbers: list[int] = []
    for match in _ITEMS.finditer(inside.split("\u2020")[0]):
        first = int(match.group(1))
        last = int(match.group(2) or first)
        if first == 0 or last < first or last - first > MAX_RANGE:
            return None
        numbers.extend(range(first, last + 1))
    return list(dict.fromkeys(numbers))

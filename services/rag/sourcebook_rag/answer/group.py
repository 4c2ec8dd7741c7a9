"""What the words between two brackets must look like to be a citation."""

import re

MAX_GROUP_CHARS = 24  # C30: an open "[" is held for at most this many characters

_BLANK = "[ \\t\\u00a0]*"
_NAMES = (
    "sources?|docs?|documents?|passages?|refs?|references?|citations?|quellen?|dokumente?|belege?|zdroje?|dokumenty?|prameny?"
    "|fuentes?|documentos?|pasajes?|extraits?"
)
_AND = "and|und|a|y|et"
_LABEL = f"(?:(?:{_NAMES}){_BLANK}[.:#]?{_BLANK}|[#^])?"
_ITEM = rf"{_LABEL}(\d{{1,3}})(?:{_BLANK}[-\u2010-\u2014]{_BLANK}{_LABEL}(\d{{1,3}}))?"
_SEPARATOR = rf"{_BLANK}(?:[,;&/]|\b(?:{_AND})\b){_BLANK}"
_GROUP = re.compile(rf"{_BLANK}{_ITEM}(?:{_SEPARATOR}{_ITEM})*{_BLANK}(?:\u2020[^\n`\[(]*)?", re.IGNORECASE)
_ITEMS = re.compile(_ITEM, re.IGNORECASE)
_THOUSANDS = re.compile(r"\d,\d{3}(?!\d)")
# Seen after an open bracket, one of these means that no citation can come of it any more: a line end or another bracket, four
# digits, a sign that citations do not have, a finished word that is no label.
NEVER_IN_GROUP = re.compile(
    "[\n`\\[【\\]】(]|^[^\u2020]*?(?:\\d{4}|[^\\w \t\u00a0,;&/.:#^\u2010-\u2014\u2020-]"
    rf"|(?<![^\W\d_])(?!(?:{_NAMES}|{_AND})(?![^\W\d_]))[^\W\d_]+(?=[\W\d_]))",
    re.IGNORECASE,
)


def cited_numbers(inside: str, valid_n: int = 0) -> list[int] | None:
    """The passage numbers that the words between two brackets cite, each once in order, or None when they are no citation.

    Numbers have at most three digits; one that is 0, a range that runs down, "1,234", decimals and words make it none. Source: N-07.
    """
    if not _GROUP.fullmatch(inside) or (valid_n < 100 and _THOUSANDS.search(inside)):
        return None
    numbers: list[int] = []
    for match in _ITEMS.finditer(inside.split("\u2020")[0]):
        first = int(match.group(1))
        last = int(match.group(2) or first)
        if first == 0 or last < first:
            return None
        numbers.extend(range(first, last + 1))
    return list(dict.fromkeys(numbers))

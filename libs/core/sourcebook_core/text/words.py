"""The words of a text, and its names and numbers kept whole beside them."""

import re
from collections.abc import Collection, Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Literal, NamedTuple

from sourcebook_core.text.folding import fold, plain_forms
from sourcebook_core.text.scripts import HANGUL, IDEOGRAPHS, INVISIBLE, UNSPACED, combining_marks, invisible_pattern

MIN_WORD_CHARS = 2  # S2-04
MAX_WORD_BYTES = 255
MAX_IDENTIFIER_CHARS = 64
_SURELY_SHORT = MAX_WORD_BYTES // 4

# Words that stop lists hold and that name something where they stand in capitals. Others in capitals are only stressed ("NOT").
NAMES_IN_CAPITALS = frozenset({"who", "us", "it"})


Whole = Literal["name", "spelling", "measure"]


class Token(NamedTuple):
    """A run of a folded text without a blank: its words, and the terms beside them.

    What `wholes` are says `kind`: `name`: one form that means one thing exactly ("lk204" of "lk-204"); `spelling`: other ways to
    write its words ("wifi" of "wi-fi", "1234.5" of "1.234,5"); `measure`: the number and the unit of "50km".
    """

    parts: tuple[str, ...]
    wholes: tuple[str, ...] = ()
    kind: Whole = "spelling"


def words(text: str) -> list[str]:
    """The folded words of a text in order: runs of letters and digits of two or more characters, pairs of neighbours in
    scripts without spaces and in Hangul. Words over 255 bytes are dropped. Source: S2-03, S2-04, B38."""
    return words_of_folded(fold(text))


def words_of_folded(folded: str) -> list[str]:
    """The words of a text that is folded already."""
    return scan(folded)[0]


def scan(folded: str) -> tuple[list[str], list[str]]:
    """The words of a folded text in order, and all that `tokens` gives beside them. Linear in the length of the text."""
    found: list[str] = []
    wholes: list[str] = []
    for pairs, sharp, word, more in _word_pattern().findall(folded):
        if word and not more and word[0] > "9" and 1 < len(word) < _SURELY_SHORT:
            found.append(word)  # nearly all of them
        else:
            for token in _tokens_of(pairs, sharp, word, more):
                found += token.parts
                wholes += token.wholes
    return found, wholes


def tokens(folded: str) -> Iterator[Token]:
    """The runs of a folded text in order; together their parts are its words."""
    for match in _word_pattern().finditer(folded):
        yield from _tokens_of(*match.groups(""))


def _tokens_of(pairs: str, sharp: str, word: str, more: str) -> Iterator[Token]:
    if more:
        yield from _joined(word + more)
    elif pairs:
        yield Token(tuple(_pairs(pairs)))
    elif sharp:
        yield Token((), (sharp,), "name")
    elif len(word) >= MIN_WORD_CHARS and _is_short(word):
        yield _measure(word) if word[0] <= "9" and not word[-1].isdecimal() else Token((word,))


def placed_words(text: str) -> list[tuple[int, int, str]]:
    """The same words with their half-open places in the text as it stands, unfolded."""
    found: list[tuple[int, int, str]] = []
    for match in _placed_pattern().finditer(text):
        start, end = match.span()
        if match.lastgroup == "pairs":
            found.extend((start + place, start + place + len(pair), fold(pair)) for place, pair in enumerate(_pairs(match.group())))
            continue
        word = fold(match.group())
        if len(word) >= MIN_WORD_CHARS and _is_short(word):
            found.append((start, end, word))
    return found


def numbered_names(text: str) -> list[str]:
    """Names of capitals with a number behind a blank as one term each: "ISO 9001" is iso9001, like "ISO-9001". No years, and no
    Roman numbers."""
    found = (match.groups() for match in _NUMBERED.finditer(text))
    return [(name + number).casefold() for name, number in found if not _ROMAN.issuperset(name)]


def capital_names(text: str, stops: Collection[str]) -> list[str]:
    """The words of `NAMES_IN_CAPITALS` that are stop words and stand in capitals, folded; none of a text that is all capitals."""
    if NAMES_IN_CAPITALS.isdisjoint(stops):
        return []
    found = [match.group().casefold() for match in _IN_CAPITALS.finditer(text)]
    return [] if found and _is_shouted(text) else [name for name in found if name in stops]


def spaced_numbers(folded: str) -> list[str]:
    """Numbers whose thousands stand apart by a blank or an apostrophe ("1 500") as they are written without."""
    return [re.sub(r"\D", "", match.group()) for match in _SPACED.finditer(folded)]


def identifiers_in(text: str) -> list[str]:
    """Names that mean one thing exactly: letters with digits ("H2O", "v1.2.3", "COVID-19"), snake_case, CamelCase, paths, acronyms."""
    seen = invisible_pattern().sub("", text)
    runs = (match.group().strip("./+-") for match in _RUN.finditer(seen))
    found = [run for run in runs if 2 <= len(run) <= MAX_IDENTIFIER_CHARS and _IDENTIFIER.fullmatch(run)]
    # In a text typed in capitals, capitals alone name nothing.
    return [name for name in found if not name.isalpha()] if _is_shouted(seen) else found


def names_by_case(text: str) -> set[str]:
    """Words that only their capitals make names (acronyms, CamelCase), folded."""
    if _is_shouted(text):
        return set()
    return {fold(run) for run in _RUN.findall(plain_forms(text)) if run.isalpha() and _IDENTIFIER.fullmatch(run)}


def _is_shouted(text: str) -> bool:
    """Whether capitals tell nothing, for all of several words are in capitals."""
    return text.isupper() and len(_CASED.findall(text)) > 1


def is_name(word: str) -> bool:
    """Whether a folded word without signs names one thing: letters with digits ("h2o", "e1234"), no measure and no ordinal."""
    return bool(_MIXED.fullmatch(word)) and not _MEASURE.fullmatch(word)


def _joined(run: str) -> Iterator[Token]:
    """What a run with signs inside it says: each piece between slashes by itself, and the run as a whole where it is a name."""
    pieces = run.split("/")
    if len(pieces) == 1:
        yield _compound(run)
        return
    if all(len(piece) == 1 for piece in pieces) and len(pieces) <= 3:
        yield Token((), (run,))  # "i/o", "a/b", "1/2"
        return
    if len(run) <= MAX_IDENTIFIER_CHARS and _NUMERIC.fullmatch(run):
        yield Token(tuple(one for one in _SIGNS_IN_NUMBERS.split(run) if len(one) >= MIN_WORD_CHARS), (run,))  # "9/11", "1/2/2024"
        return
    for piece in pieces:
        yield _compound(piece)
    if len(pieces) > 2 and len(run) <= MAX_IDENTIFIER_CHARS:
        yield Token((), (run,), "name")


def _compound(run: str) -> Token:
    """One piece without slashes: its words, its whole form, and whether that is a name."""
    pieces = _SIGNS.split(run)
    parts = tuple(piece for piece in pieces if len(piece) >= MIN_WORD_CHARS and _is_short(piece))
    if len(run) > MAX_IDENTIFIER_CHARS or len(run) < MIN_WORD_CHARS:
        return Token(parts)
    if len(pieces) == 1:
        return _measure(run) if run[0] <= "9" and not run[-1].isdecimal() else Token(parts)
    if _NUMERIC.fullmatch(run):
        return Token(parts, (_number(run),))
    measured = _MEASURE.fullmatch(run)
    if measured:
        number, unit = measured.groups()
        return Token(parts, (_number(number), *((unit,) if len(unit) >= MIN_WORD_CHARS else ())), "measure")
    if _ABBREVIATED.fullmatch(run):
        return Token(parts, (run.replace(".", ""),))
    is_name = _NAME.fullmatch(run) and not _NO_NAME.fullmatch(run)
    return Token(parts, (_GLUED.sub("", run),), "name" if is_name else "spelling")


def _measure(run: str) -> Token:
    """ "50km" is also 50 and km; "10th", "3d" and "2nd" are one word each."""
    measured = _MEASURE.fullmatch(run)
    if not measured or measured.group(2) in _ORDINALS:
        return Token((run,))
    return Token((run,), tuple(piece for piece in measured.groups() if len(piece) >= MIN_WORD_CHARS), "measure")


def _number(run: str) -> str:
    """A number in one form: thousands joined, a point before the decimals; what is no such number (a date, a version) as it is."""
    if _THOUSANDS.fullmatch(run):
        whole, mark, decimals = run, "", ""
        if _DECIMALS.search(run):
            whole, mark, decimals = run[: _last_sign(run)], ".", run[_last_sign(run) + 1 :]
        return re.sub("[.,]", "", whole) + mark + decimals
    return run.replace(",", ".")


def _last_sign(run: str) -> int:
    return max(run.rfind("."), run.rfind(","))


def _is_short(word: str) -> bool:
    return len(word) * 4 <= MAX_WORD_BYTES or len(word.encode("utf-8", "replace")) <= MAX_WORD_BYTES


def _pairs(run: str) -> Iterator[str]:
    if len(run) == 1:
        yield run
    for first, second in pairwise(run):
        yield first + second


@lru_cache(maxsize=1)
def _word_pattern() -> re.Pattern[str]:
    """Runs of words with signs between them, in one pass. Every repeat is possessive: the scan is linear and keeps no places."""
    letter, inner = _letter(), f"[{combining_marks()}]"
    word = f"{letter}++(?:{inner}++{letter}*+)*+"
    sign = f"(?:[-_./@&](?={letter})|[,:](?<=\\d[,:])(?=\\d))"
    return re.compile(
        f"(?P<pairs>[{_PAIRED}]++)|(?P<sharp>\\b[a-z]{{1,2}}(?:\\+\\+|#)(?![\\w+#]))|(?P<word>{word})(?P<more>(?:{sign}{word})++)?+"
    )


@lru_cache(maxsize=1)
def _placed_pattern() -> re.Pattern[str]:
    letter, inner = _letter(), f"[{combining_marks()}{INVISIBLE}]"
    return re.compile(f"(?P<pairs>[{_PAIRED}]++)|(?P<word>{letter}++(?:{inner}++{letter}*+)*+)")


def _letter() -> str:
    return f"[^\\W_{_PAIRED}]"


# The middle dot stands between the words of a Japanese name and is none of their letters.
_PAIRED = f"{IDEOGRAPHS}{HANGUL}{UNSPACED}".replace("\u30a0-\u30ff", "\u30a1-\u30fa\u30fc-\u30ff")
_SIGNS = re.compile(r"[-_.,:@&]")
_SIGNS_IN_NUMBERS = re.compile(r"[-./,:]")
_NUMERIC = re.compile(r"\d+(?:[-./,:]\d+)*")
_THOUSANDS = re.compile(r"\d{1,3}(?:\.\d{3})+(?:,\d+)?|\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_DECIMALS = re.compile(r"\.\d+,\d+$|,\d+\.\d+$")
_MEASURE = re.compile(r"(\d+(?:[.,]\d+)*)([^\W\d_]{1,3})")
_ORDINALS = frozenset({"st", "nd", "rd", "th"})
_ABBREVIATED = re.compile(r"[^\W\d_](?:\.[^\W\d_])+")  # u.s, e.g, z.b
# A hyphen or underscore beside a letter tells nothing: "LK-204" is LK204, snake_case is snakeCase. Between digits it does.
_GLUED = re.compile(r"(?<=[^\W\d_])[-_]|[-_](?=[^\W\d_])")
_NAME = re.compile(
    r"(?=.*\d)(?=.*[^\W\d_])\w+(?:[-:]\w+)*"  # covid-19, lk_204
    r"|(?=.*(?:[^\W\d_]\d|\d[^\W\d_]))[\w.:-]+"  # v1.2.3: one of its pieces is letters with digits
    r"|.*[^\W_]_[^\W_].*"  # snake_case
    r"|.+@.+"
)
_NO_NAME = re.compile(r"\d+(?:st|nd|rd|th)?(?:-\d+)*(?:-[^\W\d_]+)+|\d+(?:[-.,]\d+)*[^\W\d_]{1,3}")  # 18-year-old, 10th-century, 3-5kg
_MIXED = re.compile(r"(?=.*\d)(?=.*[^\W\d_])\w+")
# What may stand before them is looked at behind their first character: a pattern that begins with a class of characters is quick.
_NUMBERED = re.compile(
    r"([A-Z\u0410-\u042f](?<![\w.-].)[A-Z\u0410-\u042f]{1,5})[ \u00a0](?!(?:19|20)\d\d(?!\d))(\d{1,8}[A-Za-z]?)(?!\w|[.,]\d)"
)
_IN_CAPITALS = re.compile(r"[IUW](?<!\w.)(?:(?<=I)T|(?<=U)S|(?<=W)HO)\b(?!['\u2019])")
_SPACED = re.compile(r"\d(?<![\w.,].)\d{0,2}(?:[ \u00a0\u2009\u202f'\u2019]\d{3}){1,5}(?!\w)")
_ROMAN = frozenset("IVX")
_CASED = re.compile(f"[^\\W\\d_{_PAIRED}]{{2,}}")
_RUN = re.compile(f"(?:[^\\W{_PAIRED}]|[./+-])+")
_IDENTIFIER = re.compile(
    r"(?!\d+(?:st|nd|rd|th)?(?:-\d+)*(?:-[^\W\d_]+)*$)(?=.*\d)(?=.*[^\W\d_])\w+(?:[.+-]\w+)*"  # H2O, COVID-19, v1.2.3; not 18-year-old
    r"|[^\W_]+(?:_[^\W_]+)+"  # snake_case
    r"|[^\W\d_]*[a-zà-öø-ÿ][A-Z]\w*"  # CamelCase
    r"|[A-Z]{2,}"  # ABC
    r"|(?=.*[^\W\d_])[\w.-]+(?:/[\w.-]+){2,}"  # a/longer/path; not and/or
)

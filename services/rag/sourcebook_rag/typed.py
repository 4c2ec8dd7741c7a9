"""What a person typed into a search: words, "exact phrases" and beginnings*, and where a text holds them. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from sourcebook_core.text.operators import without_operators
from sourcebook_core.text.scripts import HANGUL, IDEOGRAPHS, INVISIBLE, UNSPACED, combining_marks

LEAST_BEGINNING = 2  # letters of `wo*`: one letter begins words of every text

_QUOTED = re.compile(
    '"([^"]*)"|\u201c([^\u201d]*)\u201d|\u201e([^\u201c\u201d]*)[\u201c\u201d]|\u00ab([^\u00bb]*)\u00bb|\u300c([^\u300d]*)\u300d'
)
_BEGINNING = re.compile(r"(?<![\w*])(\w[\w'\u2019-]*)\*")
# One look for signs that are typed one way and printed another.
_PRINTED = {"'": "\u2018\u2019\u201a\u201b", '"': "\u201c\u201d\u201e\u201f", "-": "\u2010\u2011\u2012\u2013\u2014"}
_PLAIN = str.maketrans({sign: plain for plain, signs in _PRINTED.items() for sign in signs})
_BROKEN = f"[{INVISIBLE}]*\u00ad[{INVISIBLE}]*[ \\t]*\\r?\\n\\s*"  # the line end after a soft hyphen: it broke a word
_NO_BLANKS = IDEOGRAPHS + UNSPACED  # a blank between two of these is a line end of the page; Hangul has blanks of its own
_BETWEEN_UNSPACED = re.compile(f"(?<=[{_NO_BLANKS}]) (?=[{_NO_BLANKS}])")
_UNSPACED = re.compile(f"[{IDEOGRAPHS}{UNSPACED}{HANGUL}]")
_UNSEEN = re.compile(f"{_BROKEN}|[{INVISIBLE}]+")
_BLANKS = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Typed:
    """A query: all its words, the phrases that a text must hold, and the beginnings that some word of it must have (both folded)."""

    words: str
    phrases: tuple[str, ...] = ()
    beginnings: tuple[str, ...] = ()

    @property
    def is_exact(self) -> bool:
        """Whether it asks for more than words: then the text decides, and meaning is not asked."""
        return bool(self.phrases or self.beginnings)


@dataclass(frozen=True, slots=True)
class Squeezed:
    """A text as phrases are compared: folded, each run of blanks one space (none between characters of scripts without spaces),
    words that a line end broke whole again. `starts` and `ends` say where each character stands in the text itself."""

    text: str
    starts: list[int]
    ends: list[int]


def parse(query: str) -> Typed:
    """What a query asks for. Quotes or stars with no word in them ask for nothing: then it is read as plain words."""
    quoted = (squeeze(next(filter(None, match.groups()), "")) for match in _QUOTED.finditer(query))
    phrases = tuple(dict.fromkeys(one for one in quoted if any(char.isalnum() for char in one)))
    rest = _QUOTED.sub(" ", query)
    begun = (squeeze(match.group(1)) for match in _BEGINNING.finditer(rest))
    beginnings = tuple(dict.fromkeys(one for one in begun if len(one) >= LEAST_BEGINNING or _is_unspaced(one)))
    return Typed(without_operators(query) or query, phrases, beginnings)


def squeeze(text: str) -> str:
    """The text as phrases are compared: `squeezed` without the places, and many times faster."""
    seen = _fold(_UNSEEN.sub("", text))
    return _BETWEEN_UNSPACED.sub("", _BLANKS.sub(" ", seen).strip())


def squeezed(text: str) -> Squeezed:
    """The text as phrases are compared, with the place of each character."""
    out: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for match in _pieces().finditer(text):
        if match.lastgroup == "unseen":
            continue
        told = " " if match.lastgroup == "blank" else _fold(_UNSEEN.sub("", match.group()))
        if told == " " and (not out or out[-1] == " "):
            continue
        if out and out[-1] == " " and _unwritten(out, told):
            for kept in (out, starts, ends):
                kept.pop()
        for char in told:
            out.append(char)
            starts.append(match.start())
            ends.append(match.end())
    length = len(out) - (out[-1:] == [" "])
    return Squeezed("".join(out[:length]), starts[:length], ends[:length])


def _fold(text: str) -> str:
    """One way to write what is typed one way and printed another. It looks at no neighbours, unlike the folding of words."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text.translate(_PLAIN)).casefold())
    return folded.replace("i\u0307", "i")  # a capital dotted I, as in the folding of words


def _unwritten(out: Sequence[str], told: str) -> bool:
    """Whether the blank at the end stands between characters of scripts that have none."""
    return len(out) > 1 and _BETWEEN_UNSPACED.search(f"{out[-2]} {told[:1]}") is not None


def holds(typed: Typed, text: str) -> bool:
    """Whether a text has every phrase and a word for every beginning."""
    whole = squeeze(text)
    return all(any(True for _ in _found(one, whole)) for one in typed.phrases) and all(
        any(True for _ in _found(one, whole, is_beginning=True)) for one in typed.beginnings
    )


def places(wanted: str, of: Squeezed, *, is_beginning: bool = False) -> Iterator[tuple[int, int]]:
    """Where a folded phrase stands in a text, half-open; it begins and ends at borders of words. Of a beginning, the whole word."""
    for at, end in _found(wanted, of.text, is_beginning=is_beginning):
        yield of.starts[at], of.ends[end - 1]


def _found(wanted: str, text: str, *, is_beginning: bool = False) -> Iterator[tuple[int, int]]:
    at = text.find(wanted)
    while at >= 0:
        end = at + len(wanted)
        if is_border(text, at):  # first: only there is the rest of the word read, once
            while is_beginning and not is_border(text, end):
                end += 1
            if is_border(text, end):
                yield at, end
        at = text.find(wanted, at + 1)


def is_border(text: str, at: int) -> bool:
    """Whether no word goes on over this place; in scripts without spaces every place between characters is one."""
    if at <= 0 or at >= len(text):
        return True
    before, after = text[at - 1], text[at]
    if _joins().match(after):
        return False
    is_in_word = (before.isalnum() or _joins().match(before) is not None) and after.isalnum()
    return not is_in_word or _is_unspaced(before) or _is_unspaced(after)


def _is_unspaced(char: str) -> bool:
    return bool(char) and _UNSPACED.match(char) is not None


@lru_cache(maxsize=1)
def _joins() -> re.Pattern[str]:
    return re.compile(f"[{combining_marks()}{INVISIBLE}]")


@lru_cache(maxsize=1)
def _pieces() -> re.Pattern[str]:
    """Blanks, what is not seen (with the line end after a soft hyphen, which broke a word), and characters with their marks."""
    marks = f"{combining_marks()}\u1160-\u11ff{INVISIBLE}"
    return re.compile(f"(?P<unseen>{_BROKEN}|[{INVISIBLE}]+)|(?P<blank>\\s+)|(?P<char>.(?:(?!{_BROKEN})[{marks}])*)", re.DOTALL)

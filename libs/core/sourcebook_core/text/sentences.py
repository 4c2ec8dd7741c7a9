"""The sentences of a text as ranges into it, whatever it came from: prose, Markdown, wrapped lines of a PDF."""

import re
from collections.abc import Iterator

from sourcebook_core.text.chunk import Range

MAX_SENTENCE_CHARS = 600  # a longer one (a table, a list without stops) is cut at a clause or a blank

_SHORT_FORMS = """mr mrs ms dr prof st vs etc fig figs eq no vol pp ed eds al approx inc ltd dept est jr sr cf ca bzw usw ggf evtl nr abs
art bspw sog vgl inkl zzgl geb str tel max min mio mrd hr fr např tzv tj atd resp mj popř ing mgr bc kč sra ud uds pág núm ej aprox dra mme
mlle mm ex env av"""
_ABBREVIATIONS = frozenset(_SHORT_FORMS.split())
_MONTHS = re.compile(
    r"(?:Januar|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember|Jahrhundert|Platz|Kapitel|Jan|Feb|Apr|Aug|Sep|Okt|Nov|Dez)\b"
)
_STOP = re.compile(r"(?P<mark>[.!?\u2026]+|[\u3002\uff01\uff1f]+)(?P<close>[\"'\u201d\u2019\u00bb\u201c)\]\u300d]*)(?:\s*\[\d{1,3}\])*")
_NEXT = re.compile(r"\s+[\"'\u201c\u2018\u201e\u00ab\u00bf\u00a1(\[]*(?P<char>\S)")
_LINE_BREAK = re.compile(r"[ \t]*(?:\r\n|\r|\n)")
_BLOCK_START = re.compile(r"[ \t]*(?:#{1,6}\s|[-*+\u2022\u2013]\s|\d{1,3}[.)]\s|\||>|```|~~~)")
_TABLE_OR_HEADING = re.compile(r"[ \t]*(?:#{1,6}\s|\|)")
_ROW = " | "  # what stands between the cells of a row, in tables of files and of Markdown
_SHORT_LINE = 0.6  # a line under this share of the longest line near it ended on purpose
_CLAUSE = re.compile(r"[;:]\s|\s[\u2013\u2014]\s|(?:\r\n|\r|\n)|,\s")


def sentences(text: str, start: int = 0, end: int | None = None) -> list[Range]:
    """The sentences of `text[start:end]` in order, as half-open ranges without blanks at their edges.

    Blank lines, headings, list items and table rows end a sentence; a wrapped line does not. Every character that is not a
    blank lies in exactly one range.
    """
    stop = len(text) if end is None else end
    found: list[Range] = []
    for block_start, block_end in blocks(text, start, stop):
        # A row is one statement, whatever stops stand in its cells.
        is_row = text.find(_ROW, block_start, block_end) >= 0 and block_end - block_start <= MAX_SENTENCE_CHARS
        pieces = [(block_start, block_end)] if is_row else _split(text, block_start, block_end)
        for piece_start, piece_end in pieces:
            found.extend(_bounded(text, piece_start, piece_end))
    return found


def blocks(text: str, start: int = 0, end: int | None = None) -> Iterator[tuple[int, int]]:
    """Runs of lines of `text[start:end]` that are one paragraph, list item, heading or table row, as half-open ranges."""
    end = len(text) if end is None else end
    lines = _lines(text, start, end)
    longest = max((stop - begin for begin, stop in lines), default=0)
    block: tuple[int, int] | None = None
    for begin, stop in lines:
        line = text[begin:stop]
        if not line.strip():
            if block:
                yield block
            block = None
            continue
        if block and _begins_block(text, block, line, longest):
            yield block
            block = None
        block = (block[0], stop) if block else (begin, stop)
    if block:
        yield block


def _begins_block(text: str, block: tuple[int, int], line: str, longest: int) -> bool:
    if _BLOCK_START.match(line) or _ROW in line:
        return True
    last = re.split(r"[\r\n]", text[block[0] : block[1]])[-1]
    if _TABLE_OR_HEADING.match(last) or _ROW in last:
        return True
    first = line.lstrip()[:1]
    ended_early = len(last.rstrip()) < _SHORT_LINE * longest and not last.rstrip().endswith((",", "-", "\u00ad", ";"))
    return ended_early and (first.isupper() or first.isdigit())


def _lines(text: str, start: int, end: int) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    place = start
    for match in _LINE_BREAK.finditer(text, start, end):
        found.append((place, match.start()))
        place = match.end()
    found.append((place, end))
    return found


def _split(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    place = start
    for match in _STOP.finditer(text, start, end):
        if match.start() < place:
            continue
        if _ends_sentence(text, match, end):
            yield place, match.end()
            place = match.end()
    yield place, end


def _ends_sentence(text: str, match: re.Match[str], end: int) -> bool:
    if match.end() >= end or match.group("mark")[0] in "\u3002\uff01\uff1f":
        return True
    following = _NEXT.match(text, match.end(), end)
    if not following:
        return False
    char = following.group("char")
    if char.islower():
        return False
    if match.group("mark") != ".":
        return True
    before = re.search(r"[^\s(\u201e\u201c\"]+$", text[max(0, match.start() - 40) : match.start()])
    word = before.group() if before else ""
    last = word.lower().rsplit(".", 1)[-1]
    if not match.group("close") and (last in _ABBREVIATIONS or (len(last) == 1 and last.isalpha())):
        return False  # a short form or an initial
    return not (word.isdigit() and len(word) <= 2 and _MONTHS.match(text, following.start("char")))


def _bounded(text: str, start: int, end: int) -> Iterator[Range]:
    """The piece without blanks at its edges, cut where it is too long."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    while end - start > MAX_SENTENCE_CHARS:
        cut = _cut(text, start, start + MAX_SENTENCE_CHARS)
        yield from _bounded(text, start, cut)
        start = cut
        while start < end and text[start].isspace():
            start += 1
    if start < end:
        yield Range(start, end)


def _cut(text: str, start: int, limit: int) -> int:
    """The last end of a clause in the second half before `limit`, else the last blank, else `limit`."""
    middle = start + (limit - start) // 2
    clauses = [match.end() for match in _CLAUSE.finditer(text, middle, limit)]
    if clauses:
        return clauses[-1]
    blank = text.rfind(" ", middle, limit)
    return blank + 1 if blank > middle else limit

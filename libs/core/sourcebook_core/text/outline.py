"""The headings of a Markdown text, with their places in the text as it stands."""

import re
from dataclasses import dataclass

_LINE = re.compile(r"[^\r\n]*+(?:\r\n|\r|\n)|[^\r\n]++")
_FRONT_MATTER = re.compile(r"---[ \t]*\r?\n(?:[^\n]{0,500}\n){0,100}?(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)")
_LONGEST_LINE_CHARS = 1000  # a longer line is no heading anybody wrote, and bounds the work of the patterns below
# Source: CommonMark 0.31, sections 4.2 (ATX), 4.3 (setext), 4.5 (fenced code).
_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*))?$")
_ATX_CLOSING = re.compile(r"(?:^|[ \t]+)#+[ \t]*$")
_SETEXT = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)$")
_NOT_A_PARAGRAPH = re.compile(r"(?: {4}|\t| {0,3}(?:>|[-+*][ \t]|\d{1,9}[.)][ \t]|\|))")
_MARKUP = re.compile(r"!?\[([^\]]*)\]\([^)]*\)|`([^`]*)`|(?<!\w)[*_]{1,3}(?=\S)|(?<=\S)[*_]{1,3}(?!\w)")


@dataclass(frozen=True, slots=True)
class Heading:
    """One heading: level 1 to 6, its words without markup, and the half-open range of its own lines in the text (code points)."""

    level: int
    title: str
    start: int
    end: int


def outline(text: str) -> list[Heading]:
    """The ATX and setext headings of a Markdown text in order; a line inside a code fence is no heading."""
    found: list[Heading] = []
    fence = ""
    paragraph: tuple[int, str] | None = None  # the line before, when a setext underline could make a heading of it
    in_paragraph = False
    for match in _LINE.finditer(text, _front_matter_end(text)):
        line = match.group().rstrip("\r\n")
        if fence or _FENCE.match(line):
            fence = fence_after(fence, line)
            paragraph, in_paragraph = None, False
            continue
        heading = _heading(line, match.start(), match.start() + len(line), paragraph)
        if heading:
            found.append(heading)
        plain = bool(line.strip()) and heading is None
        starts_paragraph = plain and not in_paragraph and len(line) <= _LONGEST_LINE_CHARS and not _NOT_A_PARAGRAPH.match(line)
        paragraph = (match.start(), line) if starts_paragraph else None
        in_paragraph = plain
    return found


def _front_matter_end(text: str) -> int:
    """Where the text begins after a YAML block at its head, whose closing line would read as an underline."""
    match = _FRONT_MATTER.match(text)
    return match.end() if match else 0


def fence_after(fence: str, line: str) -> str:
    """The code fence that is open after this line, or "" when none is; `fence` is the one before. Source: CommonMark 0.31, section 4.5."""
    match = _FENCE.match(line)
    if not match:
        return fence
    mark, rest = match.groups()
    if fence:
        closes = mark[0] == fence[0] and len(mark) >= len(fence) and not rest.strip()
        return "" if closes else fence
    return "" if mark[0] == "`" and "`" in rest else str(mark)


def _heading(line: str, start: int, end: int, paragraph: tuple[int, str] | None) -> Heading | None:
    if len(line) > _LONGEST_LINE_CHARS:
        return None
    atx = _ATX.match(line)
    if atx:
        return Heading(len(atx.group(1)), _title(_ATX_CLOSING.sub("", atx.group(2) or "")), start, end)
    setext = _SETEXT.match(line) if paragraph else None
    if setext and paragraph:
        return Heading(1 if setext.group(1)[0] == "=" else 2, _title(paragraph[1]), paragraph[0], end)
    return None


def _title(words: str) -> str:
    plain = _MARKUP.sub(lambda match: match.group(1) or match.group(2) or "", words)
    return " ".join(plain.split())

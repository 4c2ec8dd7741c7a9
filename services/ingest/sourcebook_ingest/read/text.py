"""Plain text and Markdown, word for word: passages that tile the decoded text."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import Any

from sourcebook_core.errors import PermanentError
from sourcebook_core.store.passages import Passage
from sourcebook_core.text import decode, outline
from sourcebook_core.text.outline import Heading
from sourcebook_core.text.scripts import has_visible
from sourcebook_ingest.read.outcome import Facts, Window
from sourcebook_ingest.words import count_words

PASSAGE_CHARS = 200_000  # a longer passage would be sent whole to a reader that shows one line of it
WINDOW_CHARS = 1_000_000  # one commit
CUT_LEVEL = 3  # S0-16: a section begins at #, ## and ###
OUTLINE_ENTRIES = 5000


def decoded(content: bytes, name: str, facts: Facts) -> str:
    """The text of a verbatim kind. Raises PermanentError `undecodable_text`, `contains_nul` or `no_text`.

    Kinds that promise every character refuse NUL, which no database column can hold, instead of changing it.
    """
    if not content.strip(b"\0 \t\r\n\f\v"):  # "only NULs" is no text in no encoding
        raise PermanentError("no_text", name=name)
    found = decode.decode(content)
    if not has_visible(found.text.replace("\ufffd", "")):
        raise PermanentError("no_text", name=name)
    if _holds_nul(content, found.encoding):
        raise PermanentError("contains_nul", name=name)
    if found.guessed:
        facts.warn("encoding_guessed", f"The file does not say its encoding; it was read as {found.encoding}.")
    if found.replaced:
        facts.warn("characters_replaced", f"{found.replaced} broken characters are shown as \ufffd.")
    return found.text


def read_plain(text: str, facts: Facts) -> Iterator[Window]:
    """A plain text: one passage, or several cut at line ends when it is very long."""
    yield from _windows(text, [(start, end, None) for start, end in _pieces(text, 0, len(text))])


def read_markdown(text: str, facts: Facts) -> Iterator[Window]:
    """A Markdown text: one passage per section, with its heading path as locator; sets title and outline of `facts`."""
    headings = outline.outline(text)
    sections = list(_sections(text, headings))
    facts.title = next((heading.title for heading in headings if heading.title), None)
    facts.outline = _outline(headings, [start for start, _, _ in sections])
    yield from _windows(text, sections)


def _holds_nul(content: bytes, encoding: str) -> bool:
    if encoding.startswith(("utf-16", "utf-32")):
        return "\0" in content.decode(encoding, "surrogatepass")
    return b"\0" in content


def _sections(text: str, headings: list[Heading]) -> Iterator[tuple[int, int, str | None]]:
    """Start, end and heading path of each passage. A heading without words of its own stays with the section below it.

    One pass: the path is taken where the passage's own words begin, after the headings it opens with.
    """
    start = place = 0
    above: list[Heading] = []
    path: str | None = None
    has_body = False
    for heading in headings:
        if not has_body and has_visible(text[place : heading.start]):
            has_body, path = True, _path(above)
        if has_body and heading.level <= CUT_LEVEL:
            yield from ((piece_start, piece_end, path) for piece_start, piece_end in _pieces(text, start, heading.start))
            start, has_body = heading.start, False
        while above and above[-1].level >= heading.level:
            above.pop()
        above.append(heading)
        place = heading.end
    yield from ((piece_start, piece_end, path if has_body else _path(above)) for piece_start, piece_end in _pieces(text, start, len(text)))


def _path(above: list[Heading]) -> str | None:
    return " > ".join(heading.title for heading in above if heading.title) or None


def _pieces(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Ranges of at most `PASSAGE_CHARS` that tile `text[start:end]`, cut after a line end, else after a blank, else hard."""
    while end - start > PASSAGE_CHARS:
        limit = start + PASSAGE_CHARS
        cut = text.rfind("\n", start, limit) + 1 or text.rfind("\r", start, limit) + 1 or text.rfind(" ", start, limit) + 1 or limit
        if text[cut - 1 : cut + 1] == "\r\n":
            cut -= 1
        yield start, cut
        start = cut
    if start < end or end == 0:
        yield start, end


def _windows(text: str, ranges: list[tuple[int, int, str | None]]) -> Iterator[Window]:
    batch: list[Passage] = []
    size = 0
    for ordinal, (start, end, heading) in enumerate(ranges):
        piece = text[start:end]
        state = "read" if has_visible(piece) else "empty"
        batch.append(Passage(ordinal, piece, heading=heading, state=state, meta={"words": count_words(piece)}))
        size += len(piece)
        if size >= WINDOW_CHARS:
            yield Window(batch, end, len(text))
            batch, size = [], 0
    if batch:
        yield Window(batch, len(text), len(text))


def _outline(headings: list[Heading], starts: list[int]) -> list[dict[str, Any]]:
    entries = []
    for heading in headings[:OUTLINE_ENTRIES]:
        passage = max(bisect_right(starts, heading.start) - 1, 0)
        entries.append({"title": heading.title, "level": heading.level, "passage": passage, "start": heading.start - starts[passage]})
    return entries

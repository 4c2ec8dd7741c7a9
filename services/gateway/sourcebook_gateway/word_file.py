"""A conversation or a note as a Word file: Markdown's blocks as Word's, marks as raised numbers, their sources as a list at the end."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence

import docx
from docx.document import Document
from docx.oxml import OxmlElement
from docx.text.paragraph import Paragraph
from markdown_it import MarkdownIt
from markdown_it.token import Token

from sourcebook_core.errors import RequestError
from sourcebook_gateway.sections import Section, numbered, place_of

# Without HTML, links and pictures: what a model wrote of them is shown as the words it is.
_PARSER = MarkdownIt("commonmark", {"html": False}).enable("table").disable(["link", "image", "autolink", "reference"])
_MARK = re.compile(r"\[(\d{1,4})\]")
_NOT_XML = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_PART = re.compile(r"\n[ \t>]*\n|\n[ \t>]*(?:[-+*#|]|\d+[.)])|\*+|_+|`+|\[\d{1,4}\]|\|")
MOST_PARTS = 20_000
_DEEPEST = 9  # Word's headings
_STYLES = {"bullet_list_open": "List Bullet", "ordered_list_open": "List Number", "blockquote_open": "Intense Quote"}


def written(title: str, sections: Sequence[Section]) -> bytes:
    """The bytes of the file. Raises 413 for more than Word's library writes in a minute: it takes a millisecond for each part."""
    if sum(_parts(section) for section in sections) > MOST_PARTS:
        raise RequestError(413, "too_large", limit=f"{MOST_PARTS:,} paragraphs and changes of type in a Word file; take Markdown")
    made = docx.Document()
    made.core_properties.title = _plain(title)[:255]
    made.core_properties.author = "Sourcebook"
    made.add_heading(_plain(title), 0)
    notes: list[str] = []
    for section, numbers in numbered(sections):
        if section.heading:
            made.add_heading(_plain(section.heading), 1)
        _blocks(made, section.text, numbers)
        if section.remark:
            made.add_paragraph(_plain(section.remark)).runs[0].italic = True
        for told in section.checked:
            _added(made, None).add_run(_plain(told)).italic = True
        notes += [f"{numbers[one.n]}  {place_of(one)}" for one in section.citations]
    if notes:
        made.add_heading("Sources", 1)
        for note in notes:
            _added(made, None).add_run(_plain(note))
    saved = io.BytesIO()
    made.save(saved)
    return saved.getvalue()


def _parts(of: Section) -> int:
    """Paragraphs and runs that a section can come to at most: each begins at a line's end or at a sign of Markdown."""
    return len(of.citations) + len(of.checked) + len(_PART.findall(of.text))


def _blocks(made: Document, text: str, marks: dict[int, int]) -> None:
    """The blocks of one text. Lists in lists are one list: their words count, not their depth."""
    tokens = _PARSER.parse(text)
    inside: list[str] = []
    level = 0
    for token in tokens:
        if token.type in _STYLES:
            inside.append(_STYLES[token.type])
        elif token.type in ("bullet_list_close", "ordered_list_close", "blockquote_close"):
            inside.pop()
        elif token.type == "heading_open":
            level = int(token.tag[1:])
        elif token.type == "heading_close":
            level = 0
        elif token.type in ("fence", "code_block"):
            _added(made, "No Spacing").add_run(_plain(token.content.rstrip("\n")))
        elif token.type == "inline":
            _inline(_paragraph(made, inside, level), token, marks)


def _paragraph(made: Document, inside: Sequence[str], level: int) -> Paragraph:
    if level:
        return _added(made, f"Heading {min(level + 1, _DEEPEST)}")
    return _added(made, inside[-1] if inside else None)


def _added(made: Document, style: str | None) -> Paragraph:
    """A new last paragraph. The library's own way looks through all that are there: a minute for 20,000."""
    paragraph = OxmlElement("w:p")
    made.element.body[-1].addprevious(paragraph)  # the last is the section's properties
    added = Paragraph(paragraph, made)
    if style is not None:
        added.style = style
    return added


def _inline(into: Paragraph, of: Token, marks: dict[int, int]) -> None:
    """The words of a block; neighbours of one type are one run, as every line of a paragraph would be one."""
    said: list[tuple[list[str], tuple[bool, bool, bool]]] = []
    bold = italic = 0
    for child in of.children or []:
        bold += {"strong_open": 1, "strong_close": -1}.get(child.type, 0)
        italic += {"em_open": 1, "em_close": -1}.get(child.type, 0)
        for words, is_mark in _pieces(child, marks):
            typed = (bool(bold), bool(italic), is_mark)
            if said and said[-1][1] == typed:
                said[-1][0].append(words)
            elif words:
                said.append(([words], typed))
    for parts, (is_bold, is_italic, is_mark) in said:
        run = into.add_run(_plain("".join(parts)))
        run.bold, run.italic = is_bold or None, is_italic or None
        run.font.superscript = is_mark or None


def _pieces(child: Token, marks: dict[int, int]) -> Iterator[tuple[str, bool]]:
    """The words of a token, and whether they are one of our marks."""
    if child.type in ("softbreak", "hardbreak"):
        yield " ", False
    if child.type == "code_inline":
        yield child.content, False
    if child.type != "text":
        return
    at = 0
    for mark in _MARK.finditer(child.content):
        if int(mark[1]) in marks:
            yield child.content[at : mark.start()], False
            yield f"[{marks[int(mark[1])]}]", True
            at = mark.end()
    yield child.content[at:], False


def _plain(text: str) -> str:
    """What XML can hold of it."""
    return _NOT_XML.sub("", text)

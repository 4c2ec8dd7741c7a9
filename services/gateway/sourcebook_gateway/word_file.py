"""A conversation or a note as a Word file: Markdown's blocks as Word's, marks as raised numbers, their sources as a list at the end."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence

import docx
from docx.document import Document
from docx.text.paragraph import Paragraph
from markdown_it import MarkdownIt
from markdown_it.token import Token

from sourcebook_gateway.sections import Section, place_of

# Without HTML, links and pictures: what a model wrote of them is shown as the words it is.
_PARSER = MarkdownIt("commonmark", {"html": False}).enable("table").disable(["link", "image", "autolink", "reference"])
_MARK = re.compile(r"\[(\d{1,4})\]")
_NOT_XML = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_DEEPEST = 9  # Word's headings
_STYLES = {"bullet_list_open": "List Bullet", "ordered_list_open": "List Number", "blockquote_open": "Intense Quote"}


def written(title: str, sections: Sequence[Section]) -> bytes:
    """The bytes of the file."""
    made = docx.Document()
    made.core_properties.title = title[:255]
    made.core_properties.author = "Sourcebook"
    made.add_heading(_plain(title), 0)
    number = 0
    notes: list[str] = []
    for section in sections:
        if section.heading:
            made.add_heading(_plain(section.heading), 1)
        _blocks(made, section.text, {one.n: number + one.n for one in section.citations})
        if section.remark:
            made.add_paragraph(section.remark).runs[0].italic = True
        notes += [f"{number + one.n}  {place_of(one)}" for one in section.citations]
        number += max((one.n for one in section.citations), default=0)
    if notes:
        made.add_heading("Sources", 1)
        for note in notes:
            made.add_paragraph(_plain(note))
    saved = io.BytesIO()
    made.save(saved)
    return saved.getvalue()


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
            made.add_paragraph(_plain(token.content.rstrip("\n")), style="No Spacing")
        elif token.type == "inline":
            _inline(_paragraph(made, inside, level), token, marks)


def _paragraph(made: Document, inside: Sequence[str], level: int) -> Paragraph:
    if level:
        heading: Paragraph = made.add_heading("", min(level + 1, _DEEPEST))
        return heading
    return made.add_paragraph(style=inside[-1] if inside else None)


def _inline(into: Paragraph, of: Token, marks: dict[int, int]) -> None:
    bold = italic = 0
    for child in of.children or []:
        bold += {"strong_open": 1, "strong_close": -1}.get(child.type, 0)
        italic += {"em_open": 1, "em_close": -1}.get(child.type, 0)
        if child.type in ("softbreak", "hardbreak"):
            into.add_run(" ")
        for words, number in _pieces(child, marks):
            run = into.add_run(_plain(words))
            run.bold, run.italic = bool(bold), bool(italic)
            run.font.superscript = number


def _pieces(child: Token, marks: dict[int, int]) -> Iterator[tuple[str, bool]]:
    """The words of a token, and whether they are one of our marks."""
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

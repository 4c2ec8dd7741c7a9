"""All words of a HTML document as blocks: for books and mails, which have no menus around their text."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree, html

from sourcebook_ingest.read.office import tables
from sourcebook_ingest.read.office.sections import Block
from sourcebook_ingest.read.office.tables import shown
from sourcebook_ingest.read.office.xml import Element, local

_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_BLOCKS = frozenset({
    "address", "article", "aside", "blockquote", "body", "dd", "details", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer",
    "form", "header", "hr", "li", "main", "nav", "ol", "p", "pre", "section", "summary", "table", "tr", "ul", "caption", "center",
})  # fmt: skip
_NOT_WORDS = frozenset({"script", "style", "head", "template", "noscript", "svg", "iframe", "object", "math", "rt", "rp", "title", "meta"})
_WARM = b"<html><head><title>A</title></head><body><p>Words</p></body></html>"


def blocks(content: bytes, encoding: str | None = None) -> Iterator[Block]:
    """Headings, paragraphs, list items and table rows in order. Nothing it names is fetched, no script is run."""
    parser = html.HTMLParser(encoding=encoding, no_network=True, remove_comments=True, remove_pis=True, huge_tree=False)
    try:
        root = html.document_fromstring(content, parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        return
    yield from _Walk().blocks(root)


class _Walk:
    """One walk over a tree, without recursion: a hostile page nests deeper than Python goes."""

    def __init__(self) -> None:
        self._words: list[str] = []
        self._row: list[str] | None = None
        self._lines: list[str] = []
        self._level = 0
        self._mark = ""
        self._hidden = 0
        self._keeps_lines = 0

    def blocks(self, root: Element) -> Iterator[Block]:
        for event, element in etree.iterwalk(root, events=("start", "end")):
            name = local(element)
            if name in _NOT_WORDS:
                self._hidden += 1 if event == "start" else -1
            elif not self._hidden:
                if event == "start":
                    yield from self._start(name)
                    self._say(element.text)
                else:
                    yield from self._end(name)
            if event == "end" and not self._hidden:
                self._say(element.tail)
        yield from self._flush()

    def _say(self, text: str | None) -> None:
        if text:
            self._words.append(text if self._keeps_lines else " ".join(text.split("\n")))

    def _start(self, name: str) -> Iterator[Block]:
        if name == "br":
            self._words.append("\n")
        if self._row is not None:  # in a row only its cells count
            if name in ("td", "th"):
                self._words = []
            elif name in _BLOCKS:
                self._words.append(" ")
            return
        if name in _HEADINGS or name in _BLOCKS:
            yield from self._flush()
        if name in _HEADINGS:
            self._level = _HEADINGS[name]
        elif name == "li":
            self._mark = "- "
        elif name == "pre":
            self._keeps_lines += 1
        elif name == "tr":
            self._row = []

    def _end(self, name: str) -> Iterator[Block]:
        if self._row is not None:
            if name in ("td", "th"):
                self._row.append(shown("".join(self._words)))
                self._words = []
            elif name == "tr":
                if any(self._row):
                    self._lines.append(f"| {tables.line_of(self._row)} |")
                self._row, self._words = None, []
            return
        if name in _HEADINGS or name in _BLOCKS:
            yield from self._flush()
        if name == "pre":
            self._keeps_lines -= 1
        elif name == "table" and self._lines:
            yield 0, "\n".join(self._lines)
            self._lines = []

    def _flush(self) -> Iterator[Block]:
        lines = "".join(self._words).split("\n")
        words = "\n".join(lines) if self._keeps_lines else "\n".join(" ".join(line.split()) for line in lines).strip("\n")
        if words.strip():
            yield self._level, words if self._level else self._mark + words
            self._mark = ""
        self._words, self._level = [], 0


def words(content: bytes, encoding: str | None = None) -> str:
    """The same as one text."""
    return "\n\n".join(text for _, text in blocks(content, encoding))


for _block in blocks(_WARM, "utf-8"):  # what the parser loads late is loaded before the fork
    pass

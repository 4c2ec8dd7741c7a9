"""PDF files through the walled child: text of pages, words with boxes, highlights, pictures. pdfium runs nowhere else."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from sourcebook_core.errors import PermanentError
from sourcebook_core.pdf_geometry import Box
from sourcebook_core.sandbox import Child, Crashed, Opened, Part

Source = Path | bytes | int
Reader = Literal["pdfium", "pypdf", "pdfminer"]
READERS: tuple[Reader, ...] = ("pdfium", "pypdf", "pdfminer")
WINDOW_PAGES = 16
# A page that crashes or hangs costs up to `page_seconds`; a file made of such pages would hold a worker for hours.
MOST_BAD_PAGES = 10
_MODULES = {"pdfium": "sourcebook_core.pdf_child"}
_FALLBACK = "sourcebook_core.pdf_fallback_child"


@dataclass(frozen=True, slots=True)
class Bookmark:
    """An entry of the outline; level and page count from 1."""

    title: str
    level: int
    page: int


@dataclass(frozen=True, slots=True)
class Document:
    """What a file says of itself. `is_whole` is false when its end is missing; `reader` is the one that could open it."""

    pages: int
    title: str | None
    authors: tuple[str, ...]
    year: int | None
    outline: tuple[Bookmark, ...]
    is_whole: bool
    reader: Reader


@dataclass(frozen=True, slots=True)
class PageText:
    """One page (1-based): `read` with its text, `empty` (blank), or `unread` with `code` and, for a text layer that is not
    legible, the `reason` of `text.legible`. An unread page has no text."""

    page: int
    text: str
    state: Literal["read", "empty", "unread"]
    code: str | None
    reason: str | None


@dataclass(frozen=True, slots=True)
class Word:
    """A word, its half-open range of code points in the page's stored text, its box in 0..1 from the top left."""

    text: str
    start: int
    end: int
    x0: float
    y0: float
    x1: float
    y1: float


@dataclass(frozen=True, slots=True)
class PageWords:
    """The words of a page and its size in points as it is seen (after rotation)."""

    width: float
    height: float
    items: tuple[Word, ...]


async def inspect(child: Child, source: Source, *, name: str = "", password: str | None = None) -> Document:
    """Open a file with the first reader that can: pdfium, pypdf, pdfminer.six.

    Raises PermanentError: `password_protected`, `certificate_protected`, `too_many_pages`, `damaged_file` (no reader opens
    it), `resource_limit`.
    """
    for reader in READERS:
        try:
            async with _opened(child, source, name, password, reader) as (_, document):
                return document
        except PermanentError as error:
            # pdfium's word on keys and limits stands; only what it cannot parse is worth another reader's try.
            if error.code != "damaged_file" or reader == READERS[-1]:
                raise
    raise AssertionError("the last reader returns or raises")


async def pages(
    child: Child, source: Source, numbers: Sequence[int], *, name: str = "", password: str | None = None, reader: Reader = "pdfium"
) -> AsyncGenerator[PageText, None]:
    """The text of these pages (1-based) in order; a page that crashes or hangs its reader is `unread`, the others follow.

    Raises PermanentError `resource_limit` when more than `MOST_BAD_PAGES` pages do, and what `inspect` raises.
    """
    left = list(numbers)
    bad = 0
    while left:
        try:
            async with _opened(child, source, name, password, reader) as (opened, _):
                async with aclosing(opened.call("pages", child.limits.page_seconds, pages=list(left))) as parts:
                    async for part in parts:
                        left.pop(0)
                        yield PageText(**part.head)
                return
        except Crashed as error:
            bad += 1
            if bad > MOST_BAD_PAGES:
                raise PermanentError("resource_limit", name=name) from error
            yield PageText(left.pop(0), "", "unread", error.code, None)


async def read_pages(child: Child, source: Source, first: int, last: int, password: str | None = None) -> list[PageText]:
    """The text of pages `first` to `last`, both counted from 1 and included."""
    return [page async for page in pages(child, source, range(first, last + 1), password=password)]


async def render(child: Child, source: Source, page: int, dpi: int, *, name: str = "", password: str | None = None) -> bytes:
    """A page (1-based) as JPEG; `dpi` is lowered where the picture would have more than `page_pixels` pixels.

    Raises PermanentError: `not_found` for a page that is not there, `damaged_file`, `resource_limit`, as `inspect`.
    """
    part = await _once(child, source, name, password, "render", page=page, dpi=dpi, max_pixels=child.limits.page_pixels)
    return part.body


async def words(child: Child, source: Source, page: int, *, name: str = "", password: str | None = None) -> PageWords:
    """The words of a page (1-based) in the order of its text. Raises as `render`."""
    head = (await _once(child, source, name, password, "words", page=page)).head
    return PageWords(head["width"], head["height"], tuple(Word(**item) for item in head["items"]))


async def boxes(
    child: Child, source: Source, page: int, stored_text: str, start: int, end: int, *, name: str = "", password: str | None = None
) -> list[Box] | None:
    """Rectangles around `stored_text[start:end]` on its page, one for each line; None when they cannot be told surely.

    The page is read again and must give the very text that is stored (another reader or version may have read it). Raises
    as `render`.
    """
    digest = hashlib.sha256(stored_text.encode()).hexdigest()
    try:
        part = await _once(child, source, name, password, "boxes", page=page, start=start, end=end, text_sha256=digest)
    except PermanentError as error:
        if error.code == "damaged_file":  # pdfium cannot open it: a fallback reader read it, which knows no places
            return None
        raise
    return [Box(**item) for item in part.head["items"]] if part.head["same"] else None


@asynccontextmanager
async def _opened(child: Child, source: Source, name: str, password: str | None, reader: Reader) -> AsyncIterator[tuple[Opened, Document]]:
    async with child.open(_MODULES.get(reader, _FALLBACK), source, name) as opened:
        args = {"password": password, "max_pages": child.limits.pdf_pages, "reader": reader}
        try:
            heads = [part.head async for part in opened.call("open", child.limits.page_seconds, **args)]
        except Crashed as error:  # of the file, not of a page
            raise PermanentError(error.code, name=name) from error
        head: dict[str, Any] = heads[0]
        outline = tuple(Bookmark(**entry) for entry in head.pop("outline"))
        yield opened, Document(outline=outline, reader=reader, authors=tuple(head.pop("authors")), **head)


async def _once(child: Child, source: Source, name: str, password: str | None, call: str, **args: Any) -> Part:
    async with _opened(child, source, name, password, "pdfium") as (opened, _):
        parts = [part async for part in opened.call(call, child.limits.page_seconds, **args)]
        return parts[0]

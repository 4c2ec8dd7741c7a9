"""PDF files through the walled child: text of pages, words with boxes, highlights, pictures. pdfium runs nowhere else."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
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
# Pages are handed over in lots of about so long: a hand-over for each would cost more than the page on a busy machine.
TOGETHER_S = 0.05
# Quality of a page that a person looks at (performance section 1), and of one that is read: its small print must not blur.
SHOWN_QUALITY, READ_QUALITY = 80, 90
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
    legible, the `reason` of `text.legible`. An unread page has no text; `typed` is what people typed into it, the end of
    the text of a page that is read."""

    page: int
    text: str
    state: Literal["read", "empty", "unread"]
    code: str | None
    reason: str | None
    typed: str = ""


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


@dataclass(frozen=True, slots=True)
class Picture:
    """A page drawn as JPEG, with its size in pixels."""

    jpeg: bytes
    width: int
    height: int


class OpenFile:
    """A file in a child of its own, opened by the first reader that could; one call at a time."""

    def __init__(
        self, stack: AsyncExitStack, child: Child, source: Source, name: str, password: str | None, opened: Opened, document: Document
    ) -> None:
        self.document = document
        self._stack = stack
        self._opened: Opened | None = opened
        self._again = (child, source, name, password, document.reader)
        self._limits, self._name = child.limits, name

    async def pages(self, numbers: Sequence[int]) -> AsyncGenerator[PageText, None]:
        """The text of these pages (1-based) in order; one that crashes or hangs its reader is `unread`, the others follow.

        Raises PermanentError `resource_limit` when more than `MOST_BAD_PAGES` pages do.
        """
        left = list(numbers)
        try:
            async with aclosing(self._read(await self._standing(), left, TOGETHER_S)) as found:
                async for page in found:
                    yield page
        except Crashed:
            self._opened = None
            async with aclosing(self._read_carefully(left)) as found:
                async for page in found:
                    yield page

    async def picture(self, page: int, dpi: int, max_pixels: int) -> Picture:
        """A page (1-based) to be read by a model; `dpi` is lowered where it would have more than `max_pixels` pixels.

        Raises PermanentError `damaged_file` or `resource_limit`, Crashed too, for this page alone: others can be drawn after it.
        """
        args = {"page": page, "dpi": dpi, "max_pixels": max_pixels, "turned": 0, "quality": READ_QUALITY}
        try:
            async with aclosing((await self._standing()).call("render", self._limits.page_seconds, **args)) as parts:
                found = [part async for part in parts]
        except Crashed:
            self._opened = None
            raise
        return Picture(found[0].body, found[0].head["width"], found[0].head["height"])

    async def _standing(self) -> Opened:
        """The child with the file, opened anew after one that crashed."""
        if self._opened is not None:
            return self._opened
        again, _ = await self._stack.enter_async_context(_opened(*self._again))
        self._opened = again
        return again

    async def _read_carefully(self, left: list[int]) -> AsyncGenerator[PageText, None]:
        """One page at a time, so that the page that ends the child is known; each time in a new child."""
        bad = 0
        while left:
            try:
                async with _opened(*self._again) as (opened, _), aclosing(self._read(opened, left, 0.0)) as found:
                    async for page in found:
                        yield page
            except Crashed as error:
                bad += 1
                if bad > MOST_BAD_PAGES:
                    raise PermanentError("resource_limit", name=self._name) from error
                yield PageText(left.pop(0), "", "unread", error.code, None)

    async def _read(self, opened: Opened, left: list[int], together_s: float) -> AsyncGenerator[PageText, None]:
        call = opened.call("pages", self._limits.page_seconds, pages=list(left), together_s=together_s)
        async with aclosing(call) as parts:
            async for part in parts:
                for page in part.head["pages"]:
                    left.pop(0)
                    yield PageText(**page)


@asynccontextmanager
async def opened_file(child: Child, source: Source, *, name: str = "", password: str | None = None) -> AsyncIterator[OpenFile]:
    """The file in a child of its own, opened by the first reader that can: pdfium, pypdf, pdfminer.six.

    Raises PermanentError: `password_protected`, `certificate_protected`, `too_many_pages`, `damaged_file` (no reader opens
    it), `resource_limit`.
    """
    async with AsyncExitStack() as stack:
        for reader in READERS:
            try:
                opened, document = await stack.enter_async_context(_opened(child, source, name, password, reader))
                break
            except PermanentError as error:
                # pdfium's word on keys and limits stands; only what it cannot parse is worth another reader's try.
                if error.code != "damaged_file" or reader == READERS[-1]:
                    raise
        yield OpenFile(stack, child, source, name, password, opened, document)


async def inspect(child: Child, source: Source, *, name: str = "", password: str | None = None) -> Document:
    """What a file says of itself. Raises as `opened_file`."""
    async with opened_file(child, source, name=name, password=password) as found:
        return found.document


async def read_pages(child: Child, source: Source, first: int, last: int, password: str | None = None) -> list[PageText]:
    """The text of pages `first` to `last`, both counted from 1 and included. Raises as `opened_file`."""
    async with opened_file(child, source, password=password) as found:
        return [page async for page in found.pages(range(first, last + 1))]


async def render(
    child: Child, source: Source, page: int, dpi: int, *, turned: int = 0, name: str = "", password: str | None = None
) -> bytes:
    """A page (1-based) as JPEG, turned clockwise by `turned` degrees; `dpi` is lowered where the picture would have more than
    `page_pixels` pixels.

    Raises PermanentError: `not_found` for a page that is not there, `damaged_file`, `resource_limit`, as `inspect`.
    """
    args = {"page": page, "dpi": dpi, "max_pixels": child.limits.page_pixels, "turned": turned, "quality": SHOWN_QUALITY}
    part = await _once(child, source, name, password, "render", **args)
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

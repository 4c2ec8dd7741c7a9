"""Runs in the walled child: opens one PDF with pdfium and answers calls for text, words, boxes and pictures of its pages."""

from __future__ import annotations

import ctypes
import hashlib
import io
import math
import mmap
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

import pypdfium2
from PIL import Image, ImageStat, JpegImagePlugin
from pypdfium2 import raw

from sourcebook_core import pdf_geometry, pdf_mend, pdf_notes
from sourcebook_core.sandbox_talk import FILE_FD, Answer, Refused, in_lots
from sourcebook_core.text import decode, legible
from sourcebook_core.text.scripts import has_visible

assert JpegImagePlugin  # loaded before the fork, so that a child needs no file for it
OUTLINE_ENTRIES = 5000
TITLE_CHARS = 300
_POINTS_PER_INCH = 72
_TAIL_BYTES = 4096  # where a whole file has its end mark; readers take 1,024, files that were mailed have more behind it
_BLANK_LONG_SIDE = 200  # pixels: enough to see that anything is drawn at all
_HYPHEN_AT_LINE_END = "\ufffe"  # what pdfium gives for it, joined with the next line
_YEAR = re.compile(r"D?:?((?:19|20)\d\d)")
_AUTHORS_APART = re.compile(r"\s*(?:;|&|\band\b|\bund\b)\s*")
_NO_TITLE = re.compile(r"^(?:untitled.*|microsoft word - .*|.*\.(?:docx?|pdf|tex|dvi|indd|qxd|rtf|odt|pptx?))$", re.IGNORECASE)

_documents: dict[str, pypdfium2.PdfDocument] = {}


def page_text(page: pypdfium2.PdfPage) -> tuple[str, pypdfium2.PdfTextPage]:
    """The text of a page as it is stored: pdfium's, replaced one for one only, so that every code point keeps its place.

    A hyphen at a line end becomes a soft hyphen; NUL and lone surrogates become U+FFFD; line ends stay CRLF.
    """
    textpage = page.get_textpage()
    text = textpage.get_text_range(errors="surrogatepass").replace(_HYPHEN_AT_LINE_END, "\u00ad")
    return decode.clean(text)[0], textpage


def _open(args: dict[str, Any]) -> Answer:
    """Open the file; gives its page count, metadata and outline."""
    size = os.fstat(FILE_FD).st_size
    if not size:
        raise Refused("damaged_file")
    held = mmap.mmap(FILE_FD, size, access=mmap.ACCESS_COPY)
    document, is_mended = _opened(held, args["password"])
    with suppress(pypdfium2.PdfiumError):  # a form that is broken is no form
        document.init_forms()
    if len(document) > args["max_pages"]:
        raise Refused("too_many_pages", pages=len(document), limit=args["max_pages"])
    _documents["mended" if is_mended else "whole"] = _documents["open"] = document
    is_whole = not is_mended and held.rfind(b"%%EOF", max(0, size - _TAIL_BYTES)) >= 0
    yield {"pages": len(document), "is_whole": is_whole, **_metadata(document), "outline": _outline(document)}, b""


def _opened(held: mmap.mmap, password: str | None) -> tuple[pypdfium2.PdfDocument, bool]:
    """The document, and whether its missing end had to be made up. Raises Refused."""
    try:
        return pypdfium2.PdfDocument((ctypes.c_ubyte * len(held)).from_buffer(held), password=password), False
    except pypdfium2.PdfiumError as error:
        reason = _reason(error)
    made = pdf_mend.mended(held[:]) if reason == "damaged_file" else None
    if made is None:
        raise Refused(reason)
    try:
        return pypdfium2.PdfDocument(made), True
    except pypdfium2.PdfiumError:
        raise Refused(reason) from None


def _reason(error: pypdfium2.PdfiumError) -> str:
    codes = {raw.FPDF_ERR_PASSWORD: "password_protected", raw.FPDF_ERR_SECURITY: "certificate_protected"}
    return codes.get(error.err_code, "damaged_file")


def _metadata(document: pypdfium2.PdfDocument) -> dict[str, Any]:
    found = {key: decode.clean(value)[0].strip() for key, value in document.get_metadata_dict().items()}
    title = " ".join(found.get("Title", "").split())[:TITLE_CHARS]
    year = _YEAR.match(found.get("CreationDate", ""))
    authors = [name for name in _AUTHORS_APART.split(found.get("Author", "")) if name][:50]
    return {
        "title": None if _NO_TITLE.match(title) or not has_visible(title) else title,
        "authors": [name[:TITLE_CHARS] for name in authors],
        "year": int(year.group(1)) if year else None,
    }


def _outline(document: pypdfium2.PdfDocument) -> list[dict[str, Any]]:
    """The bookmarks that lead to a page: title, level from 1, page from 1."""
    entries: list[dict[str, Any]] = []
    for bookmark in document.get_toc():
        if len(entries) >= OUTLINE_ENTRIES:
            break
        title = " ".join(decode.clean(bookmark.get_title())[0].split())[:TITLE_CHARS]
        target = bookmark.get_dest()
        index = target.get_index() if target else None
        if title and index is not None and 0 <= index < len(document):
            entries.append({"title": title, "level": bookmark.level + 1, "page": index + 1})
    return entries


def _judged(numbers: Sequence[int]) -> Iterator[dict[str, Any]]:
    """The text of pages (1-based) one by one, each judged: `read` when it is legible, `empty` when the page is blank.

    `typed` is what people typed into it (`pdf_notes`): part of the text of a page that is read, told beside it otherwise.
    """
    for number in numbers:
        try:
            page = _documents["open"][number - 1]
            own, _ = page_text(page)
        except pypdfium2.PdfiumError:
            yield _told(number, "unread", code="damaged_file")
            continue
        typed = pdf_notes.notes(_documents["open"], page, own)
        reason = legible.legibility(own).reason
        if reason is None or (reason == "too_short" and _is_form(page, own, typed)):
            yield _told(number, "read", pdf_notes.joined(own, typed), typed)
        elif not has_visible(own) and not typed and _is_blank(page):
            yield _told(number, "unread", code="damaged_file") if "mended" in _documents else _told(number, "empty")
        else:
            yield _told(number, "unread", typed=typed, code="no_text_layer", reason=reason)
        page.close()


def _told(number: int, state: str, text: str = "", typed: str = "", code: str | None = None, reason: str | None = None) -> dict[str, Any]:
    return {"page": number, "text": text, "typed": typed, "state": state, "code": code, "reason": reason}


def _is_form(page: pypdfium2.PdfPage, own: str, typed: str) -> bool:
    """Whether a page of few words is a form or a note with its words typed in, and no scan."""
    pictures = page.get_objects(filter=[raw.FPDF_PAGEOBJ_IMAGE], max_depth=2)
    return bool(typed) and legible.is_legible(pdf_notes.joined(own, typed)) and next(iter(pictures), None) is None


def _pages(args: dict[str, Any]) -> Answer:
    """The text of pages (1-based), each judged, in lots of about `together_s` seconds (0: one by one)."""
    yield from in_lots(_judged(args["pages"]), args["together_s"])


def _is_blank(page: pypdfium2.PdfPage) -> bool:
    """Whether nothing is drawn on the page: it holds no object, or its picture is of one colour."""
    if raw.FPDFPage_CountObjects(page) == 0:
        return True
    long_side = max(page.get_size())
    if not 0 < long_side < math.inf:
        return True
    picture = page.render(scale=_BLANK_LONG_SIDE / long_side, grayscale=True).to_pil()
    low, high = ImageStat.Stat(picture).extrema[0]
    return bool(low == high)


def _render(args: dict[str, Any]) -> Answer:
    """One page as JPEG, turned clockwise by `turned` degrees; its pixels are bounded before anything is drawn."""
    page = _page(args)
    width, height = page.get_size()
    if not (0 < width < math.inf and 0 < height < math.inf):
        raise Refused("damaged_file")
    scale = args["dpi"] / _POINTS_PER_INCH
    scale *= min(1.0, math.sqrt(args["max_pixels"] / (width * height * scale * scale)))
    long_side = max(width, height) * scale
    scale *= min(1.0, args["max_pixels"] / long_side, 65_000 / long_side)  # a JPEG side has 16 bits
    picture: Image.Image = page.render(scale=scale).to_pil()
    page.close()  # a file of many pages is drawn by one child
    if args["turned"]:
        picture = picture.rotate(-args["turned"], expand=True)
    target = io.BytesIO()
    picture.convert("RGB").save(target, "JPEG", quality=args["quality"])
    yield {"width": picture.width, "height": picture.height}, target.getvalue()


def _words(args: dict[str, Any]) -> Answer:
    """The words of a page with their ranges in its text and their boxes."""
    page = _page(args)
    text, textpage = page_text(page)
    width, height = page.get_size()
    yield {"width": width, "height": height, "items": pdf_geometry.words(page, textpage, text)}, b""


def _boxes(args: dict[str, Any]) -> Answer:
    """The rectangles of a range, one a line; `same` is false when the page's text is not the one the range belongs to."""
    page = _page(args)
    text, textpage = page_text(page)
    whole = pdf_notes.joined(text, pdf_notes.notes(_documents["open"], page, text))
    same = hashlib.sha256(whole.encode()).hexdigest() == args["text_sha256"]
    found: Sequence[Any] = pdf_geometry.boxes(page, textpage, text, args["start"], args["end"]) if same else ()
    yield {"same": same, "items": found}, b""


def _page(args: dict[str, Any]) -> pypdfium2.PdfPage:
    document = _documents["open"]
    if not 1 <= args["page"] <= len(document):
        raise Refused("not_found")
    try:
        return document[args["page"] - 1]
    except pypdfium2.PdfiumError:
        raise Refused("damaged_file") from None


CALLS = {"open": _open, "pages": _pages, "render": _render, "words": _words, "boxes": _boxes}

"""Runs in the walled child: the text of PDFs that pdfium cannot open, by pypdf and then by pdfminer.six."""

from __future__ import annotations

import encodings
import importlib
import io
import logging
import os
import pkgutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any

import pdfminer
import pypdf
from pdfminer.converter import TextConverter
from pdfminer.layout import LAParams
from pdfminer.pdfdocument import PDFDocument
from pdfminer.pdfinterp import PDFPageInterpreter, PDFResourceManager
from pdfminer.pdfpage import PDFPage
from pdfminer.pdfparser import PDFParser
from pypdf import PdfReader

from sourcebook_core.sandbox_talk import FILE_FD, Answer, Refused, in_lots
from sourcebook_core.text import decode, legible
from sourcebook_core.text.scripts import has_visible

# What the readers import late is loaded before the fork: a child may not be able to (see `sandbox_server`).
for _finder, _codec, _is_folder in pkgutil.iter_modules(encodings.__path__):
    if _codec not in ("mbcs", "oem"):  # Windows alone has these
        importlib.import_module(f"encodings.{_codec}")
for _package in (pypdf, pdfminer):
    for _finder, _module, _is_folder in pkgutil.walk_packages(_package.__path__, f"{_package.__name__}."):
        with suppress(ImportError):  # parts that want an optional package
            importlib.import_module(_module)
logging.disable(logging.CRITICAL)  # both report each oddity of a broken file

_readers: dict[str, Callable[[int], str]] = {}


def _open(args: dict[str, Any]) -> Answer:
    """Open the file with the reader named (pypdf or pdfminer); gives its page count alone."""
    content = io.BytesIO(os.pread(FILE_FD, os.fstat(FILE_FD).st_size, 0))
    begin = {"pypdf": _by_pypdf, "pdfminer": _by_pdfminer}[args["reader"]]
    pages, _readers["open"] = begin(content, args["max_pages"])
    if pages > args["max_pages"]:
        raise Refused("too_many_pages", pages=pages, limit=args["max_pages"])
    if not pages:
        raise Refused("damaged_file")
    yield {"pages": pages, "is_whole": False, "title": None, "authors": [], "year": None, "outline": []}, b""


def _by_pypdf(content: io.BytesIO, max_pages: int) -> tuple[int, Callable[[int], str]]:
    reader = PdfReader(content, strict=False)
    if reader.is_encrypted and not reader.decrypt(""):
        raise Refused("password_protected")
    pages = reader.pages
    return len(pages), lambda number: pages[number - 1].extract_text()


def _by_pdfminer(content: io.BytesIO, max_pages: int) -> tuple[int, Callable[[int], str]]:
    document = PDFDocument(PDFParser(content))
    pages = list(islice(PDFPage.create_pages(document), max_pages + 1))
    resources = PDFResourceManager()

    def text(number: int) -> str:
        target = io.StringIO()
        with TextConverter(resources, target, laparams=LAParams()) as device:
            PDFPageInterpreter(resources, device).process_page(pages[number - 1])
        return target.getvalue().rstrip("\f")

    return len(pages), text


def _judged(numbers: Sequence[int]) -> Iterator[dict[str, Any]]:
    """The text of pages (1-based), judged like pdfium's; whether a page without text is blank cannot be told here."""
    for number in numbers:
        try:
            text = decode.clean(_readers["open"](number))[0]
        except Exception:  # noqa: BLE001 - these parsers raise anything on broken files (B12); it is one page's error
            yield {"page": number, "text": "", "state": "unread", "code": "damaged_file", "reason": None}
            continue
        reason = legible.legibility(text).reason
        state = "read" if reason is None else "unread" if has_visible(text) else "empty"
        code = "no_text_layer" if state == "unread" else None
        yield {"page": number, "text": text if state == "read" else "", "state": state, "code": code, "reason": reason}


def _pages(args: dict[str, Any]) -> Answer:
    """The text of pages (1-based), each judged, in lots of about `together_s` seconds (0: one by one)."""
    yield from in_lots(_judged(args["pages"]), args["together_s"])


CALLS = {"open": _open, "pages": _pages}

"""Runs in the walled child: any office file, its passages in lots. Everything it needs is loaded here, before the fork."""

from __future__ import annotations

import os
import sys
from typing import Any

from sourcebook_core import kinds
from sourcebook_core.packed import Bounds, Package
from sourcebook_core.sandbox_talk import FILE_FD, Answer, Refused
from sourcebook_ingest.read.office import book, csv_rows, mail, opendocument, rich_text, slides, warm, word, workbook
from sourcebook_ingest.read.office.events import Events, Told
from sourcebook_ingest.read.office.tables import Caps

LOT_CHARS = 200_000  # handed over together
ROOM_CHARS = 8_000_000  # for blank rows: a table is cut at its own cap and not refused
# A mail in a mail is a level of the library's own recursion; the child has the stack for it.
sys.setrecursionlimit(3000)
_MARKS = (
    ("word/document.xml", kinds.DOCX), ("ppt/presentation.xml", kinds.PPTX), ("xl/workbook.xml", kinds.XLSX),
    ("META-INF/container.xml", kinds.EPUB),
)  # fmt: skip
_BY_MIMETYPE = {kind.media_type: kind for kind in (kinds.ODT, kinds.ODS, kinds.ODP, kinds.EPUB)}


def _read(args: dict[str, Any]) -> Answer:
    """The events of the file as parts `{"events": […]}`. `kind` is its media type; what a zip really is, its entries say."""
    told = Told()
    caps = Caps(args["cells"], args["columns"], args["characters"])
    lot: list[dict[str, Any]] = []
    size, left = 0, args["characters"] + ROOM_CHARS
    for event in _events(args, caps, told):
        lot.append(event)
        fresh = len(event["passage"]["text"]) if "passage" in event else 0
        size, left = size + fresh, left - fresh
        if left < 0:  # one chapter that is named a thousand times, one row that is repeated: small files of endless text
            raise Refused("resource_limit")
        if size >= LOT_CHARS:
            yield {"events": lot}, b""
            lot, size = [], 0
    caps.tell(told)
    yield {"events": [*lot, *told.events()]}, b""


def _events(args: dict[str, Any], caps: Caps, told: Told) -> Events:
    kind = args["kind"]
    if kind in (kinds.CSV.media_type, kinds.TSV.media_type):
        return csv_rows.read(_content(args["text_bytes"]), caps, told, is_tsv=kind == kinds.TSV.media_type)
    if kind == kinds.MAIL.media_type:
        return mail.read(_content(args["file_bytes"]), told)
    if kind == kinds.RTF.media_type:
        return rich_text.read(_content(args["file_bytes"]), args["text_bytes"])
    package = Package(os.fdopen(FILE_FD, "rb", closefd=False), Bounds(*args["bounds"]))
    return packed_events(package, args["slides"], caps, told)


def _content(limit: int) -> bytes:
    size = os.fstat(FILE_FD).st_size
    if size > limit:
        raise Refused("too_large", limit=f"{limit // 1_000_000} MB for such a file")
    return os.pread(FILE_FD, size, 0)


def packed_events(package: Package, most: int, caps: Caps, told: Told) -> Events:
    """The events of a zipped office file by what its entries say it is; at most so many slides or chapters."""
    kind = _kind_of(package)
    if kind == kinds.DOCX:
        return word.read(package, told)
    if kind == kinds.PPTX:
        return slides.read(package, most, told)
    if kind == kinds.XLSX:
        return workbook.read(package, caps, told)
    if kind == kinds.EPUB:
        return book.read(package, most, told)
    if kind == kinds.ODS:
        return opendocument.sheets(package, caps, told)
    return opendocument.slides(package, most, told) if kind == kinds.ODP else opendocument.text(package, told)


def _kind_of(package: Package) -> kinds.Kind:
    if "mimetype" in package.names:
        said = package.read("mimetype", 10_000).decode("latin-1").strip().removesuffix("-template")
        if said in _BY_MIMETYPE:
            return _BY_MIMETYPE[said]
    for name, kind in _MARKS:
        if name in package.names:
            return kind
    if "content.xml" in package.names:
        return kinds.ODT
    if "xl/workbook.bin" in package.names:
        raise Refused("unsupported_kind", why="it is a binary workbook (xlsb); save it as xlsx.")
    raise Refused("damaged_file", why="no main part")


warm.everything()
CALLS = {"read": _read}

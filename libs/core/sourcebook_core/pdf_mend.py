"""What is left of a PDF whose end is missing: its pages under a new root, so that pdfium can open it. Runs in the walled child."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator

_OBJECT = re.compile(rb"(?<![0-9])([0-9]{1,8})[ \r\n]+([0-9]{1,5})[ \r\n]+obj\b")
_PAGE = re.compile(rb"/Type\s*/Page(?![A-Za-z])")
_PACKED = re.compile(rb"/Type\s*/ObjStm\b")
_ENCRYPTED = re.compile(rb"/Filter\s*/Standard\b|/Encrypt\b")
_STREAM = re.compile(rb"stream\r?\n")
_MOST_PAGES = 20_000
_MOST_UNPACKED_BYTES = 100_000_000


def mended(content: bytes) -> bytes | None:
    """The file with a catalogue and a page tree over every page object found in it; None when nothing can be done.

    Pages keep their order in the file. What was packed into object streams is written out plainly, for readers that rebuild
    a table of places do not look there. An encrypted file cannot be mended: its key was described at its end.
    Source: ISO 32000-2, 7.5.7 (object streams), 7.7.3 (page tree).
    """
    if _ENCRYPTED.search(content):
        return None
    pages: dict[int, None] = {}
    written: list[bytes] = []
    largest = room = 0
    for number, body, after in _objects(content):
        largest = max(largest, number)
        if _PAGE.search(body):
            pages[number] = None
        if _PACKED.search(body) and room < _MOST_UNPACKED_BYTES:
            for inner, text in _unpacked(content, body, after):
                largest, room = max(largest, inner), room + len(text)
                written.append(b"%d 0 obj\n%s\nendobj\n" % (inner, text))
                if _PAGE.search(text):
                    pages[inner] = None
    if not pages or len(pages) > _MOST_PAGES:
        return None
    tree, root = largest + 1, largest + 2
    kids = b" ".join(b"%d 0 R" % number for number in pages)
    written.append(b"%d 0 obj\n<</Type/Pages/Kids[%s]/Count %d>>\nendobj\n" % (tree, kids, len(pages)))
    written.append(b"%d 0 obj\n<</Type/Catalog/Pages %d 0 R>>\nendobj\n" % (root, tree))
    end = b"trailer\n<</Root %d 0 R/Size %d>>\nstartxref\n0\n%%%%EOF\n" % (root, root + 1)
    return content + b"\nendstream\nendobj\n" + b"".join(written) + end


def _objects(content: bytes) -> Iterator[tuple[int, bytes, int]]:
    """Number and dictionary of each object, as far as it goes, and where its stream begins."""
    matches = list(_OBJECT.finditer(content))
    for place, match in enumerate(matches):
        stop = matches[place + 1].start() if place + 1 < len(matches) else len(content)
        body = content[match.end() : min(stop, match.end() + 1_000_000)]
        stream = _STREAM.search(body)
        yield int(match.group(1)), body[: stream.start()] if stream else body, match.end() + (stream.end() if stream else len(body))


def _unpacked(content: bytes, head: bytes, start: int) -> Iterator[tuple[int, bytes]]:
    """Number and text of each object in an object stream packed with Flate, as far as it is there."""
    count, first = re.search(rb"/N\s+(\d{1,7})", head), re.search(rb"/First\s+(\d{1,8})", head)
    if not count or not first or b"/FlateDecode" not in head:
        return
    try:
        text = zlib.decompressobj().decompress(content[start:], _MOST_UNPACKED_BYTES)
    except zlib.error:
        return
    numbers = [int(found) for found in text[: int(first.group(1))].split() if found.isdigit()][: 2 * int(count.group(1))]
    places = list(zip(numbers[::2], numbers[1::2], strict=False))
    ends = [place for _, place in places[1:]] + [len(text)]
    for (number, place), end in zip(places, ends, strict=True):
        yield number, text[int(first.group(1)) + place : int(first.group(1)) + end]

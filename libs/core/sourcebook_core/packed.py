"""Zip containers opened with care: entries and bytes are counted while unpacking, and names are never paths."""

from __future__ import annotations

import codecs
import lzma
import os
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO

from sourcebook_core.sandbox_talk import Refused

for _codec in ("cp437", "utf-16", "utf-16-le", "utf-16-be"):  # names of entries, and XML: a child may not be able to load them later
    codecs.lookup(_codec)
PIECE_BYTES = 256_000
# A small entry may pack well without harm (an empty sheet); only from here on the ratio is held.
_RATIO_FROM_BYTES = 10_000_000
_TAIL_BYTES = 65_557  # end record and the longest comment (APPNOTE 4.3.16)
_HEAD_BYTES = 1024
# What zipfile and its unpackers raise for changed bytes (B12).
_BROKEN = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, OSError, ValueError, NotImplementedError, RuntimeError,
    OverflowError,
)  # fmt: skip
_DIRECTORY_ENTRY_BYTES = 400  # more than an entry of a directory takes with a long name: bounds what zipfile reads at once
_END, _END64, _LOCATOR64 = b"PK\x05\x06", b"PK\x06\x06", b"PK\x06\x07"
_DOCTYPE = re.compile(rb"<!(?:DOCTYPE|ENTITY)", re.IGNORECASE)
_DECLARED = re.compile(r"""(<\?xml[^>]{0,200}?encoding\s*=\s*["'])[\w-]+(["'])""")


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a container may have: entries, bytes unpacked in all, and unpacked to packed of one large entry."""

    entries: int
    total_bytes: int
    ratio: int


class Package:
    """One open container. Raises Refused `damaged_file`, `resource_limit` past its bounds, `password_protected`."""

    def __init__(self, file: IO[bytes], bounds: Bounds) -> None:
        self._bounds = bounds
        self._left = bounds.total_bytes
        _refuse_large_directory(file, bounds.entries)
        try:
            self._zip = zipfile.ZipFile(file)
        except _BROKEN as error:
            raise Refused("damaged_file", why=type(error).__name__) from None
        self.entries = self._zip.infolist()
        if len(self.entries) > bounds.entries:
            raise Refused("resource_limit")
        self.names = {entry.filename: entry for entry in self.entries}

    @property
    def is_spent(self) -> bool:
        """Whether the bytes that may be unpacked in all are used up."""
        return self._left < 0

    def stream(self, entry: zipfile.ZipInfo | str) -> Iterator[bytes]:
        """The bytes of an entry, counted as they come. Raises KeyError for a name that is not there."""
        found = self.names[entry] if isinstance(entry, str) else entry
        if found.flag_bits & 1:
            raise Refused("password_protected")
        size = 0
        try:
            with self._zip.open(found) as opened:
                while piece := opened.read(PIECE_BYTES):
                    size += len(piece)
                    self._left -= len(piece)
                    if self._left < 0 or (size > _RATIO_FROM_BYTES and size > found.compress_size * self._bounds.ratio):
                        raise Refused("resource_limit")
                    yield piece
        except _BROKEN as error:
            raise Refused("damaged_file", why=type(error).__name__) from None

    def read(self, name: str, limit: int) -> bytes:
        """A whole entry of at most `limit` bytes; Refused `resource_limit` above."""
        whole = bytearray()
        for piece in self.stream(name):
            whole += piece
            if len(whole) > limit:
                raise Refused("resource_limit")
        return bytes(whole)

    def xml(self, name: str, limit: int) -> bytes:
        """A whole entry that must be XML without a document type, as UTF-8 where it was UTF-16."""
        return b"".join(as_plain_xml(iter([self.read(name, limit)])))

    def xml_stream(self, name: str) -> PlainXml:
        """The same as a file to be parsed while it is unpacked."""
        return PlainXml(as_plain_xml(self.stream(name)))


class PlainXml:
    """Pieces as a file: what a parser reads from."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._held = b""

    def read(self, size: int = -1) -> bytes:
        """At most `size` bytes; an empty answer is the end."""
        while not self._held:
            piece = next(self._pieces, None)
            if piece is None:
                return b""
            self._held = piece
        size = len(self._held) if size is None or size < 0 else size
        given, self._held = self._held[:size], self._held[size:]
        return given


def as_plain_xml(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The pieces in UTF-8. Raises Refused `damaged_file` for a document type, where entities would be declared.

    No office format has one: it only ever carries an attack (external entities, billion laughs).
    """
    decoder: codecs.IncrementalDecoder | None = None
    tail, is_first = b"", True
    for raw in _with_whole_head(pieces):
        piece = raw
        if is_first:
            encoding = _two_byte_encoding(raw)
            decoder = codecs.getincrementaldecoder(encoding)("replace") if encoding else None
        if decoder is not None:
            text = decoder.decode(raw)
            piece = (_DECLARED.sub(r"\1UTF-8\2", text, count=1) if is_first else text).removeprefix("\ufeff").encode("utf-8", "replace")
        is_first = False
        if _DOCTYPE.search(tail + piece):
            raise Refused("damaged_file", why="document type")
        tail = (tail + piece)[-10:]
        yield piece


def _with_whole_head(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The same bytes, the first `_HEAD_BYTES` of them in one piece: the encoding is told there."""
    head = b""
    for piece in pieces:
        head += piece
        if len(head) >= _HEAD_BYTES:
            break
    yield head
    yield from pieces


def _two_byte_encoding(head: bytes) -> str | None:
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    return {b"<\x00": "utf-16-le", b"\x00<": "utf-16-be"}.get(head[:2])


def _refuse_large_directory(file: IO[bytes], limit: int) -> None:
    """The directory is read as a whole by zipfile: how large it says it is comes first."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - _TAIL_BYTES))
    tail = file.read()
    at = tail.rfind(_END)
    if at < 0 or len(tail) < at + 22:
        raise Refused("damaged_file", why="no end record")
    entries, directory = struct.unpack_from("<HI", tail, at + 10)
    place = at - 20 - 56  # where zipfile looks for the records of zip64, whatever the short record says
    if place >= 0 and tail.startswith(_LOCATOR64, at - 20) and tail.startswith(_END64, place):
        entries, directory = struct.unpack_from("<QQ", tail, place + 32)
    if entries > limit or directory > limit * _DIRECTORY_ENTRY_BYTES:
        raise Refused("resource_limit")
    file.seek(0)

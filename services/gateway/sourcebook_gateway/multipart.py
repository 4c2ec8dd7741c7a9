"""multipart/form-data as a stream of events; nothing is kept but what is being looked at."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from email.message import Message

from fastapi import Request
from python_multipart.exceptions import MultipartParseError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.requests import ClientDisconnect

from sourcebook_core.errors import RequestError
from sourcebook_gateway.body import IDLE_S

_HEADER_BYTES = 8192
_BOUNDARY = re.compile(rb"[\x20-\x7e]{1,200}")
# A client slower than this for a minute holds a connection for nothing (F26).
_SLOWEST_BYTES_S, SLOW_AFTER_S = 1000.0, 60.0


@dataclass(frozen=True)
class Begin:
    """A part begins: its field, and its file name when it is a file."""

    field: str
    file_name: str | None


@dataclass(frozen=True)
class Piece:
    """Bytes of the part that began last."""

    raw: bytes


@dataclass(frozen=True)
class End:
    """The part that began last is whole."""


Event = Begin | Piece | End


def boundary_of(request: Request) -> bytes:
    """The boundary of a multipart body. Raises 400 without a good one."""
    kind, options = parse_options_header(request.headers.get("content-type", ""))
    boundary = options.get(b"boundary", b"")
    if kind != b"multipart/form-data" or not _BOUNDARY.fullmatch(boundary):
        raise _malformed("its multipart boundary is missing.")
    return boundary


def _malformed(why: str) -> RequestError:
    return RequestError(400, "malformed", why=why)


class _Parts:
    """Collects what the push parser calls back with, one chunk at a time."""

    def __init__(self, boundary: bytes, limit: int) -> None:
        self.events: list[Event] = []
        self.is_complete = False
        self._limit = limit
        self._parts = 0
        self._name, self._value, self._bytes = b"", b"", 0
        self._headers: dict[bytes, bytes] = {}
        self.parser = MultipartParser(
            boundary,
            {
                "on_part_begin": self._begin, "on_header_field": self._header_name, "on_header_value": self._header_value,
                "on_header_end": self._header_end, "on_headers_finished": self._headers_end, "on_part_data": self._piece,
                "on_part_end": self._end, "on_end": self._complete,
            },
            max_header_size=_HEADER_BYTES,
        )  # fmt: skip

    def _begin(self) -> None:
        self._parts += 1
        if self._parts > self._limit:
            raise _malformed(f"it has more than {self._limit} parts.")
        self._headers, self._bytes = {}, 0

    def _header_name(self, data: bytes, start: int, end: int) -> None:
        self._name += data[start:end]
        self._count(end - start)

    def _header_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]
        self._count(end - start)

    def _count(self, size: int) -> None:
        self._bytes += size
        if self._bytes > _HEADER_BYTES:
            raise _malformed("the headers of a part are too large.")

    def _header_end(self) -> None:
        self._headers[self._name.lower()] = self._value
        self._name, self._value = b"", b""

    def _headers_end(self) -> None:
        kind, options = parse_options_header(self._headers.get(b"content-disposition", b""))
        if kind != b"form-data" or b"name" not in options:
            raise _malformed("a part has no name.")
        named = options.get(b"filename")
        self.events.append(Begin(options[b"name"].decode("utf-8", "replace")[:100], None if named is None else _file_name(named)))

    def _piece(self, data: bytes, start: int, end: int) -> None:
        self.events.append(Piece(bytes(data[start:end])))

    def _end(self) -> None:
        self.events.append(End())

    def _complete(self) -> None:
        self.is_complete = True


def _file_name(raw: bytes) -> str:
    """Browsers send UTF-8; some programs send Latin-1."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


async def events(
    request: Request, limit_bytes: int, limit_parts: int, *, idle_s: float = IDLE_S, slow_after_s: float = SLOW_AFTER_S
) -> AsyncIterator[Event]:
    """The parts of a request as they arrive; one that stands still for `idle_s`, or crawls after `slow_after_s`, is given up.

    Raises 400 for a broken or cut body, 408 for one that stands still or crawls, 413 past `limit_bytes`.
    """
    parts = _Parts(boundary_of(request), limit_parts)
    size, began = 0, time.monotonic()
    stream = request.stream()
    while True:
        try:
            async with asyncio.timeout(idle_s):
                chunk = await anext(stream, None)
        except TimeoutError:
            raise RequestError(408, "malformed", why="the rest of it did not arrive in time.") from None
        except ClientDisconnect:
            raise _malformed("it broke off.") from None
        if chunk is None:
            break
        size += len(chunk)
        if size > limit_bytes:
            raise RequestError(413, "too_large", limit=f"{limit_bytes // 1_000_000} MB")
        took = time.monotonic() - began
        if took > slow_after_s and size / took < _SLOWEST_BYTES_S:
            raise RequestError(408, "malformed", why="it arrives too slowly.")
        for event in _parsed(parts, chunk):
            yield event
    if not parts.is_complete:
        raise _malformed("its last part is cut off.")


def _parsed(parts: _Parts, chunk: bytes) -> list[Event]:
    try:
        parts.parser.write(chunk)
    except MultipartParseError:
        raise _malformed("its multipart form is broken.") from None
    found, parts.events = parts.events, []
    return found


def attachment(name: str) -> str:
    """A Content-Disposition that saves under this name; RFC 6266 with RFC 8187 for what is not ASCII."""
    header = Message()
    header.add_header("Content-Disposition", "attachment", filename=("utf-8", "", name))
    plain = "".join(c if c.isascii() and c.isprintable() and c not in '"\\%;' else "_" for c in name)
    encoded = str(header["Content-Disposition"]).partition("filename*=")[2]
    return f'attachment; filename="{plain}"; filename*={encoded}'

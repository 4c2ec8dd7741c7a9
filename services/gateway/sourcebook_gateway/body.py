"""JSON bodies, read strictly: counted, not compressed, not too deep, no name twice, nothing the database cannot hold."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import orjson
from fastapi import Request
from starlette.requests import ClientDisconnect

from sourcebook_core.errors import RequestError

MAX_DEPTH = 32  # our deepest body is 4 levels; a bomb is 100,000
_IN_THREAD_BYTES = 500_000  # parsing more than this would hold up the event loop for over 5 ms
# A body that says nothing for this long is given up; the connection's slot is worth more.
IDLE_S = 30.0


def check_headers(request: Request, limit_bytes: int) -> None:
    """Refuse what the headers alone show: a compressed body (415) or one over the limit (413)."""
    encoding = request.headers.get("content-encoding", "identity").strip().lower()
    if encoding not in ("", "identity"):
        raise RequestError(415, "malformed", why="compressed bodies are not taken; send it as it is.")
    length = request.headers.get("content-length")
    if length is not None:
        if not length.isascii() or not length.isdigit():
            raise RequestError(400, "malformed", why="its Content-Length is not a number.")
        if int(length) > limit_bytes:
            raise RequestError(413, "too_large", limit=_size(limit_bytes))


def _size(limit_bytes: int) -> str:
    return f"{limit_bytes // 1_000_000} MB" if limit_bytes >= 1_000_000 else f"{limit_bytes // 1000} kB"


async def read(request: Request, limit_bytes: int) -> bytes:
    """The whole body, at most `limit_bytes`. Raises 413, 415, 408, or 400 when the client leaves in the middle."""
    check_headers(request, limit_bytes)
    pieces, size = [], 0
    stream = request.stream()
    try:
        while True:
            async with asyncio.timeout(IDLE_S):
                piece = await anext(stream, None)
            if piece is None:
                break
            size += len(piece)
            if size > limit_bytes:
                raise RequestError(413, "too_large", limit=_size(limit_bytes))
            pieces.append(piece)
    except TimeoutError:
        raise RequestError(408, "malformed", why="the rest of it did not arrive in time.") from None
    except ClientDisconnect:
        raise RequestError(400, "malformed", why="it broke off.") from None
    return b"".join(pieces)


async def read_json(request: Request, limit_bytes: int, *, nul_in: frozenset[str] = frozenset()) -> Any:
    """The parsed body, also kept on the request for FastAPI; None for an empty one.

    400 when it is not JSON, 422 when it is JSON that cannot be meant: a name twice, deeper than 32, a number past the
    range, half a surrogate pair, NUL (but in the fields named by `nul_in`).
    """
    raw = await read(request, limit_bytes)
    if raw and _media_type(request) != "application/json":
        raise RequestError(415, "malformed", why="its Content-Type must be application/json.")
    if not raw:
        parsed = None
    elif len(raw) > _IN_THREAD_BYTES:
        parsed = await asyncio.to_thread(parse, raw, nul_in)
    else:
        parsed = parse(raw, nul_in)
    request._body, request._json = raw, parsed
    return parsed


def _media_type(request: Request) -> str:
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def _invalid(why: str) -> RequestError:
    return RequestError(422, "invalid_field", why=why)


def parse(raw: bytes, nul_in: frozenset[str] = frozenset()) -> Any:
    """`read_json` without the request."""
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError:
        raise _why_not(raw) from None
    _check(value, MAX_DEPTH, nul_in, None)
    json.loads(raw, object_pairs_hook=_no_name_twice)
    return value


def _no_name_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _invalid("a name stands twice in one object.")
    return found


def _why_not(raw: bytes) -> RequestError:
    """orjson refuses more than bad syntax: what the plain parser takes is JSON that cannot be stored."""
    try:
        json.loads(raw.decode("utf-8"))  # bytes alone would be taken in UTF-16 too
    except RecursionError:
        return _invalid("it is nested too deeply.")
    except ValueError:
        return RequestError(400, "malformed", why="it is not JSON.")
    return _invalid("it holds a number or a character that cannot be stored.")


def _check(value: Any, depth: int, nul_in: frozenset[str], name: str | None) -> None:
    if isinstance(value, str):
        if "\x00" in value and name not in nul_in:
            raise _invalid(f"{name or 'it'} holds a NUL character.")
    elif isinstance(value, dict | list):
        if depth == 0:
            raise _invalid("it is nested too deeply.")
        if isinstance(value, dict):
            for key, item in value.items():
                _check(key, depth, nul_in, None)
                _check(item, depth - 1, nul_in, key)
        else:
            for item in value:
                _check(item, depth - 1, nul_in, name)
    elif isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 2**63:
        raise _invalid(f"{name or 'a number'} is out of range.")

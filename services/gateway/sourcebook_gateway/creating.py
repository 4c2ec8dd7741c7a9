"""Creating requests: one transaction, and the first answer again for the same Idempotency-Key."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable
from typing import Any

import orjson
from fastapi import Request, Response
from pydantic import BaseModel

from sourcebook_core.db import Conn
from sourcebook_core.errors import RequestError
from sourcebook_core.store import idempotency
from sourcebook_core.store.idempotency import First
from sourcebook_gateway.deps import Caller, Shared
from sourcebook_gateway.json_answers import JsonAnswer, dumps

_KEY_CHARS = 255
Make = Callable[[Conn], Awaitable[tuple[int, BaseModel]]]


def key_of(request: Request) -> str | None:
    """The Idempotency-Key, if there is one. Raises 422 for one that is too long or not plain text."""
    key = request.headers.get("idempotency-key")
    if key is None:
        return None
    if not key or len(key) > _KEY_CHARS or not key.isprintable():
        raise RequestError(422, "invalid_field", why=f"Idempotency-Key: 1 to {_KEY_CHARS} printable characters.")
    return key


def route_of(request: Request) -> str:
    """What a key belongs to beside its person: method and address."""
    return f"{request.method} {request.url.path}"


def hash_of(request: Request) -> bytes:
    """What must be the same when a key comes again: the body."""
    return hashlib.sha256(getattr(request, "_body", b"")).digest()


async def first_of(conn: Conn, request: Request, caller: Caller, body_hash: bytes) -> First | None:
    """None: this request is to be carried out. Else the first request with its key; 409 when its body was another."""
    key = key_of(request)
    if key is None:
        return None
    first = await idempotency.claim(conn, caller.person_id, route_of(request), key, body_hash)
    if first is not None and first.body_hash != body_hash:
        raise RequestError(409, "idempotency_conflict")
    return first


async def keep(conn: Conn, request: Request, caller: Caller, status: int, answer: Any) -> None:
    """Keep the answer under the request's key, where it has one."""
    key = key_of(request)
    if key is not None:
        await idempotency.keep(conn, caller.person_id, route_of(request), key, status, answer)


async def created(shared: Shared, request: Request, caller: Caller, make: Make, *, is_secret: bool = False) -> Response:
    """Run `make` in one transaction and answer with what it made; a repeated key gets the first answer, a secret never.

    `make` writes to its connection and does nothing else: it may be run again (`Db.retried`).
    """

    async def once(conn: Conn) -> Response:
        first = await first_of(conn, request, caller, hash_of(request))
        if first is not None:
            return _again(first)
        status, answer = await make(conn)
        # Through JSON once, so that the kept answer is byte for byte what was sent.
        plain = orjson.loads(dumps(answer))
        await keep(conn, request, caller, status, None if is_secret else plain)
        return JsonAnswer(plain, status_code=status)

    return await shared.db.retried(once)


def _again(first: First) -> Response:
    if first.response is None or first.status is None:
        raise RequestError(409, "conflict", why="this was made by an earlier request, and its secret is shown only once.")
    return JsonAnswer(first.response, status_code=first.status)

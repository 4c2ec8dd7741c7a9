"""The gate of every route: who asks, may they, and only then the body. Order: requirements S0-02."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Callable, Coroutine
from typing import Any, Literal, get_args
from uuid import UUID

from fastapi import APIRouter, Request, Response
from fastapi.routing import APIRoute

from sourcebook_core.db import Conn
from sourcebook_core.errors import RequestError
from sourcebook_core.store import notebooks, sessions, tokens
from sourcebook_gateway import body, limits
from sourcebook_gateway.deps import Caller, Shared
from sourcebook_gateway.refusals import ErrorBody, not_found

SESSION_COOKIE = "sourcebook_session"
CSRF_COOKIE = "sourcebook_csrf"
CSRF_HEADER = "x-sourcebook-csrf"
Scope = Literal["public", "read", "ask", "add", "manage", "admin"]
SCOPES: tuple[str, ...] = tuple(scope for scope in get_args(Scope) if scope != "public")
PREFIX_CHARS = 8
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})


def digest(secret: str) -> bytes:
    """What is stored of a secret of 256 random bits: its SHA-256. (Nothing slower is needed for what cannot be guessed.)"""
    return hashlib.sha256(secret.encode()).digest()


def new_token() -> str:
    """A new API token. Its first characters are its public prefix."""
    return "sb" + secrets.token_urlsafe(32)


def needs(scope: Scope, **openapi: Any) -> dict[str, Any]:
    """`openapi_extra` of a route: the scope its caller must have, which also stands in the OpenAPI document."""
    return {"x-scope": scope, **openapi}


def asks() -> dict[str, Any]:
    """`openapi_extra` of a route that takes a message: scope `ask`, and each request is counted as one, also an invalid one (N-15)."""
    return needs("ask", **{"x-message": True})


class GatedRoute(APIRoute):
    """A route behind the gate: sign-in, CSRF and scope are settled before one byte of the body is read."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """FastAPI's handler with the gate before it."""
        inner = super().get_route_handler()
        scope: str = (self.openapi_extra or {})["x-scope"]
        has_body = self.body_field is not None
        is_message = bool((self.openapi_extra or {}).get("x-message"))

        async def gated(request: Request) -> Response:
            shared: Shared = request.app.state.shared
            if scope != "public":
                request.state.caller = await identify(shared, request)
                check_scope(request.state.caller, scope)
                await limits.count_token(shared, request, request.state.caller)
                if is_message:
                    await limits.count_message(shared, request, request.state.caller, limits.holder_in(request.path_params))
            if has_body:
                await body.read_json(request, shared.settings.limits.json_bytes)
            return await inner(request)

        return gated


def gated_router(tag: str) -> APIRouter:
    """A router whose every route goes through the gate; `needs(scope)` must stand on each."""
    refused: dict[int | str, dict[str, Any]] = {
        status: {"model": ErrorBody, "description": words}
        for status, words in (
            (400, "The request could not be read."),
            (401, "Not signed in."),
            (403, "Not allowed."),
            (404, "Nothing here, or not yours."),
            (422, "A field is not right."),
            (503, "Something it needs is away; Retry-After says when to try again."),
        )
    }
    return APIRouter(route_class=GatedRoute, tags=[tag], responses=refused)


async def identify(shared: Shared, request: Request) -> Caller:
    """Who asks, by bearer token or session cookie. Raises 401; 403 `csrf_failed` for a browser without the CSRF header."""
    authorization = request.headers.get("authorization")
    if authorization is not None:
        return await _by_token(shared, request, authorization)
    cookie = request.cookies.get(SESSION_COOKIE)
    if not cookie:
        raise RequestError(401, "not_signed_in")
    async with shared.db.transaction() as conn:
        session = await sessions.find(conn, digest(cookie))
    if session is None:
        raise RequestError(401, "not_signed_in")
    if request.method not in _SAFE and not _same(request.headers.get(CSRF_HEADER, ""), session.csrf):
        raise RequestError(403, "csrf_failed")
    scopes = frozenset(scope for scope in session.scopes if session.is_admin or scope != "admin")
    return Caller(
        session.person_id, session.name, session.email, session.is_admin, session.preferences, scopes,
        csrf=session.csrf, session_id=session.id,
    )  # fmt: skip


async def _by_token(shared: Shared, request: Request, authorization: str) -> Caller:
    kind, _, secret = authorization.partition(" ")
    if kind.lower() != "bearer" or not secret.strip():
        raise RequestError(401, "not_signed_in")
    found = await find_bearer(shared, request, secret.strip())
    scopes = frozenset(scope for scope in found.scopes if found.is_admin or scope != "admin")
    return Caller(
        found.person_id, found.name, found.email, found.is_admin, found.preferences, scopes, token_id=found.id,
        limits=found.limits,
    )  # fmt: skip


async def find_bearer(shared: Shared, request: Request, secret: str) -> tokens.Bearer:
    """The living token; unknown and wrong take the same way and time. Raises 401, 429 after many wrong ones of an address."""
    hashed = digest(secret)
    async with shared.db.transaction() as conn:
        candidates = await tokens.with_prefix(conn, secret[:PREFIX_CHARS])
        found = None
        for candidate in candidates:
            if hmac.compare_digest(candidate.secret_hash, hashed):
                found = candidate
        if found is not None:
            await tokens.touch(conn, found.id)
            return found
    await limits.count_sign_in(shared, request)
    raise RequestError(401, "not_signed_in")


def check_scope(caller: Caller, scope: str) -> None:
    """Raises 403 when the caller's token does not carry the scope."""
    if scope not in caller.scopes:
        raise RequestError(403, "forbidden")


async def check_owned(conn: Conn, caller: Caller, notebook_id: UUID) -> None:
    """Raises 404 unless this is a notebook of the caller's that does not lie in the trash."""
    if not await notebooks.owns(conn, caller.person_id, notebook_id):
        raise not_found()


def _same(given: str, wanted: str) -> bool:
    return hmac.compare_digest(given.encode(), wanted.encode())

"""Sign-in: by token, by one-time link; the person and their tokens."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from datetime import timedelta
from decimal import Decimal
from typing import Annotated
from uuid import UUID, uuid4

from fastapi import Query, Request, Response
from fastapi.responses import RedirectResponse

from sourcebook_core import log
from sourcebook_core.db import Conn
from sourcebook_core.errors import RequestError
from sourcebook_core.store import accounts, people, sessions, sign_in_links, tokens
from sourcebook_gateway import access, limits
from sourcebook_gateway.access import CSRF_COOKIE, PREFIX_CHARS, SESSION_COOKIE, digest, gated_router, needs, new_token
from sourcebook_gateway.creating import created
from sourcebook_gateway.deps import Caller, CallerDep, Shared, SharedDep
from sourcebook_gateway.refusals import not_found
from sourcebook_gateway.shapes.lists import Listed
from sourcebook_gateway.shapes.people import LinkAsk, LinkMade, LoginAsk, Me, MeUpdate, TokenCreate, TokenMade, TokenRead
from sourcebook_gateway.shapes.usage import plain

router = gated_router("sign-in")
_log = log.get(__name__)
_SESSION_LASTS = timedelta(days=30)
_LINK_LASTS = timedelta(minutes=10)
# Listening everywhere is no address to visit.
_EVERYWHERE = frozenset({"0.0.0.0", "::", ""})  # noqa: S104
_THEME_COOKIE = "sourcebook_theme"


def public_address(shared: Shared) -> str:
    """The address people reach this server at; never taken from a Host header, which anyone can write."""
    settings = shared.settings
    if settings.public_url:
        return settings.public_url.rstrip("/")
    host = "127.0.0.1" if settings.host in _EVERYWHERE else settings.host
    return f"http://{f'[{host}]' if ':' in host else host}:{settings.port}"


async def _sign_in(conn: Conn, shared: Shared, person_id: UUID, scopes: Iterable[str], response: Response) -> str:
    secret, csrf = secrets.token_urlsafe(32), secrets.token_urlsafe(24)
    await sessions.insert(conn, uuid4(), person_id, digest(secret), csrf, sorted(scopes), _SESSION_LASTS)
    is_https = public_address(shared).startswith("https://")
    age_s = int(_SESSION_LASTS.total_seconds())
    response.set_cookie(SESSION_COOKIE, secret, max_age=age_s, httponly=True, samesite="lax", secure=is_https, path="/")
    response.set_cookie(CSRF_COOKIE, csrf, max_age=age_s, httponly=False, samesite="lax", secure=is_https, path="/")
    _log.info("person.signed_in", person_id=str(person_id))
    return csrf


@router.post("/auth/login", summary="Sign a browser in with a token", openapi_extra=needs("public"))
async def login(request: Request, asked: LoginAsk, shared: SharedDep, response: Response) -> Me:
    """A session cookie for whoever holds a living token that may manage. 401 for any other, 403 for a lesser one, 429 after many tries."""
    await limits.check_sign_in(shared, request)
    bearer = await access.find_bearer(shared, request, asked.token.get_secret_value())
    if "manage" not in bearer.scopes:  # the page needs it; a session keeps the scopes of what signed it in
        raise RequestError(403, "forbidden")
    async with shared.db.transaction() as conn:
        csrf = await _sign_in(conn, shared, bearer.person_id, bearer.scopes, response)
    caller = Caller(bearer.person_id, bearer.name, bearer.email, bearer.is_admin, bearer.preferences, frozenset(), csrf=csrf)
    return Me.of(caller)


@router.post("/auth/logout", status_code=204, summary="Sign this browser out", openapi_extra=needs("read"))
async def logout(caller: CallerDep, shared: SharedDep) -> Response:
    """The session ends on the server; its cookies go."""
    if caller.session_id is not None:
        async with shared.db.transaction() as conn:
            await sessions.delete(conn, caller.session_id)
    response = Response(status_code=204)
    response.delete_cookie(SESSION_COOKIE, path="/")
    response.delete_cookie(CSRF_COOKIE, path="/")
    return response


@router.post("/auth/links", status_code=201, response_model=LinkMade, summary="Make a one-time sign-in link", openapi_extra=needs("manage"))
async def make_link(request: Request, caller: CallerDep, shared: SharedDep, asked: LinkAsk | None = None) -> Response:
    """A link that signs one browser in as the asker, once, within ten minutes. Only for the holder of a token."""
    if caller.token_id is None:
        raise RequestError(403, "forbidden")
    secret = secrets.token_urlsafe(32)

    async def make(conn: Conn) -> tuple[int, LinkMade]:
        await sign_in_links.insert(conn, caller.person_id, digest(secret), sorted(caller.scopes), _LINK_LASTS)
        return 201, LinkMade(url=f"{public_address(shared)}/api/v1/auth/link/{secret}")

    return await created(shared, request, caller, make, is_secret=True)


@router.get(
    "/auth/link/{token}", status_code=303, summary="Use a sign-in link", response_class=RedirectResponse, openapi_extra=needs("public")
)  # fmt: skip
async def use_link(
    request: Request,
    token: str,
    shared: SharedDep,
    next: Annotated[str, Query(max_length=500, description="Where in the page to go.")] = "/",
) -> Response:
    """Signs the browser in and goes to the page; a spent or old link goes to the sign-in page with the reason."""
    await limits.check_sign_in(shared, request)
    async with shared.db.transaction() as conn:
        signed_in = await sign_in_links.use(conn, digest(token))
        if signed_in is not None:
            response = RedirectResponse(_local(next), status_code=303)
            await _sign_in(conn, shared, signed_in.person_id, signed_in.scopes, response)
            return response
        is_used = await sign_in_links.is_used(conn, digest(token))
    await limits.count_sign_in(shared, request)
    return RedirectResponse(f"/sign-in?reason={'link_used' if is_used else 'link_expired'}", status_code=303)


def _local(target: str) -> str:
    """Only an address inside the page: a link must not send a signed-in person elsewhere."""
    is_local = target.startswith("/") and not target.startswith(("//", "/\\")) and target.isprintable() and "\\" not in target
    return target if is_local else "/"


@router.get("/me", summary="The person who asks", openapi_extra=needs("read"))
async def me(caller: CallerDep, shared: SharedDep) -> Me:
    """Name, role, preferences, what is left of their credit, and the CSRF value of this session."""
    return Me.of(caller, await _credit(shared, caller))


async def _credit(shared: Shared, caller: Caller) -> str | None:
    if not shared.prices.is_charged:
        return None
    async with shared.db.transaction() as conn:
        account = await accounts.find(conn, caller.person_id)
    return plain(account.available if account is not None else Decimal(0))


@router.patch("/me", summary="Change preferences", openapi_extra=needs("manage"))
async def change_me(asked: MeUpdate, caller: CallerDep, shared: SharedDep, response: Response) -> Me:
    """Sets the named preferences; the theme also as a cookie, so that the page has it before the first paint."""
    changes = asked.preferences.model_dump(exclude_unset=True)
    async with shared.db.transaction() as conn:
        person = await people.update_preferences(conn, caller.person_id, changes)
    if "theme" in changes:
        is_https = public_address(shared).startswith("https://")
        response.set_cookie(_THEME_COOKIE, changes["theme"] or "system", max_age=31_536_000, samesite="lax", secure=is_https, path="/")
    return Me.of(caller).model_copy(update={"preferences": Me.of(caller).preferences.model_validate(person.preferences)})


@router.get("/tokens", summary="My API tokens", openapi_extra=needs("manage"))
async def list_tokens(caller: CallerDep, shared: SharedDep) -> Listed[TokenRead]:
    """Every token of the asker, without its secret."""
    async with shared.db.transaction() as conn:
        found = await tokens.list_for_person(conn, caller.person_id)
    return Listed(items=[TokenRead.model_validate(token, from_attributes=True) for token in found])


@router.post("/tokens", status_code=201, response_model=TokenMade, summary="Make an API token", openapi_extra=needs("manage"))
async def make_token(request: Request, asked: TokenCreate, caller: CallerDep, shared: SharedDep) -> Response:
    """A new token, shown once. It can do at most what its maker can."""
    if not set(asked.scopes) <= caller.scopes:
        raise RequestError(403, "forbidden")
    secret = new_token()

    async def make(conn: Conn) -> tuple[int, TokenMade]:
        row = await tokens.insert(
            conn, caller.person_id, asked.name, secret[:PREFIX_CHARS], digest(secret), list(asked.scopes), asked.expires_at,
            asked.limits.model_dump(exclude_none=True) if asked.limits else None,
        )  # fmt: skip
        return 201, TokenMade(**TokenRead.model_validate(row, from_attributes=True).model_dump(), token=secret)

    return await created(shared, request, caller, make, is_secret=True)


@router.delete("/tokens/{token_id}", status_code=204, summary="Take a token away", openapi_extra=needs("manage"))
async def delete_token(token_id: UUID, caller: CallerDep, shared: SharedDep) -> None:
    """The token stops working at once."""
    async with shared.db.transaction() as conn:
        if not await tokens.delete(conn, caller.person_id, token_id):
            raise not_found()

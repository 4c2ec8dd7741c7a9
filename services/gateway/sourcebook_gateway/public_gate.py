"""The gate of the public tree: which assistant, from which site, by whose token. Sessions and API tokens of people count for nothing."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute

from sourcebook_core.errors import RequestError, SourcebookError
from sourcebook_core.store import assistants, visitors
from sourcebook_core.store.assistants import Published
from sourcebook_core.store.scopes import Holder
from sourcebook_gateway import body, cross_site, limits, visits
from sourcebook_gateway.deps import Caller, Shared
from sourcebook_gateway.refusals import ErrorBody, invalid, not_found, refusal, request_id_of
from sourcebook_gateway.visits import Ticket

Who = Literal["public", "visitor"]
BODY_BYTES = 200_000  # a question, its history and context; nothing larger comes from a visitor


def lets(who: Who, *, is_message: bool = False) -> dict[str, Any]:
    """`openapi_extra` of a public route: `public` for anybody on an allowed site, `visitor` with a visitor's token."""
    return {"x-scope": who, "x-message": is_message}


def public_router() -> APIRouter:
    """A router whose every route goes through this gate; `lets(who)` must stand on each."""
    refused: dict[int | str, dict[str, Any]] = {
        status: {"model": ErrorBody, "description": words}
        for status, words in (
            (401, "No visitor's token, or one that has ended."),
            (403, "This site, or this person, may not use it."),
            (404, "No such assistant, or it is not published."),
            (422, "A field is not right."),
            (429, "Too much at once; Retry-After says when to try again."),
        )
    }
    return APIRouter(route_class=VisitorRoute, tags=["public"], responses=refused)


class VisitorRoute(APIRoute):
    """A route behind the gate. Every answer, refusals included, says to the browser whether the page may read it."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """FastAPI's handler with the gate before it."""
        inner = super().get_route_handler()
        extra = self.openapi_extra or {}
        has_body = self.body_field is not None

        async def gated(request: Request) -> Response:
            shared: Shared = request.app.state.shared
            site = None
            try:
                met, site = await _meet(shared, request)
                if extra["x-scope"] == "visitor":
                    await _identify(shared, request, met, is_message=extra["x-message"])
                if has_body:
                    await body.read_json(request, BODY_BYTES)
                response = await inner(request)
            except RequestValidationError as error:
                response = refusal(invalid(error), request_id_of(request))
            except SourcebookError as error:
                response = refusal(error, request_id_of(request))
            return readable(response, site)

        return gated


async def _meet(shared: Shared, request: Request) -> tuple[Published, str | None]:
    """The assistant and the site of the page that asks. Raises 404 while it is off, 403 for a page of another site.

    A program sends no Origin and needs none: it has a token, or gets nothing.
    """
    async with shared.db.transaction() as conn:
        met = await assistants.find_published(conn, str(request.path_params.get("slug", "")))
    if met is None or visits.mode_of(met) == "off":
        raise not_found()
    given = request.headers.get("origin")
    site = visits.site_of(given) if given is not None else None
    if given is not None and not visits.may_be_met_on(met, site, shared.settings):
        raise RequestError(403, "site_not_allowed")
    cross_site.remember(shared, met.slug, visits.sites_of(met))
    request.state.met = met
    request.state.site = site
    return met, site


async def _identify(shared: Shared, request: Request, met: Published, *, is_message: bool) -> None:
    """Note who asks; their row is made with the first question. Raises 401, 403; 429 stays with the gate of the answer."""
    ticket = visits.ticket_in(shared.settings, met, request.headers.get("authorization"))
    request.state.ticket = ticket
    name = ticket.name or "Visitor"
    async with shared.db.transaction() as conn:
        known = await visitors.find(conn, met.id, ticket.subject)
        person_id = known[0] if known else None
        if is_message and (known is None or known[1] != name):
            person_id = await visitors.ensure(conn, met.id, ticket.subject, name)
    if person_id is not None:
        caller = Caller(person_id, name, None, False, {}, frozenset(), is_visitor=True)
        request.state.caller = caller
        if is_message:
            await limits.count_message(shared, request, caller, Holder("assistant", met.id))


def readable(response: Response, site: str | None) -> Response:
    """The response with the headers by which a page of an allowed site may read it; never with leave to send cookies."""
    headers = cross_site.readable_on(site)
    response.headers.append("Vary", headers.pop("Vary"))
    response.headers.setdefault("Cache-Control", headers.pop("Cache-Control"))
    if "www-authenticate" in response.headers:
        response.headers["WWW-Authenticate"] = "Visitor"
    response.headers.update(headers)
    return response


async def preflight(shared: Shared, request: Request) -> Response:
    """What a browser asks before a request from another site. 403 without leave for a site that is not allowed.

    An allowed site may ask though the assistant is off, or its request will be refused: else its page could not read why.
    """
    given = request.headers.get("origin")
    site = await cross_site.site_of(shared, str(request.path_params["slug"]), given) if given is not None else None
    if site is None:
        try:
            await _meet(shared, request)
        except SourcebookError as error:
            return readable(refusal(error, request_id_of(request)), None)
    response = readable(Response(status_code=204), site)
    response.headers["Access-Control-Allow-Methods"] = cross_site.METHODS
    response.headers["Access-Control-Allow-Headers"] = cross_site.HEADERS
    response.headers["Access-Control-Max-Age"] = "600"
    return response


def met_of(request: Request) -> Published:
    """The assistant, as the gate found it."""
    found: Published = request.state.met
    return found


def visitor_of(request: Request) -> Caller | None:
    """Who asks; None for a visitor who has not asked anything yet."""
    found: Caller | None = getattr(request.state, "caller", None)
    return found


def ticket_of(request: Request) -> Ticket:
    """What their token says."""
    found: Ticket = request.state.ticket
    return found


MetDep = Annotated[Published, Depends(met_of)]
VisitorDep = Annotated[Caller | None, Depends(visitor_of)]
TicketDep = Annotated[Ticket, Depends(ticket_of)]

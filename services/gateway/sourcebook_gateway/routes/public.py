"""The public tree: what the widget and host applications talk to, apart from the people who sign in here."""

from __future__ import annotations

import hashlib
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Header, Query, Request, Response

from sourcebook_core import jobs, profiles
from sourcebook_core.errors import RequestError
from sourcebook_core.jobs import PurgeDeleted
from sourcebook_core.profiles import Conversing
from sourcebook_core.store import assistants, visitors
from sourcebook_core.store.assistants import Published
from sourcebook_core.store.scopes import Holder
from sourcebook_gateway import answers, begin_turn, conversing, handing_over, limits, public_gate, visits, waiting
from sourcebook_gateway.deps import Caller, SharedDep
from sourcebook_gateway.json_answers import JsonAnswer
from sourcebook_gateway.public_gate import MetDep, TicketDep, VisitorDep, lets
from sourcebook_gateway.refusals import not_found
from sourcebook_gateway.routes import asking
from sourcebook_gateway.routes.asking import ASKED, STREAMS
from sourcebook_gateway.shapes.assistants import VisitorToken
from sourcebook_gateway.shapes.public import (
    SESSION,
    HandoverAsk,
    HandoverLed,
    PublicAssistant,
    PublicConversation,
    PublicQuestion,
    Sessioned,
)
from sourcebook_gateway.shapes.turns import Feedback, Question, TurnRead
from sourcebook_gateway.waiting import WaitQuery

router = public_gate.public_router()
preflights = APIRouter(include_in_schema=False)
SHOWN = 200  # turns of a conversation that is never cleared
_AT = "/public/v1/assistants/{slug}"
_LED: dict[int | str, dict[str, Any]] = {202: {"model": HandoverLed, "description": "It is on its way."}}
SessionQuery = Annotated[str | None, Query(max_length=200, description=SESSION)]
ResourceQuery = Annotated[str | None, Query(max_length=200, description="As `context.resource` of the questions.")]


@preflights.options(_AT)
@preflights.options(_AT + "/{rest:path}")
async def ask_before(request: Request, shared: SharedDep) -> Response:
    """What browsers ask before they send a request from another site."""
    return await public_gate.preflight(shared, request)


@router.get(_AT, summary="Meet an assistant", openapi_extra=lets("public"))
async def meet(request: Request, met: MetDep, shared: SharedDep) -> PublicAssistant:
    """Its name and look. 404 while it is not published or switched off."""
    if request.state.site is not None and request.state.site not in visits.own_sites(shared.settings):
        async with shared.db.transaction() as conn:
            await assistants.note_seen(conn, met.id, request.state.site)
    return PublicAssistant.model_validate(
        {
            "name": met.name, "slug": met.slug, "mode": visits.mode_of(met), "look": met.settings.get("look") or {},
            "language": met.settings.get("language"), "handover": (met.settings.get("handover") or {}).get("kind") or "none",
            "keeps": _conversing(met).store == "db",
        }
    )  # fmt: skip


def _conversing(met: Published) -> Conversing:
    return profiles.of(met.profile, met.settings.get("profile")).conversation


def _session(talk: Conversing, session_id: str | None, resource: Any) -> str:
    """The name under which a conversation is kept: nobody's words, of any length. By resource too where the profile says so (S4-33)."""
    about = str(resource or "") if talk.by_resource else ""
    if not session_id and not about:
        return ""
    return hashlib.sha256(f"{session_id or ''}\x00{about}".encode()).hexdigest()[:32]


@router.post(_AT + "/session", summary="Become an anonymous visitor", openapi_extra=lets("public"))
async def begin_session(request: Request, met: MetDep, shared: SharedDep) -> VisitorToken:
    """A token for 12 hours, in public mode alone and only for a page of one of its sites.

    With a visitor's token that is good, or ended within 30 days, it is renewed: the conversation goes on.
    """
    if visits.mode_of(met) != "public":
        raise RequestError(403, "visitor_not_listed")
    if request.state.site is None:
        raise RequestError(403, "site_not_allowed")
    subject = _renewed(request, met, shared)
    if subject is None:
        await limits.count_visit(shared, request)
        subject = visits.new_subject()
    token, lasts_s = visits.token_for(shared.settings, met.id, subject, None, is_anonymous=True)
    return VisitorToken(token=token, expires_in=lasts_s)


def _renewed(request: Request, met: Published, shared: SharedDep) -> str | None:
    """The anonymous visitor who comes again; None for a new one, also when the old token is of no use any more."""
    given = request.headers.get("authorization")
    if given is None:
        return None
    try:
        ticket = visits.ticket_in(shared.settings, met, given, within_s=visits.RENEWED_WITHIN_S)
    except RequestError:
        return None
    return ticket.subject if ticket.is_anonymous else None


@router.post(_AT + "/ask", summary="Ask an assistant", responses=ASKED, openapi_extra=lets("visitor", is_message=True))
async def ask(
    request: Request, asked: PublicQuestion, met: MetDep, visitor: VisitorDep, shared: SharedDep, wait: WaitQuery = None
) -> Response:
    """Streams the checked, cited answer of what was published. The same Idempotency-Key attaches to the same turn again."""
    caller, talk = _known(visitor), _conversing(met)
    if asked.history is not None and talk.store == "db":
        raise RequestError(422, "invalid_field", why="history: this assistant keeps the conversation itself.")
    begin_turn.worded(asked.question, shared)
    session, conversation_id = _session(talk, asked.session_id, (asked.context or {}).get("resource")), None
    async with shared.db.transaction() as conn:
        await visitors.hold(conn, caller.person_id)
        await visitors.note_asked(conn, met.id)
        if talk.store == "db":
            conversation_id = await visitors.open_conversation(
                conn, met.id, caller.person_id, session, ttl_s=talk.ttl_s, most=talk.max_sessions
            )
    question = Question(
        question=asked.question, conversation_id=conversation_id, history=asked.history, context=asked.context,
        answer_language=asked.answer_language,
    )  # fmt: skip
    return await begin_turn.ask(request, Holder("assistant", met.id), question, caller, shared, waiting.seconds_of(wait))


def _known(visitor: Caller | None) -> Caller:
    """The visitor, if they ever asked anything. Raises 404: who never asked has no turn."""
    if visitor is None:
        raise not_found()
    return visitor


@router.get(_AT + "/conversation", summary="My conversation", openapi_extra=lets("visitor"))
async def get_conversation(
    met: MetDep, visitor: VisitorDep, shared: SharedDep, session_id: SessionQuery = None, resource: ResourceQuery = None
) -> PublicConversation:
    """Its last 200 turns, oldest first; empty before the first question, after Reset, and where the assistant keeps nothing."""
    talk = _conversing(met)
    if visitor is None:
        return PublicConversation(turns=[])
    async with shared.db.transaction() as conn:
        found = await visitors.conversation_of(conn, met.id, visitor.person_id, _session(talk, session_id, resource), talk.ttl_s)
        shown = await conversing.turns_of(conn, found, visitor.person_id, SHOWN) if found else []
    return PublicConversation(id=found, turns=[_told(turn) for turn in shown])


def _told(turn: TurnRead) -> TurnRead:
    return turn.model_copy(update={"usage": answers.costless({"usage": turn.usage})["usage"]})


@router.post(_AT + "/reset", status_code=204, summary="Begin anew", openapi_extra=lets("visitor"))
async def reset(met: MetDep, visitor: VisitorDep, shared: SharedDep, asked: Sessioned | None = None) -> None:
    """Removes the conversation for good; an answer that is being written ends. Safe to repeat."""
    if visitor is None:
        return
    asked = asked or Sessioned()
    async with shared.db.transaction() as conn:
        gone = await visitors.reset(conn, met.id, visitor.person_id, _session(_conversing(met), asked.session_id, asked.resource))
        if gone is not None:
            await visitors.stop_all(conn, gone)
            await jobs.insert(conn, PurgeDeleted(), once=gone)
    if gone is not None:
        await shared.bell.ring("care")


@router.get(_AT + "/turns/{turn_id}/events", summary="Go on with a stream", responses=STREAMS, openapi_extra=lets("visitor"))
async def turn_events(
    request: Request, turn_id: UUID, visitor: VisitorDep, shared: SharedDep, last_event_id: Annotated[str | None, Header()] = None
) -> Response:
    """The events after `Last-Event-ID`, no word twice."""
    return await asking.turn_events(request, turn_id, _known(visitor), shared, last_event_id)


@router.post(_AT + "/turns/{turn_id}/stop", status_code=202, summary="Stop an answer", openapi_extra=lets("visitor"))
async def stop_turn(turn_id: UUID, visitor: VisitorDep, shared: SharedDep) -> TurnRead:
    """The answer ends soon as `stopped`; its text stays."""
    return _told(await asking.stop_turn(turn_id, _known(visitor), shared))


@router.post(_AT + "/turns/{turn_id}/feedback", summary="Thumbs for an answer", openapi_extra=lets("visitor"))
async def rate_turn(turn_id: UUID, asked: Feedback, visitor: VisitorDep, shared: SharedDep) -> TurnRead:
    """Up, down, or taken back. A thumbs down stands among what the assistant could not answer, without who gave it."""
    return _told(await asking.rate_turn(turn_id, asked, _known(visitor), shared))


@router.post(_AT + "/handover", response_model=HandoverLed, responses=_LED, summary="Ask for a person", openapi_extra=lets("visitor"))
async def hand_over(
    met: MetDep, visitor: VisitorDep, ticket: TicketDep, shared: SharedDep, asked: HandoverAsk | None = None
) -> Response:  # fmt: skip
    """A link to go to, or the conversation is sent to a person: once, until the visitor asks something more.

    By mail or webhook an anonymous visitor says where they are reached (`reply_to`, an e-mail address or a phone number), for nobody
    could answer them otherwise: 422 `contact_needed`. Whom the host application signed in is known to it and may leave it out.
    """
    asked = asked or HandoverAsk()
    talk = _conversing(met)
    session = _session(talk, asked.session_id, asked.resource)
    async with shared.db.transaction() as conn:
        said = visitor and await visitors.conversation_of(conn, met.id, visitor.person_id, session, talk.ttl_s)
        led = await handing_over.lead(conn, met, said or None, asked.reply_to, asked.note, is_anonymous=ticket.is_anonymous)
    if led.is_queued:
        await shared.bell.ring("care")
    told = HandoverLed.model_validate({"kind": led.kind, "to": led.to, "queued": led.is_queued})
    return JsonAnswer(told, status_code=202 if led.is_queued else 200)

"""Asking: questions, the turns they make, and searches without an answer."""

from __future__ import annotations

from typing import Annotated, Any
from uuid import UUID

from fastapi import Header, Request, Response

from sourcebook_core import events, jobs, same_question
from sourcebook_core.errors import CODES, RequestError
from sourcebook_core.jobs import SearchNotebook
from sourcebook_core.store import accounts, citations, misses, turn_looks, turns
from sourcebook_core.store.jobs import JobEnd
from sourcebook_core.store.scopes import Holder
from sourcebook_gateway import answers, begin_turn, limits, relay, waiting
from sourcebook_gateway.access import asks, gated_router, needs
from sourcebook_gateway.deps import Caller, CallerDep, Shared, SharedDep
from sourcebook_gateway.refusals import not_found
from sourcebook_gateway.shapes.turns import Feedback, Found, Question, SearchAsk, TurnRead, Why
from sourcebook_gateway.waiting import WaitQuery

router = gated_router("asking")
STREAMS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The answer in the form that Accept asks for: events as they come, or the whole at the end.",
        "content": {"text/event-stream": {}, "application/x-ndjson": {}, "application/json": {"schema": {"type": "object"}}},
    }
}
ASKED = STREAMS | {
    202: {"model": TurnRead, "description": "`wait` is over and the answer is not there: the turn as it stands."},
    402: {"description": "Its owner has no credit left for it."},
    429: {"description": "Too many messages; Retry-After says how long to wait."},
}


@router.post("/notebooks/{notebook_id}/ask", summary="Ask a notebook", responses=ASKED, openapi_extra=asks())
async def ask(
    request: Request, notebook_id: UUID, asked: Question, caller: CallerDep, shared: SharedDep, wait: WaitQuery = None
) -> Response:
    """Streams the checked, cited answer. The same Idempotency-Key attaches to the same turn again."""
    return await begin_turn.ask(request, Holder("notebook", notebook_id), asked, caller, shared, waiting.seconds_of(wait))


@router.get("/turns/{turn_id}", summary="One turn", openapi_extra=needs("read"))
async def get_turn(turn_id: UUID, caller: CallerDep, shared: SharedDep) -> TurnRead:
    """The question and its answer as stored; a running one with what was written so far."""
    async with shared.db.transaction() as conn:
        turn = await turns.find(conn, turn_id, caller.person_id)
        if turn is None:
            raise not_found()
        cited = await citations.list_for_turns(conn, [turn_id])
    return TurnRead.of(turn, cited[turn_id])


@router.get("/turns/{turn_id}/events", summary="Go on with a stream", responses=STREAMS, openapi_extra=needs("read"))
async def turn_events(
    request: Request, turn_id: UUID, caller: CallerDep, shared: SharedDep, last_event_id: Annotated[str | None, Header()] = None
) -> Response:
    """The events after `Last-Event-ID`, no word twice; from the beginning without it or with one of another answer."""
    async with shared.db.transaction() as conn:
        if await turns.find(conn, turn_id, caller.person_id) is None:
            raise not_found()
    return await answers.answer(shared, request, turn_id, caller.person_id, relay.place_of(last_event_id), wait=False)


@router.post("/turns/{turn_id}/stop", status_code=202, summary="Stop an answer", openapi_extra=needs("ask"))
async def stop_turn(turn_id: UUID, caller: CallerDep, shared: SharedDep) -> TurnRead:
    """The answer ends soon as `stopped`; its text stays. Stopping an ended one changes nothing."""
    async with shared.db.transaction() as conn:
        if await turns.request_stop(conn, turn_id, caller.person_id):
            await turn_looks.end_waiting(conn, turn_id)
    await events.hint(shared.redis, [caller.person_id], "turn", id=str(turn_id))
    return await get_turn(turn_id, caller, shared)


@router.post("/turns/{turn_id}/feedback", summary="Thumbs for an answer", openapi_extra=needs("ask"))
async def rate_turn(turn_id: UUID, asked: Feedback, caller: CallerDep, shared: SharedDep) -> TurnRead:
    """Up, down, or taken back. What got a thumbs down is shown to the owner among what the notebook could not answer."""
    async with shared.db.transaction() as conn:
        turn = await turns.find(conn, turn_id, caller.person_id)
        if turn is None:
            raise not_found()
        await turns.set_feedback(conn, turn_id, caller.person_id, asked.value or None, asked.note)
        if asked.value == -1:
            spoken = ((turn.outcome or {}).get("route") or {}).get("language")
            await misses.keep(conn, turn_id, same_question.key_of(turn.question, spoken), spoken)
        else:
            await misses.take_thumb_back(conn, turn_id)
    return await get_turn(turn_id, caller, shared)


@router.get("/turns/{turn_id}/why", summary="How an answer was found", openapi_extra=needs("read"))
async def why_turn(turn_id: UUID, caller: CallerDep, shared: SharedDep) -> Why:
    """Every passage that was looked at, with its ranks and why it was kept or dropped."""
    async with shared.db.transaction() as conn:
        turn = await turns.find(conn, turn_id, caller.person_id)
        if turn is None:
            raise not_found()
        why = await turns.find_why(conn, turn_id, caller.person_id) or {}
    return Why(**{"question": turn.question, **{name: why[name] for name in Why.model_fields if why.get(name) is not None}})


@router.post("/notebooks/{notebook_id}/search", summary="Search a notebook", openapi_extra=needs("ask"))
async def search_notebook(notebook_id: UUID, asked: SearchAsk, caller: CallerDep, shared: SharedDep) -> Found:
    """Ranked chunks, without a model that writes."""
    return await _search(notebook_id, asked, caller, shared)


@router.post("/search", summary="Search all my sources", openapi_extra=needs("ask"))
async def search_everything(asked: SearchAsk, caller: CallerDep, shared: SharedDep) -> Found:
    """Ranked chunks of the whole library."""
    return await _search(None, asked, caller, shared)


async def _search(notebook_id: UUID | None, asked: SearchAsk, caller: Caller, shared: Shared) -> Found:
    query = begin_turn.worded(asked.query, shared)
    await limits.count_search(shared, caller)
    work = SearchNotebook(
        notebook_id=notebook_id, person_id=caller.person_id, query=query, k=asked.k, source_ids=asked.source_ids, every=asked.every
    )
    async with shared.db.transaction() as conn:
        if notebook_id is not None:
            await begin_turn.check_asked(conn, caller, Holder("notebook", notebook_id), asked.source_ids)
        job_id = await jobs.insert(conn, work, owner_id=caller.person_id)
    return Found(**await awaited(shared, job_id, "answer"))


async def awaited(shared: Shared, job_id: UUID, queue: str) -> dict[str, Any]:
    """The result of a job, waited for as long as an answer's beginning. Raises its error, or 503 when no worker was fast enough."""
    await shared.bell.ring(queue)
    end = await jobs.wait_for_end(shared.db, job_id, shared.settings.first_event_s)
    if end is None or end.state == "cancelled":
        raise RequestError(503, "first_event_timeout", retry_after_s=5)
    if end.state == "failed":
        raise failed(end)
    return end.result or {}


def failed(end: JobEnd) -> RequestError:
    """How a request that waited for a job is refused when the job failed."""
    error = end.error or {}
    code = str(error.get("code") or "internal")
    if code == accounts.CODE:
        return RequestError(402, code)
    if code == "not_found":  # it went since the job was queued
        return not_found()
    message = str(error.get("message") or CODES.get(code, CODES["internal"]))
    return RequestError(409, code, message) if code == "conflict" else RequestError(503, code, message, retry_after_s=5)

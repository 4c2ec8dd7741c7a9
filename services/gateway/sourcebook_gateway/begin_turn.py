"""A question to a notebook or an assistant: what may be asked, and the turn and job that it makes."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from uuid import UUID, uuid4

from fastapi import Request, Response

from sourcebook_core import jobs
from sourcebook_core.db import Conn
from sourcebook_core.errors import RequestError
from sourcebook_core.jobs import AnswerTurn
from sourcebook_core.profiles import Conversing, Profile
from sourcebook_core.store import asks, citations, conversations, grants, scopes, traces, turns, visitors
from sourcebook_core.store.scopes import Holder
from sourcebook_core.text.scripts import invisible_pattern
from sourcebook_gateway import answers, creating, credit, host_reads, limits
from sourcebook_gateway.deps import Caller, Shared
from sourcebook_gateway.host_reads import Gate
from sourcebook_gateway.json_answers import JsonAnswer
from sourcebook_gateway.limits import Budget
from sourcebook_gateway.refusals import not_found
from sourcebook_gateway.shapes.turns import Question, TurnRead

RESOURCE_CHARS = 300


async def ask(request: Request, holder: Holder, asked: Question, caller: Caller, shared: Shared, wait_s: float | None = None) -> Response:
    """The response that tells the answer, in the form that Accept asks for. `wait_s`: as JSON, wait no longer than that, and answer
    202 with the turn. Raises as `begin`."""
    turn_id = await begin(request, holder, asked, caller, shared)
    if wait_s is not None and answers.form_of(request) == "application/json":
        return await _waited(shared, request, turn_id, caller, wait_s)
    return await answers.answer(shared, request, turn_id, caller.person_id, 0, wait=True)


async def begin(request: Request, holder: Holder, asked: Question, caller: Caller, shared: Shared) -> UUID:
    """The turn that the question makes, its job rung. The same Idempotency-Key attaches to the same turn.

    Raises 404 for what the caller may not ask, 402 where its owner cannot pay, 429, 503, 409 while an answer is being written, 422.
    """
    question = worded(asked.question, shared)
    if asked.history is not None and asked.conversation_id is not None:
        raise RequestError(422, "invalid_field", why="history: give it or conversation_id, not both.")
    budgets = await limits.count_message(shared, request, caller, holder)
    gate = await host_reads.at_gate(
        request, holder, asked, caller, shared, lambda conn: _admit(conn, shared, budgets, holder, asked, caller)
    )
    async with shared.db.transaction() as conn:
        if caller.is_visitor:
            await visitors.hold(conn, caller.person_id)
        first = await creating.first_of(conn, request, caller, creating.hash_of(request))
        turn_id = UUID(first.response["turn_id"]) if first else await _begin(conn, shared, budgets, holder, question, asked, caller, gate)
        if first is None:
            await creating.keep(conn, request, caller, 200, {"turn_id": str(turn_id)})
    await shared.bell.ring("answer")
    return turn_id


async def _waited(shared: Shared, request: Request, turn_id: UUID, caller: Caller, wait_s: float) -> Response:
    """The whole answer if it is there in time, else 202 with the turn as it stands."""
    with suppress(TimeoutError):
        async with asyncio.timeout(wait_s):
            return await answers.answer(shared, request, turn_id, caller.person_id, 0, wait=True)
    async with shared.db.transaction() as conn:
        turn = await turns.find(conn, turn_id, caller.person_id)
        if turn is None:
            raise not_found()
        cited = (await citations.list_for_turns(conn, [turn_id]))[turn_id]
    told = TurnRead.of(turn, cited)  # it may have ended just now
    return JsonAnswer(answers.costless(told.model_dump(mode="json")) if caller.is_visitor else told, status_code=202)


def worded(text: str, shared: Shared) -> str:
    """The question without blanks around it. Raises 422 for an empty or too long one."""
    limit = shared.settings.limits.question_chars
    question = text.strip()
    if not invisible_pattern().sub("", question).strip():
        raise RequestError(422, "invalid_field", why="the question is empty.")
    if len(question) > limit:
        raise RequestError(422, "invalid_field", why=f"the question has {len(question)} characters; the limit is {limit}.")
    return question


async def check_asked(conn: Conn, caller: Caller, holder: Holder, source_ids: list[UUID] | None) -> UUID:
    """The owner of what is asked. Raises 404 where the caller may not ask it, or for one of the chosen sources that it does not hold."""
    owner_id = await scopes.owner_of(conn, holder, caller.person_id)
    if owner_id is None or (source_ids and await grants.missing(conn, holder, source_ids)):
        raise not_found()
    return owner_id


@dataclass(frozen=True, slots=True)
class _Admitted:
    owner_id: UUID
    profile: Profile
    price: Decimal


async def _admit(conn: Conn, shared: Shared, budgets: Sequence[Budget], holder: Holder, asked: Question, caller: Caller) -> _Admitted:
    """Who pays, how it answers and what it may cost. Raises 404, 402, 429, in this order (C25)."""
    owner_id = await check_asked(conn, caller, holder, asked.source_ids)
    how = await asks.find(conn, holder, caller.person_id)
    if how is None:
        raise not_found()
    price = await credit.price_of_ask(conn, shared, how)
    await credit.check(conn, owner_id, price)
    limits.refuse(budgets)
    return _Admitted(owner_id, how.profile, price)


async def _begin(
    conn: Conn, shared: Shared, budgets: Sequence[Budget], holder: Holder, question: str, asked: Question, caller: Caller, gate: Gate
) -> UUID:
    """Turn and job in one transaction; the job is the owner's, who pays for it. Raises as `ask`: first 402, then 429 (C25)."""
    admitted = await _admit(conn, shared, budgets, holder, asked, caller)
    owner_id, profile, price = admitted.owner_id, admitted.profile, admitted.price
    await limits.check_at_once(conn, shared, caller, holder, profile.limits)
    conversation_id = await _conversation(conn, holder, asked, caller, profile.conversation)
    if asked.replaces is not None:
        replaced = await turns.find(conn, asked.replaces, caller.person_id)
        if replaced is None or replaced.conversation_id != conversation_id:
            raise not_found()
    turn_id = uuid4()
    language = asked.answer_language or caller.preferences.get("answer_language")
    rest = asked.model_dump(mode="json", include={"source_ids", "history", "context", "style"}, exclude_none=True)
    if language:
        rest["answer_language"] = language
    if gate.told:
        rest["host"] = gate.told
    if not await turns.insert(
        conn, turn_id, conversation_id=conversation_id, holder=holder, person_id=caller.person_id, question=question,
        request=rest, replaces=asked.replaces,
    ):  # fmt: skip
        raise RequestError(409, "turn_running")
    if profile.conversation.store == "client":
        await traces.expire(conn, turn_id, shared.settings.limits.trace_days)
    await conversations.touch(conn, conversation_id, holder)
    work = AnswerTurn(turn_id=turn_id)
    job_id = await jobs.insert(conn, work, owner_id=owner_id, subject=turn_id, once=turn_id, sealed=gate.sealed)
    await credit.reserve(conn, owner_id, job_id, price)
    return turn_id


async def _conversation(conn: Conn, holder: Holder, asked: Question, caller: Caller, of: Conversing) -> UUID:
    """The conversation that was named, while it may be gone on with, else a new one. Raises 404 for one that is not the caller's."""
    resource = str((asked.context or {}).get("resource") or "")[:RESOURCE_CHARS] if of.by_resource else None
    if asked.conversation_id is not None:
        found = await conversations.find(conn, caller.person_id, asked.conversation_id)
        if found is None or found.holder != holder:
            raise not_found()
        if await conversations.goes_on(conn, found.id, resource, of.ttl_s):
            return found.id
    conversation_id = uuid4()
    await conversations.insert(conn, conversation_id, holder, caller.person_id, resource=resource or "")
    if of.max_sessions is not None:
        await conversations.drop_oldest(conn, caller.person_id, holder, of.max_sessions)
    return conversation_id

"""The answer of a writing model over the passages found: composed, streamed, checked, committed."""

from __future__ import annotations

import asyncio
import secrets

from sourcebook_core import faults, jobs, log
from sourcebook_core.events import Route, Stage, Token
from sourcebook_core.providers.embed import token_estimate
from sourcebook_core.providers.listing import context_tokens
from sourcebook_core.settings import RoleSettings
from sourcebook_core.store import turns
from sourcebook_core.store.calls import Call
from sourcebook_rag import lines
from sourcebook_rag.answer import (
    by_line,
    checking,
    commit,
    compose,
    embedding,
    ledger,
    near_sentences,
    outcome,
    passages,
    retrieve,
    seek,
    shown,
    stream,
)
from sourcebook_rag.answer.begin import Asked
from sourcebook_rag.answer.commit import Ended
from sourcebook_rag.answer.compose import Composed
from sourcebook_rag.answer.embedding import Embedded
from sourcebook_rag.answer.ledger import Bill
from sourcebook_rag.answer.publish import Publisher
from sourcebook_rag.answer.retrieve import Retrieved
from sourcebook_rag.answer.run import Run
from sourcebook_rag.answer.stream import Keeper, Written

STEP = "answer"
SMALL_CONTEXT_TOKENS = 4096  # a model that takes no more is given sentences, not passages (models.md section 4)
REPLY_SHARE = 3  # of a known context at most a third is kept free for the reply
CUT_BELOW = 0.5  # the provider counted less than this share of our estimate: it cut the prompt without saying so
CUT_TOKENS = 1000  # below this many tokens the estimate is too rough to tell
FENCE_BYTES = 9
_log = log.get(__name__)


async def answer(run: Run, asked: Asked, found: Retrieved, embedded: Embedded, publisher: Publisher) -> None:
    """Let the model answer from the passages, and end the turn with what it wrote, checked."""
    role = asked.roles["chat"]
    limit = await context_tokens(role)
    if is_small(limit) and not found.passages:  # without a passage a small model makes one up
        await by_line.nothing_found(run, asked, found, embedded, publisher)
        return
    composed, earlier_bill = await _compose(run, asked, found, embedded, role, limit)
    if composed.is_cut:
        run.without("prompt_cut")
    await faults.point(run.deps.settings, "answer.before_open")
    call = await _open(run, asked, embedded, composed, role)
    route = Route(answer_mode="model", language=asked.language)
    publisher.send(commit.opening(asked, route, composed.passages))
    await publisher.flush()
    await faults.point(run.deps.settings, "answer.before_call")
    written = await _write(run, asked, role, composed, publisher, reply_tokens(role, limit))
    await faults.point(run.deps.settings, "answer.before_commit")
    bills = (earlier_bill, bill_of(run, call, role, composed, written))
    if written.error is not None:
        await commit.fail(run, asked.turn, written.error, publisher, answer=written.answer, bills=bills)
        return
    await _check_and_end(run, asked, found, composed, written, route, bills, publisher)


def is_small(limit: int | None) -> bool:
    """Whether the model takes so little text that it is given sentences."""
    return limit is not None and limit <= SMALL_CONTEXT_TOKENS


def reply_tokens(role: RoleSettings, limit: int | None) -> int:
    """How long the reply may be: as the role says, and at most a third of a context whose size is known."""
    return min(role.max_tokens, limit // REPLY_SHARE) if limit else role.max_tokens


async def _compose(
    run: Run, asked: Asked, found: Retrieved, embedded: Embedded, role: RoleSettings, limit: int | None
) -> tuple[Composed, Bill | None]:
    fence = f"<<{secrets.token_hex(FENCE_BYTES)}>>"
    bill = None
    if limit is not None and is_small(limit):
        few, bill = await near_sentences.narrowed(run, asked, found, embedded)
        composed = compose.compose_small(
            asked.question, few, fence=fence, language=asked.reply_language, context_tokens=limit, reply_tokens=reply_tokens(role, limit)
        )
    else:
        composed = compose_for(asked, found, fence=fence, limit=limit, reply_tokens=reply_tokens(role, limit))
    chars = sum(len(message["content"]) for message in composed.messages)
    _log.info("answer.composed", prompt=composed.label, passages=len(composed.passages), tokens=composed.tokens, chars=chars)
    return composed, bill


def compose_for(asked: Asked, found: Retrieved, *, fence: str, limit: int | None, reply_tokens: int) -> Composed:
    """The request for this question: overlapping passages joined, those of the last answer carried along (C9)."""
    carried = retrieve.with_carried(found, asked.cited_before, asked.profile.retrieval.carried_passages)
    return compose.compose(
        asked.question,
        passages.merge(carried),
        asked.scope.granted,
        asked.history,
        asked.profile.prompt,
        fence=fence,
        language=asked.reply_language,
        context_tokens=limit,
        reply_tokens=reply_tokens,
    )


async def _open(run: Run, asked: Asked, embedded: Embedded, composed: Composed, role: RoleSettings) -> Call:
    """Commit that the answer begins: from here the turn is never run again. The call is in the ledger before it is made."""
    async with jobs.holding(run.deps.db, run.work) as conn:
        await embedding.settle(conn, embedded)
        await turns.open_stream(conn, asked.turn.id)
        # The fence is new each time, so the words of the question stand for the request.
        key = {"question": asked.question, "fence": run.work.claim.fence, "prompt": composed.label}
        return await ledger.begin(conn, run, STEP, role, key, asked.scope.holder, asked.turn.id)


async def _write(run: Run, asked: Asked, role: RoleSettings, composed: Composed, publisher: Publisher, most_tokens: int) -> Written:
    model = (role.base_url, role.model)
    aloud = model in run.deps.thinks_aloud
    written = Written(shown.filter_for(asked.profile.citations, len(composed.passages), expect_reasoning=aloud))
    keeper = Keeper(run.deps.db, asked.turn.id, run.work.claim.fence, lambda: written.answer)
    keeping = asyncio.create_task(keeper.run())
    try:
        await stream.write(
            role,
            composed.messages,
            composed.passages,
            written,
            publisher,
            keeper.stop,
            temperature=role.temperature,
            max_tokens=most_tokens,
            total_s=asked.profile.answer.total_s,
        )
    finally:
        keeper.over.set()
        await asyncio.wait({keeping})
    if written.filter.has_leaked_reasoning:
        run.deps.thinks_aloud.add(model)
    return written


async def _check_and_end(
    run: Run,
    asked: Asked,
    found: Retrieved,
    composed: Composed,
    written: Written,
    route: Route,
    bills: tuple[Bill | None, Bill],
    publisher: Publisher,
) -> None:
    text = written.answer
    if written.filter.is_not_covered and not text.strip():
        text = lines.line("none", asked.reply_language)
        publisher.send(Token(text=text, at=0))
    publisher.send(Stage(name="checking", count=len(written.filter.order)))
    _note_cut(run, composed, written)
    grounding = [asked.question, *(said.content for said in asked.history if said.role == "user")]
    marks, invalid = written.filter.marks, written.filter.invalid_numbers
    checked = await checking.check(run, asked, composed.passages, text, marks, invalid_numbers=invalid, grounding=grounding)
    text, cited = shown.with_line(asked, written.filter, text, composed.passages, checked.citations, publisher)
    end = written.end
    used = end.usage if end is not None else None
    ended = Ended(
        text,
        route,
        finish=written.finish,
        passages=composed.passages,
        citations=cited,
        checks=checked.checks,
        reply_kind="none" if written.filter.is_not_covered else None,
        closest=outcome.closest(found.nearest) if written.filter.is_not_covered else (),
        usage=outcome.usage(used.prompt_tokens if used else None, used.completion_tokens if used else None, 1, bills[1].cost),
        bills=(*bills, checked.bill),
        ttft_ms=run.ms(written.first_at) if written.first_at is not None else None,
        why=await seek.explain(run, asked, found, composed.label, composed.passages),
    )
    await commit.end(run, asked, ended, publisher)


def bill_of(run: Run, call: Call, role: RoleSettings, composed: Composed, written: Written) -> Bill:
    """What the call used: as the provider counted, else unknown with our own count beside it (a stopped or broken reply)."""
    used = written.end.usage if written.end is not None else None
    if used is None and written.error is not None and isinstance(written.error.facts.get("usage"), dict):
        told = written.error.facts["usage"]
        return ledger.bill(call, run.deps.prices, role, told["prompt_tokens"], told["completion_tokens"])
    if used is None:
        return ledger.estimate(call, run.deps.prices, role, composed.tokens, token_estimate(written.answer))
    return ledger.bill(call, run.deps.prices, role, used.prompt_tokens, used.completion_tokens)


def _note_cut(run: Run, composed: Composed, written: Written) -> None:
    """Some servers cut a long prompt without a word; their own count gives them away."""
    used = written.end.usage if written.end is not None else None
    if used is not None and composed.tokens >= CUT_TOKENS and used.prompt_tokens < CUT_BELOW * composed.tokens:
        run.without("prompt_cut")

"""The answer of a writing model over the passages found: composed, streamed, checked, committed."""

from __future__ import annotations

from collections.abc import Sequence

from sourcebook_core import faults, host_data, jobs, log
from sourcebook_core.errors import SourcebookError
from sourcebook_core.events import Route, Stage, Token, Usage
from sourcebook_core.providers.embed import token_estimate
from sourcebook_core.providers.listing import context_tokens
from sourcebook_core.settings import RoleSettings
from sourcebook_core.store import turns
from sourcebook_core.store.calls import Call
from sourcebook_rag import lines
from sourcebook_rag.answer import (
    by_cards,
    by_line,
    catalog,
    checking,
    commit,
    compose,
    embedding,
    instructions,
    ledger,
    near_sentences,
    outcome,
    passages,
    retrieve,
    seek,
    shown,
    stream,
    unanswered,
)
from sourcebook_rag.answer.begin import Asked, situation
from sourcebook_rag.answer.catalog import Consulted
from sourcebook_rag.answer.commit import Ended
from sourcebook_rag.answer.compose import Brief, Composed
from sourcebook_rag.answer.embedding import Embedded
from sourcebook_rag.answer.ledger import Bill
from sourcebook_rag.answer.passages import Passage
from sourcebook_rag.answer.publish import Publisher
from sourcebook_rag.answer.retrieve import Retrieved
from sourcebook_rag.answer.run import Run
from sourcebook_rag.answer.stream import Written

STEP = "answer"
SMALL_CONTEXT_TOKENS = 4096  # a model that takes no more is given sentences, not passages (models.md section 4)
REPLY_SHARE = 3  # of a known context at most a third is kept free for the reply
CUT_BELOW = 0.5  # the provider counted less than this share of our estimate: it cut the prompt without saying so
CUT_TOKENS = 1000  # below this many tokens the estimate is too rough to tell
NOT_CONSULTED = Consulted()
_log = log.get(__name__)


async def answer(run: Run, asked: Asked, found: Retrieved, embedded: Embedded, publisher: Publisher) -> None:
    """Let the model answer from the passages, and end the turn with what it wrote, checked."""
    role = asked.roles["chat"]
    limit = await context_tokens(role)
    if not found.passages and says_nothing(asked, limit):
        await by_line.nothing_found(run, asked, found, embedded, publisher)
        return
    composed, earlier_bill = await _compose(run, asked, found, embedded, limit)
    if composed.is_cut:
        run.without("prompt_cut")
    await faults.point(run.deps.settings, "answer.before_open")
    call = await _open(run, asked, embedded, composed, role)
    route = route_of(asked, composed.passages)
    publisher.send(commit.opening(asked, route, composed.passages))
    await publisher.flush()
    await faults.point(run.deps.settings, "answer.before_call")
    written = await _write(run, asked, role, composed, publisher, reply_tokens(asked, limit))
    await faults.point(run.deps.settings, "answer.before_commit")
    bill = bill_of(run, call, role, composed, written)
    bills = (earlier_bill, bill)
    if written.error is None:
        await check_and_end(run, asked, found, composed, written, route, bills, publisher, outcome.usage([bill]))
    else:
        await end_failed(run, asked, found, written.error, publisher, bills, written.answer)


def is_small(limit: int | None) -> bool:
    """Whether the model takes so little text that it is given sentences."""
    return limit is not None and limit <= SMALL_CONTEXT_TOKENS


def says_nothing(asked: Asked, limit: int | None) -> bool:
    """Whether a question for which nothing was found gets a fixed line: by the profile, or because a small model would make one up."""
    on_empty = asked.profile.answer.on_empty
    return on_empty == "canned" or (is_small(limit) and on_empty != "silent")


def route_of(asked: Asked, given: Sequence[Passage]) -> Route:
    """The route as it is told: a routed question for which nothing was found is answered with low confidence (C14)."""
    is_sure = given or asked.profile.answer.on_empty != "low_confidence"
    return asked.taken.told("model") if is_sure else asked.taken.told("empty").model_copy(update={"by": "model"})


def reply_tokens(asked: Asked, limit: int | None) -> int:
    """How long the reply may be: as the profile says, else the role, and at most a third of a context whose size is known."""
    most = asked.profile.answer.max_tokens or asked.roles["chat"].max_tokens
    return min(most, limit // REPLY_SHARE) if limit else most


async def _compose(run: Run, asked: Asked, found: Retrieved, embedded: Embedded, limit: int | None) -> tuple[Composed, Bill | None]:
    fence = compose.new_fence()
    bill = None
    most = reply_tokens(asked, limit)
    if limit is not None and is_small(limit) and found.passages and asked.profile.name in instructions.SMALL_DOES:
        few, bill = await near_sentences.narrowed(run, asked, found, embedded)
        composed = compose.compose_small(
            asked.question,
            few,
            fence=fence,
            language=asked.reply_language,
            context_tokens=limit,
            reply_tokens=most,
            pinned=asked.profile.prompt.pinned,
        )
    else:
        consulted = await catalog.consult(run, asked)
        composed = compose_for(asked, found, fence=fence, limit=limit, reply_tokens=most, consulted=consulted)
    chars = sum(len(message["content"]) for message in composed.messages)
    _log.info("answer.composed", prompt=composed.label, passages=len(composed.passages), tokens=composed.tokens, chars=chars)
    return composed, bill


def compose_for(
    asked: Asked, found: Retrieved, *, fence: str, limit: int | None, reply_tokens: int, consulted: Consulted = NOT_CONSULTED
) -> Composed:
    """The request for this question: overlapping passages joined, those of the last answer carried along (C9).

    The one way from a question to its prompt, shared with the evaluation (S4-38). Pure.
    """
    carried = retrieve.with_carried(found, asked.cited_before, asked.profile.retrieval.carried_passages)
    given = [*passages.merge(carried)[: asked.profile.answer.max_passages_model], *consulted.passages]
    brief = Brief(
        asked.question,
        asked.profile,
        documents=asked.scope.granted,
        route=route_of(asked, given),
        language=asked.reply_language,
        style=asked.style,
        situation=situation(asked),
        data=host_data.as_prompt(asked.host, fence),
        notice=consulted.notice,
    )
    return compose.compose(brief, given, asked.history, fence=fence, context_tokens=limit, reply_tokens=reply_tokens)


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
    written = Written(
        shown.filter_for(asked.profile.citations, len(composed.passages), expect_reasoning=aloud),
        hides_refusal=asked.profile.answer.hides_refusal,
    )
    async with stream.keeping(run.deps.db, asked.turn.id, run.work.claim.fence, lambda: written.answer) as keeper:
        await stream.write(
            role,
            composed.messages,
            composed.passages,
            written,
            publisher,
            keeper.stop,
            temperature=asked.profile.answer.temperature,
            max_tokens=most_tokens,
            total_s=asked.profile.answer.total_s,
        )
    if written.filter.has_leaked_reasoning:
        run.deps.thinks_aloud.add(model)
    elif aloud and written.end is not None and not written.filter.has_met_reasoning:
        run.deps.thinks_aloud.discard(model)  # one reply gave it a bad name: its answers may stream again
    return written


async def end_failed(
    run: Run, asked: Asked, found: Retrieved, error: SourcebookError, publisher: Publisher, bills: Sequence[Bill | None], answer: str = ""
) -> None:
    """End a turn whose model failed after `answer`: with cards where nothing was said and the profile wants them, else with its error."""
    if answer or asked.profile.answer.on_model_failure != "level_below":
        await commit.fail(run, asked.turn, error, publisher, answer=answer, bills=bills)
        return
    _log.warning("answer.level_below", code=error.code)
    run.without("no_chat_model")
    await by_cards.end(run, asked, found, publisher, bills=bills)


async def check_and_end(
    run: Run,
    asked: Asked,
    found: Retrieved,
    composed: Composed,
    written: Written,
    route: Route,
    bills: Sequence[Bill | None],
    publisher: Publisher,
    used: Usage,
) -> None:
    """Compare what was written with its passages, and end the turn with it. `used`: sums over the calls of the model (N-16)."""
    text = written.answer
    if written.filter.is_not_covered and not text.strip():
        text = lines.line(by_line.key_of(asked, "none"), asked.reply_language, asked.turn.id)
        publisher.send(Token(text=text, at=0))
    publisher.send(Stage(name="checking", count=len(written.filter.order)))
    _note_cut(run, composed, written)
    grounding = [asked.question, *(said.content for said in asked.history if said.role == "user"), host_data.numbers_text(asked.host)]
    marks, invalid = written.filter.marks, written.filter.invalid_numbers
    checked = await checking.check(
        run, asked, composed.passages, written.answer.strip() and text, marks, invalid_numbers=invalid, grounding=grounding
    )
    text, cited = shown.with_line(asked, written.filter, text, composed.passages, checked.citations, publisher)
    if composed.notice:
        publisher.send(Token(text=f"\n\n{composed.notice}", at=len(text)))
        text += f"\n\n{composed.notice}"
    is_none = written.filter.is_not_covered
    if not is_none and unanswered.stands_on_nothing(asked, found, composed.passages, marks, written.answer):
        is_none, route = True, route.model_copy(update={"answer_mode": "refusal"})  # kept as found nowhere, not as said by the model
    ended = Ended(
        text,
        route,
        finish=written.finish,
        passages=composed.passages,
        citations=cited,
        checks=checked.checks,
        reply_kind="none" if is_none else None,
        closest=outcome.closest(found.nearest) if is_none else (),
        cards=by_cards.cards_of(found, "none") if is_none and asked.profile.answer.without_model == "cards" else (),
        usage=used,
        bills=(*bills, checked.bill, checked.entailment_bill),
        ttft_ms=run.ms(written.first_at) if written.first_at is not None else None,
        why=await seek.explain(run, asked, found, composed.label, composed.passages) | {"prompt_hash": composed.fingerprint or None},
    )
    await commit.end(run, asked, ended, publisher)


def bill_of(run: Run, call: Call, role: RoleSettings, composed: Composed, written: Written) -> Bill:
    """What the call used: as the provider counted, else by our own count (a stopped or broken reply); nothing where nothing came."""
    used = written.end.usage if written.end is not None else None
    error = written.error
    if used is None and error is not None and (error.facts.get("usage") is not None or written.first_at is None):
        return ledger.of_failure(call, run.deps.prices, role, error)
    return ledger.counted(call, run.deps.prices, role, used, composed.tokens, token_estimate(written.answer))


def _note_cut(run: Run, composed: Composed, written: Written) -> None:
    """Some servers cut a long prompt without a word; their own count gives them away."""
    used = written.end.usage if written.end is not None else None
    if used is not None and composed.tokens >= CUT_TOKENS and used.prompt_tokens < CUT_BELOW * composed.tokens:
        run.without("prompt_cut")

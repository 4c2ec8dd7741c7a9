"""A second look at what was found: an entailment model, where one is connected, is asked whether each quote carries its statement."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sourcebook_core import accounting, jobs, log
from sourcebook_core.errors import DatabaseAway, SourcebookError
from sourcebook_core.providers import chat
from sourcebook_core.providers.chat import Reply
from sourcebook_core.settings import RoleSettings
from sourcebook_rag import prompts
from sourcebook_rag.answer import check as checks
from sourcebook_rag.answer import compose, ledger
from sourcebook_rag.answer.begin import Asked
from sourcebook_rag.answer.ledger import Bill
from sourcebook_rag.answer.run import Run

STEP = "entailment"
MAX_PAIRS = 12  # of one answer: what a reader looks at first; each is a call
AT_ONCE = 4
TOTAL_S = 20.0  # the answer waits for it
REPLY_TOKENS = 64  # one word, and room for a model that says more first
_WORD = re.compile(r"\b(yes|no|unsure)\b", re.IGNORECASE)
_log = log.get(__name__)


@dataclass(frozen=True, slots=True)
class Asking:
    """A use whose quote is looked at again: the number of its citation, its place among its uses, and both texts."""

    n: int
    place: int
    statement: str
    quote: str


async def looked_at(run: Run, asked: Asked, answer: str, found: checks.Checked) -> tuple[checks.Checked, Bill | None]:
    """The checks with what the model says of the found ones, and the bill; as they were where no such model is connected or it is away.

    It can only take a mark away: "no" makes found partly. The calls of one answer are one row of the ledger. Raises DatabaseAway.
    """
    role = asked.roles["entailment"]
    pairs = pairs_of(answer, found)
    if not role.is_on or not pairs:
        return found, None
    try:
        async with jobs.holding(run.deps.db, run.work) as conn:
            key = [(one.statement, one.quote) for one in pairs]
            call = await ledger.begin(conn, run, STEP, role, key, asked.scope.holder, asked.turn.id)
    except DatabaseAway:
        _log.warning("check.not_entailed", code="database_away")  # a paid answer is not lost for its check
        return found, None
    replies = await _replies(role, pairs)
    if not any(replies):
        await accounting.fail(run.deps.db, call, "model_unavailable")
        return found, None
    told = {one: said(reply.text) for one, reply in zip(pairs, replies, strict=True) if reply is not None}
    used = [reply.end.usage for reply in replies if reply is not None]
    counted = [one for one in used if one is not None]
    is_whole = len(counted) == len(pairs)
    tokens_in = sum(one.prompt_tokens for one in counted) if is_whole else None
    tokens_out = sum(one.completion_tokens for one in counted) if is_whole else None
    return lowered(found, told), ledger.bill(call, run.deps.prices, role, tokens_in, tokens_out)


def pairs_of(answer: str, found: checks.Checked) -> list[Asking]:
    """The found uses with a quote, at most 12, in the order of the answer."""
    asking = []
    for n, uses in found.uses.items():
        for place, use in enumerate(uses):
            if use.verdict == "found" and use.quote:
                row = found.checks.statements[use.statement]
                asking.append((row.start, Asking(n, place, answer[row.start : row.end], use.quote)))
    return [one for _, one in sorted(asking, key=lambda pair: (pair[0], pair[1].n))][:MAX_PAIRS]


def said(reply: str) -> bool | None:
    """Yes, no, or None for anything else."""
    words = {match.group(1).lower() for match in _WORD.finditer(reply)}
    return {"yes": True, "no": False}.get(next(iter(words))) if len(words) == 1 else None


def lowered(found: checks.Checked, told: Mapping[Asking, bool | None]) -> checks.Checked:
    """The checks after the model's word: each use tells it, "no" makes found partly, and statements take the best of their uses."""
    uses = {n: list(rows) for n, rows in found.uses.items()}
    for one, is_entailed in told.items():
        use = uses[one.n][one.place]
        evidence = use.evidence.model_copy(update={"entailed": is_entailed})
        verdict = "partly" if is_entailed is False else use.verdict
        uses[one.n][one.place] = use.model_copy(update={"evidence": evidence, "verdict": verdict})
    carried = {use.statement for rows in uses.values() for use in rows if use.verdict == "found"}
    rows = [
        row.model_copy(update={"status": "partly"}) if row.status == "found" and index not in carried else row
        for index, row in enumerate(found.checks.statements)
    ]
    told_checks = found.checks.model_copy(update={"statements": rows, "found": checks.count_found(rows, found.uncounted)})
    return replace(found, checks=told_checks, uses=uses)


async def _replies(role: RoleSettings, pairs: Sequence[Asking]) -> list[Reply | None]:
    """What the model said of each pair; None where it could not be asked in time."""
    gate = asyncio.Semaphore(AT_ONCE)
    deadline = asyncio.get_running_loop().time() + TOTAL_S

    async def ask(one: Asking) -> Reply | None:
        try:
            async with gate, asyncio.timeout_at(deadline):
                return await chat.complete(role, messages_of(one), temperature=0.0, max_tokens=REPLY_TOKENS)
        except (SourcebookError, TimeoutError) as error:
            _log.warning("check.not_entailed", code=getattr(error, "code", "model_timeout"))
            return None

    return await asyncio.gather(*(ask(one) for one in pairs))


def messages_of(one: Asking) -> list[dict[str, str]]:
    """The request of one pair; the fence is new each time, so that no quotation can close it."""
    asked = prompts.load("entailment").fill(fence=compose.new_fence(), statement=one.statement, quotation=one.quote)
    return [{"role": "user", "content": asked}]

"""The rounds of a model with its tools, and the last turn without them. Every call of the model is one row of the ledger."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Any

import orjson

from sourcebook_core import faults, host_data, jobs, log
from sourcebook_core.errors import SourcebookError
from sourcebook_core.events import Stage
from sourcebook_core.events import Usage as Used
from sourcebook_core.providers import chat, failures
from sourcebook_core.providers.chat import End, Reply, Usage
from sourcebook_core.providers.embed import token_estimate
from sourcebook_core.providers.tool_calls import ToolCall, of_text
from sourcebook_core.settings import RoleSettings
from sourcebook_core.store.calls import Call
from sourcebook_rag import prompts
from sourcebook_rag.answer import commit, compose, ledger, outcome, tool_words
from sourcebook_rag.answer.begin import Asked
from sourcebook_rag.answer.cite import MAX_ANSWER_CHARS
from sourcebook_rag.answer.compose import Composed
from sourcebook_rag.answer.ledger import Bill
from sourcebook_rag.answer.publish import Publisher
from sourcebook_rag.answer.run import Run
from sourcebook_rag.answer.tools import Toolbox

_log = log.get(__name__)
Messages = list[dict[str, Any]]


@dataclass(slots=True)
class Rounds:
    """One answer's way to its text. No database connection is held while the model or a host is waited for."""

    run: Run
    asked: Asked
    role: RoleSettings
    box: Toolbox
    composed: Composed
    publisher: Publisher
    most_tokens: int
    context_tokens: int | None
    is_cut: bool = False
    bills: dict[Any, Bill] = field(default_factory=dict)

    async def answer(self) -> Reply:
        """The model's text: from a round, or from the last turn without tools over what was gathered (N-17). Raises its errors."""
        knobs = self.asked.profile.tools
        until = monotonic() + knobs.seconds
        messages = self._first_messages()
        for number in range(1, knobs.rounds + 1):
            reply = await self._round(number, messages, until)
            if reply is None:
                break
            if not reply.calls:
                return reply
            await self._use(reply, messages, until)
            if self.box.left <= 0 or monotonic() >= until:
                break
        return await self._last()

    @property
    def used(self) -> Used:
        """Sums over the calls of the model (N-16)."""
        return outcome.usage(list(self.bills.values()))

    def _first_messages(self) -> Messages:
        system, *rest = self.composed.messages
        rule = "" if host_data.RULE in system["content"] or not self.box.host else host_data.RULE
        more = prompts.load("tools").fill(calls=str(self.box.left), fence=self.box.fence, rule=rule)
        return [{"role": "system", "content": f"{system['content']}\n\n{more}"}, *rest]

    async def _round(self, number: int, messages: Messages, until: float) -> Reply | None:
        """One call with tools; None when the time of the rounds is over."""
        try:
            async with asyncio.timeout(max(0.0, until - monotonic())):
                return await self._ask(f"tools-{number}", messages, with_tools=True)
        except TimeoutError:
            _log.info("tools.ended", reason="seconds")
            return None

    async def _use(self, reply: Reply, messages: Messages, until: float) -> None:
        messages.append({"role": "assistant", "content": reply.text or None, "tool_calls": [call.told for call in reply.calls]})
        for call in reply.calls:
            self.publisher.send(Stage(name="reading", count=len(self.box.gathered.passages)))
            said = await self.box.use(call, until - monotonic())
            messages.append({"role": "tool", "tool_call_id": call.id, "content": said})

    async def _last(self) -> Reply:
        """The last turn: the first request with everything that was gathered, each thing once, and no tools."""
        self.publisher.send(Stage(name="writing"))
        await faults.point(self.run.deps.settings, "tools.before_last")
        reply = await self._ask("answer", self._last_messages(), with_tools=False)
        if of_text(reply.text, [tool.name for tool in self.box.told]):
            raise failures.bad_reply(self.role, "it asked for a tool where none was left.")
        return reply

    def _last_messages(self) -> Messages:
        """Bounded like every request: what was gathered last is left out first where the model takes no more."""
        gathered, told = self.box.gathered, self.composed.passages
        with_names = self.asked.profile.prompt.gives_titles
        fence = self.box.fence
        parts = [
            compose.numbered(passage, n, fence, with_names=with_names)
            for n, passage in enumerate(gathered.passages, 1)
            if n > len(told) or passage is not told[n - 1]  # also one that stood there and was read on
        ]
        parts += [tool_words.block(host_data.as_block(one), fence, self.asked.profile.tools.result_bytes) for one in gathered.reads]
        while True:
            found = "\n\n".join(parts) or "(nothing)"
            said = prompts.load("tools_last").fill(fence=fence, found=found)
            *rest, asked = self.composed.messages
            messages = [*rest, {"role": "user", "content": f"{asked['content']}\n\n{said}"}]
            needed = compose.estimate(messages) * compose.SAFETY + self.most_tokens
            if not parts or self.context_tokens is None or needed <= self.context_tokens:
                return messages
            parts.pop()
            self.is_cut = True

    async def _ask(self, step: str, messages: Messages, *, with_tools: bool) -> Reply:
        """One call, written down before it is made and settled when it ends. A run that was killed takes paid replies from the ledger."""
        key = {"messages": orjson.dumps(messages).decode().replace(self.box.fence, "fence"), "tools": with_tools}
        async with jobs.holding(self.run.deps.db, self.run.work) as conn:
            call = await ledger.begin(conn, self.run, step, self.role, key, self.asked.scope.holder, self.asked.turn.id)
        if call.response is not None and "text" in call.response:
            return self._kept(call, call.response)
        tokens = token_estimate(str(key["messages"]))
        self.bills[call.id] = ledger.estimate(call, self.run.deps.prices, self.role, tokens, 0)  # until it is known: it may be stopped
        await faults.point(self.run.deps.settings, f"{step}.before_call")
        answer = self.asked.profile.answer
        try:
            reply = await chat.complete(
                self.role, messages, temperature=answer.temperature, max_tokens=self.most_tokens, tools=self.box.told if with_tools else ()
            )
        except SourcebookError as error:
            self.bills[call.id] = ledger.of_failure(call, self.run.deps.prices, self.role, error)
            raise
        reply = replace(reply, text=reply.text[:MAX_ANSWER_CHARS])  # whatever it was asked for
        await self._settle(call, reply, tokens)
        await faults.point(self.run.deps.settings, f"{step}.after_call")
        return reply

    async def _settle(self, call: Call, reply: Reply, tokens: int) -> None:
        used = reply.end.usage
        bill = ledger.counted(call, self.run.deps.prices, self.role, used, tokens, token_estimate(reply.text))
        self.bills[call.id] = bill
        kept = {
            "text": reply.text, "finish": reply.end.finish, "model": reply.end.model,
            "usage": [used.prompt_tokens, used.completion_tokens] if used else None, "tokens": tokens,
            "calls": [[one.id, one.name, one.arguments] for one in reply.calls],
        }  # fmt: skip

        async def write() -> None:
            async with jobs.holding(self.run.deps.db, self.run.work) as conn:
                await ledger.settle(conn, bill, kept)

        await commit.insist(write)  # or a restart of the database would have a paid round paid again

    def _kept(self, call: Call, kept: dict[str, Any]) -> Reply:
        """A reply that an earlier run of this turn paid for."""
        used = Usage(*kept["usage"]) if kept["usage"] else None
        self.bills[call.id] = ledger.counted(call, self.run.deps.prices, self.role, used, kept["tokens"], token_estimate(kept["text"]))
        return Reply(kept["text"], End(kept["finish"], used, kept["model"]), tuple(ToolCall(*one) for one in kept["calls"]))

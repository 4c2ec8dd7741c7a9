"""Reads a model's reply as it is written, cites while it streams, and keeps the row of the turn up to date."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import dataclass, field
from time import monotonic
from typing import Any
from uuid import UUID

from sourcebook_core import log
from sourcebook_core.db import Db
from sourcebook_core.errors import DatabaseAway, SourcebookError, TransientError
from sourcebook_core.events import CitationSeen, Finish, Token
from sourcebook_core.providers import chat, failures
from sourcebook_core.providers.endpoint import ROLE_WORDS
from sourcebook_core.settings import RoleSettings
from sourcebook_core.store import turns
from sourcebook_rag.answer.cite import CitationFilter
from sourcebook_rag.answer.passages import Passage
from sourcebook_rag.answer.publish import Publisher

KEEP_S = 1.0  # performance section 6: the text goes to the row about every second
LOOK_S = 0.2  # how often Stop is looked for

_log = log.get(__name__)


@dataclass(slots=True)
class Written:
    """What came of a reply. `error` is set exactly when `finish` is broken; `end` when the provider ended it itself."""

    filter: CitationFilter
    finish: Finish = "complete"
    error: SourcebookError | None = None
    end: chat.End | None = None
    first_at: float | None = None
    seen: int = 0
    hides_refusal: bool = False

    @property
    def is_hidden(self) -> bool:
        """Whether nothing of the reply is shown: it says that it has no answer, and the profile has words of its own for that."""
        return self.hides_refusal and self.filter.is_not_covered

    @property
    def answer(self) -> str:
        """The text that was shown."""
        return "" if self.is_hidden else self.filter.answer


@dataclass(slots=True)
class Keeper:
    """Keeps the growing answer in the turn's row and hears Stop; holds no connection in between."""

    db: Db
    turn_id: UUID
    fence: int
    text: Callable[[], str]
    stop: asyncio.Event = field(default_factory=asyncio.Event)
    over: asyncio.Event = field(default_factory=asyncio.Event)

    async def run(self) -> None:
        """Until `over` is set. A database that is away is waited for: the answer goes on."""
        kept, kept_at = "", monotonic()
        while not self.over.is_set():
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_S):
                    await self.over.wait()
                    return
            text = self.text()
            with suppress(DatabaseAway, TimeoutError):  # or one slow statement would end the keeping for good
                async with self.db.transaction() as conn:
                    if text != kept and monotonic() - kept_at >= KEEP_S:
                        stopped = await turns.write_answer(conn, self.turn_id, self.fence, text)
                        kept, kept_at = text, monotonic()
                    else:
                        stopped = await turns.is_stop_requested(conn, self.turn_id)
                if stopped:
                    self.stop.set()


@asynccontextmanager
async def keeping(db: Db, turn_id: UUID, fence: int, text: Callable[[], str]) -> AsyncIterator[Keeper]:
    """A keeper at work for as long as the answer is written."""
    keeper = Keeper(db, turn_id, fence, text)
    working = asyncio.create_task(keeper.run())
    try:
        yield keeper
    finally:
        keeper.over.set()
        await asyncio.wait({working})


async def is_finished(working: asyncio.Task[Any], stop: asyncio.Event, total_s: float) -> bool:
    """Whether this work comes to its own end, before `stop` is set and within `total_s`; else it is cancelled. It is over then."""
    stopping = asyncio.create_task(stop.wait())
    try:
        await asyncio.wait({working, stopping}, timeout=total_s, return_when=asyncio.FIRST_COMPLETED)
        return working.done()
    finally:
        stopping.cancel()
        while not working.done():  # again, for a client on the way may swallow a cancellation
            working.cancel()
            await asyncio.wait({working}, timeout=1.0)


async def write(
    role: RoleSettings,
    messages: Sequence[dict[str, str]],
    passages: Sequence[Passage],
    written: Written,
    publisher: Publisher,
    stop: asyncio.Event,
    *,
    temperature: float | None,
    max_tokens: int,
    total_s: float,
) -> None:
    """Stream the reply into `written` and to the readers, until it ends, breaks, is stopped or takes longer than `total_s`.

    `temperature` None is the role's. Never raises for what a model does: `written.finish` and `written.error` say it.
    """
    reading = asyncio.create_task(_read(role, messages, passages, written, publisher, temperature=temperature, max_tokens=max_tokens))
    if not await is_finished(reading, stop, total_s):
        written.finish = "stopped" if stop.is_set() else "broken"
        if not stop.is_set():
            written.error = TransientError("model_timeout", role=ROLE_WORDS[role.name])
    if not reading.cancelled():
        _end(written, reading.exception(), role)


def _end(written: Written, error: BaseException | None, role: RoleSettings) -> None:
    if error is not None and not isinstance(error, SourcebookError):
        raise error
    if error is None and (written.filter.is_unfinished or written.filter.has_leaked_reasoning):
        error = failures.bad_reply(role, "it mixed its thinking into the answer.")
    if error is None and not written.answer.strip() and not written.filter.is_not_covered:
        error = failures.bad_reply(role, "it is empty.")
    if error is not None:
        written.finish, written.error = "broken", error


async def _read(
    role: RoleSettings,
    messages: Sequence[dict[str, str]],
    passages: Sequence[Passage],
    written: Written,
    publisher: Publisher,
    *,
    temperature: float | None,
    max_tokens: int,
) -> None:
    async with aclosing(chat.stream(role, messages, temperature=temperature, max_tokens=max_tokens)) as pieces:
        try:
            async for piece in pieces:
                written.end = piece.end or written.end
                _give(written, publisher, passages, written.filter.feed(piece.text.replace("\0", "")))
                if written.filter.is_full:
                    _log.warning("answer.cut", chars=len(written.answer))
                    break
        finally:
            # Also what was held back of a reply that broke off is shown: it is kept for reading.
            _give(written, publisher, passages, written.filter.finish())


def _give(written: Written, publisher: Publisher, passages: Sequence[Passage], text: str) -> None:
    """Send a piece that may be shown, and each citation at its first appearance before the words that carry its mark."""
    if not text or written.is_hidden:
        return
    if written.first_at is None:
        written.first_at = monotonic()
    for number in () if written.filter.is_hiding else written.filter.order[written.seen :]:
        written.seen += 1
        publisher.send(CitationSeen(citation=passages[number - 1].citation(written.filter.number_of(number))))
    publisher.send(Token(text=text, at=len(written.answer) - len(text)))

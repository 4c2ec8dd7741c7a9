"""Pictures read by the vision role: what may be sent, what it would cost, and one billed call each, kept as it arrives."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from sourcebook_core import accounting, log, prompts, roles
from sourcebook_core.errors import PermanentError, SourcebookError, TransientError
from sourcebook_core.jobs import ReadSource
from sourcebook_core.pdf import Picture
from sourcebook_core.providers import chat, vision
from sourcebook_core.providers.vision import Transcribed
from sourcebook_core.settings import RoleSettings
from sourcebook_core.store.calls import Call
from sourcebook_core.store.passages import Passage
from sourcebook_core.store.source_work import SourceWork
from sourcebook_core.text.scripts import has_visible
from sourcebook_ingest.deps import Deps
from sourcebook_ingest.read import transcript
from sourcebook_ingest.read.outcome import NeedsApproval, Paid, Window
from sourcebook_ingest.read.transcript import Seen
from sourcebook_ingest.words import count_words

_log = log.get(__name__)
# What is sent: A3 at 150 dpi has 4.3 million pixels; models scale larger pictures down themselves, and some refuse them.
SENT_PIXELS = 8_000_000
# For an estimate where the price goes by tokens, which people are told as "at most": a page at 150 dpi is 1,100 to 2,700 tokens
# by the rules of hosted models, the prompt 300, and no reply is longer than is asked for.
PAGE_TOKENS_IN = 3500
# Nothing more is asked after so many refusals in a row without one page read: the model is the cause, not the pages.
MOST_REFUSED = 5
# These hold for every page; the others (a filter, a picture that the model cannot take) are one page's trouble.
_OF_THE_MODEL = frozenset({"model_unauthorized", "model_out_of_credit", "out_of_credit", "no_model", "bad_setting"})
_PROMPTS = "sourcebook_ingest.prompts"


class Blank(PermanentError):
    """The picture is of one colour: nothing is sent, and nothing is paid."""

    def __init__(self, name: str) -> None:
        super().__init__("no_text", name=name)


@dataclass(frozen=True, slots=True)
class Choice:
    """The role that reads this source's pictures, or None and `why`: `off`, `local_only`, `declined`."""

    role: RoleSettings | None
    why: str | None = None


@dataclass(frozen=True, slots=True)
class Sheets:
    """The pictures of one source: `pages` (1-based) that are to be read, of `total`; how one is drawn; what goes before its passage."""

    pages: Sequence[int]
    total: int
    draw: Callable[[int], Awaitable[Picture]]
    made: Callable[[int, Seen | SourcebookError, Picture], Passage]
    prompt: str = "page"
    language: str | None = None


async def choose(deps: Deps, source: SourceWork) -> Choice:
    """Whether this source's pictures may be read, and by whom, as the settings are now."""
    async with deps.db.transaction() as conn:
        role, is_refused = await roles.for_source(conn, deps.settings, "vision", source.id)
    if source.approved == "text":
        return Choice(None, "declined")
    if not role.is_on:
        return Choice(None, "off")
    return Choice(None, "local_only") if is_refused else Choice(role)


def admit(deps: Deps, source: SourceWork, role: RoleSettings, pages: int) -> None:
    """Before the first call: raises PermanentError `too_many_vision_pages`, or NeedsApproval when a person has to agree first."""
    limits = deps.settings.limits
    if pages > limits.pdf_vision_max_pages:
        raise PermanentError("too_many_vision_pages", name=source.name, pages=pages, limit=limits.pdf_vision_max_pages)
    asks = deps.settings.accounting and role.provider == "api" and pages > limits.vision_confirm_pages
    if asks and source.approved != "all":
        units = {"page": pages, "tokens_in": pages * PAGE_TOKENS_IN, "tokens_out": pages * max(role.max_tokens, vision.PAGE_TOKENS)}
        cost = deps.prices.cost_of(role, units)
        shown = f"{cost.normalize():f}" if cost is not None else None
        raise NeedsApproval({"pages": pages, "calls": pages, "cost": shown, "currency": deps.prices.currency})


async def read(deps: Deps, work: ReadSource, source: SourceWork, role: RoleSettings, sheets: Sheets) -> AsyncGenerator[Window, None]:
    """Each picture as a window of its own, as it arrives: `vision_in_flight` at once, one for a local model.

    A picture that fails for good is given to `made` with its error; one that may work later ends the run, after those on their
    way have arrived. Raises TransientError, or PermanentError when the cause is the model and not a picture.
    """
    run = _Run(deps, work, source, role, sheets)
    at_once = 1 if role.provider == "local" else deps.settings.limits.vision_in_flight
    left, flying, stop = deque(sheets.pages), set[asyncio.Task[_Read]](), None
    done = sheets.total - len(left)
    turn_ends = time.monotonic() + deps.settings.jobs.turn_s
    try:
        while flying or (left and stop is None):
            while left and len(flying) < at_once and stop is None and (time.monotonic() < turn_ends or not flying):
                flying.add(asyncio.create_task(run.one(left.popleft())))
            arrived, flying = await asyncio.wait(flying, return_when=asyncio.FIRST_COMPLETED)
            for place, task in enumerate(arrived, 1):
                try:
                    found = task.result()
                except (TransientError, PermanentError) as error:
                    stop = stop or error
                    continue
                done += 1
                paid = (found.paid,) if found.paid else ()
                yield Window([found.passage], done, sheets.total, paid, may_pause=not flying and place == len(arrived))
    finally:
        for task in flying:
            task.cancel()
        with suppress(asyncio.CancelledError):
            await asyncio.gather(*flying, return_exceptions=True)
    if stop is not None:
        raise stop


@dataclass(frozen=True, slots=True)
class _Read:
    passage: Passage
    paid: Paid | None


class _Run:
    """The calls for one source's pictures."""

    def __init__(self, deps: Deps, work: ReadSource, source: SourceWork, role: RoleSettings, sheets: Sheets) -> None:
        self._deps, self._work, self._source, self._role, self._sheets = deps, work, source, role, sheets
        self._prompt = prompts.load(_PROMPTS, sheets.prompt)
        self._drawing = asyncio.Lock()  # one child draws them all
        self._refused = 0

    async def one(self, page: int) -> _Read:
        """One picture drawn and read. Raises TransientError, and PermanentError of the model's own."""
        picture = Picture(b"", 0, 0)
        try:
            async with self._drawing:
                picture = await self._sheets.draw(page)
        except PermanentError as error:
            return _Read(self._sheets.made(page, error, picture), None)
        call = await self._begin(page)
        try:
            found = _again(call.response) if call.response else await self._ask(picture)
        except (TransientError, PermanentError) as error:
            await self._failed(call, error)
            return _Read(self._sheets.made(page, error, picture), None)
        self._refused = 0
        # In a thread: looking for a loop in a reply of dots takes a second.
        seen = await asyncio.to_thread(transcript.judged, found, with_description=self._sheets.prompt == "image")
        paid = None if call.response else self._paid(call, found)
        return _Read(self._sheets.made(page, seen, picture), paid)

    async def _ask(self, picture: Picture) -> Transcribed:
        return await vision.transcribe(self._role, picture.jpeg, self._prompt.fill(), language=self._sheets.language)

    async def _begin(self, page: int) -> Call:
        content = self._source.content_hash.hex() if self._source.content_hash else ""
        inputs = accounting.fingerprint([content, page, self._deps.settings.limits.vision_dpi, self._prompt.label])
        return await accounting.begin(
            self._deps.db, self._work, f"page:{page}", self._role, inputs, source_id=self._source.id, prices=self._deps.prices
        )  # fmt: skip

    async def _failed(self, call: Call, error: TransientError | PermanentError) -> None:
        """Note a call that bought nothing; raises the error unless it is one picture's alone."""
        billed = error.facts.get("usage") or {}
        units = {"tokens_in": billed.get("prompt_tokens"), "tokens_out": billed.get("completion_tokens")} if billed else {}
        cost = self._deps.prices.cost_of(self._role, {"page": 1, **units}) if billed else None
        await accounting.fail(self._deps.db, call, error.code, units=units, cost=cost)
        self._refused += 1
        is_unknown = error.code == "model_refused" and error.facts.get("status") == 404
        if isinstance(error, TransientError) or error.code in _OF_THE_MODEL or is_unknown or self._refused >= MOST_REFUSED:
            raise error
        _log.info("vision.page_refused", source_id=str(self._source.id), code=error.code)

    def _paid(self, call: Call, found: Transcribed) -> Paid:
        units = {"page": 1, **chat.token_units(found.usage)}
        response = {
            "text": found.text, "words": found.words, "turned": found.turned, "is_cut": found.is_cut, "unreadable": found.unreadable,
        }  # fmt: skip
        return Paid(call, response, units, self._deps.prices.cost_of(self._role, units))


def _again(response: dict[str, Any]) -> Transcribed:
    """A reply that an earlier run of this job paid for."""
    words = response["words"]
    return Transcribed(**{**response, "words": [tuple(word) for word in words] if words is not None else None}, usage=None)


def passage_of(ordinal: int, found: Seen | SourcebookError, picture: Picture, **places: Any) -> Passage:
    """The passage of a picture: read with its text and boxes, `empty` when it holds no words, else `unread` and why."""
    meta: dict[str, Any] = {"words": 0}
    if isinstance(found, Blank):
        return Passage(ordinal, "", state="empty", method="vision", meta=meta, **places)
    if isinstance(found, SourcebookError):
        meta |= {"reason": "picture", "why": found.message}
        return Passage(ordinal, "", state="unread", code=found.code, method="vision", meta=meta, **places)
    if found.doubt is not None:
        meta |= {"reason": "picture", "why": found.doubt}
        return Passage(ordinal, "", state="unread", code="model_bad_reply", method="vision", meta=meta, **places)
    width, height = (picture.height, picture.width) if found.turned in (90, 270) else (picture.width, picture.height)
    meta |= {"words": count_words(found.text), "turned": found.turned, "size": [width, height]}
    if not has_visible(found.text):
        return Passage(ordinal, "", state="empty", method="vision", meta=meta | {"reason": "no_words"}, **places)
    if found.description_at is not None:
        meta["description_at"] = found.description_at
    if found.is_cut:
        meta["is_cut"] = True
    return Passage(ordinal, found.text, method="vision", meta=meta, boxes=found.boxes, **places)

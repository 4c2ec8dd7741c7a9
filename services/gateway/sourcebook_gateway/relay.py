"""An answer as it is written: the turn's stream, with gaps and the end filled from the turn's row.

Every frame has a number that only grows, also over a resumed connection: `offset * 4096 + k`, where `offset` is how many
code points of the answer have been told and `k` counts the frames since. So a number says by itself where to go on.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sourcebook_core import events
from sourcebook_core.errors import DatabaseAway
from sourcebook_core.store import citations, turn_looks, turns
from sourcebook_core.store.turn_looks import Look
from sourcebook_gateway.deps import Shared
from sourcebook_gateway.shapes.turns import done_of, error_of
from sourcebook_gateway.streams import Event, Listener

_STEP = 4096
_MAX_ID = 2**53
_FIRST_LOOK_S, _LONGEST_LOOK_S = 0.01, 0.25
_LAG_CHARS = 20_000
_IDLE_S = 1.0  # how often the row is looked at while the stream is silent
_AWAY_IDLE_S = 0.4
_ENDED = frozenset({"done", "stopped", "failed"})


@dataclass(frozen=True)
class Frame:
    """One event to send: its number, name and data."""

    number: int
    name: str
    data: dict[str, Any]


class Gone(Exception):
    """The turn was deleted while it was told."""


def place_of(last_event_id: str | None) -> int:
    """The number a client says it saw last; 0 (from the beginning) for anything that is not one of ours."""
    if not last_event_id or not last_event_id.isascii() or not last_event_id.isdigit() or len(last_event_id) > 16:
        return 0
    number = int(last_event_id)
    return number if number < _MAX_ID else 0


class Teller:
    """Numbers events and leaves out what the client has: pure, one per connection."""

    def __init__(self, last: int) -> None:
        self.last = last
        self.offset = 0
        self.count = 0

    def frames(self, event: Event) -> list[Frame]:
        """The frames to send for an event: none when it was told already."""
        if isinstance(event, events.Token):
            return self._text(event.text, event.at)
        data = events.payload(event)
        return self._one(event.type, data)

    def rest(self, text: str, at: int) -> list[Frame]:
        """A piece of the answer as the row has it."""
        return self._text(text, at)

    def final(self, name: str, data: dict[str, Any]) -> list[Frame]:
        """The end, always told: a client that asks again has not seen it."""
        self.count += 1
        number = max(self.offset * _STEP + min(self.count, _STEP - 1), self.last + 1)
        return [Frame(number, name, data)]

    def _one(self, name: str, data: dict[str, Any]) -> list[Frame]:
        if name in ("done", "error"):
            return self.final(name, data)
        self.count += 1
        number = self.offset * _STEP + min(self.count, _STEP - 1)
        return [Frame(number, name, data)] if number > self.last else []

    def _text(self, text: str, at: int) -> list[Frame]:
        end = at + len(text)
        if end <= self.offset:
            return []
        seen = max(self.offset, self.last // _STEP)
        self.offset, self.count = end, 0
        number = end * _STEP
        if end <= seen:
            return []
        fresh = text[max(0, seen - at) :]
        return [Frame(max(number, self.last + 1), "token", {"text": fresh, "at": max(at, seen)})]


async def follow(shared: Shared, turn_id: UUID, person_id: UUID, last: int) -> AsyncGenerator[list[Frame]]:
    """Frames in batches until the end (`done` or `error`); an empty batch about every second of silence. Raises Gone.

    Holds no database connection between looks. Ends early, without an end frame, when this process is to end.
    """
    look = await _look(shared, turn_id)
    # A place beyond the answer belongs to another one: begin again. (A running row lags behind its stream by a second or two.)
    teller = Teller(last if last // _STEP <= look.chars + (0 if look.status in _ENDED else _LAG_CHARS) else 0)
    pause_s = _FIRST_LOOK_S
    while look.status not in _ENDED:
        if shared.is_closing:
            return
        if look.fence is None:
            await asyncio.sleep(pause_s)
            pause_s = min(pause_s * 1.5, _LONGEST_LOOK_S)
            yield []
        else:
            async with shared.streams.listen(events.turn_stream(turn_id, look.fence)) as listener:
                async for frames, is_over in _run(shared, turn_id, look.fence, listener, teller):
                    yield frames
                    if is_over:
                        return
        look = await _look(shared, turn_id)
    yield await _end(shared, turn_id, person_id, teller)


async def _run(shared: Shared, turn_id: UUID, fence: int, listener: Listener, teller: Teller) -> AsyncIterator[tuple[list[Frame], bool]]:
    """The frames of one run; ends without an end frame when the row has to say how it ended, or another run took over."""
    while True:
        got = await _wait(shared, listener)
        if got:
            frames: list[Frame] = []
            for event in got:
                if isinstance(event, events.Token) and event.at > teller.offset:
                    frames += await _fill(shared, turn_id, teller, event.at)
                frames += teller.frames(event)
                if isinstance(event, events.Done | events.Failed):
                    yield frames, True
                    return
            yield frames, False
            if shared.is_closing:
                return
            continue
        look = await _look(shared, turn_id)
        if listener.queue.empty() and (look.status in _ENDED or look.fence != fence or shared.is_closing):
            return
        frames = []
        if (listener.lost or shared.streams.is_away) and look.chars > teller.offset:
            frames = await _fill(shared, turn_id, teller, look.chars)
        yield frames, False


async def _wait(shared: Shared, listener: Listener) -> list[Event]:
    """All events that are there, after waiting for the first of them about a second."""
    try:
        async with asyncio.timeout(_AWAY_IDLE_S if shared.streams.is_away or listener.lost else _IDLE_S):
            got = [await listener.queue.get()]
    except TimeoutError:
        return []
    while not listener.queue.empty():
        got.append(listener.queue.get_nowait())
    return got


async def _fill(shared: Shared, turn_id: UUID, teller: Teller, upto: int) -> list[Frame]:
    """What the row has between what was told and code point `upto`; the row lags by about a second, so wait a little for it."""
    for _ in range(10):
        async with shared.db.transaction() as conn:
            text = await turn_looks.text_from(conn, turn_id, teller.offset)
        if teller.offset + len(text) >= upto:
            break
        await asyncio.sleep(_AWAY_IDLE_S)
    return teller.rest(text, teller.offset) if text else []


async def _look(shared: Shared, turn_id: UUID) -> Look:
    while True:
        try:
            async with shared.db.transaction() as conn:
                found = await turn_looks.look(conn, turn_id)
        except DatabaseAway:
            await asyncio.sleep(_IDLE_S)  # an open stream outlives a restart of the database
            continue
        if found is None:
            raise Gone
        return found


async def _end(shared: Shared, turn_id: UUID, person_id: UUID, teller: Teller) -> list[Frame]:
    """How the row says the turn ended, with what was not told yet."""
    async with shared.db.transaction() as conn:
        turn = await turns.find(conn, turn_id, person_id)
        if turn is None:
            raise Gone
        cited = (await citations.list_for_turns(conn, [turn_id]))[turn_id]
    frames = []
    if teller.offset == 0 and teller.count == 0 and teller.last == 0 and turn.status != "failed":
        opened = {
            "turn_id": str(turn.id),
            "conversation_id": str(turn.conversation_id),
            "route": None,
            "passages": len(cited),
            "coverage": None,
        }
        outcome = turn.outcome or {}
        opened |= {name: outcome[name] for name in ("route", "coverage") if name in outcome}
        frames += teller._one("open", opened)
    if turn.answer and ((turn.outcome or {}).get("route") or {}).get("by") != "tools":  # such an answer is never told in pieces (S0-67)
        frames += teller.rest(turn.answer, 0)
    if turn.status == "failed":
        return frames + teller.final("error", error_of(turn))
    return frames + teller.final("done", done_of(turn, cited))

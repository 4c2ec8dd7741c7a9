"""The form of a recording that is sent and played: as it was added where that will do, else an MP3 kept beside it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import IO, Literal

from sourcebook_core import faults, jobs, log, sound
from sourcebook_core.blobs import playable_key, temporary_file
from sourcebook_core.errors import PermanentError
from sourcebook_core.jobs import ReadSource
from sourcebook_core.sound import Recording, Sound
from sourcebook_core.store.source_work import SourceWork
from sourcebook_ingest.deps import Deps
from sourcebook_ingest.read.outcome import Facts

_log = log.get(__name__)
_PIECE_BYTES = 1_000_000
_HEAD_BYTES = 600  # the tag with our mark stands before the sound
_TOP_SLACK_BYTES = 1_000_000  # one that comes out a little too large is seen, not cut
_HOARSE = (
    "The recording is so long that it had to be pressed hard to be sent ({kbits} kbit/s); words may be misheard. Split it to hear more."
)
INCOMPLETE = "The recording is damaged or its end is missing; what could be played of it was heard."


@dataclass(frozen=True, slots=True)
class Sent:
    """What goes to the speech model: an open recording, its media type and its bytes."""

    recording: Recording
    media_type: Literal["audio/mpeg", "audio/wav"]
    size: int


@asynccontextmanager
async def prepared(
    deps: Deps, work: ReadSource, source: SourceWork, recording: Recording, found: Sound, facts: Facts
) -> AsyncIterator[Sent]:
    """The recording as it is sent, converted and stored if need be (`sources/<id>/playable.mp3`).

    MP3 goes as it was added, and so does WAV that is small enough (S1-07); all else becomes MP3, mono, 16 kHz, at the highest
    bit rate that fits. Safe to run twice: a stored one carries the hash of its original, so that no other content's is taken.
    Raises as `Recording.convert`, Overtaken.
    """
    limit = deps.settings.limits.audio_bytes
    size = os.fstat(recording.source).st_size
    if as_added := _as_added(found, size, limit):
        await _still_ours(deps, work)
        await deps.blobs.delete(playable_key(source.id))  # of what was added under this source before
        yield Sent(recording, as_added, size)
        return
    with temporary_file() as held:
        if not await _fetched(deps, source, held):
            await _convert(deps, work, source, recording, found, facts, held)
        if sound.fitting_kbits(found.seconds, limit)[0] == sound.KBITS[-1]:
            facts.warn("pressed_hard", _HOARSE.format(kbits=sound.KBITS[-1]))
        size = os.fstat(held.fileno()).st_size
        yield Sent(replace(recording, source=held.fileno(), media_type="audio/mpeg"), "audio/mpeg", size)


def _as_added(found: Sound, size: int, limit: int) -> Literal["audio/mpeg", "audio/wav"] | None:
    """The media type of a recording that is sent as it was added; None for one that is converted."""
    if found.demuxer == "mp3" and found.codec == "mp3":
        return "audio/mpeg"
    return "audio/wav" if found.demuxer == "wav" and size <= limit else None


async def _still_ours(deps: Deps, work: ReadSource) -> None:
    """A worker that lost the job meanwhile must not store or remove what may be of content that was replaced. Raises Overtaken."""
    async with jobs.holding(deps.db, work):
        pass


async def _fetched(deps: Deps, source: SourceWork, held: IO[bytes]) -> bool:
    """Whether the converted file of this very content was stored before; its bytes are in `held` then."""
    key = playable_key(source.id)
    if await deps.blobs.size(key) is None:
        return False
    try:
        await deps.blobs.copy_to(key, held)
    except LookupError:
        return False
    return sound.is_marked(os.pread(held.fileno(), _HEAD_BYTES, 0), _mark(source))


async def _convert(
    deps: Deps, work: ReadSource, source: SourceWork, recording: Recording, found: Sound, facts: Facts, held: IO[bytes]
) -> None:
    limit = deps.settings.limits.audio_bytes

    async def told(_: float) -> None:
        await faults.point(deps.settings, "read.converting")

    for kbits in sound.fitting_kbits(found.seconds, limit):
        held.seek(0)
        held.truncate()
        complaints = await recording.convert(held.fileno(), kbits, _mark(source), told, limit + _TOP_SLACK_BYTES)
        if complaints:
            facts.warn("file_incomplete", INCOMPLETE)
        if os.fstat(held.fileno()).st_size <= limit:
            break
    else:
        raise PermanentError("too_long", name=source.name, limit=f"{deps.settings.limits.audio_hours:g} hours")
    await _still_ours(deps, work)
    await deps.blobs.put_stream(playable_key(source.id), _pieces(held.fileno()))
    _log.info("recording.converted", source_id=str(source.id), seconds=round(found.seconds), kbits=kbits)
    await faults.point(deps.settings, "read.converted")


def _mark(source: SourceWork) -> str:
    return (source.content_hash or b"").hex()


async def _pieces(opened: int) -> AsyncIterator[bytes]:
    place = 0
    while piece := await asyncio.to_thread(os.pread, opened, _PIECE_BYTES, place):
        yield piece
        place += len(piece)

"""Recordings: probed, brought into the form that is sent, written down by the speech role, kept as passages with their times."""

from __future__ import annotations

import asyncio
import math
import os
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from typing import Literal

from sourcebook_core import accounting, faults, ffmpeg_found, jobs, roles, sound, waves
from sourcebook_core.errors import PermanentError, TransientError
from sourcebook_core.jobs import ReadSource
from sourcebook_core.providers import speech
from sourcebook_core.providers.speech import Transcript
from sourcebook_core.settings import RoleSettings
from sourcebook_core.sound import Recording
from sourcebook_core.store import passages
from sourcebook_core.store.source_work import SourceWork
from sourcebook_ingest import source_bytes
from sourcebook_ingest.deps import Deps
from sourcebook_ingest.read import playable, spoken
from sourcebook_ingest.read.outcome import Facts, Paid, Window
from sourcebook_ingest.read.playable import Sent

STEP_S = 120.0  # a local model is asked for so much at once: each step is a checkpoint (decisions, Reading: at most ten minutes)
_LEAST_MS = 100  # less is no sound
_NEXT = "Connect one under Models, then start it again under the source's menu."


async def read_source(deps: Deps, work: ReadSource, source: SourceWork, have: set[int], facts: Facts) -> AsyncGenerator[Window, None]:
    """The passages that are not there yet, each window what one call bought; fills `facts`. Progress is in minutes.

    A hosted model gets the whole file in one call (S1-09); a local one, steps cut at silence. Raises PermanentError as
    `Recording.probe` does, and `no_model`, `no_ffmpeg`, `too_long`, `too_large`, `no_speech`; the speech role's errors.
    """
    role = await _role(deps, source)
    limits = deps.settings.limits
    program = await ffmpeg_found.find(deps.settings.ffmpeg)
    async with source_bytes.descriptor(deps.blobs, source) as opened:
        recording = Recording(program, opened, source.media_type or "", source.name, limits.child_memory_bytes, limits.page_seconds)
        found = await recording.probe()
        if sound.is_too_long(found.seconds, limits.audio_hours):
            raise PermanentError("too_long", _too_long(source.name, found.seconds, limits.audio_hours))
        facts.duration_ms = round(found.seconds * 1000)
        if facts.duration_ms < _LEAST_MS:
            raise PermanentError("no_speech", name=source.name)
        if found.has_damage:
            facts.warn("file_incomplete", playable.INCOMPLETE)
        heard_ms = await _heard_before(deps, source) if have else 0
        yield Window([], heard_ms // 60_000, _minutes(facts.duration_ms))
        if heard_ms < facts.duration_ms:
            async with playable.prepared(deps, work, source, recording, found, facts) as sent:
                job = _Hearing(deps, work, source, role, sent, facts.duration_ms)
                async with aclosing(job.whole() if role.provider == "api" and not have else job.steps(heard_ms, have)) as windows:
                    async for window in windows:
                        yield window


async def _role(deps: Deps, source: SourceWork) -> RoleSettings:
    """The speech role. Raises PermanentError `no_model` when there is none, or none that this source may go to."""
    async with deps.db.transaction() as conn:
        role, is_refused = await roles.for_source(conn, deps.settings, "speech", source.id)
    if not role.is_on:
        raise PermanentError("no_model", f"{source.name} could not be heard, because no model is connected for listening. {_NEXT}")
    if is_refused:
        why = "a notebook or assistant that holds it keeps to models on this server, and the model for listening is hosted"
        raise PermanentError(
            "no_model", f"{source.name} was not sent anywhere: {why}. Connect a local one, or take it out of that notebook."
        )
    return role


async def _heard_before(deps: Deps, source: SourceWork) -> int:
    """How far a reading that was begun has heard the recording, in milliseconds."""
    async with deps.db.transaction() as conn:
        last = await passages.find_last_open(conn, source.id)
    return int(last.meta.get("heard_ms", 0)) if last is not None else 0


def _minutes(duration_ms: int) -> int:
    return max(1, math.ceil(duration_ms / 60_000))


def _too_long(name: str, seconds: float, hours: float) -> str:
    minutes = math.ceil(seconds / 60)
    return f"{name} is {minutes // 60} h {minutes % 60} min long; the limit is {hours:g} hours. Split it and add the parts."


@dataclass(frozen=True, slots=True)
class _Hearing:
    """One recording that is being written down."""

    deps: Deps
    work: ReadSource
    source: SourceWork
    role: RoleSettings
    sent: Sent
    end_ms: int

    async def whole(self) -> AsyncGenerator[Window, None]:
        """All of it in one call."""
        limit = self.deps.settings.limits.audio_bytes
        if self.sent.size > limit:
            raise PermanentError("too_large", _too_large(self.source.name, self.sent.size, self.end_ms / 1000, limit))
        content = await asyncio.to_thread(os.pread, self.sent.recording.source, limit, 0)
        heard, paid = await self._heard(content, self.sent.media_type, 0, self.end_ms)
        if self._is_silent(heard):
            raise PermanentError("no_speech", name=self.source.name)
        minutes = _minutes(self.end_ms)
        yield Window(spoken.passages(heard, first=0, start_ms=0, end_ms=self.end_ms), minutes, minutes, (paid,))

    async def steps(self, from_ms: int, have: set[int]) -> AsyncGenerator[Window, None]:
        """Step by step, each cut at silence, called for and kept; goes on after the last that is kept."""
        at_ms, following = from_ms, max(have, default=-1) + 1
        while self.end_ms - at_ms > _LEAST_MS:
            samples = await self.sent.recording.samples(at_ms / 1000, STEP_S)
            length = await asyncio.to_thread(waves.quiet_cut, samples, sound.RATE_HZ, STEP_S)
            if not length:
                break
            until_ms = self.end_ms if length == len(samples) else min(self.end_ms, at_ms + length * 500 // sound.RATE_HZ)
            content = waves.wav(samples[:length], sound.RATE_HZ)
            heard, paid = await self._heard(content, "audio/wav", at_ms, until_ms)
            made = [] if self._is_silent(heard) else spoken.passages(heard, first=following, start_ms=at_ms, end_ms=until_ms)
            following += len(made)
            at_ms = until_ms
            yield Window(
                made, at_ms // 60_000 if at_ms < self.end_ms else _minutes(self.end_ms), _minutes(self.end_ms), (paid,) if made else ()
            )
        if following == 0:
            raise PermanentError("no_speech", name=self.source.name)

    async def _heard(
        self, content: bytes, media_type: Literal["audio/mpeg", "audio/wav"], start_ms: int, end_ms: int
    ) -> tuple[Transcript, Paid]:
        """What is said in one stretch: by one billed call, or by the call that an earlier run of this job has paid for.

        The reply is kept with its call at once, for it may be the price of hours; `Paid` empties it in the commit of the passages.
        """
        seconds = (end_ms - start_ms) / 1000
        # Billed per second, rounded as hosted models do it, so that a WAV and its MP3 cost the same (S1-74).
        units = {"second": max(1, round(seconds))}
        cost = self.deps.prices.cost_of(self.role, units)
        inputs = accounting.fingerprint(
            [self.source.content_hash.hex() if self.source.content_hash else "", start_ms, end_ms, self.role.base_url]
        )
        call = await accounting.begin(
            self.deps.db, self.work, "speech", self.role, inputs, source_id=self.source.id, prices=self.deps.prices
        )  # fmt: skip
        if call.response and "text" in call.response:
            return Transcript.from_json(call.response), Paid(call, {}, units, cost)
        try:
            heard = await speech.transcribe(self.role, content, media_type, seconds)
        except (TransientError, PermanentError) as error:
            await accounting.fail(self.deps.db, call, error.code)
            raise
        async with jobs.holding(self.deps.db, self.work, checkpoint=True) as conn:
            await accounting.finish(conn, call, response=heard.to_json(), units=units, cost=cost)
        await faults.point(self.deps.settings, "read.heard")
        return heard, Paid(call, {}, units, cost)

    def _is_silent(self, heard: Transcript) -> bool:
        """Whether nothing was said; what models invent on silence counts as nothing while `audio_doubt` is on."""
        return not heard.text.strip() or (self.deps.settings.limits.audio_doubt and spoken.says_nothing(heard.text))


def _too_large(name: str, size: int, seconds: float, limit: int) -> str:
    mebibyte = 1024 * 1024
    possible = int(limit / (size / seconds) / 60)
    return (
        f"{name} has {size / mebibyte:.2f} MiB; an MP3 may have {limit / mebibyte:g}, which is {possible} minutes at its bit rate. "
        "Save it with 64 kbit/s or less, or split it and add the parts."
    )

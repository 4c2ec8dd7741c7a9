"""Recordings written down by the speech role: `/audio/transcriptions` of an OpenAI-compatible endpoint."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from sourcebook_core.errors import PermanentError
from sourcebook_core.providers import failures, request
from sourcebook_core.providers.endpoint import ROLE_WORDS
from sourcebook_core.providers.request import Upload
from sourcebook_core.settings import RoleSettings

# How long an answer may take beside `timeout_s`, in seconds for a second of sound: hosted models are many times faster than
# speech, a small model on a busy laptop is sometimes not.
_WAIT_PER_SECOND = {"api": 0.1, "local": 5.0}
_NO_TEXT = re.compile("[\x00\ud800-\udfff]")  # what no column can hold
_NAMES: dict[str, str] = {"audio/mpeg": "recording.mp3", "audio/wav": "recording.wav"}


@dataclass(frozen=True, slots=True)
class Segment:
    """Words that were said from `start_ms` to `end_ms` of what was sent."""

    start_ms: int
    end_ms: int
    text: str


@dataclass(frozen=True, slots=True)
class Transcript:
    """What was said. `segments` None: the model tells no times. `language` and `seconds` as the model says them, if it does."""

    text: str
    language: str | None
    segments: tuple[Segment, ...] | None
    seconds: float | None

    def to_json(self) -> dict[str, Any]:
        """As it is kept with the call that bought it."""
        times = [[one.start_ms, one.end_ms, one.text] for one in self.segments] if self.segments is not None else None
        return {"text": self.text, "language": self.language, "segments": times, "seconds": self.seconds}

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> Transcript:
        """What `to_json` gave."""
        segments = tuple(Segment(*one) for one in kept["segments"]) if kept["segments"] is not None else None
        return cls(kept["text"], kept["language"], segments, kept["seconds"])


async def transcribe(role: RoleSettings, content: bytes, media_type: Literal["audio/mpeg", "audio/wav"], seconds: float) -> Transcript:
    """What is said in a recording of so many seconds, in one call, with times where the model gives them.

    Asks for `verbose_json`; an endpoint that refuses that is asked without, and then on gives the text alone. Raises
    TransientError or PermanentError with the codes of `failures`.
    """
    extra_s = seconds * _WAIT_PER_SECOND.get(role.provider, 0.1)
    patient = role.model_copy(update={"timeout_s": role.timeout_s + extra_s})
    fields = {"model": role.model, "response_format": "verbose_json", **role.options}
    try:
        found = await request.post(patient, "/audio/transcriptions", fields, file=Upload(_NAMES[media_type], content, media_type))
    except PermanentError as error:
        if error.code != "context_too_long":
            raise
        why = "the recording is larger or longer than it takes. Split it and add the parts."
        raise PermanentError("model_refused", role=ROLE_WORDS[role.name], why=why) from error
    text, language, told = found.get("text"), found.get("language"), found.get("duration")
    segments = _segments(found.get("segments"))
    if not isinstance(text, str):
        if segments is None:
            raise failures.bad_reply(role, "it holds no text.")
        text = "".join(one.text for one in segments)
    seconds_told = float(told) if isinstance(told, (int, float)) and math.isfinite(told) else None
    return Transcript(
        _NO_TEXT.sub("\ufffd", text), _NO_TEXT.sub("", language) if isinstance(language, str) else None, segments, seconds_told
    )


def _segments(given: Any) -> tuple[Segment, ...] | None:
    """The segments in order; None when there are none, or when a time is missing or makes no sense."""
    if not isinstance(given, list) or not given:
        return None
    found = []
    for one in given:
        fields: Mapping[str, Any] = one if isinstance(one, Mapping) else {}
        start, end, text = fields.get("start"), fields.get("end"), fields.get("text")
        if start is None or end is None or not (_is_time(start) and _is_time(end) and isinstance(text, str)):
            return None
        found.append(Segment(round(start * 1000), round(max(start, end) * 1000), _NO_TEXT.sub("\ufffd", text)))
    return tuple(sorted(found, key=lambda one: one.start_ms))


def _is_time(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value) and value >= 0

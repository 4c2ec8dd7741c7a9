"""Recordings through ffmpeg behind walls: what a file holds, how long it is, the form that is sent, pieces of it.

ffmpeg gets open descriptors and no name of a file, and is told the format: it never guesses, so a playlist is only a broken
file to it. A recording is probed by ffmpeg itself (its wheel brings no ffprobe), through the `framecrc` and `null` outputs,
whose headers and progress are made for programs. Sources: ffmpeg-formats(1), ffmpeg-protocols(1).
"""

from __future__ import annotations

import os
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import ffmpeg

from sourcebook_core import walled
from sourcebook_core.errors import PermanentError, SourcebookError, TransientError
from sourcebook_core.ffmpeg_found import Ffmpeg
from sourcebook_core.walled import Bounds, Ended

# Media types as `kinds.sniff` tells them, and the one reader of ffmpeg that may open each.
_DEMUXERS = {
    "audio/mpeg": "mp3", "audio/wav": "wav", "audio/mp4": "mov", "video/mp4": "mov", "audio/aac": "aac", "audio/ogg": "ogg",
    "audio/flac": "flac", "video/webm": "matroska", "audio/aiff": "aiff",
}  # fmt: skip
_READERS = "mp3,wav,mov,mp4,m4a,3gp,3g2,mj2,aac,ogg,flac,matroska,webm,aiff"
KBITS = (64, 48, 32, 24, 16, 8)  # decisions: the highest that fits; all are bit rates of MP3 at 16 kHz
RATE_HZ = 16_000  # what speech models listen to
_KBYTE_BITS = 1000 / 8
_FRAME_S = 0.5  # a file is not too long by less: an encoder's padding is no speech
MAX_STREAMS, MAX_CHANNELS = 64, 16
_RATES_HZ = range(1_000, 768_001)
_MAX_PIXELS = 8192 * 8192
_PROBE_S, _MEASURE_S, _CONVERT_S = 30.0, 120.0, 1800.0  # walls of one run; within them it must get on every page_seconds
_HEADER = re.compile(r"#(media_type|codec_id|sample_rate|channel_layout_name|dimensions) (\d+): (.*)")
_TAG_BYTES = 300
Told = Callable[[float], Awaitable[None]]  # called with the seconds done so far


@dataclass(frozen=True, slots=True)
class Sound:
    """What a recording's first sound track is. `seconds` counts what is there, not what the file says of itself; `has_damage`:
    ffmpeg complained while it counted.
    """

    demuxer: str
    codec: str
    rate_hz: int
    channels: str
    seconds: float
    has_damage: bool


@dataclass(frozen=True, slots=True)
class Recording:
    """A stored recording: the ffmpeg to use, an open descriptor of it, its media type, its name for messages, our bounds."""

    program: Ffmpeg
    source: int
    media_type: str
    name: str
    memory_bytes: int
    stall_s: float

    async def probe(self) -> Sound:
        """What it holds, before anything is decoded.

        Raises PermanentError `no_audio_track`, `resource_limit` (streams, channels, rate, picture size, time, memory),
        `damaged_file`, `unsupported_kind`.
        """
        source = self._input()
        headers = ffmpeg.output(source["a?"], source["v?"], "pipe:1", format="framecrc", codec="copy", t=0)
        ended = await self._run(headers, Bounds(self.memory_bytes, seconds=_PROBE_S, stall_s=_PROBE_S))
        if "matches no streams" in ended.errors or "does not contain any stream" in ended.errors:
            raise PermanentError("no_audio_track", name=self.name)
        self._refuse(ended)
        if "Picture size" in ended.errors:  # more points than ffmpeg itself counts
            raise self._absurd("has pictures of a size that no film has")
        first = self._checked(_streams(ended.output.decode("utf-8", "replace")))
        seconds, has_damage = await self._measure()
        layout = first.get("channel_layout_name", "")
        return Sound(self._demuxer(), first.get("codec_id", ""), int(first["sample_rate"]), layout, seconds, has_damage)

    async def convert(self, to: int, kbits: int, mark: str, told: Told, limit_bytes: int) -> list[str]:
        """Write its sound to the open, empty descriptor `to` as MP3, mono, 16 kHz, `kbits` kbit/s, at most `limit_bytes`.

        `mark` is kept in the file's tag (`is_marked` finds it again). Returns what ffmpeg complained about: parts of a damaged file
        are left out. Raises as `probe`, and TransientError `tmp_full`.
        """
        written = self._input()["a:0"].output(
            "fd:", fd=to, format="mp3", acodec="libmp3lame", ac=1, ar=RATE_HZ, audio_bitrate=f"{kbits}k", threads=1,
            map_metadata=-1, metadata=f"sourcebook={mark}", id3v2_version=3, protocol_whitelist="fd",
        )  # fmt: skip
        bounds = Bounds(self.memory_bytes, file_bytes=limit_bytes, seconds=_CONVERT_S, stall_s=self.stall_s)
        ended = await self._run(written.global_args("-progress", "pipe:1"), bounds, (to,), _Progress(told))
        self._refuse(ended)
        return [line for line in ended.errors.splitlines() if line.strip()]

    async def samples(self, start_s: float, seconds: float) -> bytes:
        """Its sound from `start_s` on for at most `seconds`, as mono samples of 16 bits at `RATE_HZ`. Raises as `probe`."""
        raw = self._input(ss=start_s, t=seconds)["a:0"].output("pipe:1", format="s16le", ac=1, ar=RATE_HZ, threads=1)
        most = int((seconds + 1) * RATE_HZ * 2)
        ended = await self._run(raw, Bounds(self.memory_bytes, output_bytes=most, seconds=_MEASURE_S, stall_s=_MEASURE_S))
        self._refuse(ended)
        return ended.output

    async def _measure(self) -> tuple[float, bool]:
        """Seconds of sound that are really there: every packet is counted, none decoded."""
        longest = 0.0

        async def note(seconds: float) -> None:
            nonlocal longest
            longest = max(longest, seconds)

        counted = self._input()["a:0"].output("-", format="null", codec="copy").global_args("-progress", "pipe:1")
        ended = await self._run(counted, Bounds(self.memory_bytes, seconds=_MEASURE_S, stall_s=self.stall_s), (), _Progress(note))
        self._refuse(ended)
        return longest, bool(ended.errors.strip())

    def _demuxer(self) -> str:
        found = _DEMUXERS.get(self.media_type)
        if found is None:
            raise PermanentError("unsupported_kind", name=self.name, why=f"sound of the type {self.media_type} is not read.")
        return _after_tag(self.source) or found if found == "mp3" else found

    def _input(self, **options: Any) -> Any:
        os.lseek(self.source, 0, os.SEEK_SET)
        return ffmpeg.input(
            "fd:", format=self._demuxer(), fd=self.source, protocol_whitelist="fd", format_whitelist=_READERS, max_streams=MAX_STREAMS,
            threads=1, **options,
        )  # fmt: skip

    async def _run(self, stream: Any, bounds: Bounds, to: tuple[int, ...] = (), heard: walled.Listener | None = None) -> Ended:
        stream = stream.global_args("-hide_banner", "-nostdin", "-nostats", "-loglevel", "error")
        return await walled.run(self.program.path, stream.get_args(), bounds, descriptors=(self.source, *to), heard=heard)

    def _refuse(self, ended: Ended) -> None:
        """Raise what a run that failed means for the file."""
        if "No space left on device" in ended.errors:
            raise TransientError("tmp_full")
        if ended.broke_bounds or "max_streams" in ended.errors:
            raise PermanentError("resource_limit", name=self.name)
        if ended.status != 0:
            raise PermanentError("damaged_file", name=self.name)

    def _checked(self, streams: dict[int, dict[str, str]]) -> dict[str, str]:
        """The first sound track. Raises PermanentError when there is none or it is of no sane shape."""
        for stream in streams.values():
            width, _, height = stream.get("dimensions", "0x0").partition("x")
            if int(width or 0) * int(height or 0) > _MAX_PIXELS:
                raise self._absurd(f"has a picture of {width} × {height} points; at most 8192 × 8192 can be read")
        sounds = [stream for stream in streams.values() if stream.get("media_type") == "audio"]
        if not sounds:
            raise PermanentError("no_audio_track", name=self.name)
        first = sounds[0]
        if int(first.get("sample_rate", 0)) not in _RATES_HZ:
            raise self._absurd(f"has {first.get('sample_rate', 0)} samples a second; 1,000 to 768,000 can be read")
        count = _channels(first.get("channel_layout_name", ""))
        if count > MAX_CHANNELS:
            raise self._absurd(f"has {count} sound channels; at most {MAX_CHANNELS} can be read")
        return first

    def _absurd(self, why: str) -> SourcebookError:
        return PermanentError("resource_limit", f"{self.name} {why}. Save its sound with one or two channels at 44,100 Hz and add that.")


class _Progress:
    """Reads ffmpeg's `-progress` lines: tells the seconds done, and whether they grew."""

    def __init__(self, told: Told) -> None:
        self._told, self._last = told, 0.0

    async def __call__(self, line: str) -> bool:
        name, _, value = line.partition("=")
        if name != "out_time_us" or not value.isdigit():
            return False
        seconds = int(value) / 1_000_000
        has_grown, self._last = seconds > self._last, max(self._last, seconds)
        if has_grown:
            await self._told(seconds)
        return has_grown


def is_too_long(seconds: float, hours: float) -> bool:
    """Whether a recording is longer than `hours`, an encoder's padding left out of account."""
    return seconds > hours * 3600 + _FRAME_S


def fitting_kbits(seconds: float, limit_bytes: int) -> tuple[int, ...]:
    """The bit rates to try, highest first, whose MP3 of so many seconds should fit; the lowest is always among them."""
    fitting = tuple(kbits for kbits in KBITS if (seconds + 1) * kbits * _KBYTE_BITS + _TAG_BYTES <= limit_bytes)
    return fitting or KBITS[-1:]


def is_marked(head: bytes, mark: str) -> bool:
    """Whether the first bytes of an MP3 carry the mark that `convert` wrote."""
    return mark.encode() in head


def _streams(headers: str) -> dict[int, dict[str, str]]:
    """The streams by number, each with the facts of its `framecrc` header."""
    found: dict[int, dict[str, str]] = {}
    for name, number, value in _HEADER.findall(headers):
        found.setdefault(int(number), {})[name] = value.strip()
    return found


def _channels(layout: str) -> int:
    """Channels of a layout name as ffmpeg writes it; 0 when it does not say how many."""
    counted = re.match(r"(\d+) channels", layout)
    if counted:
        return int(counted[1])
    main = re.match(r"(\d+)\.(\d+)(?:\.(\d+))?", layout)
    return sum(int(part) for part in main.groups() if part) if main else {"mono": 1, "stereo": 2, "quad": 4, "hexagonal": 6}.get(layout, 0)


def _after_tag(source: int) -> str | None:
    """The format behind an ID3v2 tag, which stands before FLAC and AAC too (id3.org, ID3v2.4 structure, 3.1)."""
    head = os.pread(source, 10, 0)
    if len(head) < 10 or head[:3] != b"ID3":
        return None
    size = sum((byte & 0x7F) << shift for byte, shift in zip(head[6:10], (21, 14, 7, 0), strict=True))
    first = os.pread(source, 4, 10 + size)
    if first == b"fLaC":
        return "flac"
    return "aac" if first[:1] == b"\xff" and len(first) > 1 and first[1] & 0xF6 == 0xF0 else None

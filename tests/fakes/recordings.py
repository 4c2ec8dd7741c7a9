"""Recordings made in code: tones and silence by the `wave` module, every other form by ffmpeg, broken ones by hand."""

import io
import math
import subprocess
import tempfile
import wave
from array import array
from functools import lru_cache

from imageio_ffmpeg import get_ffmpeg_exe

MEDIA_TYPES = {
    "wav": "audio/wav", "mp3": "audio/mpeg", "m4a": "audio/mp4", "mp4": "video/mp4", "aac": "audio/aac", "ogg": "audio/ogg",
    "opus": "audio/ogg", "flac": "audio/flac", "webm": "video/webm", "aiff": "audio/aiff",
}  # fmt: skip


def tone(seconds: float, *, rate_hz: int = 8000, channels: int = 1, quiet: tuple[tuple[float, float], ...] = ()) -> bytes:
    """A WAV of a tone of 220 Hz that is silent between the given seconds."""
    period = array("h", (int(9000 * math.sin(2 * math.pi * 220 * place / rate_hz)) for place in range(rate_hz)))
    count = int(seconds * rate_hz)
    samples = (period * (count // rate_hz + 1))[:count]
    for start, end in quiet:
        first, last = int(start * rate_hz), min(count, int(end * rate_hz))
        samples[first:last] = array("h", bytes(2 * max(0, last - first)))
    if channels > 1:
        samples = array("h", (value for value in samples for _ in range(channels)))
    made = io.BytesIO()
    with wave.open(made, "wb") as written:
        written.setparams((channels, 2, rate_hz, 0, "NONE", "not compressed"))
        written.writeframes(samples.tobytes())
    return made.getvalue()


def silence(seconds: float) -> bytes:
    """A WAV without a sound."""
    return tone(seconds, quiet=((0.0, seconds),))


@lru_cache(maxsize=32)
def made(form: str, *options: str, seconds: float = 3.0, film: str = "") -> bytes:
    """A recording of a tone in this form (a file ending), by ffmpeg; with the picture of the lavfi source `film`."""
    muxer = {"opus": "ogg", "m4a": "ipod", "aac": "adts"}.get(form, form)
    codec = ("-c:a", "libopus") if form in ("opus", "webm") else ()
    picture = ("-f", "lavfi", "-i", film, "-c:v", "mpeg4") if film else ()
    with tempfile.NamedTemporaryFile() as held:
        command = [
            get_ffmpeg_exe(), "-nostdin", "-y", "-loglevel", "error",
            "-f", "lavfi", "-i", f"sine=frequency=330:duration={seconds}", *picture, *codec, *options, "-f", muxer, held.name,
        ]  # fmt: skip
        subprocess.run(command, check=True, capture_output=True)
        return held.read()


def long_mp3(seconds: float) -> bytes:
    """A valid MP3 of any length at 8 kbit/s: frames of 36 ms and 36 bytes, one silent second over and over (ISO/IEC 13818-3)."""
    second = made(
        "mp3", "-ac", "1", "-ar", "16000", "-b:a", "8k", "-write_xing", "0", "-id3v2_version", "0", "-write_id3v1", "0", seconds=7.2
    )
    frames = second[: 100 * 36]
    count = round(seconds / 0.036)
    return (frames * (count // 100 + 1))[: count * 36]


def padded_mp3(size: int) -> bytes:
    """A valid MP3 of exactly so many bytes: three seconds behind a tag that is mostly padding (id3.org, ID3v2.3, 3.1)."""
    sound = made("mp3", "-id3v2_version", "0", "-write_id3v1", "0")
    tag = size - len(sound) - 10
    return b"ID3\x03\x00\x00" + bytes((tag >> shift) & 0x7F for shift in (21, 14, 7, 0)) + bytes(tag) + sound


def _element(mark: str, content: bytes) -> bytes:
    return bytes.fromhex(mark) + (len(content) | 1 << 56).to_bytes(8, "big") + content


def _track(number: int, kind: int, codec: bytes, shape: bytes) -> bytes:
    numbered = _element("d7", number.to_bytes(2, "big")) + _element("73c5", number.to_bytes(2, "big"))
    return _element("ae", numbered + _element("83", bytes([kind])) + _element("86", codec) + shape)


def _matroska(tracks: bytes) -> bytes:
    """A Matroska file with these tracks and a few samples of the first (RFC 9559)."""
    kind = _element("4286", b"\x01") + _element("42f7", b"\x01") + _element("4282", b"matroska") + _element("4287", b"\x04")
    cluster = _element("1f43b675", _element("e7", b"\x00") + _element("a3", b"\x81\x00\x00\x80" + bytes(64)))
    info = _element("1549a966", _element("2ad7b1", b"\x0f\x42\x40"))
    return _element("1a45dfa3", kind) + _element("18538067", info + _element("1654ae6b", tracks) + cluster)


_MONO = _element("e1", _element("b5", b"\x45\xfa\x00\x00") + _element("9f", b"\x01") + _element("6264", b"\x10"))


def many_tracks(count: int) -> bytes:
    """A file that promises so many sound tracks."""
    return _matroska(b"".join(_track(number, 2, b"A_PCM/INT/LIT", _MONO) for number in range(1, count + 1)))


def huge_film(width: int, height: int) -> bytes:
    """A film that promises pictures of this size."""
    size = _element("e0", _element("b0", width.to_bytes(4, "big")) + _element("ba", height.to_bytes(4, "big")))
    return _matroska(_track(1, 2, b"A_PCM/INT/LIT", _MONO) + _track(2, 1, b"V_VP9", size))


def converted(wav: bytes, form: str, *options: str) -> bytes:
    """A WAV in another form."""
    with tempfile.NamedTemporaryFile() as held:
        command = [get_ffmpeg_exe(), "-y", "-loglevel", "error", "-f", "wav", "-i", "-", *options, "-f", form, held.name]
        subprocess.run(command, input=wav, check=True, capture_output=True)
        return held.read()

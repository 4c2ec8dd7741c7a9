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

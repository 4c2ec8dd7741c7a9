"""Samples of sound: where they are quiet, and as a WAV file."""

from __future__ import annotations

import struct

import numpy as np

_FRAME_S = 0.02
_QUIET_S = 0.4  # a pause between two sentences


def quiet_cut(samples: bytes, rate_hz: int, step_s: float) -> int:
    """How many bytes of mono 16-bit samples make one step: all of them, or up to the quietest moment of the second half.

    All when there are less than `step_s` seconds. Of equally quiet moments the last is taken.
    """
    if len(samples) < int(step_s * rate_hz) * 2:
        return len(samples) - len(samples) % 2
    frame = int(_FRAME_S * rate_hz)
    heights = np.frombuffer(samples, dtype="<i2", count=len(samples) // 2 // frame * frame).astype(np.float32).reshape(-1, frame)
    loudness = np.sqrt((heights**2).mean(axis=1))
    window = int(_QUIET_S / _FRAME_S)
    smooth = np.convolve(loudness, np.ones(window) / window, mode="valid")
    half = len(smooth) // 2
    later = smooth[half:][::-1]
    quietest = len(smooth) - 1 - int(np.argmin(np.round(later, 1)))
    return (quietest + window // 2) * frame * 2


def wav(samples: bytes, rate_hz: int) -> bytes:
    """The mono 16-bit samples as a WAV file (RIFF, Microsoft 1991)."""
    form = struct.pack("<4sIHHIIHH", b"fmt ", 16, 1, 1, rate_hz, rate_hz * 2, 2, 16)
    return struct.pack("<4sI4s", b"RIFF", 36 + len(samples), b"WAVE") + form + struct.pack("<4sI", b"data", len(samples)) + samples

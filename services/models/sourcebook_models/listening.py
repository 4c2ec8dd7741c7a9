"""`python -m sourcebook_models.listening`: recordings to text by Whisper base, in a process of its own beside the model server."""

from __future__ import annotations

import argparse
import importlib
import io
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sourcebook_core.local_models import whisper_folders
from sourcebook_models import bench_child, joined
from sourcebook_models.bench_child import Unreadable

# Of Systran's own conversion of OpenAI's model: what the parts must add up to, whoever published them.
SHA256: Final = "d01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9"
SIZE_BYTES: Final = 145_217_532
SMALL_FILES: Final = {  # beside it, as they are in the package that was looked at
    "config.json": "56a6d8110d311f19c8f0471e562832c7527f146b567275bfca59fcf7c184da9a",
    "tokenizer.json": "fb7b63191e9bb045082c79fd742a3106a12c99513ab30df4a0d47fa6cb6fd0ab",
    "vocabulary.txt": "34ce3fe1c5041027b3f8d42912270993f986dbc4bb34cf27f951e34a1e453913",
}
RATE = 16_000  # samples a second, what the model hears
STEP_S = 600  # decoded and transcribed at once: 38 MB of samples; a whole recording of four hours would be 0.9 GB
LOOK_BACK_S = 60  # a step ends at the quietest place of its last minute, so that no word is cut
FRAME = RATE // 20  # quietness is looked at over 50 ms
Samples = NDArray[np.float32]
_SEGMENT = ("avg_logprob", "compression_ratio", "no_speech_prob", "temperature")


def model_folder(folder: Path) -> Path:
    """The folder with the whole model, made of the installed parts and checked. Raises NotJoined."""
    parts = whisper_folders()
    if not parts:
        raise joined.NotJoined("The speech model is not installed. Install the extra local.")
    place = folder / f"whisper-base-{SHA256[:12]}"
    pieces = [data / f"model.bin.part{number}" for number, data in enumerate(parts, 1)]
    joined.join(pieces, place / "model.bin", joined.Known("The speech model", SIZE_BYTES, SHA256, "local"))
    for name, sha256 in SMALL_FILES.items():
        source = parts[0] / name
        joined.join([source], place / name, joined.Known("The speech model", source.stat().st_size, sha256, "local"))
    return place


def steps(recording: bytes, longest_s: float) -> Iterator[Samples]:
    """The sound of a recording in steps of at most `STEP_S` seconds, cut where it is quiet, decoded as they are taken.

    Raises Unreadable for what has no sound, cannot be decoded, or is longer than `longest_s` seconds.
    """
    left: Samples = np.zeros(0, np.float32)
    total = 0
    for samples in _decoded(recording):
        total += len(samples)
        if total > longest_s * RATE:
            raise Unreadable(f"The recording is longer than {longest_s / 3600:g} hours.")
        left = np.concatenate((left, samples))
        while len(left) >= STEP_S * RATE:
            cut = quiet_place(left[: STEP_S * RATE])
            yield left[:cut]
            left = left[cut:]
    if total == 0:
        raise Unreadable("There is no sound in this file.")
    yield left


def quiet_place(samples: Samples) -> int:
    """Where to cut: the middle of the quietest 50 ms in the last `LOOK_BACK_S` seconds."""
    first = max(0, len(samples) - LOOK_BACK_S * RATE)
    frames = samples[first : first + (len(samples) - first) // FRAME * FRAME].reshape(-1, FRAME)
    return first + int(np.square(frames).mean(axis=1).argmin()) * FRAME + FRAME // 2


def _decoded(recording: bytes) -> Iterator[Samples]:
    av = importlib.import_module("av")
    resampler = av.AudioResampler(format="s16", layout="mono", rate=RATE)
    try:
        # No name and no options: what a playlist inside would lead to cannot be opened from bytes.
        with av.open(io.BytesIO(recording), mode="r", metadata_errors="ignore") as container:
            if not container.streams.audio:
                return
            for frame in _sound(container, av):
                for piece in resampler.resample(frame):
                    yield piece.to_ndarray().reshape(-1).astype(np.float32) / 32768.0
    except av.FFmpegError as error:
        raise Unreadable("The recording is damaged, or of a kind that cannot be played.") from error


def _sound(container: Any, av: Any) -> Iterator[Any]:
    frames = container.decode(audio=0)
    while True:
        try:
            frame = next(frames)
        except StopIteration:
            yield None  # lets the resampler give what it holds
            return
        except av.InvalidDataError:
            continue  # a broken frame in the middle is left out, as players do
        frame.pts = None
        yield frame


class Listener:
    """The speech model, loaded at the first recording (1 to 3 s)."""

    def __init__(self, folder: Path, longest_s: float, going_on: Callable[[], None]) -> None:
        self._folder, self._longest_s, self._going_on = folder, longest_s, going_on
        self._model: Any = None

    def transcribe(self, head: Mapping[str, Any], recording: bytes) -> dict[str, Any]:
        """`text`, `language`, `duration` (s) and `segments` (with `words` when asked for); nothing said, nothing written."""
        model = self._loaded()
        language = head.get("language")
        if language is not None and language not in model.supported_languages:
            raise Unreadable(f"The speech model does not know the language {language}.")
        segments: list[dict[str, Any]] = []
        offset = 0.0
        for samples in steps(recording, self._longest_s):
            heard, facts = model.transcribe(
                samples,
                language=language,
                initial_prompt=head.get("prompt"),
                beam_size=5,
                vad_filter=True,  # without it the model writes sentences into silence
                condition_on_previous_text=False,  # a mistake is not carried on, and no loop begins
                word_timestamps=bool(head.get("words")),
            )
            for segment in heard:  # computed as they are taken
                segments.append(_shaped(segment, len(segments), offset))
                self._going_on()
            self._going_on()
            if facts.duration_after_vad > 0 and language is None:
                language = facts.language  # of the first step in which somebody speaks; a guess for each would waver
            offset += len(samples) / RATE
        text = "".join(segment["text"] for segment in segments).strip()
        return {"text": text, "language": language or "", "duration": round(offset, 3), "segments": segments}

    def _loaded(self) -> Any:
        if self._model is None:
            try:
                place = model_folder(self._folder)
            except joined.NotJoined as error:
                raise Unreadable(str(error)) from error
            whisper = importlib.import_module("faster_whisper")
            self._model = whisper.WhisperModel(str(place), device="cpu", compute_type="int8", cpu_threads=1, local_files_only=True)
        return self._model


def _shaped(segment: Any, number: int, offset: float) -> dict[str, Any]:
    shaped = {"id": number, "seek": segment.seek, "start": round(segment.start + offset, 3), "end": round(segment.end + offset, 3)}
    shaped |= {"text": segment.text, "tokens": list(segment.tokens)} | {name: getattr(segment, name) for name in _SEGMENT}
    if segment.words is not None:
        shaped["words"] = [
            {"word": word.word.strip(), "start": round(float(word.start) + offset, 3), "end": round(float(word.end) + offset, 3)}
            for word in segment.words
        ]
    return shaped


def main() -> None:
    """Serve the parent until it goes."""
    parser = argparse.ArgumentParser(description="Listens to recordings, started by the model server.")
    parser.add_argument("--folder", type=Path, required=True, help="where the joined model is kept")
    parser.add_argument("--seconds", type=float, required=True, help="how long a recording may be")
    given = parser.parse_args()
    talk = bench_child.Talk()
    talk.serve(Listener(given.folder, given.seconds, talk.going_on).transcribe)


if __name__ == "__main__":
    main()

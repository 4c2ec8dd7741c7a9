"""Pictures read by rapidocr, whose models come inside its package: finds lines anywhere, also in photographs."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from sourcebook_models.layout import Line, Word

SIDE = 2000  # pixels; the package itself makes larger pictures smaller, after having copied them
SLIM = 5  # times as long as wide; slimmer pictures get white beside them
TURN_SIDE = 1000  # pixels; enough to find lines by, and a fourth of the time
TRIED_LINES = 5  # lines read both ways round to see which way is up
TALL = 1.5  # height to width from which a line stands upright, as the package has it
_PARAMS = {
    "Global.log_level": "error",
    "Global.return_word_box": True,
    "Global.use_cls": False,  # it turns single lines; here the whole picture is turned
    "EngineConfig.onnxruntime.intra_op_num_threads": 1,
    "EngineConfig.onnxruntime.inter_op_num_threads": 1,
}
Pixels = NDArray[np.uint8]


class Rapid:
    """The loaded recogniser; loading takes 1 s and 0.45 GB."""

    def __init__(self) -> None:
        self._engine = importlib.import_module("rapidocr").RapidOCR(params=_PARAMS)

    def read(self, picture: Image.Image) -> tuple[list[Line], int]:
        """The lines of a picture (RGB), and by how many degrees clockwise it was turned for that.

        Places are in pixels of the turned picture.
        """
        small = picture.copy()
        small.thumbnail((SIDE, SIDE))
        scale = picture.width / small.width
        # TRAP: the package enlarges the short side to 736 pixels: a strip of 2,000 x 10 would take gigabytes.
        room = Image.new("RGB", (max(small.width, small.height // SLIM), max(small.height, small.width // SLIM)), "white")
        room.paste(small)
        pixels: Pixels = np.asarray(room)[:, :, ::-1]  # the package takes BGR
        turned = self._turn(pixels)
        found = self._run(np.ascontiguousarray(np.rot90(pixels, -turned // 90)), finds=True, reads=True)
        if not found.txts:
            return [], 0
        wide, high = room.width - small.width, room.height - small.height  # white at the right and below, before the turn
        shift = {0: (0, 0), 90: (high, 0), 180: (wide, high), 270: (0, wide)}[turned]
        lines = [_line(text, words, scale, shift) for text, words in zip(found.txts, found.word_results, strict=True)]
        return [line for line in lines if line is not None], turned

    def _run(self, pixels: Pixels, *, finds: bool, reads: bool) -> Any:
        # TRAP: what one call sets (use_det, use_rec) stays set for the next; so every call sets all.
        return self._engine(pixels, use_det=finds, use_cls=False, use_rec=reads)

    def _turn(self, pixels: Pixels) -> int:
        """How the picture must be turned, by the shape of its lines and by reading some of them both ways round."""
        step = max(1, round(max(pixels.shape) / TURN_SIDE))
        boxes = self._run(np.ascontiguousarray(pixels[::step, ::step]), finds=True, reads=False).boxes
        if boxes is None or not len(boxes):
            return 0
        boxes = np.asarray(boxes) * step
        sizes = np.array([_size(box) for box in boxes])  # width and height
        longest = np.argsort(-sizes.max(axis=1))[:TRIED_LINES]
        is_tall = sizes[:, 1] > TALL * sizes[:, 0]
        lies = bool((is_tall * sizes.max(axis=1)).sum() * 2 > sizes.max(axis=1).sum())
        upright = down = 0.0
        for number in longest:
            if bool(is_tall[number]) != lies:
                continue
            x0, y0, x1, y1 = _around(boxes[number], pixels.shape)
            cut = np.ascontiguousarray(np.rot90(pixels[y0:y1, x0:x1], -1 if lies else 0))
            upright += self._sure(cut)
            down += self._sure(np.ascontiguousarray(np.rot90(cut, 2)))
        return (90 if lies else 0) + (180 if down > upright else 0)

    def _sure(self, line: Pixels) -> float:
        found = self._run(line, finds=False, reads=True)
        return float(sum(score * len(text) for text, score in zip(found.txts or (), found.scores or (), strict=True)))


def _size(box: Any) -> tuple[float, float]:
    (x0, y0), (x1, y1) = np.min(box, axis=0), np.max(box, axis=0)
    return float(x1 - x0), float(y1 - y0)


def _around(box: Any, shape: tuple[int, ...]) -> tuple[int, int, int, int]:
    (x0, y0), (x1, y1) = np.floor(np.min(box, axis=0)), np.ceil(np.max(box, axis=0))
    return max(0, int(x0)), max(0, int(y0)), min(shape[1], int(x1)), min(shape[0], int(y1))


def _line(text: str, words: Any, scale: float, shift: tuple[int, int]) -> Line | None:
    """A line with its words; None when the package gives no place for any."""
    placed = []
    for said, sure, box in words:
        if not str(said).strip():
            continue
        (x0, y0), (x1, y1) = ((edge - np.array(shift)) * scale for edge in (np.min(box, axis=0), np.max(box, axis=0)))
        placed.append(Word(str(said).strip(), float(sure), (float(x0), float(y0), float(x1), float(y1))))
    clean = " ".join(text.split())
    return Line(clean, tuple(placed)) if placed and clean else None

"""Pages read by the program tesseract: turn and script by its `osd`, words with places by its TSV."""

from __future__ import annotations

import csv
import io
import itertools
import re
import statistics
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass

from PIL import Image

from sourcebook_core.local_models import Tesseract
from sourcebook_models.bench_child import Unreadable
from sourcebook_models.layout import Line, Word

CALL_S = 120.0  # a full page takes 1 to 3 s of a core; one beside ten busy programs was seen to take 60
OSD_SIDE = 2000  # pixels; more does not make osd surer, only slower
SURE_TURN = 2.0  # osd's own measure: pages of text have 5 to 40, noise 1.4
SURE_SCRIPT = 2.0  # likewise: pages of text have 3 to 20, noise 0.9
WIDE_GAP = 1.3  # times the height of the letters; between words it is 0.3, in justified lines up to 1
_SAME_SCRIPT = {"Fraktur": "Latin", "Common": "Latin", "Hiragana": "Japanese", "Katakana": "Japanese", "Hangul": "Korean"}
_WORD = "5"  # level of a word in the TSV (tesseract's tesseract.1, "tsv")


@dataclass(frozen=True)
class Stand:
    """How a picture stands: clockwise degrees to upright and the script, None where tesseract is not sure."""

    turned: int | None
    script: str | None


def stand(tesseract: Tesseract, page: Image.Image) -> Stand:
    """What `osd` finds; nothing without it, and for a picture with too few letters."""
    if not tesseract.finds_turns:
        return Stand(None, None)
    small = page.copy()
    small.thumbnail((OSD_SIDE, OSD_SIDE))
    said = _run(tesseract, small, "--psm", "0")
    found = dict(re.findall(r"^(Rotate|Orientation confidence|Script|Script confidence): (\S+)$", said, re.MULTILINE))
    if len(found) != 4:
        return Stand(None, None)
    turned = int(found["Rotate"]) % 360 if float(found["Orientation confidence"]) >= SURE_TURN else None
    script = _SAME_SCRIPT.get(found["Script"], found["Script"]) if float(found["Script confidence"]) >= SURE_SCRIPT else None
    return Stand(turned, script)


def read(tesseract: Tesseract, page: Image.Image, packs: Sequence[str]) -> list[Line]:
    """The lines of an upright page (grey), those of two columns or cells apart.

    Raises Unreadable when tesseract fails or takes longer than `CALL_S`.
    """
    said = _run(tesseract, page, "--psm", "3", "-l", "+".join(packs), "tsv")
    lines: dict[tuple[str, str, str], list[Word]] = {}
    for row in csv.DictReader(io.StringIO(said), delimiter="\t", quoting=csv.QUOTE_NONE):
        text = (row["text"] or "").strip()
        if row["level"] != _WORD or not text:
            continue
        left, top = float(row["left"]), float(row["top"])
        word = Word(text, float(row["conf"]) / 100, (left, top, left + float(row["width"]), top + float(row["height"])))
        lines.setdefault((row["block_num"], row["par_num"], row["line_num"]), []).append(word)
    parts = [part for words in lines.values() for part in parted(words)]
    return [Line(" ".join(word.text for word in part), tuple(part)) for part in parts]


def parted(words: Sequence[Word]) -> list[list[Word]]:
    """A line cut at wide gaps: tesseract runs through the gutter of short columns. `layout` joins again what is a row."""
    height = statistics.median(word.box[3] - word.box[1] for word in words)
    parts = [[words[0]]]
    for before, word in itertools.pairwise(words):
        if word.box[0] - before.box[2] > WIDE_GAP * height:
            parts.append([])
        parts[-1].append(word)
    return parts


def _run(tesseract: Tesseract, page: Image.Image, *arguments: str) -> str:
    picture = io.BytesIO()
    page.save(picture, "PPM")  # PGM for grey: nothing to unpack
    command = [tesseract.program, "stdin", "stdout", *arguments]
    try:
        done = subprocess.run(command, input=picture.getvalue(), capture_output=True, timeout=CALL_S, check=False)
    except subprocess.TimeoutExpired:
        raise Unreadable("The picture takes too long to read here.") from None
    if done.returncode != 0 and "0" not in arguments:  # osd says with its code that there are too few letters
        raise Unreadable(f"tesseract cannot read the picture (it ended with {done.returncode}).")
    return done.stdout.decode("utf-8", "replace")

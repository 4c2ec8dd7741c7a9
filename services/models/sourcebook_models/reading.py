"""`python -m sourcebook_models.reading`: pictures to text, in a process of its own beside the model server."""

from __future__ import annotations

import argparse
import functools
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from PIL import Image
from PIL.JpegImagePlugin import JpegImageFile

from sourcebook_core.local_models import PACK_OF, RAPID_SCRIPTS, SCRIPT_OF, Readers, Tesseract, readers
from sourcebook_models import bench_child, layout, packs, tesseract
from sourcebook_models.bench_child import Unreadable
from sourcebook_models.layout import Line
from sourcebook_models.rapid import Rapid
from sourcebook_models.tesseract import Stand

FORMATS = ("JPEG", "PNG", "WEBP", "GIF", "TIFF", "BMP", "PPM")
LONGEST_SIDE = 4000  # pixels; A4 at 300 dpi is 3,508, and letters do not get clearer above
LEAST_SIDE = 8  # pixels; no letter is lower
PLAIN = 16  # grey levels between the darkest and the lightest point of a picture with nothing on it
# Measured (context/reading-pictures.md): good lines are at 0.9 and more, lines made of noise or read the wrong way round at 0.3 to 0.7.
SURE_PAGE = 0.75
SURE_WORDS = 0.9  # too few words to tell their language, and none of them doubtful
FEW_LINES = 3
SURE_LINE = 0.5
LONG_LINE = 5.0  # times its height
_PIL_TURNS = {90: Image.Transpose.ROTATE_270, 180: Image.Transpose.ROTATE_180, 270: Image.Transpose.ROTATE_90}


@dataclass(frozen=True)
class Found:
    """What was read: lines, by how many degrees clockwise the picture was turned for it, and a script that nothing here reads."""

    lines: list[Line]
    turned: int
    unreadable: str | None = None


def decoded(picture: bytes, most_pixels: int) -> Image.Image:
    """The first frame as RGB on white, at most `LONGEST_SIDE` long. Raises Unreadable; the size is looked at before decoding."""
    Image.MAX_IMAGE_PIXELS = None  # our own limit, which does not warn but refuse
    try:
        image: Image.Image = Image.open(io.BytesIO(picture), formats=FORMATS)
        if image.width * image.height > most_pixels:
            raise Unreadable(f"The picture has {image.width * image.height} pixels; at most {most_pixels} are taken.")
        if isinstance(image, JpegImageFile):
            image.draft("RGB", (LONGEST_SIDE, LONGEST_SIDE))
        image.load()
    except (OSError, ValueError, SyntaxError, EOFError, IndexError, KeyError, Image.DecompressionBombError) as error:
        raise Unreadable("The picture is damaged, or of a kind that cannot be read.") from error
    if image.mode.startswith("I;16") or image.mode == "I":
        image = image.point(lambda level: level / 256).convert("L")
    if image.has_transparency_data:
        layer = image.convert("RGBA")
        image = Image.new("RGBA", layer.size, "white")
        image.alpha_composite(layer)
    image = image.convert("RGB")
    image.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
    return image


def turned_by(picture: Image.Image, degrees: int) -> Image.Image:
    """The picture turned clockwise."""
    return picture.transpose(_PIL_TURNS[degrees]) if degrees else picture


def sure(lines: Sequence[Line]) -> float:
    """How sure a reading is as a whole, 0..1 by letters; 0 without any."""
    letters = sum(len(line.text) for line in lines)
    return sum(line.sure * len(line.text) for line in lines) / letters if letters else 0.0


def amount(lines: Sequence[Line]) -> float:
    """Letters and digits read, each counted by how sure it is; of lines that are text."""
    return sum(line.sure * sum(map(str.isalnum, line.text)) for line in lines if is_text(line))


def is_text(line: Line) -> bool:
    """Whether a line is more than noise: what the reader is half sure of, with a letter or digit in it."""
    return line.sure >= SURE_LINE and any(map(str.isalnum, line.text))


class Reader:
    """The recognisers of this machine, the heavy one loaded when it is first needed."""

    def __init__(self, here: Readers, going_on: Callable[[], None] = lambda: None) -> None:
        self._here, self._going_on = here, going_on

    @functools.cached_property
    def _rapid(self) -> Rapid:
        return Rapid()

    def read(self, picture: Image.Image, language: str) -> Found:
        """The best reading of a picture in `language` (a code; empty when it is not known)."""
        grey = picture.convert("L")
        darkest, lightest = cast(tuple[int, int], grey.getextrema())
        if lightest - darkest < PLAIN or min(picture.size) < LEAST_SIDE:
            return Found([], 0)
        program = self._here.tesseract
        pack = PACK_OF.get(language, "")
        if program is None or (pack and pack not in program.languages and self._covers(SCRIPT_OF[language])):
            return self._by_rapid(picture)
        return self._by_tesseract(program, picture, grey, pack)

    def _covers(self, script: str) -> bool:
        return self._here.rapidocr is not None and script in RAPID_SCRIPTS

    def _by_rapid(self, picture: Image.Image) -> Found:
        """It does not tell scripts apart, but of one that it cannot read it gives long lines with hardly a letter in them."""
        lines, turned = self._rapid.read(picture)
        long = [line for line in lines if _shape(line) > LONG_LINE]
        empty = [line for line in long if sum(map(str.isalnum, line.text)) < _shape(line) / 4]
        return Found([], turned, "unknown") if len(empty) * 2 > len(long) else Found(lines, turned)

    def _by_tesseract(self, program: Tesseract, picture: Image.Image, grey: Image.Image, pack: str) -> Found:
        stands = tesseract.stand(program, grey)
        self._going_on()
        script, turned = stands.script or "Latin", stands.turned or 0
        fitting = [pack] if pack in program.languages else packs.of_script(program, script)
        if not fitting and self._covers(script):
            return self._by_rapid(picture)
        if not fitting:  # letters of another script look like letters of this one, and the text would be nonsense
            return Found([], turned, script)
        upright = turned_by(grey, turned)
        found = Found(tesseract.read(program, upright, fitting[:1]), turned)
        self._going_on()
        if len(fitting) > 1:
            found = self._again(program, picture, upright, fitting, found)
        if sure(found.lines) >= SURE_PAGE:
            return found
        self._going_on()
        return max((found, self._second_look(program, picture, grey, fitting, stands)), key=lambda one: amount(one.lines))

    def _again(self, program: Tesseract, picture: Image.Image, upright: Image.Image, fitting: list[str], first: Found) -> Found:
        """The page read with the language that its first reading shows; that reading itself where it is the same."""
        code = packs.told(first.lines)
        pack = PACK_OF.get(code or "", "")
        if pack == fitting[0] or (code is None and sure(first.lines) >= SURE_WORDS and len(first.lines) <= FEW_LINES):
            return first
        if code is not None and pack not in program.languages and self._covers(SCRIPT_OF.get(code, "")):
            return self._by_rapid(picture)
        wanted = [pack] if pack in program.languages else fitting
        return Found(tesseract.read(program, upright, wanted), first.turned)

    def _second_look(self, program: Tesseract, picture: Image.Image, grey: Image.Image, fitting: list[str], stands: Stand) -> Found:
        """What to compare an unsure reading with: rapidocr's, else that of the best of the other turns."""
        if self._here.rapidocr is not None:
            return Found(*self._rapid.read(picture))
        if stands.turned is not None:
            return Found([], 0)
        others = [Found(tesseract.read(program, turned_by(grey, turn), fitting[:1]), turn) for turn in (90, 180, 270)]
        best = max(others, key=lambda one: amount(one.lines))
        return Found(tesseract.read(program, turned_by(grey, best.turned), fitting), best.turned) if best.lines else best


def _shape(line: Line) -> float:
    left, top, right, bottom = line.box
    return (right - left) / max(1.0, bottom - top)


def answer(reader: Reader, most_pixels: int, head: dict[str, Any], body: bytes) -> dict[str, Any]:
    """The reply to one picture: `text`, `words`, `turned`, `unreadable`."""
    picture = decoded(body, most_pixels)
    found = reader.read(picture, str(head.get("language") or ""))
    size = (picture.height, picture.width) if found.turned in (90, 270) else picture.size
    text, words = layout.written(layout.in_order([line for line in found.lines if is_text(line)]), size, found.turned)
    return {"text": text, "words": words, "turned": found.turned, "unreadable": found.unreadable}


def main() -> None:
    """Serve the parent until it goes."""
    parser = argparse.ArgumentParser(description="Reads pictures, started by the model server.")
    parser.add_argument("--pixels", type=int, required=True, help="pixels a picture may have")
    parser.add_argument("--without-tesseract", action="store_true")
    given = parser.parse_args()
    here = readers()
    if given.without_tesseract:
        here = Readers(None, here.rapidocr)
    talk = bench_child.Talk()
    talk.serve(functools.partial(answer, Reader(here, talk.going_on), given.pixels))


if __name__ == "__main__":
    main()

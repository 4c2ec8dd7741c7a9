"""Runs in the walled child: opens one picture file with Pillow and gives its frames upright, bounded, as JPEG."""

from __future__ import annotations

import io
import math
import os
from typing import Any

from PIL import (
    AvifImagePlugin,
    BmpImagePlugin,
    GifImagePlugin,
    Image,
    ImageStat,
    JpegImagePlugin,
    MpoImagePlugin,
    PngImagePlugin,
    TiffImagePlugin,
    WebPImagePlugin,
)  # fmt: skip

from sourcebook_core.sandbox_talk import FILE_FD, Answer, Refused

# Loaded before the fork, so that a child needs no file for them.
assert all((BmpImagePlugin, GifImagePlugin, JpegImagePlugin, MpoImagePlugin, PngImagePlugin, TiffImagePlugin, WebPImagePlugin))
AvifImagePlugin.DEFAULT_MAX_THREADS = 1
Image.MAX_IMAGE_PIXELS = None  # the bound below is tighter, and is checked before anything is decoded
FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "TIFF", "BMP", "AVIF")  # a JPEG of several pictures is opened as JPEG
_ORIENTATION = 0x0112
# What makes a picture upright, by the value of the EXIF tag (TIFF 6.0, section "Orientation").
_TURNS = {
    2: Image.Transpose.FLIP_LEFT_RIGHT, 3: Image.Transpose.ROTATE_180, 4: Image.Transpose.FLIP_TOP_BOTTOM, 5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270, 7: Image.Transpose.TRANSVERSE, 8: Image.Transpose.ROTATE_90,
}  # fmt: skip
_ONE_COLOUR = 4  # levels of 255 between the darkest and the lightest point of an empty picture: what JPEG makes of one colour
_opened: dict[str, Image.Image] = {}


def _open(args: dict[str, Any]) -> Answer:
    """Read the head; gives the number of pages (1 but for a TIFF: of a moving picture the first frame stands for it)."""
    if not os.fstat(FILE_FD).st_size:
        raise Refused("damaged_file")
    try:
        image = Image.open(io.FileIO(FILE_FD, closefd=False), formats=FORMATS)
    except (OSError, SyntaxError, ValueError):
        raise Refused("damaged_file") from None
    _bound(image, args["max_pixels"])
    _opened["image"] = image
    yield {"frames": _frames(image, args["max_frames"]) if image.format == "TIFF" else 1}, b""


def _frames(image: Image.Image, most: int) -> int:
    """How many pages a TIFF has, looked for one by one: their chain may be very long, or close on itself."""
    count = 1
    while True:
        try:
            image.seek(count)
        except EOFError:
            return count
        count += 1
        if count > most:
            raise Refused("too_many_pages", pages=f"more than {most}", limit=most)


def _picture(args: dict[str, Any]) -> Answer:
    """One frame (1-based) upright, turned clockwise by `turned`, on white, at most `max_pixels` sent and `longest` long.

    `is_blank`: it is of one colour. EXIF and every other word about the picture stays behind.
    """
    image = _opened["image"]
    try:
        image.seek(args["frame"] - 1)
    except EOFError:
        raise Refused("not_found") from None
    _bound(image, args["limit_pixels"])
    upright = _TURNS.get(image.getexif().get(_ORIENTATION, 1))
    width, height = image.size
    share = min(1.0, math.sqrt(args["max_pixels"] / (width * height)), args["longest"] / max(width, height))
    target = (max(1, round(width * share)), max(1, round(height * share)))
    if image.format in ("JPEG", "MPO") and share < 1:
        image.draft(image.mode, target)
    picture = _plain(image)
    if picture.size != target:
        picture = picture.resize(target, Image.Resampling.LANCZOS, reducing_gap=3.0)
    if upright is not None:
        picture = picture.transpose(upright)
    if args["turned"]:
        picture = picture.rotate(-args["turned"], expand=True)
    low, high = ImageStat.Stat(picture.convert("L")).extrema[0]
    out = io.BytesIO()
    picture.save(out, "JPEG", quality=args["quality"])
    yield {"width": picture.width, "height": picture.height, "is_blank": bool(high - low <= _ONE_COLOUR)}, out.getvalue()


def _bound(image: Image.Image, most: int) -> None:
    width, height = image.size
    if width < 1 or height < 1:
        raise Refused("damaged_file")
    if width * height > most:
        raise Refused("resource_limit")


def _plain(image: Image.Image) -> Image.Image:
    """The frame as grey or colours of 8 bits; what is transparent is white."""
    if image.mode.startswith("I;16") or image.mode in ("I", "F"):
        return image.convert("F").point(lambda level: level / 256).convert("L")
    if image.has_transparency_data:
        with_alpha = image.convert("RGBA")
        paper = Image.new("RGBA", with_alpha.size, "white")
        paper.alpha_composite(with_alpha)
        return paper.convert("RGB")
    return image.convert("L" if image.mode in ("1", "L") else "RGB")


CALLS = {"open": _open, "picture": _picture}

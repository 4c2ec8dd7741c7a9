"""Picture files through the walled child: how many pages they have, and each upright as a bounded JPEG."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from typing import Any

from sourcebook_core.errors import PermanentError
from sourcebook_core.pdf import READ_QUALITY, SHOWN_QUALITY, Picture, Source
from sourcebook_core.sandbox import Child, Crashed, Opened

MODULE = "sourcebook_core.image_child"
LONGEST_SIDE = 8000  # hosted models refuse longer ones


@dataclass(frozen=True, slots=True)
class Frame:
    """A page of a picture file, upright, and whether it is of one colour."""

    picture: Picture
    is_blank: bool


class OpenImage:
    """A picture file in a child of its own; one call at a time."""

    def __init__(self, child: Child, opened: Opened, name: str, frames: int) -> None:
        self.frames = frames
        self._child, self._opened, self._name = child, opened, name

    async def frame(self, number: int, max_pixels: int, *, longest: int = LONGEST_SIDE, turned: int = 0, shown: bool = False) -> Frame:
        """A page (1-based) by its EXIF upright, then turned clockwise by `turned`; `shown` to a person, else to a model.

        Raises PermanentError: `not_found`, `damaged_file`, `resource_limit` for a page with more than `image_pixels`.
        """
        args = {
            "frame": number, "max_pixels": max_pixels, "longest": longest, "turned": turned,
            "limit_pixels": self._child.limits.image_pixels, "quality": SHOWN_QUALITY if shown else READ_QUALITY,
        }  # fmt: skip
        try:
            async with aclosing(self._opened.call("picture", self._child.limits.page_seconds, **args)) as parts:
                found = [part async for part in parts]
        except Crashed as error:
            raise PermanentError(error.code, name=self._name) from error
        head: dict[str, Any] = found[0].head
        return Frame(Picture(found[0].body, head["width"], head["height"]), head["is_blank"])


@asynccontextmanager
async def opened_image(child: Child, source: Source, *, name: str = "") -> AsyncIterator[OpenImage]:
    """The file in a child of its own.

    Raises PermanentError: `damaged_file`, `resource_limit` (more than `image_pixels`, by its head), `too_many_pages`.
    """
    limits = child.limits
    async with child.open(MODULE, source, name) as opened:
        try:
            call = opened.call("open", limits.page_seconds, max_pixels=limits.image_pixels, max_frames=limits.image_frames)
            heads = [part.head async for part in call]
        except Crashed as error:
            raise PermanentError(error.code, name=name) from error
        yield OpenImage(child, opened, name, heads[0]["frames"])

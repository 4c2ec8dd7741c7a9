"""The ffmpeg that is used: a given one, the one on the PATH, or the one of the wheel imageio-ffmpeg."""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from sourcebook_core import walled
from sourcebook_core.errors import PermanentError
from sourcebook_core.walled import Bounds

try:
    from imageio_ffmpeg import get_ffmpeg_exe
except ImportError:  # the extra `local` is not installed

    def get_ffmpeg_exe() -> str:
        """No wheel, no program."""
        raise RuntimeError("imageio-ffmpeg is not installed")


_LOOK = Bounds(memory_bytes=1_500_000_000, seconds=20.0)
_VERSION = re.compile(r"ffmpeg version (\S+)")
_known: dict[Path | None, Ffmpeg] = {}


@dataclass(frozen=True, slots=True)
class Ffmpeg:
    """A program that was seen to work behind the walls."""

    path: str
    version: str
    origin: Literal["setting", "path", "wheel"]


async def find(given: Path | None = None) -> Ffmpeg:
    """The ffmpeg to use; `given` is that of the setting. Tried once for the life of the process.

    One that does not run behind the walls (a snap, a script), or is older than version 6 and so cannot read from an open
    descriptor, is passed over. Raises PermanentError `bad_setting` for a given one of no use, `no_ffmpeg` when there is none.
    """
    if given not in _known:
        _known[given] = await _look(given)
    return _known[given]


async def _look(given: Path | None) -> Ffmpeg:
    if given is not None:
        found = await _tried(str(given), "setting")
        if found is None:
            raise PermanentError("bad_setting", setting="SOURCEBOOK_FFMPEG", why=f"{given} is no ffmpeg of version 6 or newer.")
        return found
    on_path = shutil.which("ffmpeg")
    if on_path is not None and (found := await _tried(on_path, "path")) is not None:
        return found
    try:
        of_wheel = get_ffmpeg_exe()
    except RuntimeError:
        raise PermanentError("no_ffmpeg") from None
    if (found := await _tried(of_wheel, "wheel")) is None:
        raise PermanentError("no_ffmpeg")
    return found


def _real(path: str) -> str:
    return str(Path(path).resolve())


async def _tried(path: str, origin: Literal["setting", "path", "wheel"]) -> Ffmpeg | None:
    real = _real(path)
    protocols = await walled.run(real, ["-hide_banner", "-protocols"], _LOOK)
    if protocols.status != 0 or b"fd" not in protocols.output.split():
        return None
    told = await walled.run(real, ["-version"], _LOOK)
    version = _VERSION.search(told.output.decode("utf-8", "replace"))
    return Ffmpeg(real, version[1] if version else "?", origin)

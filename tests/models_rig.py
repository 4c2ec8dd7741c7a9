"""The local model server and its helpers as processes of a test, and pictures to read."""

from __future__ import annotations

import base64
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx2
import reportlab
from PIL import Image, ImageDraw, ImageFont

from sourcebook_models.bench import HEAD
from tests.rig import until_sync

READY_S = 60.0
FONT = Path(reportlab.__file__).parent / "fonts" / "Vera.ttf"
PIXELS = 4_000_000


def start(data_dir: Path, port: int, **more: str) -> subprocess.Popen[bytes]:
    """A healthy model server on `port`."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("SOURCEBOOK_")}
    env |= {"SOURCEBOOK_MODELS_PORT": str(port), "SOURCEBOOK_DATA_DIR": str(data_dir), **more}
    process = subprocess.Popen([sys.executable, "-m", "sourcebook_models"], env=env, stdout=subprocess.DEVNULL)
    with httpx2.Client(trust_env=False, timeout=60) as http:

        def is_healthy() -> bool:
            assert process.poll() is None
            try:
                return bool(http.get(f"http://127.0.0.1:{port}/healthz").status_code == 200)
            except httpx2.TransportError:
                return False

        until_sync(is_healthy, READY_S, "a healthy model server")
    return process


class ReadingChild:
    """The process that reads pictures, talked to as the server does."""

    def __init__(self, *options: str) -> None:
        command = ["env", "OMP_THREAD_LIMIT=1", sys.executable, "-m", "sourcebook_models.reading", "--pixels", str(PIXELS), *options]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)

    def read(self, picture: Image.Image | bytes, language: str = "") -> dict[str, Any]:
        """Its reply to a picture."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        body = picture if isinstance(picture, bytes) else jpeg(picture)
        said = json.dumps({"language": language}).encode()
        self.process.stdin.write(HEAD.pack(len(said), len(body)) + said + body)
        self.process.stdin.flush()
        while True:
            length, _ = HEAD.unpack(self.process.stdout.read(HEAD.size))
            reply: dict[str, Any] = json.loads(self.process.stdout.read(length))
            if "going_on" not in reply:
                return reply

    def close(self) -> None:
        """Close its input, at which it ends."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait(30)


def jpeg(picture: Image.Image) -> bytes:
    """The picture as a JPEG file."""
    out = io.BytesIO()
    picture.convert("RGB").save(out, "JPEG", quality=85)
    return out.getvalue()


def data_url(picture: Image.Image) -> str:
    """The picture as a data URL."""
    return "data:image/jpeg;base64," + base64.b64encode(jpeg(picture)).decode()


def drawn(*blocks: tuple[int, int, list[str]], size: tuple[int, int] = (1240, 700), font: Path = FONT) -> Image.Image:
    """A white page with blocks of lines, each at its left top corner."""
    page = Image.new("L", size, 255)
    draw = ImageDraw.Draw(page)
    letters = ImageFont.truetype(str(font), 24)
    for left, top, lines in blocks:
        for number, line in enumerate(lines):
            draw.text((left, top + 38 * number), line, font=letters, fill=0)
    return page

"""Picture sources: every format, upright and bounded, one billed call each; what is broken, huge or empty is named."""

import struct
import zlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from io import BytesIO

import pytest
from PIL import Image

from sourcebook_core import settings as core_settings
from tests.fakes.pictures import asked, corner, file_of, sheet
from tests.fakes.provider import FakeProvider
from tests.ingest_rig import Library, library

GPS = 0x8825


@pytest.fixture
def fake(fake: FakeProvider) -> FakeProvider:
    fake.script.write_with(lambda request: f"Sheet {asked(request)}\n=== DESCRIPTION ===\nA grey field on white paper.")
    return fake


@asynccontextmanager
async def reading(environment: dict[str, str], fake: FakeProvider | None = None, **more: str) -> AsyncIterator[Library]:
    """A library whose worker reads pictures with the fake model."""
    role = fake.settings("VISION") if fake else {}
    async with library(core_settings.load(environment | role | more)) as lib:
        yield lib


def moving(frames: int) -> bytes:
    """A GIF of so many frames, the first of them grey."""
    first = file_of(sheet(5, (60, 80)).quantize(), "GIF")
    later = b"\x2c\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02\x44\x01\x00"
    return first.removesuffix(b";") + later * frames + b";"


def promised(width: int, height: int) -> bytes:
    """A PNG whose head promises so many pixels."""

    def chunk(name: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(bytes(10_000))) + chunk(b"IEND", b"")


FORMATS = {"PNG": "image/png", "JPEG": "image/jpeg", "WEBP": "image/webp", "BMP": "image/bmp", "TIFF": "image/tiff", "AVIF": "image/avif"}


async def test_every_format_is_one_call_and_one_passage_with_its_description(environment: dict[str, str], fake: FakeProvider) -> None:
    async with reading(environment, fake) as lib:
        ids = {}
        for number, (kind, media_type) in enumerate(FORMATS.items(), 10):
            ids[number] = await lib.add("image", file_of(sheet(number), kind), name=f"a.{kind.lower()}", media_type=media_type)
        ids[5] = await lib.add("image", moving(2000), name="a.gif", media_type="image/gif")
        for number, source_id in ids.items():
            row = await lib.ended(source_id)
            assert row["status"] == "ready", row["error_message"]
            (passage,) = await lib.passages(source_id)
            assert passage["text"] == f"Sheet {number}\n\nA grey field on white paper."
            assert (passage["page"], passage["method"], row["report"]["by_vision"], row["report"]["calls"]) == (None, "vision", 1, 1)
            assert passage["text"][passage["meta"]["description_at"] :].startswith("A grey field")
        assert len(fake.script.requests("chat")) == len(ids)


async def test_a_picture_is_sent_upright_small_and_without_a_word_about_where_it_was_taken(
    environment: dict[str, str], fake: FakeProvider
) -> None:
    async with reading(environment, fake) as lib:
        for turn, lies in {6: Image.Transpose.ROTATE_90, 3: Image.Transpose.ROTATE_180, 8: Image.Transpose.ROTATE_270}.items():
            exif = Image.Exif()
            exif[0x0112] = turn
            exif[GPS] = {1: "N", 2: (52.0, 30.0, 0.0)}
            content = file_of(sheet(turn, (3000, 4000)).transpose(lies), "JPEG", exif=exif)
            assert b"Exif" in content
            row = await lib.ended(await lib.add("image", content, name="photo.jpg", media_type="image/jpeg"))
            assert row["status"] == "ready", row["error_message"]
        clear = file_of(Image.merge("RGBA", (*sheet(9).split(), sheet(9).split()[0].point(lambda v: 255 if v < 200 else 0))), "PNG")
        await lib.ended(await lib.add("image", clear, name="clear.png", media_type="image/png"))
        sent = [request.pictures[0] for request in fake.script.requests("chat")]
        assert [corner(picture) for picture in sent] == ["top left"] * 4
        assert not any(b"Exif" in picture for picture in sent)
        sizes = [Image.open(BytesIO(picture)).size for picture in sent[:3]]
        assert all(width * height <= 8_010_000 and width < height for width, height in sizes)


async def test_a_tiff_of_several_pages_is_a_passage_a_page(environment: dict[str, str], fake: FakeProvider) -> None:
    pages = [sheet(1), Image.new("RGB", (300, 400), "white"), sheet(3).convert("1"), sheet(4).convert("L")]
    content = file_of(pages[0], "TIFF", save_all=True, append_images=pages[1:])
    async with reading(environment, fake) as lib:
        source_id = await lib.add("image", content, name="fax.tif", media_type="image/tiff")
        row = await lib.ended(source_id)
        assert (row["status"], row["pages"], row["report"]["by_vision"], row["report"]["empty"]) == ("ready", 4, 3, [2])
        found = await lib.passages(source_id)
        assert [(passage["page"], passage["state"]) for passage in found] == [(1, "read"), (2, "empty"), (3, "read"), (4, "read")]
        assert "Sheet 1" in found[0]["text"] and "Sheet 4" in found[3]["text"]
        many = await lib.ended(await lib.add("image", content + b" ", name="many.tif", media_type="image/tiff"))
        assert many["status"] == "ready"
    async with reading(environment, fake, SOURCEBOOK_IMAGE_FRAMES="3") as lib:
        row = await lib.ended(await lib.add("image", content + b"  ", name="long.tif", media_type="image/tiff"))
        assert (row["status"], row["error_code"]) == ("failed", "too_many_pages") and "long.tif" in row["error_message"]


async def test_without_a_picture_reader_a_picture_says_what_to_connect(environment: dict[str, str]) -> None:
    async with reading(environment) as lib:
        row = await lib.ended(await lib.add("image", file_of(sheet(1), "PNG"), name="photo.png", media_type="image/png"))
        assert (row["status"], row["error_code"]) == ("failed", "no_model")
        assert "photo.png is a picture, and no picture reader is connected. Connect one under Models" in row["error_message"]


async def test_a_picture_without_words_or_description_has_no_text(environment: dict[str, str], fake: FakeProvider) -> None:
    fake.script.write_with(lambda request: "NO_LEGIBLE_TEXT")
    async with reading(environment, fake) as lib:
        row = await lib.ended(await lib.add("image", file_of(sheet(1), "PNG"), name="photo.png", media_type="image/png"))
        assert (row["status"], row["error_code"], row["report"]["calls"]) == ("failed", "no_text", 1)
        assert "describes pictures" in row["error_message"]
        await lib.again(row["id"])
        await lib.ended(row["id"])
        assert len(fake.script.requests("chat")) == 2, "another model may see more"
        white = file_of(Image.new("RGB", (50, 50), "white"), "PNG")
        row = await lib.ended(await lib.add("image", white, name="white.png", media_type="image/png"))
        assert row["error_code"] == "no_text" and len(fake.script.requests("chat")) == 2


def _loop() -> bytes:
    """A TIFF whose second page says that the next one is itself."""
    content = bytearray(file_of(sheet(1, (40, 40)), "TIFF"))
    (at,) = struct.unpack_from("<I", content, 4)
    (entries,) = struct.unpack_from("<H", content, at)
    struct.pack_into("<I", content, at + 2 + 12 * entries, at)
    return bytes(content)


BROKEN = [
    ("bomb.png", "image/png", promised(50_000, 50_000), "resource_limit"),
    ("cut.png", "image/png", file_of(sheet(1), "PNG")[:300], "damaged_file"),
    ("cut.jpg", "image/jpeg", file_of(sheet(1), "JPEG")[:400], "damaged_file"),
    ("noise.tif", "image/tiff", b"II*\x00\x08\x00\x00\x00" + bytes(range(256)) * 4, "damaged_file"),
    ("noise.webp", "image/webp", b"RIFF\x40\x00\x00\x00WEBPVP8 " + bytes(range(60)), "damaged_file"),
    ("noise.avif", "image/avif", b"\x00\x00\x00\x1cftypavif" + bytes(200), "damaged_file"),
    ("noise.gif", "image/gif", b"GIF89a" + bytes(range(200)), "damaged_file"),
    ("noise.bmp", "image/bmp", b"BM" + bytes(range(200)), "damaged_file"),
]


async def test_a_broken_or_huge_picture_fails_by_name_and_costs_nothing(environment: dict[str, str], fake: FakeProvider) -> None:
    async with reading(environment, fake) as lib:
        ids = [await lib.add("image", content, name=name, media_type=media_type) for name, media_type, content, _ in BROKEN]
        for source_id, (name, _, _, code) in zip(ids, BROKEN, strict=True):
            row = await lib.ended(source_id)
            assert (row["status"], row["error_code"]) == ("failed", code), name
            assert name in row["error_message"]
        assert fake.script.requests("chat") == []


async def test_a_tiff_that_closes_on_itself_ends(environment: dict[str, str], fake: FakeProvider) -> None:
    async with reading(environment, fake) as lib:
        row = await lib.ended(await lib.add("image", _loop(), name="loop.tif", media_type="image/tiff"))
        assert row["status"] == "ready" or row["error_code"] in ("damaged_file", "too_many_pages")

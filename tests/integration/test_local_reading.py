"""Real recognisers on drawn pages: order, places, turns, accents, nothing on the page, and what cannot be read."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

from sourcebook_core import local_models
from tests.models_rig import PIXELS, ReadingChild, drawn, jpeg

HERE = local_models.readers()
LEFT = [
    "The ferry to the island leaves at half past",
    "nine from the northern pier. In winter a",
    "bus takes its place on stormy days, and",
    "the crossing is free for schoolchildren.",
]
RIGHT = [
    "Bicycles are carried aboard through the",
    "side door. Dogs stay on the upper deck,",
    "where benches and a small kitchen wait",
    "for everybody who enjoys fresh air.",
]
WIDTH = 1320
CYRILLIC = Path("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf")


@pytest.fixture(scope="module", params=["tesseract", "rapidocr"])
def child(request: pytest.FixtureRequest) -> Iterator[ReadingChild]:
    if request.param == "tesseract" and HERE.tesseract is None:
        pytest.skip("tesseract is not on the PATH")
    if request.param == "rapidocr" and HERE.rapidocr is None:
        pytest.skip("rapidocr is not installed")
    child = ReadingChild(*(["--without-tesseract"] if request.param == "rapidocr" else []))
    yield child
    child.close()


def columns() -> Image.Image:
    return drawn((80, 80, LEFT), (720, 80, RIGHT), size=(WIDTH, 320))


def test_columns_are_read_in_order_and_words_have_their_places(child: ReadingChild) -> None:
    read = child.read(columns(), "en")
    text = read["text"]
    assert text.split("\n\n") == ["\n".join(LEFT), "\n".join(RIGHT)]
    assert (read["turned"], read["unreadable"]) == (0, None)
    places = {text[start:end]: place for start, end, *place in read["words"]}
    assert [text[start:end] for start, end, *_ in read["words"]] == text.split()
    x0, y0, x1, y1 = places["ferry"]
    assert 130 / WIDTH < x0 < 150 / WIDTH and x1 < 220 / WIDTH and 60 / 320 < y0 < y1 < 130 / 320
    assert places["Bicycles"][0] > 0.5


@pytest.mark.parametrize("turned", [90, 180, 270])
def test_a_turned_page_is_read_and_its_words_lie_where_they_are_on_it(child: ReadingChild, turned: int) -> None:
    lying = columns().rotate(turned, expand=True)  # counter-clockwise: clockwise by as much sets it upright
    read = child.read(lying, "en")
    assert read["turned"] == turned
    assert "leaves at half past\nnine from the northern pier." in read["text"]
    start, end, x0, y0, x1, y1 = next(word for word in read["words"] if read["text"][word[0] : word[1]] == "ferry")
    assert end - start == 5
    middle = {90: ((y0 + y1) / 2, (x0 + x1) / 2), 270: ((y0 + y1) / 2, (x0 + x1) / 2), 180: ((x0 + x1) / 2, (y0 + y1) / 2)}[turned]
    along, across = 175 / WIDTH, 95 / 320  # where the word stands on the upright page
    flip = {90: (1 - along, across), 180: (1 - along, 1 - across), 270: (along, 1 - across)}[turned]
    assert middle == pytest.approx(flip, abs=0.06)


def test_accents_are_kept_also_when_nobody_tells_the_language(child: ReadingChild) -> None:
    lines = [
        "Die Bäckerei am großen Fluß verkauft süße",
        "Brötchen, während über den Dächern Möwen",
        "kreisen und größere Schiffe vorüberziehen.",
    ]
    if HERE.tesseract is not None and "deu" not in HERE.tesseract.languages and HERE.rapidocr is None:
        pytest.skip("nothing reads German here")
    text = child.read(drawn((80, 80, lines), size=(900, 260)))["text"]
    assert all(word in text for word in ("Bäckerei", "süße", "während", "Dächern", "größere"))


def test_a_blank_picture_has_no_text(child: ReadingChild) -> None:
    assert child.read(Image.new("RGB", (900, 600), "white"))["text"] == ""
    assert child.read(Image.effect_noise((600, 400), 90))["text"] == ""


@pytest.mark.parametrize("turned", [0, 180])
def test_a_strip_is_read_where_it_is(child: ReadingChild, turned: int) -> None:
    strip = drawn((20, 18, ["The ferry to the island leaves at half past nine from the northern pier."]), size=(1700, 64))
    read = child.read(strip.rotate(turned, expand=True), "en")
    assert read["text"].startswith("The ferry to the island leaves") and read["turned"] == turned
    x = next(place[2] for place in read["words"] if read["text"][place[0] : place[1]] == "The")
    assert x == pytest.approx(0.96 if turned else 0.012, abs=0.025)
    assert all(0 <= y0 < y1 <= 1 for *_, y0, _, y1 in read["words"])


def test_shapes_that_no_page_has_are_blank(child: ReadingChild) -> None:
    for size in ((1, 1), (3, 2000), (4000, 10)):
        picture = Image.new("L", size, 255)
        picture.paste(0, (0, 0, (size[0] + 1) // 2, size[1]))
        assert child.read(picture)["text"] == ""


def test_letters_that_nothing_here_reads_are_said_to_be_so(child: ReadingChild) -> None:
    if not CYRILLIC.exists() or (HERE.tesseract is not None and "rus" in HERE.tesseract.languages):
        pytest.skip("no Cyrillic font, or a reader for it")
    lines = ["Сестра купила новые туфли для поездки", "в горы. Поезд отправляется каждый час", "с третьего пути, и дети ждут его."] * 2
    read = child.read(drawn((60, 60, lines), size=(900, 420), font=CYRILLIC))
    assert read["unreadable"] in {"Cyrillic", "unknown"}
    assert read["text"] == ""


def test_what_is_no_picture_or_too_large_is_refused(child: ReadingChild) -> None:
    assert "damaged" in child.read(b"\x89PNG no")["refused"]
    assert "damaged" in child.read(jpeg(columns())[:2000])["refused"]
    assert str(PIXELS) in child.read(Image.new("L", (PIXELS // 1000 + 1, 1000)))["refused"]


def test_missing_languages_are_told() -> None:
    if HERE.tesseract is None:
        pytest.skip("tesseract is not on the PATH")
    assert HERE.tesseract.program == shutil.which("tesseract")
    packs = {pack for _, pack in local_models.packs_missing(HERE.tesseract)}
    assert not packs & HERE.tesseract.languages
    assert "en" in HERE.languages

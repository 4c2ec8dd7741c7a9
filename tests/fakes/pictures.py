"""Pictures for tests of reading them: what a fake model can tell pages apart by, and files of every kind."""

import io

from PIL import Image, ImageDraw

from tests.fakes.script import Request

LEVELS = 2  # grey levels between two numbers


def number_of(picture: bytes) -> int:
    """The number of a page drawn by `pdf_files.drawn` or `sheet`, from the grey in its middle."""
    image = Image.open(io.BytesIO(picture)).convert("L")
    return round(image.tobytes()[image.height // 2 * image.width + image.width // 2] / LEVELS)


def asked(request: Request) -> int:
    """Which page a request is about."""
    return number_of(request.pictures[0])


def sheet(number: int, size: tuple[int, int] = (300, 400)) -> Image.Image:
    """A white sheet with a large grey field that tells its number, and a black corner at the top left."""
    image = Image.new("RGB", size, "white")
    draw = ImageDraw.Draw(image)
    draw.rectangle((size[0] // 6, size[1] // 6, size[0] * 5 // 6, size[1] * 5 // 6), fill=(number * LEVELS,) * 3)
    draw.rectangle((0, 0, size[0] // 10, size[1] // 10), fill="black")
    return image


def file_of(image: Image.Image, kind: str, **options: object) -> bytes:
    """The picture as a file of this kind of Pillow's."""
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def corner(picture: bytes) -> str:
    """In which corner of a picture the black one of `sheet` lies."""
    image = Image.open(io.BytesIO(picture)).convert("L")
    width, height = image.size
    places = {"top left": (2, 2), "top right": (width - 3, 2), "bottom left": (2, height - 3), "bottom right": (width - 3, height - 3)}
    dark = [name for name, (x, y) in places.items() if image.tobytes()[y * width + x] < 100]
    assert len(dark) == 1, dark
    return dark[0]

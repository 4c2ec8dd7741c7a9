"""PDF files made for the page tests."""

from __future__ import annotations

import io
from collections.abc import Sequence

from PIL import Image, ImageDraw
from pypdf import PdfReader, PdfWriter
from reportlab.pdfgen.canvas import Canvas

LINE = 18
WORDS = "river bridge stone meadow barn orchard fence market valley signal harbour lantern copper willow ledger".split()


def pdf(pages: Sequence[Sequence[str]], *, title: str = "") -> bytes:
    """A PDF whose pages hold these lines, one under the other."""
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=(595, 842), invariant=1)
    canvas.setTitle(title)
    for lines in pages:
        canvas.setFont("Helvetica", 12)
        for row, line in enumerate(lines):
            canvas.drawString(72, 760 - row * LINE, line)
        canvas.showPage()
    canvas.save()
    return out.getvalue()


def filler(page: int, lines: int = 30) -> list[str]:
    """Lines of a page that say nothing in particular, and on each page something else."""
    count = len(WORDS)
    return [
        f"The {WORDS[(page + row) % count]} stands near the {WORDS[(page * 3 + row * 5) % count]} of the {WORDS[(page + 7 * row) % count]}."
        for row in range(lines)
    ]


def long_pdf(pages: int) -> bytes:
    """A PDF of so many pages, each with words of its own."""
    return pdf([[f"Chapter {page} of the long report.", *filler(page, 6)] for page in range(1, pages + 1)])


def mixed_pdf() -> bytes:
    """Six pages: three of text, two (the fourth and fifth) that are pictures, and a blank one at the end."""
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=(595, 842), invariant=1)
    for page in range(1, 7):
        if page <= 3:
            for row, line in enumerate(filler(page, 10)):
                canvas.drawString(72, 760 - row * LINE, line)
        elif page <= 5:
            picture = Image.new("L", (500, 700), 255)
            ImageDraw.Draw(picture).text((50, 50), f"Scanned page {page}", fill=0)
            canvas.drawInlineImage(picture, 40, 60, 500, 700)
        canvas.showPage()
    canvas.save()
    return out.getvalue()


def with_password(raw: bytes, password: str) -> bytes:
    """The file again, to be opened with a password only (AES-256)."""
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(raw)))
    writer.encrypt(password, algorithm="AES-256")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()

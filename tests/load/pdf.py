"""R1: pages of PDF text a second in the worker's child, its start included, beside bare pypdfium2 and pypdf."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pypdf
import pypdfium2
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from sourcebook_core.sandbox import Child
from sourcebook_core.settings import Limits
from sourcebook_ingest.read import pdf
from sourcebook_ingest.read.outcome import Facts
from tests.load.bench import Bench
from tests.load.figures import Figure, median, ms, ratio
from tests.load.prose import Prose

PAGES = 300
ROUNDS = 5
WIDTH = 483  # of the text, in points
PYPDF_PAGES = 12  # of the generated file: pypdf is slow
SAMPLE = Path(__file__).parents[3] / "shared" / "samples" / "pdf" / "pdflatex-4-pages.pdf"


async def text_of_pages(bench: Bench) -> list[Figure]:
    """R1 on a generated file of text and tables, and, where it is there, on four pages of LaTeX."""
    generated = bench.folder / "generated.pdf"
    write_pdf(generated, PAGES)
    child = Child(Limits())
    try:
        await _ours(child, generated)  # a worker starts its fork server once, not once a file
        figures = await _beside(child, generated, "R1", f"{PAGES} generated pages", PYPDF_PAGES)
        if SAMPLE.exists():
            figures += await _beside(child, SAMPLE, "R1-4p", "4 LaTeX pages", 4, bound=None)
    finally:
        await child.close()
    return figures


async def _beside(child: Child, file: Path, name: str, what: str, pypdf_pages: int, bound: float | None = 0.6) -> list[Figure]:
    ours, bare, slow = [], [], []
    for _ in range(ROUNDS):
        ours.append(await _ours(child, file))
        bare.append(_bare(file))
        slow.append(_pypdf(file, pypdf_pages))
    pages = len(pypdfium2.PdfDocument(file))
    mine, theirs, other = f"{pages / median(ours):.0f}/s", f"{pages / median(bare):.0f}/s", f"{pypdf_pages / median(slow):.0f}/s"
    theirs = f"{theirs}, {ms(median(ours) - median(bare))} a file more"
    of_slow = pages / pypdf_pages / ratio(ours, slow)
    return [
        Figure(name, f"PDF text in the child, {what}, beside pypdfium2", 1 / ratio(ours, bare), bound, ">=", mine, theirs),
        Figure(f"{name}b", f"PDF text in the child, {what}, beside pypdf", of_slow, 5 if bound else None, ">=", mine, other),
    ]


async def _ours(child: Child, file: Path) -> float:
    """Seconds of what a worker does with a file between opening it and having its passages."""
    began = time.perf_counter()
    descriptor = os.open(file, os.O_RDONLY)
    try:
        count = 0
        async for window in pdf.read(child, descriptor, file.name, None, set(), Facts()):
            count += len(window.passages)
    finally:
        os.close(descriptor)
    assert count
    return time.perf_counter() - began


def _bare(file: Path) -> float:
    began = time.perf_counter()
    document = pypdfium2.PdfDocument(file)
    for page in document:
        assert page.get_textpage().get_text_range()
        page.close()
    document.close()
    return time.perf_counter() - began


def _pypdf(file: Path, pages: int) -> float:
    began = time.perf_counter()
    document = pypdf.PdfReader(file)
    for number in range(pages):
        assert document.pages[number].extract_text()
    return time.perf_counter() - began


def write_pdf(file: Path, pages: int, seed: int = 1) -> None:
    """A PDF of justified text, each word placed by itself as typesetting programs do, with a table on every third page."""
    prose = Prose(seed)
    canvas = Canvas(str(file), pagesize=A4)
    for number in range(pages):
        topic = prose.topic()
        _draw_text(canvas, prose.text(420 if number % 3 else 280, topic).split())
        if number % 3 == 0:
            _draw_table(canvas, prose)
        canvas.showPage()
    canvas.save()


def _draw_text(canvas: Canvas, words: list[str]) -> None:
    text = canvas.beginText()
    text.setFont("Helvetica", 10)
    for row, at in enumerate(range(0, len(words), 11)):
        line = words[at : at + 11]
        widths = [canvas.stringWidth(word, "Helvetica", 10) for word in line]
        gap = max(2.5, (WIDTH - sum(widths)) / max(1, len(line) - 1))
        x = 56.0
        for word, width in zip(line, widths, strict=True):
            text.setTextOrigin(x, 780 - 14 * row)
            text.textOut(word)
            x += width + gap
    canvas.drawText(text)


def _draw_table(canvas: Canvas, prose: Prose) -> None:
    canvas.setFont("Helvetica", 8)
    for row in range(12):
        for column in range(6):
            value = prose.words[(row * 37 + column * 101) % 3000 + 200] if column == 0 else f"{(row * 7919 + column * 104729) % 9973 / 10}"
            canvas.drawString(56 + column * 80, 400 - row * 16, value)
            canvas.rect(52 + column * 80, 396 - row * 16, 80, 16)

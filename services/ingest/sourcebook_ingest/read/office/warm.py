"""Small files that every reader is run over before the fork, so that what libraries load late is loaded by then."""

from __future__ import annotations

import codecs
import encodings
import io
import pkgutil
from contextlib import suppress
from typing import Any

import docx
import pptx

from sourcebook_core.packed import Bounds, Package
from sourcebook_ingest.read.office import slides, word
from sourcebook_ingest.read.office.events import Told


def everything() -> None:
    """Load every text encoding, and read a document and slides of one page each."""
    for module in pkgutil.iter_modules(encodings.__path__):
        with suppress(LookupError, ImportError):  # those of another platform
            codecs.lookup(module.name)
    bounds = Bounds(10_000, 100_000_000, 1_000)
    document, show = docx.Document(), pptx.Presentation()
    document.add_heading("A heading", 1)
    document.add_paragraph("Words.")
    slide = show.slides.add_slide(show.slide_layouts[0])
    slide.shapes.title.text = "A title"
    slide.notes_slide.notes_text_frame.text = "Words."
    list(word.read(_saved(document, bounds), Told()))
    list(slides.read(_saved(show, bounds), 10, Told()))


def _saved(made: Any, bounds: Bounds) -> Package:
    packed = io.BytesIO()
    made.save(packed)
    return Package(packed, bounds)

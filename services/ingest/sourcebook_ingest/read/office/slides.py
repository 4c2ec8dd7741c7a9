"""pptx by python-pptx: each slide a page with its title, words, tables, charts and notes; hidden slides are named."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import pptx

from sourcebook_core.packed import Package
from sourcebook_ingest.read.office import lean, tables, xml
from sourcebook_ingest.read.office.events import PASSAGE_CHARS, Events, Told, listed, one_line, passage
from sourcebook_ingest.read.office.tables import shown

CHART_POINTS = 500  # of one series
_GROUPS_DEEP = 20


def read(package: Package, most: int, told: Told) -> Events:
    """The slides in their order, each a page. A huge slide goes on in further passages of its page."""
    try:
        found = pptx.Presentation(io.BytesIO(lean.packed(package, lean.SLIDES)))
        slides = list(found.slides)
    except lean.BROKEN as error:
        raise xml.verdict(error) from None
    yield xml.core_facts(package, pages=len(slides), gap=1)
    hidden = []
    for number, slide in enumerate(slides[:most], 1):
        if slide._element.get("show") in ("0", "false"):
            hidden.append(str(number))
        title, text = _slide(slide)
        for start in range(0, max(len(text), 1), PASSAGE_CHARS):
            yield passage(text[start : start + PASSAGE_CHARS], page=number, heading=title or None)
    if hidden:
        told.warn("hidden_slides", f"Hidden slides were read too: {listed(hidden)}.")
    if len(slides) > most:
        told.warn("slides_cut", f"Only the first {most} of {len(slides)} slides were read.")


def _slide(slide: Any) -> tuple[str, str]:
    """The title and all words of a slide, its notes last."""
    heading = slide.shapes.title
    title = one_line(_paragraphs(heading.text_frame)) if heading is not None else ""
    parts = [title]
    for shape in slide.shapes:
        if heading is None or shape.shape_id != heading.shape_id:
            parts.extend(_shape(shape, 0))
    parts.extend(_alternatives(slide))
    parts.extend(_diagrams(slide))
    if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
        notes = _paragraphs(slide.notes_slide.notes_text_frame).strip()
        parts.append(f"Notes: {notes}" if notes else "")
    return title, "\n\n".join(part for part in parts if part.strip())


def _shape(shape: Any, depth: int) -> Iterator[str]:
    if hasattr(shape, "shapes"):
        if depth < _GROUPS_DEEP:
            for inner in shape.shapes:
                yield from _shape(inner, depth + 1)
    elif getattr(shape, "has_table", False) and shape.has_table:
        yield "\n".join(f"| {tables.line_of([shown(cell.text) for cell in row.cells])} |" for row in shape.table.rows)
    elif getattr(shape, "has_chart", False) and shape.has_chart:
        yield _chart(shape.chart.part)
    elif shape.has_text_frame:
        yield _paragraphs(shape.text_frame)


def _paragraphs(frame: Any) -> str:
    """The paragraphs line by line; a soft break in one is a line too."""
    return "\n".join(paragraph.text.replace("\v", "\n").rstrip() for paragraph in frame.paragraphs).strip("\n")


def _chart(part: Any) -> str:
    """What a chart was drawn from, as its file keeps it: its title, and a row per series with its points."""
    root = xml.tree(part.blob)
    title = next(root.iter("{*}title"), None)
    lines = [one_line(" ".join(e.text or "" for e in title.iter("{*}t")))] if title is not None else []
    for series in root.iter("{*}ser"):
        found = {xml.local(child): _points(child) for child in series}
        names = found.get("cat") or found.get("xVal") or []
        values = found.get("val") or found.get("yVal") or []
        label = " ".join(found.get("tx") or [])
        pairs = [f"{names[place]}: {value}" if place < len(names) else value for place, value in enumerate(values)]
        lines.append(f"{label} | {tables.line_of(pairs)}" if label else tables.line_of(pairs))
    return "\n".join(line for line in lines if line)


def _points(child: xml.Element) -> list[str]:
    return [shown(value.text or "") for point in child.iter("{*}pt") for value in point if xml.local(value) == "v"][:CHART_POINTS]


def _alternatives(slide: Any) -> Iterator[str]:
    """The words of shapes that come in several editions for newer and older programs, which the library passes over."""
    for choice in slide.element.iterfind(".//{*}spTree/{*}AlternateContent/{*}Choice"):
        lines = ("".join(t.text or "" for t in paragraph.iter("{*}t")) for paragraph in choice.iter("{*}p"))
        yield "\n".join(line for line in lines if line.strip())


def _diagrams(slide: Any) -> Iterator[str]:
    """The words of drawn diagrams, which lie in parts of their own."""
    for relation in slide.part.rels.values():
        if str(relation.reltype).endswith("/diagramData") and not relation.is_external:
            root = xml.tree(relation.target_part.blob)
            lines = ("".join(t.text or "" for t in paragraph.iter("{*}t")) for paragraph in root.iter("{*}p"))
            yield "\n".join(line for line in lines if line.strip())

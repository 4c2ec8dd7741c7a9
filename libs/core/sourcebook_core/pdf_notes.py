"""What people typed into a PDF page beside its text: values of form fields and comments. Runs in the walled child."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pypdfium2
from pypdfium2 import raw

from sourcebook_core.text import decode
from sourcebook_core.text.scripts import has_visible

APART = "\n\n"  # between the page's own text and what was typed, so that no chunk joins them in a sentence
NOTES = 1000  # a page with more is a drawing programme's, not a reader's
NOTE_CHARS, PAGE_CHARS = 4000, 20_000
# Links say where they lead, pop-ups repeat their comment, widgets are the form's fields, the rest are no words.
_SILENT = {
    raw.FPDF_ANNOT_LINK, raw.FPDF_ANNOT_POPUP, raw.FPDF_ANNOT_WIDGET, raw.FPDF_ANNOT_XFAWIDGET, raw.FPDF_ANNOT_FILEATTACHMENT,
    raw.FPDF_ANNOT_SOUND, raw.FPDF_ANNOT_MOVIE, raw.FPDF_ANNOT_SCREEN, raw.FPDF_ANNOT_RICHMEDIA, raw.FPDF_ANNOT_THREED,
    raw.FPDF_ANNOT_PRINTERMARK, raw.FPDF_ANNOT_TRAPNET, raw.FPDF_ANNOT_WATERMARK,
}  # fmt: skip
_TYPED = {raw.FPDF_FORMFIELD_TEXTFIELD, raw.FPDF_FORMFIELD_COMBOBOX, raw.FPDF_FORMFIELD_LISTBOX}
_TICKED = {raw.FPDF_FORMFIELD_CHECKBOX, raw.FPDF_FORMFIELD_RADIOBUTTON}
_HIDDEN = raw.FPDF_ANNOT_FLAG_HIDDEN


def notes(document: pypdfium2.PdfDocument, page: pypdfium2.PdfPage, own: str) -> str:
    """Field values ("name: value") and comments of a page, one a paragraph, in the file's order; "" without any.

    What stands in the page's own text already (a highlight that repeats its words) is left out. The forms of the document
    must have been initialised before the page was loaded, or values that a field inherits are missing.
    """
    seen = {_plain(own)}
    lines: list[str] = []
    for line in _lines(document, page):
        plain = _plain(line)
        if has_visible(line) and not any(plain in before for before in seen):
            seen.add(plain)
            lines.append(line)
    return "\n".join(lines)[:PAGE_CHARS]


def joined(own: str, typed: str) -> str:
    """The page's text as it is stored: its own, then what was typed, so that places in its own text stay."""
    if not typed:
        return own
    return own + APART + typed if has_visible(own) else typed


def _lines(document: pypdfium2.PdfDocument, page: pypdfium2.PdfPage) -> Iterator[str]:
    for index in range(min(raw.FPDFPage_GetAnnotCount(page), NOTES)):
        note = raw.FPDFPage_GetAnnot(page, index)
        if not note:
            continue
        try:
            kind = raw.FPDFAnnot_GetSubtype(note)
            if raw.FPDFAnnot_GetFlags(note) & _HIDDEN:
                continue
            if kind == raw.FPDF_ANNOT_WIDGET and document.formenv:
                yield _field(document.formenv, note)
            elif kind not in _SILENT:
                yield _clean(_said(partial(raw.FPDFAnnot_GetStringValue, note, b"Contents")))
        finally:
            raw.FPDFPage_CloseAnnot(note)


def _field(forms: Any, note: Any) -> str:
    kind = raw.FPDFAnnot_GetFormFieldType(forms, note)
    if kind not in _TYPED | _TICKED:
        return ""
    value = _clean(_said(partial(raw.FPDFAnnot_GetFormFieldValue, forms, note)))
    if not value or (kind in _TICKED and not raw.FPDFAnnot_IsChecked(forms, note)):
        return ""
    shown = _said(partial(raw.FPDFAnnot_GetFormFieldAlternateName, forms, note))
    name = _clean(shown or _said(partial(raw.FPDFAnnot_GetFormFieldName, forms, note)))
    return f"{name}: {value}" if name else value


def _said(ask: Callable[[Any, int], int]) -> str:
    """A string that pdfium writes into a buffer of ours, UTF-16LE with a closing NUL; its calls tell the bytes they need."""
    needed = ask(None, 0)
    if not 2 < needed <= 4 * NOTE_CHARS * 16:
        return ""
    buffer = (ctypes.c_uint16 * (needed // 2 + 1))()
    ask(ctypes.cast(buffer, ctypes.POINTER(raw.FPDF_WCHAR)), needed)
    return bytes(buffer)[: needed - 2].decode("utf-16-le", "surrogatepass")[:NOTE_CHARS]


def _clean(text: str) -> str:
    return decode.clean(text)[0].replace("\r\n", "\n").replace("\r", "\n").strip()


def _plain(text: str) -> str:
    return " ".join(text.replace("\u00ad", "").split())

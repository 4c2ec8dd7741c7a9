"""What a file is, by its first bytes and then its name; what cannot be read here is refused by name and reason."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sourcebook_core.errors import PermanentError

HEAD_BYTES = 4096
_PDF_WITHIN = 1024  # readers accept that much before %PDF- (PDF 1.7, implementation note 13)
_BOMS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")

_SIGNATURES: tuple[tuple[bytes, int, str], ...] = (
    (b"\x89PNG\r\n\x1a\n", 0, "a picture"), (b"\xff\xd8\xff", 0, "a picture"), (b"GIF8", 0, "a picture"), (b"BM", 0, "a picture"),
    (b"II*\x00", 0, "a picture"), (b"MM\x00*", 0, "a picture"), (b"WEBP", 8, "a picture"), (b"ftyphei", 4, "a picture"),
    (b"ftyp", 4, "a recording or film"), (b"ID3", 0, "a recording"), (b"\xff\xfb", 0, "a recording"), (b"\xff\xf3", 0, "a recording"),
    (b"WAVE", 8, "a recording"), (b"fLaC", 0, "a recording"), (b"OggS", 0, "a recording"), (b"\x1aE\xdf\xa3", 0, "a film"),
    (b"AVI ", 8, "a film"), (b"PK\x03\x04", 0, "an office document or archive"), (b"PK\x05\x06", 0, "an archive"),
    (b"\xd0\xcf\x11\xe0", 0, "an old office document"), (b"\x1f\x8b", 0, "an archive"), (b"BZh", 0, "an archive"),
    (b"7z\xbc\xaf", 0, "an archive"), (b"Rar!", 0, "an archive"), (b"\xfd7zXZ", 0, "an archive"), (b"MZ", 0, "a program"),
    (b"\x7fELF", 0, "a program"), (b"{\\rtf", 0, "an RTF document"), (b"%!PS", 0, "a PostScript file"),
)  # fmt: skip
_LATER = {
    "docx": "an office document", "doc": "an office document", "odt": "an office document", "xlsx": "a table", "xls": "a table",
    "ods": "a table", "csv": "a table", "tsv": "a table", "pptx": "slides", "ppt": "slides", "odp": "slides", "epub": "a book",
    "rtf": "an RTF document", "html": "a web page file", "htm": "a web page file", "xhtml": "a web page file", "xml": "an XML file",
    "svg": "a drawing", "json": "a JSON file", "eml": "a mail", "png": "a picture", "jpg": "a picture", "jpeg": "a picture",
    "gif": "a picture", "webp": "a picture", "heic": "a picture", "tif": "a picture", "tiff": "a picture", "mp3": "a recording",
    "wav": "a recording", "m4a": "a recording", "ogg": "a recording", "flac": "a recording", "mp4": "a film", "zip": "an archive",
    "exe": "a program",
}  # fmt: skip
_MARKDOWN = frozenset({"md", "markdown", "mdown", "mkd"})
_TEXT = frozenset({"txt", "text", "log", "rst", ""})
_MARKUP = (b"<!doctype html", b"<html", b"<?xml", b"<svg")


@dataclass(frozen=True)
class Kind:
    """A kind that can be read here."""

    kind: Literal["pdf", "markdown", "text"]
    media_type: str


PDF = Kind("pdf", "application/pdf")
MARKDOWN = Kind("markdown", "text/markdown")
PLAIN = Kind("text", "text/plain")


def sniff(head: bytes, name: str) -> Kind:
    """The kind of a file by its first bytes (`HEAD_BYTES` are enough), then by its name.

    Raises PermanentError `empty_file`, or `unsupported_kind` naming file and reason. What is broken inside is found out
    when it is read.
    """
    if not head:
        raise PermanentError("empty_file", name=name)
    extension = name.rpartition(".")[2].lower() if "." in name else ""
    if b"%PDF-" in head[: _PDF_WITHIN + 5]:
        return PDF
    for mark, at, what in _SIGNATURES:
        if head.startswith(mark, at) and not (mark in (b"BM", b"MZ") and _is_text(head)):
            raise _unsupported(name, f"it is {what}, and only PDF, Markdown and plain text are read so far.")
    if extension == "pdf":
        raise _unsupported(name, "its name says PDF, but its content is not a PDF.")
    if head[:200].lstrip(b"\xef\xbb\xbf \t\r\n").lower().startswith(_MARKUP):
        raise _unsupported(name, "it is a web page or XML file; add the page by its address instead.")
    if extension in _LATER:
        raise _unsupported(name, f"its name says {_LATER[extension]}, and only PDF, Markdown and plain text are read so far.")
    if extension not in _MARKDOWN | _TEXT and not _is_text(head):
        raise _unsupported(name, "its content is not text, and only PDF, Markdown and plain text are read so far.")
    return MARKDOWN if extension in _MARKDOWN else PLAIN


def _is_text(head: bytes) -> bool:
    """Whether bytes look like text in some encoding: a byte order mark, or no NUL and hardly a control character."""
    if head.startswith(_BOMS):
        return True
    controls = sum(1 for byte in head if byte < 32 and byte not in (9, 10, 12, 13, 27))
    return b"\x00" not in head and controls * 50 <= len(head)


def _unsupported(name: str, why: str) -> PermanentError:
    return PermanentError("unsupported_kind", name=name, why=why)


def clean_name(given: str) -> str:
    """A file name to show: no folders, no control or direction characters, at most 255 bytes. Never part of a key or path."""
    name = given.replace("\\", "/").rpartition("/")[2]
    name = "".join(c for c in name if c.isprintable() and c not in "\u202a\u202b\u202d\u202e\u2066\u2067\u2068\u2069").strip()
    while len(name.encode("utf-8", "replace")) > 255:
        stem, dot, extension = name.rpartition(".")
        name = f"{stem[:-1]}{dot}{extension}" if stem else name[:-1]
    return name or "file"

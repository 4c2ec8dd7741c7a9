"""What a file is, by its first bytes and then its name; what cannot be read here is refused by name and reason."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from sourcebook_core.errors import PermanentError

HEAD_BYTES = 4096
KindName = Literal["pdf", "markdown", "text", "image", "audio", "office"]
_PDF_WITHIN = 1024  # readers accept that much before %PDF- (PDF 1.7, implementation note 13)
_BOMS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of source and the media type that says which of its readers takes it."""

    kind: KindName
    media_type: str


PDF = Kind("pdf", "application/pdf")
MARKDOWN = Kind("markdown", "text/markdown")
PLAIN = Kind("text", "text/plain")
HTML = Kind("office", "text/html")
CSV = Kind("office", "text/csv")
TSV = Kind("office", "text/tab-separated-values")
MAIL = Kind("office", "message/rfc822")
RTF = Kind("office", "application/rtf")
DOCX = Kind("office", "application/vnd.openxmlformats-officedocument.wordprocessingml.document")
PPTX = Kind("office", "application/vnd.openxmlformats-officedocument.presentationml.presentation")
XLSX = Kind("office", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet")
ODT = Kind("office", "application/vnd.oasis.opendocument.text")
ODS = Kind("office", "application/vnd.oasis.opendocument.spreadsheet")
ODP = Kind("office", "application/vnd.oasis.opendocument.presentation")
EPUB = Kind("office", "application/epub+zip")
# Never a source of its own: its files are.
ARCHIVE = Kind("office", "application/zip")
EXTENSIONS: dict[str, str] = {
    PDF.media_type: "pdf", MARKDOWN.media_type: "md", PLAIN.media_type: "txt", HTML.media_type: "html", CSV.media_type: "csv",
    TSV.media_type: "tsv", MAIL.media_type: "eml", RTF.media_type: "rtf", DOCX.media_type: "docx", PPTX.media_type: "pptx",
    XLSX.media_type: "xlsx", ODT.media_type: "odt", ODS.media_type: "ods", ODP.media_type: "odp", EPUB.media_type: "epub",
    "image/png": "png", "image/jpeg": "jpg", "image/gif": "gif", "image/webp": "webp", "image/tiff": "tif", "image/bmp": "bmp",
    "image/avif": "avif", "audio/mpeg": "mp3", "audio/wav": "wav", "audio/mp4": "m4a", "video/mp4": "mp4", "audio/aac": "aac",
    "audio/ogg": "ogg", "audio/flac": "flac", "video/webm": "webm", "audio/aiff": "aiff",
}  # fmt: skip

_SIGNATURES: tuple[tuple[bytes, int, KindName, str], ...] = (
    (b"\x89PNG\r\n\x1a\n", 0, "image", "image/png"), (b"\xff\xd8\xff", 0, "image", "image/jpeg"), (b"GIF8", 0, "image", "image/gif"),
    (b"BM", 0, "image", "image/bmp"), (b"II*\x00", 0, "image", "image/tiff"), (b"MM\x00*", 0, "image", "image/tiff"),
    (b"II+\x00", 0, "image", "image/tiff"), (b"MM\x00+", 0, "image", "image/tiff"), (b"WEBP", 8, "image", "image/webp"),
    (b"ID3", 0, "audio", "audio/mpeg"), (b"WAVE", 8, "audio", "audio/wav"), (b"fLaC", 0, "audio", "audio/flac"),
    (b"OggS", 0, "audio", "audio/ogg"), (b"\x1aE\xdf\xa3", 0, "audio", "video/webm"), (b"AIFF", 8, "audio", "audio/aiff"),
    (b"AIFC", 8, "audio", "audio/aiff"), (b"{\\rtf", 0, "office", RTF.media_type),
)  # fmt: skip
_REFUSED: tuple[tuple[bytes, int, str], ...] = (
    (b"AVI ", 8, "it is an AVI film; save its sound as mp3 or its film as mp4."),
    (b"\x1f\x8b", 0, "it is an archive; unpack it or use zip."),
    (b"BZh", 0, "it is an archive; unpack it or use zip."), (b"7z\xbc\xaf", 0, "it is an archive; unpack it or use zip."),
    (b"Rar!", 0, "it is an archive; unpack it or use zip."), (b"\xfd7zXZ", 0, "it is an archive; unpack it or use zip."),
    (b"MZ", 0, "it is a program; programs are not read."), (b"\x7fELF", 0, "it is a program; programs are not read."),
    (b"%!PS", 0, "it is a PostScript file; save it as PDF."),
)  # fmt: skip
# Brands of the ISO file format: pictures among films (ISO/IEC 23008-12).
_AVIF_BRANDS = (b"avif", b"avis")
_HEIC_BRANDS = (b"heic", b"heix", b"hevc", b"hevx", b"heim", b"heis", b"mif1", b"msf1")
_SOUND_BRANDS = (b"M4A ", b"M4B ", b"M4P ")
# ECMA-376 part 2, 10: every Open XML file has these entries; where its own parts lie tells which it is.
_OPEN_XML = (b"[Content_Types].xml", b"_rels/.rels")
_FOLDERS: tuple[tuple[bytes, Kind], ...] = ((b"word/", DOCX), (b"ppt/", PPTX), (b"xl/", XLSX))
# ISO/IEC 26300-3, 3.3 and EPUB OCF: the first entry, stored plain.
_MIMETYPES: tuple[tuple[bytes, Kind], ...] = (
    (b"mimetypeapplication/epub+zip", EPUB), (b"mimetypeapplication/vnd.oasis.opendocument.text", ODT),
    (b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet", ODS), (b"mimetypeapplication/vnd.oasis.opendocument.presentation", ODP),
)  # fmt: skip
_ENTRY = b"PK\x03\x04"
_OLE = b"\xd0\xcf\x11\xe0"
_LOCKED_STREAM = "EncryptedPackage".encode("utf-16-le")  # MS-OFFCRYPTO, 2.3.4.4
_OLD_STREAMS = tuple(name.encode("utf-16-le") for name in ("WordDocument", "Workbook", "Book", "PowerPoint Document"))
_BY_EXTENSION: dict[str, Kind] = {
    "docx": DOCX, "docm": DOCX, "dotx": DOCX, "pptx": PPTX, "pptm": PPTX, "ppsx": PPTX, "xlsx": XLSX, "xlsm": XLSX, "odt": ODT, "ods": ODS,
    "odp": ODP, "epub": EPUB, "zip": ARCHIVE, "csv": CSV, "tsv": TSV, "eml": MAIL, "html": HTML, "htm": HTML, "xhtml": HTML,
    "md": MARKDOWN, "markdown": MARKDOWN, "mdown": MARKDOWN, "mkd": MARKDOWN,
}  # fmt: skip
_ZIPPED = frozenset({DOCX, PPTX, XLSX, ODT, ODS, ODP, EPUB, ARCHIVE})
# Names that promise something else than text: text under such a name is not what it says.
_NOT_TEXT = {
    "pdf": "a PDF", "doc": "an office document", "xls": "a table", "ppt": "slides", "docx": "an office document", "xlsx": "a table",
    "pptx": "slides", "odt": "an office document", "ods": "a table", "odp": "slides", "epub": "a book", "zip": "an archive",
    "rtf": "an RTF document", "png": "a picture", "jpg": "a picture", "jpeg": "a picture", "gif": "a picture", "webp": "a picture",
    "heic": "a picture", "tif": "a picture", "tiff": "a picture", "bmp": "a picture", "mp3": "a recording", "wav": "a recording",
    "m4a": "a recording", "ogg": "a recording", "opus": "a recording", "flac": "a recording", "aac": "a recording",
    "aiff": "a recording", "mp4": "a film", "webm": "a film", "mov": "a film", "mkv": "a film", "m3u8": "a playlist",
    "m3u": "a playlist", "ffconcat": "a playlist",
}  # fmt: skip
_PROGRAMS = frozenset({"exe", "dll", "msi"})  # not "com": a page may be named for its site
# Whatever they hold, their reader tells what is wrong with it as a text.
_TEXT_NAMES = frozenset({"txt", "text", "log", "rst", "", "md", "markdown", "mdown", "mkd"})
_HTML_START = re.compile(rb"\s*(?:<!--.{0,500}?-->\s*)*<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE | re.DOTALL)
_MAIL_START = re.compile(
    rb"(?:(?:return-path|received|from|to|subject|date|message-id|mime-version|delivered-to|x-[\w-]+|dkim-signature):"
    rb"[^\n]*\n(?:[ \t][^\n]*\n)*){3}",
    re.IGNORECASE,
)


def sniff(head: bytes, name: str, media_type: str = "") -> Kind:
    """The kind of a file by its first bytes (`HEAD_BYTES` are enough), then by its name or the `media_type` it came with.

    Raises PermanentError `empty_file`, or `unsupported_kind` naming file and reason. What is broken inside is found out
    when it is read.
    """
    if not head:
        raise PermanentError("empty_file", name=name)
    extension = name.rpartition(".")[2].lower() if "." in name else ""
    if b"%PDF-" in head[: _PDF_WITHIN + 5] and not head.startswith(_ENTRY):  # a zip may begin with a PDF that is stored as it is
        return PDF
    found = _by_signature(head, name) or _packed(head, extension) or _sound_or_film(head, name)
    if found is not None:
        return found
    said = _BY_EXTENSION.get(extension)
    if extension in _PROGRAMS:
        content = "a text; with the ending .txt it is read" if _is_text(head) else "of no kind that is known here"
        raise _unsupported(name, f"its name says a program, and programs are not read. Its content is {content}.")
    if extension in _NOT_TEXT or said in _ZIPPED:
        raise _unsupported(name, f"its name says {_NOT_TEXT.get(extension, 'an office document')}, but its content is not one.")
    if extension not in _TEXT_NAMES and not _is_text(head):
        raise _unsupported(name, "its content is of no kind that is known here.")
    if said is None and extension not in ("svg", "xml") and _HTML_START.match(head.removeprefix(_BOMS[0])):
        return HTML
    if said is None and extension in ("", "txt") and _MAIL_START.match(head):
        return MAIL
    return said or _by_media_type(media_type) or PLAIN


def _by_media_type(media_type: str) -> Kind | None:
    if media_type in ("application/xhtml+xml", HTML.media_type):
        return HTML
    return next((kind for kind in (MARKDOWN, CSV, TSV, MAIL) if media_type in (kind.media_type, kind.media_type.replace("/", "/x-"))), None)


def _by_signature(head: bytes, name: str) -> Kind | None:
    if head.startswith(_OLE):
        raise _refused_ole(head, name)
    for mark, at, why in _REFUSED:
        if head.startswith(mark, at) and not (mark == b"MZ" and _is_text(head)):
            raise _unsupported(name, why)
    for mark, at, kind, media_type in _SIGNATURES:
        if head.startswith(mark, at) and not (mark == b"BM" and _is_text(head)):
            return Kind(kind, media_type)
    return None


def _sound_or_film(head: bytes, name: str) -> Kind | None:
    """Formats that have no fixed first bytes: the ISO file format by its brand, bare MPEG sound by its frame header."""
    if head[4:8] == b"ftyp":
        brands = head[8 : 8 + 64]
        if any(brand in brands for brand in _AVIF_BRANDS):
            return Kind("image", "image/avif")
        if any(brand in brands for brand in _HEIC_BRANDS):
            raise _unsupported(name, "it is a HEIC picture, for which there is no safe free decoder. Save it as JPEG and add that.")
        return Kind("audio", "audio/mp4" if head[8:12] in _SOUND_BRANDS else "video/mp4")
    if head[0] == 0xFF and len(head) > 1 and head[1] & 0xE0 == 0xE0 and not head.startswith(_BOMS):
        # ISO/IEC 13818-7: the ADTS layer bits are 0; ISO/IEC 11172-3: those of MP3 are not.
        return Kind("audio", "audio/aac" if head[1] & 0x06 == 0 else "audio/mpeg")
    return None


def _packed(head: bytes, extension: str) -> Kind | None:
    """What a zip is: by its first entries, for files are renamed; else by its name, else an archive."""
    if not head.startswith((_ENTRY, b"PK\x05\x06")):
        return None
    for mark, kind in _MIMETYPES:
        if mark in head[30:120]:
            return kind
    entries = list(_entry_names(head))
    if any(entry in _OPEN_XML for entry in entries):
        for folder, kind in _FOLDERS:
            if any(entry.startswith(folder) for entry in entries):
                return kind
    if b"META-INF/container.xml" in entries:  # a book whose writer packed the first entry too
        return EPUB
    named = _BY_EXTENSION.get(extension)
    return named if named in _ZIPPED else ARCHIVE


def _entry_names(head: bytes) -> Iterator[bytes]:
    """The names of the entries that begin in these bytes, not of those of a file inside (APPNOTE 4.3.7).

    Sizes of packed data and of name and extra field stand at 18, 26 and 28; a writer that streams leaves the first one 0.
    """
    place = head.find(_ENTRY)
    while place >= 0:
        size, name, extra = (int.from_bytes(head[place + at : place + at + width], "little") for at, width in ((18, 4), (26, 2), (28, 2)))
        yield head[place + 30 : place + 30 + name].replace(b"\\", b"/")
        place = head.find(_ENTRY, place + 30 + name + extra + size)


def _refused_ole(head: bytes, name: str) -> PermanentError:
    """Why a file of the old container is refused: it is locked, or of an old format.

    A locked docx, xlsx or pptx lies in such a container; its stream is named in a sector that may lie further behind.
    """
    extension = name.rpartition(".")[2].lower()
    is_old = any(stream in head for stream in _OLD_STREAMS)
    if _LOCKED_STREAM in head or (_BY_EXTENSION.get(extension) in _ZIPPED and not is_old):
        why = f"{name} is locked with a password. Open it in its program, save it without one and add that."
        return PermanentError("password_protected", why)
    return _unsupported(name, "it is an old office document; save it in the format of today, like docx or xlsx.")


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

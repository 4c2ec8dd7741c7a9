"""The bytes of a web page as UTF-8, whatever its server, its head and its bytes say of their encoding."""

from __future__ import annotations

import codecs
import re

from sourcebook_core.text import encodings

_BYTE_ORDER_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
# A page names its encoding in its first 1,024 bytes (HTML, 4.2.5.4); some need a little more.
_HEAD_BYTES = 4096
_META = re.compile(rb"<meta[^>]{0,300}?charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.IGNORECASE)
_XML = re.compile(rb"\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([\w.:-]{1,40})", re.IGNORECASE)
# What browsers read under these names (WHATWG Encoding, 4.2): the wider encodings that pages really are in.
_MEANT = {
    "ascii": "cp1252", "iso8859-1": "cp1252", "iso8859-9": "cp1254", "iso8859-11": "cp874", "tis-620": "cp874", "gb2312": "gb18030",
    "gbk": "gb18030", "euc_kr": "cp949", "shift_jis": "cp932", "big5": "big5hkscs",
}  # fmt: skip
_MOST_BROKEN = 0.002  # of the characters: a page with one bad byte is in its encoding all the same


def as_utf8(content: bytes, charset: str) -> bytes:
    """The page in UTF-8: by its byte order mark, as UTF-8 where it is, else as the server (`charset`) or its own head says.

    A name that does not fit the bytes is not believed: then the encoding is guessed from the letters. Broken characters become
    U+FFFD.
    """
    for mark, encoding in _BYTE_ORDER_MARKS:
        if content.startswith(mark):
            return content[len(mark) :].decode(encoding, "replace").encode()
    said = [found for found in (_codec(charset), _codec(_named_in(content))) if found]
    # UTF-8 goes first whatever is said: bytes of another encoding are hardly ever valid in it, and pages are often mislabelled.
    for encoding in ("utf-8", *said):
        try:
            return content.decode(encoding).encode()
        except UnicodeDecodeError:
            continue
    for encoding in (*said, "utf-8"):
        text = content.decode(encoding, "replace")
        if text.count("\ufffd") <= _MOST_BROKEN * len(text):
            return text.encode()
    return content.decode(encodings.detect(content) or "cp1252", "replace").encode()


def as_said(content: bytes, charset: str) -> bytes:
    """A text in UTF-8 where it is in the encoding its server named; else as it is, and whoever reads it finds out."""
    encoding = _codec(charset)
    if encoding is None or content.startswith(tuple(mark for mark, _ in _BYTE_ORDER_MARKS)):
        return content
    for known in ("utf-8", encoding):
        try:
            return content.decode(known).encode()
        except UnicodeDecodeError:
            continue
    return content


def _named_in(content: bytes) -> str:
    found = _META.search(content, 0, _HEAD_BYTES) or _XML.match(content, 0, _HEAD_BYTES)
    name = found.group(1).decode("ascii", "replace") if found else ""
    # A head that could be read as ASCII is not in UTF-16, whatever it says (HTML, 13.2.3.2).
    return "utf-8" if name.lower().startswith("utf-16") else name


def _codec(name: str) -> str | None:
    """Python's encoding for a label; None for one that is none of text."""
    try:
        found = codecs.lookup(name.strip().lower())
    except (LookupError, ValueError):
        return None
    is_text = getattr(found, "_is_text_encoding", True) and found.name not in ("idna", "punycode", "unicode_escape", "raw_unicode_escape")
    return _MEANT.get(found.name, found.name) if is_text and found.name != "undefined" else None

"""Bytes of a text file as text, without losing or moving a character."""

import codecs
import re
from dataclasses import dataclass

from sourcebook_core.errors import PermanentError
from sourcebook_core.text.encodings import detect
from sourcebook_core.text.scripts import is_visible

# The longest mark first: the UTF-16 mark begins the UTF-32 one.
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_BINARY_SHARE = 0.02  # of characters that no text holds
_SURROGATE = re.compile("[\ud800-\udfff]")
_CONTROLS = re.compile("[\x01-\x08\x0b\x0e-\x1a\x1c-\x1f\x7f-\x84\x86-\x9f]")


@dataclass(frozen=True, slots=True)
class Decoded:
    """The text, the encoding it was read in, whether that was guessed, and how many characters became U+FFFD one for one."""

    text: str
    encoding: str
    guessed: bool
    replaced: int


def decode(content: bytes) -> Decoded:
    """The text of a file: by its byte order mark, else as strict UTF-8, else in a detected encoding with `guessed` set.

    A mark is not part of the text. NUL and lone surrogates become U+FFFD one for one, all else stays as it is, line ends
    too. Raises PermanentError `undecodable_text` when the bytes are no text in any encoding tried.
    """
    encoding, skip = _by_mark(content)
    if encoding:
        return _strict(content[skip:], encoding)
    try:
        return _clean(content.decode("utf-8"), "utf-8", guessed=False)
    except UnicodeDecodeError:
        return _detected(content)


def clean(text: str) -> tuple[str, int]:
    """The text with NUL and lone surrogates replaced by U+FFFD one for one, so that offsets stay; and how many there were."""
    found = text.count("\x00")
    cleaned = text.replace("\x00", "\ufffd")
    cleaned, surrogates = _SURROGATE.subn("\ufffd", cleaned)
    return cleaned, found + surrogates


def _by_mark(content: bytes) -> tuple[str | None, int]:
    for mark, encoding in _BYTE_ORDER_MARKS:
        if content.startswith(mark):
            return encoding, len(mark)
    return None, 0


def _strict(content: bytes, encoding: str) -> Decoded:
    try:
        # Lone surrogates of UTF-16 and UTF-32 are kept here and become U+FFFD in `clean`.
        text = content.decode(encoding, "strict" if encoding == "utf-8" else "surrogatepass")
    except UnicodeDecodeError as error:
        raise _undecodable(f"it begins with a {encoding} mark but breaks that encoding at byte {error.start}") from error
    return _clean(text, encoding, guessed=False)


def _clean(text: str, encoding: str, *, guessed: bool) -> Decoded:
    _refuse_binary(text)
    cleaned, replaced = clean(text)
    return Decoded(cleaned, encoding, guessed, replaced)


def _detected(content: bytes) -> Decoded:
    encoding = detect(content)
    if encoding is None:
        raise _undecodable("it is neither UTF-8 nor text in another encoding that could be recognised")
    try:
        return _clean(content.decode(encoding), encoding, guessed=True)
    except UnicodeDecodeError as error:
        raise _undecodable(f"it begins like {encoding} but is not") from error


def _refuse_binary(text: str) -> None:
    controls = len(_CONTROLS.findall(text)) + text.count("\x00")
    if controls > _BINARY_SHARE * len(text) and controls > 1 and not _mostly_visible(text, controls):
        raise _undecodable("it holds bytes that no text file holds")


def _mostly_visible(text: str, controls: int) -> bool:
    sample = text[:20_000]
    return controls <= 0.1 * len(text) and sum(1 for char in sample if is_visible(char)) >= 0.6 * len(sample)


def _undecodable(why: str) -> PermanentError:
    return PermanentError("undecodable_text", f"The file could not be read as text: {why}. Save it as UTF-8 and add it again.")

"""rtf by striprtf: its words in order; what it embeds is no text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from striprtf.striprtf import rtf_to_text

from sourcebook_core.sandbox_talk import Refused
from sourcebook_ingest.read.office import sections, tables
from sourcebook_ingest.read.office.events import Events, facts
from sourcebook_ingest.read.office.sections import Block
from sourcebook_ingest.read.office.tables import shown

# Pictures stand in the file as hexadecimal digits, of no account and most of its size.
_HEX = re.compile(r"(?:[0-9a-fA-F]{32,}\s*){8,}")
_ESCAPE = re.compile(r"\\'([0-9a-fA-F]{2})")


def read(content: bytes, limit: int) -> Events:
    """The words as paragraphs; more than `limit` characters without its pictures is too large."""
    text = _HEX.sub("", content.decode("latin-1"))
    if len(text) > limit:
        raise Refused("too_large", limit=f"{limit // 1_000_000} MB for a text")
    yield facts(title=_record(text, "title"), authors=_record(text, "author"), date=_year(text))
    yield from sections.passages_of(_paragraphs(str(rtf_to_text(text, errors="replace"))))  # type: ignore[no-untyped-call]


def _paragraphs(text: str) -> Iterator[Block]:
    for line in text.replace("\r", "").split("\n"):
        is_row = line.rstrip().endswith("|")  # how the library ends the rows of a table
        yield 0, f"| {tables.line_of([shown(cell) for cell in line.rstrip()[:-1].split('|')])} |" if is_row else line


def _record(text: str, name: str) -> str | None:
    found = re.search(rf"{{\\{name} ([^{{}}]{{1,1000}})}}", text[:200_000])
    if found is None:
        return None
    words = _ESCAPE.sub(lambda match: bytes.fromhex(match.group(1)).decode("cp1252", "replace"), found.group(1))
    return re.sub(r"\\u(-?\d+) ?\??", lambda match: chr(int(match.group(1)) % 65536), words)


def _year(text: str) -> str | None:
    found = re.search(r"{\\creatim\\yr(\d{4})", text[:200_000])
    return found.group(1) if found else None

"""Shapes of what was read: passages, outline, words and boxes of a page."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from pydantic import Field

from sourcebook_core.store.passages import Passage
from sourcebook_gateway.shapes.lists import Told


class PassageRead(Told):
    """One passage of a reading. Offsets are Unicode code points."""

    passage: int = Field(description="Its ordinal.")
    offset: int = Field(description="Where it begins in /text.")
    text: str
    page: int | None = Field(None, description="1-based.")
    heading: str | None = None
    state: str = Field("read", description="read, empty or unread.")
    code: str | None = Field(None, description="Why it is unread.")
    method: str = Field("text", description="How it was read: text, vision (a picture) or speech (a recording).")
    sheet: str | None = Field(None, description="Sheet of a table.")
    rows: tuple[int, int] | None = Field(None, description="Rows of the sheet, from 1; one a line of the text.")
    lead: str | None = Field(None, description="Header row of a table: indexed with each part, not part of the text.")
    start_ms: int | None = Field(None, description="Where it begins in a recording.")
    end_ms: int | None = Field(None, description="Where it ends in a recording.")
    description_at: int | None = Field(None, description="From this code point on a model describes the picture.")

    @classmethod
    def of(cls, row: Passage) -> PassageRead:
        """The row as its reader sees it."""
        rows = (row.row_from, row.row_to) if row.row_from is not None and row.row_to is not None else None
        same = ("text", "page", "heading", "state", "code", "method", "sheet", "start_ms", "end_ms")
        fields = {name: getattr(row, name) for name in same} | {"description_at": row.meta.get("description_at")}
        return cls(passage=row.ordinal, offset=row.offset_at or 0, rows=rows, lead=row.lead or None, **fields)


class PassageList(Told):
    """Passages in order."""

    items: list[PassageRead]
    reading_id: UUID = Field(description="The reading they are of.")
    read_at: datetime | None = Field(None, description="When that reading was made.")
    is_same_file: bool = Field(True, description="The source's file is still the one that was read; else only its text is left.")
    next_cursor: str | None = Field(None, description="Give it as `from` for the next ones; null at the end.")


class OutlineItem(Told):
    """A heading and where it stands."""

    title: str
    level: int
    page: int | None = None
    passage: int
    start: int = Field(description="Code point in the passage.")


class Outline(Told):
    """The headings of a reading."""

    items: list[OutlineItem]


class WordBox(Told):
    """A word of a page: its range in the passage and its place, 0..1 from the top left."""

    text: str
    start: int
    end: int
    x0: float
    y0: float
    x1: float
    y1: float


class PageWords(Told):
    """The words of a page."""

    page: int
    width: float = Field(description="Width of the page in points.")
    height: float = Field(description="Height of the page in points.")
    passage: int
    items: list[WordBox]


class Box(Told):
    """A rectangle on a page, 0..1 from the top left."""

    x0: float
    y0: float
    x1: float
    y1: float


class PageBoxes(Told):
    """Where a range of a passage stands on its page."""

    page: int
    passage: int
    highlight: bool = Field(description="False: the page cannot be highlighted, because its text is not as it was read.")
    items: list[Box]

"""Shapes of what was read: passages, outline, words and boxes of a page."""

from __future__ import annotations

from uuid import UUID

from pydantic import Field

from sourcebook_gateway.shapes.lists import Told


class PassageRead(Told):
    """One passage of a reading. Offsets are Unicode code points."""

    passage: int = Field(description="Its ordinal.")
    offset: int = Field(description="Where it begins in /text.")
    text: str
    page: int | None = Field(None, description="1-based.")
    heading: str | None = None
    state: str = Field("read", description="read, empty or unread.")


class PassageList(Told):
    """Passages in order."""

    items: list[PassageRead]
    reading_id: UUID = Field(description="The reading they are of.")
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

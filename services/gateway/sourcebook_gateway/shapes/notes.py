"""Shapes of notes."""

from __future__ import annotations

import re
from bisect import bisect_right
from datetime import datetime
from uuid import UUID

from pydantic import Field, model_validator

from sourcebook_core.checks import Citation
from sourcebook_core.store.notes import Note
from sourcebook_core.text.sentences import sentences
from sourcebook_gateway.shapes.lists import Ask, Title, Told

TEXT_CHARS = 200_000
_MARK = re.compile(r"\[\^(\d{1,4})\]")


class NoteCreate(Ask):
    """What to keep: an answer (`turn_id`), words of a source (`source_id` with its place), or a text of one's own."""

    turn_id: UUID | None = Field(None, description="Keep this turn's answer with its citations.")
    source_id: UUID | None = Field(None, description="Keep words of this source: `passage`, `start`, `end`.")
    reading_id: UUID | None = Field(None, description="The reading they stand in; else the current one.")
    passage: int | None = Field(None, ge=0, le=2**31 - 1)
    start: int | None = Field(None, ge=0)
    end: int | None = Field(None, ge=1)
    title: Title | None = None
    text: str | None = Field(None, max_length=TEXT_CHARS, description="Markdown.")

    @model_validator(mode="after")
    def _one_of_three(self) -> NoteCreate:
        if sum(given is not None for given in (self.turn_id, self.source_id, self.text)) != 1:
            raise ValueError("give turn_id, source_id or text, one of the three")
        if self.source_id is not None and None in (self.passage, self.start, self.end):
            raise ValueError("passage, start and end say which words")
        return self


class NoteUpdate(Ask):
    """Change it."""

    title: Title | None = None
    text: str | None = Field(None, max_length=TEXT_CHARS, description="Markdown; [^n] stands for citation n.")


class NoteRead(Told):
    """A note."""

    id: UUID
    notebook_id: UUID
    turn_id: UUID | None = Field(None, description="The turn whose answer it was.")
    source_id: UUID | None = Field(None, description="The source it was made.")
    title: str
    text: str = Field(description="Markdown; [^n] stands for citation n.")
    edited: list[tuple[int, int]] = Field(description="Sentences that the person wrote or changed: half-open code point ranges of `text`.")
    citations: list[Citation] = Field(description="What stands behind its marks, as it was when it was kept.")
    created_at: datetime
    updated_at: datetime

    @classmethod
    def of(cls, row: Note) -> NoteRead:
        """The row. A mark that stands in changed sentences alone answers for other words than were checked: not_checked."""
        edited = edited_ranges(row.text, row.kept)
        unchecked = _only_in(row.text, edited)
        return cls(
            id=row.id, notebook_id=row.notebook_id, turn_id=row.turn_id, source_id=row.source_id, title=row.title, text=row.text,
            edited=edited, citations=[_unchecked(one) if one.n in unchecked else one for one in row.citations],
            created_at=row.created_at, updated_at=row.updated_at,
        )  # fmt: skip


def edited_ranges(text: str, kept: str) -> list[tuple[int, int]]:
    """The sentences of `text` that do not stand in `kept` word for word; none where nothing was kept (it is all their own)."""
    if not kept or text == kept:
        return []
    known = {kept[start:end] for start, end in sentences(kept)}
    return [(start, end) for start, end in sentences(text) if text[start:end] not in known]


def _only_in(text: str, edited: list[tuple[int, int]]) -> set[int]:
    """Marks that stand in edited ranges alone. The ranges are in order, so each mark is looked up, not searched: a note may have 30,000."""
    inside: set[int] = set()
    outside: set[int] = set()
    starts = [start for start, _ in edited]
    for mark in _MARK.finditer(text):
        at = bisect_right(starts, mark.start()) - 1
        place = inside if at >= 0 and mark.start() < edited[at][1] else outside
        place.add(int(mark[1]))
    return inside - outside


def _unchecked(of: Citation) -> Citation:
    uses = [use.model_copy(update={"verdict": "not_checked"}) for use in of.uses]
    return of.model_copy(update={"verdict": "not_checked", "uses": uses})

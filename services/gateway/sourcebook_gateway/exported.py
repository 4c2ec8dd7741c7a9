"""What leaves for other programs: conversations and notes as Markdown or Word, each mark with title, place and the source's words."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from typing import Literal

from fastapi import Response

from sourcebook_core.text import inert
from sourcebook_gateway import word_file
from sourcebook_gateway.multipart import attachment
from sourcebook_gateway.sections import Section, line, numbered, place_of
from sourcebook_gateway.shapes.notes import NoteRead
from sourcebook_gateway.shapes.turns import ConversationWhole, TurnRead

Format = Literal["md", "docx"]
MEDIA_TYPES = {
    "md": "text/markdown; charset=utf-8",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
}
_NAME_CHARS = 80
_NOTE_MARK = re.compile(r"\[\^(\d{1,4})\]")


def of_conversation(whole: ConversationWhole) -> list[Section]:
    """A section for each question."""
    return [_of_turn(turn) for turn in whole.turns]


def _of_turn(turn: TurnRead) -> Section:
    remark = turn.error.message if turn.status == "failed" and turn.error is not None else ""
    return Section(turn.question, turn.answer or "", turn.citations, remark)


def of_note(note: NoteRead) -> list[Section]:
    """The note as one section."""
    return [Section("", _NOTE_MARK.sub(r"[\1]", note.text), note.citations)]


def note_markdown(note: NoteRead) -> str:
    """The note as Markdown with footnotes."""
    return markdown(note.title or "Note", of_note(note))


async def file(title: str, sections: Sequence[Section], form: Format) -> Response:
    """A file to be saved. Word is written in a thread: a long conversation takes a while."""
    if form == "docx":
        content = await asyncio.to_thread(word_file.written, title, sections)
    else:
        content = markdown(title, sections).encode()
    headers = {"Content-Disposition": attachment(f"{title[:_NAME_CHARS]}.{form}")}
    return Response(content, media_type=MEDIA_TYPES[form], headers=headers)


def markdown(title: str, sections: Sequence[Section]) -> str:
    """The whole as Markdown; footnotes are numbered through, and nothing of a model's is live in it."""
    lines = [f"# {line(title)}", ""]
    for section, numbers in numbered(sections):
        marks = {n: f"[^{number}]" for n, number in numbers.items()}
        if section.heading:
            lines += [f"## {inert.markdown(line(section.heading), {})}", ""]
        lines += [inert.markdown(section.text, marks), ""]
        if section.remark:
            lines += [f"*{section.remark}*", ""]
        lines += [f"{marks[one.n]}: {inert.markdown(place_of(one), {})}" for one in section.citations]
        lines += [""] if section.citations else []
    return "\n".join(lines)

"""What leaves for other programs: conversations and notes as Markdown or Word, each mark with title, place and the source's words."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal
from uuid import UUID

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
_MARK = re.compile(r"\s*\[\^?\d{1,4}\]")
_ITEM = re.compile(r"\A\s*(?:[-*+]|\d{1,9}[.)])\s+")
_STATEMENT_CHARS = 160
# The verdicts that a reader must know of, in the page's words.
YOURS = "Yours, not checked"
DOUBTS = {"partly": "Partly found", "number_differs": "Number differs", "not_found": "Not found in source", "uncited": "No source given"}


def of_conversation(whole: ConversationWhole) -> list[Section]:
    """A section for each answer; where one question was answered again, each heading says which version it is."""
    versions: dict[UUID, list[TurnRead]] = {}
    for turn in whole.turns:
        again = versions.get(turn.replaces) if turn.replaces is not None else None
        versions[turn.id] = again if again is not None else []
        versions[turn.id].append(turn)
    return [_of_turn(turn, versions[turn.id]) for turn in whole.turns]


def _of_turn(turn: TurnRead, versions: Sequence[TurnRead]) -> Section:
    remark = turn.error.message if turn.status == "failed" and turn.error is not None else ""
    heading = turn.question
    if len(versions) > 1:
        heading += f" (version {versions.index(turn) + 1} of {len(versions)})"
    return Section(heading, turn.answer or "", turn.citations, remark, _checked(turn))


def _checked(turn: TurnRead) -> list[str]:
    """How many statements were found, and the words of each that was not; nothing where all were."""
    checks = turn.checks
    doubtful = [one for one in checks.statements if one.status in DOUBTS] if checks is not None else []
    if checks is None or not doubtful:
        return []
    counted = f"Checked: {checks.found} of {checks.total} statements found in the sources."
    return [counted, *(f"{DOUBTS[one.status]}: “{_words((turn.answer or '')[one.start : one.end])}”" for one in doubtful)]


def _words(statement: str) -> str:
    """A statement to know it again by: on one line, without marks and the sign of a list before it."""
    words = line(_MARK.sub("", _ITEM.sub("", statement)))
    return words if len(words) <= _STATEMENT_CHARS else f"{words[:_STATEMENT_CHARS].rstrip()}…"


def of_note(note: NoteRead, uncited: Sequence[str] = ()) -> list[Section]:
    """The note as one section. It says which marks were doubtful, which sentences are the person's own, and which of the statements
    that had no source (`uncited`, word for word) still stand in it."""
    checked = [f"{DOUBTS[one.verdict]}: what cites source {one.n}" for one in note.citations if one.verdict in DOUBTS]
    checked += [f"{YOURS}: “{_words(note.text[start:end])}”" for start, end in note.edited]
    checked += [f"{DOUBTS['uncited']}: “{_words(one)}”" for one in dict.fromkeys(uncited) if one in note.text]
    return [Section("", _NOTE_MARK.sub(r"[\1]", note.text), note.citations, checked=checked)]


def note_markdown(note: NoteRead, uncited: Sequence[str] = ()) -> str:
    """The note as Markdown with footnotes, and what is to be known of it."""
    return markdown(note.title or "Note", of_note(note, uncited))


def note_words(note: NoteRead) -> str:
    """The note as Markdown with footnotes and nothing else, to be read as a source: what is said of a sentence would repeat it."""
    return markdown(note.title or "Note", [replace(section, checked=()) for section in of_note(note)])


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
        lines += [f"> {inert.markdown(told, {})}  " for told in section.checked]
        lines += [""] if section.checked else []
        lines += [f"{marks[one.n]}: {inert.markdown(place_of(one), {})}" for one in section.citations]
        lines += [""] if section.citations else []
    return "\n".join(lines)

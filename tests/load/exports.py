"""What leaves for other programs: 200 notes as Word files beside Word's library alone, their archive, and a long conversation."""

from __future__ import annotations

import asyncio
import io
import time
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import docx
import httpx2

from sourcebook_core import settings as core_settings
from sourcebook_core.checks import Citation
from sourcebook_core.db import Db
from sourcebook_core.settings import Settings
from sourcebook_core.store import notes
from sourcebook_core.store.people import LOCAL_OWNER
from sourcebook_gateway import word_file
from sourcebook_gateway.sections import Section
from tests import rows
from tests.load.bench import Bench
from tests.load.figures import Figure, median, ms, ratio
from tests.load.prose import Prose

NOTES, PARAGRAPHS, WORDS, MARKS_EACH = 200, 12, 60, 2


async def notes_to_word(bench: Bench) -> list[Figure]:
    """Each note over HTTP as a Word file, beside the same paragraphs through python-docx; then all of them as one archive."""
    environment = bench.environment()
    prose = Prose(11)
    texts = [_text(prose, number) for number in range(NOTES)]
    token = Path(environment["SOURCEBOOK_DATA_DIR"], "owner-token").read_text()
    with bench.processes(environment) as processes:
        base_url = f"{processes.start('gateway').address}/api/v1"
        notebook_id, note_ids = await _kept(core_settings.load(environment), texts)
        async with httpx2.AsyncClient(base_url=base_url, headers={"Authorization": f"Bearer {token}"}, timeout=120) as http:
            ours, bare = [], []
            for note_id, text in zip(note_ids, texts, strict=True):
                ours.append(await _got(http, f"/notes/{note_id}/file?format=docx"))
                bare.append(await asyncio.to_thread(_bare, text))
            archive = await _got(http, f"/notebooks/{notebook_id}/file")
    whole = await asyncio.to_thread(_one_file, texts)
    what = f"each of {NOTES} notes as a Word file, beside Word's library with its paragraphs"
    return [
        Figure("WORD", what, ratio(ours, bare), 3, "<=", f"{ms(median(ours))}, all {sum(ours):.1f} s", ms(median(bare))),
        Figure("WORD", f"seconds of one Word file of {NOTES} sections, {NOTES * PARAGRAPHS * MARKS_EACH} marks", whole, None, "<="),
        Figure("ZIP", f"seconds of the archive of {NOTES} notes", archive, None, "<="),
    ]


async def _kept(settings: Settings, texts: list[str]) -> tuple[UUID, list[UUID]]:
    """A notebook with a note of each text, all of a model's words with marks; the ids."""
    db = await Db.open(settings)
    notebook_id, note_ids = uuid4(), [uuid4() for _ in texts]
    async with db.transaction() as conn:
        await conn.execute(
            "insert into notebooks (id, owner_id, title, recipe_id) values ($1, $2, 'Bench', $3)", notebook_id, LOCAL_OWNER, rows.RECIPE
        )
        for note_id, text in zip(note_ids, texts, strict=True):
            told = text.replace("[", "[^")
            await notes.insert(
                conn, note_id, notebook_id=notebook_id, person_id=LOCAL_OWNER, title=f"Note {note_id}", text=told, kept=told,
                citations=_citations(),
            )  # fmt: skip
    await db.close()
    return notebook_id, note_ids


def _text(prose: Prose, number: int) -> str:
    topic = prose.topic()
    parts = [prose.plain(WORDS, topic) + "".join(f" [{n}]" for n in range(1, MARKS_EACH + 1)) for _ in range(PARAGRAPHS)]
    return "\n\n".join([f"## Part of {number}", *parts])


def _citations() -> list[Citation]:
    about: dict[str, Any] = {"source_title": "Survey", "kind": "text", "passage": 0, "quote": "A word."}
    return [Citation(n=n, source_id=uuid4(), reading_id=uuid4(), chunk_id=uuid4(), **about) for n in range(1, MARKS_EACH + 1)]


async def _got(http: httpx2.AsyncClient, path: str) -> float:
    began = time.perf_counter()
    answer = await http.get(path)
    assert answer.status_code == 200 and answer.content[:2] == b"PK", answer.text[:300]
    return time.perf_counter() - began


def _bare(text: str) -> float:
    began = time.perf_counter()
    made = docx.Document()
    for paragraph in text.split("\n\n"):
        made.add_paragraph(paragraph)
    made.save(io.BytesIO())
    return time.perf_counter() - began


def _one_file(texts: list[str]) -> float:
    began = time.perf_counter()
    word_file.written("Notes", [Section(f"Note {number}", text, _citations()) for number, text in enumerate(texts)])
    return time.perf_counter() - began

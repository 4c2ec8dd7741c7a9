"""Notes, exports and the archive of a notebook, through the gateway."""

import io
import json
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import docx
import pytest

from tests.integration.gateway_rig import Api, refused, working_gateway
from tests.rig import TestPostgres, until_sync

TEXT = """# Mills of Lindow

The water mill of Lindow was closed in 1968 and is a museum now. Its wheel has 32 paddles.

The orchard was planted in 1911 by the Brandt family, who still own it.
"""
QUESTION = "When was the water mill of Lindow closed?"


@dataclass
class Kept:
    """A gateway with a notebook of one text and one answered question."""

    api: Api
    notebook: str
    source: str
    turn: dict[str, Any]
    database: str

    def note(self, **given: Any) -> dict[str, Any]:
        made = self.api.post(f"/notebooks/{self.notebook}/notes", given)
        assert made.status_code == 201, made.text
        return dict(made.json())

    def listed(self) -> list[str]:
        return [one["id"] for one in self.api.get(f"/notebooks/{self.notebook}/notes").json()["items"]]


@pytest.fixture(scope="module")
def kept(postgres: TestPostgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kept]:
    folder: Path = tmp_path_factory.mktemp("notes")
    with working_gateway(postgres, folder) as (_, api, database):
        notebook = api.notebook("Mills & more")
        source = api.text(notebook, TEXT, title="Mills", format="markdown")
        api.ready(source["id"])
        api.patch(f"/sources/{source['id']}", {"authors": ["Brandt, Änne"], "year": 1970, "doi": "10.1/mill_1"})
        turn = api.post(f"/notebooks/{notebook}/ask", {"question": QUESTION}).json()
        yield Kept(api, notebook, source["id"], turn, database)


def test_an_answer_kept_as_a_note_has_its_citations_and_says_what_was_changed(kept: Kept) -> None:
    note = kept.note(turn_id=kept.turn["turn_id"])
    assert "[^1]" in note["text"] and note["edited"] == [] and note["title"] == QUESTION
    assert note["citations"] == [{**one, "carried": False} for one in kept.turn["citations"]]
    changed = kept.api.patch(f"/notes/{note['id']}", {"text": note["text"] + "\n\nI saw it myself [^1]. So did 🦉 Brandt."}).json()
    mine = [changed["text"][start:end] for start, end in changed["edited"]]
    assert mine == ["I saw it myself [^1].", "So did 🦉 Brandt."] and changed["citations"][0]["verdict"] == "found"
    alone = kept.api.patch(f"/notes/{note['id']}", {"text": "The mill is open [^1]."}).json()
    assert alone["edited"] == [[0, 22]] and alone["citations"][0]["verdict"] == "not_checked"
    assert {use["verdict"] for use in alone["citations"][0]["uses"]} == {"not_checked"}


def test_a_note_that_leaves_tells_what_was_written_by_hand(kept: Kept) -> None:
    note = kept.note(turn_id=kept.turn["turn_id"])
    kept.api.patch(f"/notes/{note['id']}", {"text": note["text"] + "\n\nI saw it myself [^1]."})
    assert "> Yours, not checked: “I saw it myself.”" in kept.api.get(f"/notes/{note['id']}/file").text


def test_words_of_a_source_become_a_note_whose_quote_is_a_slice_of_it(kept: Kept) -> None:
    passage = kept.api.get(f"/sources/{kept.source}/passages").json()["items"][-1]
    start = passage["text"].index("32 paddles") if "32 paddles" in passage["text"] else 0
    place = {"source_id": kept.source, "passage": passage["passage"], "start": start, "end": start + 10}
    note = kept.note(**place)
    cited = note["citations"][0]
    assert cited["quote"] == passage["text"][start : start + 10] and cited["verdict"] == "found" and note["text"].endswith("[^1]")
    refused(kept.api.post(f"/notebooks/{kept.notebook}/notes", {**place, "end": 10**6}), 422, "invalid_field")
    refused(kept.api.post(f"/notebooks/{kept.notebook}/notes", {**place, "text": "both"}), 422, "invalid_field")


def test_a_note_goes_to_the_trash_comes_back_and_goes_for_good(kept: Kept) -> None:
    note = kept.note(text="# Paddles\n\nThere are 32.")
    assert note["title"].startswith("Paddles") and note["edited"] == [] and note["citations"] == []
    assert kept.api.delete(f"/notes/{note['id']}").status_code == 204 and note["id"] not in kept.listed()
    refused(kept.api.get(f"/notes/{note['id']}"), 404, "not_found")
    assert note["id"] in {one["id"] for one in kept.api.get("/trash").json()["items"]}
    assert kept.api.post(f"/notes/{note['id']}/restore").status_code == 200 and note["id"] in kept.listed()
    kept.api.delete(f"/notes/{note['id']}")
    assert kept.api.delete(f"/trash/{note['id']}").status_code == 204
    refused(kept.api.post(f"/notes/{note['id']}/restore"), 404, "not_found")


def test_a_note_becomes_a_source_and_again_a_new_reading_of_the_same_one(kept: Kept) -> None:
    note = kept.note(turn_id=kept.turn["turn_id"], title="The mill")
    made = kept.api.post(f"/notes/{note['id']}/source").json()
    source = kept.api.get(f"/sources/{made['source_id']}").json()
    assert source["title"] == "The mill" and source["kind"] == "markdown" and source["meta"] == {"made_of": "note"}
    changed = kept.api.patch(f"/sources/{made['source_id']}", {"meta": {"shelf": "3"}}).json()
    assert changed["meta"] == {"shelf": "3", "made_of": "note"}  # it stays known as a note
    kept.api.patch(f"/notes/{note['id']}", {"text": "Closed since 1968."})
    assert kept.api.post(f"/notes/{note['id']}/source").json()["source_id"] == made["source_id"]
    kept.api.delete(f"/notebooks/{kept.notebook}/sources/{made['source_id']}")


def test_a_note_without_a_word_of_its_own_becomes_a_source_under_a_name(kept: Kept) -> None:
    note = kept.note(text="##")
    made = kept.api.post(f"/notes/{note['id']}/source")
    assert made.status_code == 202 and kept.api.get(f"/sources/{made.json()['source_id']}").json()["title"] == "Note", made.text
    kept.api.delete(f"/notebooks/{kept.notebook}/sources/{made.json()['source_id']}")


def test_a_note_as_long_as_one_may_be_becomes_a_source_to_its_last_word(kept: Kept) -> None:
    note = kept.note(text="a " * 99_998 + "end.", title="Long")
    made = kept.api.post(f"/notes/{note['id']}/source").json()
    assert kept.api.get(f"/sources/{made['source_id']}/file").text.rstrip().endswith("end.")
    kept.api.delete(f"/notebooks/{kept.notebook}/sources/{made['source_id']}")


def test_notes_and_conversations_leave_as_markdown_word_and_json(kept: Kept) -> None:
    note = kept.note(turn_id=kept.turn["turn_id"])
    told = kept.api.get(f"/notes/{note['id']}/file").text
    quote = kept.turn["citations"][0]["quote"]
    assert "[^1]: Mills" in told and " ".join(quote.split()) in told
    conversation = f"/conversations/{kept.turn['conversation_id']}/file"
    word = docx.Document(io.BytesIO(kept.api.get(conversation, params={"format": "docx"}).content))
    words = [paragraph.text for paragraph in word.paragraphs]
    assert QUESTION in words and "Sources" in words and any("1968" in one for one in words)
    raised = [run.text for paragraph in word.paragraphs for run in paragraph.runs if run.font.superscript]
    assert raised[0] == "[1]"
    whole = kept.api.get(conversation, params={"format": "json"}).json()
    assert whole["turns"][0]["answer"] == kept.turn["answer"]
    assert kept.api.get(f"/notes/{note['id']}/file", params={"format": "docx"}).content[:2] == b"PK"


def test_the_sources_leave_for_reference_managers(kept: Kept) -> None:
    bibtex = kept.api.get(f"/notebooks/{kept.notebook}/citations").text
    assert "@article{anne1970mills," in bibtex or "@article{brandt1970mills," in bibtex
    assert "title = {{Mills}}" in bibtex and "author = {Brandt, Änne}" in bibtex and "doi = {10.1/mill_1}" in bibtex
    ris = kept.api.get(f"/notebooks/{kept.notebook}/citations", params={"format": "ris"}).text.splitlines()
    assert ris[:3] == ["TY  - JOUR", "TI  - Mills", "AU  - Brandt, Änne"] and "PY  - 1970" in ris and "ER  - " in ris


def test_the_archive_holds_the_sources_as_added_and_as_read_with_notes_and_conversations(kept: Kept) -> None:
    kept.note(text="A note: with/a slash", title="a/b")
    raw = kept.api.get(f"/notebooks/{kept.notebook}/file").content
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        about = json.loads(archive.read("notebook.json"))
        assert about["notebook"]["title"] == "Mills & more" and about["version"] == 2
        of = next(one for one in about["sources"] if one["id"] == kept.source)
        assert re.fullmatch(r"sources/\d{3} Mills\.(md|txt)", of["file"]) and re.fullmatch(r"texts/\d{3} Mills\.txt", of["text"])
        assert archive.read(of["file"]).decode() == archive.read(of["text"]).decode() == TEXT
        names = archive.namelist()
        assert archive.testzip() is None and all(".." not in name and name.count("/") <= 2 for name in names)
        told = next(name for name in names if name.startswith("conversations/") and name.endswith(".md"))
        assert QUESTION in archive.read(told).decode() and any(name.startswith("notes/") for name in names)


def test_notes_and_files_of_other_people_are_not_there(kept: Kept) -> None:
    note = kept.note(text="Mine.")
    missing = "00000000-0000-4000-8000-000000000000"
    for path in (f"/notes/{missing}", f"/notes/{missing}/file", f"/notebooks/{missing}/notes", f"/notebooks/{missing}/file"):
        refused(kept.api.get(path), 404, "not_found")
    refused(kept.api.post(f"/notebooks/{missing}/notes", {"text": "x"}), 404, "not_found")
    refused(kept.api.post(f"/notebooks/{kept.notebook}/notes", {"turn_id": note["id"]}), 404, "not_found")


def test_the_guide_is_made_when_it_is_looked_at_and_again_when_the_sources_changed(kept: Kept) -> None:
    def guide() -> dict[str, Any]:
        return dict(kept.api.get(f"/notebooks/{kept.notebook}/guide").json())

    until_sync(lambda: guide()["state"] == "ready", 30, "the guide to be made")
    assert {"Mills of Lindow"} <= {topic["label"] for topic in guide()["topics"]} and guide()["summary"]["kind"] == "quoted"
    more = kept.api.text(kept.notebook, "# Ferry\n\nThe ferry runs from May to October.", title="Boat", format="markdown")
    until_sync(lambda: kept.api.get(f"/sources/{more['id']}").json()["status"] == "ready", 30, "the second source to be ready")
    until_sync(lambda: "Ferry" in {topic["label"] for topic in guide()["topics"]} and guide()["state"] == "ready", 30, "the new guide")
    assert kept.api.get(f"/notebooks/{kept.api.notebook('Empty')}/guide").json() == {
        "state": "none", "summary": None, "topics": [], "questions": [],
    }  # fmt: skip

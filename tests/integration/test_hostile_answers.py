"""What people with bad intent send to notes, exports, programs' faces and the import: refused in words, and nothing stands still."""

import io
import json
import zipfile
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import docx
import httpx2
import pytest
from typer.testing import CliRunner

from sourcebook import carry
from sourcebook.client import Refused
from sourcebook_core.host_declared import NotOfType, Param
from sourcebook_core.store.handovers import Handover
from sourcebook_core.store.notes import Note
from sourcebook_gateway import bibliography, handing_over, word_file
from sourcebook_gateway.sections import Section
from sourcebook_gateway.shapes.notes import NoteRead
from sourcebook_ingest.handing_over import letter
from tests.integration.gateway_rig import OWNER, Api, refused, whole_gateway
from tests.rig import TestPostgres


@pytest.fixture(scope="module")
def api(postgres: TestPostgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    with whole_gateway(postgres, tmp_path_factory.mktemp("hostile")) as (_, made, _url):
        yield made


@pytest.mark.parametrize("path", ["/public/v1/assistants/a%00b", "/public/v1/assistants/%00/ask"])
def test_an_address_with_a_nul_is_not_there(api: Api, path: str) -> None:
    token = api.http.headers["authorization"]
    refused(httpx2.get(api.address + path, headers={"Authorization": token}, timeout=60), 404, "not_found")
    refused(api.get("/sources?label=%00"), 422, "invalid_field")


def _mcp(api: Api, tool: str, **arguments: Any) -> str:
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
    accept = {"Authorization": api.http.headers["authorization"], "Accept": "application/json, text/event-stream"}
    return httpx2.post(f"{api.address}/mcp", json=call, headers=accept, timeout=30).text


def test_a_tool_with_a_nul_or_a_passage_out_of_range_is_refused_in_words(api: Api) -> None:
    notebook = api.notebook()
    for told in (
        _mcp(api, "ask", notebook=notebook, question="How\0deep?"),
        _mcp(api, "ask", assistant="a\0b", question="How deep?"),
        _mcp(api, "search", query="a\0b"),
        _mcp(api, "add_source", notebook=notebook, text="Words.", title="a\0b"),
    ):
        assert "NUL" in told and "internal" not in told
    assert "internal" not in _mcp(api, "read_source", source=notebook, first_passage=10**30)


def test_nobody_holds_a_stream_of_the_tools_open(api: Api) -> None:
    answer = httpx2.get(f"{api.address}/mcp", headers={"Authorization": api.http.headers["authorization"]}, timeout=60)
    refused(answer, 405, "method_not_allowed")
    assert answer.headers["allow"] == "POST"


def test_a_title_with_signs_that_xml_cannot_hold_becomes_a_word_file(api: Api) -> None:
    notebook = api.notebook()
    note = api.post(f"/notebooks/{notebook}/notes", {"title": "a\x01b\ufffe", "text": "x\x02y [^1]"}).json()
    saved = api.get(f"/notes/{note['id']}/file?format=docx")
    assert saved.status_code == 200, saved.text
    assert docx.Document(io.BytesIO(saved.content)).paragraphs[0].text == "ab"


def test_a_word_file_of_very_many_parts_is_refused_and_lines_of_one_paragraph_are_one_run(api: Api) -> None:
    notebook = api.notebook()
    note = api.post(f"/notebooks/{notebook}/notes", {"title": "Long", "text": "**a** b\n" * 20_000}).json()
    refused(api.get(f"/notes/{note['id']}/file?format=docx"), 413, "too_large")
    assert api.get(f"/notes/{note['id']}/file?format=md").status_code == 200
    written = docx.Document(io.BytesIO(word_file.written("Lines", [Section("", "a line\n" * 5000 + "**bold** end", [])])))
    assert [len(one.runs) for one in written.paragraphs] == [1, 3]


def test_a_changed_note_of_very_many_marks_is_told_without_comparing_each_with_each() -> None:
    text = "[^1]. " * 30_000
    now = datetime.now(UTC)
    kept = Note(uuid4(), uuid4(), None, None, "Marks", text, "Other words.", [], now, now)
    assert len(NoteRead.of(kept).edited) == 30_000


def test_thousands_of_sources_of_one_name_get_keys_of_their_own() -> None:
    keys = Counter[str]()
    named = [bibliography.numbered("ada1968mill", keys) for _ in range(20_000)]
    assert named[:3] == ["ada1968mill", "ada1968mill-2", "ada1968mill-3"] and len(set(named)) == 20_000


@pytest.mark.parametrize("given", ["9" * 400, "9" * 5000, 1e308, -(10**300), "0x5", True, None])
def test_a_number_larger_than_any_float_is_not_of_its_type(given: Any) -> None:
    with pytest.raises(NotOfType):
        Param(type="integer", min=0, max=5).parse(given)


def _import(api: Api, file: Path) -> tuple[int, str]:
    env = {"SOURCEBOOK_URL": api.address, "SOURCEBOOK_TOKEN": api.http.headers["authorization"].split()[1]}
    told = CliRunner().invoke(carry.app, ["import", str(file)], env=env)
    assert told.exception is None or isinstance(told.exception, SystemExit), told.exception
    return told.exit_code, told.output


def _zip(file: Path, about: Any, **members: bytes) -> Path:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as into:
        into.writestr("notebook.json", about if isinstance(about, str) else json.dumps(about))
        for name, content in members.items():
            into.writestr(name.replace("__", "/"), content)
    return file


@pytest.mark.parametrize(
    "about",
    [
        "[" * 100_000,
        '{"version": 1e999, "notebook": {"title": "x"}, "sources": []}',
        {"version": 1, "notebook": {"title": "x"}, "sources": [5]},
        {"version": 1, "notebook": {"title": "x"}, "sources": [{"id": None, "kind": "text"}]},
        {"version": 1, "notebook": {"title": ["x"]}, "sources": []},
        {"version": 1, "notebook": 5, "sources": {}},
    ],
)
def test_an_archive_that_is_no_notebook_is_refused_in_a_sentence(api: Api, tmp_path: Path, about: Any) -> None:
    code, told = _import(api, _zip(tmp_path / "in.zip", about))
    assert code == 1 and "This is no notebook" in told


def test_an_archive_writes_nowhere_and_one_bad_part_costs_no_other(api: Api, tmp_path: Path) -> None:
    names = {
        "up": "../../evil.txt",
        "dots": "..",
        "drive": "C:\\evil.txt",
        "long": "x" * 5000 + ".txt",
        "bomb": "bomb.txt",
        "gone": "a.txt",
    }
    sources = [{"id": name, "kind": "text", "title": name, "file_name": file} for name, file in names.items()]
    members = {f"sources__{name}__original": f"Words of {name}.".encode() for name in names if name != "gone"}
    members |= {"notes__a.json": b"[", "notes__b.json": b'{"title": 5}', "notes__b.md": b"Kept.", "notes__c.json": b'{"title": "C"}'}
    code, told = _import(api, _zip(tmp_path / "in.zip", {"version": 1, "notebook": {"title": "Bad"}, "sources": sources}, **members))
    assert code == 1 and "5 sources and 1 note," in told and "empty_file" in told
    assert [one.name for one in tmp_path.iterdir()] == ["in.zip"]


def test_an_archive_of_the_old_form_is_taken_and_the_new_one_names_its_files(api: Api, tmp_path: Path) -> None:
    old = {"id": "a", "kind": "text", "title": "Old", "file_name": "old.txt"}
    new = {"id": "b", "kind": "text", "title": "New", "file_name": "new.txt", "file": "sources/001 new.txt"}
    for version, of, words in ((1, old, "From an older version."), (2, new, "From this version.")):
        members = {str(of.get("file") or "sources/a/original").replace("/", "__"): words.encode()}
        about = {"version": version, "notebook": {"title": f"Version {version}"}, "sources": [of]}
        code, told = _import(api, _zip(tmp_path / f"{version}.zip", about, **members))
        assert code == 0 and f"Version {version}: 1 source and" in told


def test_a_file_that_an_archive_names_outside_of_itself_is_not_there(api: Api, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret", "utf-8")
    named = (str(tmp_path / "secret.txt"), "../secret.txt", "sources/gone.txt")
    sources = [{"id": str(at), "kind": "text", "title": "x", "file": name} for at, name in enumerate(named)]
    code, told = _import(api, _zip(tmp_path / "in.zip", {"version": 2, "notebook": {"title": "Out"}, "sources": sources}))
    assert code == 1 and told.count("empty_file") == 3 and "0 sources and" in told


def test_a_member_that_unpacks_to_more_than_it_may_is_let_go(tmp_path: Path) -> None:
    with zipfile.ZipFile(_zip(tmp_path / "in.zip", {}, bomb=b"0" * 5_000_000)) as archive, pytest.raises(Refused):
        carry.take_out(archive, "bomb", tmp_path / "out", most=2_000_000)
    assert (tmp_path / "out").stat().st_size <= 2_000_000


def test_a_title_and_a_doi_cannot_leave_their_field_of_the_bibliography(api: Api) -> None:
    notebook = api.notebook()
    source = api.text(notebook)["id"]
    hostile = {"title": "A } , note={evil}\nER  - ", "authors": ["Bodley and Sons }"], "doi": "10.1/x}\n,evil={1"}
    assert api.patch(f"/sources/{source}", hostile).status_code == 200
    told = api.get(f"/notebooks/{notebook}/citations?format=bibtex").text
    depths = [told[:at].count("{") - told[:at].count("}") for at in range(len(told) + 1)]
    assert min(depths) == 0 and depths[-1] == 0 and "evil={" not in told and "author = {{Bodley and Sons" in told
    lines = api.get(f"/notebooks/{notebook}/citations?format=ris").text.split("\r\n")
    assert [line[:2] for line in lines if line].count("ER") == 1


def test_credit_beyond_what_an_account_holds_is_refused(api: Api) -> None:
    give = f"/admin/users/{OWNER}/credit"
    assert api.post(give, {"amount": "999999999"}).status_code == 201
    for amount in ("1", "999999999.999999"):
        refused(api.post(give, {"amount": amount}), 422, "invalid_field")
    assert api.post(give, {"amount": "-999999999"}).status_code == 201


@pytest.mark.parametrize(
    "given", ["=?utf-8?q?a=0d=0aBcc:x@y.z?=@b.co", "a:b@c.de", "a\x01b@c.de", "(x)@c.de", "a\x7f@b.co", "a@b.co\nBcc: x@y.z"]
)
def test_a_mail_address_that_could_be_more_than_one_is_refused(api: Api, given: str) -> None:
    handover = {"kind": "mail", "to": given}
    refused(api.post("/assistants", {"name": "Helper", "profile": "notebook", "handover": handover}), 422, "invalid_field")
    assert handing_over.why_not("mail", given) and not handing_over.why_not("mail", "ada.b+c@mail.example.org")


@pytest.mark.parametrize("name", ["=?utf-8?q?a=0d=0aBcc:x@y.z?= hi", "=?utf-8?b?DQpCY2M6IGE=?=", "a\x01\x7fb", "==??utf-8?q?=0aX:?="])
def test_the_name_of_an_assistant_begins_no_header_of_a_letter(name: str) -> None:
    asked = Handover(
        id=uuid4(), assistant_id=uuid4(), owner_id=uuid4(), assistant=name,
        visitor="Ada", subject="ada", kind="mail", target="help@example.org",
        reply_to=None, note="Bcc: x@y.z", state="queued",
        turns=[("How?", "So.", "")],
    )  # fmt: skip
    head = letter(asked, "books@example.org").as_bytes().partition(b"\n\n")[0]
    assert not any(line.lower().startswith((b"bcc", b"x:")) for line in head.splitlines()) and b"\x01" not in head

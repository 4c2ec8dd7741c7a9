"""The commands a person types, against real processes: add, list, ask, open, token, and their exit codes."""

import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx2
import pytest

from tests.integration.gateway_rig import Api, working_gateway
from tests.rig import TestPostgres, free_port, until_sync

pytestmark = pytest.mark.timeout(400)  # many short programs, and one stack for all of them
Run = Callable[..., subprocess.CompletedProcess[str]]
TEXT = """# The ferry

## Speed limits

The maximum speed of the ferry is 14.2 knots.
The harbour master measured it on 3 May 2019 near the northern pier.

## Crew

The ferry has a crew of eleven people.
"""


@pytest.fixture(scope="module")
def gateway(postgres: TestPostgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    """A gateway with one ingest and one rag worker, and no model at all: search by words, quoted answers."""
    with working_gateway(postgres, tmp_path_factory.mktemp("commands")) as (_, api, _url):
        yield api


@pytest.fixture
def token(gateway: Api) -> str:
    """The owner's API token."""
    return str(gateway.token)


@pytest.fixture
def run(gateway: Api, token: str, tmp_path: Path) -> Run:
    """Runs `sourcebook …` as the owner; `given` is its standard input."""

    def sourcebook(*words: str, given: str = "", **env: str) -> subprocess.CompletedProcess[str]:
        own = {name: value for name, value in os.environ.items() if not name.startswith("SOURCEBOOK_")}
        own |= {"SOURCEBOOK_URL": gateway.address, "SOURCEBOOK_TOKEN": token, "COLUMNS": "200"} | env
        command = [sys.executable, "-m", "sourcebook", *words]
        return subprocess.run(command, input=given, capture_output=True, text=True, env=own, cwd=tmp_path, check=False)

    return sourcebook


def test_a_file_is_added_read_listed_asked_and_cited_from_the_command_line(run: Run, tmp_path: Path) -> None:
    (tmp_path / "Fähre 1.md").write_text(TEXT, "utf-8")
    added = run("add", "Fähre 1.md", "--notebook", "Ships", "--wait")
    assert added.returncode == 0, added.stderr
    assert 'made the notebook "Ships"' in added.stdout
    assert "The ferry: ready" in added.stderr  # a file takes the title it bears

    listed = run("list", "notebooks")
    assert "Ships\t1 of 1 sources ready" in listed.stdout
    assert "ready\tThe ferry" in run("list", "sources", "--notebook", "ships").stdout

    asked = run("ask", "What is the maximum speed of the ferry?", "--notebook", "Ships")
    assert asked.returncode == 0, asked.stderr
    assert "14.2 knots" in asked.stdout
    assert "[1] The ferry, " in asked.stdout
    assert "Found in source" in asked.stdout
    assert "numbers match" in asked.stdout

    run("ask", "xyzzy plugh frobnicate", "--notebook", "Ships")
    assert "1\tnothing_found 1\txyzzy plugh frobnicate" in run("list", "misses", "--notebook", "Ships").stdout
    assert run("list", "questions").stdout == ""

    whole = json.loads(run("ask", "What is the maximum speed of the ferry?", "--json").stdout)
    assert whole["finish"] == "complete"
    assert whole["citations"][0]["uses"][0]["quote"] in TEXT
    source_id = whole["citations"][0]["source_id"]
    quiet = run("ask", "How many people are in the crew?", "--source", source_id, "--no-stream")
    assert "eleven people" in quiet.stdout


def test_standard_input_becomes_a_source_and_a_refused_file_is_named(run: Run, tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_bytes(b"")
    (tmp_path / "good.txt").write_text("The lighthouse was built in 1886.\n")
    both = run("add", "empty.txt", "good.txt", "--notebook", "Mixed")
    assert both.returncode == 1
    assert "empty_file" in both.stderr
    assert "good.txt: " in both.stderr
    piped = run("add", "-", "--notebook", "Mixed", "--wait", given="The foghorn sounds every twelve seconds.\n")
    assert piped.returncode == 0, piped.stderr
    assert "twelve seconds" in run("ask", "How often does the foghorn sound?", "--notebook", "Mixed").stdout


def test_a_sign_in_link_and_a_token_are_given_and_work(run: Run, gateway: Api) -> None:
    link = run("open").stdout.strip()
    with httpx2.Client(timeout=60) as browser:
        assert browser.get(link).status_code == 303
        assert browser.get(f"{gateway.address}/api/v1/me").json()["role"] == "owner"
    token = run("token", "create", "nightly").stdout.strip()
    assert run("list", "notebooks", SOURCEBOOK_TOKEN=token).returncode == 0


def test_what_is_refused_says_why_with_the_code_of_its_kind(run: Run) -> None:
    missing = run("ask", "Anything?", "--notebook", "Nowhere")
    assert missing.returncode == 1
    assert 'There is no notebook "Nowhere"' in missing.stderr
    assert run("add", "nothing.pdf").returncode == 1
    wrong = run("list", "notebooks", SOURCEBOOK_TOKEN="wrong")
    assert wrong.returncode == 1
    assert "not_signed_in" in wrong.stderr
    away = run("list", "notebooks", SOURCEBOOK_URL=f"http://127.0.0.1:{free_port()}")
    assert away.returncode == 3
    assert "sourcebook up" in away.stderr


def test_stale_sources_are_indexed_anew_from_the_command_line(run: Run, gateway: Api, tmp_path: Path) -> None:
    (tmp_path / "tug.md").write_text(TEXT.replace("ferry", "tug"), "utf-8")
    assert run("add", "tug.md", "--notebook", "Tugs", "--wait").returncode == 0
    assert "No source is stale." in run("reindex").stderr
    notebook = next(one for one in json.loads(run("list", "notebooks", "--json").stdout)["items"] if one["title"] == "Tugs")
    wanted = "headings-500-50-a2"
    address = f"/notebooks/{notebook['id']}"
    assert gateway.patch(address, {"settings": {"recipe": wanted}}).json()["stale"] == 1
    begun = run("reindex", "--json")
    assert begun.returncode == 0 and "Tugs: 1 of 1 sources are indexed anew." in begun.stderr
    assert [one["id"] for one in json.loads(begun.stdout)["items"]] == [notebook["id"]]
    until_sync(lambda: gateway.get(address).json()["recipe"]["id"] == wanted, 60, "the swap")


def test_a_notebook_is_exported_and_imported_with_its_sources_details_and_notes(gateway: Api, run: Run, tmp_path: Path) -> None:
    notebook = gateway.notebook("Carried, with a comma")
    source = gateway.text(notebook, "# Ferry\n\nThe ferry runs from May to October.\n", title="Ferry", format="markdown")
    gateway.patch(f"/sources/{source['id']}", {"authors": ["Brandt, Ann"], "year": 1999, "labels": ["water"]})
    gateway.post(f"/notebooks/{notebook}/notes", {"title": "Mine", "text": "Bring a coat."})
    written = run("export", "Carried, with a comma", "out.zip")
    assert written.returncode == 0 and (tmp_path / "out.zip").stat().st_size > 500, written.stderr
    read = run("import", "out.zip", "--title", "Back again", "--wait")
    assert read.returncode == 0 and "1 source and 1 note," in read.stdout, read.stderr
    back = next(one for one in gateway.get("/notebooks").json()["items"] if one["title"] == "Back again")
    kept = gateway.get(f"/notebooks/{back['id']}/sources").json()["items"][0]
    assert (kept["title"], kept["authors"], kept["year"], kept["labels"]) == ("Ferry", ["Brandt, Ann"], 1999, ["water"])
    assert gateway.get(f"/notebooks/{back['id']}/notes").json()["items"][0]["title"] == "Mine"


def test_what_is_no_exported_notebook_is_refused_in_a_sentence(run: Run, tmp_path: Path) -> None:
    (tmp_path / "bad.zip").write_bytes(b"no zip")
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as other:
        other.writestr("notebook.json", '{"version": 99, "notebook": {"title": "x"}, "sources": []}')
    for name, words in (("bad.zip", "cannot be read"), ("other.zip", "newer version"), ("none.zip", "cannot be read")):
        told = run("import", name)
        assert told.returncode == 1 and words in told.stderr, told

"""The library at the door: one source per owner and content, whoever is first; new content under a known external id."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import httpx2
import pytest

from tests.fakes.provider import FakeProvider
from tests.integration.gateway_rig import Api, killed_amid, owner_api, refused
from tests.rag_rig import embedding_settings
from tests.rig import PATIENT, Processes, TestPostgres, until_sync

AT_ONCE = 20
WORDS = b"Lake Baikal is the deepest lake of the world, and it holds a fifth of the fresh water that is not ice."


@pytest.fixture
def api(processes: Processes, owner_token: str, fake: FakeProvider) -> Iterator[Api]:
    """A gateway; the embedding role is the fake, and no worker runs yet."""
    processes.environment |= embedding_settings(fake)
    with owner_api(processes, owner_token) as (_, made):
        yield made


def originals(blobs: str) -> list[str]:
    return sorted(path.parent.name for path in Path(blobs.removeprefix("file://")).glob("sources/*/original"))


def ready(api: Api, source_id: str) -> dict[str, Any]:
    def found() -> dict[str, Any] | None:
        source: dict[str, Any] = api.get(f"/sources/{source_id}").json()
        assert source["status"] != "failed", source["error"]
        return source if source["status"] == "ready" else None

    return until_sync(found, 60, "the source to be ready") or {}


@pytest.mark.parametrize("key", [None, "the same key"])
def test_twenty_uploads_of_the_same_bytes_at_once_are_one_source_with_one_file_and_one_embedding(
    api: Api, processes: Processes, fake: FakeProvider, blobs: str, key: str | None
) -> None:
    notebook = api.notebook()
    together = Barrier(AT_ONCE)

    def upload(number: int) -> httpx2.Response:
        name = "a.txt" if key else f"{number}.txt"
        together.wait(30)
        headers = {"Idempotency-Key": key} if key else {}
        return httpx2.post(
            f"{api.address}/api/v1/notebooks/{notebook}/sources", files=[("file", (name, WORDS, "text/plain"))],
            headers=dict(api.http.headers) | headers, timeout=60,
        )  # fmt: skip

    with ThreadPoolExecutor(AT_ONCE) as pool:
        answers = list(pool.map(upload, range(AT_ONCE)))
    assert {answer.status_code for answer in answers} <= {200, 202}, [answer.text for answer in answers]
    ids = {answer.json()["items"][0]["source"]["id"] for answer in answers}
    assert len(ids) == 1
    source_id = ids.pop()
    until_sync(lambda: originals(blobs) == [source_id], 30, "what the others sent to be removed")
    processes.start("ingest", **PATIENT)
    assert ready(api, source_id)["chunks"] == 1
    assert len(fake.script.requests("embeddings")) == 1
    assert [one["id"] for one in api.get(f"/notebooks/{notebook}/sources").json()["items"]] == [source_id]


def test_the_same_bytes_in_another_notebook_are_ready_at_once_and_cost_nothing(api: Api, processes: Processes, fake: FakeProvider) -> None:
    first = api.upload(api.notebook(), ("a.txt", WORDS)).json()["items"][0]["source"]
    processes.start("ingest", **PATIENT)
    ready(api, first["id"])
    before = len(fake.script.requests())
    answer = api.upload(api.notebook("Second"), ("another name.txt", WORDS))
    again = answer.json()["items"][0]["source"]
    assert (answer.status_code, again["id"], again["status"], again["searchable"]) == (200, first["id"], "ready", "full")
    third = api.notebook("Third")
    linked = api.put(f"/notebooks/{third}/sources/{first['id']}", {"grant": "given"}).json()
    assert (linked["status"], linked["searchable"], linked["notebooks"]) == ("ready", "full", 3)
    assert len(fake.script.requests()) == before
    assert {job["state"] for job in api.get("/admin/jobs").json()["items"] if job["kind"] == "index_reading"} == {"done"}


def test_pasted_and_uploaded_bytes_are_the_same_source(api: Api) -> None:
    notebook = api.notebook()
    pasted = api.text(notebook, WORDS.decode())
    uploaded = api.upload(notebook, ("a.txt", WORDS)).json()["items"][0]["source"]
    assert uploaded["id"] == pasted["id"]


def test_new_content_under_a_known_external_id_is_a_new_reading_and_the_old_one_answers_until_then(
    api: Api, processes: Processes, blobs: str
) -> None:
    notebook = api.notebook()
    first = api.text(notebook, "Version one tells of the mill.", title="Handbook", external_id="hb")
    worker = processes.start("ingest")
    old = ready(api, first["id"])
    worker.kill()
    second = api.upload(notebook, ("handbook.txt", b"Version two tells of the bridge."), external_id="hb").json()["items"][0]["source"]
    assert (second["id"], second["status"], second["reading_id"]) == (first["id"], "queued", old["reading_id"])
    assert originals(blobs) == [first["id"]]
    assert api.get(f"/sources/{first['id']}/file").content == b"Version two tells of the bridge."
    processes.start("ingest", **PATIENT)
    until_sync(lambda: api.get(f"/sources/{first['id']}").json()["reading_id"] != old["reading_id"], 60, "the new reading")
    assert "bridge" in api.get(f"/sources/{first['id']}/text").text
    assert [path.name for path in Path(blobs.removeprefix("file://")).glob("sources/*/incoming/*")] == []


def test_an_external_id_is_not_given_content_that_another_source_has_and_its_own_bytes_stay(api: Api, blobs: str) -> None:
    notebook = api.notebook()
    api.text(notebook, "The words of the other source.", title="Other")
    kept = api.text(notebook, "The words of this one.", title="This", external_id="one")
    answer = api.post(f"/notebooks/{notebook}/sources", {"text": "The words of the other source.", "external_id": "one"})
    refused(answer, 409, "conflict")
    assert api.get(f"/sources/{kept['id']}/file").content == b"The words of this one."
    folder = Path(blobs.removeprefix("file://"))
    until_sync(lambda: len([path for path in folder.rglob("*") if path.is_file()]) == 2, 30, "what was sent to be removed")


def test_a_gateway_killed_after_the_commit_of_new_content_leaves_a_source_that_is_read_with_it(
    api: Api, processes: Processes, owner_token: str, postgres: TestPostgres
) -> None:
    notebook = api.notebook()
    first = api.text(notebook, "Version one tells of the mill.", external_id="hb")
    worker = processes.start("ingest")
    old = ready(api, first["id"])
    worker.kill()
    processes.kill_all()
    sent = {"text": "The bridge.", "external_id": "hb"}
    with owner_api(processes, owner_token, FAULT_AT="upload.committed") as (waiting, other):
        killed_amid(waiting, "upload.committed", lambda: other.http.post(f"/notebooks/{notebook}/sources", json=sent))
    processes.start("gateway")
    processes.start("ingest", **PATIENT)
    until_sync(lambda: api.get(f"/sources/{first['id']}").json()["reading_id"] != old["reading_id"], 60, "the new reading")
    ready(api, first["id"])
    assert api.get(f"/sources/{first['id']}/text").text == "The bridge."
    assert api.get(f"/sources/{first['id']}/file").content == b"The bridge."

"""Captions that an owner brings: kept by the hash of a chunk's words, in the index without any model, and of others' sources never."""

import hashlib
from collections.abc import Iterator
from typing import Any

import pytest

from tests.integration.gateway_rig import Api, working_gateway
from tests.rig import TestPostgres, until_sync

RECIPE = "headings-500-50-c-a2"
TEXT = "# Pumps\n\n## Start\n\nTurn the red handle to the left and wait for the click.\n\n## Stop\n\nLift the lever until the hum ends.\n"


@pytest.fixture(scope="module")
def api(postgres: TestPostgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    with working_gateway(postgres, tmp_path_factory.mktemp("captions")) as (_, api, _url):
        yield api


def ready(api: Api, source_id: str, before: str | None = None) -> dict[str, Any]:
    def found() -> dict[str, Any] | None:
        one: dict[str, Any] = api.get(f"/sources/{source_id}").json()
        return one if one["status"] == "ready" and one["reading_id"] != before else None

    return until_sync(found, 60, "the source to be ready") or {}


def found_by(api: Api, notebook: str, words: str) -> list[str]:
    return [item["heading"] for item in api.post(f"/notebooks/{notebook}/search", {"query": words}).json()["items"]]


def test_a_brought_caption_makes_a_chunk_found_by_its_words_and_is_never_shown(api: Api) -> None:
    notebook = api.post("/notebooks", {"title": "Pumps"}).json()["id"]
    assert api.patch(f"/notebooks/{notebook}", {"settings": {"recipe": RECIPE}}).status_code == 200
    sent = api.post(f"/notebooks/{notebook}/sources", {"title": "Pumps", "text": TEXT, "format": "markdown"})
    source_id = sent.json()["items"][0]["source"]["id"]
    first = ready(api, source_id)["reading_id"]
    assert found_by(api, notebook, "ignition") == []

    chunks = api.get(f"/sources/{source_id}/captions", params={"recipe": RECIPE}).json()["items"]
    start = next(chunk for chunk in chunks if "red handle" in chunk["text"])
    assert start["hash"] == hashlib.sha256(start["text"].encode()).hexdigest() and start["caption"] is None
    given = {chunk["hash"]: "How the ignition is worked." if chunk is start else "Ending a run." for chunk in chunks}
    brought = api.put(f"/sources/{source_id}/captions", {"captions": given})
    assert (brought.status_code, brought.json()["status"]) == (202, "queued")

    again = ready(api, source_id, before=first)
    assert "no_captions" not in [one["code"] for one in again["report"]["warnings"]]
    assert found_by(api, notebook, "ignition") == ["Pumps > Start"]
    assert "ignition" not in api.get(f"/sources/{source_id}/text").text
    known = api.put(f"/sources/{source_id}/captions", {"captions": given})
    assert known.json()["status"] == "ready", "captions that are known set nothing going"


def test_captions_of_a_wrong_hash_or_recipe_are_refused_and_a_foreign_source_is_not_there(api: Api) -> None:
    notebook = api.post("/notebooks", {"title": "Other"}).json()["id"]
    sent = api.post(f"/notebooks/{notebook}/sources", {"title": "One", "text": "One text about a lever.", "format": "plain"})
    source_id = sent.json()["items"][0]["source"]["id"]
    assert api.put(f"/sources/{source_id}/captions", {"captions": {"abc": "x"}}).status_code == 422
    assert api.put(f"/sources/{source_id}/captions", {"captions": {"0" * 64: "x" * 501}}).status_code == 422
    assert api.get(f"/sources/{source_id}/captions", params={"recipe": "nothing"}).status_code == 422
    nobody = "00000000-0000-0000-0000-000000000001"
    assert api.put(f"/sources/{nobody}/captions", {"captions": {"0" * 64: "x"}}).status_code == 404
    assert api.get(f"/sources/{nobody}/captions", params={"recipe": RECIPE}).status_code == 404

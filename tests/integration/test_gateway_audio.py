"""A recording through the gateway: the original is saved, the playable form played, and both go together."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.fakes import recordings
from tests.fakes.provider import FakeProvider
from tests.integration.gateway_rig import Api, owner_api, refused
from tests.rig import PATIENT, Processes, until_sync


@pytest.fixture
def api(processes: Processes, owner_token: str, fake: FakeProvider) -> Iterator[Api]:
    processes.environment |= fake.settings("SPEECH")
    with owner_api(processes, owner_token) as (_, made):
        processes.start("ingest", **PATIENT)
        yield made


def ended(api: Api, source: str) -> dict[str, Any]:
    def look() -> dict[str, Any] | None:
        found: dict[str, Any] = api.get(f"/sources/{source}").json()
        return found if found["status"] in ("ready", "failed") else None

    return until_sync(look, 90, "the recording to be heard") or {}


def kept(processes: Processes, source: str) -> set[str]:
    root = Path(urlsplit(processes.environment["SOURCEBOOK_BLOBS_URL"]).path, "sources", source)
    return {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}


def test_a_recording_is_saved_as_it_was_added_and_played_as_browsers_can(api: Api, processes: Processes) -> None:
    content = recordings.made("aiff")
    notebook = api.notebook()
    source = api.upload(notebook, ("Ünterhaltung.aiff", content)).json()["items"][0]["source"]["id"]
    assert ended(api, source)["status"] == "ready"
    saved = api.get(f"/sources/{source}/file")
    assert saved.content == content and saved.headers["content-disposition"].startswith("attachment")
    played = api.get(f"/sources/{source}/file", params={"variant": "playable"})
    assert played.headers["content-type"] == "audio/mpeg" and played.content[:3] == b"ID3"
    assert played.headers["content-disposition"] == "inline" and played.headers["x-content-type-options"] == "nosniff"
    assert played.headers["accept-ranges"] == "bytes"
    part = api.get(f"/sources/{source}/file", params={"variant": "playable"}, headers={"Range": "bytes=1000-"})
    assert (part.status_code, part.content) == (206, played.content[1000:])
    assert part.headers["content-range"] == f"bytes 1000-{len(played.content) - 1}/{len(played.content)}"
    outside = api.get(f"/sources/{source}/file", params={"variant": "playable"}, headers={"Range": "bytes=99999999-"})
    refused(outside, 416, "invalid_field")
    assert "media-src 'self'" in api.http.get(f"{api.address}/").headers["content-security-policy"]
    assert kept(processes, source) == {"original", "playable.mp3"}
    api.delete(f"/notebooks/{notebook}/sources/{source}")
    api.put(f"/notebooks/{notebook}/sources/{source}", {})
    assert kept(processes, source) == {"original", "playable.mp3"}
    api.delete(f"/sources/{source}")
    api.delete(f"/trash/{source}")
    until_sync(lambda: not kept(processes, source), 60, "both files to be gone")


def test_what_browsers_play_is_played_as_it_was_added_and_a_text_is_not_played(api: Api, processes: Processes) -> None:
    content = recordings.made("mp3")
    notebook = api.notebook()
    source = api.upload(notebook, ("talk.mp3", content)).json()["items"][0]["source"]["id"]
    played = api.get(f"/sources/{source}/file", params={"variant": "playable"})
    assert (played.headers["content-type"], played.content) == ("audio/mpeg", content)
    found = ended(api, source)
    assert found["status"] == "ready" and found["duration_ms"] // 1000 == 3
    item = api.get(f"/sources/{source}/passages").json()["items"][0]
    assert (item["method"], item["start_ms"]) == ("speech", 0)
    text = api.text(notebook)["id"]
    refused(api.get(f"/sources/{text}/file", params={"variant": "playable"}), 404, "not_found")
    refused(api.get(f"/sources/{source}/file", params={"variant": "other"}), 422, "invalid_field")

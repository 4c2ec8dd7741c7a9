"""Webhooks, signed and sent again until they arrive, and `?wait=` on what starts work (K18)."""

import hashlib
import hmac
import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.fakes.website import Answer, Website
from tests.integration.gateway_rig import Api, owner_api, refused
from tests.rig import PATIENT, Processes, until_sync

TEXT = "The mill of Lindow was closed in 1968 and is a museum now."


@pytest.fixture
def api(environment: dict[str, str], site: Website, processes: Processes, owner_token: str) -> Iterator[Api]:
    """A gateway and a reader; the website of the test may be told, though it is on this machine."""
    processes.environment["SOURCEBOOK_URL_ALLOW"] = site.place
    with owner_api(processes, owner_token) as (_, made):
        processes.start("ingest", **PATIENT)
        yield made


def hook(api: Api, url: str, *events: str) -> dict[str, Any]:
    made = api.post("/webhooks", {"url": url, "events": list(events)})
    assert made.status_code == 201, made.text
    return dict(made.json())


def messages(site: Website) -> list[dict[str, Any]]:
    return [json.loads(body) for body in site.bodies]


def is_signed(site: Website, number: int, secret: str) -> bool:
    head, body = site.seen[number], site.bodies[number]
    given = next(line.split(": ", 1)[1] for line in head.split("\r\n") if line.lower().startswith("x-sourcebook-signature:"))
    at, made = (part.split("=", 1)[1] for part in given.split(","))
    return hmac.compare_digest(made, hmac.new(secret.encode(), f"{at}.".encode() + body, hashlib.sha256).hexdigest())


def test_what_happened_is_told_signed_and_without_a_word_of_anybody(api: Api, site: Website, processes: Processes) -> None:
    site.pages["/told"] = Answer(b"thanks")
    made = hook(api, site.url("/told"), "source.ready", "source.failed", "turn.done")
    processes.start("rag", **PATIENT)
    notebook = api.notebook()
    source = api.post(f"/notebooks/{notebook}/sources?wait=ready", {"text": TEXT, "title": "Mills"}).json()["items"][0]["source"]
    assert source["status"] == "ready"
    api.post(f"/notebooks/{notebook}/sources", {"url": site.url("/nothing-here")})
    turn = api.post(f"/notebooks/{notebook}/ask", {"question": "When was the mill closed?"}).json()
    until_sync(lambda: {one["event"] for one in messages(site)} == {"source.ready", "source.failed", "turn.done"}, 60, "all messages")
    told = {one["event"]: one["data"] for one in messages(site)}
    assert told["source.ready"]["source_id"] == source["id"]
    done = {"turn_id": turn["turn_id"], "conversation_id": turn["conversation_id"], "notebook_id": notebook, "status": "done"}
    assert told["turn.done"] == done
    assert told["source.failed"]["code"] == "url_not_found"
    posts = [number for number, head in enumerate(site.seen) if head.startswith("POST /told")]
    assert len(posts) == 3 and len({one["id"] for one in messages(site)}) == 3
    site.seen = [site.seen[number] for number in posts]
    assert all(is_signed(site, number, made["secret"]) for number in range(3))
    assert not any(word in body for body in site.bodies for word in (b"mill", b"Mills", b"1968"))
    listed = until_sync(lambda: [one for one in api.get("/webhooks").json()["items"] if one["last_sent_at"]], 60, "it to be noted")
    assert listed[0]["last_error"] is None and "secret" not in listed[0]


def test_a_receiver_that_is_away_is_told_again_and_one_that_was_taken_away_is_not(api: Api, site: Website) -> None:
    site.pages["/told"] = Answer(b"not now", 503)
    made = hook(api, site.url("/told"), "source.ready")
    notebook = api.notebook()
    api.post(f"/notebooks/{notebook}/sources?wait=ready", {"text": TEXT})
    until_sync(lambda: len(site.bodies) >= 2, 60, "a second try")
    site.pages["/told"] = Answer(b"thanks", 204)
    until_sync(lambda: api.get("/webhooks").json()["items"][0]["last_sent_at"], 60, "the message to arrive")
    assert len({one["id"] for one in messages(site)}) == 1
    count = len(site.bodies)
    assert api.delete(f"/webhooks/{made['id']}").status_code == 204
    refused(api.delete(f"/webhooks/{made['id']}"), 404, "not_found")
    other = api.post(f"/notebooks/{notebook}/sources?wait=ready", {"text": f"{TEXT} It has three floors."}).json()
    assert other["items"][0]["source"]["status"] == "ready" and len(site.bodies) == count


def test_only_public_addresses_are_told(api: Api) -> None:
    for url in ("http://127.0.0.1:9/told", "http://[::1]/told", "http://169.254.169.254/latest", "http://localhost/told"):
        refused(api.post("/webhooks", {"url": url, "events": ["turn.done"]}), 422, "url_not_public")
    refused(api.post("/webhooks", {"url": "ftp://example.org/told", "events": ["turn.done"]}), 422, "url_scheme")
    refused(api.post("/webhooks", {"url": "https://example.org/told", "events": ["turn.begun"]}), 422, "invalid_field")
    refused(api.post("/webhooks", {"url": "https://example.org/told", "events": []}), 422, "invalid_field")


def test_who_waits_gets_the_end_and_who_waits_too_short_gets_how_far_it_is(api: Api, processes: Processes) -> None:
    notebook = api.notebook()
    added = api.post(f"/notebooks/{notebook}/sources?wait=ready", {"text": TEXT, "title": "Mills"})
    assert (added.status_code, added.json()["items"][0]["source"]["status"]) == (200, "ready")
    source = added.json()["items"][0]["source"]["id"]
    again = api.post(f"/sources/{source}/reread?wait=60s")
    assert (again.status_code, again.json()["status"]) == (202, "ready")
    # Nobody answers: no worker of that kind runs.
    asked = api.post(f"/notebooks/{notebook}/ask?wait=1s", {"question": "When was the mill closed?"})
    assert (asked.status_code, asked.json()["status"]) == (202, "queued")
    processes.start("rag", **PATIENT)
    turn = asked.json()["id"]
    until_sync(lambda: api.get(f"/turns/{turn}").json()["status"] == "done", 60, "the answer")
    whole = api.post(f"/notebooks/{notebook}/ask?wait=ready", {"question": "When was the mill closed?"})
    assert whole.status_code == 200 and "1968" in whole.json()["answer"]
    for wait in ("soon", "0s", "1000s", "-1s", "60"):
        refused(api.post(f"/notebooks/{notebook}/sources?wait={wait}", {"text": TEXT}), 422, "invalid_field")


def test_who_tries_an_assistant_may_wait_as_who_asks_a_notebook(api: Api, processes: Processes) -> None:
    notebook = api.notebook()
    source = api.post(f"/notebooks/{notebook}/sources?wait=ready", {"text": TEXT, "title": "Mills"}).json()["items"][0]["source"]["id"]
    path = f"/assistants/{api.post('/assistants', {'name': 'Helper', 'profile': 'notebook'}).json()['id']}"
    assert api.put(f"{path}/sources", {"source_ids": [source]}).status_code == 200
    until_sync(lambda: api.get(path).json()["sources"]["pending"] == 0, 60, "its source to be cut")
    asked = api.post(f"{path}/ask?wait=1s", {"question": "When was the mill closed?"})  # nobody answers: no such worker runs
    assert (asked.status_code, asked.json()["status"]) == (202, "queued")
    processes.start("rag", **PATIENT)
    until_sync(lambda: api.get(f"/turns/{asked.json()['id']}").json()["status"] == "done", 60, "the answer")
    whole = api.post(f"{path}/ask?wait=ready", {"question": "When was the mill closed?"})
    assert whole.status_code == 200 and "1968" in whole.json()["answer"]
    refused(api.post(f"{path}/ask?wait=0s", {"question": "When?"}), 422, "invalid_field")

"""Asking through the gateway with real workers: streams, resuming, idempotent asking, Redis away."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx2
import pytest

from sourcebook.stack.bell import Bell
from tests.integration.gateway_rig import Api, owner_api, refused
from tests.rig import PATIENT, Processes

TEXT = """# Mills of Lindow

The water mill of Lindow was closed in 1968 and is a museum now.

The orchard was planted in 1911 by the Brandt family, who still own it.
"""
QUESTION = "When was the water mill of Lindow closed?"


@dataclass
class Stack:
    api: Api
    notebook: str
    processes: Processes


@pytest.fixture
def stack(processes: Processes, owner_token: str) -> Iterator[Stack]:
    with owner_api(processes, owner_token, COMMENT_S="0.5") as (_, api):
        processes.start("ingest", **PATIENT)
        processes.start("rag", **PATIENT)
        notebook = api.notebook()
        source = api.text(notebook, TEXT, title="Mills", format="markdown")
        api.ready(source["id"])
        yield Stack(api, notebook, processes)


@dataclass
class Frame:
    number: int
    name: str
    data: dict[str, Any]


def frames_of(text: str) -> list[Frame]:
    """The frames of an SSE body; comments are left out."""
    found = []
    for block in text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if fields:
            found.append(Frame(int(fields["id"]), fields["event"], json.loads(fields["data"])))
    return found


def text_of(frames: list[Frame]) -> str:
    return "".join(frame.data["text"] for frame in frames if frame.name == "token")


def _ask(stack: Stack, **options: Any) -> httpx2.Response:
    body = {"question": QUESTION, **options.pop("body", {})}
    headers = {"Accept": "text/event-stream", **options.pop("headers", {})}
    return stack.api.post(f"/notebooks/{stack.notebook}/ask", body, headers=headers)


def test_an_answer_streams_and_every_form_says_the_same(stack: Stack) -> None:
    response = _ask(stack, headers={"Idempotency-Key": "k1"})
    assert response.status_code == 200 and response.headers["content-type"].startswith("text/event-stream")
    assert response.headers["x-accel-buffering"] == "no" and "no-transform" in response.headers["cache-control"]
    frames = frames_of(response.text)
    numbers = [frame.number for frame in frames]
    assert numbers == sorted(set(numbers)), numbers
    names = [frame.name for frame in frames]
    assert names.count("open") == 1 and names[-1] == "done" and "citation" in names
    done = frames[-1].data
    assert text_of(frames) == done["answer"] and "1968" in done["answer"] and done["citations"][0]["uses"]
    opened = next(frame for frame in frames if frame.name == "open").data
    turn = stack.api.get(f"/turns/{opened['turn_id']}").json()
    assert turn["answer"] == done["answer"] and turn["status"] == "done" and turn["in_history"]
    again = frames_of(_ask(stack, headers={"Idempotency-Key": "k1"}).text)
    assert again[-1].data["turn_id"] == opened["turn_id"] and text_of(again) == done["answer"]
    refused(_ask(stack, headers={"Idempotency-Key": "k1"}, body={"question": "Another?"}), 409, "idempotency_conflict")
    whole = _ask(stack, headers={"Accept": "*/*"}).json()
    assert whole["finish"] == "complete" and "1968" in whole["answer"]
    lines = [json.loads(line) for line in _ask(stack, headers={"Accept": "application/x-ndjson"}).text.splitlines() if line]
    assert lines[-1]["type"] == "done" and {"open", "token", "done"} <= {line["type"] for line in lines}
    _resumes(stack, opened["turn_id"], frames, done["answer"])
    _explains(stack, opened)


def _resumes(stack: Stack, turn_id: str, frames: list[Frame], answer: str) -> None:
    for seen in range(len(frames)):
        last = frames[seen].number
        headers = {"Accept": "text/event-stream", "Last-Event-ID": str(last)}
        rest = frames_of(stack.api.get(f"/turns/{turn_id}/events", headers=headers).text)
        assert text_of(frames[: seen + 1]) + text_of(rest) == answer and rest[-1].name == "done"
        assert all(frame.number > last for frame in rest)
    for foreign in ("-1", "99999999999999999999", "4503599627370496", "x", "0"):
        headers = {"Accept": "text/event-stream", "Last-Event-ID": foreign}
        assert text_of(frames_of(stack.api.get(f"/turns/{turn_id}/events", headers=headers).text)) == answer


def _explains(stack: Stack, opened: dict[str, Any]) -> None:
    turn = opened["turn_id"]
    why = stack.api.get(f"/turns/{turn}/why").json()
    assert why["question"] == QUESTION and why["candidates"]
    assert stack.api.post(f"/turns/{turn}/feedback", {"value": 1, "note": "good"}).json()["feedback"] == {"value": 1, "note": "good"}
    assert stack.api.post(f"/turns/{turn}/feedback", {"value": 0}).json()["feedback"] is None
    found = stack.api.post(f"/notebooks/{stack.notebook}/search", {"query": "water mill"}).json()
    assert found["items"] and "mill" in found["items"][0]["text"]
    talks = stack.api.get(f"/notebooks/{stack.notebook}/conversations").json()["items"]
    assert opened["conversation_id"] in [talk["id"] for talk in talks]
    whole = stack.api.get(f"/conversations/{opened['conversation_id']}").json()
    assert [t["id"] for t in whole["turns"]] == [turn]
    exported = stack.api.get(f"/conversations/{opened['conversation_id']}/file?format=md")
    assert "[^1]: Mills" in exported.text and exported.headers["content-disposition"].startswith("attachment")


def test_an_answer_comes_also_without_redis(stack: Stack, redis_server: Bell) -> None:
    redis_server.child.kill()
    redis_server.child.wait()
    frames = frames_of(_ask(stack).text)
    assert frames[-1].name == "done" and text_of(frames) == frames[-1].data["answer"]
    assert "1968" in frames[-1].data["answer"]


def test_what_cannot_be_asked_is_refused_before_any_turn_exists(stack: Stack) -> None:
    refused(_ask(stack, body={"question": "   "}), 422, "invalid_field")
    refused(_ask(stack, body={"question": "x" * 4001}), 422, "invalid_field")
    refused(_ask(stack, body={"source_ids": []}), 422, "invalid_field")
    foreign = "7f4c1b1e-0000-4000-8000-000000000000"
    refused(_ask(stack, body={"source_ids": [foreign]}), 404, "not_found")
    refused(_ask(stack, body={"conversation_id": foreign}), 404, "not_found")
    history = [{"role": "user", "content": "hi"}]
    refused(_ask(stack, body={"conversation_id": foreign, "history": history}), 422, "invalid_field")
    assert stack.api.get(f"/notebooks/{stack.notebook}/conversations").json()["items"] == []

"""The fake provider itself, driven from another process as the tests of the whole stack do it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from tests.fakes.vectors import Pins
from tests.rig import free_port, until_sync

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def http() -> Iterator[httpx2.Client]:
    port = free_port()
    process = subprocess.Popen([sys.executable, "-m", "tests.fakes.provider", "--port", str(port)], cwd=ROOT)
    try:
        with httpx2.Client(base_url=f"http://127.0.0.1:{port}", trust_env=False, timeout=60) as http:

            def is_up() -> bool:
                try:
                    return bool(http.get("/v1/models").status_code == 200)
                except httpx2.TransportError:
                    return False

            until_sync(is_up, 30, "the fake provider")
            yield http
    finally:
        process.kill()
        process.wait(30)


def test_the_fake_is_told_what_to_say_and_tells_what_it_was_asked(http: httpx2.Client) -> None:
    asked = {"model": "m", "messages": [{"role": "user", "content": "How deep?"}]}
    http.post("/_fake/replies", json=[{"text": "40 m [1].", "match": "deep"}, {"kind": "embeddings", "status": 503}])
    http.post("/_fake/rules", json={"dimension": 8, "refused_parameters": ["top_p"]})
    assert http.post("/v1/chat/completions", json=asked).json()["choices"][0]["message"]["content"] == "40 m [1]."
    assert http.post("/v1/chat/completions", json={**asked, "top_p": 1}).status_code == 400
    assert http.post("/v1/embeddings", json={"model": "m", "input": "x"}).status_code == 503
    assert len(http.post("/v1/embeddings", json={"model": "m", "input": "x"}).json()["data"][0]["embedding"]) == 8
    listed = http.get("/_fake/requests", params={"kind": "embeddings"}).json()["items"]
    assert [(item["model"], item["batch"]) for item in listed] == [("m", 1), ("m", 1)]
    http.post("/_fake/reset")
    assert http.get("/_fake/requests").json()["items"] == []


def test_two_texts_have_the_cosine_they_were_given() -> None:
    pins = Pins()
    pins.pin("How deep is the lake?", "The lake is 40 m deep.", 0.61)
    question = pins.vector("query: How deep is the lake?", 64)
    passage = pins.vector("passage: Heading\nThe lake is 40 m deep. And cold.", 64)
    assert sum(a * b for a, b in zip(question, passage, strict=True)) == pytest.approx(0.61)
    assert pins.vector("some other text", 64) == pins.vector("some other text", 64)

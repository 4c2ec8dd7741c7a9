"""Embedding through the real client against the fake provider."""

from __future__ import annotations

from collections.abc import AsyncIterator

import numpy as np
import pytest
from pydantic import SecretStr

from sourcebook_core.errors import PermanentError, TransientError
from sourcebook_core.providers import embed
from sourcebook_core.providers.endpoint import forget
from sourcebook_core.providers.request import close_clients
from sourcebook_core.settings import RoleSettings
from tests.fakes.provider import FakeProvider
from tests.fakes.script import Reply
from tests.fakes.vectors import token_count, words_vector


@pytest.fixture(autouse=True)
async def clean() -> AsyncIterator[None]:
    forget()
    yield
    await close_clients()


def role(fake: FakeProvider, **fields: object) -> RoleSettings:
    given = {"name": "embedding", "provider": "api", "base_url": fake.base_url, "model": "fake", "api_key": SecretStr("sk-1"), **fields}
    return RoleSettings.model_validate(given)


async def test_forty_texts_go_in_batches_of_sixteen_and_come_back_in_order(fake: FakeProvider) -> None:
    fake.script.rules.batch_limit = 25
    fake.script.add(Reply(kind="embeddings", shuffle=True, times=0))
    texts = [f"text number {n}" for n in range(40)]
    found = await embed.embed_counted(role(fake), texts, mode="passage")
    assert [len(request.texts) for request in fake.script.requests("embeddings")] == [16, 16, 8]
    for text, vector in zip(texts, found.vectors, strict=True):
        assert np.allclose(vector, words_vector(text, 64), atol=1e-5)
        assert vector.dtype == np.float32
    assert found.calls == 3
    assert found.tokens == sum(token_count(text) for text in texts)


async def test_the_prefix_tells_question_from_passage(fake: FakeProvider) -> None:
    asked = role(fake, query_prefix="query: ", passage_prefix="passage: ")
    await embed.embed(asked, ["one"], mode="query")
    await embed.embed(asked, ["two"], mode="passage")
    assert [request.texts for request in fake.script.requests("embeddings")] == [["query: one"], ["passage: two"]]


async def test_the_key_goes_only_to_a_hosted_role_and_the_language_only_to_a_local_one(fake: FakeProvider) -> None:
    await embed.embed(role(fake), ["one"], mode="query", languages=["cs"])
    await embed.embed(role(fake, provider="local"), ["one two", "three"], mode="query", languages=["cs", None])
    hosted, local = fake.script.requests("embeddings")
    assert hosted.headers["authorization"] == "Bearer sk-1"
    assert "x-language" not in hosted.headers
    assert "authorization" not in local.headers
    assert local.headers["x-language"] == "cs,und"
    assert not [name for request in (hosted, local) for name in request.headers if name.startswith(("x-stainless", "openai-"))]


async def test_no_key_of_the_environment_is_sent(fake: FakeProvider, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-shell")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-of-the-shell")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Secret: shell")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    await embed.embed(role(fake, api_key=None), ["one"], mode="query")
    await embed.embed(role(fake, provider="local"), ["one"], mode="query")
    assert "shell" not in str([request.headers for request in fake.script.requests()])
    assert all("authorization" not in request.headers for request in fake.script.requests())


async def test_a_refused_batch_is_halved_and_the_smaller_size_remembered(fake: FakeProvider) -> None:
    fake.script.rules.batch_limit = 5
    vectors = await embed.embed(role(fake), [f"text {n}" for n in range(32)], mode="passage")
    sizes = [len(request.texts) for request in fake.script.requests("embeddings")]
    assert sizes[:4] == [16, 8, 4, 4]
    assert max(sizes[sizes.index(4) :][6:]) <= 5
    assert len(vectors) == 32


async def test_a_text_over_the_limit_is_embedded_in_pieces_and_gets_their_mean(fake: FakeProvider) -> None:
    fake.script.rules.text_tokens = 60
    long = " ".join(f"Donaudampfschifffahrt{n}" for n in range(30))
    short = "a short text"
    vectors = await embed.embed(role(fake, passage_prefix="passage: "), [short, long, short], mode="passage")
    assert np.allclose(vectors[0], words_vector(short, 64), atol=1e-5)
    assert np.allclose(vectors[2], vectors[0])
    assert float(vectors[1] @ np.asarray(words_vector(long, 64))) > 0.9
    assert np.isclose(np.linalg.norm(vectors[1]), 1, atol=1e-5)
    sent = [text for request in fake.script.requests("embeddings") for text in request.texts]
    assert all(text.startswith("passage: ") for text in sent)
    parts = {text for text in sent if token_count(text) <= 60 and text != "passage: " + short}
    assert "".join(sorted((p.removeprefix("passage: ") for p in parts), key=long.index)) == long


async def test_a_known_limit_cuts_before_sending(fake: FakeProvider) -> None:
    fake.script.rules.context_tokens = 60
    long = " ".join(f"word{n}" for n in range(100))
    await embed.embed(role(fake), [long], mode="passage")
    assert all(embed.token_estimate(request.texts[0]) <= 60 for request in fake.script.requests("embeddings"))


@pytest.mark.parametrize(
    "reply",
    [
        Reply(kind="embeddings", drop=1),
        Reply(kind="embeddings", value="nan"),
        Reply(kind="embeddings", value="zero"),
        Reply(kind="embeddings", value="infinite"),
        Reply(kind="embeddings", body="<html>no</html>"),
        Reply(kind="embeddings", body='{"data": [{"index": 0, "embedding": [1]}, {"index": 2, "embedding": [1]}]}'),
        Reply(kind="embeddings", body='{"data": [{"index": 0, "embedding": "!"}, {"index": 1, "embedding": "?"}]}'),
        Reply(kind="embeddings", body='{"data": [{"embedding": [1, 2]}, {"embedding": [1]}]}'),
        Reply(kind="embeddings", body='{"error": {"message": "no room"}}'),
    ],
    ids=lambda reply: f"{reply.value or reply.drop or reply.body}"[:30],
)
async def test_a_reply_that_is_wrong_in_any_row_is_refused_whole(fake: FakeProvider, reply: Reply) -> None:
    fake.script.add(reply)
    with pytest.raises(PermanentError) as caught:
        await embed.embed(role(fake), ["one", "two"], mode="passage")
    assert caught.value.code == "model_bad_reply"
    assert len(fake.script.requests("embeddings")) == 1


async def test_another_dimension_than_the_setting_is_named(fake: FakeProvider) -> None:
    fake.script.add(Reply(kind="embeddings", dimension=32))
    with pytest.raises(PermanentError) as caught:
        await embed.embed(role(fake, dimension=64), ["one"], mode="passage")
    assert caught.value.code == "dimension_differs"
    assert "32" in caught.value.message and "64" in caught.value.message


async def test_a_refused_optional_parameter_is_left_out_and_not_sent_again(fake: FakeProvider) -> None:
    fake.script.rules.refused_parameters = ("dimensions", "encoding_format")
    await embed.embed(role(fake, dimension=64), ["one"], mode="passage")
    await embed.embed(role(fake, dimension=64), ["two"], mode="passage")
    assert [len(request.body) for request in fake.script.requests("embeddings")] == [4, 3, 2, 2]


async def test_a_blank_text_is_never_sent(fake: FakeProvider) -> None:
    with pytest.raises(ValueError, match="blank"):
        await embed.embed(role(fake), ["one", " \n"], mode="passage")
    assert fake.script.requests("embeddings") == []


async def test_a_server_that_is_not_there_is_named_as_away() -> None:
    gone = RoleSettings(name="embedding", provider="local", base_url="http://127.0.0.1:8599/v1", model="fake")
    with pytest.raises(TransientError) as caught:
        await embed.embed(gone, ["one"], mode="passage")
    assert caught.value.code == "model_unavailable"


async def test_a_short_question_gets_both_means_only_from_the_local_server(fake: FakeProvider) -> None:
    await embed.embed_question(role(fake), "Kolik stojí?", language="cs")
    await embed.embed_question(role(fake, provider="local"), "Kolik stojí?", language="cs")
    await embed.embed_question(role(fake, provider="local"), "Kolik stojí ta velká kniha?", language="cs")
    await embed.embed_question(role(fake, provider="local"), "What price?", language="en")
    assert [request.headers.get("x-language") for request in fake.script.requests("embeddings")] == [None, "cs,en", "cs", "en"]


async def test_a_long_question_is_one_short_text_that_holds_its_beginning_and_its_end(fake: FakeProvider) -> None:
    long = "When was the mill closed? " + "1 " * 1950 + "Who lived there?"
    for question in (long, "Kolik " + "\ufdfa" * 200):  # one character that is eighteen
        await embed.embed_question(role(fake, provider="local"), question, language="en")
    first, second = [request.body["input"] for request in fake.script.requests("embeddings")]
    assert len(first) == len(second) == 1 and max(len(first[0]), len(second[0])) <= embed.QUESTION_CHARS + 30  # with a prefix
    assert "When was the mill closed?" in first[0] and first[0].endswith("Who lived there?") and "Kolik" in second[0]


async def test_what_is_embedded_is_normalised_but_not_the_text_kept() -> None:
    assert embed.readable("exam\u00ad\r\nple caf\u0065\u0301 \ud800 \0") == "example café \ufffd \ufffd"

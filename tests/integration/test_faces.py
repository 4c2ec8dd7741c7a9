"""The other faces: OpenAI's API by its own client, MCP by its SDK's client, over the same answers, gate and limits."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx2
import openai
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.integration.gateway_rig import Api, working_gateway
from tests.rig import TestPostgres

TEXT = """# Mills of Lindow

The water mill of Lindow was closed in 1968 and is a museum now.

The orchard was planted in 1911 by the Brandt family, who still own it.
"""
QUESTION = "When was the water mill of Lindow closed?"


@dataclass
class Face:
    """A gateway with one notebook of one text, and no model: answers are quoted."""

    api: Api
    token: str
    notebook: str
    source: str

    @property
    def model(self) -> str:
        """The notebook as a model's name."""
        return f"notebook:{self.notebook}"

    clients: list[openai.OpenAI] = field(default_factory=list)

    def client(self, token: str | None = None) -> openai.OpenAI:
        """OpenAI's own client, closed with the face."""
        self.clients.append(openai.OpenAI(base_url=f"{self.api.address}/v1", api_key=token or self.token, max_retries=0))
        return self.clients[-1]

    def new_token(self, *scopes: str) -> str:
        """Another token of the owner's."""
        return str(self.api.post("/tokens", {"name": "narrow", "scopes": list(scopes)}).json()["token"])

    @asynccontextmanager
    async def mcp(self, token: str | None = None) -> AsyncIterator[Client]:
        """The SDK's client."""
        headers = {"Authorization": f"Bearer {token or self.token}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=30) as http,
            Client(streamable_http_client(f"{self.api.address}/mcp", http_client=http)) as client,
        ):
            yield client


@pytest.fixture(scope="module")
def face(postgres: TestPostgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Face]:
    with working_gateway(postgres, tmp_path_factory.mktemp("faces")) as (_, api, _url):
        notebook = api.notebook()
        source = api.text(notebook, TEXT, title="Mills", format="markdown")
        api.ready(source["id"])
        made = Face(api, str(api.token), notebook, source["id"])
        yield made
        for client in made.clients:
            client.close()


def test_the_openai_client_lists_what_can_be_asked_and_gets_a_cited_answer(face: Face) -> None:
    client = face.client()
    assert face.model in {one.id for one in client.models.list()}
    answer = client.chat.completions.create(
        model=face.model,
        messages=[
            {"role": "system", "content": "Answer like a pirate."},
            {"role": "user", "content": "Hello"},
            {"role": "assistant", "content": "Ask me about the mills [1]."},
            {"role": "user", "content": [{"type": "text", "text": QUESTION}]},
        ],
        temperature=0.9,
        tools=[],
    )
    message = answer.choices[0].message
    extra: dict[str, Any] = message.model_extra or {}
    assert answer.choices[0].finish_reason == "stop" and message.content is not None and "1968" in message.content
    first = extra["citations"][0]
    assert first["source_id"] == face.source and first["quote"] in TEXT and first["verdict"] == "found"
    assert extra["checks"]["found"] == extra["checks"]["total"] > 0
    turn = face.api.get(f"/turns/{extra['turn_id']}").json()
    assert turn["answer"] == message.content and turn["question"] == QUESTION


def test_the_openai_client_reads_the_stream_and_its_pieces_join_to_the_answer(face: Face) -> None:
    stream = face.client().chat.completions.create(
        model=face.model, messages=[{"role": "user", "content": QUESTION}], stream=True, stream_options={"include_usage": True}
    )
    chunks = list(stream)
    deltas = [chunk.choices[0].delta for chunk in chunks if chunk.choices]
    words = "".join(delta.content or "" for delta in deltas)
    told = next(delta.model_extra for delta in deltas if delta.model_extra and "citations" in delta.model_extra)
    assert told is not None and told["citations"][0]["quote"] in TEXT
    assert words == face.api.get(f"/turns/{told['turn_id']}").json()["answer"]
    assert [chunk.choices[0].finish_reason for chunk in chunks if chunk.choices][-1] == "stop"
    assert not chunks[-1].choices and len({chunk.id for chunk in chunks}) == 1


def test_refusals_have_the_shape_that_the_openai_client_knows(face: Face) -> None:
    asked: list[Any] = [{"role": "user", "content": QUESTION}]
    for name in ("gpt-5", f"notebook:{face.source}", "notebook:x", "assistant:nobody"):
        with pytest.raises(openai.NotFoundError) as missing:
            face.client().chat.completions.create(model=name, messages=asked)
        assert missing.value.code == "not_found"
    with pytest.raises(openai.AuthenticationError):
        face.client("sb-wrong").chat.completions.create(model=face.model, messages=asked)
    with pytest.raises(openai.PermissionDeniedError):
        face.client(face.new_token("read")).chat.completions.create(model=face.model, messages=asked)
    picture: list[Any] = [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:,"}}]}]
    silent: list[Any] = [{"role": "assistant", "content": "I asked nothing."}]
    blank: list[Any] = [{"role": "user", "content": " "}]
    long: list[Any] = [{"role": "user", "content": "word " * 30_000}]
    for messages in (picture, silent, blank, long):
        with pytest.raises(openai.UnprocessableEntityError) as refused:
            face.client().chat.completions.create(model=face.model, messages=messages)
        assert refused.value.type == "invalid_request_error"


def test_a_notebook_is_asked_with_our_own_fields_through_the_openai_client(face: Face) -> None:
    answer = face.client().chat.completions.create(
        model=face.model,
        messages=[{"role": "user", "content": QUESTION}],
        extra_body={"sourcebook": {"source_ids": [face.source], "answer_language": "de"}},
    )
    assert "1968" in (answer.choices[0].message.content or "")


async def test_the_mcp_client_searches_asks_lists_reads_and_adds(face: Face) -> None:
    async with face.mcp() as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(tools) == {"list_notebooks", "list_sources", "search", "ask", "read_source", "add_source"}
        assert tools["search"].annotations is not None and tools["search"].annotations.read_only_hint

        async def call(name: str, **given: Any) -> dict[str, Any]:
            result = await client.call_tool(name, given)
            assert not result.is_error and result.structured_content is not None, result.content
            return dict(result.structured_content)

        assert face.notebook in {one["id"] for one in (await call("list_notebooks"))["notebooks"]}
        assert (await call("list_sources", notebook=face.notebook))["sources"][0]["id"] == face.source
        found = await call("search", query="orchard Brandt", notebook=face.notebook)
        assert found["passages"][0]["source_id"] == face.source
        done = await call("ask", question=QUESTION, notebook=face.notebook)
        assert "1968" in done["answer"] and done["citations"][0]["quote"] in TEXT
        place = done["citations"][0]["passage"]
        read = await call("read_source", source=face.source, first_passage=place)
        assert done["citations"][0]["quote"] in read["passages"][0]["text"]
        added = await call("add_source", notebook=face.notebook, text="The ferry runs from May to October.", title="Ferry")
        assert added["source"]["title"] == "Ferry"


async def test_a_tool_of_mcp_refuses_in_a_sentence_and_only_with_the_right_scope(face: Face) -> None:
    async with face.mcp(face.new_token("read")) as client:

        async def refused(name: str, **given: Any) -> str:
            result = await client.call_tool(name, given)
            assert result.is_error
            return str(result.content)

        assert "forbidden" in await refused("ask", question=QUESTION, notebook=face.notebook)
        assert "forbidden" in await refused("add_source", notebook=face.notebook, text="No.")
        assert "not_found" in await refused("read_source", source=face.notebook)
        for name, given, field in (
            ("search", {"query": "mill", "k": "many"}, "k"), ("search", {"query": "mill", "k": 51}, "k"), ("ask", {}, "question"),
            ("read_source", {"source": ["a"]}, "source"), ("list_sources", {"notebook": {"a": 1}}, "notebook"),
        ):  # fmt: skip
            told = await refused(name, **given)
            assert f"invalid_field: A field is not right: {field}: " in told and "Error executing" not in told, told
            assert "validation error" not in told and "pydantic" not in told
        assert "not_found: There is no such tool" in await refused("delete_everything")
        assert "not an id" in await refused("list_sources", notebook="../x")
    assert face.api.other(None) is not None
    unknown = httpx2.post(f"{face.api.address}/mcp", json={}, headers={"Authorization": "Bearer sb-wrong"}, timeout=60)
    assert unknown.status_code == 401 and unknown.json()["error"]["code"] == "not_signed_in"
    assert httpx2.post(f"{face.api.address}/mcp", json={}, cookies={"sourcebook_session": "x"}, timeout=60).status_code == 401


async def test_a_misnamed_argument_of_mcp_is_refused_with_the_known_ones_and_never_searches_the_whole_library(face: Face) -> None:
    async with face.mcp() as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert all(tool.input_schema["additionalProperties"] is False for tool in tools.values())
        searches = "there is no such argument. Known here: query, notebook, k."
        for name, given, told in (
            ("search", {"query": "mill", "notebook_id": face.notebook}, f"notebook_id: {searches}"),
            ("list_sources", {"notebook_id": face.notebook}, "notebook_id: there is no such argument. Known here: notebook."),
            ("list_notebooks", {"all": True}, "all: there is no such argument; this tool takes none."),
            ("search", {"q": "mill"}, f"q: {searches}"),
            ("search", {}, "query: this argument is needed."),
            ("search", None, "query: this argument is needed."),
            ("search", {"query": ["mill"]}, "query: it takes a text."),
            ("search", {"query": "mill", "k": 51}, "k: it takes a whole number from 1 to 50."),
            ("search", {"query": "mill", "k": "many"}, "k: it takes a whole number from 1 to 50."),
            ("search", {"query": ""}, "query: it may not be empty."),
            ("list_sources", {"notebook": {"a": 1}}, "notebook: it takes a text."),
        ):  # fmt: skip
            result = await client.call_tool(name, given)
            words = [getattr(part, "text", "") for part in result.content]
            assert result.is_error and words == [f"invalid_field: A field is not right: {told}"], words

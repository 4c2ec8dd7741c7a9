"""Uses of tools that a chat model asks for, through the real client against the fake provider; and as models write them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from pydantic import SecretStr

from sourcebook_core.errors import SourcebookError
from sourcebook_core.providers import chat
from sourcebook_core.providers.endpoint import forget
from sourcebook_core.providers.request import close_clients
from sourcebook_core.providers.tool_calls import Collected, Tool, ToolCall, object_of, of_message, of_text
from sourcebook_core.settings import RoleSettings
from tests.fakes.provider import FakeProvider
from tests.fakes.script import Reply

ASKED = [{"role": "user", "content": "How deep is the lake?"}]
TOOLS = [Tool("search", "Finds passages.", {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]})]
TWO = (("search", '{"query": "deep lake"}'), ("fly", "{not json"))


@pytest.fixture(autouse=True)
async def clean() -> AsyncIterator[None]:
    forget()
    yield
    await close_clients()


def role(fake: FakeProvider) -> RoleSettings:
    given = {"name": "chat", "provider": "api", "base_url": fake.base_url, "model": "fake", "api_key": SecretStr("sk-1")}
    return RoleSettings.model_validate(given)


async def streamed(asked: RoleSettings, tools: list[Tool]) -> tuple[str, tuple[ToolCall, ...]]:
    pieces = [piece async for piece in chat.stream(asked, ASKED, tools=tools)]
    return "".join(piece.text for piece in pieces), pieces[-1].calls


async def test_calls_come_alike_from_a_whole_reply_and_from_a_stream(fake: FakeProvider) -> None:
    fake.script.add(Reply(calls=TWO, times=2))
    whole = await chat.complete(role(fake), ASKED, tools=TOOLS)
    text, calls = await streamed(role(fake), TOOLS)
    assert whole.text == text == "" and whole.end.finish == "tool_calls"
    assert [(call.name, call.arguments) for call in whole.calls] == [(call.name, call.arguments) for call in calls] == list(TWO)
    assert len({call.id for call in calls}) == 2


async def test_reasoning_is_off_on_every_call_with_tools_and_without(fake: FakeProvider) -> None:
    # B54: one request builder. What differs between the four is what was asked for.
    await chat.complete(role(fake), ASKED, tools=TOOLS)
    await chat.complete(role(fake), ASKED)
    await streamed(role(fake), TOOLS)
    await streamed(role(fake), [])
    bodies: list[dict[str, Any]] = [dict(request.body) for request in fake.script.requests("chat")]
    assert [body["reasoning_effort"] for body in bodies] == ["none"] * 4
    assert [request.tools for request in fake.script.requests("chat")] == [["search"], [], ["search"], []]
    for body in bodies:
        for name in ("tools", "stream", "stream_options"):
            body.pop(name, None)
    assert all(body == bodies[0] for body in bodies)


async def test_a_use_that_was_never_offered_is_no_answer(fake: FakeProvider) -> None:
    fake.script.add(Reply(calls=TWO, times=2))
    for one in (chat.complete(role(fake), ASKED), streamed(role(fake), [])):
        with pytest.raises(SourcebookError) as caught:
            await one
        assert caught.value.code == "model_bad_reply"


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>\n{"name": "search", "arguments": {"query": "deep lake"}}\n</tool_call>',
        '{"name": "search", "parameters": {"query": "deep lake"}}',
        '```json\n{"name": "search", "arguments": {"query": "deep lake"}}\n```',
        '```{"name": "search", "arguments": {"query": "deep lake"}}```',
        '[TOOL_CALLS] [{"name": "search", "arguments": {"query": "deep lake"}}]',
        '<|python_tag|>{"name": "search", "arguments": "{\\"query\\": \\"deep lake\\"}"}',
        '{"type": "function", "function": {"name": "search", "arguments": {"query": "deep lake"}}}',
    ],
)
async def test_a_call_written_as_text_is_taken_as_one(fake: FakeProvider, text: str) -> None:
    fake.script.add(Reply(text=text))
    reply = await chat.complete(role(fake), ASKED, tools=TOOLS)
    assert [(call.name, object_of(call.arguments)) for call in reply.calls] == [("search", {"query": "deep lake"})]


@pytest.mark.parametrize(
    "text",
    [
        'Use {"name": "search", "arguments": {}} to find it.',
        '{"name": "fly", "arguments": {}}',
        '{"depth": 40}',
        "[1, 2]",
        '<tool_call>{"name": "search"',
        '<tool_call>{"name": "search", "arguments": {}}</tool_call> It is 40 m deep.',
        "<tool_call>" + " " * 90_000,
        "```json\n" + " " * 90_000 + "x```",
        "<tool_call>" * 5000,
        "``````",
        "{" * 90_000,
        " " * 3_000_000,
    ],
    ids=lambda text: text[:20],
)
def test_other_text_is_no_call(text: str) -> None:
    assert of_text(text, ["search"]) == ()


def test_a_hostile_message_gives_no_more_than_calls_with_names() -> None:
    given = [None, 7, {"function": None}, {"function": {"name": ""}}, {"id": 3, "function": {"name": "x" * 500, "arguments": {"a": 1}}}]
    (call,) = of_message({"tool_calls": given})
    assert call.name == "x" * 64 and call.arguments == '{"a":1}'
    assert of_message({"tool_calls": "search"}) == of_message({}) == ()
    assert len(of_message({"tool_calls": [{"function": {"name": "search"}}] * 1000})) == 32


def test_pieces_of_a_stream_that_all_say_index_0_are_told_apart_by_their_ids() -> None:
    collected = Collected()
    for called in ("a", "b"):
        collected.feed({"tool_calls": [{"index": 0, "id": called, "function": {"name": "search", "arguments": "{}"}}]})
    collected.feed({"tool_calls": "nothing"})
    assert [(call.id, call.arguments) for call in collected.calls] == [("a", "{}"), ("b", "{}")]


def test_what_is_repeated_to_a_model_is_always_an_object() -> None:
    assert ToolCall("1", "bad name!", "{oops").told["function"] == {"name": "unknown", "arguments": "{}"}
    assert ToolCall("1", "search", "").told["function"] == {"name": "search", "arguments": "{}"}

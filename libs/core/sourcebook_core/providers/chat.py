"""Chat models: a streamed or a whole reply from any OpenAI-compatible endpoint."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

import httpx2
import openai

from sourcebook_core.errors import SourcebookError
from sourcebook_core.providers import failures, request
from sourcebook_core.providers.endpoint import endpoint
from sourcebook_core.providers.thinking import NeverEnded, StrayThinking, Visible, visible
from sourcebook_core.providers.tool_calls import Collected, Tool, ToolCall, of_message, of_text
from sourcebook_core.settings import RoleSettings
from sourcebook_core.text import decode

PATH = "/chat/completions"
MAX_REPLY_CHARS = 400_000  # of one streamed reply with its thinking: a model that never ends is left there
Message = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the provider counted them."""

    prompt_tokens: int
    completion_tokens: int


def token_units(usage: Usage | None) -> dict[str, int | None]:
    """The tokens of a call as the ledger and prices name them, None where the provider did not count."""
    return {"tokens_in": usage.prompt_tokens if usage else None, "tokens_out": usage.completion_tokens if usage else None}


@dataclass(frozen=True, slots=True)
class End:
    """How a reply ended: `finish` is `stop`, `length` (cut at max_tokens) or the provider's word; `usage` None when it sent none."""

    finish: str
    usage: Usage | None
    model: str


@dataclass(frozen=True, slots=True)
class Piece:
    """The next visible text of a reply; the last piece has no text, the `end` and the uses of tools that the model asks for."""

    text: str
    end: End | None = None
    calls: tuple[ToolCall, ...] = ()


@dataclass(frozen=True, slots=True)
class Reply:
    """A whole reply: its visible text, blank only where it asks for uses of tools, and how it ended."""

    text: str
    end: End
    calls: tuple[ToolCall, ...] = ()


def _fields(
    role: RoleSettings, messages: Sequence[Message], temperature: float | None, max_tokens: int | None, tools: Sequence[Tool] = ()
) -> dict[str, Any]:
    return {
        "model": role.model,
        "messages": [dict(message) for message in messages],
        "temperature": role.temperature if temperature is None else temperature,
        "max_tokens": max_tokens or role.max_tokens,
        "reasoning_effort": role.reasoning_effort,
        "tools": [tool.told for tool in tools] or None,
        **role.options,
    }


async def complete(
    role: RoleSettings,
    messages: Sequence[Message],
    *,
    temperature: float | None = None,
    max_tokens: int | None = None,
    response_format: Mapping[str, Any] | None = None,
    tools: Sequence[Tool] = (),
) -> Reply:
    """The whole reply to `messages`; transient failures are tried again. With `tools` it may ask for uses of them.

    Raises TransientError or PermanentError (`failures`); an empty reply, one of thinking alone and one that ends inside
    its thinking are `model_bad_reply` (S0-50, N-03), whose fact `usage` says what they cost.
    """
    fields = _fields(role, messages, temperature, max_tokens, tools) | {"response_format": response_format}
    found = await request.post(role, PATH, fields)
    choice = first_choice(found)
    message = choice.get("message") or {}
    end = End(str(choice.get("finish_reason") or "stop"), usage_of(found), str(found.get("model") or role.model))
    try:
        text = decode.clean(visible(str(message.get("content") or "")))[0].strip()  # no column holds a NUL or half a pair (B07, B08)
    except NeverEnded:
        raise _no_answer(role, end, "it ended inside the model's thinking.") from None
    calls = (of_message(message) or of_text(text, [tool.name for tool in tools])) if tools else ()
    if not text and not calls:
        raise _no_answer(role, end, _why_empty(bool(_reasoning(message)), end.finish))
    return Reply(text, end, calls)


async def stream(
    role: RoleSettings,
    messages: Sequence[Message],
    *,
    temperature: float | None = None,
    max_tokens: int | None = None,
    tools: Sequence[Tool] = (),
) -> AsyncGenerator[Piece]:
    """The reply to `messages` piece by piece; the last piece carries the `End`, and with `tools` the uses that it asks for.

    Tried again only while nothing was given out. Closing the iterator closes the connection, so that the model stops.
    Raises the errors of `complete`; a stream that breaks, cannot be read or ends without a finish reason is TransientError
    `model_bad_reply` or `model_unavailable`, after the pieces that came.
    """
    fields = _fields(role, messages, temperature, max_tokens, tools) | {"stream": True, "stream_options": {"include_usage": True}}
    endpoint(role).check(role)
    retry = request.Retry(role)
    while True:
        is_begun = False
        try:
            async with aclosing(_stream_once(role, fields)) as pieces:
                async for piece in pieces:
                    is_begun = True
                    yield piece
            endpoint(role).worked()
            return
        except SourcebookError as error:
            if is_begun:
                raise
            await retry.again(error)


async def _stream_once(role: RoleSettings, fields: Mapping[str, Any]) -> AsyncGenerator[Piece]:
    was_aloud = endpoint(role).thinks_aloud
    shows = Visible(aloud=was_aloud)
    seen = _Seen(str(role.model))
    is_blank = True
    async with aclosing(_chunks(role, fields)) as chunks:
        async for chunk in chunks:
            try:
                text = shows.feed(seen.take(chunk))
            except StrayThinking:
                endpoint(role).thinks_aloud = True
                raise failures.bad_reply(role, "it mixed its thinking into the answer. Ask again: it will be left out.") from None
            if text and (text.strip() or not is_blank):
                is_blank = False
                yield Piece(text)
            if seen.is_long:
                break
    if seen.finish is None:
        raise failures.broke_off(role)
    end = End(seen.finish, seen.usage, seen.model)
    try:
        rest = shows.close()
    except NeverEnded:
        raise _no_answer(role, end, "it ended inside the model's thinking.") from None
    if was_aloud and not shows.has_thought:
        endpoint(role).thinks_aloud = False  # one reply gave it a bad name: its answers may stream again
    if rest.strip():
        is_blank = False
        yield Piece(rest)
    calls = seen.collected.calls if fields["tools"] else ()
    if is_blank and not calls:
        raise _no_answer(role, end, _why_empty(seen.has_reasoned, end.finish))
    yield Piece("", end, calls)


async def _chunks(role: RoleSettings, fields: Mapping[str, Any]) -> AsyncGenerator[Mapping[str, Any]]:
    """The JSON objects of one stream, its errors classified; the first one comes within `first_byte_s`."""
    opened = await request.open_stream(role, PATH, fields)
    try:
        first: float | None = role.first_byte_s
        while True:
            async with asyncio.timeout(first):
                chunk = await anext(opened, None)
            first = None
            if chunk is None:
                return
            if isinstance(chunk, Mapping):
                yield chunk
    except (openai.OpenAIError, httpx2.HTTPError, TimeoutError, ValueError) as error:
        raise failures.classified(error, role) from error
    finally:
        await opened.close()


class _Seen:
    """What the chunks of one stream said so far."""

    def __init__(self, model: str) -> None:
        self.model = model
        self.finish: str | None = None
        self.usage: Usage | None = None
        self.has_reasoned = False
        self.collected = Collected()
        self.chars = 0

    @property
    def is_long(self) -> bool:
        """Whether more came than any answer needs; what comes after it is not read."""
        return self.chars > MAX_REPLY_CHARS

    def take(self, chunk: Mapping[str, Any]) -> str:
        """Note a chunk's facts and give its text."""
        self.model = str(chunk.get("model") or self.model)
        self.usage = usage_of(chunk) or self.usage
        choice = first_choice(chunk)
        self.finish = choice.get("finish_reason") or self.finish
        delta = choice.get("delta") or {}
        self.has_reasoned = self.has_reasoned or bool(_reasoning(delta))
        self.collected.feed(delta)
        text = str(delta.get("content") or "")
        self.chars += len(text)
        if self.is_long:
            self.finish = "length"
        return text


def first_choice(found: Mapping[str, Any]) -> Mapping[str, Any]:
    """The first choice of a reply or chunk; empty when it has none."""
    choices = found.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else {}
    return first if isinstance(first, Mapping) else {}


def _reasoning(message: Mapping[str, Any]) -> str:
    return str(message.get("reasoning_content") or message.get("reasoning") or "")


def usage_of(found: Mapping[str, Any]) -> Usage | None:
    """The tokens that a reply or chunk tells; None when it does not."""
    usage = found.get("usage")
    if not isinstance(usage, Mapping) or not isinstance(usage.get("prompt_tokens"), int):
        return None
    said = usage.get("completion_tokens")
    return Usage(usage["prompt_tokens"], said if isinstance(said, int) else 0)


def _why_empty(has_reasoned: bool, finish: str) -> str:
    if finish == "content_filter":
        return "its filter withheld the answer."
    if has_reasoned or finish == "length":
        return "it used its whole length for thinking. Choose a model without it, or switch it off there."
    return "it is empty."


def _no_answer(role: RoleSettings, end: End, why: str) -> SourcebookError:
    usage = {"prompt_tokens": end.usage.prompt_tokens, "completion_tokens": end.usage.completion_tokens} if end.usage else None
    return failures.bad_reply(role, why, usage=usage)

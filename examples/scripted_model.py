"""A small model server whose answers are written beforehand, shared by the examples: OpenAI-compatible, on this machine.

It shows what Sourcebook does with an answer, whatever a model of the day would write::

    with ScriptedModel() as model:
        model.rules = [Rule("how deep", "It is 41.3 metres deep [[deepest point]].")]

`[[deepest point]]` becomes the mark of the passage in the prompt that holds these words, `{{deepest point}}` its bare number; `[7]`
stays as it is. A rule answers when
its words stand in what was asked (passages left out); `calls` are tool calls that come first, one list a round. Embeddings of
`example-words` are hashed words; of any other model they are fetched from `upstream`, the embedding server of the installation.
A question to `example-translate` is looked up in `translations`. Every request is kept in `model.record`.
"""

from __future__ import annotations

import contextlib
import json
import re
import time
import zlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any, Self

import httpx2
import numpy as np
from starlette.applications import Starlette
from starlette.requests import Request as HttpRequest
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from examples.served import served

CHAT, TRANSLATE, WORDS = "example-chat", "example-translate", "example-words"
DIMENSION = 256
NOWHERE = 99  # a mark that names no passage
NO_RULE = "Nobody wrote down what to answer to this."
_PASSAGE = re.compile(r"^\[(\d+)\][^\n]*\n(\S+)\n(.*?)\n\2$", re.MULTILINE | re.DOTALL)
_PLACE = re.compile(r"\[\[(.+?)\]\]")
_BARE = re.compile(r"\{\{(.+?)\}\}")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Rule:
    """What is answered to a request that asks with these words."""

    asked: str
    say: str = ""
    calls: tuple[tuple[tuple[str, dict[str, Any]], ...], ...] = ()
    again: bool = False  # ask for the last round's tools for as long as there are any
    without: str = ""  # said instead where a passage that `say` points at was not handed over


@dataclass(frozen=True)
class Asked:
    """One request as it came."""

    kind: str
    model: str
    body: dict[str, Any]

    @property
    def everything(self) -> str:
        """All of it, as one text to look for words in."""
        return json.dumps(self.body, ensure_ascii=False)

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The messages of a chat request."""
        return list(self.body.get("messages", []))

    @property
    def prompt(self) -> str:
        """The last message of the person who asks."""
        return next((str(one["content"]) for one in reversed(self.messages) if one["role"] == "user"), "")

    @property
    def passages(self) -> dict[int, str]:
        """The numbered passages that it was given, those that tools found included."""
        whole = "\n".join(str(one.get("content") or "") for one in self.messages if one["role"] in ("user", "tool"))
        return {int(n): text for n, _, text in _PASSAGE.findall(whole)}

    @property
    def question(self) -> str:
        """The prompt without its passages."""
        return _PASSAGE.sub("", self.prompt)

    @property
    def said_before(self) -> str:
        """Everything of the people and the answers before it."""
        return "\n".join(_PASSAGE.sub("", str(one.get("content") or "")) for one in self.messages if one["role"] in ("user", "assistant"))

    @property
    def tools(self) -> list[str]:
        """The names of the tools that it offers."""
        return [one["function"]["name"] for one in self.body.get("tools") or []]

    @property
    def results(self) -> list[str]:
        """What tools have answered so far in this turn."""
        return [str(one["content"]) for one in self.messages if one["role"] == "tool"]


@dataclass
class ScriptedModel:
    """The server on a free port of 127.0.0.1, served from a thread of its own until it is closed."""

    rules: list[Rule] = field(default_factory=list)
    record: list[Asked] = field(default_factory=list)
    translations: dict[str, str] = field(default_factory=dict)
    upstream: str | None = None

    def __post_init__(self) -> None:
        self._since = 0
        self._serving = contextlib.ExitStack()
        self.base_url = ""  # as a model role takes it, once it is served

    def __enter__(self) -> Self:
        routes = [
            Route("/v1/chat/completions", self._chat, methods=["POST"]),
            Route("/v1/embeddings", self._embeddings, methods=["POST"]),
            Route("/v1/models", self._models),
        ]
        self.base_url = f"{self._serving.enter_context(served(Starlette(routes=routes), 0))}/v1"
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop answering. Safe to call twice."""
        self._serving.close()

    def chats(self, model: str = CHAT) -> list[Asked]:
        """The chat requests to one of its models, in order."""
        return [one for one in self.requests if one.kind == "chat" and one.model == model]

    @property
    def requests(self) -> list[Asked]:
        """What it was asked since `forget`; `record` has everything."""
        return self.record[self._since :]

    def forget(self) -> None:
        """Count requests anew."""
        self._since = len(self.record)

    async def _note(self, http: HttpRequest, kind: str) -> Asked:
        body = json.loads(await http.body())
        asked = Asked(kind, str(body.get("model", "")), body)
        self.record.append(asked)
        return asked

    async def _models(self, _: HttpRequest) -> Response:
        return JSONResponse({"object": "list", "data": [{"id": name, "object": "model"} for name in (CHAT, TRANSLATE, WORDS)]})

    async def _chat(self, http: HttpRequest) -> Response:
        asked = await self._note(http, "chat")
        message = self._reply(asked)
        if asked.body.get("stream"):
            return StreamingResponse(_streamed(asked, message), media_type="text/event-stream")
        finish = "tool_calls" if message.get("tool_calls") else "stop"
        choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}
        return JSONResponse({"id": "example", "object": "chat.completion", "created": int(time.time()), "model": asked.model,
                             "choices": [choice], "usage": _usage(asked, message)})  # fmt: skip

    def _reply(self, asked: Asked) -> dict[str, Any]:
        if asked.model == TRANSLATE:
            return {"content": next((said for text, said in self.translations.items() if text in asked.prompt), asked.prompt)}
        places = (asked.question.casefold(), asked.said_before.casefold())  # the last turn after tools repeats no question
        rule = next((one for place in places for one in self.rules if one.asked.casefold() in place), None)
        if rule is None:
            return {"content": NO_RULE}
        rounds = sum(1 for one in asked.messages if one["role"] == "assistant" and one.get("tool_calls"))
        if asked.tools and rule.calls and (rounds < len(rule.calls) or rule.again):
            calls = [
                {"id": f"call_{rounds}_{place}", "type": "function", "function": {"name": name, "arguments": json.dumps(given)}}
                for place, (name, given) in enumerate(rule.calls[min(rounds, len(rule.calls) - 1)])
            ]
            return {"content": None, "tool_calls": calls}
        pointed = [*_PLACE.findall(rule.say), *_BARE.findall(rule.say)]
        if rule.without and any(_number(asked, words) == NOWHERE for words in pointed):
            return {"content": rule.without}
        marked = _PLACE.sub(lambda found: f"[{_number(asked, found[1])}]", rule.say)
        return {"content": _BARE.sub(lambda found: str(_number(asked, found[1])), marked)}

    async def _embeddings(self, http: HttpRequest) -> Response:
        asked = await self._note(http, "embeddings")
        if asked.model != WORDS:
            if self.upstream is None:
                return JSONResponse({"error": {"message": f"There is no model {asked.model} here."}}, 404)
            async with httpx2.AsyncClient(timeout=120, trust_env=False) as client:
                reply = await client.post(f"{self.upstream.rstrip('/')}/embeddings", json=asked.body, headers=_languages(http))
            return Response(reply.content, reply.status_code, media_type="application/json")
        texts = [asked.body["input"]] if isinstance(asked.body["input"], str) else asked.body["input"]
        rows = [{"object": "embedding", "index": place, "embedding": hashed(text)} for place, text in enumerate(texts)]
        count = sum(len(text) // 4 for text in texts)
        return JSONResponse({"object": "list", "model": WORDS, "data": rows, "usage": {"prompt_tokens": count, "total_tokens": count}})


def _languages(http: HttpRequest) -> dict[str, str]:
    """The header by which the installation's own embedding server learns the language."""
    return {"X-Language": http.headers["x-language"]} if "x-language" in http.headers else {}


def _number(asked: Asked, words: str) -> int:
    """The number of the passage that holds these words; `NOWHERE` when none does."""
    plain = " ".join(words.split()).casefold()
    found = (n for n, text in asked.passages.items() if plain in " ".join(text.split()).casefold())
    return next(found, NOWHERE)


def _usage(asked: Asked, message: dict[str, Any]) -> dict[str, int]:
    said, heard = len(str(message.get("content") or "")) // 4, len(asked.everything) // 4
    return {"prompt_tokens": heard, "completion_tokens": said, "total_tokens": heard + said}


async def _streamed(asked: Asked, message: dict[str, Any]) -> AsyncIterator[bytes]:
    """The reply word by word, its usage where asked for, and the end."""

    def chunk(delta: dict[str, Any], finish: str | None = None, usage: dict[str, int] | None = None) -> bytes:
        choices = [] if usage else [{"index": 0, "delta": delta, "finish_reason": finish}]
        told: dict[str, Any] = {"id": "example", "object": "chat.completion.chunk", "created": 0, "model": asked.model, "choices": choices}
        return f"data: {json.dumps(told | ({'usage': usage} if usage else {}), ensure_ascii=False)}\n\n".encode()

    yield chunk({"role": "assistant", "content": ""})
    if calls := message.get("tool_calls"):
        yield chunk({"tool_calls": [{"index": place, **call} for place, call in enumerate(calls)]})
    for piece in re.findall(r"\S+\s*|\s+", message.get("content") or ""):
        yield chunk({"content": piece})
    yield chunk({}, "tool_calls" if calls else "stop")
    if (asked.body.get("stream_options") or {}).get("include_usage"):
        yield chunk({}, usage=_usage(asked, message))
    yield b"data: [DONE]\n\n"


def hashed(text: str) -> list[float]:
    """A vector of a text: its longer words by their first six letters, each in a place of its own, of length 1."""
    vector = np.zeros(DIMENSION)
    for word in _WORD.findall(text.casefold()):
        if len(word) > 3:
            vector[zlib.crc32(word[:6].encode()) % DIMENSION] += 1.0
    length = float(np.linalg.norm(vector))
    if length == 0.0:
        vector[0] = length = 1.0
    return [float(value) for value in vector / length]

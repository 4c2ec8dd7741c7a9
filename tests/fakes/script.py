"""What the fake provider is told to answer, the rules it keeps and the log of what it was asked."""

from __future__ import annotations

import base64
import dataclasses
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from tests.fakes.vectors import Pins

Kind = Literal["chat", "embeddings", "models", "transcriptions"]
DEFAULT_ANSWER = "This is what the sources say [1]."
# What the prompts say of a notebook's guide, which a page has made when it likes, and of what a source is about, which a worker asks
# some time after it was read.
GUIDE, SUMMARY = "Write the guide of this collection", "You say what a document is about"


@dataclass(frozen=True)
class Reply:
    """One scripted reply; every field can also be sent as JSON to `/_fake/replies`.

    Which request it answers: `kind`, and if given only where `match` occurs in the request's text (or equals its
    model); it is used `times` times (0 = always). Replies are tried in the order given.
    """

    kind: Kind = "chat"
    match: str | None = None
    times: int = 1
    # answers
    text: str | None = None
    pieces: tuple[str, ...] | None = None  # how a stream cuts the text; default: word by word
    reasoning: str = ""
    calls: tuple[tuple[str, str], ...] = ()  # uses of tools: (name, arguments as written); in a stream each in three pieces
    finish: str | None = "stop"  # None: the stream ends without a finish reason
    usage: bool = True
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    # faults
    status: int = 200
    message: str = "The fake refuses."
    code: str | None = None
    param: str | None = None
    retry_after: str | None = None
    body: str | None = None  # sent as it is instead of JSON, with `status`
    hang: bool = False  # accepts and never answers
    delay_s: float = 0.0  # before the first byte
    piece_delay_s: float = 0.0
    # pictures: our extension of a chat reply's message, as the local recogniser gives it
    words: tuple[tuple[float, ...], ...] | None = None  # (start, end, x0, y0, x1, y1) each
    turned: int | None = None
    unreadable: str | None = None
    hold: str | None = None  # waits for release(hold) before the first byte, or after `after` pieces
    after: int | None = None  # pieces sent before `hold` or `broken` takes place
    broken: Literal["cut", "end", "utf8", "json", "error"] | None = None
    # embeddings
    drop: int = 0  # so many rows are missing
    dimension: int | None = None
    value: Literal["nan", "zero", "infinite"] | None = None
    shuffle: bool = False  # rows come in another order, `index` tells the right one
    # transcriptions
    segments: tuple[tuple[float, float, str], ...] | None = None  # default: the text's sentences, five seconds each
    timeless: bool = False  # no segments, as from models that tell no times

    @staticmethod
    def from_json(given: Mapping[str, Any]) -> Reply:
        """A reply from its JSON form; an unknown field raises TypeError."""
        fields = dict(given)
        if fields.get("pieces") is not None:
            fields["pieces"] = tuple(fields["pieces"])
        if fields.get("calls") is not None:
            fields["calls"] = tuple((name, arguments) for name, arguments in fields["calls"])
        if fields.get("segments") is not None:
            fields["segments"] = tuple((start, end, text) for start, end, text in fields["segments"])
        return Reply(**fields)


@dataclass
class Rules:
    """What the fake always holds to; change the fields, or send them as JSON to `/_fake/rules`."""

    dimension: int = 64
    batch_limit: int | None = None  # more texts: 400
    text_tokens: int | None = None  # a longer text: 400
    request_tokens: int | None = None  # more in one request: 413
    refused_parameters: tuple[str, ...] = ()  # a request with one of these: 400 that names it
    keys: tuple[str, ...] = ()  # not empty: any other key is 401
    models: tuple[str, ...] = ()  # not empty: any other model is 404
    refuse_blank: bool = True
    answer: str = DEFAULT_ANSWER
    context_tokens: int | None = None  # told by /v1/models


@dataclass(frozen=True)
class Request:
    """One request as the fake got it."""

    number: int
    kind: Kind
    at: float
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def model(self) -> str:
        """The model asked for."""
        return str(self.body.get("model", ""))

    @property
    def texts(self) -> list[str]:
        """The input of an embeddings request."""
        given = self.body.get("input", [])
        return [given] if isinstance(given, str) else list(given)

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The messages of a chat request."""
        return list(self.body.get("messages", []))

    @property
    def tools(self) -> list[str]:
        """The names of the tools that a chat request offers."""
        return [str(tool["function"]["name"]) for tool in self.body.get("tools", [])]

    @property
    def parts(self) -> list[dict[str, Any]]:
        """The parts of all messages; a plain text is one part."""
        contents = [message.get("content") or "" for message in self.messages]
        return [part for given in contents for part in (given if isinstance(given, list) else [{"type": "text", "text": given}])]

    @property
    def pictures(self) -> list[bytes]:
        """The bytes of the pictures that the messages carry as data addresses."""
        urls = [part["image_url"]["url"] for part in self.parts if part.get("type") == "image_url"]
        return [base64.b64decode(url.partition(";base64,")[2]) for url in urls]

    @property
    def is_aside(self) -> bool:
        """Whether nobody waits for it, and it comes when it likes: only a reply that matches it is for it."""
        return self.kind == "chat" and any(words in self.said for words in (GUIDE, SUMMARY))

    @property
    def said(self) -> str:
        """Everything the request says, as one text; a picture is "[picture]"."""
        return "\n".join([*(str(part.get("text", "[picture]")) for part in self.parts), *self.texts])


@dataclass
class Script:
    """Everything the fake knows; safe to use from any thread."""

    rules: Rules = field(default_factory=Rules)
    pins: Pins = field(default_factory=Pins)

    def __post_init__(self) -> None:
        self._changed = threading.Condition()
        self._replies: list[tuple[Reply, int]] = []
        self._requests: list[Request] = []
        self._released: set[str] = set()
        self._writer: Callable[[Request], str | Reply] | None = None

    def add(self, *replies: Reply) -> None:
        """Append scripted replies."""
        with self._changed:
            self._replies.extend((reply, reply.times) for reply in replies)

    def write_with(self, writer: Callable[[Request], str | Reply] | None) -> None:
        """Let a function answer chat requests that no scripted reply matches (in-process only)."""
        self._writer = writer

    def note(self, kind: Kind, headers: dict[str, str], body: dict[str, Any]) -> Request:
        """Log a request."""
        with self._changed:
            request = Request(len(self._requests) + 1, kind, time.time(), headers, body)
            self._requests.append(request)
            self._changed.notify_all()
            return request

    def reply_to(self, request: Request) -> Reply:
        """The reply for `request`: the first scripted one that matches, else the rules' default."""
        with self._changed:
            for place, (reply, left) in enumerate(self._replies):
                if reply.match is None and request.is_aside:
                    continue
                if reply.kind == request.kind and (reply.match is None or reply.match in request.said or reply.match == request.model):
                    if left == 1:
                        del self._replies[place]
                    elif left > 1:
                        self._replies[place] = (reply, left - 1)
                    return reply
        if request.kind == "chat" and self._writer is not None:
            written = self._writer(request)
            return written if isinstance(written, Reply) else Reply(text=written)
        return Reply(kind=request.kind, text=self.rules.answer)

    def asked(self) -> list[Request]:
        """What the writing model was asked for people who wait for it, oldest first."""
        return [request for request in self.requests("chat") if not request.is_aside]

    def requests(self, kind: Kind | None = None) -> list[Request]:
        """What was asked so far, oldest first."""
        with self._changed:
            return [request for request in self._requests if kind in (None, request.kind)]

    def wait_for(self, count: int, kind: Kind | None = None, timeout_s: float = 60.0) -> list[Request]:
        """Wait until `count` requests (of this kind) came, and return them; TimeoutError says what came instead."""
        with self._changed:
            if not self._changed.wait_for(lambda: len(self.requests(kind)) >= count, timeout_s):
                raise TimeoutError(f"{len(self.requests(kind))} of {count} {kind or ''} requests came within {timeout_s} s")
            return self.requests(kind)

    def release(self, hold: str) -> None:
        """Let every reply held under this name go on, now and later."""
        with self._changed:
            self._released.add(hold)

    def is_released(self, hold: str) -> bool:
        """True after `release(hold)`."""
        with self._changed:
            return hold in self._released

    def set_rules(self, given: Mapping[str, Any]) -> None:
        """Change some rules; lists become tuples, an unknown name raises TypeError."""
        fields: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in given.items()}
        self.rules = dataclasses.replace(self.rules, **fields)

    def forget_requests(self) -> None:
        """Empty the log."""
        with self._changed:
            self._requests.clear()

    def reset(self) -> None:
        """Back to the beginning: no replies, rules, pins or log. What was held is let go."""
        with self._changed:
            self._released.update(reply.hold for reply, _ in self._replies if reply.hold)
            self._replies.clear()
            self._requests.clear()
            self._writer = None
            self.rules = Rules()
            self.pins.clear()

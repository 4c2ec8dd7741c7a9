"""The tools a chat model may use, and what it asks for: from a whole message, from a stream's pieces, or written as text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

MOST_CALLS = 32  # of one reply; a model that asks for more has lost its way
NAME_CHARS, ARGUMENT_CHARS = 64, 100_000
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
# How models write a call when their server does not take it apart. Sources: the chat templates of Hermes and Qwen (<tool_call>),
# Mistral ([TOOL_CALLS]), Llama 3.1 (a bare object, after <|python_tag|>), and the fenced block that others make of it.
# Taken apart without patterns: a reply of blanks alone must not hold a worker.
_OPEN, _CLOSE, _FENCE = "<tool_call>", "</tool_call>", "```"
_HEADS = ("[TOOL_CALLS]", "<|python_tag|>")


@dataclass(frozen=True, slots=True)
class Tool:
    """A function that the model may ask for. `parameters` is a JSON Schema of an object."""

    name: str
    description: str
    parameters: Mapping[str, Any]

    @property
    def told(self) -> dict[str, Any]:
        """As the request names it."""
        return {
            "type": "function",
            "function": {"name": self.name, "description": self.description, "parameters": dict(self.parameters)},
        }


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One use that a model asks for. `arguments` is what it wrote, which may be no JSON at all; `name` may be of no tool."""

    id: str
    name: str
    arguments: str

    @property
    def told(self) -> dict[str, Any]:
        """As the next request repeats it: servers take the arguments apart, so what is no object is told as an empty one."""
        given = object_of(self.arguments)
        name = self.name if _NAME.fullmatch(self.name) else "unknown"
        arguments = self.arguments if given and self.arguments.strip() else "{}"
        return {"id": self.id, "type": "function", "function": {"name": name, "arguments": arguments}}


def object_of(text: str) -> dict[str, Any] | None:
    """The JSON object that a text is; None for anything else. Without arguments models send an empty text."""
    if not text.strip():
        return {}
    try:
        found = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    return found if isinstance(found, dict) else None


def of_message(message: Mapping[str, Any]) -> tuple[ToolCall, ...]:
    """The calls of a whole message; what cannot be one is left out."""
    return _calls(message.get("tool_calls"))


@dataclass(slots=True)
class Collected:
    """Calls of a stream, put together from their pieces by `index`; the name comes first, the arguments in parts."""

    _parts: dict[int, dict[str, str]] = field(default_factory=dict)

    def feed(self, delta: Mapping[str, Any]) -> None:
        """Take one piece."""
        given = delta.get("tool_calls")
        for place, one in enumerate(given if isinstance(given, list) else ()):
            if not isinstance(one, Mapping):
                continue
            at = one.get("index")
            part = self._parts.setdefault(self._place(one, at if isinstance(at, int) else place), {"id": "", "name": "", "arguments": ""})
            function = one.get("function")
            told = function if isinstance(function, Mapping) else {}
            part["id"] = part["id"] or str(one.get("id") or "")
            part["name"] = part["name"] or str(told.get("name") or "")
            part["arguments"] = (part["arguments"] + _written(told.get("arguments")))[: ARGUMENT_CHARS + 1]

    def _place(self, one: Mapping[str, Any], at: int) -> int:
        """Some servers send every call whole under index 0: another id there is another call."""
        known, called = self._parts.get(at), str(one.get("id") or "")
        if known is None or not called or not known["id"] or known["id"] == called:
            return at
        return next((place for place, part in self._parts.items() if part["id"] == called), max(self._parts) + 1)

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The calls so far, in the order of their places."""
        return _calls([{"id": part["id"], "function": part} for _, part in sorted(self._parts.items())])


def of_text(text: str, names: Sequence[str]) -> tuple[ToolCall, ...]:
    """The calls that a model wrote as its whole reply; none when the text is anything else or names no tool that was offered."""
    plain = text.strip()
    if not names or len(plain) > ARGUMENT_CHARS:
        return ()
    if plain.startswith(_OPEN):
        found = [_parsed(one.strip().removesuffix(_CLOSE)) for one in plain.split(_OPEN)[1:]]
    else:
        for head in _HEADS:
            plain = plain.removeprefix(head).strip()
        whole = _parsed(_unfenced(plain))
        found = whole if isinstance(whole, list) else [whole]
    told = [_flat(one) for one in found if isinstance(one, Mapping)]
    if len(told) != len(found) or not all(one["function"]["name"] in names for one in told):
        return ()
    return _calls(told)


def _unfenced(text: str) -> str:
    """What stands in a fenced block that is the whole text; else the text."""
    if len(text) <= 2 * len(_FENCE) or not (text.startswith(_FENCE) and text.endswith(_FENCE)):
        return text
    first, _, rest = text[len(_FENCE) : -len(_FENCE)].partition("\n")
    return rest if first.strip().isidentifier() else f"{first}\n{rest}"


def _parsed(text: str) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return None


def _flat(one: Mapping[str, Any]) -> dict[str, Any]:
    inner = one.get("function")
    given = inner if isinstance(inner, Mapping) else one
    arguments = given.get("arguments", given.get("parameters"))
    return {"function": {"name": str(given.get("name") or ""), "arguments": arguments}}


def _calls(given: Any) -> tuple[ToolCall, ...]:
    calls: list[ToolCall] = []
    for place, one in enumerate(given[:MOST_CALLS] if isinstance(given, list) else (), 1):
        function = one.get("function") if isinstance(one, Mapping) else None
        if isinstance(function, Mapping) and function.get("name"):
            called = str(one.get("id") or "")[:NAME_CHARS] or f"call-{place}"
            if called in {known.id for known in calls}:
                called = f"{called}-{place}"
            calls.append(ToolCall(called, str(function["name"])[:NAME_CHARS], _written(function.get("arguments"))[: ARGUMENT_CHARS + 1]))
    return tuple(calls)


def _written(arguments: Any) -> str:
    """Arguments as text: the interface says a text of JSON, some servers send the object."""
    if arguments is None:
        return ""
    return arguments if isinstance(arguments, str) else orjson.dumps(arguments).decode()

"""The events of an answer under the field names that clients of the `product` profile know, a JSON object a line (S4-09 to S4-12)."""

from __future__ import annotations

from typing import Any

from sourcebook_gateway.json_answers import dumps
from sourcebook_gateway.relay import Frame

_RENAMED = {"answer": "ai_message", "conversation_id": "session_id", "coverage": "source_coverage"}


def product(frame: Frame) -> bytes:
    """The line of an event: `token`, `done` and `error` alone; nothing for the others, whose facts `done` has."""
    told = _told(frame)
    return dumps(told) + b"\n" if told is not None else b""


def _told(frame: Frame) -> dict[str, Any] | None:
    if frame.name == "token":
        return {"type": "token", "content": frame.data["text"]}
    if frame.name == "error":
        return {"type": "error", "detail": frame.data["message"], "code": frame.data["code"]}
    if frame.name != "done":
        return None
    route = frame.data.get("route") or {}
    told = {_RENAMED.get(name, name): value for name, value in frame.data.items() if name != "route"}
    return {"type": "done", **told, "answer_mode": route.get("answer_mode"), "knowledge_intent": route.get("intent")}

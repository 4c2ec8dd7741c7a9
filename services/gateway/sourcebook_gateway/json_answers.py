"""JSON answers by orjson, written once for routes, refusals and streams."""

from __future__ import annotations

from typing import Any

import orjson
from fastapi.responses import Response
from pydantic import BaseModel


def dumps(value: Any) -> bytes:
    """Compact JSON; pydantic models as their JSON form, times in RFC 3339 with Z."""
    return orjson.dumps(value, default=_plain, option=orjson.OPT_UTC_Z)


def _plain(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    raise TypeError(type(value).__name__)


class JsonAnswer(Response):
    """A JSON response whose content may hold pydantic models."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """The body."""
        return dumps(content)

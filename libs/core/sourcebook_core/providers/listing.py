"""What an endpoint says about itself at /models: the names it serves and how much text they take."""

from __future__ import annotations

import asyncio
import json
import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import httpx2
import structlog

from sourcebook_core.providers.endpoint import endpoint
from sourcebook_core.providers.transport import key_of, transport
from sourcebook_core.settings import RoleSettings

ASK_S = 3.0  # the answer only saves refused requests, so it is not waited for long
ASK_AGAIN_S = 60.0  # after no answer: it may have been starting
FOUND_S = 0.6  # a server on the same machine answers at once or is not there
_LIMITS = ("context_tokens", "max_model_len", "context_length", "max_context_length")  # ours, vLLM, OpenRouter, LM Studio
PLACES = (
    ("Ollama", "http://127.0.0.1:11434/v1"),
    ("vLLM", "http://127.0.0.1:8000/v1"),
    ("LM Studio", "http://127.0.0.1:1234/v1"),
)

log = structlog.get_logger()


@dataclass(frozen=True)
class Found:
    """A model server that answers on this machine, and the names of its models."""

    name: str
    base_url: str
    models: tuple[str, ...]


async def context_tokens(role: RoleSettings) -> int | None:
    """How many tokens the role's model takes: by its setting, else as the endpoint says (asked once), else None."""
    if role.context_tokens is not None:
        return role.context_tokens
    known = endpoint(role)
    if time.monotonic() >= known.ask_again_at:
        listed = await _models(str(role.base_url), key_of(role), ASK_S)
        known.ask_again_at = math.inf if listed else time.monotonic() + ASK_AGAIN_S
        for model in listed:
            if model.get("id") == role.model:
                known.context_tokens = next((model[name] for name in _LIMITS if isinstance(model.get(name), int)), None)
    return known.context_tokens


async def discover(places: tuple[tuple[str, str], ...] = PLACES, within_s: float = FOUND_S) -> list[Found]:
    """The well-known model servers that answer on this machine within `within_s` seconds, in the order of `places`."""
    answers = await asyncio.gather(*(_models(base_url, "", within_s) for _, base_url in places))
    return [
        Found(name, base_url, tuple(sorted(str(model["id"]) for model in models)))
        for (name, base_url), models in zip(places, answers, strict=True)
        if models
    ]


async def _models(base_url: str, key: str, timeout_s: float) -> list[Mapping[str, Any]]:
    """The models an endpoint lists; empty when it does not answer in a way that can be used."""
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    try:
        async with asyncio.timeout(timeout_s), transport(with_key=bool(key)) as http:
            response = await http.get(base_url.rstrip("/") + "/models", headers=headers)
            listed = json.loads(response.content).get("data") if response.status_code == 200 else None
    except (httpx2.HTTPError, httpx2.InvalidURL, TimeoutError, ValueError, AttributeError) as error:
        log.debug("models.not_listed", base_url=base_url, why=type(error).__name__)
        return []
    return [model for model in listed if isinstance(model, Mapping) and "id" in model] if isinstance(listed, list) else []

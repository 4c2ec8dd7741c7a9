"""The one way a request leaves for a model: address, key, time-outs, retries, refused parameters."""

from __future__ import annotations

import asyncio
import json
import random
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import httpx2
import openai
import structlog
from openai import AsyncOpenAI, AsyncStream

from sourcebook_core.errors import PermanentError, SourcebookError, TransientError
from sourcebook_core.providers import failures
from sourcebook_core.providers.endpoint import ROLE_WORDS, endpoint
from sourcebook_core.providers.transport import key_of, transport
from sourcebook_core.settings import RoleSettings

CONNECT_S = 5.0
TRIES = 3  # calls for one request at most; the job's own back-off takes over after that
TIMEOUT_TRIES = 2  # F21: a model that does not answer is asked once more
WAIT_S = 0.5  # before the first retry; doubles
RETRY_AFTER_MAX_S = 10.0  # a longer wish is left to the job, which frees its slot meanwhile
OPTIONAL = ("reasoning_effort", "stream_options", "temperature", "max_tokens", "encoding_format", "dimensions", "response_format")
INSTEAD = {"max_tokens": "max_completion_tokens"}  # what newer hosted models take in its place

log = structlog.get_logger()
_clients: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[tuple[str, str], AsyncOpenAI]] = WeakKeyDictionary()


def client(role: RoleSettings) -> AsyncOpenAI:
    """The SDK client of a role's address and key, one per event loop; raises PermanentError `no_model` for a role that is off."""
    if not role.is_on or role.base_url is None:
        raise PermanentError("no_model", role=ROLE_WORDS[role.name])
    key = key_of(role)
    mine = _clients.setdefault(asyncio.get_running_loop(), {})
    found = mine.get((role.base_url, key))
    if found is None:
        found = mine[role.base_url, key] = AsyncOpenAI(
            # The SDK takes a missing key from the environment, so it always gets one; `_leave` keeps it from being sent.
            api_key=key or "none",
            base_url=role.base_url.rstrip("/"),
            max_retries=0,
            http_client=transport(with_key=bool(key)),
        )
    return found


async def close_clients() -> None:
    """Close the connections of this event loop's clients; a later call opens new ones."""
    for opened in _clients.pop(asyncio.get_running_loop(), {}).values():
        await opened.close()


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that goes with a request. `name` is ours, never the person's."""

    name: str
    content: bytes
    media_type: str


class Retry:
    """Counts the tries of one request and waits between them."""

    def __init__(self, role: RoleSettings) -> None:
        self._role = role
        self._place = endpoint(role)
        self._tries = 0

    async def again(self, error: SourcebookError) -> None:
        """Return after a jittered wait when one more try makes sense, else raise `error`."""
        self._tries += 1
        limit = TIMEOUT_TRIES if error.code == "model_timeout" else TRIES
        if not isinstance(error, TransientError):
            raise error
        wait = WAIT_S * 2 ** (self._tries - 1) * random.uniform(0.5, 1.0)
        if error.retry_after_s is not None:
            wait = error.retry_after_s * random.uniform(1.0, 1.1)
        if self._tries >= limit or wait > RETRY_AFTER_MAX_S:
            if error.code != "model_rate_limited":
                self._place.failed()
            raise error
        log.warning("model.call_retried", role=self._role.name, code=error.code, tries=self._tries, wait_s=round(wait, 2))
        await asyncio.sleep(wait)


async def post(
    role: RoleSettings, path: str, fields: Mapping[str, Any], headers: Mapping[str, str] | None = None, file: Upload | None = None
) -> dict[str, Any]:
    """Send one JSON request and give the JSON object that answers it, within the role's `timeout_s` for each try.

    With a `file` it is a form (multipart/form-data) that holds the fields and the file.
    Transient failures are tried again (`TRIES`); raises TransientError or PermanentError with the codes of `failures`.
    """
    endpoint(role).check(role)
    retry = Retry(role)
    while True:
        try:
            response = await _once(role, path, fields, headers, file)
        except SourcebookError as error:
            await retry.again(error)
            continue
        endpoint(role).worked()
        return _json_object(response, role)


async def _once(
    role: RoleSettings, path: str, fields: Mapping[str, Any], headers: Mapping[str, str] | None, file: Upload | None
) -> httpx2.Response:
    form = {"Content-Type": "multipart/form-data"} if file is not None else {}
    while True:
        body = fitting(role, fields)
        try:
            async with asyncio.timeout(role.timeout_s):
                return await client(role).post(
                    path,
                    cast_to=httpx2.Response,
                    body=body,
                    files=[("file", (file.name, file.content, file.media_type))] if file is not None else None,
                    options={"headers": {**form, **(headers or {})}, "timeout": _timeout(role), "security": {"bearer_auth": True}},
                )
        except (openai.OpenAIError, httpx2.HTTPError, httpx2.InvalidURL, TimeoutError, ValueError) as error:
            if not note_refused(role, error, body):
                raise failures.classified(error, role) from error


async def open_stream(role: RoleSettings, path: str, fields: Mapping[str, Any]) -> AsyncStream[object]:
    """Open a stream of JSON objects; one try, its headers within `first_byte_s`. Raises the errors of `post`."""
    while True:
        body = fitting(role, fields)
        try:
            async with asyncio.timeout(role.first_byte_s):
                return await client(role).post(
                    path,
                    cast_to=object,
                    body=body,
                    options={"timeout": _timeout(role), "security": {"bearer_auth": True}},
                    stream=True,
                    stream_cls=AsyncStream[object],
                )
        except (openai.OpenAIError, httpx2.HTTPError, httpx2.InvalidURL, TimeoutError, ValueError) as error:
            if not note_refused(role, error, body):
                raise failures.classified(error, role) from error


def _timeout(role: RoleSettings) -> httpx2.Timeout:
    return httpx2.Timeout(role.timeout_s, connect=min(CONNECT_S, role.timeout_s))


def fitting(role: RoleSettings, fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that are set and that this endpoint has not refused, some under the name it takes."""
    refused = endpoint(role).refused
    body: dict[str, Any] = {}
    for name, value in fields.items():
        if value is None:
            continue
        if name not in refused:
            body[name] = value
        elif INSTEAD.get(name, name) not in refused:
            body[INSTEAD[name]] = value
    return body


def note_refused(role: RoleSettings, error: Exception, body: Mapping[str, Any]) -> bool:
    """True when a 400 or 422 names an optional parameter of `body`: it is remembered and no longer sent to this endpoint."""
    if not isinstance(error, openai.APIStatusError) or error.status_code not in {400, 422} or failures.is_too_long(error):
        return False
    words = f"{error.param or ''} {json.dumps(error.body, default=str)}"
    for name in (*OPTIONAL, *INSTEAD.values()):
        # Some name the value alone: "verbose_json is not supported".
        said = f"{name}|{re.escape(body[name])}" if name == "response_format" and isinstance(body.get(name), str) else name
        if name in body and re.search(rf"(?<![A-Za-z_])(?:{said})(?![A-Za-z_])", words):
            endpoint(role).refused.add(name)
            log.info("model.parameter_dropped", role=role.name, parameter=name)
            return True
    return False


def _json_object(response: httpx2.Response, role: RoleSettings) -> dict[str, Any]:
    try:
        found = json.loads(response.content)
    except ValueError:
        raise failures.bad_reply(role, "it is not JSON; check the address.") from None
    if not isinstance(found, dict):
        raise failures.bad_reply(role, "it is not a JSON object; check the address.")
    if found.get("error"):
        raise failures.bad_reply(role, failures.shown(str(found["error"]), role))
    return found

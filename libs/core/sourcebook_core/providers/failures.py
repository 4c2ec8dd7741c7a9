"""What went wrong at a model's endpoint, as an error of our own tree."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from email.utils import parsedate_to_datetime
from time import time
from typing import Any

import httpx2
import openai

from sourcebook_core.errors import PermanentError, SourcebookError, TransientError
from sourcebook_core.providers.endpoint import ROLE_WORDS
from sourcebook_core.settings import RoleSettings

WHY_CHARS = 200  # what of a provider's own words is shown
_TOO_LONG = re.compile(r"context.{0,20}(length|window|size)|maximum context|too many tokens|(prompt|input) is too long", re.IGNORECASE)
_TRY_AGAIN = {408, 409, 425, 429}  # B57: 4xx is permanent but for these


def classified(error: Exception, role: RoleSettings) -> SourcebookError:
    """Our error for an exception of the SDK or of its transport; raises `error` itself when it is neither.

    Transient: no connection, time-out, 408/409/425/429, 5xx, a stream that breaks. Permanent: every other 4xx, a body
    that is not what was asked for. The status is kept as the fact `status`.
    """
    word = ROLE_WORDS[role.name]
    if isinstance(error, openai.APIStatusError):
        return _of_status(error, role)
    if isinstance(error, (openai.APITimeoutError, httpx2.TimeoutException, TimeoutError)):
        return TransientError("model_timeout", role=word)
    if isinstance(error, (openai.APIConnectionError, httpx2.TransportError)):
        return TransientError("model_unavailable", role=word)
    if isinstance(error, (openai.APIError, httpx2.HTTPError)):  # an `error` object inside a stream
        return TransientError("model_bad_reply", role=word, why=shown(str(error), role))
    if isinstance(error, (ValueError, httpx2.InvalidURL)):  # JSONDecodeError and UnicodeDecodeError are ValueErrors
        return TransientError("model_bad_reply", role=word, why="it cannot be read.")
    raise error


@asynccontextmanager
async def within(role: RoleSettings, seconds: float | None) -> AsyncIterator[None]:
    """A call of a model that may take so long, None for as long as its role lets it. Raises TransientError `model_timeout`."""
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError as error:
        raise classified(error, role) from None


def bad_reply(role: RoleSettings, why: str, **facts: Any) -> PermanentError:
    """A reply that arrived whole and is of no use, so asking the same again is of none either."""
    return PermanentError("model_bad_reply", role=ROLE_WORDS[role.name], why=why, **facts)


def broke_off(role: RoleSettings) -> TransientError:
    """A stream that ended before its end."""
    return TransientError("model_bad_reply", role=ROLE_WORDS[role.name], why="it broke off in the middle.")


def shown(words: str, role: RoleSettings) -> str:
    """A provider's own words, cut and without the key, fit to be shown."""
    if role.api_key is not None and role.api_key.get_secret_value():
        words = words.replace(role.api_key.get_secret_value(), "…")
    words = " ".join(words.split())
    return words if len(words) <= WHY_CHARS else words[: WHY_CHARS - 1] + "…"


def said(error: openai.APIStatusError) -> str:
    """The provider's sentence, from wherever its body keeps it."""
    body = error.body
    if isinstance(body, Mapping):
        inner = body.get("error", body)
        if isinstance(inner, Mapping):
            inner = inner.get("message") or inner.get("detail") or inner
        return str(inner)
    return str(body) if isinstance(body, str) and body.strip() else f"HTTP {error.status_code}"


def is_too_long(error: openai.APIStatusError) -> bool:
    """True when the provider says that the text is longer than its model takes."""
    return error.status_code in {400, 413, 422} and (
        error.status_code == 413 or error.code == "context_length_exceeded" or bool(_TOO_LONG.search(said(error)))
    )


def _of_status(error: openai.APIStatusError, role: RoleSettings) -> SourcebookError:
    word, status = ROLE_WORDS[role.name], error.status_code
    if status in {401, 403}:
        return PermanentError("model_unauthorized", role=word, status=status)
    if status == 402 or error.code == "insufficient_quota":
        return PermanentError("model_out_of_credit", role=word, status=status)
    if status == 404:
        return PermanentError("model_refused", role=word, status=status, why=f"{role.base_url} does not know the model {role.model}.")
    if is_too_long(error):
        return PermanentError("context_too_long", role=word, status=status, why=shown(said(error), role))
    if status == 429:
        return TransientError("model_rate_limited", retry_after_s=retry_after(error.response.headers), role=word, status=status)
    if status == 408 or status == 504:
        return TransientError("model_timeout", role=word, status=status)
    if status >= 500 or status in _TRY_AGAIN:
        return TransientError("model_unavailable", retry_after_s=retry_after(error.response.headers), role=word, status=status)
    if 300 <= status < 400:
        return PermanentError("model_refused", role=word, status=status, why="the address leads somewhere else; enter the final one.")
    return PermanentError("model_refused", role=word, status=status, why=shown(said(error), role))


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds of a `Retry-After` header, given as seconds or as a date (RFC 9110, 10.2.3); None without a usable one."""
    given = headers.get("retry-after", "")
    try:
        return max(0.0, float(given))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(given).timestamp() - time())
    except ValueError:
        return None

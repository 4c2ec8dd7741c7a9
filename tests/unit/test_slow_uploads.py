"""F26: a body that crawls or stands still gives its place up with 408, one that breaks off is 400."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from starlette.requests import Request

from sourcebook_core.errors import RequestError
from sourcebook_gateway import multipart

HEAD = b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n'
SCOPE = {"type": "http", "method": "POST", "path": "/", "headers": [(b"content-type", b"multipart/form-data; boundary=b")]}


def _chunk(body: bytes) -> dict[str, Any]:
    return {"type": "http.request", "body": body, "more_body": True}


async def _refused(receive: Callable[[], Awaitable[dict[str, Any]]], **patience: float) -> tuple[int, str]:
    with pytest.raises(RequestError) as found:
        async for _ in multipart.events(Request(SCOPE, receive), 1_000_000, 10, **patience):
            pass
    return found.value.status, found.value.code


async def test_a_body_that_stands_still_is_given_up() -> None:
    sent = iter([_chunk(HEAD)])

    async def receive() -> dict[str, Any]:
        for message in sent:
            return message
        await asyncio.Event().wait()
        raise AssertionError

    assert await _refused(receive, idle_s=0.05) == (408, "malformed")


async def test_a_body_that_comes_byte_by_byte_is_given_up() -> None:
    sent = iter([_chunk(HEAD)])

    async def receive() -> dict[str, Any]:
        await asyncio.sleep(0.02)  # the sender's pace
        return next(sent, _chunk(b"a"))

    assert await _refused(receive, slow_after_s=0.05) == (408, "malformed")


async def test_a_body_that_breaks_off_is_malformed() -> None:
    sent = iter([_chunk(HEAD), {"type": "http.disconnect"}])

    async def receive() -> dict[str, Any]:
        return next(sent)

    assert await _refused(receive) == (400, "malformed")

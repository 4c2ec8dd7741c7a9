"""Reads a host application: GET only, with the asker's own Authorization, through the guard, page by page to the end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote, urlencode

import orjson

from sourcebook_core import addresses, egress, log
from sourcebook_core.addresses import NotAnAddress
from sourcebook_core.egress import Bounds, Got
from sourcebook_core.errors import PermanentError, RequestError, SourcebookError, TransientError
from sourcebook_core.fetched import wait_s
from sourcebook_core.host_data import Taken, Taking
from sourcebook_core.host_declared import Host, Read, is_private_on_the_way
from sourcebook_core.settings import Settings

PASSED_ON = frozenset({401, 403, 404})  # the host's own word about what this asker may see (S0-35)
BODY_BYTES = 2000  # of a refusal's body that is passed on
# Of all answers of hosts that are on their way into one process: ten of the largest. A list is held page by page.
HELD_BYTES = 50_000_000
_log = log.get(__name__)


async def read(settings: Settings, host: Host, of: Read, values: Mapping[str, str], token: str | None) -> Taken:
    """What may be seen of one read. `values` are its parameters as `Param.parse` gave them, `token` the asker's Authorization.

    Raises RequestError `host_refused` with the host's own 401, 403 or 404, `host_unavailable` (503), `host_unusable` (502: not what
    was declared, too large, a list beyond its last page).
    """
    taking = Taking(of, values)
    try:
        async with asyncio.timeout(host.seconds):
            await _take_all(settings, host, of, values, token, taking)
    except TimeoutError:
        raise _unavailable(host) from None
    except ValueError as error:  # of `Taking`: it says which form was missing, nothing of the answer
        raise _unusable(host, of, f"{error}.") from None
    return taking.taken()


async def _take_all(settings: Settings, host: Host, of: Read, values: Mapping[str, str], token: str | None, taking: Taking) -> None:
    if of.list is None or of.list.page is None:
        taking.add(await _get(settings, host, of, values, {}, token))
        return
    page = of.list.page
    for number in range(page.most + 1):
        if taking.add(await _get(settings, host, of, values, page.query_of(number), token)) < page.size:
            return
    raise _unusable(host, of, f"its list has more than {page.most} pages.")


class _Held:
    """How many bytes of answers are on their way into this process."""

    def __init__(self) -> None:
        self.bytes = 0

    @contextmanager
    def one(self) -> Iterator[Callable[[int], None]]:
        """What counts the bytes of one answer as they come, until the block ends; raises TransientError `url_failed` beyond HELD_BYTES."""
        own = 0

        def count(size: int) -> None:
            nonlocal own
            if self.bytes + size > HELD_BYTES:
                self.bytes, own = self.bytes - own, 0  # at once, so that no other is refused while this one is closed
                raise TransientError("url_failed", why="more than this server takes at once")
            own += size
            self.bytes += size

        try:
            yield count
        finally:
            self.bytes -= own


_held = _Held()


async def _get(settings: Settings, host: Host, of: Read, values: Mapping[str, str], more: Mapping[str, str], token: str | None) -> Any:
    url = host.base_url.rstrip("/") + address_of(of, values, more)
    headers = {"Accept": "application/json"} | ({"Authorization": token} if token and host.with_token else {})
    try:
        address = addresses.parse(url, settings.host_allow)
        if not is_private_on_the_way(address, settings.host_allow):
            raise PermanentError("url_not_public")
        with _held.one() as count:
            got = await egress.get_once(address, headers, Bounds(host.max_bytes, host.seconds, count), settings.host_allow)
    except NotAnAddress:
        raise _unusable(host, of, "its address cannot be one.") from None
    except SourcebookError as error:
        _log.warning("host.not_read", host=host.name, read=of.name, code=error.code)
        if error.code == "url_failed":
            raise _unavailable(host) from None
        why = "it is too large." if error.code == "too_large" else "its address may not be called. Allow it in SOURCEBOOK_HOST_ALLOW."
        raise _unusable(host, of, why) from None
    _log.info("host.read", host=host.name, read=of.name, status=got.status, bytes=len(got.content))
    return _json(host, of, got)


def address_of(of: Read, values: Mapping[str, str], more: Mapping[str, str]) -> str:
    """Path and query of a read; every value is quoted whole, so none can leave its place."""
    path = of.path
    for name in of.in_path:
        path = path.replace("{" + name + "}", quote(values[name], safe=""))
    query = {**of.query, **{name: values[name] for name in of.params if name in values and name not in of.in_path}, **more}
    return path + (f"?{urlencode(query)}" if query else "")


def _json(host: Host, of: Read, got: Got) -> Any:
    if got.status in PASSED_ON:
        raise RequestError(
            got.status, "host_refused", host=host.name, answered=got.status, detail={"host": host.name, "body": _shown(got.content)}
        )
    if got.status == 429 or got.status >= 500:
        raise _unavailable(host, wait_s(got.headers))
    if not 200 <= got.status < 300:
        raise _unusable(host, of, f"its status is {got.status}.")
    try:
        return orjson.loads(got.content)
    except orjson.JSONDecodeError:
        raise _unusable(host, of, "it is not JSON.") from None


def _shown(content: bytes) -> Any:
    """The body of a refusal for the asker, who got it from their own application: JSON of a sane size, else nothing."""
    try:
        return orjson.loads(content) if len(content) <= BODY_BYTES else None
    except orjson.JSONDecodeError:
        return None


def _unavailable(host: Host, wait: float | None = None) -> RequestError:
    return RequestError(503, "host_unavailable", host=host.name, retry_after_s=int(wait) if wait else 5)


def _unusable(host: Host, of: Read, why: str) -> RequestError:
    return RequestError(502, "host_unusable", host=f"{host.name} ({of.name})", why=why)

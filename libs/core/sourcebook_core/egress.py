"""The one guard through which outside addresses are fetched: public addresses only, checked where the connection is made."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import ssl
import zlib
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import IO, Any

import certifi
import httpcore2

from sourcebook_core import addresses, log
from sourcebook_core.addresses import Address, NotAnAddress, WebAddress, is_public
from sourcebook_core.errors import PermanentError, TransientError
from sourcebook_core.fetched import Fetched, head_of, refuse_status
from sourcebook_core.kinds import HEAD_BYTES
from sourcebook_core.settings import Settings

_log = log.get(__name__)
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_MOST_RATIO = 200  # unpacked to packed; an honest page stays below 30
_RATIO_FROM_BYTES = 1_000_000
_CONNECT_S = 10.0
# Who asks, told truly to those whose logs it stands in: of pages, of a host application's data, of messages to a webhook.
AGENT = "Sourcebook/0.1 (reads pages that a person added to a notebook)"
DATA_AGENT = "Sourcebook/0.1 (asks an application for the data that an assistant answers with)"
MESSAGE_AGENT = "Sourcebook/0.1 (sends signed messages to a webhook that its owner set up)"
Resolve = Callable[[str, int], Awaitable[list[Address]]]


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much of an answer is taken, and in how many seconds with all redirects. `count` is told the bytes of each piece as it comes
    and may refuse them."""

    bytes: int
    seconds: float
    count: Callable[[int], None] | None = None


@dataclass(frozen=True, slots=True)
class Got:
    """What one GET gave: its status, its headers by their names in lower case, its body."""

    status: int
    headers: Mapping[bytes, bytes]
    content: bytes


@dataclass(frozen=True, slots=True)
class Ask:
    """How an address is asked. `etag` and `last_modified` of the time before: an unchanged page answers 304 without a body.

    `judge` sees the answer's head and first bytes before the rest is taken, refuses it (PermanentError) or gives its bounds;
    `into` takes the body, which is then in no memory.
    """

    etag: str = ""
    last_modified: str = ""
    judge: Callable[[Fetched, bytes], Bounds] | None = None
    into: IO[bytes] | None = None


async def fetch_public(url: str, settings: Settings, ask: Ask | None = None, *, resolve: Resolve | None = None) -> Fetched:
    """Fetch a page of the public web, within the limits of `settings` (bytes, seconds, redirects) or those of `ask.judge`.

    Each address a name resolves to must be public, the connection goes to a checked one, and every redirect is checked
    again. `settings.url_allow` (host:port) passes local ones; `resolve` stands in for the system's resolver. No proxy, cookie
    or key is used. Raises PermanentError
    `url_scheme`, `url_not_public`, `url_not_found`, `url_login`, `url_failed`, `too_large`; TransientError `url_failed`
    where another try may help, `tmp_full`.
    """
    limits = settings.limits
    began = asyncio.get_running_loop().time()
    deadline = asyncio.timeout_at(began + limits.url_seconds)
    try:
        async with (
            deadline,
            _pool(settings.url_allow, resolve or _resolve) as pool,
        ):
            return await _Fetch(pool, settings, ask or Ask(), deadline, began).follow(url)
    except TimeoutError:
        waited_s = asyncio.get_running_loop().time() - began
        raise TransientError("url_failed", why=f"too slowly: it was not there after {waited_s:.0f} seconds") from None


async def get_once(address: WebAddress, headers: Mapping[str, str], bounds: Bounds, allowed: Iterable[str]) -> Got:
    """One GET of an application's own address, whatever its status; no redirect is followed, so `headers` go nowhere else.

    `allowed` are host:port pairs that pass though they are local; every other address must be public, where the connection is made.
    Raises PermanentError `url_not_public`, `too_large`; TransientError `url_failed` where it does not answer within `bounds`.
    """
    return await _once("GET", address, headers, None, bounds, allowed)


async def post_once(address: WebAddress, headers: Mapping[str, str], body: bytes, bounds: Bounds, allowed: Iterable[str]) -> Got:
    """One POST of `body`; else as `get_once`."""
    return await _once("POST", address, headers, body, bounds, allowed)


async def _once(
    method: str, address: WebAddress, headers: Mapping[str, str], body: bytes | None, bounds: Bounds, allowed: Iterable[str]
) -> Got:
    agent = MESSAGE_AGENT if method == "POST" else DATA_AGENT
    own = {"Host": address.place, "User-Agent": agent, "Accept-Encoding": "identity", "Connection": "close"}
    asked: list[tuple[bytes | str, bytes | str]] = [*own.items(), *headers.items()]
    try:
        async with (
            asyncio.timeout(bounds.seconds),
            _pool(allowed, _resolve) as pool,
            pool.stream(
                method,
                str(address),
                headers=asked,
                content=body,
                extensions={"timeout": {"connect": _CONNECT_S}},
            ) as response,
        ):
            given = {name.lower(): value for name, value in response.headers}
            content = bytearray()
            async with aclosing(response.aiter_stream()) as stream:
                async for piece in stream:
                    if bounds.count is not None:
                        bounds.count(len(piece))
                    content += piece
                    _refuse_large(given, len(content), bounds.bytes)
            return Got(response.status, given, bytes(content))
    except (httpcore2.NetworkError, httpcore2.ProtocolError, httpcore2.TimeoutException, TimeoutError) as error:
        _log.info("address.failed", error=type(error).__name__)
        raise TransientError("url_failed", why="nothing that can be used") from None


def _pool(allowed: Iterable[str], resolve: Resolve) -> httpcore2.AsyncConnectionPool:
    return httpcore2.AsyncConnectionPool(ssl_context=_trusted(), network_backend=_Guard(allowed, resolve), http2=False)


@lru_cache
def _trusted() -> ssl.SSLContext:
    """What servers are recognised by. Read once: the list of authorities takes some 40 ms, in which the event loop stands still."""
    return ssl.create_default_context(cafile=certifi.where())


@dataclass(frozen=True, slots=True)
class _Fetch:
    """One fetch with all its redirects, under one deadline."""

    pool: httpcore2.AsyncConnectionPool
    settings: Settings
    ask: Ask
    deadline: asyncio.Timeout
    began: float

    async def follow(self, url: str) -> Fetched:
        passed: list[str] = []
        try:
            address = addresses.parse(url, self.settings.url_allow)
        except NotAnAddress:
            raise PermanentError("url_not_public") from None
        for _ in range(self.settings.limits.url_redirects + 1):
            try:
                found = await self._try(address, tuple(passed))
            except httpcore2.UnsupportedProtocol:
                raise PermanentError("url_scheme") from None
            except (httpcore2.NetworkError, httpcore2.ProtocolError, httpcore2.TimeoutException) as error:
                _log.info("address.failed", error=type(error).__name__)
                raise TransientError("url_failed", why="nothing that can be used") from None
            if isinstance(found, Fetched):
                return found
            passed.append(str(address))
            address = self._next(address, found)
        raise PermanentError("url_failed", why=f"with more than {self.settings.limits.url_redirects} redirects")

    async def _try(self, address: WebAddress, passed: tuple[str, ...]) -> Fetched | bytes:
        """The answer, or where it redirects to."""
        headers: dict[bytes | str, bytes | str] = {
            "Host": address.place, "User-Agent": AGENT, "Accept": "text/html,text/markdown,text/plain,application/pdf;q=0.9,*/*;q=0.5",
            "Accept-Encoding": "gzip", "Connection": "close",
        }  # fmt: skip
        if self.ask.etag:
            headers["If-None-Match"] = self.ask.etag
        if self.ask.last_modified:
            headers["If-Modified-Since"] = self.ask.last_modified
        async with self.pool.stream("GET", str(address), headers=headers, extensions={"timeout": {"connect": _CONNECT_S}}) as response:
            given = {name.lower(): value for name, value in response.headers}
            if response.status in _REDIRECTS and b"location" in given:
                return given[b"location"]
            is_unchanged = response.status == 304 and bool(self.ask.etag or self.ask.last_modified)
            if not is_unchanged:
                refuse_status(response.status, given)
            head = head_of(str(address), response.status, given, passed)
            return head if is_unchanged else await self._body(response, given, head)

    def _next(self, address: WebAddress, location: bytes) -> WebAddress:
        try:
            found = addresses.joined(str(address), location.decode("utf-8"), self.settings.url_allow)
        except ValueError:  # NotAnAddress is one too
            raise PermanentError("url_failed", why="with a redirect that cannot be read") from None
        if address.scheme == "https" and found.scheme == "http":
            raise PermanentError("url_failed", why="with a redirect to an address without encryption")
        return found

    async def _body(self, response: Any, given: dict[bytes, bytes], head: Fetched) -> Fetched:
        """The body, unpacked, within bounds on the bytes before and after and on their ratio."""
        unpack = _unpacker(given)
        bounds = Bounds(self.settings.limits.url_bytes, self.settings.limits.url_seconds)
        first, is_judged, packed, size = b"", self.ask.judge is None, 0, 0
        pieces: list[bytes] = []
        async with aclosing(_with_end(response)) as stream:
            async for piece in stream:
                packed += len(piece or b"")
                most = bounds.bytes if is_judged else max(bounds.bytes, HEAD_BYTES)
                plain = _unpacked(unpack, piece or b"", most + 1 - size) if unpack else piece or b""
                size += len(plain)
                if not is_judged:
                    first += plain
                    if len(first) < HEAD_BYTES and piece is not None:
                        continue
                    bounds, plain, is_judged = self._judge(head, first), first, True
                _refuse_large(given, max(packed, size), bounds.bytes)
                if size > _RATIO_FROM_BYTES and size > packed * _MOST_RATIO:
                    raise _too_large(bounds.bytes)
                self._keep(plain, pieces)
        if unpack is not None and not unpack.eof:
            raise TransientError("url_failed", why="with content that breaks off")
        return replace(head, content=b"".join(pieces), size=size)

    def _judge(self, head: Fetched, first: bytes) -> Bounds:
        assert self.ask.judge is not None
        bounds = self.ask.judge(head, first)
        self.deadline.reschedule(self.began + bounds.seconds)
        return bounds

    def _keep(self, plain: bytes, pieces: list[bytes]) -> None:
        if self.ask.into is None:
            pieces.append(plain)
            return
        try:
            self.ask.into.write(plain)
        except OSError as error:
            raise TransientError("tmp_full") from error


async def _with_end(response: Any) -> Any:
    """The body's pieces as they come, then None."""
    async with aclosing(response.aiter_stream()) as stream:
        async for piece in stream:
            yield piece
    yield None


def _unpacker(given: dict[bytes, bytes]) -> Any:
    packing = given.get(b"content-encoding", b"identity").strip().lower()
    if packing not in (b"identity", b"gzip", b"x-gzip", b"deflate", b""):
        raise PermanentError("url_failed", why="in a packing that is not read here")
    return zlib.decompressobj(47) if packing in (b"gzip", b"x-gzip", b"deflate") else None


def _unpacked(unpack: Any, piece: bytes, most: int) -> bytes:
    try:
        return bytes(unpack.decompress(piece, most))
    except zlib.error:
        raise PermanentError("url_failed", why="with content that cannot be unpacked") from None


def _refuse_large(given: dict[bytes, bytes], size: int, most: int) -> None:
    said = given.get(b"content-length", b"")
    if size > most or (said.isdigit() and int(said) > most):
        raise _too_large(most)


def _too_large(most: int) -> PermanentError:
    return PermanentError(
        "too_large", f"The page is larger than the limit of {most // 1_000_000} MB. Save the part you need as a file and add that."
    )


class _Guard(httpcore2.AsyncNetworkBackend):
    """Connects only to addresses that were checked; the name goes into the Host header and the certificate check alone."""

    def __init__(self, allowed: Iterable[str], resolve: Resolve) -> None:
        self._allowed = frozenset(allowed)
        self._resolve = resolve
        self._network = httpcore2.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore's interface
        local_address: str | None = None,
        socket_options: Any = None,
    ) -> Any:
        name = host.strip("[]")
        found = await self._resolve(name, port)
        if f"{name}:{port}" not in self._allowed and not all(is_public(address) for address in found):
            raise PermanentError("url_not_public")
        failed: Exception | None = None
        for address in found:
            try:
                return await self._network.connect_tcp(str(address), port, timeout=timeout, socket_options=socket_options)
            except (httpcore2.NetworkError, httpcore2.TimeoutException) as error:
                failed = error
        raise failed or httpcore2.ConnectError("no address")

    async def connect_unix_socket(self, path: str, timeout: float | None = None, socket_options: Any = None) -> Any:  # noqa: ASYNC109
        raise PermanentError("url_not_public")

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


async def _resolve(name: str, port: int) -> list[Address]:
    """Every address of a name, each once. Raises TransientError `url_failed` when there is none, PermanentError when none can be."""
    try:
        found = await asyncio.get_running_loop().getaddrinfo(name, port, type=socket.SOCK_STREAM)
    except OSError:
        raise TransientError("url_failed", why="nothing: its name is not known") from None
    except UnicodeError:  # a label that is empty or too long, which a redirect may name
        raise PermanentError("url_failed", why="nothing: its name cannot be one") from None
    return [ipaddress.ip_address(text) for text in dict.fromkeys(str(entry[4][0]) for entry in found)]

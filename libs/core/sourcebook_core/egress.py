"""The one guard through which outside addresses are fetched: public addresses only, checked where the connection is made."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import ssl
import zlib
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any
from urllib.parse import SplitResult, quote, urljoin, urlsplit

import certifi
import httpcore2

from sourcebook_core import log
from sourcebook_core.errors import PermanentError, TransientError
from sourcebook_core.settings import Settings

_log = log.get(__name__)
_PORTS = {"http": 80, "https": 443}
_SAFE = "/%:@!$&'()*+,;=-._~"
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_MOST_RATIO = 200  # unpacked to packed; an honest page stays below 30
_RATIO_FROM_BYTES = 1_000_000
_CONNECT_S = 10.0
_AGENT = "Sourcebook/0.1 (reads pages that a person added to a notebook)"
# Addresses that lead to an IPv4 address inside: it must be public too. Sources: RFC 3056 (6to4), RFC 6052 (NAT64).
_SIX_TO_FOUR, _NAT64 = ipaddress.IPv6Network("2002::/16"), ipaddress.IPv6Network("64:ff9b::/96")
# What `is_global` lets pass or knows only in newer versions: IPv4-compatible, local NAT64, site-local, Teredo, relay, benchmarks.
_NEVER = tuple(
    ipaddress.ip_network(text)
    for text in ("::/96", "64:ff9b:1::/48", "fec0::/10", "2001::/32", "2001:db8::/32", "3fff::/20", "192.88.99.0/24", "192.0.0.0/24",
                 "100.64.0.0/10", "198.18.0.0/15")
)  # fmt: skip
Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Resolve = Callable[[str, int], Awaitable[list[Address]]]


@dataclass(frozen=True, slots=True)
class Fetched:
    """What an address gave: where it led after redirects, the media type in lower case ("" when not said), and the bytes."""

    url: str
    media_type: str
    content: bytes


async def fetch_public(url: str, settings: Settings, *, resolve: Resolve | None = None) -> Fetched:
    """Fetch a page of the public web, within the limits of `settings` (bytes, seconds, redirects).

    Each address a name resolves to must be public, the connection goes to a checked one, and every redirect is checked
    again. `settings.url_allow` (host:port) passes local ones; `resolve` stands in for the system's resolver. No proxy, cookie
    or key is used. Raises PermanentError
    `url_scheme`, `url_not_public`, `url_not_found`, `url_login`, `url_failed`, `too_large`; TransientError `url_failed`
    where another try may help.
    """
    limits = settings.limits
    try:
        async with asyncio.timeout(limits.url_seconds):
            async with httpcore2.AsyncConnectionPool(
                ssl_context=ssl.create_default_context(cafile=certifi.where()),
                network_backend=_Guard(settings.url_allow, resolve or _resolve),
                http2=False,
            ) as pool:
                return await _follow(pool, url, settings)
    except TimeoutError:
        raise TransientError("url_failed", why=f"too slowly: it was not there after {limits.url_seconds:g} seconds") from None


def is_public(address: Address) -> bool:
    """Whether an address belongs to the public internet, the IPv4 address inside a translated one included."""
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return is_public(address.ipv4_mapped)
        if address in _SIX_TO_FOUR:
            return is_public(ipaddress.IPv4Address(int(address) >> 80 & 0xFFFFFFFF))
        if address in _NAT64:
            return is_public(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
        if address.scope_id is not None:
            return False
    if any(address in network for network in _NEVER if network.version == address.version):
        return False
    return address.is_global and not (address.is_multicast or address.is_reserved or address.is_loopback or address.is_unspecified)


def checked(url: str, allowed: Iterable[str]) -> SplitResult:
    """The parts of an address that may be tried, host in ASCII lower case. Raises PermanentError `url_scheme`, `url_not_public`."""
    if any(ord(char) <= 32 or ord(char) == 127 or char == "\\" for char in url):
        raise PermanentError("url_not_public")
    try:
        parts = urlsplit(url)
        port = parts.port
        host = (parts.hostname or "").rstrip(".")
        host = host if host.isascii() else host.encode("idna").decode()
    except ValueError:  # a UnicodeError is one too
        raise PermanentError("url_not_public") from None
    if parts.scheme not in _PORTS:
        raise PermanentError("url_scheme")
    if not host or "@" in parts.netloc:
        raise PermanentError("url_not_public")
    if port not in (None, 80, 443) and f"{host}:{port}" not in set(allowed):
        raise PermanentError("url_not_public")
    place = f"[{host}]" if ":" in host else host
    return parts._replace(netloc=place if port is None else f"{place}:{port}", fragment="")


async def _follow(pool: httpcore2.AsyncConnectionPool, url: str, settings: Settings) -> Fetched:
    for _ in range(settings.limits.url_redirects + 1):
        parts = checked(url, settings.url_allow)
        target = quote(parts.path or "/", safe=_SAFE) + (f"?{quote(parts.query, safe=_SAFE + '?')}" if parts.query else "")
        address = f"{parts.scheme}://{parts.netloc}{target}"
        headers: Mapping[bytes | str, bytes | str] = {
            "Host": parts.netloc, "User-Agent": _AGENT, "Accept": "text/html,text/markdown,text/plain,application/pdf;q=0.9,*/*;q=0.1",
            "Accept-Encoding": "gzip", "Connection": "close",
        }  # fmt: skip
        try:
            async with pool.stream("GET", address, headers=headers, extensions={"timeout": {"connect": _CONNECT_S}}) as response:
                given = {name.lower(): value for name, value in response.headers}
                if response.status in _REDIRECTS and b"location" in given:
                    url = _next(url, given[b"location"])
                    continue
                _refuse_status(response.status)
                media_type = given.get(b"content-type", b"").decode("latin-1").split(";")[0].strip().lower()
                content = await _body(response, given, settings.limits.url_bytes)
                return Fetched(address, media_type, content)
        except httpcore2.UnsupportedProtocol:
            raise PermanentError("url_scheme") from None
        except (httpcore2.NetworkError, httpcore2.ProtocolError, httpcore2.TimeoutException) as error:
            _log.info("address.failed", error=type(error).__name__)
            raise TransientError("url_failed", why="nothing that can be used") from None
    raise PermanentError("url_failed", why=f"with more than {settings.limits.url_redirects} redirects")


def _next(url: str, location: bytes) -> str:
    try:
        found = urljoin(url, location.decode("utf-8"))
    except ValueError:
        raise PermanentError("url_failed", why="with a redirect that cannot be read") from None
    if url.startswith("https:") and found.startswith("http:"):
        raise PermanentError("url_failed", why="with a redirect to an address without encryption")
    return found


def _refuse_status(status: int) -> None:
    if status in (404, 410):
        raise PermanentError("url_not_found", status=status)
    if status in (401, 403, 407):
        raise PermanentError("url_login", status=status)
    if status == 429 or status >= 500:
        raise TransientError("url_failed", why=f"with an error (status {status})")
    if not 200 <= status < 300:
        raise PermanentError("url_failed", why=f"with status {status}")


async def _body(response: Any, headers: dict[bytes, bytes], most: int) -> bytes:
    """The body, unpacked, within bounds on the bytes before and after and on their ratio."""
    said = headers.get(b"content-length", b"")
    if said.isdigit() and int(said) > most:
        raise _too_large(most)
    packing = headers.get(b"content-encoding", b"identity").strip().lower()
    if packing not in (b"identity", b"gzip", b"x-gzip", b"deflate", b""):
        raise PermanentError("url_failed", why="in a packing that is not read here")
    unpack = zlib.decompressobj(47) if packing in (b"gzip", b"x-gzip", b"deflate") else None
    packed = unpacked = 0
    pieces = []
    async with aclosing(response.aiter_stream()) as stream:
        async for piece in stream:
            packed += len(piece)
            plain = _unpacked(unpack, piece, most + 1 - unpacked) if unpack else piece
            unpacked += len(plain)
            if max(packed, unpacked) > most or (unpacked > _RATIO_FROM_BYTES and unpacked > packed * _MOST_RATIO):
                raise _too_large(most)
            pieces.append(plain)
    return b"".join(pieces)


def _unpacked(unpack: Any, piece: bytes, most: int) -> bytes:
    try:
        return bytes(unpack.decompress(piece, most))
    except zlib.error:
        raise PermanentError("url_failed", why="with content that cannot be unpacked") from None


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
        addresses = await self._resolve(name, port)
        if f"{name}:{port}" not in self._allowed and not all(is_public(address) for address in addresses):
            raise PermanentError("url_not_public")
        failed: Exception | None = None
        for address in addresses:
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

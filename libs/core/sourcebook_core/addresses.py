"""Web addresses: the one parser, the one canonical form, and what is not public as it is written. Pure; resolves nothing."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Collection
from dataclasses import dataclass
from urllib.parse import quote, urljoin, urlsplit

import idna

from sourcebook_core.errors import PermanentError

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
_PORTS = {"http": 80, "https": 443}
_NAME_CHARS, _LABEL_CHARS = 253, 63  # RFC 1035, as text
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?")
# The last part of a host that is a number makes all of it an IPv4 address, whatever its form: 127.1, 0x7f000001, 017700000001.
# Source: WHATWG URL, "ends in a number".
_NUMBER = re.compile(r"0x[0-9a-f]*|[0-9]+")
_INSIDE = (".localhost", ".local", ".internal", ".home.arpa", ".lan", ".intranet", ".corp")
_SAFE = "/%:@!$&'()*+,;=-._~"
# Addresses that lead to an IPv4 address inside: it must be public too. Sources: RFC 3056 (6to4), RFC 6052 (NAT64).
_SIX_TO_FOUR, _NAT64 = ipaddress.IPv6Network("2002::/16"), ipaddress.IPv6Network("64:ff9b::/96")
# What `is_global` lets pass or knows only in newer versions: IPv4-compatible, local NAT64, site-local, Teredo, relay, benchmarks.
_NEVER = tuple(
    ipaddress.ip_network(text)
    for text in ("::/96", "64:ff9b:1::/48", "fec0::/10", "2001::/32", "2001:db8::/32", "3fff::/20", "192.88.99.0/24", "192.0.0.0/24",
                 "100.64.0.0/10", "198.18.0.0/15")
)  # fmt: skip


class NotAnAddress(ValueError):
    """What was written is no web address at all."""


@dataclass(frozen=True, slots=True)
class WebAddress:
    """An address that may be tried: host in ASCII lower case, path and query quoted, no fragment. `str()` is its canonical form."""

    scheme: str
    host: str
    port: int
    target: str

    @property
    def place(self) -> str:
        """Host as it stands in an address and in the Host header: brackets around IPv6, the port only where it is not the usual."""
        name = f"[{self.host}]" if ":" in self.host else self.host
        return name if self.port == _PORTS[self.scheme] else f"{name}:{self.port}"

    @property
    def path(self) -> str:
        """The path without the query."""
        return self.target.partition("?")[0]

    def __str__(self) -> str:
        return f"{self.scheme}://{self.place}{self.target}"


def parse(url: str, allowed: Collection[str] = ()) -> WebAddress:
    """The parts of an address that may be tried, in the one form by which pages are known.

    Used at the door, for every redirect and for every address a site names. `allowed` are host:port pairs that pass though
    they are local (SOURCEBOOK_URL_ALLOW). What a name leads to is checked where the connection is made.
    Raises NotAnAddress, PermanentError `url_scheme` (not http or https) or `url_not_public` (this machine or network as it
    is written, sign-in data, or a port other than 80 and 443).
    """
    text = url.strip()
    # Browsers take a backslash for a slash, other parsers do not: nobody writes one but to deceive.
    if any(ord(char) <= 32 or ord(char) == 127 for char in text) or "\\" in text:
        raise NotAnAddress(url)
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        raise NotAnAddress(url) from None
    if parts.scheme not in _PORTS:
        if not parts.scheme and "." in text:
            raise NotAnAddress(url)
        raise PermanentError("url_scheme")
    if "@" in parts.netloc:
        raise PermanentError("url_not_public")
    host = _host(parts.hostname or "", url)
    port = _PORTS[parts.scheme] if port is None else port
    if f"{host}:{port}" not in allowed and (port not in _PORTS.values() or not may_be_public(host)):
        raise PermanentError("url_not_public")
    target = quote(parts.path or "/", safe=_SAFE) + (f"?{quote(parts.query, safe=_SAFE + '?')}" if parts.query else "")
    return WebAddress(parts.scheme, host, port, target)


def canonical(url: str, allowed: Collection[str] = ()) -> str:
    """The one form by which a page is known. Raises as `parse`."""
    return str(parse(url, allowed))


def joined(near: str, link: str, allowed: Collection[str] = ()) -> WebAddress:
    """Where a link of the page at `near` leads. Raises as `parse`."""
    try:
        found = urljoin(near, link.strip())
    except ValueError:
        raise NotAnAddress(link) from None
    return parse(found, allowed)


def may_be_public(host: str) -> bool:
    """False for what is plainly not public as written; a name may still lead to a private address."""
    try:
        return is_public(ipaddress.ip_address(host))
    except ValueError:
        is_number = _NUMBER.fullmatch(host.rpartition(".")[2]) is not None
        return "." in host and not is_number and not host.endswith(_INSIDE)


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


def _host(given: str, url: str) -> str:
    """The host in ASCII: names of other scripts as xn--, so that a look-alike is seen as what it is."""
    host = given.rstrip(".")
    try:
        return str(ipaddress.ip_address(host))  # one form of every IPv6 address
    except ValueError:
        pass
    try:
        name = host.lower() if host.isascii() else idna.encode(host, uts46=True).decode().rstrip(".")
    except UnicodeError:
        raise NotAnAddress(url) from None
    labels = name.split(".")
    if len(name) > _NAME_CHARS or not all(len(label) <= _LABEL_CHARS and _LABEL.fullmatch(label) for label in labels):
        raise NotAnAddress(url)
    return name

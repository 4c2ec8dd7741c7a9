"""Web addresses at the door: one canonical form, and what is refused before anything is fetched."""

from __future__ import annotations

import ipaddress
import re
from urllib.parse import SplitResult, quote, urlsplit

from sourcebook_core.errors import PermanentError, RequestError

_PORTS = {"http": 80, "https": 443}
_NUMBER_HOST = re.compile(r"(?:0x[0-9a-f]*|[0-9]+)(?:\.(?:0x[0-9a-f]*|[0-9]+)){0,3}\.?", re.IGNORECASE)
_NAME_CHARS = 253  # the longest name the DNS takes (RFC 1035, as text)
_SAFE = "/%:@!$&'()*+,;=-._~"


def canonical(url: str, allowed: tuple[str, ...]) -> str:
    """The address in the one form by which pages are known: lower-case host in ASCII, no default port, no fragment.

    Raises PermanentError `url_scheme` (not http or https), `url_not_public` (an address of this machine or network as it
    is written, sign-in data in it, or a port other than 80 and 443), RequestError 422 for what is no address. Names are
    resolved and checked when the page is fetched. `allowed` are host:port pairs that pass (SOURCEBOOK_URL_ALLOW).
    """
    text = url.strip()
    if any(ord(c) <= 32 or ord(c) == 127 for c in text) or "\\" in text:
        raise _no_address()
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        raise _no_address() from None
    if parts.scheme not in _PORTS:
        raise _no_address() if not parts.scheme and "." in text else PermanentError("url_scheme")
    if parts.username is not None or parts.password is not None:
        raise PermanentError("url_not_public")
    host = _host(parts)
    port = port or _PORTS[parts.scheme]
    if f"{host}:{port}" not in allowed and (port not in _PORTS.values() or not _may_be_public(host)):
        raise PermanentError("url_not_public")
    place = f"[{host}]" if ":" in host else host
    if port != _PORTS[parts.scheme]:
        place += f":{port}"
    path = quote(parts.path or "/", safe=_SAFE)
    query = f"?{quote(parts.query, safe=_SAFE + '?')}" if parts.query else ""
    return f"{parts.scheme}://{place}{path}{query}"


def _host(parts: SplitResult) -> str:
    host = (parts.hostname or "").rstrip(".")
    try:
        name = host.encode("idna").decode()  # refuses labels that are empty or longer than 63
    except UnicodeError:
        raise _no_address() from None
    if not name or len(name) > _NAME_CHARS:
        raise _no_address()
    return name


def _may_be_public(host: str) -> bool:
    """False for what is plainly not public as written; a name may still lead to a private address, which fetching checks."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        if _NUMBER_HOST.fullmatch(host):
            return False  # 127.1, 2130706433, 0x7f000001: no public page is written so
        return host != "localhost" and not host.endswith((".localhost", ".local", ".internal", ".home.arpa")) and "." in host
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_global and not address.is_multicast


def _no_address() -> RequestError:
    return RequestError(422, "invalid_field", why="url: this is not a web address. Write it as https://example.org/page.")

"""Visitors from outside: on which sites an assistant may be met, and the sealed token that says who asks."""

from __future__ import annotations

import base64
import binascii
import secrets
import time
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

import orjson

from sourcebook_core import seal
from sourcebook_core.errors import PermanentError, RequestError
from sourcebook_core.settings import Settings
from sourcebook_core.store.assistants import Published
from sourcebook_core.store.visitors import ANONYMOUS

SIGNED_IN_S = 900  # the host application gives a new one as often as it likes
ANONYMOUS_S = 12 * 3600
RENEWED_WITHIN_S = 30 * 86_400  # an anonymous visitor who comes back within this finds their conversation
_PURPOSE = "visitor"  # a secret that was sealed for something else is no token
_MOST_CHARS = 4000


@dataclass(frozen=True, slots=True)
class Ticket:
    """What a token says: whom it was given to (`subject` of the host application, or random) and until when (seconds)."""

    assistant_id: UUID
    subject: str
    name: str
    is_anonymous: bool
    until: float


def site_of(given: str) -> str | None:
    """The beginning of a web address as browsers send it in `Origin`; None for anything else, `null` and a whole address too."""
    try:
        parts = urlsplit(given.strip())
        port = parts.port
    except ValueError:
        return None
    is_bare = parts.path in ("", "/") and not parts.query and not parts.fragment and "@" not in parts.netloc and "*" not in parts.netloc
    if parts.scheme not in ("http", "https") or not parts.hostname or not is_bare or not given.isascii() or not given.strip().isprintable():
        return None
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    is_usual = port is None or (parts.scheme, port) in (("http", 80), ("https", 443))
    return f"{parts.scheme}://{host}" if is_usual else f"{parts.scheme}://{host}:{port}"


def own_sites(settings: Settings) -> frozenset[str]:
    """Where our own page is, on which an assistant is tried."""
    if settings.public_url:
        parts = urlsplit(settings.public_url)
        return frozenset({site_of(f"{parts.scheme}://{parts.netloc}") or ""})
    return frozenset({f"http://127.0.0.1:{settings.port}", f"http://localhost:{settings.port}"})


def mode_of(met: Published) -> str:
    """off, signed_in or public: as its owner says now."""
    return str(_publication(met).get("mode") or "off")


def may_be_met_on(met: Published, site: str | None, settings: Settings) -> bool:
    """Whether pages of this site may embed it."""
    return site is not None and (site in sites_of(met) or site in own_sites(settings))


def sites_of(met: Published) -> frozenset[str]:
    """The sites that its owner named."""
    return frozenset(_publication(met).get("origins") or ())


def check_listed(met: Published, subject: str) -> None:
    """Raises 403 for a person of the host application who is not on the list, where there is one (S2-51)."""
    listed = _publication(met).get("subjects")
    if listed is not None and subject not in listed:
        raise RequestError(403, "visitor_not_listed")


def token_for(settings: Settings, assistant_id: UUID, subject: str, name: str | None, *, is_anonymous: bool) -> tuple[str, int]:
    """A new token and the seconds for which it is good. It is sealed, so who holds it reads nothing in it and changes nothing."""
    lasts_s = ANONYMOUS_S if is_anonymous else SIGNED_IN_S
    until = int(time.time()) + lasts_s
    told = {"for": _PURPOSE, "a": str(assistant_id), "s": subject, "n": name or "", "anonymous": is_anonymous, "until": until}
    sealed = seal.close_text(settings, orjson.dumps(told).decode())
    return base64.urlsafe_b64encode(sealed).decode().rstrip("="), lasts_s


def new_subject() -> str:
    """The random subject of an anonymous visitor: 128 bits."""
    return ANONYMOUS + secrets.token_urlsafe(16)


def ticket_in(settings: Settings, met: Published, authorization: str | None, *, within_s: float = 0.0) -> Ticket:
    """The ticket of a request's Authorization header, for this assistant alone.

    `within_s`: it may have ended so long ago (renewal). Raises 401 `visitor_unknown` for everything that is none, also for an
    anonymous one where only signed-in people are answered; 403 for a person who is not listed.
    """
    kind, _, token = (authorization or "").partition(" ")
    ticket = _opened(settings, token.strip()) if kind.lower() == "visitor" else None
    is_known = ticket is not None and ticket.assistant_id == met.id and ticket.until + within_s > time.time()
    if ticket is None or not is_known or (ticket.is_anonymous and mode_of(met) != "public"):
        raise RequestError(401, "visitor_unknown")
    if not ticket.is_anonymous:
        check_listed(met, ticket.subject)
    return ticket


def _opened(settings: Settings, token: str) -> Ticket | None:
    if not token or len(token) > _MOST_CHARS:
        return None
    try:
        told = orjson.loads(seal.open_text(settings, base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))))
        if not isinstance(told, dict) or told.get("for") != _PURPOSE:
            return None
        return Ticket(UUID(told["a"]), str(told["s"]), str(told["n"]), bool(told["anonymous"]), float(told["until"]))
    except (PermanentError, binascii.Error, ValueError, KeyError, TypeError):
        if settings.secret_key is None:
            raise
        return None


def _publication(met: Published) -> dict[str, Any]:
    found: dict[str, Any] = met.live.get("publication") or {}
    return found

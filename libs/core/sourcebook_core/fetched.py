"""What an address answered: its head in words of ours, and the statuses that are no page."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from email.message import Message
from email.utils import parsedate_to_datetime

from sourcebook_core.errors import PermanentError, TransientError
from sourcebook_core.kinds import clean_name

_LONGEST_WAIT_S = 600.0  # of what a server may ask for by Retry-After


@dataclass(frozen=True, slots=True)
class Fetched:
    """What an address gave: where it led after `redirects`, and the bytes (none with status 304, or where they went to a file).

    Media type in lower case and encoding as the server said them, "" when it did not; `etag` and `last_modified` are what to
    ask with the next time; `file_name` is the one for saving, cleaned.
    """

    url: str
    status: int
    media_type: str
    charset: str
    file_name: str
    etag: str
    last_modified: str
    redirects: tuple[str, ...] = ()
    content: bytes = b""
    size: int = 0


def head_of(url: str, status: int, given: dict[bytes, bytes], passed: tuple[str, ...]) -> Fetched:
    """What an answer's headers say."""
    told = Message()
    for name in ("content-type", "content-disposition"):
        told[name] = given.get(name.encode(), b"").decode("latin-1")
    media_type = told.get_content_type() if given.get(b"content-type") else ""
    try:
        named = told.get_filename("") if given.get(b"content-disposition") else ""
        charset = told.get_content_charset("") if given.get(b"content-type") else ""
    except (LookupError, ValueError):  # an encoding of the header itself that nobody knows
        named, charset = "", ""
    etag, changed = (given.get(name, b"").decode("latin-1")[:500] for name in (b"etag", b"last-modified"))
    return Fetched(url, status, media_type, charset[:40], clean_name(named) if named else "", etag, changed, passed)


def refuse_status(status: int, given: dict[bytes, bytes]) -> None:
    """Raise what a status says that is no page: PermanentError `url_not_found`, `url_login`, `url_failed`; TransientError `url_failed`
    with how long the server wants to be left alone."""
    if status in (404, 410):
        raise PermanentError("url_not_found", status=status)
    if status in (401, 403, 407):
        raise PermanentError("url_login", status=status)
    if status == 429 or status >= 500:
        raise TransientError("url_failed", why=f"with an error (status {status})", retry_after_s=wait_s(given))
    if not 200 <= status < 300:
        raise PermanentError("url_failed", why=f"with status {status}")


def wait_s(given: Mapping[bytes, bytes]) -> float | None:
    """Seconds the server asks to be left alone: a number or a date (RFC 9110, 10.2.3)."""
    said = given.get(b"retry-after", b"").decode("latin-1").strip()
    if said.isascii() and said.isdigit():
        return min(float(said), _LONGEST_WAIT_S)
    try:
        return min(max(parsedate_to_datetime(said).timestamp() - time.time(), 0.0), _LONGEST_WAIT_S) if said else None
    except ValueError:
        return None

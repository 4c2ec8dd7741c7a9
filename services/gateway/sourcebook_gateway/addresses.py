"""Web addresses at the door: what is no address at all is said to whoever typed it."""

from __future__ import annotations

from collections.abc import Collection

from sourcebook_core import addresses
from sourcebook_core.errors import RequestError


def canonical(url: str, allowed: Collection[str]) -> str:
    """The address in the one form by which pages are known. Raises as `core.addresses.parse`, RequestError 422 for what is none."""
    try:
        return addresses.canonical(url, allowed)
    except addresses.NotAnAddress:
        raise RequestError(422, "invalid_field", why="url: this is not a web address. Write it as https://example.org/page.") from None

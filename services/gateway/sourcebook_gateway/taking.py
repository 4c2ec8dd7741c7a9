"""What a notebook or assistant takes in, by its profile: other kinds and larger sources are refused with the reason (S3-01, S3-03, C1)."""

from __future__ import annotations

from sourcebook_core.db import Conn
from sourcebook_core.errors import RequestError
from sourcebook_core.profiles import Taking
from sourcebook_core.store import grants
from sourcebook_core.store.scopes import Holder

_NAMES = {
    "pdf": "PDF", "markdown": "Markdown", "text": "plain text", "url": "web pages", "image": "pictures", "audio": "recordings",
    "office": "office files", "generated": "made documents",
}  # fmt: skip
_REASONS = {
    "pdf": "words and their order can come out of a PDF wrong without a sign. Save its text as Markdown or plain text",
    "image": "what is read from a picture is a model's reading, not the picture's own words. Write them down as text",
    "audio": "what is heard in a recording is a model's hearing. Add its text",
    "office": "its layout is lost, and with it words. Save it as Markdown or plain text",
    "url": "a page changes after it was read. Save its text and add that",
}


def refusal(name: str, kind: str, byte_size: int | None, taking: Taking) -> RequestError | None:
    """Why a source of this kind and size (bytes) is not taken in: 415 naming format and reason, 413; None where it is."""
    if taking.kinds is not None and kind not in taking.kinds:
        format_, taken = _NAMES.get(kind, kind), " and ".join(_NAMES.get(one, one) for one in taking.kinds)
        because = _REASONS.get(kind, "it is not kept word for word. Save it in one of these")
        return RequestError(415, "unsupported_kind", name=name, why=f"{format_} is not taken here, only {taken}: {because}.")
    if taking.max_bytes is not None and byte_size is not None and byte_size > taking.max_bytes:
        return RequestError(413, "too_large", limit=f"{taking.max_bytes:,} bytes for a source here")
    return None


async def check_held(conn: Conn, holder: Holder, taking: Taking) -> None:
    """Raises the refusal of the first source that a notebook or assistant holds and its profile does not take in; for the
    transaction that gave it."""
    if taking.kinds is None and taking.max_bytes is None:
        return
    for title, kind, byte_size in await grants.held(conn, holder):
        refused = refusal(title, kind, byte_size, taking)
        if refused is not None:
            raise refused

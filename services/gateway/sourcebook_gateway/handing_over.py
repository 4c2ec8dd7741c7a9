"""Handing a visitor over to a person: where to, whether that can be, and the row and job that do it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urlsplit
from uuid import UUID, uuid4

from sourcebook_core import hooks, jobs
from sourcebook_core.db import Conn
from sourcebook_core.errors import RequestError
from sourcebook_core.jobs import HandOver
from sourcebook_core.store import handovers
from sourcebook_core.store.assistants import Published

_PART = r"[^@\s,;:<>()\[\]\\\"?\x00-\x1f\x7f]+"
# An address that is one, and cannot begin another header or another address: a "?" could, by an encoded word with a line break in it.
MAIL = rf"{_PART}@{_PART}\.{_PART}"
PHONE_CHARS = 40
MAIL_CHARS = 254  # RFC 5321, 4.5.3.1.3, without the angle brackets
# As people write a number; an extension may follow ("ext. 12", "x12").
_PHONE = re.compile(r"\+?[0-9(][0-9 ()/.\-]*(?: ?(?:ext\.?|x) ?[0-9]{1,6})?", re.IGNORECASE)
_PHONE_DIGITS = range(5, 22)  # E.164 has at most 15; a number inside a house is short, an extension makes it longer


@dataclass(frozen=True, slots=True)
class Led:
    """What became of the wish for a person: a web address to go to, or that the conversation is on its way."""

    kind: str
    to: str | None
    is_queued: bool


def why_not(kind: str, to: str | None) -> str | None:
    """What is wrong with a hand-over's target; None when it fits."""
    if kind == "none":
        return None
    if not to:
        return "to: it says where a visitor is led"
    if kind == "mail":
        return None if re.fullmatch(MAIL, to) and len(to) <= MAIL_CHARS else "to: it is not a mail address"
    try:
        address = urlsplit(to)
    except ValueError:
        return "to: it is not a web address"
    is_web = address.scheme in ("http", "https") and bool(address.hostname) and not address.username and to.isprintable()
    return None if is_web and " " not in to else "to: it is not a web address"


def reachable(given: str) -> str:
    """Where a visitor can be reached, cleaned: a mail address or a phone number. Raises ValueError for what is neither."""
    plain = given.strip()
    if len(plain) <= MAIL_CHARS and re.fullmatch(MAIL, plain):
        return plain
    if len(plain) <= PHONE_CHARS and _PHONE.fullmatch(plain) and sum(sign.isdigit() for sign in plain) in _PHONE_DIGITS:
        return plain
    raise ValueError("it is neither an e-mail address nor a phone number")


async def lead(
    conn: Conn, met: Published, conversation_id: UUID | None, reply_to: str | None, note: str | None, *, is_anonymous: bool
) -> Led:
    """Lead a visitor to a person as the assistant's owner published it; ring `care` after the commit where it is queued.

    Safe to repeat: until the visitor asks something more it is the same hand-over, sent once. Raises 404 where there is nobody to
    be led to, 409 `nothing_said`, 422 `contact_needed` where nobody could answer: who is anonymous must say where they are reached.
    """
    handover = met.settings.get("handover") or {}
    kind, to = str(handover.get("kind") or "none"), handover.get("to")
    if kind == "none" or to is None:
        raise RequestError(404, "not_found")
    if kind == "link":
        return Led(kind, to, is_queued=False)
    if is_anonymous and reply_to is None:
        raise RequestError(422, "contact_needed")
    made = None
    if conversation_id is not None:
        made = await handovers.insert(
            conn, uuid4(), assistant_id=met.id, conversation_id=conversation_id, kind=kind, target=to, reply_to=reply_to, note=note
        )
    if made is None:
        raise RequestError(409, "nothing_said")
    handover_id, is_new = made
    if is_new:
        await jobs.insert(conn, HandOver(handover_id=handover_id), owner_id=met.owner_id, subject=met.id, once=handover_id)
        about = {"handover_id": str(handover_id), "assistant_id": str(met.id), "kind": kind}
        await hooks.tell(conn, met.owner_id, "handover", about)
    return Led(kind, None, is_queued=True)

"""eml by the standard library: who, to whom, about what and when, then the words; attachments are named, not read."""

from __future__ import annotations

from collections.abc import Iterator
from email import message_from_bytes, policy
from email.message import EmailMessage
from email.utils import parsedate_to_datetime

from sourcebook_core.errors import PermanentError
from sourcebook_core.sandbox_talk import Refused
from sourcebook_core.text import decode, language
from sourcebook_core.text.scripts import has_visible
from sourcebook_ingest.read.office import markup, sections
from sourcebook_ingest.read.office.events import Events, Told, facts, listed, one_line
from sourcebook_ingest.read.office.sections import Block

DEEPEST = 5  # a mail in a mail in a mail
HEADERS = ("From", "To", "Cc", "Date", "Subject")
_ADDRESSES_CHARS = 2000
language.warm()  # before the fork; see csv_rows


def read(content: bytes, told: Told) -> Events:
    """A mail and those inside it, each under its subject."""
    try:
        mail = message_from_bytes(content, policy=policy.default)
    except RecursionError:  # the library goes down one level for each mail in a mail
        raise Refused("resource_limit") from None
    left_out: list[str] = []
    subject, sender = _header(mail, "Subject"), _header(mail, "From")
    yield facts(title=subject or None, authors=sender.partition("<")[0].strip(' "') or sender, date=_year(mail))
    yield from sections.passages_of(_mail(mail, 1, left_out))
    if left_out:
        told.warn("attachments_not_read", f"Attachments are not read; add them as files: {listed(left_out, 10)}.")


def _mail(mail: EmailMessage, depth: int, left_out: list[str]) -> Iterator[Block]:
    subject = _header(mail, "Subject")
    yield min(depth, 6), subject or _header(mail, "From") or "Mail"
    lines = [f"{name}: {found}" for name in HEADERS if (found := _header(mail, name))]
    yield 0, "\n".join(lines)
    inner: list[EmailMessage] = []
    plain, marked = _bodies(mail, inner, left_out)
    if any(has_visible(_text(part)) for part in plain):
        for part in plain:
            yield from ((0, paragraph) for paragraph in _text(part).replace("\r\n", "\n").split("\n\n"))
    else:
        for part in marked:
            yield from ((level + depth if level else 0, words) for level, words in markup.blocks(_text(part).encode(), "utf-8"))
    for forwarded in inner:
        if depth >= DEEPEST:
            left_out.append(_header(forwarded, "Subject") or "a mail")
        else:
            yield from _mail(forwarded, depth + 1, left_out)


def _bodies(mail: EmailMessage, inner: list[EmailMessage], left_out: list[str]) -> tuple[list[EmailMessage], list[EmailMessage]]:
    """The plain and the HTML parts that are its words; what is attached goes into `left_out`, mails inside into `inner`."""
    plain: list[EmailMessage] = []
    marked: list[EmailMessage] = []
    for part in _parts(mail, inner):
        kind, name = part.get_content_type(), part.get_filename()
        is_text = kind.startswith("text/") and part.get_content_disposition() != "attachment"
        if is_text and (not name or kind in ("text/plain", "text/html")):
            (marked if kind == "text/html" else plain).append(part)
        else:
            left_out.append(one_line(name or kind))
    return plain, marked


def _parts(mail: EmailMessage, inner: list[EmailMessage]) -> Iterator[EmailMessage]:
    """The parts of a mail that hold something, without going into the mails inside it."""
    waiting = [mail]
    while waiting:
        part = waiting.pop(0)
        if part.get_content_type() == "message/rfc822":
            inner.extend(found for found in part.get_payload() if isinstance(found, EmailMessage))
        elif part.is_multipart():
            waiting[:0] = [found for found in part.get_payload() if isinstance(found, EmailMessage)]
        else:
            yield part


def _text(part: EmailMessage) -> str:
    """The words of a part: in the encoding it names, else by detection."""
    payload = part.get_payload(decode=True)
    raw = payload if isinstance(payload, bytes) else b""
    named = part.get_content_charset()
    try:
        return raw.decode(named) if named else decode.decode(raw).text
    except (LookupError, UnicodeDecodeError, ValueError):
        return raw.decode("utf-8", "replace")
    except PermanentError:
        return ""


def _header(mail: EmailMessage, name: str) -> str:
    """A header's words on one line; broken ones as they stand."""
    try:
        found = mail.get(name)
    except (ValueError, IndexError, AttributeError, TypeError):  # what the library raises for headers that break its grammar
        found = next((value for key, value in mail.raw_items() if key.lower() == name.lower()), "")
    return " ".join(str(found or "").split())[:_ADDRESSES_CHARS]


def _year(mail: EmailMessage) -> str:
    try:
        return str(parsedate_to_datetime(_header(mail, "Date")).year)
    except (ValueError, TypeError, IndexError):
        return ""

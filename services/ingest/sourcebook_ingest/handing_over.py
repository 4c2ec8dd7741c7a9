"""The task that leads a visitor to a person: their conversation by mail, or signed to a webhook, once."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from email.message import EmailMessage
from typing import Any

from sourcebook_core import faults, jobs, log, seal
from sourcebook_core.db import Conn
from sourcebook_core.errors import SourcebookError
from sourcebook_core.jobs import HandOver, task
from sourcebook_core.store import handovers
from sourcebook_core.store.handovers import Handover
from sourcebook_core.store.visitors import ANONYMOUS
from sourcebook_ingest import hooks, mail
from sourcebook_ingest.deps import Deps

_log = log.get(__name__)
ATTEMPTS = 10  # some minutes of a mail server's restart


async def _given_up(conn: Conn, work: HandOver, error: SourcebookError) -> None:
    await handovers.end(conn, work.handover_id, "failed", error.code)


@task(HandOver, failed=_given_up, attempts=ATTEMPTS)
async def hand_over(work: HandOver, deps: Deps) -> None:
    """Send one hand-over, unless it was sent or taken back (Reset, a deleted assistant).

    Safe to run twice: a message that left before a crash leaves again under the same id, by which mail programs and receivers
    know it. Raises TransientError while the other side is away, PermanentError when it refuses for good.
    """
    async with deps.db.transaction() as conn:
        found = await handovers.find(conn, work.handover_id)
    if found is None or found.state != "queued":
        return
    if found.kind == "mail":
        await asyncio.to_thread(mail.send, deps.settings, letter(found, deps.settings.smtp_from))
    else:
        secret = seal.derived(deps.settings, f"handover {found.assistant_id}")
        await hooks.post(deps, found.target, secret, str(found.id), message(found))
    await faults.point(deps.settings, "handover.sent")
    async with jobs.finishing(deps.db, work) as conn:
        await handovers.end(conn, found.id, "sent")
    _log.info("visitor.handed_over", handover_id=str(found.id), kind=found.kind, turns=len(found.turns))


def message(of: Handover) -> dict[str, Any]:
    """What a webhook gets. `visitor.subject` is the host application's own id, null for somebody who did not sign in there."""
    is_anonymous = of.subject.startswith(ANONYMOUS)
    return {
        "id": str(of.id),
        "event": "handover",
        "created_at": datetime.now(UTC).isoformat(),
        "data": {
            "assistant": {"id": str(of.assistant_id), "name": of.assistant},
            "visitor": {"name": of.visitor, "subject": None if is_anonymous else of.subject},
            "reply_to": of.reply_to,
            "note": of.note,
            "conversation": [{"question": asked, "answer": answer, "sources": sources} for asked, answer, sources in of.turns],
        },
    }


def letter(of: Handover, sender: str) -> EmailMessage:
    """The mail: what was said as plain text. No header takes a word of the visitor's but a checked address."""
    mail_to = EmailMessage()
    mail_to["Subject"] = f"{_plain(of.assistant)[:100]}: a visitor asks for a person"
    mail_to["From"], mail_to["To"] = sender, of.target
    mail_to["Message-ID"] = f"<handover-{of.id}@{sender.rpartition('@')[2] or 'localhost'}>"
    if of.reply_to and "@" in of.reply_to:  # else a phone number
        mail_to["Reply-To"] = of.reply_to
    parts = [f"{of.visitor} asks for a person."]
    if of.reply_to:
        parts.append(f"Answer to: {of.reply_to}")
    if of.note:
        parts.append(f"Their note:\n{of.note}")
    for asked, answer, sources in of.turns:
        parts.append(f"Question: {asked}")
        parts.append(f"Answer: {answer or '(none)'}" + (f"\nSources: {sources}" if sources else ""))
    mail_to.set_content("\n\n".join(parts) + "\n")
    return mail_to


def _plain(name: str) -> str:
    """A name for a header: no control signs, and no encoded word, which the mail library would decode, line breaks and all."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in name).replace("=?", "= ?").split())

"""The task that tells a webhook: signed, through the URL guard, again with back-off until it arrives or is given up."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import orjson

from sourcebook_core import addresses, egress, hooks, jobs, log
from sourcebook_core.addresses import NotAnAddress
from sourcebook_core.db import Conn
from sourcebook_core.egress import Bounds
from sourcebook_core.errors import PermanentError, SourcebookError, TransientError
from sourcebook_core.jobs import SendWebhook, task
from sourcebook_core.seal import open_text
from sourcebook_core.store import webhooks
from sourcebook_ingest.deps import Deps

_log = log.get(__name__)
ATTEMPTS = 8  # with the back-off of jobs: about four minutes in all at the usual 2 s, and a retry by hand under Jobs
_BOUNDS = Bounds(bytes=100_000, seconds=10.0)  # what a receiver says is not used


async def _given_up(conn: Conn, work: SendWebhook, error: SourcebookError) -> None:
    await webhooks.note(conn, work.webhook_id, error.message)


@task(SendWebhook, failed=_given_up, attempts=ATTEMPTS)
async def send_webhook(work: SendWebhook, deps: Deps) -> None:
    """POST one message to one webhook.

    Safe to run twice: the receiver tells messages apart by `id`, the job's. Any 2xx is an arrival; no redirect is followed. Raises
    TransientError while it does not answer, PermanentError for an address that is not public.
    """
    async with deps.db.transaction() as conn:
        target = await webhooks.find_target(conn, work.webhook_id)
    if target is None:
        return
    url, sealed = target
    secret = open_text(deps.settings, sealed)
    delivery = str(work.claim.job_id)
    status = await post(deps, url, secret, delivery, {"id": delivery, "event": work.event, "created_at": work.at, "data": work.about})
    async with jobs.finishing(deps.db, work) as conn:
        await webhooks.note(conn, work.webhook_id, None)
    _log.info("webhook.sent", webhook_id=str(work.webhook_id), event=work.event, status=status)


async def post(deps: Deps, url: str, secret: str, delivery: str, message: Mapping[str, Any]) -> int:
    """POST a signed message; the status, any 2xx. Raises TransientError for every other answer or none, PermanentError for an address
    that is not public.
    """
    body = orjson.dumps(message)
    headers = {
        "Content-Type": "application/json", "Content-Length": str(len(body)), hooks.DELIVERY: delivery,
        hooks.SIGNATURE: hooks.signature(secret, int(time.time()), body),
    }  # fmt: skip
    try:
        address = addresses.parse(url, deps.settings.url_allow)
    except NotAnAddress:
        raise PermanentError("url_not_public") from None
    got = await egress.post_once(address, headers, body, _BOUNDS, deps.settings.url_allow)
    if not 200 <= got.status < 300:
        raise TransientError("url_failed", why=str(got.status))
    return got.status

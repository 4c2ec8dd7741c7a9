"""Table webhooks: addresses of programs that want to be told when something happened."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sourcebook_core.db import Conn


@dataclass(frozen=True, slots=True)
class Webhook:
    """One address with the events it wants. `last_error` is why the last message did not arrive; None when it did."""

    id: UUID
    url: str
    events: list[str]
    created_at: datetime
    last_sent_at: datetime | None
    last_error: str | None


async def insert(conn: Conn, webhook_id: UUID, person_id: UUID, url: str, events: Sequence[str], sealed_secret: bytes) -> Webhook:
    """Add a webhook of a person."""
    row = await conn.fetchrow(
        "insert into webhooks (id, person_id, url, events, sealed_secret) values ($1, $2, $3, $4, $5)"
        " returning id, url, events, created_at, last_sent_at, last_error",
        webhook_id, person_id, url, list(events), sealed_secret,
    )  # fmt: skip
    assert row is not None
    return Webhook(**dict(row))


async def count(conn: Conn, person_id: UUID) -> int:
    """How many a person has."""
    found: int = await conn.fetchval("select count(*) from webhooks where person_id = $1", person_id)
    return found


async def list_for_person(conn: Conn, person_id: UUID) -> list[Webhook]:
    """A person's webhooks, newest first."""
    rows = await conn.fetch(
        "select id, url, events, created_at, last_sent_at, last_error from webhooks where person_id = $1 order by created_at desc, id",
        person_id,
    )
    return [Webhook(**dict(row)) for row in rows]


async def wanting(conn: Conn, person_id: UUID, event: str) -> list[UUID]:
    """The person's webhooks that want this event."""
    rows = await conn.fetch("select id from webhooks where person_id = $1 and $2 = any(events) order by id", person_id, event)
    return [row["id"] for row in rows]


async def find_target(conn: Conn, webhook_id: UUID) -> tuple[str, bytes] | None:
    """Address and sealed secret, for sending; None when it was taken away."""
    row = await conn.fetchrow("select url, sealed_secret from webhooks where id = $1", webhook_id)
    return (row["url"], row["sealed_secret"]) if row is not None else None


async def note(conn: Conn, webhook_id: UUID, error: str | None) -> None:
    """Keep how sending went: None = it arrived."""
    await conn.execute(
        "update webhooks set last_error = $2, last_sent_at = case when $2::text is null then now() else last_sent_at end where id = $1",
        webhook_id, error,
    )  # fmt: skip


async def delete(conn: Conn, person_id: UUID, webhook_id: UUID) -> bool:
    """Take a person's webhook away; False when they have no such one."""
    return await conn.fetchval("delete from webhooks where person_id = $1 and id = $2 returning true", person_id, webhook_id) is not None

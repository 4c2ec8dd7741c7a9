"""Table tokens: programs that may act for a person. Only the SHA-256 of a token is kept."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from sourcebook_core.db import Conn

OWNER_FILE = "owner-token file"


@dataclass(frozen=True)
class Token:
    """One token as its person sees it; the secret itself is never stored."""

    id: UUID
    name: str
    prefix: str
    scopes: list[str]
    created_at: datetime
    last_used_at: datetime | None
    expires_at: datetime | None
    limits: dict[str, int]


@dataclass(frozen=True)
class Bearer:
    """A living token with its hash, to compare, and its person."""

    id: UUID
    secret_hash: bytes
    scopes: list[str]
    person_id: UUID
    email: str | None
    name: str
    is_admin: bool
    preferences: dict[str, Any]
    limits: dict[str, int]


async def insert(
    conn: Conn,
    person_id: UUID,
    name: str,
    prefix: str,
    secret_hash: bytes,
    scopes: list[str],
    expires_at: datetime | None = None,
    limits: dict[str, int] | None = None,
) -> Token:
    """Make a token for a person. `limits`: `per_minute` and `per_day`, requests it may make."""
    row = await conn.fetchrow(
        "insert into tokens (id, person_id, name, prefix, secret_hash, scopes, expires_at, limits) values ($1, $2, $3, $4, $5, $6, $7, $8)"
        " returning id, name, prefix, scopes, created_at, last_used_at, expires_at, limits",
        uuid4(),
        person_id,
        name,
        prefix,
        secret_hash,
        scopes,
        expires_at,
        limits or {},
    )
    assert row is not None
    return Token(**row)


async def ensure_owner_file(conn: Conn, person_id: UUID, prefix: str, secret_hash: bytes) -> None:
    """Make the token of the data folder's file valid, and only this one of its name. Safe to run twice."""
    await conn.execute("delete from tokens where person_id = $1 and name = $2 and secret_hash <> $3", person_id, OWNER_FILE, secret_hash)
    await conn.execute(
        "insert into tokens (id, person_id, name, prefix, secret_hash) values ($1, $2, $3, $4, $5) on conflict (secret_hash) do nothing",
        uuid4(),
        person_id,
        OWNER_FILE,
        prefix,
        secret_hash,
    )


async def with_prefix(conn: Conn, prefix: str) -> list[Bearer]:
    """The living tokens that begin like this; the caller compares the hashes in constant time."""
    rows = await conn.fetch(
        "select t.id, t.secret_hash, t.scopes, p.id as person_id, p.email, p.name, p.is_admin, p.preferences, t.limits from tokens t"
        " join people p on p.id = t.person_id where t.prefix = $1 and (t.expires_at is null or t.expires_at > now())",
        prefix,
    )
    return [Bearer(**row) for row in rows]


async def touch(conn: Conn, token_id: UUID) -> None:
    """Note that the token was used, at most once a minute."""
    await conn.execute(
        "update tokens set last_used_at = now() where id = $1 and (last_used_at is null or last_used_at < now() - interval '1 minute')",
        token_id,
    )


async def list_for_person(conn: Conn, person_id: UUID) -> list[Token]:
    """A person's tokens, newest first."""
    rows = await conn.fetch(
        "select id, name, prefix, scopes, created_at, last_used_at, expires_at, limits from tokens where person_id = $1"
        " order by created_at desc, id",
        person_id,
    )
    return [Token(**row) for row in rows]


async def delete(conn: Conn, person_id: UUID, token_id: UUID) -> bool:
    """Take a person's token away; False when they have no such token."""
    return await conn.fetchval("delete from tokens where person_id = $1 and id = $2 returning true", person_id, token_id) is not None

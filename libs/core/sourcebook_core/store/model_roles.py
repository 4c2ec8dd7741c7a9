"""Rows of `model_roles`: roles set in the page. Keys are sealed before they come here."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sourcebook_core.db import Conn


@dataclass(frozen=True, slots=True)
class ModelRole:
    """One role as set at run time; `tested` is the last test's result."""

    role: str
    provider: str
    base_url: str | None
    model: str | None
    sealed_key: bytes | None
    options: dict[str, Any]
    tested: dict[str, Any] | None
    updated_at: datetime


async def list_all(conn: Conn) -> list[ModelRole]:
    """Every role that was set in the page."""
    rows = await conn.fetch(
        "select role, provider, base_url, model, sealed_key, options, tested, updated_at from model_roles order by role"
    )
    return [ModelRole(**dict(row)) for row in rows]


async def replace(
    conn: Conn, role: str, *, provider: str, base_url: str | None, model: str | None, sealed_key: bytes | None, options: dict[str, Any]
) -> None:
    """Set a role; its last test is forgotten, unless nothing changed."""
    await conn.execute(
        """
        insert into model_roles (role, provider, base_url, model, sealed_key, options) values ($1, $2, $3, $4, $5, $6)
        on conflict (role) do update set provider = $2, base_url = $3, model = $4, sealed_key = $5, options = $6,
            updated_at = now(), tested = case
                when (model_roles.provider, model_roles.base_url, model_roles.model, model_roles.sealed_key, model_roles.options)
                    is not distinct from ($2, $3, $4, $5, $6) then model_roles.tested end
        """,
        role, provider, base_url, model, sealed_key, options,
    )  # fmt: skip


async def record_test(conn: Conn, role: str, provider: str, tested: dict[str, Any]) -> None:
    """Keep the result of a test; a role that only the environment sets gets a row for it alone."""
    await conn.execute(
        """
        insert into model_roles (role, provider, tested) values ($1, $2, $3)
        on conflict (role) do update set tested = $3
        """,
        role, provider, tested,
    )  # fmt: skip

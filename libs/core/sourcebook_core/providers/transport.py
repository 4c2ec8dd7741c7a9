"""The bare way to a model's address: which key and headers may leave. Needs no SDK, so whoever only lists models loads none."""

from __future__ import annotations

import httpx2

from sourcebook_core.settings import RoleSettings

IDLE_S = 3.0  # below the 5 s after which uvicorn and others close an idle connection, or a request is lost on it
_SENT = {"host", "accept", "accept-encoding", "connection", "content-type", "content-length", "user-agent", "authorization", "x-language"}


def key_of(role: RoleSettings) -> str:
    """The key a role may send: only a role set to `api` has one (S0-87)."""
    return role.api_key.get_secret_value() if role.provider == "api" and role.api_key is not None else ""


def transport(*, with_key: bool) -> httpx2.AsyncClient:
    """An HTTP client that reads no proxy or key from the environment, follows no redirect and sends only headers we mean to send."""

    async def leave(request: httpx2.Request) -> None:
        for name in list(request.headers):
            if name not in _SENT or (name == "authorization" and not with_key):
                del request.headers[name]

    limits = httpx2.Limits(max_connections=100, max_keepalive_connections=20, keepalive_expiry=IDLE_S)
    return httpx2.AsyncClient(trust_env=False, follow_redirects=False, limits=limits, event_hooks={"request": [leave]})

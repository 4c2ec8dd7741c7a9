"""The draft of an assistant: its settings from what was asked, checked as a whole before they are kept."""

from __future__ import annotations

import re
import secrets
import unicodedata
from collections.abc import Mapping
from typing import Any

from sourcebook_core import host_declared, profiles, roles
from sourcebook_core.db import Conn
from sourcebook_core.errors import RequestError
from sourcebook_core.settings import Settings
from sourcebook_core.store import recipes
from sourcebook_gateway import addresses
from sourcebook_gateway.shapes.assistants import AssistantCreate, AssistantUpdate

# How the seeds cut: S0-16 by headings, S2-09 in whole blocks; the others as a notebook does.
_RECIPES = {"docs": "headings-500-50-a2", "help": "blocks-700-0-a2"}
_SLUG_CHARS = 40


def changed(stored: Mapping[str, Any], profile: str, asked: AssistantCreate | AssistantUpdate, settings: Settings) -> dict[str, Any]:
    """The settings with what was asked put in. Raises 422 naming the field when profile, hosts or publication are not right."""
    given = asked.model_dump(mode="json", exclude_unset=True)
    now = dict(stored)
    overrides: Mapping[str, Any] = now.get("profile") or {}
    if given.get("profile_settings") is not None:
        overrides = profiles.merged(overrides, given["profile_settings"])
    if given.get("limits") is not None:
        overrides = profiles.merged(overrides, {"limits": given["limits"]})
    now["profile"] = dict(overrides)
    for name in ("look", "publication", "handover"):
        if given.get(name) is not None:
            before = {} if name == "handover" else now.get(name) or {}
            now[name] = {key: value for key, value in {**before, **given[name]}.items() if value is not None}
    for name in ("language", "hosts", "local_only"):
        if name in given:
            now[name] = given[name]
    kept = {name: value for name, value in now.items() if value not in (None, False, {}, [])}
    _check_handover(kept.get("handover") or {}, settings)
    profiles.of(profile, kept.get("profile"))
    host_declared.check(kept, settings.host_allow)
    return kept


def _check_handover(handover: Mapping[str, Any], settings: Settings) -> None:
    """Refuse where to a visitor could not be led from here: the same guard stands before the sending."""
    if handover.get("kind") == "mail" and settings.smtp_host is None:
        raise RequestError(422, "invalid_field", why="handover: no mail can be sent here; the operator sets SOURCEBOOK_SMTP_HOST.")
    if handover.get("kind") == "webhook":
        addresses.canonical(str(handover["to"]), settings.url_allow)


async def recipe_of(conn: Conn, settings: Settings, profile: str, wanted: str | None) -> str:
    """How an assistant of this profile cuts its sources, or `wanted` where that is a recipe. Raises 422 for one that is none."""
    if wanted is None:
        otherwise = roles.recipe_for((await roles.effective_roles(conn, settings))["embedding"])
        return _RECIPES.get(profile, otherwise)
    if await recipes.with_captions(conn, wanted, None) is None:
        raise RequestError(422, "invalid_field", why=f"recipe: {wanted} is not there.")
    return wanted


def slug_for(name: str) -> str:
    """A slug that tells the name and that no other assistant has: its plain letters, and some random ones."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    words = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:_SLUG_CHARS].strip("-")
    return f"{words or 'assistant'}-{secrets.token_hex(3)}"

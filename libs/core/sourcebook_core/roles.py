"""The model roles in force: the environment wins, then what an administrator set in the page."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any, cast
from uuid import UUID

from pydantic import SecretStr, ValidationError

from sourcebook_core import seal
from sourcebook_core.db import Conn
from sourcebook_core.errors import PermanentError
from sourcebook_core.settings import ROLES, RoleName, RoleSettings, Settings
from sourcebook_core.store import model_roles, source_work, spaces
from sourcebook_core.store.model_roles import ModelRole
from sourcebook_core.store.spaces import Space

# Options of a role that are settings of ours; every other option goes into the body of its requests.
OWN_OPTIONS = frozenset(
    {
        "timeout_s",
        "first_byte_s",
        "query_prefix",
        "passage_prefix",
        "dimension",
        "context_tokens",
        "reasoning_effort",
        "temperature",
        "max_tokens",
        "batch_texts",
    }
)
# The local embedder takes 512 tokens, hosted ones far more (decisions, "Closing the last gaps").
LOCAL_RECIPE, HOSTED_RECIPE = "token_window-300-40-a2", "token_window-420-50-a2"


async def effective_roles(conn: Conn, settings: Settings) -> dict[RoleName, RoleSettings]:
    """The settings of every role as they hold now; a role nobody set is off.

    Read them at the start of each job, so that a change in the page takes effect without a restart. Raises PermanentError
    `bad_setting` when a stored key cannot be opened with this installation's secret key.
    """
    return combine(settings, await model_roles.list_all(conn))


async def for_source(conn: Conn, settings: Settings, name: RoleName, source_id: UUID) -> tuple[RoleSettings, bool]:
    """A role as it holds now, and whether it may not have this source: it is hosted, and a notebook or an assistant
    that holds the source keeps to models on this server. Raises as `effective_roles`.
    """
    role = (await effective_roles(conn, settings))[name]
    return role, role.provider == "api" and await source_work.is_local_only(conn, source_id)


def combine(settings: Settings, stored: Iterable[ModelRole]) -> dict[RoleName, RoleSettings]:
    """`effective_roles` without a database: a stored row counts only for a role the environment does not set.

    A row that only keeps a test (an address was never given) sets nothing.
    """
    roles = {name: settings.role(name) for name in ROLES}
    for row in stored:
        name = cast(RoleName, row.role)
        is_set = row.provider == "none" or (row.base_url and row.model)
        if is_set and not roles[name].from_environment:
            roles[name] = of_row(settings, row)
    return roles


def is_of_space(role: RoleSettings, space: Space) -> bool:
    """Whether the role's model makes vectors of this space. A local server may move to another port and is the same model."""
    same = (space.provider, space.model, space.query_prefix, space.passage_prefix) == (
        role.provider, role.model, role.query_prefix, role.passage_prefix,
    )  # fmt: skip
    at_home = role.provider == "local" or space.base_url == role.base_url
    return same and at_home and role.dimension in (None, space.dimension)


async def find_space(conn: Conn, role: RoleSettings, state: str | None = None) -> Space | None:
    """The space for the vectors of the role's model, the one in use before one that is being built; of this state where given."""
    found = (space for space in await spaces.list_filled(conn) if is_of_space(role, space))
    return next((space for space in found if state is None or space.state == state), None)


def recipe_for(embedding: RoleSettings) -> str:
    """The recipe by which a new notebook cuts its sources: 300/40 while the embedding role is local, 420/50 else."""
    return LOCAL_RECIPE if embedding.provider == "local" else HOSTED_RECIPE


def fingerprint(settings: Settings, role: RoleSettings) -> str:
    """The same for the same model, address, key and options, and of no use to who would learn the key. Raises as `close_text`."""
    fields = role.model_dump(mode="json", exclude={"api_key", "from_environment"})
    key = role.api_key.get_secret_value() if role.api_key and role.provider == "api" else ""
    secret = seal.derived(settings, "fingerprint of a model role")
    return hashlib.sha256(json.dumps([secret, fields, key], sort_keys=True).encode()).hexdigest()


def of_row(settings: Settings, row: ModelRole) -> RoleSettings:
    """The settings that one stored row means, with its key opened."""
    key = SecretStr(seal.open_text(settings, row.sealed_key)) if row.sealed_key and row.provider == "api" else None
    return build(cast(RoleName, row.role), row.provider, row.base_url, row.model, key, row.options)


def build(
    role: RoleName, provider: str, base_url: str | None, model: str | None, key: SecretStr | None, options: Mapping[str, Any]
) -> RoleSettings:
    """A role's settings from the fields an administrator gives; raises PermanentError `bad_setting` naming the field."""
    own = {name: value for name, value in options.items() if name in OWN_OPTIONS and value is not None}
    rest = {name: value for name, value in options.items() if name not in OWN_OPTIONS}
    fields = {"name": role, "provider": provider, "base_url": base_url, "model": model, "api_key": key, "options": rest, **own}
    try:
        return RoleSettings.model_validate(fields)
    except ValidationError as error:
        first = error.errors()[0]
        raise PermanentError("bad_setting", setting=f"{role} {'.'.join(str(part) for part in first['loc'])}", why=first["msg"]) from None

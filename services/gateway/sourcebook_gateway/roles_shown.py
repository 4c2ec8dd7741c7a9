"""Model roles as the models screen shows, sets and tests them."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any, Literal
from urllib.parse import urlsplit
from uuid import UUID

from pydantic import SecretStr
from redis.exceptions import RedisError

from sourcebook_core import jobs, log, roles
from sourcebook_core.db import Conn
from sourcebook_core.errors import PermanentError, RequestError
from sourcebook_core.jobs import TestModel
from sourcebook_core.seal import close_text
from sourcebook_core.settings import PREFIX, ROLES, RoleName, RoleSettings, Settings
from sourcebook_core.store import model_roles, rebuild
from sourcebook_gateway.deps import Caller, Shared
from sourcebook_gateway.shapes.admin import ModelRole, ModelSet, ModelTestAsk, ModelTested, Rebuild

_HIDDEN = frozenset({"name", "provider", "base_url", "model", "api_key", "from_environment", "options"})
_TRIED_S = 3600  # between Test and Save of one form
_log = log.get(__name__)


async def all_roles(conn: Conn, settings: Settings) -> list[ModelRole]:
    """Every role as it holds now; a key is only said to be there."""
    stored = {row.role: row for row in await model_roles.list_all(conn)}
    building = await _rebuild(conn, roles.combine(settings, stored.values())["embedding"])
    shown = [_shown(settings, name, stored.get(name)) for name in ROLES]
    return [one.model_copy(update={"rebuild": building}) if one.role == "embedding" else one for one in shown]


async def _rebuild(conn: Conn, role: RoleSettings) -> Rebuild | None:
    """How far the space of the chosen embedding model is, while it is built beside the one in use, or why it was not begun."""
    chosen = await roles.find_space(conn, role)
    if not role.is_on or (chosen and chosen.state == "in_use"):
        return None
    job = await (rebuild.find_building(conn, chosen.id) if chosen else rebuild.find_first_look(conn))
    if job is None:
        return None
    size = await rebuild.size(conn, chosen.id if chosen else None, is_hosted=role.provider == "api")
    left = size.chunks - size.done
    state: Literal["waiting", "building", "failed"] = "building" if job.state == "running" else "waiting"
    return Rebuild(
        state="failed" if job.state in ("failed", "cancelled") else state, readings=size.readings, chunks=size.chunks, done=size.done,
        seconds_left=round(left * job.seconds / job.chunks) if job.chunks and job.state == "running" else None,
        cost=f"{job.cost * size.chunks / job.paid:.8f}" if job.cost is not None and job.paid else None,
        error=job.error if job.state != "running" else None, job_id=job.job_id,
    )  # fmt: skip


def _shown(settings: Settings, name: RoleName, row: model_roles.ModelRole | None) -> ModelRole:
    fixed = settings.role(name)
    tested = ModelTested.model_validate(row.tested) if row and row.tested else None
    # A row without an address only keeps a test: what the environment or the stack gave holds, as in `roles.combine`.
    if fixed.from_environment or row is None or not (row.provider == "none" or (row.base_url and row.model)):
        is_locked = fixed.from_environment
        return ModelRole(
            role=name, provider=fixed.provider, base_url=fixed.base_url, model=fixed.model, has_key=fixed.api_key is not None,
            locked=is_locked, locked_by=locked_by(settings, name) if is_locked else None, tested=tested, options=_options(fixed),
        )  # fmt: skip
    return ModelRole.model_validate(
        {
            "role": name, "provider": row.provider, "base_url": row.base_url, "model": row.model, "has_key": row.sealed_key is not None,
            "locked": False, "tested": tested, "options": row.options,
        }
    )  # fmt: skip


def locked_by(settings: Settings, name: RoleName) -> str | None:
    """The environment variable that fixes the role: that of its address, else the first one given."""
    given = sorted(key for key in settings.origins if key.startswith(f"{PREFIX}{name.upper()}_"))
    address = f"{PREFIX}{name.upper()}_BASE_URL"
    return address if address in given else (given[0] if given else None)


def _options(role: RoleSettings) -> dict[str, Any]:
    """What differs from the defaults, so that the screen shows only what someone chose."""
    plain = RoleSettings(name=role.name)
    chosen = {f: getattr(role, f) for f in RoleSettings.model_fields if f not in _HIDDEN and getattr(role, f) != getattr(plain, f)}
    return {**role.options, **chosen}


def check_address(base_url: str | None, provider: str) -> None:
    """Raises 422 for an address that cannot be an endpoint. Only administrators come here; their own network is allowed."""
    if provider == "none":
        return
    try:
        parts = urlsplit(base_url or "")
        is_good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.username is None and (parts.port or 1) > 0
    except ValueError:
        is_good = False
    if not is_good:
        raise RequestError(422, "invalid_field", why="base_url: an http or https address, as http://127.0.0.1:11434/v1.")


async def set_role(conn: Conn, settings: Settings, name: RoleName, asked: ModelSet) -> None:
    """Store a role. Raises 409 for one the environment sets, 422 for fields that do not fit, 422 `bad_setting` as PermanentError."""
    if settings.role(name).from_environment:
        variable = locked_by(settings, name)
        raise RequestError(409, "conflict", why=f"{variable} sets this model. Change it there.")
    check_address(asked.base_url, asked.provider)
    if asked.provider != "none" and not asked.model:
        raise RequestError(422, "invalid_field", why="model: name the model to use.")
    if settings.deployed and settings.require_hosted is not False and asked.provider == "local":
        raise RequestError(422, "invalid_field", why="provider: a deployed server uses hosted models only.")
    before = next((row for row in await model_roles.list_all(conn) if row.role == name), None)
    sealed = _key(settings, asked, before)
    options = _options_of(asked, before)
    _built(name, asked.provider, asked.base_url, asked.model, options)
    await model_roles.replace(
        conn, name, provider=asked.provider, base_url=asked.base_url, model=asked.model, sealed_key=sealed, options=options
    )  # fmt: skip


def _options_of(asked: ModelSet | ModelTestAsk, before: model_roles.ModelRole | None) -> dict[str, Any]:
    return asked.options if asked.options is not None else (before.options if before else {})


def _built(name: RoleName, provider: str, base_url: str | None, model: str | None, options: dict[str, Any]) -> None:
    try:
        roles.build(name, provider, base_url, model, None, options)
    except PermanentError as error:
        raise RequestError(422, "invalid_field", why=f"options: {error.facts.get('why', 'they do not fit.')}") from None


def _key(settings: Settings, asked: ModelSet, before: model_roles.ModelRole | None) -> bytes | None:
    """The sealed key: a new one, or the stored one as long as it goes to the same address (a key must not follow to another)."""
    if asked.provider != "api":
        return None
    if asked.api_key is not None and asked.api_key.get_secret_value():
        return close_text(settings, asked.api_key.get_secret_value())
    is_same = before is not None and before.base_url == asked.base_url
    return before.sealed_key if before is not None and is_same else None


async def ask_test(conn: Conn, shared: Shared, caller: Caller, asked: ModelTestAsk) -> UUID:
    """Queue a test of a role with the given fields in place of what holds now; the key travels sealed."""
    role = await _asked_role(conn, shared.settings, asked)
    key = role.api_key.get_secret_value() if role.api_key else ""
    sealed = close_text(shared.settings, key) if key and role.provider == "api" else None
    work = TestModel(role=asked.role, provider=role.provider, base_url=role.base_url, model=role.model or "", options=_options(role))
    return await jobs.insert(conn, work, owner_id=caller.person_id, sealed=sealed)


async def _asked_role(conn: Conn, settings: Settings, asked: ModelTestAsk) -> RoleSettings:
    """The role as the fields would have it if they were saved; a field that is not given is as it holds now."""
    stored = await model_roles.list_all(conn)
    now = roles.combine(settings, stored)[asked.role]
    provider = asked.provider or now.provider
    base_url, model = asked.base_url or now.base_url, asked.model or now.model
    check_address(base_url, provider)
    if provider == "none" or not model:
        raise RequestError(422, "invalid_field", why="model: choose a model to test.")
    key: SecretStr | None = asked.api_key
    if key is None and base_url == now.base_url:
        key = now.api_key
    is_other = (provider, base_url, model) != (now.provider, now.base_url, now.model)
    before = next((row for row in stored if row.role == asked.role), None)
    options = _options_of(asked, before) if is_other or asked.options is not None else _options(now)  # as `set_role` would keep them
    _built(asked.role, provider, base_url, model, options)
    return roles.build(asked.role, provider, base_url, model, key if provider == "api" else None, options)


async def keep_test(shared: Shared, asked: ModelTestAsk, result: dict[str, Any]) -> ModelTested:
    """The result with its time; kept with the role when exactly this holds now, else until exactly this is saved, for an hour."""
    tested = ModelTested.model_validate({**result, "at": datetime.now(UTC)})
    told = tested.model_dump(mode="json")
    async with shared.db.transaction() as conn:
        mark = roles.fingerprint(shared.settings, await _asked_role(conn, shared.settings, asked))
        is_kept = await _keep_if_so(conn, shared.settings, asked.role, mark, told)
    if not is_kept:
        try:
            await shared.redis.set(_tried_key(asked.role), json.dumps([mark, told]), ex=_TRIED_S)
        except (RedisError, OSError, TimeoutError) as error:  # the test was still made: it is told, and only not kept
            _log.warning("models.test_not_kept", role=asked.role, error=str(error))
    return tested


async def take_tried(shared: Shared, name: RoleName) -> None:
    """Give a role that was just saved the result of the test of its form, if exactly these settings were tested."""
    try:
        kept = await shared.redis.get(_tried_key(name))
    except (RedisError, OSError, TimeoutError) as error:  # the role holds; its row says that it was not tested
        _log.warning("models.test_not_kept", role=name, error=str(error))
        return
    if kept:
        async with shared.db.transaction() as conn:
            await _keep_if_so(conn, shared.settings, name, *json.loads(kept))


async def _keep_if_so(conn: Conn, settings: Settings, name: RoleName, mark: str, tested: dict[str, Any]) -> bool:
    """Keep a test with the role when what was tested is what holds now; whether it is."""
    now = (await roles.effective_roles(conn, settings))[name]
    is_so = now.is_on and mark == roles.fingerprint(settings, now)
    if is_so:
        await model_roles.record_test(conn, name, now.provider, tested)
    return is_so


def _tried_key(name: RoleName) -> str:
    return f"model-tried:{name}"

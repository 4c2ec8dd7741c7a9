"""Tests a model role with real calls, before or after it is put in force."""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime
from typing import Any

from pydantic import SecretStr

from sourcebook_core import jobs, roles, seal
from sourcebook_core.errors import DatabaseAway, SourcebookError
from sourcebook_core.jobs import TestModel
from sourcebook_core.providers import endpoint, trial
from sourcebook_core.settings import RoleSettings
from sourcebook_core.store import model_roles
from sourcebook_rag.deps import Deps


async def test_model(work: TestModel, deps: Deps) -> None:
    """Test the role as given (address, model, sealed key); the result is the job's, and is kept with the role in force.

    `{"ok", "seconds", "words_per_s", "cites_right", "cites_of", "dimension", "reads_right", "reads_of", "error"}`; a model that
    fails is a result, not a failed job. Safe to run twice: the calls are made again.
    """
    async with jobs.holding(deps.db, work) as conn:
        in_force = await roles.effective_roles(conn, deps.settings)
    role, is_in_force = _role(work, deps, in_force)
    endpoint.forget()
    told = await _tried(role)
    async with jobs.finishing(deps.db, work, told) as conn:
        if is_in_force and role.is_on:
            at = datetime.now(UTC).isoformat()
            await model_roles.record_test(conn, work.role, role.provider, told | {"at": at})


def _role(work: TestModel, deps: Deps, in_force: dict[Any, RoleSettings]) -> tuple[RoleSettings, bool]:
    """The role to test, and whether it is the one in force; without a key of its own it is tried with the stored one."""
    current: RoleSettings = in_force[work.role]
    sealed = work.claim.sealed
    key = SecretStr(seal.open_text(deps.settings, sealed)) if sealed else None
    if key is None and current.base_url == work.base_url:
        key = current.api_key
    role = roles.build(current.name, work.provider, work.base_url, work.model, key, work.options)
    is_in_force = (role.provider, role.base_url, role.model) == (current.provider, current.base_url, current.model)
    if is_in_force and not work.options:
        role = current.model_copy(update={"api_key": key or current.api_key})
    return role, is_in_force


async def _tried(role: RoleSettings) -> dict[str, Any]:
    empty = dict.fromkeys(("seconds", "words_per_s", "cites_right", "cites_of", "dimension", "reads_right", "reads_of", "error"))
    if not role.is_on:
        return empty | {"ok": False, "error": _error(SourcebookError("no_model", role=role.name))}
    try:
        if role.name == "embedding":
            embedded = await trial.test_embedding(role)
            return empty | {"ok": True, "seconds": embedded.seconds, "dimension": embedded.dimension}
        if role.name == "vision":
            return empty | {"ok": True} | dataclasses.asdict(await trial.test_vision(role))
        if role.name == "speech":
            return empty | {"ok": True, "seconds": await trial.test_speech(role)}
        return empty | {"ok": True} | dataclasses.asdict(await trial.test_chat(role))
    except DatabaseAway:
        raise
    except SourcebookError as error:
        return empty | {"ok": False, "error": _error(error)}


def _error(error: SourcebookError) -> dict[str, str]:
    return {"code": error.code, "message": error.message}

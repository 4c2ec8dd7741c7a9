"""Tests a model role with real calls, before or after it is put in force."""

from __future__ import annotations

import dataclasses
import math
from datetime import UTC, datetime
from typing import Any

from pydantic import SecretStr

from sourcebook_core import jobs, roles, seal
from sourcebook_core.db import Conn
from sourcebook_core.errors import DatabaseAway, SourcebookError
from sourcebook_core.jobs import TestModel
from sourcebook_core.prices import Prices
from sourcebook_core.providers import endpoint, trial
from sourcebook_core.providers.trial import EmbeddingTrial
from sourcebook_core.settings import RoleSettings
from sourcebook_core.store import model_roles, rebuild
from sourcebook_core.store.rebuild import Size
from sourcebook_rag.deps import Deps


async def test_model(work: TestModel, deps: Deps) -> None:
    """Test the role as given (address, model, sealed key); the result is the job's, and is kept with the role in force.

    `{"ok", "seconds", "words_per_s", "cites_right", "cites_of", "dimension", "reads_right", "reads_of", "rebuild_estimate",
    "error"}`; a model that fails is a result, not a failed job. Safe to run twice: the calls are made again.
    """
    async with jobs.holding(deps.db, work) as conn:
        in_force = await roles.effective_roles(conn, deps.settings)
        role, is_in_force = _role(work, deps, in_force)
        ahead = await _ahead(conn, role) if role.name == "embedding" and role.is_on else None
    endpoint.forget()
    told = await _tried(role, ahead, deps.prices)
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
    is_same = (role.provider, role.base_url, role.model) == (current.provider, current.base_url, current.model)
    if is_same and not work.options:
        role = current.model_copy(update={"api_key": key or current.api_key})
    is_in_force = roles.fingerprint(deps.settings, role) == roles.fingerprint(deps.settings, current)
    return role, is_in_force


async def _ahead(conn: Conn, role: RoleSettings) -> Size:
    """What would have to be embedded if this model were chosen: everything, where its space is not there yet."""
    known = await roles.find_space(conn, role)
    return await rebuild.size(conn, known.id if known else None, is_hosted=role.provider == "api")


def estimate(size: Size, told: EmbeddingTrial, role: RoleSettings, prices: Prices) -> dict[str, Any] | None:
    """How many chunks are to be embedded, in about how many seconds, for how much: by the test's own call of a whole batch.

    None when nothing is. `cost` is None where no price is known; the time of the database is not counted.
    """
    chunks, chars = size.chunks - size.done, size.characters - size.characters_done
    if chunks <= 0 or not told.batch_texts:
        return None
    tokens = None
    if told.batch_tokens is not None:
        tokens = round(told.batch_tokens * chars / (told.batch_texts * batch_chars(size)))
    cost = prices.cost_of(role, {"tokens_in": tokens})
    return {
        "chunks": chunks,
        "seconds": max(1, round(math.ceil(chunks / told.batch_texts) * told.batch_seconds)),
        "cost": f"{cost:f}" if cost is not None else None,
        "currency": prices.currency,
    }


def batch_chars(size: Size) -> int:
    """The mean length of what is still to be embedded; 0 when nothing is."""
    left = size.chunks - size.done
    return max(trial.SHORTEST_TEXT, (size.characters - size.characters_done) // left) if left > 0 else 0


async def _tried(role: RoleSettings, ahead: Size | None, prices: Prices) -> dict[str, Any]:
    empty = dict.fromkeys(
        ("seconds", "words_per_s", "cites_right", "cites_of", "dimension", "reads_right", "reads_of", "rebuild_estimate", "error")
    )
    if not role.is_on:
        return empty | {"ok": False, "error": _error(SourcebookError("no_model", role=role.name))}
    try:
        if role.name == "embedding" and ahead is not None:
            embedded = await trial.test_embedding(role, batch_chars(ahead))
            told = {"seconds": embedded.seconds, "dimension": embedded.dimension}
            return empty | {"ok": True, **told, "rebuild_estimate": estimate(ahead, embedded, role, prices)}
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

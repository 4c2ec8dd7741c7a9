"""Trying a role, finding servers and asking for limits, against the fake provider."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from sourcebook_core.errors import PermanentError
from sourcebook_core.providers import listing, trial
from sourcebook_core.providers.endpoint import forget
from sourcebook_core.providers.request import close_clients
from sourcebook_core.settings import RoleSettings
from tests.fakes.provider import FakeProvider
from tests.fakes.script import Reply


@pytest.fixture(autouse=True)
async def clean() -> AsyncIterator[None]:
    forget()
    yield
    await close_clients()


async def test_a_trial_counts_the_answers_that_cite_rightly(fake: FakeProvider) -> None:
    fake.script.add(Reply(text="It was closed in 1968 [2]."), Reply(text="For 50 minutes [3]."), Reply(text="Line 4 does."))
    found = await trial.test_chat(RoleSettings(name="chat", provider="local", base_url=fake.base_url, model="fake"))
    assert (found.cites_right, found.cites_of) == (2, 3)
    assert len(fake.script.requests("chat")) == 3
    assert found.seconds >= 0


async def test_a_trial_that_fails_names_the_failure(fake: FakeProvider) -> None:
    fake.script.add(Reply(status=401))
    with pytest.raises(PermanentError) as caught:
        await trial.test_chat(RoleSettings(name="chat", provider="api", base_url=fake.base_url, model="fake"))
    assert caught.value.code == "model_unauthorized"


async def test_an_embedding_trial_tells_the_dimension(fake: FakeProvider) -> None:
    found = await trial.test_embedding(RoleSettings(name="embedding", provider="local", base_url=fake.base_url, model="fake"))
    assert (found.dimension, found.is_sensible) == (64, True)


async def test_servers_that_answer_are_found_with_their_models(fake: FakeProvider) -> None:
    fake.script.rules.models = ("small:7b", "big:70b")
    with FakeProvider() as odd:
        odd.script.add(Reply(kind="models", body="<html>a web page</html>", times=0))
        places = (("One", fake.base_url), ("Odd", odd.base_url), ("Gone", "http://127.0.0.1:1/v1"))
        found = await listing.discover(places, within_s=10.0)
    assert found == [listing.Found("One", fake.base_url, ("big:70b", "small:7b"))]


async def test_a_limit_is_asked_once_and_a_setting_wins(fake: FakeProvider) -> None:
    fake.script.rules.context_tokens = 777
    role = RoleSettings(name="embedding", provider="local", base_url=fake.base_url, model="fake")
    assert [await listing.context_tokens(role) for _ in range(3)] == [777] * 3
    assert len(fake.script.requests("models")) == 1
    assert await listing.context_tokens(role.model_copy(update={"context_tokens": 300})) == 300


async def test_a_speech_model_is_tried_with_a_second_of_sound(fake: FakeProvider) -> None:
    role = RoleSettings(name="speech", provider="local", base_url=fake.base_url, model="fake-listen")
    assert await trial.test_speech(role) >= 0
    assert fake.script.requests("transcriptions")[0].body["file"]["bytes"] == 32_044
    fake.script.add(Reply(kind="transcriptions", status=404))
    with pytest.raises(PermanentError) as found:
        await trial.test_speech(role)
    assert found.value.code == "model_refused"

"""The models screen's routes: set, keep a key, lock, test against a fake provider over real HTTP."""

from collections.abc import Iterator

import pytest

from tests.fakes.provider import FakeProvider
from tests.integration.gateway_rig import Api, owner_api, refused
from tests.rig import PATIENT, Processes

KEY = "sk-very-secret-key"


@pytest.fixture
def api(processes: Processes, owner_token: str) -> Iterator[Api]:
    with owner_api(processes, owner_token, VISION_PROVIDER="none") as (_, client):
        processes.start("rag", **PATIENT)
        yield client


def _role(api: Api, name: str) -> dict[str, object]:
    found = next(item for item in api.get("/admin/models").json()["items"] if item["role"] == name)
    return dict(found)


def test_a_role_is_set_tested_and_its_key_never_shown(api: Api) -> None:
    with FakeProvider() as fake:
        asked = {"provider": "api", "base_url": fake.base_url, "model": "fake-chat", "api_key": KEY}
        tested = api.post("/admin/models/test", {"role": "chat", **asked}).json()
        assert tested["cites_of"] == 3 and tested["seconds"] is not None, tested
        answer = api.put("/admin/models/chat", asked)
        assert answer.status_code == 200 and KEY not in answer.text
        assert _role(api, "chat") | {"tested": None} == {
            "role": "chat", "provider": "api", "base_url": fake.base_url, "model": "fake-chat", "has_key": True, "locked": False,
            "locked_by": None, "tested": None, "options": {}, "rebuild": None,
        }  # fmt: skip
        kept = api.put("/admin/models/chat", {"provider": "api", "base_url": fake.base_url, "model": "fake-other"})
        assert kept.status_code == 200 and _role(api, "chat")["has_key"]
        assert api.post("/admin/models/test", {"role": "chat"}).json()["at"]
        assert _role(api, "chat")["tested"]
        elsewhere = api.put("/admin/models/chat", {"provider": "api", "base_url": "http://127.0.0.1:1/v1", "model": "x"})
        assert elsewhere.status_code == 200 and not _role(api, "chat")["has_key"]
        failed = api.post("/admin/models/test", {"role": "chat"}).json()
        assert failed["ok"] is False and failed["error"]["code"]


def test_the_test_of_a_form_is_shown_once_exactly_that_is_saved(api: Api) -> None:
    with FakeProvider() as fake:
        asked = {"provider": "api", "base_url": fake.base_url, "model": "fake-chat", "api_key": KEY}
        tested = api.post("/admin/models/test", {"role": "chat", **asked}).json()
        assert api.put("/admin/models/chat", asked | {"api_key": "sk-another"}).status_code == 200
        assert _role(api, "chat")["tested"] is None  # that key was not tested
        assert api.put("/admin/models/chat", asked).status_code == 200
        assert _role(api, "chat")["tested"] == tested
        assert api.put("/admin/models/chat", {name: asked[name] for name in ("provider", "base_url", "model")}).status_code == 200
        assert _role(api, "chat")["tested"] == tested  # saved again as it was
        api.post("/admin/models/test", {"role": "chat", **asked, "api_key": "sk-third"})
        assert _role(api, "chat")["tested"] == tested  # another key was tested, not this one
        assert api.put("/admin/models/chat", asked | {"model": "fake-other"}).status_code == 200
        assert _role(api, "chat")["tested"] is None


def test_what_the_environment_sets_is_locked_and_nonsense_refused(api: Api) -> None:
    role = _role(api, "vision")
    assert role["locked"] and role["locked_by"] == "SOURCEBOOK_VISION_PROVIDER"
    refused(api.put("/admin/models/vision", {"provider": "none"}), 409, "conflict")
    for body in (
        {"provider": "api", "base_url": "ftp://x/v1", "model": "m"},
        {"provider": "api", "base_url": "http://u:p@x/v1", "model": "m"},
        {"provider": "api", "base_url": "http://x/v1"},
        {"provider": "other"},
        {"provider": "api", "base_url": "http://x/v1", "model": "m", "options": {"dimension": -5}},
    ):
        refused(api.put("/admin/models/chat", body), 422, "invalid_field")
    refused(api.post("/admin/models/test", {"role": "chat"}), 422, "invalid_field")
    refused(api.put("/admin/models/nothing", {"provider": "none"}), 404, "not_found")


def test_what_the_stack_filled_in_is_shown_tested_and_can_be_changed(processes: Processes, owner_token: str) -> None:
    with FakeProvider() as fake:
        filled = {"FILLED_IN": "chat", "CHAT_PROVIDER": "local", "CHAT_BASE_URL": fake.base_url, "CHAT_MODEL": "fake-chat"}
        processes.start("rag", wait=True, **filled)
        with owner_api(processes, owner_token, **filled) as (_, api):
            assert (_role(api, "chat")["base_url"], _role(api, "chat")["locked"]) == (fake.base_url, False)
            assert api.post("/admin/models/test", {"role": "chat"}).json()["at"]
            role = _role(api, "chat")
            assert role["tested"] and (role["base_url"], role["model"]) == (fake.base_url, "fake-chat")
            assert api.put("/admin/models/chat", {"provider": "none"}).status_code == 200
            assert _role(api, "chat")["provider"] == "none"

"""Who may do what: every route by scope, by sign-in and as a stranger, with a canary that must never be seen."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx2
import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import Case
from schemathesis.core.result import Ok
from schemathesis.errors import SchemathesisError
from schemathesis.generation import GenerationMode

from sourcebook_core import settings as core_settings
from sourcebook_gateway.access import SCOPES
from sourcebook_gateway.app import create_app
from tests.integration.gateway_rig import Api, person, refused, working_gateway
from tests.rig import TestPostgres

CANARY = "zebrafinch-canary"
MATRIX = [line.split("\t") for line in Path(__file__).with_name("access_matrix.tsv").read_text("utf-8").splitlines()]
GATED = [(method, path, scope) for method, path, scope in MATRIX if path.startswith("/api/v1/") and scope != "public"]
FACES = [(method, path) for method, path, _ in MATRIX if path.startswith("/v1/")]
VISITED = [(method, path) for method, path, scope in MATRIX if scope == "visitor"]
BODIES: dict[tuple[str, str], dict[str, Any]] = {
    ("PUT", "/admin/floors/{profile}"): {"floor": None},
    ("POST", "/admin/models/test"): {"role": "chat"},
    ("PUT", "/admin/models/{role}"): {"provider": "none"},
    ("PATCH", "/conversations/{conversation_id}"): {"title": "stolen"},
    ("PATCH", "/me"): {"preferences": {}},
    ("PATCH", "/notebooks/{notebook_id}"): {"title": "stolen"},
    ("POST", "/notebooks/{notebook_id}/ask"): {"question": "What is the secret?"},
    ("POST", "/notebooks/{notebook_id}/plan"): {"question": "What is the secret?"},
    ("POST", "/assistants/{assistant_id}/plan"): {"question": "What is the secret?"},
    ("POST", "/sources/{source_id}/approve"): {"pages": "all"},
    ("POST", "/notebooks/{notebook_id}/search"): {"query": CANARY},
    ("POST", "/notebooks/{notebook_id}/sources"): {"text": "planted", "title": "planted"},
    ("POST", "/notebooks/{notebook_id}/sites"): {"url": "https://lindow.invalid/planted.xml"},
    ("PATCH", "/sites/{site_id}"): {"max_pages": 1},
    ("PUT", "/notebooks/{notebook_id}/sources/{source_id}"): {"grant": "paused"},
    ("POST", "/search"): {"query": CANARY},
    ("POST", "/admin/users/{user_id}/credit"): {"amount": "1"},
    ("POST", "/webhooks"): {"url": "https://lindow.example.org/told", "events": ["turn.done"]},
    ("PATCH", "/sources/{source_id}"): {"title": "stolen"},
    ("POST", "/tokens"): {"name": "mine", "scopes": ["read"]},
    ("POST", "/turns/{turn_id}/feedback"): {"value": 1},
    ("POST", "/notebooks/{notebook_id}/misses/{key}"): {"state": "solved"},
    ("POST", "/notebooks/{notebook_id}/misses/{key}/question"): {"source_ids": []},
    ("POST", "/notebooks/{notebook_id}/questions"): {"question": "planted"},
    ("POST", "/assistants/{assistant_id}/misses/{key}"): {"state": "solved"},
    ("POST", "/assistants/{assistant_id}/misses/{key}/question"): {"source_ids": []},
    ("POST", "/assistants/{assistant_id}/questions"): {"question": "planted"},
    ("POST", "/notebooks/{notebook_id}/notes"): {"text": "planted"},
    ("PATCH", "/notes/{note_id}"): {"title": "stolen"},
    ("PUT", "/sources/{source_id}/captions"): {"captions": {"0" * 64: "planted"}},
    ("POST", "/assistants"): {"name": "mine"},
    ("PATCH", "/assistants/{assistant_id}"): {"name": "stolen"},
    ("POST", "/assistants/{assistant_id}/ask"): {"question": "What is the secret?"},
    ("POST", "/assistants/{assistant_id}/token"): {"subject": "planted"},
    ("POST", "/assistants/{assistant_id}/members"): {"email": "planted@example.org"},
    ("PUT", "/assistants/{assistant_id}/sources"): {"source_ids": []},
    ("PUT", "/assistants/{assistant_id}/sources/{source_id}"): {"grant": "paused"},
}


@dataclass
class World:
    """The owner with a notebook that was read and asked, a stranger with nothing, and ids to fill into addresses."""

    owner: Api
    database: str
    ids: dict[str, str]
    folder: Path

    def path(self, template: str) -> str:
        return re.sub(r"\{(\w+)\}", lambda name: self.ids[name[1]], template.removeprefix("/api/v1"))

    def send(self, api: Api, method: str, template: str) -> httpx2.Response:
        body = BODIES.get((method, template.removeprefix("/api/v1")))
        query = {"boxes": "?start=0&end=1", "captions": "?recipe=token_window-300-40-a2"}.get(template.rpartition("/")[2], "")
        with api.http.stream(method, self.path(template) + query, json=body) as response:
            if not template.endswith("/events") or response.status_code != 200:
                response.read()
            return response


@pytest.fixture(scope="module")
def world(postgres: TestPostgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    folder = tmp_path_factory.mktemp("world")
    with working_gateway(postgres, folder, ASKS_PER_MINUTE="0", SIGN_INS_PER_MINUTE="0") as (_, owner, url):
        notebook = owner.notebook(f"{CANARY} notebook")
        text = f"# {CANARY} heading\n\nThe secret of Lindow is {CANARY} and was told in 1968."
        source = owner.text(notebook, text, title=f"{CANARY} source", format="markdown")["id"]
        owner.ready(source)
        asked = owner.post(f"/notebooks/{notebook}/ask", {"question": "What is the secret of Lindow?"}).json()
        assert CANARY in asked["answer"]
        token = owner.post("/tokens", {"name": CANARY, "scopes": ["read"]}).json()["id"]
        site = owner.post(f"/notebooks/{notebook}/sites", {"url": f"https://{CANARY}.invalid/sitemap.xml"}).json()["id"]
        ids = {
            "site_id": site, "notebook_id": notebook, "source_id": source, "turn_id": asked["turn_id"],
            "conversation_id": asked["conversation_id"], "token_id": token, "item_id": notebook,
            "job_id": str(uuid4()), "role": "chat", "profile": "notebook", "page": "1", "key": missed(owner, asked["turn_id"], notebook),
            "question_id": owner.post(f"/notebooks/{notebook}/questions", {"question": f"Where is {CANARY}?"}).json()["id"],
            "assistant_id": assistant_of(owner, source), "slug": "lindow", "person_id": str(uuid4()),
            "note_id": owner.post(f"/notebooks/{notebook}/notes", {"turn_id": asked["turn_id"]}).json()["id"],
            "user_id": str(uuid4()), "webhook_id": owner.post("/webhooks", BODIES["POST", "/webhooks"]).json()["id"],
        }  # fmt: skip
        yield World(owner, url, ids, folder)


def assistant_of(owner: Api, source: str) -> str:
    """A published assistant that holds the source."""
    made = owner.post("/assistants", {"name": f"{CANARY} helper", "slug": "lindow", "publication": {"mode": "signed_in"}}).json()["id"]
    assert owner.put(f"/assistants/{made}/sources/{source}", {"grant": "given"}).status_code == 200
    assert owner.post(f"/assistants/{made}/publish").json()["published"]
    return str(made)


def missed(owner: Api, turn: str, notebook: str) -> str:
    """The key of a miss, made by a thumb down that stays."""
    assert owner.post(f"/turns/{turn}/feedback", {"value": -1}).status_code == 200
    return str(owner.get(f"/notebooks/{notebook}/misses").json()["items"][0]["key"])


def test_the_matrix_names_every_route_with_its_scope() -> None:
    document = create_app(core_settings.load({})).openapi()
    listed = [
        (method.upper(), path, operation.get("x-scope", "open"))
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
    ]
    assert sorted(listed) == sorted((method, path, scope) for method, path, scope in MATRIX)


def test_nobody_gets_anything_without_signing_in(world: World) -> None:
    with world.owner.other(None) as anonymous, world.owner.other("sb" + "x" * 43) as wrong:
        for method, path, _ in GATED:
            refused(world.send(anonymous, method, path), 401, "not_signed_in")
            refused(world.send(wrong, method, path), 401, "not_signed_in")


def test_the_public_tree_answers_visitors_tokens_alone(world: World) -> None:
    for method, path in VISITED:
        address = world.owner.address + re.sub(r"\{(\w+)\}", lambda name: world.ids[name[1]], path)
        for shown in ({}, dict(world.owner.http.headers), {"Authorization": "Visitor x"}):
            refused(httpx2.request(method, address, headers=shown, timeout=60), 401, "visitor_unknown")


def test_the_faces_of_other_programs_want_a_token_too(world: World) -> None:
    for method, path in FACES:
        for shown in ({}, {"Authorization": "Bearer sb" + "x" * 43}):
            assert httpx2.request(method, f"{world.owner.address}{path}", json={}, headers=shown, timeout=60).status_code == 401


def test_a_token_without_the_scope_is_refused_everywhere(world: World) -> None:
    for scope in SCOPES:
        made = world.owner.post("/tokens", {"name": f"all but {scope}", "scopes": [one for one in SCOPES if one != scope]}).json()
        with world.owner.other(made["token"]) as api:
            for method, path, needed in GATED:
                if needed == scope:
                    refused(world.send(api, method, path), 403, "forbidden")


async def test_a_stranger_sees_and_changes_nothing_of_others(world: World) -> None:
    secret, _ = await person(world.database, "Stranger")
    with world.owner.other(secret) as stranger:
        never = world.ids | {
            name: str(uuid4())
            for name in ("notebook_id", "assistant_id", "source_id", "turn_id", "conversation_id", "key", "question_id", "note_id")
        }
        for method, path, scope in GATED:
            answer = world.send(stranger, method, path)
            if scope == "admin":
                refused(answer, 403, "forbidden")
            elif "{" in path:
                error = refused(answer, 404, "not_found")
                nothing = refused(World(stranger, "", never, world.folder).send(stranger, method, path), 404, "not_found")
                assert {**error, "request_id": ""} == {**nothing, "request_id": ""}
            if answer.is_stream_consumed and not path.endswith("/events"):
                assert CANARY not in answer.text, path
    owner = world.owner
    assert owner.get(f"/notebooks/{world.ids['notebook_id']}").json()["title"] == f"{CANARY} notebook"
    assert owner.get(f"/sources/{world.ids['source_id']}").json()["status"] == "ready"
    assistant = owner.get(f"/assistants/{world.ids['assistant_id']}").json()
    assert assistant["name"] == f"{CANARY} helper" and assistant["sources"]["given"] == 1
    assert owner.get(f"/turns/{world.ids['turn_id']}").json()["feedback"]["value"] == -1
    assert [one["state"] for one in owner.get(f"/notebooks/{world.ids['notebook_id']}/misses").json()["items"]] == ["open"]
    assert len(owner.get(f"/notebooks/{world.ids['notebook_id']}/questions").json()["items"]) == 1


def test_no_log_holds_a_word_of_a_source_or_a_question(world: World) -> None:
    logs = list(world.folder.glob("*.log"))
    assert len(logs) >= 3
    for log in logs:
        assert CANARY not in log.read_text("utf-8", "replace"), log


async def test_the_same_bytes_of_two_people_are_two_sources(world: World) -> None:
    """Knowing a file's content must not tell whether someone else has it."""
    secret, _ = await person(world.database, "Second", "read", "add", "manage")
    with world.owner.other(secret) as second:
        notebook = second.notebook("mine")
        text = f"# {CANARY} heading\n\nThe secret of Lindow is {CANARY} and was told in 1968."
        answer = second.post(f"/notebooks/{notebook}/sources", {"text": text, "format": "markdown"})
        assert answer.status_code == 202 and answer.json()["items"][0]["source"]["id"] != world.ids["source_id"]
        refused(second.put(f"/notebooks/{notebook}/sources/{world.ids['source_id']}", {"grant": "given"}), 404, "not_found")
        refused(second.get("/admin/models"), 403, "forbidden")


def test_no_generated_request_makes_the_gateway_fail(world: World) -> None:
    """Schemathesis over the OpenAPI document, signed in, with ids that exist: any answer but 5xx is right."""
    schema = schemathesis.openapi.from_dict(create_app(core_settings.load({})).openapi())
    # Streams do not end, models are called for real, and what deletes would take the others' ids away.
    skipped = re.compile(r"/events$|/auth/|/admin/models|/ask$|/search$|/plan$|/v1/chat/|/readyz$|/metrics$")
    failures: list[str] = []
    statuses: Counter[int] = Counter()
    with requests.Session() as session:
        session.headers.update(dict(world.owner.http.headers))
        for found in schema.get_all_operations():
            assert isinstance(found, Ok)
            operation = found.ok()
            if not skipped.search(operation.path) and operation.method.upper() != "DELETE":
                failures += _tried(world, operation, session, GenerationMode.POSITIVE, statuses)
                failures += _tried(world, operation, session, GenerationMode.NEGATIVE, statuses)
    assert failures == []
    assert statuses[200] > 50 and statuses[422] > 50, statuses


def _tried(world: World, operation: Any, session: requests.Session, mode: GenerationMode, statuses: Counter[int]) -> list[str]:
    failures: list[str] = []
    known = {name: world.ids[name] for name in re.findall(r"\{(\w+)\}", operation.path)}

    @settings(max_examples=8, deadline=None, database=None, suppress_health_check=list(HealthCheck), derandomize=True)
    @given(case=operation.as_strategy(generation_mode=mode, path_parameters=known or None))
    def attempt(case: Case[Any]) -> None:
        if case.query:
            case.query.pop("wait", None)  # it waits for work that may be tried again for minutes
        response = case.call(base_url=world.owner.address, session=session, timeout=120)
        statuses[response.status_code] += 1
        if response.status_code >= 500:
            failures.append(f"{operation.method} {operation.path} -> {response.status_code}: {case.body!r} {case.query!r}")

    try:
        attempt()
    except (Unsatisfiable, SchemathesisError):
        pass  # nothing wrong can be made for it, as for a route without parameters
    return failures

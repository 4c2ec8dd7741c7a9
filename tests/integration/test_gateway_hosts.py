"""An assistant that reads a host application: as the asker, before the answer begins, refused as the host refuses; a whole stack."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx2
import pytest

from tests.fakes.host import ADA, BEN, CANARIES, OPINIONS, PROJECT, WALL, FakeHost, opinion
from tests.fakes.provider import FakeProvider
from tests.fakes.script import Reply, Request
from tests.integration.assistant_rig import Booth, Visitor, booth
from tests.integration.gateway_rig import as_extra, refused
from tests.rig import TestPostgres

LAKE = "The lake is forty metres deep at its southern end. Boats are not allowed."
QUESTION = "How deep is the lake at its southern end?"
HERE = {"project_id": WALL}


@dataclass
class Planner:
    """The stack, the host, the model, and a published assistant that reads the host."""

    here: Booth
    host: FakeHost
    fake: FakeProvider
    assistant: dict[str, Any]
    visitor: Visitor

    def ask(self, token: str | None = ADA, *, accept: str = "application/json", **body: Any) -> httpx2.Response:
        headers = {"Accept": accept} | ({"X-Host-Authorization": token} if token else {})
        return self.visitor.post("/ask", {"question": QUESTION, **body}, **headers)

    def chats(self) -> list[Request]:
        return self.fake.script.asked()


@pytest.fixture(scope="module")
def stack(postgres: TestPostgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Planner]:
    with FakeHost() as host, FakeProvider() as fake:
        model = as_extra(fake.settings("CHAT", API_KEY="k"))
        with booth(postgres, tmp_path_factory.mktemp("planner"), HOST_ALLOW=host.place, **model) as here:
            source = here.source(LAKE)
            free = {"per_person_hour": 0, "per_address_minute": 0, "everyone_hour": 0, "at_once": 0, "at_once_person": 0}
            made = here.assistant(source, profile="docs", limits=free, hosts=[host.declared(PROJECT, OPINIONS)])
            yield Planner(here, host, fake, made, here.signed_in(made, "ada"))


@pytest.fixture
def planner(stack: Planner) -> Planner:
    """The stack with nothing asked yet."""
    stack.host.seen.clear()
    stack.host.answers.clear()
    stack.host.opinions = [opinion(n) for n in range(3)]
    stack.fake.script.reset()
    return stack


def change(planner: Planner, **draft: Any) -> None:
    told = planner.here.api.patch(f"/assistants/{planner.assistant['id']}", draft)
    assert told.status_code == 200, told.text
    planner.here.publish(planner.assistant["id"])


def test_the_project_is_read_with_the_askers_token_before_the_model_is_called(planner: Planner) -> None:
    # S0-03, S0-33, S0-34, S0-36, S0-39, S0-40, S0-58
    planner.fake.script.add(Reply(text="It is forty metres deep [1]. The result is 14.19, and Expert 2 said 16.2. There are 23 boats."))
    got = planner.ask(context=HERE)
    assert got.status_code == 200, got.text
    (chat,) = planner.chats()
    assert [(one.method, one.path, one.token) for one in planner.host.seen] == [
        ("GET", f"/api/projects/{WALL}", ADA), ("GET", f"/api/projects/{WALL}/opinions", ADA),
    ]  # fmt: skip
    assert max(one.at for one in planner.host.seen) < chat.at
    said = chat.messages[-1]["content"]
    data = said[said.index("Data of the application") :]
    assert "Project: name: Harbour wall; description: How high" in data and "scale: 0, 25; result value: 14.1923" in data
    assert "Opinions (3):\n- expert: Expert 0; position: engineer; values: 11.5, 14.2, 17" in data and said.index("[1]") < said.index(data)
    fence = data.splitlines()[1]
    assert fence.startswith("<<") and data.count(fence) == 2 and "</data>" not in data and "what its users entered" in data
    assert not any(secret in chat.said for secret in (*CANARIES, WALL, "ada-token"))
    assert "entered" in chat.messages[0]["content"] and "never as" in chat.messages[0]["content"]
    assert got.json()["checks"]["ungrounded_numbers"] == ["23"]


def test_a_question_about_nothing_of_the_host_reads_nothing(planner: Planner) -> None:
    # S0-01
    assert planner.ask().status_code == 200
    assert planner.host.seen == [] and "Data of the application" not in planner.chats()[0].said


@pytest.mark.parametrize("accept", ["text/event-stream", "application/x-ndjson", "application/json"])
def test_what_the_host_refuses_is_refused_alike_and_no_model_is_called(planner: Planner, accept: str) -> None:
    # S0-35, S0-66
    for token, status in ((BEN, 404), ("Bearer nobody", 401), (None, 401)):
        got = planner.ask(token, accept=accept, context=HERE)
        error = refused(got, status, "host_refused")
        assert got.headers["content-type"].startswith("application/json") and error["detail"]["body"]["detail"]
    planner.host.answers[f"/api/projects/{WALL}"] = (403, {"detail": "Not you."})
    assert refused(planner.ask(accept=accept, context=HERE), 403, "host_refused")["detail"]["body"] == {"detail": "Not you."}
    assert planner.chats() == [] and planner.fake.script.requests("embeddings") == []


def test_a_host_that_is_away_or_answers_nonsense_is_told_as_that(planner: Planner) -> None:
    planner.host.answers[f"/api/projects/{WALL}"] = (500, {"secret": "dsn=postgres://"})
    got = planner.ask(context=HERE)
    assert "postgres" not in got.text and refused(got, 503, "host_unavailable") and int(got.headers["retry-after"]) > 0
    planner.host.answers[f"/api/projects/{WALL}"] = (200, [1, 2])
    refused(planner.ask(context=HERE), 502, "host_unusable")
    assert planner.chats() == []


@pytest.mark.parametrize("given", ["../admin", "1", WALL + "/opinions", {"a": 1}, ["x"], True])
def test_an_id_that_is_none_is_refused_before_the_host_is_asked(planner: Planner, given: Any) -> None:
    assert "context.project_id" in refused(planner.ask(context={"project_id": given}), 422, "invalid_field")["message"]
    assert planner.host.seen == [] and planner.chats() == []


def test_a_client_cannot_choose_the_mode(planner: Planner) -> None:
    # S0-44
    refused(planner.ask(mode="agent"), 422, "invalid_field")
    refused(planner.ask(tools=["search"]), 422, "invalid_field")
    assert planner.chats() == []


def test_an_agent_reads_on_with_the_same_token_and_nothing_of_it_is_streamed(planner: Planner) -> None:
    # S0-44, S0-46, S0-67: the mode is a setting; visitors get what was published.
    change(planner, profile_settings={"answer": {"mode": "agent"}}, hosts=[planner.host.declared(PROJECT, OPINIONS | {"at_gate": False})])
    try:
        planner.fake.script.add(Reply(calls=(("opinions", ""), ("project", json.dumps({"project_id": WALL})))))
        planner.fake.script.add(Reply(text="Expert 1 said 15.2."))
        with httpx2.stream(
            "POST", f"{planner.visitor.address}/public/v1/assistants/{planner.assistant['slug']}/ask",
            json={"question": QUESTION, "context": HERE}, timeout=60,
            headers={"Authorization": f"Visitor {planner.visitor.token}", "X-Host-Authorization": ADA, "Accept": "text/event-stream"},
        ) as stream:  # fmt: skip
            lines = list(stream.iter_lines())
        names = [line.removeprefix("event: ") for line in lines if line.startswith("event: ")]
        assert "token" not in names and names[-2:] == ["open", "done"]
        turn_id = json.loads(next(line for line in reversed(lines) if line.startswith("data: "))[6:])["turn_id"]
        again = planner.visitor.get(f"/turns/{turn_id}/events", Accept="text/event-stream")
        assert "event: done" in again.text and "event: token" not in again.text
        # Authorised at the gate, then one read of the tool; what the gate had read is not read again.
        assert [(one.path.rpartition("/")[2], one.token) for one in planner.host.seen] == [(WALL, ADA), ("opinions", ADA)]
        assert "Harbour wall" not in planner.chats()[0].said and "Harbour wall" in planner.chats()[1].said
        refused(planner.ask(BEN, context=HERE), 404, "host_refused")
    finally:
        change(planner, profile_settings={"answer": None}, hosts=[planner.host.declared(PROJECT, OPINIONS)])


def test_hosts_that_are_declared_wrongly_or_lie_inside_are_refused_by_their_field(planner: Planner) -> None:
    path = f"/assistants/{planner.assistant['id']}"
    wrong = planner.here.api.patch(path, {"hosts": [planner.host.declared(PROJECT | {"path": "/../x"})]})
    assert "hosts.0.reads.0" in refused(wrong, 422, "invalid_field")["message"]
    inside = planner.here.api.patch(path, {"hosts": [planner.host.declared(PROJECT, base_url="http://127.0.0.1:1/")]})
    assert "hosts.0.base_url" in refused(inside, 422, "invalid_field")["message"]

"""Streams by profile through the gateway with a real worker: field names, readers who leave, sessions."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import asyncpg
import pytest

from tests.fakes.provider import FakeProvider
from tests.fakes.script import Reply, Request
from tests.integration.gateway_rig import Api, as_extra, owner_api, refused
from tests.rag_rig import chat_settings
from tests.rig import Processes, until_sync

TEXT = "Start the pump with the green button.\n\nThe flow is 20 µl/min after the pump has started."
QUESTION = "How do I start the pump?"
ASKED = f"Question: {QUESTION}"  # in a request for an answer, not in that for a summary


@pytest.fixture
def api(processes: Processes, owner_token: str, fake: FakeProvider) -> Iterator[Api]:
    roles = as_extra(chat_settings(fake))
    with owner_api(processes, owner_token, COMMENT_S="0.5", **roles) as (_, made):
        for service in ("ingest", "rag"):
            processes.start(service, wait=True, **roles)
        yield made


def product(api: Api, profile: str = "product") -> str:
    notebook = str(api.post("/notebooks", {"title": "Pump", "profile": profile}).json()["id"])
    source = api.text(notebook, TEXT, title="Handbook", format="markdown")
    api.patch(f"/sources/{source['id']}", {"meta": {"evidence": "product", "technology": "pumps"}})
    api.ready(source["id"])
    return notebook


def lines(api: Api, notebook: str, **body: Any) -> list[dict[str, Any]]:
    headers = {"Accept": "application/x-ndjson"}
    told = api.post(f"/notebooks/{notebook}/ask", {"question": QUESTION, **body}, headers=headers)
    assert told.status_code == 200, told.text
    return [json.loads(line) for line in told.text.split("\n") if line]


def asked_of(fake: FakeProvider) -> list[Request]:
    return [one for one in fake.script.requests("chat") if ASKED in one.said]


def sql(database: str, statement: str, *given: Any) -> Any:
    async def run() -> Any:
        conn = await asyncpg.connect(database)
        try:
            return await conn.fetchval(statement, *given)
        finally:
            await conn.close()

    return asyncio.run(run())


def test_lines_of_a_product_have_its_field_names_and_nothing_else_comes(api: Api, fake: FakeProvider) -> None:
    # S4-09 to S4-13; a second turn of the session knows the first.
    notebook = product(api)
    fake.script.add(
        Reply(match=ASKED, text="Press the green button\n[1]."),
        Reply(match=ASKED, text="20 µl/min [1]."),
        Reply(match=ASKED, status=401, times=0),
    )
    told = lines(api, notebook)
    assert {one["type"] for one in told} == {"token", "done"} and all(set(one) == {"type", "content"} for one in told[:-1])
    done = told[-1]
    assert "".join(one["content"] for one in told[:-1]) == done["ai_message"] == "Press the green button\n[1]."
    assert (done["answer_mode"], done["knowledge_intent"], done["source_coverage"]) == ("product", "product_operation", "low")
    assert done["session_id"] and [one["title"] for one in done["sources"]] == ["Handbook"] and "answer" not in done
    second = lines(api, notebook, conversation_id=done["session_id"])[-1]
    assert second["session_id"] == done["session_id"] and "green button" in asked_of(fake)[-1].said
    (failed,) = lines(api, notebook)[-1:]
    assert failed["type"] == "error" and failed["detail"] and set(failed) == {"type", "detail", "code"}


def test_how_a_question_would_be_answered_is_told_to_its_people_alone(api: Api, fake: FakeProvider) -> None:
    notebook = product(api)
    plan = api.post(f"/notebooks/{notebook}/plan", {"question": QUESTION, "context": {"step": "1"}}).json()
    assert plan["route"]["intent"] == "product_operation" and plan["coverage"] == "low" and len(plan["prompt_hash"]) == 16
    assert [one["pool"] for one in plan["passages"]] == ["actionable"] and asked_of(fake) == []
    turn = api.post(f"/notebooks/{notebook}/ask", {"question": QUESTION, "context": {"step": "1"}}).json()["turn_id"]
    assert api.get(f"/turns/{turn}/why").json()["prompt_hash"] == plan["prompt_hash"]
    refused(api.post(f"/notebooks/{uuid4()}/plan", {"question": QUESTION}), 404, "not_found")
    refused(api.post(f"/notebooks/{notebook}/plan", {"question": " "}), 422, "invalid_field")


def test_a_session_ends_after_an_hour_is_about_one_resource_and_there_are_so_many(api: Api, fake: FakeProvider, database: str) -> None:
    # S4-33, S4-36, S4-37, C8.
    notebook = product(api)
    api.patch(f"/notebooks/{notebook}", {"profile_settings": {"conversation": {"max_sessions": 2}}})
    first = lines(api, notebook, context={"resource": "study-1"})[-1]["session_id"]
    assert lines(api, notebook, conversation_id=first, context={"resource": "study-1"})[-1]["session_id"] == first
    other = lines(api, notebook, conversation_id=first, context={"resource": "study-2"})[-1]["session_id"]
    assert other != first and len(asked_of(fake)[-1].messages) == 2
    sql(database, "update conversations set updated_at = now() - interval '59 minutes' where id = $1", first)
    assert lines(api, notebook, conversation_id=first, context={"resource": "study-1"})[-1]["session_id"] == first
    sql(database, "update conversations set updated_at = now() - interval '61 minutes' where id = $1", first)
    fresh = lines(api, notebook, conversation_id=first, context={"resource": "study-1"})[-1]["session_id"]
    assert fresh not in (first, other) and len(asked_of(fake)[-1].messages) == 2
    kept = {one["id"] for one in api.get(f"/notebooks/{notebook}/conversations").json()["items"]}
    assert kept == {other, fresh}
    refused(api.post(f"/notebooks/{notebook}/ask", {"question": QUESTION, "conversation_id": str(uuid4())}), 404, "not_found")


@pytest.mark.parametrize(("profile", "status", "in_history"), [("product", "stopped", False), ("notebook", "done", True)])
def test_a_reader_who_leaves_cancels_the_answer_of_a_product_alone(
    api: Api, fake: FakeProvider, database: str, profile: str, status: str, in_history: bool
) -> None:
    # B49, S4-35, S0-81: the call is in the ledger, the history as it was, the next question is taken.
    notebook = product(api, profile)
    fake.script.add(
        Reply(match=ASKED, pieces=("Press ", "the ", "green ", "button ", "[1]."), hold="left", after=3),
        Reply(match=ASKED, text="Again [1]."),
    )
    turn = _read_three_and_leave(api, notebook)
    if profile == "notebook":
        fake.script.release("left")
    until_sync(lambda: api.get(f"/turns/{turn}").json()["status"] in ("stopped", "done"), 30, "the turn to end")
    fake.script.release("left")
    found = api.get(f"/turns/{turn}").json()
    assert (found["status"], found["in_history"]) == (status, in_history)
    assert sql(database, "select count(*) from calls where turn_id = $1 and step = 'answer' and state <> 'started'", turn) == 1
    body = {"question": QUESTION, "conversation_id": found["conversation_id"]}
    assert api.post(f"/notebooks/{notebook}/ask", body).status_code == 200
    assert ("Press the" in asked_of(fake)[-1].said) is in_history


def _read_three_and_leave(api: Api, notebook: str) -> str:
    turn = ""
    with api.http.stream(
        "POST", f"/notebooks/{notebook}/ask", json={"question": QUESTION}, headers={"Accept": "text/event-stream"}
    ) as response:
        for line in response.iter_lines():
            if line.startswith("data:") and "turn_id" in line:
                turn = json.loads(line[5:])["turn_id"]
            if "green" in line:
                break
    assert turn
    return turn

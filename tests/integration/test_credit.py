"""Credit: refused at the gate, reserved for each job, settled by the ledger, waited for and told (S1-42, C25, A20, B47)."""

import asyncio
import csv
import io
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests import rows
from tests.fakes.provider import FakeProvider
from tests.fakes.script import Reply
from tests.integration.assistant_rig import booth
from tests.integration.gateway_rig import OWNER, Api, as_extra, owner_api, refused
from tests.rag_rig import chat_settings
from tests.rig import PATIENT, Processes, Running, TestPostgres, until_sync

# A thousandth for each token: one answer is reserved as 8,000 + 1,500 of them, 9.5 in all.
PRICES = """
currency = "EUR"
[models."fake-chat"]
tokens_in = "1000"
tokens_out = "1000"
[models."fake-embed"]
tokens_in = "1000"
"""
RESERVED = Decimal("9.5")
TEXT = "The mill of Lindow was closed in 1968 and is a museum now."
STREAM = {"Accept": "text/event-stream"}


@pytest.fixture
def charged(environment: dict[str, str], tmp_path: Path, fake: FakeProvider) -> None:
    """Accounting is on, and the writing model has a price."""
    (tmp_path / "prices.toml").write_text(PRICES)
    environment |= chat_settings(fake) | {
        "SOURCEBOOK_ACCOUNTING": "true", "SOURCEBOOK_PRICES": str(tmp_path / "prices.toml"), "SOURCEBOOK_ASKS_PER_MINUTE": "0",
    }  # fmt: skip


@pytest.fixture
def embedded(charged: None, environment: dict[str, str], fake: FakeProvider) -> None:
    """The model of the vectors has a price too."""
    environment |= fake.settings("EMBEDDING", API_KEY="k", DIMENSION="64", BATCH_TEXTS="2")


@pytest.fixture
def api(charged: None, processes: Processes, owner_token: str) -> Iterator[Api]:
    with owner_api(processes, owner_token, FIRST_EVENT_S="0.2") as (_, made):
        yield made


def give(api: Api, amount: str, **more: Any) -> dict[str, Any]:
    made = api.post(f"/admin/users/{OWNER}/credit", {"amount": amount, **more})
    assert made.status_code == 201, made.text
    return dict(made.json())


def account(api: Api) -> dict[str, Decimal]:
    told = api.get("/usage").json()["account"]
    return {name: Decimal(told[name]) for name in ("balance", "spent_month", "held", "available")}


def ask(api: Api, notebook: str) -> httpx2.Response:
    """The head of an answer that streams; the body of a refusal."""
    with api.http.stream("POST", f"/notebooks/{notebook}/ask", json={"question": "When was the mill closed?"}, headers=STREAM) as got:
        if got.status_code != 200:
            got.read()
        return got


def read_notebook(api: Api, processes: Processes) -> str:
    """A notebook with a source that is read."""
    reader: Running = processes.start("ingest")
    notebook = api.notebook()
    added = api.post(f"/notebooks/{notebook}/sources?wait=ready", {"text": TEXT, "title": "Mills"})
    assert added.status_code == 200 and added.json()["items"][0]["source"]["status"] == "ready", added.text
    reader.kill()
    return notebook


def settled(api: Api) -> dict[str, Decimal]:
    until_sync(lambda: account(api)["held"] == 0, 60, "every job to be settled")
    return account(api)


def test_without_credit_a_question_is_402_before_it_is_429_and_no_model_is_asked(
    charged: None, processes: Processes, owner_token: str, fake: FakeProvider
) -> None:
    with owner_api(processes, owner_token, ASKS_PER_MINUTE="1", FIRST_EVENT_S="0.2") as (_, api):
        notebook = api.notebook()
        for _ in range(2):
            refused(ask(api, notebook), 402, "out_of_credit")
        assert api.get("/me").json()["credit"] == "0"
        give(api, "100")
        limited = ask(api, notebook)
        refused(limited, 429, "rate_limited")
        assert int(limited.headers["retry-after"]) > 0
        give(api, "0", cap_month="1.25")
        error = refused(ask(api, notebook), 402, "out_of_credit")
        assert error["detail"]["renews_on"] in error["message"]
        assert api.get("/me").json()["credit"] == "1.25"
    assert fake.script.requests("chat") == []


def test_ten_questions_at_one_moment_cannot_spend_more_than_there_is(api: Api, processes: Processes, fake: FakeProvider) -> None:
    notebook = read_notebook(api, processes)
    give(api, "100")
    before = settled(api)["balance"]  # the summary of the source is paid too, where one was written
    give(api, str(RESERVED * 3 + 1 - before))
    with ThreadPoolExecutor(10) as pool:
        statuses = sorted(got.status_code for got in pool.map(lambda _: ask(api, notebook), range(10)))
    assert statuses == [200] * 3 + [402] * 7
    assert account(api)["held"] == RESERVED * 3 and account(api)["available"] == 1
    processes.start("rag", **PATIENT)
    after = settled(api)
    calls = api.get("/usage?limit=200").json()["calls"]["items"]
    assert len([call for call in calls if call["turn_id"]]) == len(fake.script.requests("chat")) == 3
    paid = sum(Decimal(call["cost"]) for call in calls if call["cost"] and call["turn_id"])
    assert 0 < paid < 3 * RESERVED and after["balance"] == RESERVED * 3 + 1 - paid == after["available"]
    assert ask(api, notebook).status_code == 200


REPLIES = {
    "refused": Reply(match="mill", status=400),
    "cut": Reply(match="mill", text="It closed in 1968 [1]. Then it", after=3, broken="cut"),
    "stopped": Reply(match="mill", text="It closed in 1968 [1]. Then it became a museum.", hold="stopped", after=3),
    "killed": Reply(match="mill", text="It closed in 1968 [1]. Then it became a museum.", hold="killed", after=3),
}


def test_however_an_answer_ends_its_reservation_ends_and_what_was_used_is_paid(api: Api, processes: Processes, fake: FakeProvider) -> None:
    notebook = read_notebook(api, processes)
    give(api, "50")
    worker = processes.start("rag")
    for how, reply in REPLIES.items():
        before = settled(api)["balance"]
        fake.script.add(reply)
        assert ask(api, notebook).status_code in (200, 502)
        if reply.hold:
            until_sync(lambda: _running(api, notebook)["answer"], 30, "the answer to begin")
            assert account(api)["held"] > 0
            if how == "stopped":
                api.post(f"/turns/{_running(api, notebook)['id']}/stop")
            else:
                worker.kill()
                processes.start("rag", **PATIENT)
        after = settled(api)
        call = next(call for call in api.get("/usage").json()["calls"]["items"] if call["turn_id"])
        assert after["balance"] == before - Decimal(call["cost"] or 0) == after["available"]
        if how == "killed":
            assert (call["state"], call["possibly_billed"], call["cost"]) == ("started", 1, None)
        elif how == "refused":
            assert (call["state"], call["error_code"], call["cost"]) == ("failed", "model_refused", None)
        else:
            assert call["is_estimated"] and Decimal(call["cost"]) > 0
        fake.script.release(how)


def _running(api: Api, notebook: str) -> dict[str, Any]:
    """The newest turn."""
    conversation = api.get(f"/notebooks/{notebook}/conversations").json()["items"][0]["id"]
    return dict(api.get(f"/conversations/{conversation}").json()["turns"][-1])


def test_reading_that_runs_out_of_credit_waits_and_goes_on_when_there_is_some(
    embedded: None, processes: Processes, owner_token: str, fake: FakeProvider
) -> None:
    with owner_api(processes, owner_token) as (_, api):
        processes.start("ingest", **PATIENT)
        notebook = api.notebook()
        give(api, "8")  # a batch is reserved as 8,192 tokens
        words = " ".join(f"The mill number {number} of Lindow was closed long ago and is a museum now." for number in range(90))
        added = api.post(f"/notebooks/{notebook}/sources?wait=60s", {"text": words, "title": "Mills"}).json()["items"][0]["source"]
        assert (added["status"], added["error"]["code"]) == ("paused", "out_of_credit"), added
        assert fake.script.requests("embeddings") == []
        give(api, "0.5")
        # Enough for the first batch, not for all of them.
        until_sync(lambda: len(fake.script.requests("embeddings")) >= 1, 30, "the first batch")
        paused = until_sync(lambda: _with_status(api, added["id"], "paused", "ready"), 60, "the source to end")
        first = len(fake.script.requests("embeddings"))
        assert paused is not None
        if paused["status"] == "paused":
            give(api, "100")
            until_sync(lambda: _with_status(api, added["id"], "ready"), 60, "the source to be ready")
            assert len(fake.script.requests("embeddings")) > first
        texts = [text for request in fake.script.requests("embeddings") for text in request.body["input"]]
        assert len(texts) == len(set(texts))  # nothing was paid twice
        give(api, str(-account(api)["available"]))
        processes.start("rag", **PATIENT)
        refused(api.post(f"/notebooks/{notebook}/search", {"query": "When was the mill closed?"}), 402, "out_of_credit")
        told = api.get("/usage").json()
        assert {row["holder_kind"] for row in told["by_holder"]} == {"library"}
        assert Decimal(told["total"]) == Decimal(told["account"]["spent_month"])


def _with_status(api: Api, source_id: str, *statuses: str) -> dict[str, Any] | None:
    found = api.get(f"/sources/{source_id}").json()
    return dict(found) if found["status"] in statuses else None


def test_the_owner_of_an_assistant_pays_for_what_its_visitors_ask(postgres: TestPostgres, tmp_path: Path, fake: FakeProvider) -> None:
    (tmp_path / "prices.toml").write_text(PRICES)
    models = as_extra(chat_settings(fake))
    with booth(postgres, tmp_path, ACCOUNTING="true", PRICES=str(tmp_path / "prices.toml"), **models) as here:
        assistant = here.assistant(here.source(TEXT))
        visitor = here.anonymous(assistant["slug"])
        refused(visitor.post("/ask", {"question": "When was the mill closed?"}), 402, "out_of_credit")
        assert fake.script.requests("chat") == []
        give(here.api, "100")
        assert visitor.ask("When was the mill closed?")["usage"]["cost"] is None  # what it costs is the owner's own matter
        told = here.api.get("/usage").json()
        row = next(row for row in told["by_holder"] if row["holder_kind"] == "assistant")
        assert (row["holder_id"], row["title"]) == (assistant["id"], "Helper") and Decimal(row["cost"]) > 0
        assert settled(here.api)["balance"] == 100 - Decimal(told["total"])


def test_usage_adds_up_by_role_and_holder_and_its_file_runs_no_formula(api: Api, processes: Processes, sql: Callable[..., Any]) -> None:
    notebook = read_notebook(api, processes)
    give(api, "100")
    settled(api)
    processes.start("rag", **PATIENT)
    done = api.post(f"/notebooks/{notebook}/ask?wait=30s", {"question": "When was the mill closed?"})
    assert done.status_code == 200, done.text
    sql(
        "insert into calls (id, step, role, provider, model, input_hash, owner_id, state, units)"
        " values (gen_random_uuid(), 's', 'chat', 'api', '=cmd()', '\\x00', $1, 'done', '{}')",
        OWNER,
    )
    told = api.get("/usage").json()
    assert {row["role"] for row in told["by_role"]} >= {"chat"} and told["unknown"] == 1
    asked = next(row for row in told["by_holder"] if row["holder_kind"] == "notebook")
    assert (asked["holder_id"], asked["title"], asked["calls"]) == (notebook, "Lindow", 1)
    known = [Decimal(call["cost"]) for call in told["calls"]["items"] if call["cost"] is not None]
    assert Decimal(told["total"]) == sum(known) and told["calls"]["items"][0]["cost"] is None
    rows = list(csv.DictReader(io.StringIO(api.get("/usage/file").text)))
    assert len(rows) == told["calls_total"] and rows[0]["model"] == "'=cmd()" and rows[0]["cost"] == ""
    page = api.get("/usage?limit=1").json()["calls"]
    rest = api.get(f"/usage?limit=200&cursor={page['next_cursor']}").json()["calls"]["items"]
    assert [page["items"][0], *rest] == told["calls"]["items"]
    everybody = api.get("/admin/usage").json()
    assert everybody["total"] == told["total"] and everybody["by_person"][0]["person_id"] == str(OWNER)
    assert api.get("/usage?month=2020-02").json()["total"] == "0"
    refused(api.get("/usage?month=2020-13"), 422, "invalid_field")
    refused(api.post("/admin/users/00000000-0000-4000-8000-000000000000/credit", {"amount": "1"}), 404, "not_found")
    refused(api.post(f"/admin/users/{OWNER}/credit", {"amount": "NaN"}), 422, "invalid_field")


@pytest.fixture
def sql(environment: dict[str, str]) -> Callable[..., Any]:
    """Run one statement on the test's database."""

    def run(statement: str, *given: Any) -> None:
        async def once() -> None:
            async with rows.opened(environment["SOURCEBOOK_DATABASE_URL"]) as conn:
                await conn.execute(statement, *given)

        asyncio.run(once())

    return run

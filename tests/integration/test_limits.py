"""Limits on asking: per address, person, everybody, token and at once; the same for every form of an answer (S0-78 to S0-84, N-15)."""

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx2
import pytest

from tests import rows
from tests.integration.gateway_rig import Api, refused, whole_gateway
from tests.rig import TestPostgres

STREAM = {"Accept": "text/event-stream"}


class Door:
    """A gateway without workers, so that a question that was let in stays queued until `end_all`."""

    def __init__(self, api: Api, url: str) -> None:
        self.api, self.url = api, url

    def sql(self, statement: str, *given: Any) -> None:
        async def run() -> None:
            async with rows.opened(self.url) as conn:
                await conn.execute(statement, *given)

        asyncio.run(run())

    def notebook(self, profile: str = "notebook", **limits: int) -> str:
        """A notebook of this profile; every window begins anew."""
        made = self.api.notebook()
        changed = {"profile": {"version": 1, "limits": limits, "answer": {"first_event_s": 1.0}}}  # nobody answers here
        self.sql("update notebooks set profile = $2, settings = settings || $3 where id = $1", made, profile, changed)
        self.sql("delete from counters")
        self.end_all()
        return made

    def end_all(self) -> None:
        self.sql("update turns set status = 'failed', finished_at = now() where status in ('queued', 'running')")

    def ask(self, notebook: str, api: Api | None = None, headers: dict[str, str] = STREAM, **body: Any) -> httpx2.Response:
        """The head of the answer; its body only where it is refused, for nobody writes it."""
        with (api or self.api).http.stream(
            "POST", f"/notebooks/{notebook}/ask", json={"question": "Why?"} | body, headers=headers
        ) as response:
            if response.status_code != 200:
                response.read()
            return response


@pytest.fixture(scope="module")
def door(postgres: TestPostgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    with whole_gateway(postgres, tmp_path_factory.mktemp("limits"), ASKS_PER_MINUTE="0", FIRST_EVENT_S="0.05") as (_, api, url):
        yield Door(api, url)


def is_limited(response: httpx2.Response, least_s: int = 1, most_s: int = 3600) -> None:
    error = refused(response, 429, "rate_limited")
    assert least_s <= int(response.headers["retry-after"]) <= most_s
    assert response.headers["retry-after"] in error["message"]


def test_messages_with_an_invalid_body_are_spent_and_the_21st_of_a_minute_is_refused_in_every_form(door: Door) -> None:
    notebook = door.notebook("docs")
    for number in range(19):
        body = {"question": "x" * 4001} if number % 2 else {"question": "Why?", "nonsense": 1}
        refused(door.ask(notebook, **body), 422, "invalid_field")
    assert door.ask(notebook).status_code == 200
    for accept in ("text/event-stream", "application/x-ndjson", "application/json"):
        is_limited(door.ask(notebook, headers={"Accept": accept}), most_s=60)
    # A limit of the profile is this notebook's alone.
    other = door.api.notebook()
    assert door.ask(other).status_code == 200


def test_the_61st_message_of_a_person_in_an_hour_is_refused_and_the_601st_of_everybody(door: Door) -> None:
    for subject, allowed in (("$1 || ':' || (select owner_id::text from notebooks where id::text = $1)", 60), ("$1", 600)):
        notebook = door.notebook("docs")
        door.sql(
            "insert into counters (name, subject, window_ends_at, count)"
            f" values ('ask_hour', {subject}, now() + interval '30 minutes', $2)",
            notebook,
            allowed - 1,
        )
        assert door.ask(notebook).status_code == 200
        is_limited(door.ask(notebook), least_s=1500, most_s=1800)
        door.sql("update counters set window_ends_at = now() where name = 'ask_hour'")
        assert door.ask(notebook).status_code == 200  # the window is over


def test_a_limit_of_zero_is_off(door: Door) -> None:
    notebook = door.notebook("docs", per_address_minute=0, per_person_hour=0, everyone_hour=0, at_once=0, at_once_person=0)
    with ThreadPoolExecutor(10) as pool:
        assert {response.status_code for response in pool.map(lambda _: door.ask(notebook), range(25))} == {200}


def test_of_ten_questions_at_one_moment_two_are_let_in_and_each_that_ends_frees_its_place(door: Door) -> None:
    notebook = door.notebook("docs")
    with ThreadPoolExecutor(10) as pool:
        statuses = sorted(response.status_code for response in pool.map(lambda _: door.ask(notebook), range(10)))
    assert statuses == [200] * 2 + [429] * 8
    is_limited(door.ask(notebook), most_s=10)
    door.sql("update turns set status = 'stopped', finished_at = now() where id = (select id from turns where status = 'queued' limit 1)")
    assert door.ask(notebook).status_code == 200
    is_limited(door.ask(notebook), most_s=10)


def test_when_as_many_are_answered_as_can_be_the_next_one_is_told_to_come_again(door: Door) -> None:
    notebook = door.notebook("docs", at_once_person=0, at_once=3)
    with ThreadPoolExecutor(6) as pool:
        statuses = sorted(response.status_code for response in pool.map(lambda _: door.ask(notebook), range(6)))
    assert statuses == [200] * 3 + [503] * 3
    full = door.ask(notebook)
    refused(full, 503, "busy")
    assert int(full.headers["retry-after"]) > 0
    door.end_all()
    assert door.ask(notebook).status_code == 200


def test_a_token_with_limits_tells_its_budget_on_every_answer_and_is_refused_when_it_is_spent(door: Door) -> None:
    made = door.api.post("/tokens", {"name": "CI", "scopes": ["read"], "limits": {"per_minute": 3, "per_day": 100}}).json()
    assert made["limits"] == {"per_minute": 3, "per_day": 100}
    with door.api.other(made["token"]) as api:
        for left in (2, 1, 0):
            answer = api.get("/notebooks") if left else api.get(f"/notebooks/{made['id']}")
            assert answer.headers["ratelimit-remaining"] == str(left) and answer.headers["ratelimit-limit"] == "3"
            assert 1 <= int(answer.headers["ratelimit-reset"]) <= 60
        over = api.get("/notebooks")
        is_limited(over, most_s=60)
        assert over.headers["ratelimit-remaining"] == "0"
    assert "ratelimit-limit" not in door.api.get("/notebooks").headers
    listed = {token["id"]: token["limits"] for token in door.api.get("/tokens").json()["items"]}
    assert listed[made["id"]] == {"per_minute": 3, "per_day": 100} and {} in listed.values()


def test_questions_of_a_token_tell_what_is_left_to_ask(door: Door) -> None:
    notebook = door.notebook("docs", at_once_person=0)
    answer = door.ask(notebook)
    assert (answer.headers["ratelimit-limit"], answer.headers["ratelimit-remaining"]) == ("20", "19")


def test_every_counter_has_an_end(door: Door) -> None:
    door.ask(door.notebook("docs"))

    async def ends() -> list[Any]:
        async with rows.opened(door.url) as conn:
            held = await conn.fetch("select window_ends_at > now() and window_ends_at < now() + interval '25 hours' from counters")
            return [row[0] for row in held]

    found = asyncio.run(ends())
    assert len(found) >= 4 and all(found)

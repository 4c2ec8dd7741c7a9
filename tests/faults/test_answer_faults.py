"""Answers through the gateway while Redis is full or holds hostile things, and while the writing model refuses (F8, F9, F19, F20, F25)."""

import asyncio
import json
import pickle
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import redis

from sourcebook.stack.bell import Bell
from sourcebook_core.events import turn_stream
from tests import rows
from tests.fakes.provider import FakeProvider
from tests.fakes.script import Reply
from tests.integration.gateway_rig import Api, owner_api
from tests.rag_rig import chat_settings
from tests.rig import PATIENT, Processes, Running, until_sync

TEXT = "The water mill of Lindow was closed in 1968 and is a museum now."
QUESTION = "When was the water mill of Lindow closed?"
ANSWER = "The water mill of Lindow was closed in 1968 [1]."
STREAM = {"Accept": "text/event-stream"}
UNFINISHED = "select 1 from turns where status in ('queued', 'running')"


@dataclass
class Stack:
    api: Api
    notebook: str
    fake: FakeProvider
    redis: "redis.Redis"
    environment: dict[str, str]
    processes: Processes
    rag: Running

    def ask(self, question: str = QUESTION) -> list[tuple[str, dict[str, Any]]]:
        """The events of one answer, in order."""
        got = self.api.post(f"/notebooks/{self.notebook}/ask", {"question": question}, headers=STREAM)
        if got.status_code != 200:
            return [("refused", {"status": got.status_code, "retry_after": got.headers.get("retry-after"), **got.json()["error"]})]
        blocks = [dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":")) for block in got.text.split("\n\n")]
        return [(block["event"], json.loads(block["data"])) for block in blocks if block]

    def sql(self, statement: str) -> list[Any]:
        """The rows of a statement; of several, nothing."""

        async def run() -> list[Any]:
            async with rows.opened(self.environment["SOURCEBOOK_DATABASE_URL"]) as conn:
                if statement.startswith("select"):
                    return list(await conn.fetch(statement))
                await conn.execute(statement)
                return []

        return asyncio.run(run())

    def running(self) -> str:
        """The key of the stream of the answer that is being written."""
        look = "select id, fence from turns where status = 'running' and answer <> ''"
        row = until_sync(lambda: self.sql(look), 30, "the answer to be written")[0]
        return turn_stream(row["id"], row["fence"])


@pytest.fixture
def models(environment: dict[str, str], fake: FakeProvider) -> None:
    environment |= chat_settings(fake, TIMEOUT_S="30") | {"SOURCEBOOK_ASKS_PER_MINUTE": "0"}


@pytest.fixture
def stack(
    models: None, environment: dict[str, str], processes: Processes, owner_token: str, redis_server: Bell, fake: FakeProvider
) -> Iterator[Stack]:
    with owner_api(processes, owner_token, COMMENT_S="0.5") as (_, api), redis.Redis.from_url(redis_server.url()) as client:
        processes.start("ingest", **PATIENT)
        rag = processes.start("rag")
        notebook = api.notebook()
        added = api.post(f"/notebooks/{notebook}/sources?wait=ready", {"text": TEXT, "title": "Mills"}).json()
        assert added["items"][0]["source"]["status"] == "ready"
        yield Stack(api, notebook, fake, client, environment, processes, rag)


def told(events: list[tuple[str, dict[str, Any]]]) -> str:
    """The text of the pieces, each at its place, no word twice."""
    text = ""
    for name, data in events:
        if name == "token":
            assert data["at"] == len(text)
            text += data["text"]
    return text


def is_whole(events: list[tuple[str, dict[str, Any]]]) -> None:
    assert events[-1][0] == "done", events[-1]
    assert told(events) == events[-1][1]["answer"] and events[-1][1]["answer"].startswith("The water mill")


def test_an_answer_is_whole_while_redis_takes_nothing_more(stack: Stack) -> None:
    stack.redis.config_set("maxmemory-policy", "noeviction")
    stack.redis.config_set("maxmemory", "1")
    with pytest.raises(redis.exceptions.OutOfMemoryError):
        stack.redis.xadd("full", {"a": "b"})
    stack.fake.script.add(Reply(match=QUESTION, text=ANSWER, times=2))
    is_whole(stack.ask())
    stack.redis.config_set("maxmemory", "0")
    is_whole(stack.ask())


class Hostile:
    """Unpickled, it writes a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return (Path.touch, (self.path,))


def test_hostile_things_in_the_stream_of_an_answer_are_passed_over(stack: Stack, tmp_path: Path) -> None:
    hostile = (pickle.dumps(Hostile(tmp_path / "unpickled")), b"[" * 100_000, b'{"type": "token", "text": 7}', b"\xff\xfe", b"null")
    for how in ("entries", "another type", "gone"):
        stack.fake.script.add(Reply(match=QUESTION, text=ANSWER, hold=how, after=4))
        with ThreadPoolExecutor(1) as pool:
            asked = pool.submit(stack.ask)
            key = stack.running()
            if how == "entries":
                for value in hostile:
                    stack.redis.xadd(key, {"e": value})
                    stack.redis.xadd(key, {"d": value, "type": "token"})
            else:
                stack.redis.delete(key)
            if how == "another type":
                stack.redis.set(key, "a string")
            stack.fake.script.release(how)
            is_whole(asked.result(60))
    stack.fake.script.add(Reply(match=QUESTION, text=ANSWER))
    is_whole(stack.ask())
    assert not (tmp_path / "unpickled").exists()


def test_a_writing_model_that_refuses_is_named_asked_a_few_times_and_not_again_where_that_helps_nothing(stack: Stack) -> None:
    cases = (
        (Reply(match="case 1", status=401, times=0), "model_unauthorized", 1, False),  # F25
        (Reply(match="case 2", status=402, times=0), "model_out_of_credit", 1, False),
        (Reply(match="case 3", status=429, retry_after="90", times=0), "model_rate_limited", 1, True),  # F19
        (Reply(match="case 4", status=429, times=0), "model_rate_limited", 3, True),
        (Reply(match="case 5", status=503, times=0), "model_unavailable", 3, True),  # F20
    )
    for reply, code, most, is_retryable in cases:
        before = len(stack.fake.script.asked())
        stack.fake.script.add(reply)
        name, told_ = stack.ask(f"{QUESTION} ({reply.match})")[-1]
        assert (name, told_["code"], told_["retryable"]) == ("error", code, is_retryable)
        assert 1 <= len(stack.fake.script.asked()) - before <= most
        assert reply.retry_after is None or told_["retry_after_s"] >= 90


@pytest.mark.parametrize("table", ["turns", "citations"])
def test_what_the_database_says_of_itself_is_never_shown(stack: Stack, table: str) -> None:
    """S0-84."""
    stack.fake.script.add(Reply(match=QUESTION, text=ANSWER, times=0))
    stack.sql(
        "create function tell() returns trigger language plpgsql as $$ begin raise exception 'the password is heron-4711'; end $$;"
        f"create trigger telling before insert on {table} for each row execute function tell()"
    )
    name, shown = stack.ask()[-1]
    assert (name, shown["code"]) == (("refused", "internal") if table == "turns" else ("error", "interrupted"))
    assert "heron" not in json.dumps(shown) and "password" not in json.dumps(shown)


def test_a_place_is_free_again_however_an_answer_ends(stack: Stack) -> None:
    """S0-81, with one place a person."""
    own = json.dumps({"profile": {"version": 1, "limits": {"at_once_person": 1}, "answer": {"on_disconnect": "cancel"}}})
    stack.sql(f"update notebooks set settings = settings || '{own}'")
    stack.fake.script.rules.answer = ANSWER
    stack.fake.script.add(Reply(match=QUESTION, status=400))
    assert stack.ask()[-1][0] == "error"
    for how in ("left", "stop", "killed"):
        is_whole(stack.ask())
        stack.fake.script.add(Reply(match=QUESTION, text=ANSWER, hold=how, after=4))
        with stack.api.http.stream("POST", f"/notebooks/{stack.notebook}/ask", json={"question": QUESTION}, headers=STREAM) as reading:
            assert reading.status_code == 200
            stack.running()
            full = stack.ask()[-1]
            assert (full[0], full[1]["status"], full[1]["code"]) == ("refused", 429, "rate_limited") and int(full[1]["retry_after"]) > 0
            if how == "stop":
                turn = stack.sql("select id from turns where status = 'running'")[0]["id"]
                assert stack.api.post(f"/turns/{turn}/stop").status_code == 202
            elif how == "killed":
                stack.rag.kill()
                stack.processes.start("rag")
            if how != "left":
                until_sync(lambda: not stack.sql(UNFINISHED), 60, "the answer to end")
        until_sync(lambda: not stack.sql(UNFINISHED), 60, "the answer to end")
    is_whole(stack.ask())

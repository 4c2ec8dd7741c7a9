"""Streams under load and loss: no connection of the pool is held, the feed tells of changes, a killed gateway is picked up again."""

import asyncio
import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from sourcebook.stack.bell import Bell
from sourcebook_core import bell as core_bell
from sourcebook_core import events
from sourcebook_core import settings as core_settings
from sourcebook_core.db import Db
from sourcebook_core.events import Done, Open, Token
from sourcebook_core.settings import Settings
from sourcebook_core.store import turns
from tests.integration.gateway_rig import Api, owner_api, whole_gateway
from tests.integration.test_gateway_answers import frames_of, text_of
from tests.rig import Processes, Running, TestPostgres, until, until_sync

STREAM = {"Accept": "text/event-stream"}
READERS = 200


@pytest.fixture
def gateway(processes: Processes, owner_token: str) -> Iterator[tuple[Running, Api]]:
    with owner_api(processes, owner_token, DATABASE_POOL="2", COMMENT_S="0.3", FIRST_EVENT_S="3") as started:
        yield started


@pytest.fixture(scope="module")
def shared(postgres: TestPostgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Api, Settings]]:
    """One gateway with a pool of two for the tests that leave it and its servers alive."""
    folder = tmp_path_factory.mktemp("streams")
    with whole_gateway(postgres, folder, DATABASE_POOL="2", COMMENT_S="0.3", FIRST_EVENT_S="3") as (processes, api, _url):
        yield api, core_settings.load(processes.environment)


class Writer:
    """Plays the worker of one turn: claims it, opens its stream, writes and ends it."""

    def __init__(self, db: Db, settings: Settings) -> None:
        self.db, self.redis = db, core_bell.connect(settings)
        self.turn: Any = None
        self.text = ""

    async def claim(self, notebook: str) -> None:
        async def found() -> Any:
            async with self.db.transaction() as conn:
                return await conn.fetchrow("select id, conversation_id from turns where notebook_id = $1 and status = 'queued'", notebook)

        self.turn = await until(found, 60, "the turn to be asked")
        async with self.db.transaction() as conn:
            await conn.execute(
                "update jobs set state = 'running', fence = 7, lease_until = now() + interval '1 hour' where subject = $1", self.turn["id"]
            )
            await turns.begin(conn, self.turn["id"], 7)

    async def tell(self, *told: Any) -> None:
        await events.append(self.redis, events.turn_stream(self.turn["id"], 7), list(told))

    async def open(self) -> None:
        await self.tell(Open(turn_id=self.turn["id"], conversation_id=self.turn["conversation_id"], passages=2))

    async def write(self, piece: str, *, is_told: bool = True, is_kept: bool = True) -> None:
        at, self.text = len(self.text), self.text + piece
        if is_told:
            await self.tell(Token(text=piece, at=at))
        if is_kept:
            async with self.db.transaction() as conn:
                await turns.write_answer(conn, self.turn["id"], 7, self.text)

    async def end(self, *, is_told: bool = True) -> None:
        async with self.db.transaction() as conn:
            await turns.finish(
                conn, self.turn["id"], status="done", finish="complete", answer=self.text, outcome={}, error=None, in_history=True
            )  # fmt: skip
        if is_told:
            await self.tell(Done(turn_id=self.turn["id"], finish="complete", answer=self.text))


async def _writer(settings: Settings) -> Writer:
    return Writer(await Db.open(settings), settings)


async def _close(writer: Writer) -> None:
    await writer.redis.aclose()
    await writer.db.close()


async def test_two_hundred_readers_of_one_answer_hold_no_connection_of_the_pool(shared: tuple[Api, Settings]) -> None:
    """F14: a hundred times as many as the pool has connections; who asks meanwhile still gets one."""
    api, settings = shared
    notebook = api.notebook()
    writer = await _writer(settings)
    limits = httpx2.Limits(max_connections=None)
    async with httpx2.AsyncClient(base_url=f"{api.address}/api/v1", headers=dict(api.http.headers), timeout=60, limits=limits) as http:
        asking = asyncio.create_task(http.post(f"/notebooks/{notebook}/ask", json={"question": "Why?"}, headers=STREAM))
        await writer.claim(notebook)
        await writer.open()
        await writer.write("first 🦉 ")
        turn = writer.turn["id"]
        readers = [asyncio.create_task(http.get(f"/turns/{turn}/events", headers=STREAM)) for _ in range(READERS)]
        looking = httpx2.AsyncClient(base_url=api.address, timeout=60)
        async with looking:
            open_streams = f'sourcebook_open_streams{{kind="answer"}} {READERS + 1}.0'

            async def all_are_open() -> bool:
                return open_streams in (await looking.get("/metrics")).text

            async def database_answers() -> bool:
                return (await looking.get("/readyz")).json()["checks"]["database"] in ("good", "slow")

            await until(all_are_open, 60, "all streams to be open")
            for _ in range(20):
                await until(database_answers, 60, "a connection for who asks")
        await writer.write("second", is_kept=False)
        await writer.end()
        answers = [await task for task in [asking, *readers]]
    for answer in answers:
        frames = frames_of(answer.text)
        assert text_of(frames) == "first 🦉 second" and frames[-1].name == "done"
    await _close(writer)


async def test_a_gap_in_the_stream_is_filled_from_the_row(shared: tuple[Api, Settings]) -> None:
    api, settings = shared
    notebook = api.notebook()
    writer = await _writer(settings)
    async with httpx2.AsyncClient(base_url=f"{api.address}/api/v1", headers=dict(api.http.headers), timeout=60) as http:
        asking = asyncio.create_task(http.post(f"/notebooks/{notebook}/ask", json={"question": "Why?"}, headers=STREAM))
        await writer.claim(notebook)
        await writer.open()
        await writer.write("one ")
        await writer.write("lost ", is_told=False)
        await writer.write("three ")
        await writer.write("never told", is_told=False)
        await writer.end(is_told=False)
        frames = frames_of((await asking).text)
    assert text_of(frames) == "one lost three never told"
    assert [frame.name for frame in frames][-1] == "done"
    await _close(writer)


async def test_a_killed_gateway_is_picked_up_again_without_a_word_twice(
    gateway: tuple[Running, Api], processes: Processes, settings: Settings
) -> None:
    running, api = gateway
    notebook = api.notebook()
    writer = await _writer(settings)
    seen = ""
    async with httpx2.AsyncClient(base_url=f"{api.address}/api/v1", headers=dict(api.http.headers), timeout=60) as http:
        async with http.stream("POST", f"/notebooks/{notebook}/ask", json={"question": "Why?"}, headers=STREAM) as asking:
            claim = asyncio.create_task(writer.claim(notebook))
            await claim
            await writer.open()
            await writer.write("before ")
            try:
                async for piece in asking.aiter_text():
                    seen += piece
                    if "before" in seen and running.is_alive:
                        running.kill()
            except httpx2.TransportError:
                pass
        await writer.write("after")
        processes.start("gateway")
        last = str(frames_of(seen)[-1].number)
        rest = asyncio.create_task(http.get(f"/turns/{writer.turn['id']}/events", headers={**STREAM, "Last-Event-ID": last}))
        await writer.end()
        frames = frames_of((await rest).text)
    assert text_of(frames_of(seen)) + text_of(frames) == "before after" and frames[-1].name == "done"
    await _close(writer)


async def test_a_gateway_that_is_to_end_lets_its_streams_go(gateway: tuple[Running, Api]) -> None:
    running, api = gateway
    notebook = api.notebook()
    async with httpx2.AsyncClient(base_url=f"{api.address}/api/v1", headers=dict(api.http.headers), timeout=60) as http:
        async with (
            http.stream("POST", f"/notebooks/{notebook}/ask", json={"question": "Why?"}, headers=STREAM) as asking,
            http.stream("GET", "/events") as feed,
        ):
            running.terminate()
            async for _ in asking.aiter_text():
                pass
            async for _ in feed.aiter_text():
                pass
    assert running.wait() in (0, -signal.SIGTERM)
    assert "Traceback" not in running.said()


async def test_a_question_nobody_answers_in_time_keeps_its_stream_open_with_comments(shared: tuple[Api, Settings]) -> None:
    api, _ = shared
    notebook = api.notebook()
    async with httpx2.AsyncClient(base_url=f"{api.address}/api/v1", headers=dict(api.http.headers), timeout=60) as http:
        async with http.stream("POST", f"/notebooks/{notebook}/ask", json={"question": "Why?"}, headers=STREAM) as asking:
            assert asking.status_code == 200
            said = ""
            async for piece in asking.aiter_text():
                said += piece
                if said.count(": still here") >= 3:
                    break
    talk = api.get(f"/notebooks/{notebook}/conversations").json()["items"][0]
    turn = api.get(f"/conversations/{talk['id']}").json()["turns"][0]["id"]
    second = api.post(f"/notebooks/{notebook}/ask", {"question": "Again?", "conversation_id": talk["id"]}, headers=STREAM)
    assert second.status_code == 409 and second.json()["error"]["code"] == "turn_running"
    assert api.post(f"/turns/{turn}/stop").json()["status"] == "stopped"
    ended = frames_of(api.get(f"/turns/{turn}/events", headers=STREAM).text)
    assert (ended[-1].name, ended[-1].data["finish"]) == ("done", "stopped")
    assert api.post(f"/turns/{turn}/stop").status_code == 202


def _feed_line(api: Api, path: str, act: Any) -> dict[str, Any]:
    with api.http.stream("GET", path) as feed:
        assert feed.headers["content-type"].startswith("text/event-stream")
        for number, line in enumerate(feed.iter_lines()):
            if line == "event: hello":
                act()
            if line.startswith("data: ") and line != "data: {}":
                found: dict[str, Any] = json.loads(line.removeprefix("data: "))
                return found
            assert number < 500
    raise AssertionError("the feed ended")


def test_the_feed_tells_of_a_source_also_while_redis_is_away(gateway: tuple[Running, Api], redis_server: Bell, tmp_path: Path) -> None:
    _, api = gateway
    notebook = api.notebook()
    with api.other(api.http.headers["authorization"].split()[1]) as other:
        told = _feed_line(api, "/events", lambda: other.text(notebook, "first", title="a"))
        assert told["notebook_ids"] == [notebook]
        redis_server.child.kill()
        redis_server.child.wait()
        until_sync(
            lambda: httpx2.get(f"{api.address}/readyz", timeout=60).json()["checks"]["queue_bell"] == "away",
            60,
            "the gateway to see that Redis is away",
        )
        told = _feed_line(api, "/events", lambda: other.text(notebook, "second", title="b"))
        assert told["id"]


def test_a_feed_ends_when_its_sign_in_does(shared: tuple[Api, Settings]) -> None:
    api, _ = shared
    made = api.post("/tokens", {"name": "reader", "scopes": ["read"]}).json()
    with api.other(made["token"]) as reader, reader.http.stream("GET", "/events") as feed:
        lines = feed.iter_lines()
        assert next(lines) == "event: hello"
        assert api.delete(f"/tokens/{made['id']}").status_code == 204
        assert len(list(lines)) < 100


def test_the_page_is_served_with_theme_and_for_every_address_of_it(processes: Processes, owner_token: str, tmp_path: Path) -> None:
    web = tmp_path / "web"
    (web / "assets").mkdir(parents=True)
    (web / "index.html").write_text('<!doctype html><html lang="en" data-theme="system"><body>page</body></html>')
    (web / "assets" / "app-1.js").write_text("let a = 1;")
    (web / "assets" / "app-1.js.br").write_bytes(b"compressed")
    (tmp_path / "secret.txt").write_text("secret")
    with owner_api(processes, owner_token, WEB_DIR=str(web)) as (_, api):
        root = api.address
        for path in ("/", "/n/123", "/n/1/s/2?at=1:2-3", "/library", "/sign-in", "/" + "n" * 300, "/" + "n/" * 3000):
            page = httpx2.get(root + path, headers={"Cookie": "sourcebook_theme=dark"}, timeout=60)
            assert page.status_code == 200 and 'data-theme="dark"' in page.text and page.headers["cache-control"] == "no-cache"
        assert 'data-theme="system"' in httpx2.get(root + "/", headers={"Cookie": 'sourcebook_theme="><script>'}, timeout=60).text
        script = httpx2.get(root + "/assets/app-1.js", headers={"Accept-Encoding": "identity"}, timeout=60)
        assert script.text == "let a = 1;" and "immutable" in script.headers["cache-control"]
        with httpx2.stream("GET", root + "/assets/app-1.js", headers={"Accept-Encoding": "br"}, timeout=60) as packed:
            assert packed.headers["content-encoding"] == "br" and packed.headers["content-type"].startswith("text/javascript")
            assert b"".join(packed.iter_raw()) == b"compressed"
        for path in (
            "/assets/none.js",
            "/..%2fsecret.txt",
            "/%2e%2e/secret.txt",
            "/assets/..%2f..%2fsecret.txt",
            "/api/v1/none",
            "/.env",
            "/assets/" + "a" * 300,
        ):
            answer = httpx2.get(root + path, timeout=60)
            assert answer.status_code == 404 and "secret" not in answer.text, path

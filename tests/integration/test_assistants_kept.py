"""Assistants that change their purpose, whose search goes on until their sources are cut anew, and those kept to models on this server."""

import asyncio
from collections.abc import Iterator
from typing import Any
from uuid import UUID, uuid4

import pytest

from sourcebook_core.db import Conn
from tests import rows
from tests.fakes.provider import FakeProvider
from tests.fakes.script import Reply
from tests.integration.assistant_rig import Booth, booth
from tests.integration.gateway_rig import as_extra, refused
from tests.rag_rig import chat_settings, embedding_settings
from tests.rig import TestPostgres, until, until_sync

LAKE = "The lake is forty metres deep at its southern end. Boats are not allowed."
MILL = "The mill was built by Ada Lind in 1902. It ground rye until 1968."
QUESTION = "How deep is the lake at its southern end?"
HEADINGS, BLOCKS = "headings-500-50-a2", "blocks-700-0-a2"


@pytest.fixture(scope="module")
def models() -> Iterator[FakeProvider]:
    with FakeProvider() as started:
        yield started


@pytest.fixture(scope="module")
def here(postgres: TestPostgres, tmp_path_factory: pytest.TempPathFactory, models: FakeProvider) -> Iterator[Booth]:
    """A stack whose models are hosted."""
    with booth(postgres, tmp_path_factory.mktemp("kept"), **as_extra(chat_settings(models) | embedding_settings(models))) as made:
        yield made


@pytest.fixture
def fake(models: FakeProvider) -> FakeProvider:
    models.script.reset()
    models.script.rules.answer = "The lake is forty metres deep at its southern end [1]."
    return models


def now(here: Booth, assistant: dict[str, Any]) -> dict[str, Any]:
    return dict(here.api.get(f"/assistants/{assistant['id']}").json())


def is_quiet(here: Booth) -> bool:
    jobs = here.api.get("/admin/jobs").json()["items"]
    return not [job for job in jobs if job["kind"] in ("read_source", "index_reading") and job["state"] in ("queued", "running")]


def embedded(fake: FakeProvider) -> int:
    """How many passages went to the hosted model."""
    return sum("Boats are not allowed" in text for request in fake.script.requests("embeddings") for text in request.texts)


def test_another_purpose_leaves_the_search_as_it_is_until_its_sources_are_cut_anew(here: Booth, fake: FakeProvider) -> None:
    nonce = f"{uuid4()}"
    assistant = here.assistant(here.source(f"{LAKE} {nonce}"))
    path, visitor = f"/assistants/{assistant['id']}", here.anonymous(assistant["slug"])
    until_sync(lambda: is_quiet(here), 60, "the sources to be indexed")
    sent = embedded(fake)
    changed = here.api.patch(path, {"profile": "docs"}).json()
    assert (changed["recipe"], changed["wanted_recipe"], changed["stale"]) == (assistant["recipe"], HEADINGS, 1)
    assert not changed["reindexing"] and is_quiet(here) and embedded(fake) == sent, "a setting alone cuts and embeds nothing"
    back = here.api.patch(path, {"profile": "notebook"}).json()
    assert (back["wanted_recipe"], back["stale"]) == (None, 0)
    here.api.patch(path, {"profile": "docs"})
    fake.script.add(Reply(kind="embeddings", match=nonce, hold="here", times=0))
    again = here.api.post(f"{path}/reindex")
    assert again.status_code == 202 and again.json()["reindexing"] and again.json()["stale"] == 1
    assert here.api.post(f"{path}/reindex").status_code == 202, "safe to repeat"
    mill = here.source(f"{MILL} {uuid4()}")
    assert here.api.put(f"{path}/sources/{mill}", {"grant": "given"}).status_code == 200  # is cut by both from now on
    until_sync(lambda: now(here, assistant)["stale"] == 1, 60, "the given source to be cut by both")
    assert now(here, assistant)["recipe"] == assistant["recipe"]
    assert visitor.ask(QUESTION)["citations"], "what is published answers meanwhile"
    fake.script.release("here")
    until_sync(lambda: now(here, assistant)["recipe"] == HEADINGS, 60, "the swap")
    after = now(here, assistant)
    assert (after["wanted_recipe"], after["stale"], after["reindexing"]) == (None, 0, False)
    assert after["sources"] == {"given": 2, "paused": 0, "pending": 0}
    assert visitor.ask(f"{QUESTION} Say it again.")["citations"]


def test_the_last_source_that_was_not_cut_anew_may_be_taken_back_and_an_empty_assistant_changes_at_once(
    here: Booth, fake: FakeProvider
) -> None:
    source = here.source(f"{LAKE} {uuid4()}")
    assistant = here.assistant(source)
    path = f"/assistants/{assistant['id']}"
    assert here.api.patch(path, {"profile": "help"}).json()["wanted_recipe"] == BLOCKS
    assert here.api.delete(f"{path}/sources/{source}").status_code == 204
    assert (now(here, assistant)["recipe"], now(here, assistant)["wanted_recipe"]) == (BLOCKS, None)
    assert here.api.patch(path, {"profile": "docs"}).json()["recipe"] == HEADINGS
    assert here.api.post(f"{path}/reindex").json()["reindexing"] is False


async def test_a_viewer_has_nothing_cut_anew(here: Booth) -> None:
    assistant = here.api.post("/assistants", {"name": "Helper"}).json()
    secret, mail = await here.person("Vera")
    here.api.post(f"/assistants/{assistant['id']}/members", {"email": mail, "role": "viewer"})
    with here.api.other(secret) as member:
        refused(member.post(f"/assistants/{assistant['id']}/reindex"), 403, "forbidden")
        refused(member.patch(f"/assistants/{assistant['id']}", {"local_only": True}), 403, "forbidden")


def test_an_assistant_kept_to_this_server_sends_nothing_to_a_hosted_model_and_that_holds_at_once(here: Booth, fake: FakeProvider) -> None:
    source = here.source(f"{LAKE} {uuid4()}")
    until_sync(lambda: is_quiet(here), 60, "the source to be indexed for its notebook")
    sent = embedded(fake)
    assistant = here.assistant(source, profile="help", local_only=True)
    path, visitor = f"/assistants/{assistant['id']}", here.anonymous(assistant["slug"])
    until_sync(lambda: is_quiet(here), 60, "the source to be cut in blocks")
    row = now(here, assistant)
    assert row["local_only"] and not row["has_changes"], "it is no part of the draft"
    assert embedded(fake) == sent
    listed = {one["id"]: one for one in here.api.get(f"{path}/sources").json()["items"]}
    assert listed[source]["searchable"] == "words"
    warnings = here.api.get(f"/sources/{source}").json()["report"]["warnings"]
    assert "notebook or assistant that holds it" in next(one["message"] for one in warnings if one["code"] == "words_only")

    def asks(question: str) -> int:
        """How many requests a visitor's question and a try come to, at the hosted models."""
        before = len(fake.script.requests())
        answers = visitor.ask(question), here.api.post(f"{path}/ask", {"question": question}).json()
        assert all(one["citations"] or one["cards"] for one in answers)
        return len(fake.script.requests()) - before

    assert asks("How deep is the lake?") == 0
    assert here.api.patch(path, {"local_only": False}).json()["local_only"] is False
    until_sync(lambda: embedded(fake) > sent, 60, "the source to be embedded for it")
    until_sync(lambda: is_quiet(here), 60, "the index to be whole")
    assert asks("How deep is the lake?") > 0
    here.api.patch(path, {"local_only": True})
    assert asks("How deep is the lake?") == 0, "visitors too, without another publication"


async def is_waited_for(conn: Conn) -> bool:
    """Whether somebody who queues work waits for this transaction, which is never still for long by it."""
    await conn.execute("select pg_stat_clear_snapshot()")
    waiting = "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and query like '%insert into jobs%'"
    return bool(await conn.fetchval(waiting))


async def test_hosted_models_are_allowed_again_while_an_indexing_ends_and_neither_waits_for_the_other(
    here: Booth, fake: FakeProvider
) -> None:
    source = here.source(f"{LAKE} {uuid4()}")
    assistant = here.assistant(source, profile="help", local_only=True)
    path, job = f"/assistants/{assistant['id']}", uuid4()
    until_sync(lambda: is_quiet(here), 60, "the source to be cut in blocks")
    sent = embedded(fake)
    async with rows.opened(here.database) as conn:
        await conn.execute(
            """
            insert into jobs (id, kind, queue, subject, once, state, lease_until)
            select $1, 'index_reading', 'ingest', id, concat('index_reading:', reading_id, $3::text), 'running', now() + interval '1 hour'
            from sources where id = $2
            """,
            job, UUID(source), f":{BLOCKS}",
        )  # fmt: skip
    async with rows.opened(here.database) as conn:  # the last transaction of an indexing that found that it may use no hosted model
        await conn.execute("update jobs set state = 'done', lease_until = null, finished_at = now() where id = $1", job)
        allowed = asyncio.create_task(asyncio.to_thread(here.api.patch, path, {"local_only": False}))
        await until(lambda: is_waited_for(conn), 60, "the new indexing to wait for the end of this one")
        await conn.execute("select from assistants where id = $1 for update", UUID(assistant["id"]))
    assert (await allowed).status_code == 200
    until_sync(lambda: embedded(fake) > sent, 60, "the source to be embedded for it")

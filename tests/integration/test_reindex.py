"""A changed recipe marks what it affects, and nothing more happens until somebody asks: then it is built beside and swapped whole."""

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest

from sourcebook_core import settings as core_settings
from sourcebook_core.db import Db
from sourcebook_core.store import scopes, search
from sourcebook_core.store.search import Match
from sourcebook_core.text.lexemes import question_lexemes
from tests.fakes.provider import FakeProvider
from tests.fakes.script import Reply
from tests.integration.gateway_rig import OWNER, Api, owner_api, refused
from tests.rag_rig import embedding_settings
from tests.rig import PATIENT, Processes, until_sync

HOSTED = "token_window-420-50-a2"
LAKE = "Lake Baikal is the deepest lake of the world. " * 200
MILL = "The mill at the river closed in 1968 and was never opened again. " * 80


@pytest.fixture
def api(processes: Processes, owner_token: str, fake: FakeProvider) -> Iterator[Api]:
    processes.environment |= embedding_settings(fake)
    with owner_api(processes, owner_token) as (_, made):
        processes.start("ingest", **PATIENT)
        yield made


def ready(api: Api, *sources: dict[str, Any]) -> None:
    until_sync(lambda: all(api.get(f"/sources/{one['id']}").json()["status"] == "ready" for one in sources), 60, "the sources")


def small(api: Api, *texts: str) -> tuple[str, list[dict[str, Any]]]:
    """A notebook whose recipe in use is 300/40, with these texts, ready."""
    notebook = api.notebook()
    assert api.patch(f"/notebooks/{notebook}", {"settings": {"recipe": "token_window-300-40-a2"}}).json()["wanted_recipe"] is None
    made = [api.text(notebook, text) for text in texts]
    ready(api, *made)
    return notebook, made


def stale(api: Api, notebook: str) -> list[bool]:
    return [one["stale"] for one in api.get(f"/notebooks/{notebook}/sources").json()["items"]]


def test_a_changed_recipe_marks_only_what_it_affects_and_is_in_use_when_all_is_built(api: Api, fake: FakeProvider) -> None:
    notebook, made = small(api, LAKE, MILL)
    other, (untouched,) = small(api, "Another notebook's source, which nobody changes. " * 40)
    before = api.get(f"/sources/{made[0]['id']}").json()["chunks"]
    requests = len(fake.script.requests())
    changed = api.patch(f"/notebooks/{notebook}", {"settings": {"recipe": HOSTED}}).json()
    assert (changed["stale"], changed["wanted_recipe"], changed["recipe"]["size"], changed["reindexing"]) == (2, HOSTED, 300, False)
    assert stale(api, notebook) == [True, True] and stale(api, other) == [False]
    assert api.get(f"/notebooks/{other}").json()["stale"] == 0
    jobs = [job for job in api.get("/admin/jobs").json()["items"] if job["kind"] in ("read_source", "index_reading")]
    assert {job["state"] for job in jobs} == {"done"}
    assert len(fake.script.requests()) == requests, "nothing is read or embedded by a setting"
    assert {one["searchable"] for one in api.get(f"/notebooks/{notebook}/sources").json()["items"]} == {"full"}
    again = api.post(f"/notebooks/{notebook}/reindex")
    assert again.status_code == 202 and again.json()["reindexing"]
    until_sync(lambda: api.get(f"/notebooks/{notebook}").json()["recipe"]["id"] == HOSTED, 60, "the swap")
    after = api.get(f"/notebooks/{notebook}").json()
    assert (after["stale"], after["wanted_recipe"], after["reindexing"]) == (0, None, False)
    items = api.get(f"/notebooks/{notebook}/sources").json()["items"]
    assert {one["searchable"] for one in items} == {"full"} and stale(api, notebook) == [False, False]
    assert items[-1]["chunks"] < before
    assert api.get(f"/sources/{untouched['id']}").json()["reading_id"] is not None


def test_a_failed_rebuild_changes_nothing_and_says_why(api: Api, fake: FakeProvider) -> None:
    notebook, made = small(api, LAKE, MILL)
    fake.script.add(Reply(kind="embeddings", match="mill at the river", status=401, times=0))
    api.patch(f"/notebooks/{notebook}", {"settings": {"recipe": HOSTED}})
    api.post(f"/notebooks/{notebook}/reindex")

    def warned() -> list[str]:
        report = api.get(f"/sources/{made[1]['id']}").json()["report"]
        return [one["message"] for one in report["warnings"] if one["code"] == "reindex_failed"]

    until_sync(warned, 60, "the warning")
    assert "what was there before answers on" in warned()[0]
    until_sync(lambda: api.get(f"/notebooks/{notebook}").json()["stale"] == 1, 60, "the other source to be built")
    book = api.get(f"/notebooks/{notebook}").json()
    assert (book["recipe"]["size"], book["wanted_recipe"], book["reindexing"]) == (300, HOSTED, False)
    items = api.get(f"/notebooks/{notebook}/sources").json()["items"]
    assert {(one["status"], one["searchable"]) for one in items} == {("ready", "full")}
    fake.script.reset()
    assert api.post(f"/notebooks/{notebook}/reindex").json()["stale"] == 1
    until_sync(lambda: api.get(f"/notebooks/{notebook}").json()["recipe"]["id"] == HOSTED, 60, "the swap")
    assert warned() == []


def test_reading_every_source_again_clears_it_too_and_what_was_changed_back_is_fresh(api: Api) -> None:
    notebook, made = small(api, LAKE)
    api.patch(f"/notebooks/{notebook}", {"settings": {"recipe": HOSTED}})
    assert api.patch(f"/notebooks/{notebook}", {"settings": {"recipe": "token_window-300-40-a2"}}).json()["stale"] == 0
    api.patch(f"/notebooks/{notebook}", {"settings": {"captions": True}})
    assert stale(api, notebook) == [True]
    old = api.get(f"/sources/{made[0]['id']}").json()["reading_id"]
    assert api.post(f"/sources/{made[0]['id']}/reread").status_code == 202
    until_sync(lambda: api.get(f"/sources/{made[0]['id']}").json()["reading_id"] != old, 60, "the new reading")
    until_sync(lambda: api.get(f"/notebooks/{notebook}").json()["recipe"]["captions"], 60, "the swap")
    assert stale(api, notebook) == [False]
    source = api.get(f"/sources/{made[0]['id']}").json()
    assert (source["status"], source["searchable"]) == ("ready", "full")


def test_what_is_added_while_the_new_recipe_is_built_is_built_under_both(api: Api, fake: FakeProvider) -> None:
    notebook, _ = small(api, LAKE)
    api.patch(f"/notebooks/{notebook}", {"settings": {"recipe": HOSTED}})
    fake.script.add(Reply(kind="embeddings", match="deepest lake", hold="here", times=0))
    api.post(f"/notebooks/{notebook}/reindex")
    added = api.text(notebook, MILL)
    until_sync(lambda: api.get(f"/sources/{added['id']}").json()["searchable"] == "full", 60, "the added source")
    assert api.get(f"/notebooks/{notebook}").json()["recipe"]["size"] == 300
    fake.script.release("here")
    until_sync(lambda: api.get(f"/notebooks/{notebook}").json()["recipe"]["id"] == HOSTED, 60, "the swap")
    items = api.get(f"/notebooks/{notebook}/sources").json()["items"]
    assert {(one["status"], one["searchable"], one["stale"]) for one in items} == {("ready", "full", False)}


def test_an_empty_notebook_takes_a_recipe_at_once_and_what_does_not_exist_is_refused(api: Api) -> None:
    notebook = api.notebook()
    book = api.patch(f"/notebooks/{notebook}", {"settings": {"captions": True}}).json()
    assert (book["captions"], book["recipe"]["captions"], book["wanted_recipe"]) == (True, True, None)
    refused(api.patch(f"/notebooks/{notebook}", {"settings": {"recipe": "blocks-9-9"}}), 422, "invalid_field")
    refused(api.patch(f"/notebooks/{notebook}", {"settings": {"recipe": "blocks-700-0-a2", "captions": True}}), 422, "invalid_field")
    refused(api.patch(f"/notebooks/{notebook}", {"settings": {"captions": "maybe"}}), 422, "invalid_field")
    assert api.get(f"/notebooks/{notebook}").json()["recipe"] == book["recipe"]


async def test_a_reading_of_an_older_reader_is_marked_and_read_anew_when_asked(api: Api, processes: Processes) -> None:
    notebook, made = small(api, LAKE)
    db = await Db.open(core_settings.load(processes.environment))
    try:
        async with db.transaction() as conn:
            await conn.execute("update corpus.readings set fingerprint = '0:' || split_part(fingerprint, ':', 2)")
    finally:
        await db.close()
    processes.start("ingest", **PATIENT)
    until_sync(lambda: stale(api, notebook) == [True], 60, "the old reading to be marked")
    old = api.get(f"/sources/{made[0]['id']}").json()
    assert old["searchable"] == "full"
    api.post(f"/notebooks/{notebook}/reindex")
    until_sync(lambda: api.get(f"/sources/{made[0]['id']}").json()["reading_id"] != old["reading_id"], 60, "the new reading")
    assert stale(api, notebook) == [False]


async def test_a_notebook_may_be_cut_by_whole_blocks_and_a_heading_above_a_block_is_found_by_its_words(
    api: Api, processes: Processes
) -> None:
    notebook = api.notebook()
    assert api.patch(f"/notebooks/{notebook}", {"settings": {"recipe": "blocks-700-0-a2"}}).json()["recipe"]["chunker"] == "blocks"
    steps = "".join(f"{number}. Turn the wheel {number} times and wait for the click.\n" for number in range(1, 10))
    text = f"# Guide\n\n## Sluice\n\n{'Before anything else somebody looks at the gauge. ' * 13}\n\nTo open it:\n\n{steps}"
    added = api.upload(notebook, ("guide.md", text.encode())).json()["items"][0]["source"]
    ready(api, added)
    db = await Db.open(core_settings.load(processes.environment))
    try:
        _, found = await asked(db, notebook, "sluice")
        async with db.transaction() as conn:
            rows = await conn.fetch(
                "select start_at, end_at, heading from corpus.chunks where source_id = $1 order by ordinal", UUID(added["id"])
            )
    finally:
        await db.close()
    assert [text[row["start_at"] : row["end_at"]] for row in rows] == [
        text[: text.index("To open")].strip(),
        text[text.index("To open") :].strip(),
    ]
    assert {row["heading"] for row in rows} == {"Guide > Sluice"}
    assert len(found) == 2


async def asked(db: Db, notebook: str, question: str, analyser: int | None = None) -> tuple[int, list[Match]]:
    """The analyser of a notebook's recipe in use, and what a question finds by words."""
    async with db.snapshot() as conn:
        scope = await scopes.of(conn, scopes.Holder("notebook", UUID(notebook)), OWNER, None)
        assert scope
        await scopes.enter(conn, scope)
        words = question_lexemes(question, scope.languages, "en", analyser or scope.analyser)
        return scope.analyser, await search.matching(conn, scope, words)


async def test_a_notebook_of_the_first_analyser_is_marked_answers_on_and_knows_whole_names_once_it_is_reindexed(
    api: Api, processes: Processes
) -> None:
    small(api, LAKE)  # the worker has begun, and marks what is old only when it begins
    notebook = api.notebook()
    old = api.patch(f"/notebooks/{notebook}", {"settings": {"recipe": "token_window-300-40-a1"}}).json()
    assert (old["recipe"]["id"], old["wanted_recipe"]) == ("token_window-300-40-a1", None)
    made = [api.text(notebook, f"The pump LK-{number} of the mill costs {price} euros.") for number, price in ((204, 40), (205, 45))]
    ready(api, *made)
    db = await Db.open(core_settings.load(processes.environment))
    try:
        version, found = await asked(db, notebook, "What does the LK-205 cost?")
        assert (version, round(found[0].idf_share, 2), found[0].has_identifier) == (1, 1.0, True)
        assert str(found[0].source_id) == made[1]["id"]
        _, missed = await asked(db, notebook, "What does the LK-205 cost?", analyser=2)
        assert missed[0].idf_share < 0.8, "a word that no old chunk holds lowers the share: so old indexes are not asked for it"
        processes.start("ingest", **PATIENT)
        until_sync(lambda: stale(api, notebook) == [True, True], 60, "the older words to be marked")
        marked = api.get(f"/notebooks/{notebook}").json()
        assert (marked["recipe"]["id"], marked["wanted_recipe"]) == ("token_window-300-40-a1", "token_window-300-40-a2")
        assert (await asked(db, notebook, "What does the LK-205 cost?"))[1] == found
        added = api.text(notebook, "The pump LK-206 of the mill costs 50 euros.")
        ready(api, added)
        assert len((await asked(db, notebook, "LK-206"))[1]) == 3, "what is added is indexed like the rest"
        api.post(f"/notebooks/{notebook}/reindex")
        until_sync(lambda: api.get(f"/notebooks/{notebook}").json()["recipe"]["id"] == "token_window-300-40-a2", 60, "the swap")
        version, found = await asked(db, notebook, "What does the LK-205 cost?")
    finally:
        await db.close()
    assert version == 2
    assert {str(one.source_id) for one in found if one.has_identifier} == {made[1]["id"]}
    assert [one.idf_share > 0.99 for one in found] == [True, False, False]

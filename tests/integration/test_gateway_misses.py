"""The routes of misses and test questions: one real gateway, turns as the worker writes them."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

import pytest

from sourcebook_core.same_question import key_of
from sourcebook_core.store import misses, trash, turns
from tests import rows
from tests.integration.gateway_rig import OWNER, Api, refused, whole_gateway
from tests.rig import TestPostgres, until

CANARY = "Zanzibarquark"
REFUSAL = {"reply_kind": "none", "pending_sources": 0, "degraded": [], "route": {"answer_mode": "refusal", "language": "en"}}


@dataclass
class Place:
    """The owner's client, the database's address and name, and its server."""

    api: Api
    url: str
    postgres: TestPostgres

    async def asked(self, notebook: str, *questions: str, is_miss: bool = True, owner: UUID = OWNER, **outcome: Any) -> list[UUID]:
        """Turns that ended complete, oldest first."""
        of, made = rows.Notebook(UUID(notebook), owner), []
        async with rows.opened(self.url) as conn:
            for question in questions:
                turn_id = await rows.turn(conn, of, question)
                told = REFUSAL | outcome
                await turns.finish(conn, turn_id, status="done", finish="complete", answer="No.", outcome=told, error=None, in_history=True)
                await conn.execute("update turns set created_at = clock_timestamp() where id = $1", turn_id)
                if is_miss:
                    assert await misses.keep(conn, turn_id, key_of(question, "en"), "en")
                made.append(turn_id)
        return made

    def dump(self) -> str:
        """Everything the database holds."""
        return self.postgres.dump(self.url)


@pytest.fixture(scope="module")
def here(postgres: TestPostgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    with whole_gateway(postgres, tmp_path_factory.mktemp("misses")) as (_, api, url):
        yield Place(api, url, postgres)


async def test_the_owner_sees_what_the_notebook_could_not_answer_a_page_at_a_time(here: Place) -> None:
    notebook = here.api.notebook()
    asked = [f"Who built the {thing}?" for thing in ("mill", "ferry", "school", "bridge", "tower")]
    made = await here.asked(notebook, *asked)
    seen, cursor = [], ""
    while True:
        page = here.api.get(f"/notebooks/{notebook}/misses?limit=2{cursor}").json()
        seen += page["items"]
        if page["next_cursor"] is None:
            break
        cursor = f"&cursor={page['next_cursor']}"
    assert [one["question"] for one in seen] == asked[::-1]
    assert [one["turn_id"] for one in seen] == [str(one) for one in made[::-1]]
    assert seen[0] | {"key": "", "first_at": "", "last_at": "", "turn_id": ""} == {
        "key": "", "question": "Who built the tower?", "language": "en", "count": 1, "people": 1, "reasons": {"nothing_found": 1},
        "examples": [], "first_at": "", "last_at": "", "state": "open", "turn_id": "",
    }  # fmt: skip


async def test_a_miss_is_marked_as_solved_and_opened_again(here: Place) -> None:
    notebook = here.api.notebook()
    await here.asked(notebook, "Who built the mill?", "the mill, who built it?")
    (miss,) = here.api.get(f"/notebooks/{notebook}/misses").json()["items"]
    path = f"/notebooks/{notebook}/misses/{miss['key']}"
    for _ in range(2):
        assert here.api.post(path, {"state": "solved"}).json()["state"] == "solved"
    assert here.api.get(f"/notebooks/{notebook}/misses").json()["items"] == []
    assert len(here.api.get(f"/notebooks/{notebook}/misses?state=solved").json()["items"]) == 1
    assert here.api.post(path, {"state": "open"}).json()["state"] == "open"
    refused(here.api.post(f"/notebooks/{notebook}/misses/{uuid4()}", {"state": "open"}), 404, "not_found")
    refused(here.api.post(path, {"state": "question"}), 422, "invalid_field")
    refused(here.api.get(f"/notebooks/{notebook}/misses?state=any"), 422, "invalid_field")


async def test_a_thumb_down_is_a_miss_until_it_is_taken_back(here: Place) -> None:
    notebook = here.api.notebook()
    (turn,) = await here.asked(notebook, "How deep is the lake?", is_miss=False, reply_kind="clear")
    for value, reasons in ((-1, [{"thumbs_down": 1}]), (-1, [{"thumbs_down": 1}]), (1, []), (-1, [{"thumbs_down": 1}]), (0, [])):
        assert here.api.post(f"/turns/{turn}/feedback", {"value": value}).status_code == 200
        assert [one["reasons"] for one in here.api.get(f"/notebooks/{notebook}/misses").json()["items"]] == reasons
    (both,) = await here.asked(notebook, "Who owns the lake?")
    here.api.post(f"/turns/{both}/feedback", {"value": -1})
    (miss,) = here.api.get(f"/notebooks/{notebook}/misses").json()["items"]
    assert miss["reasons"] == {"nothing_found": 1, "thumbs_down": 1} and miss["count"] == 1
    here.api.post(f"/turns/{both}/feedback", {"value": 0})
    assert here.api.get(f"/notebooks/{notebook}/misses").json()["items"][0]["reasons"] == {"nothing_found": 1}


async def test_one_click_makes_a_miss_a_test_question_and_removing_it_opens_the_miss(here: Place) -> None:
    api, notebook = here.api, here.api.notebook()
    source = api.text(notebook, f"The mill of {uuid4()}.")["id"]
    await here.asked(notebook, "Who built the mill?")
    key = api.get(f"/notebooks/{notebook}/misses").json()["items"][0]["key"]
    path = f"/notebooks/{notebook}/misses/{key}/question"
    made = [api.post(path, {"source_ids": [source]}, headers={"Idempotency-Key": "k"}) for _ in range(2)]
    assert [one.status_code for one in made] == [201, 201] and made[0].json() == made[1].json()
    refused(api.post(path, {"source_ids": []}, headers={"Idempotency-Key": "k"}), 409, "idempotency_conflict")
    question = made[0].json()
    assert (question["question"], question["kind"], question["source_ids"]) == ("Who built the mill?", "plain", [source])
    assert api.get(f"/notebooks/{notebook}/misses").json()["items"] == []
    assert api.get(f"/notebooks/{notebook}/misses?state=question").json()["items"][0]["key"] == key
    again = api.post(path, {"source_ids": []}).json()
    assert (again["id"], again["kind"], again["source_ids"]) == (question["id"], "unanswerable", [])
    assert api.get(f"/notebooks/{notebook}/questions").json()["items"] == [again]
    assert [api.delete(f"/questions/{question['id']}").status_code for _ in range(2)] == [204, 404]
    assert api.get(f"/notebooks/{notebook}/misses").json()["items"][0]["state"] == "open"


def test_a_test_question_of_ones_own_needs_sources_of_the_notebook_that_fit_its_kind(here: Place) -> None:
    api, notebook, other = here.api, here.api.notebook(), here.api.notebook()
    source = api.text(other, f"The ferry of {uuid4()}.")["id"]
    path = f"/notebooks/{notebook}/questions"
    refused(api.post(path, {"question": "When?", "source_ids": [source]}), 404, "not_found")
    refused(api.post(path, {"question": "When?", "source_ids": [str(uuid4())]}), 404, "not_found")
    refused(api.post(path, {"question": "When?", "kind": "exact"}), 422, "invalid_field")
    refused(api.post(path, {"question": "  "}), 422, "invalid_field")
    refused(api.post(path, {"question": "x" * 4001}), 422, "invalid_field")
    theirs = f"/notebooks/{other}/questions"
    refused(api.post(theirs, {"question": "When?", "kind": "unanswerable", "source_ids": [source]}), 422, "invalid_field")
    german = " Wann fährt die Fähre nach Lindow ab? "
    made = api.post(theirs, {"question": german, "source_ids": [source], "kind": "otherlang"})
    assert made.status_code == 201
    assert (made.json()["question"], made.json()["language"]) == (german.strip(), "de")


async def test_an_administrator_sees_counts_of_others_and_not_a_word(here: Place) -> None:
    mine, person, theirs = here.api.notebook("My own"), uuid4(), uuid4()
    async with rows.opened(here.url) as conn:
        await conn.execute("insert into people (id, name) values ($1, 'Ada')", person)
        await conn.execute(
            "insert into notebooks (id, owner_id, title, recipe_id) values ($1, $2, 'Hush', $3)", theirs, person, rows.RECIPE
        )
    await here.asked(mine, "Who built the mill?")
    await here.asked(str(theirs), "Who is the secret lover?", "the secret lover: who is it?", "Where is he?", owner=person)
    listed = here.api.get("/admin/misses")
    first, second = listed.json()["items"][:2]
    assert first | {"last_at": ""} == {
        "notebook_id": str(theirs), "title": None, "owner": "Ada", "open": 2, "solved": 0, "questions": 0, "asked": 3, "people": 1,
        "last_at": "",
    }  # fmt: skip
    assert (second["notebook_id"], second["title"]) == (mine, "My own")
    assert "secret" not in listed.text and "Hush" not in listed.text
    refused(here.api.get(f"/notebooks/{theirs}/misses"), 404, "not_found")
    page = here.api.get("/admin/misses?limit=1").json()
    assert here.api.get(f"/admin/misses?limit=1&cursor={page['next_cursor']}").json()["items"] == [second]


async def _purge(here: Place) -> None:
    async with rows.opened(here.url) as conn:
        for source_id in await trash.sources_due(conn, 14, 10):
            await trash.delete_corpus_batch(conn, source_id, 1000)
            await trash.erase_source(conn, source_id)
        await trash.delete_due_conversations(conn, 14, 10)
        await trash.delete_due_notebooks(conn, 14, 10)


@pytest.mark.parametrize("what", ["conversation", "notebook", "source"])
async def test_what_is_deleted_for_good_leaves_no_word_of_its_misses_and_questions_in_a_dump(here: Place, what: str) -> None:
    api = here.api
    notebook = api.post("/notebooks", {"title": CANARY if what == "notebook" else "Lindow"}, headers={"Idempotency-Key": what}).json()["id"]
    word = f"{CANARY}{what}"
    source = api.text(notebook, f"The {word} lake is deep." if what == "source" else f"The lake {uuid4()}.", title=f"{what} title")["id"]
    if what != "source":
        (turn,) = await here.asked(notebook, f"Who named the {word}?")
        async with rows.opened(here.url) as conn:
            await turns.name_conversation(conn, (await turns.get(conn, turn)).conversation_id, f"Who named the {word}?")
        key = api.get(f"/notebooks/{notebook}/misses").json()["items"][0]["key"]
        api.post(f"/notebooks/{notebook}/misses/{key}/question", {"source_ids": [source]}, headers={"Idempotency-Key": f"q{what}"})
        if what == "notebook":
            own = {"question": f"Where is {word}?", "source_ids": [source]}
            api.post(f"/notebooks/{notebook}/questions", own, headers={"Idempotency-Key": "own"})
    else:
        (turn,) = await here.asked(notebook, "How deep is it?")
        async with rows.opened(here.url) as conn:
            why = {"candidates": [{"source_id": source, "text": f"The {word} lake is deep."}]}
            await conn.execute("update turns set why = $2 where id = $1", turn, why)
    assert CANARY in here.dump()
    item = {"conversation": api.get(f"/turns/{turn}").json()["conversation_id"], "notebook": notebook, "source": source}[what]
    assert api.delete(f"/{what}s/{item}").status_code == 204
    assert api.delete(f"/trash/{item}").status_code == 204
    await _purge(here)
    assert CANARY not in here.dump()
    left = [] if what == "notebook" else api.get(f"/notebooks/{notebook}/misses").json()["items"]
    assert left == []


async def test_a_search_whose_notebook_went_meanwhile_is_told_that_there_is_nothing(here: Place) -> None:
    notebook = here.api.notebook()
    searching = asyncio.create_task(asyncio.to_thread(here.api.post, f"/notebooks/{notebook}/search", {"query": "lake"}))
    async with rows.opened(here.url) as conn:  # as a worker ends it
        ended = "update jobs set state = 'failed', error = $2, finished_at = now() where payload ->> 'notebook_id' = $1 returning true"

        async def is_ended() -> bool:
            return bool(await conn.fetchval(ended, notebook, {"code": "not_found"}))

        await until(is_ended)
    refused(await searching, 404, "not_found")

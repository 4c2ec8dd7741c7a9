"""Search and model tests as jobs of the rag worker."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID

import pytest

from sourcebook_core import seal
from sourcebook_core import settings as core_settings
from sourcebook_core.db import Conn
from sourcebook_core.jobs import SearchNotebook, TestModel
from sourcebook_core.store import grants
from sourcebook_core.store.jobs import JobEnd
from tests import rows
from tests.fakes.provider import FakeProvider
from tests.fakes.script import Reply, Request
from tests.rag_rig import Desk, chat_settings, desk, embedding_settings, vector_desk

DEEP = "The lake is forty metres deep."


@pytest.fixture
async def office(environment: dict[str, str], fake: FakeProvider) -> AsyncIterator[Desk]:
    async with vector_desk(environment | embedding_settings(fake), fake) as made:
        yield made


async def test_a_search_gives_ranked_chunks_without_a_writing_model(office: Desk, fake: FakeProvider) -> None:
    source = await office.add(DEEP, "The shore is long.")
    work = SearchNotebook(notebook_id=office.notebook.id, person_id=office.notebook.owner_id, query="how deep is the lake")
    end = await office.result(work)
    assert end.state == "done" and end.result["degraded"] == []
    first = end.result["items"][0]
    assert (first["chunk_id"], first["text"], first["page"]) == (str(source.chunk_ids[0]), DEEP, 1)
    assert first["words_rank"] == first["meaning_rank"] == first["fused_rank"] == 1 and first["similarity"] > 0.3
    assert fake.script.requests("chat") == []


async def test_a_search_for_everything_tells_what_was_left_out_after_the_rest_and_why(office: Desk) -> None:
    await office.add(DEEP, "Bread is baked on Mondays.")
    work = SearchNotebook(notebook_id=office.notebook.id, person_id=office.notebook.owner_id, query="how deep is the lake", every=True)
    items = (await office.result(work)).result["items"]
    assert [(item["text"], item["kept"]) for item in items] == [(DEEP, True), ("Bread is baked on Mondays.", False)]
    assert items[1]["why"].startswith("Left out:")


def search_for(office: Desk, query: str, *, everywhere: bool = False, **more: Any) -> SearchNotebook:
    return SearchNotebook(notebook_id=None if everywhere else office.notebook.id, person_id=office.notebook.owner_id, query=query, **more)


async def found(office: Desk, query: str, **more: Any) -> list[dict[str, Any]]:
    return list((await office.result(search_for(office, query, **more))).result["items"])


async def another_notebook(conn: Conn, office: Desk, shared: rows.Source) -> UUID:
    """A younger notebook of the same person, which holds this source too."""
    made: UUID = await conn.fetchval(
        "insert into notebooks (id, owner_id, title, recipe_id) select gen_random_uuid(), owner_id, 'Other', recipe_id from notebooks"
        " where id = $1 returning id",
        office.notebook.id,
    )
    await grants.give(conn, made, shared.id, office.notebook.owner_id)
    return made


async def test_each_item_names_its_notebook_its_reason_and_the_words_around_what_matched(office: Desk, fake: FakeProvider) -> None:
    long = "Nothing of note happens here. " * 12 + "Rowing boats are allowed on the lake. " + "Nothing of note happens here. " * 12
    fake.script.pins.pin("rowing boats", DEEP, 0.7)
    await office.add(long, DEEP)
    items = {item["text"]: item for item in await found(office, "rowing boats")}
    shown, by_meaning = items[long]["snippet"], items[DEEP]["snippet"]
    assert items[long]["notebook_id"] == str(office.notebook.id) and items[long]["reason"] == "kept"
    assert [shown["text"][first:last] for first, last in shown["marks"]] == ["Rowing", "boats"]
    assert long[shown["start"] :].startswith(shown["text"]) and len(shown["text"]) <= 240
    assert by_meaning == {"text": DEEP, "start": 0, "marks": []}


async def test_a_phrase_is_looked_for_word_by_word_and_no_embedding_is_asked(office: Desk, fake: FakeProvider) -> None:
    broken = "It is the inter\u00ad\r\nnational\r\nlaw of lakes."
    chinese = "\u6d4b\u91cf\u5728\u4e2d\u56fd\n\u4eba\u6c11\u5927\u5b66\u8fdb\u884c\u3002"
    await office.add(DEEP, "A lake forty times as deep: metres of it.", broken, "The law is not international here.")
    await office.add(chinese, language="zh")
    assert [item["text"] for item in await found(office, 'lake "forty metres"')] == [DEEP]
    (item,) = await found(office, '"international law" lakes')
    shown = item["snippet"]
    assert item["text"] == broken == shown["text"]
    assert [broken[first:last] for first, last in shown["marks"]] == ["inter\u00ad\r\nnational\r\nlaw", "lakes"]
    (item,) = await found(office, '"\u4e2d\u56fd\u4eba\u6c11"')
    assert item["text"] == chinese and item["meaning_rank"] is None and item["words_rank"] == 1
    assert await found(office, '"metres forty"') == []
    assert [item["text"] for item in await found(office, '"of it"')] == ["A lake forty times as deep: metres of it."]
    assert fake.script.requests("embeddings") == []
    end = await office.result(search_for(office, '"forty metres"'))
    assert end.result["degraded"] == []  # asked for, not missed


async def test_a_star_finds_the_words_that_begin_so_though_no_index_knows_them(office: Desk) -> None:
    await office.add("The department of lakes.", "Depth is measured.", "An independent office.")
    await office.add("Die \u00d6kologie des Sees.", language="de")
    await office.add("\u0130STANBUL, Be\u015fikta\u015f.", language="tr")
    assert [item["text"] for item in await found(office, "ista*")] == ["\u0130STANBUL, Be\u015fikta\u015f."]
    assert [item["text"] for item in await found(office, "\u0130st*")] == ["\u0130STANBUL, Be\u015fikta\u015f."]
    assert [item["text"] for item in await found(office, "depar*")] == ["The department of lakes."]
    assert {item["text"] for item in await found(office, "dep*")} == {"The department of lakes.", "Depth is measured."}
    assert [item["text"] for item in await found(office, "\u00f6ko*")] == ["Die \u00d6kologie des Sees."]
    assert [item["text"] for item in await found(office, 'dep* "is measured"')] == ["Depth is measured."]


async def test_four_hundred_beginnings_are_looked_for_together_and_all_must_stand_there(office: Desk) -> None:
    await office.add("Departments of lakes depart.", "Departments of rivers depart.")
    assert [item["text"] for item in await found(office, "dep* lak*")] == ["Departments of lakes depart."]
    assert await found(office, "dep* lak* riv* of*") == []
    assert [item["text"] for item in await found(office, "de* dep* depa* depart* departm* la*")] == ["Departments of lakes depart."]
    assert await found(office, " ".join(f"de{n}*" for n in range(400))) == []


async def test_a_query_of_signs_alone_is_plain_words_and_finds_nothing_by_them(office: Desk) -> None:
    await office.add(DEEP)
    assert all(item["words_rank"] is None for item in await found(office, '"" *', every=True))


async def test_what_two_notebooks_share_is_told_once_at_its_best_place(office: Desk) -> None:
    shared = await office.add(DEEP)
    async with office.db.transaction() as conn:
        second = await another_notebook(conn, office, shared)
        other = rows.Notebook(second, office.notebook.owner_id, office.notebook.space_id)
        vector = office.pins.vector("The lake is deep and deep.", 64)
        await rows.source(conn, other, ["The lake is deep and deep."], vectors=[vector])
    items = await found(office, "deep lake", everywhere=True)
    assert sorted(item["text"] for item in items) == sorted([DEEP, "The lake is deep and deep."])
    by_text = {item["text"]: item for item in items}
    assert by_text[DEEP]["notebook_id"] == str(office.notebook.id) and by_text["The lake is deep and deep."]["notebook_id"] == str(second)
    exact = await found(office, '"forty metres"', everywhere=True)
    assert [item["text"] for item in exact] == [DEEP]


async def test_what_one_notebook_leaves_out_and_another_hands_over_is_found_over_all(office: Desk) -> None:
    # By words alone: a persona's notebook keeps nothing so, whatever its score, and stands first.
    async with office.db.transaction() as conn:
        await conn.execute("update notebooks set profile = 'persona' where id = $1", office.notebook.id)
        shared = await rows.source(conn, office.notebook, [DEEP])
        second = await another_notebook(conn, office, shared)
    assert await found(office, "deep lake") == []
    (item,) = await found(office, "deep lake", everywhere=True)
    assert (item["text"], item["notebook_id"], item["reason"]) == (DEEP, str(second), "kept")


async def test_a_local_only_notebook_keeps_no_other_from_being_searched_by_meaning(office: Desk, fake: FakeProvider) -> None:
    source = await office.add(DEEP)
    async with office.db.transaction() as conn:
        await another_notebook(conn, office, source)
        await conn.execute("update notebooks set settings = '{\"local_only\": true}' where id = $1", office.notebook.id)
    alone = (await office.result(search_for(office, "how deep is the lake"))).result
    assert alone["degraded"] == ["words_only"] and fake.script.requests("embeddings") == []
    everywhere = (await office.result(search_for(office, "how deep is the lake", everywhere=True))).result
    assert everywhere["items"][0]["meaning_rank"] == 1 and len(fake.script.requests("embeddings")) == 1


async def test_a_search_over_all_notebooks_sees_the_persons_own_and_no_other(office: Desk) -> None:
    await office.add(DEEP)
    async with office.db.transaction() as conn:
        other = await rows.notebook(conn, space_id=office.notebook.space_id)
        await rows.source(conn, other, ["The lake of somebody else is deep."], vectors=[[1.0] * 64])
    work = SearchNotebook(notebook_id=None, person_id=office.notebook.owner_id, query="deep lake")
    end = await office.result(work)
    assert [item["text"] for item in end.result["items"]] == [DEEP]
    foreign = SearchNotebook(notebook_id=other.id, person_id=office.notebook.owner_id, query="deep lake")
    assert (await office.result(foreign)).error["code"] == "not_found"


async def test_a_chat_model_is_tried_with_the_sealed_key_and_its_figures_are_kept(office: Desk, fake: FakeProvider) -> None:
    fake.script.rules.keys = ("secret-key",)

    def cite(request: Request) -> str:
        return "I do not know."

    fake.script.write_with(cite)
    work = TestModel(role="chat", provider="api", base_url=fake.base_url, model="fake-chat")
    told = (await office.result(work, sealed=seal.close_text(office.deps.settings, "secret-key"))).result
    assert told["ok"] and told["cites_of"] == 3 and told["cites_right"] == 0
    assert len(fake.script.requests("chat")) == 3
    refused = (await office.result(work, sealed=seal.close_text(office.deps.settings, "wrong"))).result
    assert not refused["ok"] and refused["error"]["code"] == "model_unauthorized"


async def test_the_role_in_force_is_tried_as_it_is_and_its_test_is_kept(environment: dict[str, str], fake: FakeProvider) -> None:
    settings = core_settings.load(environment | chat_settings(fake))
    async with desk(settings) as made:
        fake.script.add(Reply(kind="chat", status=500, times=0))
        work = TestModel(role="chat", provider="api", base_url=fake.base_url, model="fake-chat")
        told = (await made.result(work)).result
        assert not told["ok"] and told["error"]["code"] == "model_unavailable"
        assert fake.script.requests("chat")[0].headers["authorization"] == "Bearer k"
        async with made.db.transaction() as conn:
            kept = await conn.fetchval("select tested from model_roles where role = 'chat'")
        assert kept["error"]["code"] == "model_unavailable" and kept["at"]


async def test_an_embedding_model_is_tried_with_a_question_and_two_passages(office: Desk, fake: FakeProvider) -> None:
    work = TestModel(role="embedding", provider="api", base_url=fake.base_url, model="fake-embed")
    told = (await office.result(work)).result
    assert told["ok"] and told["dimension"] == 64
    nothing = (await office.result(TestModel(role="chat", provider="none"))).result
    assert not nothing["ok"] and nothing["error"]["code"] == "no_model"


async def gone_amid(office: Desk, fake: FakeProvider, work: SearchNotebook, notebook_id: UUID) -> JobEnd:
    """The end of a search during which this notebook went to the trash."""
    fake.script.add(Reply(kind="embeddings", hold=str(notebook_id)))
    searching = asyncio.create_task(office.result(work))
    await asyncio.to_thread(fake.script.wait_for, 1, "embeddings")
    async with office.db.transaction() as conn:
        await conn.execute("update notebooks set deleted_at = now() where id = $1", notebook_id)
    fake.script.release(str(notebook_id))
    fake.script.forget_requests()
    end: JobEnd = await searching
    return end


async def test_a_notebook_that_goes_while_all_are_searched_is_left_out_and_the_rest_is_told(office: Desk, fake: FakeProvider) -> None:
    source = await office.add(DEEP)
    async with office.db.transaction() as conn:
        other = await another_notebook(conn, office, source)
    end = await gone_amid(office, fake, search_for(office, "how deep is the lake", everywhere=True), other)
    assert [(item["text"], item["notebook_id"]) for item in (end.result or {})["items"]] == [(DEEP, str(office.notebook.id))]
    end = await gone_amid(office, fake, search_for(office, "how wide is the lake"), office.notebook.id)
    assert (end.state, (end.error or {})["code"]) == ("failed", "not_found")

"""Search and model tests as jobs of the rag worker."""

from collections.abc import AsyncIterator

import pytest

from sourcebook_core import seal
from sourcebook_core import settings as core_settings
from sourcebook_core.jobs import SearchNotebook, TestModel
from tests import rows
from tests.fakes.provider import FakeProvider
from tests.fakes.script import Reply, Request
from tests.rag_rig import Desk, chat_settings, desk, embedding_settings

DEEP = "The lake is forty metres deep."


@pytest.fixture
async def office(environment: dict[str, str], fake: FakeProvider) -> AsyncIterator[Desk]:
    async with desk(core_settings.load(environment | embedding_settings(fake))) as made:
        await made.use_vectors(fake)
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

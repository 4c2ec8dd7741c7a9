"""The guide of a notebook: two lines, topics, and questions that its own search answers clearly."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from sourcebook_core.jobs import MakeGuide
from sourcebook_core.store import guides
from tests.fakes.provider import FakeProvider
from tests.fakes.script import Reply
from tests.rag_rig import Desk, chat_settings, embedding_settings, vector_desk

FERRY = "The ferry crosses the lake from May to October. It carries forty people."
MILL = "The mill was closed in 1968. Its wheel has 32 paddles."


@pytest.fixture
async def office(environment: dict[str, str], fake: FakeProvider) -> AsyncIterator[Desk]:
    async with vector_desk(environment | embedding_settings(fake), fake) as made:
        yield made


@pytest.fixture
async def writing(environment: dict[str, str], fake: FakeProvider) -> AsyncIterator[Desk]:
    async with vector_desk(environment | embedding_settings(fake) | chat_settings(fake), fake) as made:
        yield made


async def told(office: Desk) -> dict[str, Any]:
    """The guide, made by the worker of two sources with their summaries and headings."""
    for title, text, heading in (("Ferry", FERRY, "Crossing the lake by ferry"), ("Mill", MILL, "The closed mill")):
        source = await office.add(text, "Bread is baked on Mondays.", title=title)
        async with office.db.transaction() as conn:
            await conn.execute("update sources set summary = $2, summary_kind = 'quoted' where id = $1", source.id, text)
            outline = [{"level": 1, "title": heading}, {"level": 1, "title": "12"}, {"level": 3, "title": "A detail of it"}]
            await conn.execute("update corpus.readings set outline = $2 where id = $1", source.reading_id, outline)
    end = await office.result(MakeGuide(notebook_id=office.notebook.id, person_id=office.notebook.owner_id))
    assert end.state == "done", end.error
    async with office.db.transaction() as conn:
        found = await guides.find(conn, office.notebook.id)
        held = await guides.material(conn, office.notebook.id)
    assert found is not None and found.sources_hash == guides.fingerprint(held)
    return found.told


async def test_without_a_writing_model_the_guide_quotes_the_sources_and_asks_about_their_headings(office: Desk) -> None:
    for about, text in (("Crossing the lake by ferry", FERRY), ("The closed mill", MILL)):
        office.pins.pin(f"What do your sources say about “{about}”?", text, 0.8)
    guide = await told(office)
    assert guide["summary"] == {
        "text": "The ferry crosses the lake from May to October. The mill was closed in 1968.",
        "kind": "quoted",
    }
    assert [topic["label"] for topic in guide["topics"]] == ["Crossing the lake by ferry", "The closed mill"]
    assert guide["questions"] == [f"What do your sources say about “{topic['label']}”?" for topic in guide["topics"]]


async def test_a_writing_model_writes_it_and_only_questions_that_search_answers_clearly_are_kept(writing: Desk, fake: FakeProvider) -> None:
    fake.script.add(
        Reply(
            match="guide of this collection",
            text="SUMMARY: A ferry and a mill at a lake.\nQUESTION: When does the ferry cross the lake?\nQUESTION: Who won the cup?",
        )
    )
    guide = await told(writing)
    assert guide["summary"] == {"text": "A ferry and a mill at a lake.", "kind": "written"}
    assert guide["questions"][0] == "When does the ferry cross the lake?" and not any("cup" in one for one in guide["questions"])
    asked = fake.script.requests("chat")
    assert len(asked) == 1 and FERRY in str(asked[0].body["messages"])


async def test_a_writing_model_that_fails_leaves_the_guide_quoted(writing: Desk, fake: FakeProvider) -> None:
    fake.script.add(Reply(match="guide of this collection", status=400))
    assert (await told(writing))["summary"]["kind"] == "quoted"

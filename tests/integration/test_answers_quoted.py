"""Answers without a writing model, on a real database, Redis and worker runtime."""

from collections.abc import AsyncIterator

import pytest

from sourcebook_core import events
from sourcebook_core import settings as core_settings
from tests.fakes.provider import FakeProvider
from tests.rag_rig import Desk, desk, embedding_settings, vector_desk

DEEP = "The lake was measured in spring. It is forty metres deep at its southern end. Boats are not allowed."
TOWN = "The town hall was built by an unknown architect. It has a green roof and two towers."


@pytest.fixture
async def words_desk(environment: dict[str, str]) -> AsyncIterator[Desk]:
    async with desk(core_settings.load(environment)) as made:
        yield made


@pytest.fixture
async def vectors_desk(environment: dict[str, str], fake: FakeProvider) -> AsyncIterator[Desk]:
    async with vector_desk(environment | embedding_settings(fake), fake) as made:
        yield made


async def test_words_alone_answer_with_a_quoted_and_cited_sentence(words_desk: Desk) -> None:
    source = await words_desk.add(DEEP)
    await words_desk.add(TOWN, title="Town guide")
    got = await words_desk.answer("How deep is the lake?")
    assert got.turn.status == "done" and got.turn.finish == "complete" and got.turn.in_history
    assert "It is forty metres deep at its southern end." in got.turn.answer and "[1]" in got.turn.answer
    assert got.joined == got.turn.answer == got.of(events.Done)[0].answer
    assert [type(event).__name__ for event in got.events] == ["Stage", "Open", "Token", "CitationSeen", "Token", "Stage", "Done"]
    assert [c.source_id for c in got.citations] == [source.id]
    assert got.outcome["degraded"] == ["words_only", "no_chat_model"]
    assert got.outcome["sources"][0]["title"] == "Lake report"
    why = await words_desk.why(got.turn.id)
    assert [one["kept"] for one in why["candidates"]] == [True] and why["candidates"][0]["text"] == DEEP


async def test_an_empty_notebook_gets_the_fixed_line_and_says_when_something_is_being_read(words_desk: Desk) -> None:
    got = await words_desk.answer("How deep is the lake?")
    assert got.turn.answer.startswith("This notebook has no source") and got.outcome["reply_kind"] == "none"
    source = await words_desk.add(DEEP, status="reading")
    async with words_desk.db.transaction() as conn:
        await conn.execute("update sources set reading_id = null where id = $1", source.id)
    got = await words_desk.answer("Wie tief ist der See an seinem südlichen Ende?")
    assert got.turn.answer.startswith("Ihre Quellen werden noch gelesen") and got.outcome["degraded"] == ["indexing"]
    assert got.outcome["pending_sources"] == 1


async def test_what_no_source_says_gets_the_honest_line_and_the_closest_passages(vectors_desk: Desk, fake: FakeProvider) -> None:
    fake.script.pins.pin("What is the price of tea?", TOWN, 0.2)
    await vectors_desk.add(TOWN)
    got = await vectors_desk.answer("What is the price of tea?")
    assert got.turn.answer == "Nothing in your sources answers this well."
    assert got.citations == [] and got.outcome["reply_kind"] == "none"
    assert [one["quote"] for one in got.outcome["closest"]] == [TOWN]
    assert fake.script.requests("chat") == []


async def test_meaning_finds_what_shares_no_word_with_the_question(vectors_desk: Desk, fake: FakeProvider) -> None:
    question = "Jak hluboké je jezero?"
    fake.script.pins.pin(question, DEEP, 0.5)
    fake.script.pins.pin(question, "It is forty metres deep at its southern end.", 0.8)
    await vectors_desk.add(DEEP)
    await vectors_desk.add(TOWN)
    got = await vectors_desk.answer(question)
    assert "It is forty metres deep at its southern end." in got.turn.answer
    assert got.outcome["degraded"] == ["no_chat_model"]
    assert got.citations[0].similarity is not None and abs(got.citations[0].similarity - 0.8) < 0.02


@pytest.mark.parametrize(("cosine", "is_found"), [(0.305, True), (0.295, False)])
async def test_the_floor_is_on_the_raw_cosine(vectors_desk: Desk, fake: FakeProvider, cosine: float, is_found: bool) -> None:
    question = "Jak hluboké je jezero?"
    fake.script.pins.pin(question, DEEP, cosine)
    await vectors_desk.add(DEEP)
    got = await vectors_desk.answer(question)
    assert bool(got.citations) is is_found


async def test_an_embedding_model_that_is_away_leaves_the_words_and_says_so(environment: dict[str, str]) -> None:
    with FakeProvider() as gone:
        settings = core_settings.load(environment | embedding_settings(gone))
    async with desk(settings) as made:
        await made.use_vectors(gone)
        await made.add(DEEP)
        got = await made.answer("How deep is the lake?")
        assert "forty metres" in got.turn.answer and "words_only" in got.outcome["degraded"]
        async with made.db.transaction() as conn:
            rows = await conn.fetch("select step, state, error_code from calls where turn_id = $1", got.turn.id)
        assert [(row["step"], row["state"]) for row in rows] == [("question", "failed")]


async def test_each_paid_call_of_an_answer_is_one_row_of_the_ledger(vectors_desk: Desk) -> None:
    await vectors_desk.add(DEEP)
    got = await vectors_desk.answer("How deep is the lake?")
    async with vectors_desk.db.transaction() as conn:
        rows = await conn.fetch("select step, state, units from calls where turn_id = $1 order by step", got.turn.id)
    assert [(row["step"], row["state"]) for row in rows] == [("question", "done"), ("sentences", "done")]
    assert all(row["units"]["tokens_in"] > 0 for row in rows)


async def test_a_chunk_that_shares_one_word_of_a_question_about_something_else_is_no_answer(vectors_desk: Desk, fake: FakeProvider) -> None:
    question = "What is the price of tea in China?"
    text = "If a source gives two prices and the answer exchanges them, both numbers are found."
    fake.script.pins.pin(question, text, 0.2)
    await vectors_desk.add(text)
    await vectors_desk.add(TOWN)
    got = await vectors_desk.answer(question)
    assert got.citations == [] and got.outcome["reply_kind"] == "none"


async def test_until_the_space_is_swapped_the_model_in_use_embeds_the_question(environment: dict[str, str], fake: FakeProvider) -> None:
    chosen = embedding_settings(fake, MODEL="newly-chosen", QUERY_PREFIX="new: ")
    async with vector_desk(environment | chosen, fake) as made:
        await made.add(DEEP)
        await made.answer("How deep is the lake?")
        asked = fake.script.requests("embeddings")[0]
        assert asked.model == "fake-embed" and asked.texts == ["How deep is the lake?"]


async def test_only_chosen_sources_that_are_still_being_indexed_are_told_as_pending(words_desk: Desk) -> None:
    ready = await words_desk.add(DEEP)
    await words_desk.add(TOWN, status="indexing")
    assert (await words_desk.answer("How deep is the lake?")).outcome["pending_sources"] == 1
    got = await words_desk.answer("How deep is the lake?", source_ids=[str(ready.id)])
    assert got.outcome["pending_sources"] == 0 and "indexing" not in got.outcome["degraded"]


async def test_a_note_is_quoted_only_where_no_original_is_left_and_never_as_a_sure_answer(words_desk: Desk) -> None:
    await words_desk.add(f"Here is what your sources say. {DEEP}", title="My note", kind="markdown", made_of="note")
    alone = await words_desk.answer("How deep is the lake?")
    assert alone.outcome["reply_kind"] == "weak" and [c.kind for c in alone.citations] == ["note"]
    assert {c.verdict for c in alone.citations} == {"partly"} and alone.outcome["checks"]["found"] == 0
    original = await words_desk.add(DEEP)
    got = await words_desk.answer("How deep is the lake?")
    assert [c.source_id for c in got.citations] == [original.id] and {c.verdict for c in got.citations} == {"found"}

"""What a profile's policy and a changing scope make of an answer: real database, Redis and worker; the fake provider over HTTP."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from sourcebook_core import settings as core_settings
from sourcebook_core.store import grants
from tests.fakes.provider import FakeProvider
from tests.fakes.script import Reply
from tests.rag_rig import Desk, chat_settings, desk, embedding_settings, vector_desk
from tests.rig import until

DEEP = "The lake was measured in spring. It is 40 metres deep at its southern end. Boats are not allowed there."
TOWN = "The town hall was built by an unknown architect in 1901. It has a green roof and two towers."


@pytest.fixture
async def office(environment: dict[str, str], fake: FakeProvider) -> AsyncIterator[Desk]:
    """With a writing model."""
    async with vector_desk(environment | chat_settings(fake) | embedding_settings(fake), fake) as made:
        yield made


@pytest.fixture
async def search_desk(environment: dict[str, str], fake: FakeProvider) -> AsyncIterator[Desk]:
    """Without one."""
    async with vector_desk(environment | embedding_settings(fake), fake) as made:
        yield made


async def be(office: Desk, profile: str) -> None:
    async with office.db.transaction() as conn:
        await conn.execute("update notebooks set profile = $2 where id = $1", office.notebook.id, profile)


async def mark(office: Desk, source_id: Any, meta: dict[str, Any]) -> None:
    async with office.db.transaction() as conn:
        await conn.execute("update sources set meta = $2 where id = $1", source_id, meta)


async def test_taking_a_grant_back_while_a_question_is_asked_hides_its_chunks_at_once(office: Desk, fake: FakeProvider) -> None:
    lake = await office.add(DEEP)
    await office.add(TOWN, title="Town guide")
    fake.script.add(Reply(kind="embeddings", hold="asked"), Reply(text="I do not know."))
    turn_id = await office.ask("How deep is the lake?")

    async def is_asked() -> bool:
        return len(fake.script.requests("embeddings")) == 1

    await until(is_asked)
    async with office.db.transaction() as conn:
        assert await grants.take(conn, office.notebook.id, lake.id)
    fake.script.release("asked")
    got = await office.ended(turn_id)
    assert got.turn.status == "done" and got.citations == []
    assert "40 metres" not in fake.script.requests("chat")[0].said
    why = await office.why(turn_id)
    assert {one["source_title"] for one in why["candidates"]} <= {"Town guide"} and why["scope"]["sources"] == 1
    assert next(one for one in why["words"] if one["word"] == "lake")["chunks"] == 0


async def test_a_search_asks_for_the_latest_message_as_it_stands_and_nothing_else(office: Desk, fake: FakeProvider) -> None:
    # S0-30 to S0-32, S1-43, S1-50, S1-51: no earlier turn, no rewriting, no made-up answer, no second ranking model.
    await office.add(DEEP)
    fake.script.add(Reply(text="40 metres [1]."), Reply(text="Nothing."))
    first = await office.answer("How deep is the lake?")
    second = await office.answer("And why is that so?", conversation_id=first.turn.conversation_id)
    assert [asked.texts for asked in fake.script.requests("embeddings")] == [["How deep is the lake?"], ["And why is that so?"]]
    assert {asked.kind for asked in fake.script.requests()} == {"models", "embeddings", "chat"}
    assert len(fake.script.requests("chat")) == 2
    async with office.db.transaction() as conn:
        steps = await conn.fetch("select step, state from calls where turn_id = $1 order by step", second.turn.id)
    assert [tuple(row) for row in steps] == [("answer", "done"), ("question", "done")]


async def test_why_tells_words_scope_knobs_and_what_did_not_fit(environment: dict[str, str], fake: FakeProvider) -> None:
    settings = core_settings.load(environment | chat_settings(fake, CONTEXT_TOKENS="5000", MAX_TOKENS="300") | embedding_settings(fake))
    async with desk(settings) as made:
        await made.use_vectors(fake)
        for number in range(6):
            await made.add(f"The lake number {number} is deep. " + "It has many small boats and a long shore. " * 90)
        fake.script.add(Reply(text="Deep [1]."))
        got = await made.answer("How deep is the lake?")
        why = await made.why(got.turn.id)
    assert {one["word"]: one["chunks"] for one in why["words"]} == {"how": None, "deep": 6, "is": None, "the": None, "lake": 6}
    assert why["scope"] == {"sources": 6, "chunks": 6, "chosen": False} and (why["mode"], why["k"], why["floor"]) == ("hybrid", 8, 0.3)
    assert why["recipe"] and why["model"] == "fake-embed" and why["language"] == "en" and why["near_misses"] == [] and why["pools"] == []
    reasons = [one["reason"] for one in why["candidates"]]
    assert set(reasons) == {"kept", "cut_by_prompt"} and [one["kept"] for one in why["candidates"]] == [one == "kept" for one in reasons]
    first = why["candidates"][0]
    assert first["idf_share"] == 1.0 and first["words_score"] > 0 and first["fused_score"] > 0 and first["needed"] == 0.5


async def test_where_nothing_is_near_enough_why_names_the_closest(search_desk: Desk, fake: FakeProvider) -> None:
    # S2-23, S2-43: below the floor the reply is honest and shows no passage as an answer.
    question = "xyzzy plugh frobnicate"
    fake.script.pins.pin(question, DEEP, 0.25)
    fake.script.pins.pin(question, TOWN, 0.1)
    far, near = await search_desk.add(TOWN, title="Town guide"), await search_desk.add(DEEP)
    got = await search_desk.answer(question)
    assert got.outcome["reply_kind"] == "none" and got.citations == []
    why = await search_desk.why(got.turn.id)
    assert why["near_misses"] == [str(near.chunk_ids[0]), str(far.chunk_ids[0])]
    assert [one["reason"] for one in why["candidates"]] == ["under_floor", "under_floor"]
    assert [one["quote"] for one in got.outcome["closest"]] == [DEEP, TOWN]


async def test_the_answer_shows_the_closest_passages_in_the_order_of_why_and_a_code_as_it_was_typed(
    search_desk: Desk, fake: FakeProvider
) -> None:
    question = "Town zqx-99 plugh frobnicate xyzzy?"
    fake.script.pins.pin(question, DEEP, 0.25)
    fake.script.pins.pin(question, TOWN, 0.1)
    await search_desk.add(TOWN, title="Town guide")
    await search_desk.add(DEEP)
    got = await search_desk.answer(question)
    why = await search_desk.why(got.turn.id)
    assert got.outcome["reply_kind"] == "none" and why["candidates"][0]["text"] == TOWN, "by words the town stands first"
    assert [one["quote"] for one in got.outcome["closest"]] == [DEEP, TOWN]
    assert {"word": "zqx-99", "chunks": 0} in why["words"]


async def test_help_ranks_sections_in_the_askers_language_and_english_and_prefers_the_askers_module(
    search_desk: Desk, fake: FakeProvider
) -> None:
    await be(search_desk, "help")
    cards = ("Departments group tickets.", "To add a department, open the settings of tickets and press add.", "Colours of departments.")
    tickets = await search_desk.add(*cards, title="Tickets", language="en")
    async with search_desk.db.transaction() as conn:
        await conn.execute("update corpus.passages set heading = 'Tickets > Departments' where reading_id = $1", tickets.reading_id)
    await search_desk.add("Pour ajouter un department, ouvrez les settings.", title="Billets", language="fr")
    other = await search_desk.add("To add a department, open the settings of people and press add.", title="People", language="en")
    await mark(search_desk, other.id, {"module": "people"})
    got = await search_desk.answer("How do I add a department to the settings?", context={"module": "People"})
    why = await search_desk.why(got.turn.id)
    assert {one["source_title"] for one in why["candidates"]} == {"Tickets", "People"}  # S2-19: French was never scored
    assert [one["reason"] for one in why["candidates"] if one["source_title"] == "Tickets"].count("kept") == 1  # S2-09
    assert next(one for one in why["candidates"] if one["kept"] and one["source_title"] == "Tickets")["text"] == cards[1]
    first_by_words = next(one for one in why["candidates"] if one["words_rank"] == 1)
    assert first_by_words["source_title"] == "People" and why["k"] == 5  # S2-14, S2-30


async def test_a_question_in_a_language_with_no_shared_word_is_found_by_meaning(search_desk: Desk, fake: FakeProvider) -> None:
    # S2-24: Hungarian.
    await be(search_desk, "help")
    question = "Hogyan tudok új osztályt létrehozni a jegyekhez?"
    section = "To add a department, open the settings and press add."
    fake.script.pins.pin(question, section, 0.62)
    added = await search_desk.add(section, TOWN, DEEP)
    got = await search_desk.answer(question)
    why = await search_desk.why(got.turn.id)
    assert [one["chunk_id"] for one in why["candidates"] if one["kept"]] == [str(added.chunk_ids[0])]
    assert why["candidates"][0]["words_rank"] is None and why["candidates"][0]["meaning_rank"] == 1


@pytest.mark.parametrize(("status", "code"), [(401, "model_unauthorized"), (500, "model_unavailable")])
async def test_a_key_that_is_refused_or_a_model_that_fails_leaves_the_words_and_stands_in_the_ledger(
    search_desk: Desk, fake: FakeProvider, status: int, code: str
) -> None:
    # S2-38, S2-39, S2-02.
    await search_desk.add(DEEP)
    fake.script.add(Reply(kind="embeddings", status=status, times=0))
    got = await search_desk.answer("How deep is the lake?")
    assert got.turn.status == "done" and "40 metres" in got.turn.answer and "words_only" in got.outcome["degraded"]
    assert (await search_desk.why(got.turn.id))["mode"] == "lexical"
    async with search_desk.db.transaction() as conn:
        calls = await conn.fetch("select state, error_code from calls where turn_id = $1 and step = 'question'", got.turn.id)
    assert [tuple(call) for call in calls] == [("failed", code)]


async def test_a_product_is_searched_by_words_in_pools_and_no_embedding_is_asked_or_missed(office: Desk, fake: FakeProvider) -> None:
    await be(office, "product")
    manual = await office.add(*[f"Rinse the chip with buffer number {n} before the run." for n in range(6)], title="Manual")
    science = await office.add(*[f"A chip drifts when the buffer {n} warms; rinse is no cure." for n in range(4)], title="Review")
    analogy = await office.add("Rinse rinse chip buffer run before: as in a kitchen.", title="Analogy")
    await mark(office, manual.id, {"evidence": "product", "technology": "SPR"})
    await mark(office, science.id, {"evidence": "reference", "technology": ["SPR", "BLI"], "transfer": "shared"})
    await mark(office, analogy.id, {"evidence": "reference", "technology": "SPR", "transfer": "analogy"})
    fake.script.add(Reply(text="With buffer [1]."))
    got = await office.answer("How do I rinse the chip before a run?", context={"technology": "spr"})
    why = await office.why(got.turn.id)
    told = [(one["name"], one["kept"], one["coverage"], one["is_evidence"]) for one in why["pools"]]
    assert told == [("actionable", 4, "high", True), ("background", 2, "medium", False)]
    assert "Analogy" not in {one["source_title"] for one in why["candidates"]}
    assert fake.script.requests("embeddings") == [] and got.outcome["degraded"] == [] and got.outcome["coverage"] == "high"
    assert why["mode"] == "lexical" and "pool_full" in {one["reason"] for one in why["candidates"]}


@pytest.fixture
async def floors_desk(environment: dict[str, str], fake: FakeProvider) -> AsyncIterator[Desk]:
    """With a writing model, and no floor from the environment: that of profile and space holds."""
    settings = environment | chat_settings(fake) | embedding_settings(fake)
    async with vector_desk({name: value for name, value in settings.items() if name != "SOURCEBOOK_FLOOR"}, fake) as made:
        yield made


async def test_a_persona_is_handed_nothing_that_only_words_found(floors_desk: Desk, fake: FakeProvider) -> None:
    # S3-06 through the whole way, with the floor of its profile in this space.
    office = floors_desk
    await be(office, "persona")
    async with office.db.transaction() as conn:
        await conn.execute(
            "insert into floors (profile, space_id, floor, origin) values ('persona', $1, 0.6, 'evaluated')", office.notebook.space_id
        )
    await office.add(DEEP, title="Canary title")
    for cosine, count in ((0.55, 0), (0.65, 1)):
        fake.script.pins.pin("How deep is the lake at its southern end?", DEEP, cosine)
        async with office.db.transaction() as conn:
            await conn.execute("delete from sources")
        await office.add(DEEP, title="Canary title")
        fake.script.add(Reply(text="Who knows."))
        got = await office.answer("How deep is the lake at its southern end?")
        why = await office.why(got.turn.id)
        assert (sum(one["kept"] for one in why["candidates"]), why["floor"]) == (count, 0.6)
        assert ("40 metres" in fake.script.requests("chat")[-1].said) is bool(count)
    assert all("Canary" not in asked.said for asked in fake.script.requests("chat"))


async def test_texts_in_two_languages_rank_alike_and_what_is_the_question_word_for_word_is_as_near_as_can_be(
    search_desk: Desk, fake: FakeProvider
) -> None:
    # S0-24: fusion and words are our own, no text search configuration of the database is asked. S1-40: similarity 1.0.
    texts = {
        "en": ("The lake is forty metres deep.", "The lakes of the region freeze.", "The town hall has a roof."),
        "cs": ("Jezero je \u010dty\u0159icet metr\u016f hlubok\u00e9.", "Jezera kraje zamrzaj\u00ed.", "Radnice m\u00e1 st\u0159echu."),
    }
    questions = {"en": "How deep is the lake?", "cs": "Jak hlubok\u00e9 je to jezero?"}
    places = {}
    for spoken, said in texts.items():
        source = await search_desk.add(*said, language=spoken)
        got = await search_desk.answer(questions[spoken], source_ids=[str(source.id)])
        ranks = {one["chunk_id"]: one["words_rank"] for one in (await search_desk.why(got.turn.id))["candidates"]}
        places[spoken] = [ranks.get(str(chunk)) for chunk in source.chunk_ids]
    assert places["en"] == places["cs"] == [1, 2, None]
    got = await search_desk.answer(texts["en"][0])
    first = (await search_desk.why(got.turn.id))["candidates"][0]
    assert (first["text"], first["similarity"]) == (texts["en"][0], 1.0)

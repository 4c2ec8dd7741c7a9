"""How docs, help and persona answer: the fake provider over real HTTP, a real database, Redis and worker runtime."""

from collections.abc import AsyncIterator
from uuid import uuid4

import asyncpg
import pytest
from structlog.testing import capture_logs

from sourcebook_core import events
from sourcebook_rag import lines
from tests.fakes.provider import FakeProvider
from tests.fakes.script import Reply
from tests.profile_rig import add, asked_of, profile_desk, use
from tests.rag_rig import Desk

DEEP = "The lake was measured in spring. It is 40 metres deep at its southern end. Boats are not allowed there."
TOWN = "The town hall was built by an unknown architect in 1901. It has a green roof and two towers."
CZECH = "Jak hluboké je jezero na jižním konci?"
ENGLISH = "How deep is the lake at its southern end?"


@pytest.fixture
async def docs(environment: dict[str, str], fake: FakeProvider) -> AsyncIterator[Desk]:
    async with profile_desk(environment, fake, "docs", more=fake.settings("TRANSLATE", API_KEY="k")) as made:
        yield made


@pytest.fixture
async def help_desk(environment: dict[str, str], fake: FakeProvider) -> AsyncIterator[Desk]:
    async with profile_desk(environment, fake, "help", chat=False, vectors=False) as made:
        yield made


@pytest.fixture
async def persona(environment: dict[str, str], fake: FakeProvider) -> AsyncIterator[Desk]:
    async with profile_desk(environment, fake, "persona") as made:
        yield made


# docs


async def test_a_czech_question_is_translated_for_the_search_and_answered_in_czech(docs: Desk, fake: FakeProvider) -> None:
    # S0-04, S0-25, S0-26, S0-05, S0-49, S0-54.
    for place in range(5):
        await docs.add(f"{DEEP} Report {place} tells of the lake.", title=f"Report {place}")
    fake.script.add(Reply(match="fake-translate", text=ENGLISH), Reply(match="fake-chat", text="Jezero je hluboké 40 metrů [1]."))
    got = await docs.answer(CZECH)
    (translation,) = [one for one in fake.script.requests("chat") if one.model == "fake-translate"]
    assert translation.body["temperature"] == 0 and translation.messages[-1]["content"] == CZECH
    assert fake.script.requests("embeddings")[0].texts == [ENGLISH]
    request = asked_of(fake)
    assert (request.body["temperature"], request.body["max_tokens"]) == (0, 800)
    asked, rules = request.messages[-1]["content"], request.messages[0]["content"]
    assert asked.endswith(f"Question: {CZECH}") and "[3]" in asked and "[4]" not in asked and "Documents in" not in asked
    assert rules.splitlines()[-1] == "- Answer in Czech."
    assert got.outcome["route"]["language"] == "cs" and got.turn.question == CZECH
    async with docs.db.transaction() as conn:
        assert await conn.fetchval("select count(*) from calls where step = 'translate' and state = 'done'") == 1


async def test_an_english_question_is_searched_as_written(docs: Desk, fake: FakeProvider) -> None:
    # S0-27, S0-06, S0-54: no line names a language where it is not sure.
    await docs.add(DEEP)
    fake.script.add(Reply(text="40 metres [1].", times=2))
    await docs.answer(ENGLISH)
    await docs.answer("lake depth")
    assert [one.model for one in fake.script.requests("chat")] == ["fake-chat", "fake-chat"]
    assert fake.script.requests("embeddings")[0].texts == [ENGLISH]
    assert "Answer in English" in asked_of(fake, 0).messages[0]["content"]
    assert "Answer in the language of the question." in asked_of(fake).messages[0]["content"].splitlines()[-1]


async def test_an_empty_translation_leaves_the_question_as_it_was_asked(docs: Desk, fake: FakeProvider) -> None:
    # N-20.
    await docs.add(DEEP)
    fake.script.add(Reply(match="fake-translate", text="", times=0), Reply(match="fake-chat", text="40 [1]."))
    got = await docs.answer(CZECH)
    assert got.turn.status == "done" and fake.script.requests("embeddings")[0].texts == [CZECH]


async def test_facts_that_are_easily_misread_stand_in_the_instructions(docs: Desk, fake: FakeProvider) -> None:
    # S0-51, S0-52.
    await docs.add(DEEP)
    await use(
        docs, "docs", prompt={"pinned": ["A small error is no agreement.", "Depth is not length."], "audience": "You serve limnologists."}
    )
    fake.script.add(Reply(text="40 [1]."))
    await docs.answer(ENGLISH)
    rules = asked_of(fake).messages[0]["content"]
    assert "A small error is no agreement." in rules and "Depth is not length." in rules and rules.startswith("You serve limnologists.\n\n")
    assert "Never compute" in rules and "say that you do not know" in rules and "what was entered" in rules  # S0-40


async def test_a_server_whose_clients_hold_the_conversation_tells_the_model_nothing_of_its_own(docs: Desk, fake: FakeProvider) -> None:
    # S0-42, S0-41, N-06, S0-32.
    await docs.add(DEEP)
    fake.script.add(Reply(text="It is 40 metres deep [1].", times=3))
    first = await docs.answer(ENGLISH)
    await docs.answer("And where?", conversation_id=first.turn.conversation_id)
    assert [one["role"] for one in asked_of(fake).messages] == ["system", "user"]
    long = [{"role": "user" if n % 2 == 0 else "assistant", "content": f"{n} [2] " + "x" * 390} for n in range(30)]
    await docs.answer("And where?", history=long)
    told = asked_of(fake).messages[1:-1]
    assert 0 < len(told) <= 20 and sum(len(one["content"]) for one in told) <= 6000 and told[0]["role"] == "user"
    assert all("[2]" not in one["content"] for one in told if one["role"] == "assistant")
    assert fake.script.requests("embeddings")[-1].texts == ["And where?"]


async def test_a_mark_beyond_the_passages_is_flagged_and_stays(docs: Desk, fake: FakeProvider) -> None:
    # S0-57, S0-60, S0-70, C5, C27: numbers are those of the passages.
    await add(docs, TOWN, title="Town guide", heading="Town > Hall")
    await add(docs, DEEP, title="Lake report", heading="Lakes > Depth")
    fake.script.pins.pin(ENGLISH, DEEP, 0.8)
    fake.script.pins.pin(ENGLISH, TOWN, 0.7)
    fake.script.add(Reply(text="It has two towers [2]. It is 40 metres deep [1][4]."))
    got = await docs.answer(ENGLISH)
    assert got.turn.answer == "It has two towers [2]. It is 40 metres deep [1][4]." == got.joined
    assert got.outcome["checks"]["citations_valid"] is False and len(fake.script.requests("chat")) == 1
    (done,) = got.of(events.Done)
    assert [(one.n, one.title, one.heading) for one in done.sources] == [
        (1, "Lake report", "Lakes > Depth"),
        (2, "Town guide", "Town > Hall"),
    ]
    assert all(one.excerpt for one in done.sources) and (done.drew_on, done.asked_of) == (2, 2)


async def test_a_local_copy_is_told_as_that_and_never_has_an_address(docs: Desk, fake: FakeProvider) -> None:
    # S0-09, S0-11.
    source = await add(docs, DEEP, title="Lake report", heading="Lakes > Depth")
    async with docs.db.transaction() as conn:
        meta = {"layer": "local", "url": "https://paid.example/lakes"}
        await conn.execute("update sources set meta = $2 where id = $1", source.id, meta)
    fake.script.add(Reply(text="It is 40 metres deep [1]."))
    got = await docs.answer(ENGLISH)
    (done,) = got.of(events.Done)
    assert done.citations[0].layer == done.sources[0].layer == "local"
    assert "paid.example" not in done.model_dump_json() and "paid.example" not in asked_of(fake).said


@pytest.mark.parametrize(("profile", "status"), [("docs", "failed"), ("notebook", "done"), ("help", "done")])
async def test_a_model_for_search_that_is_away_is_an_error_or_leaves_the_words(
    environment: dict[str, str], fake: FakeProvider, profile: str, status: str
) -> None:
    # C15, S2-38, S2-39.
    async with profile_desk(environment, fake, profile) as office:
        await office.add(DEEP)
        fake.script.add(Reply(kind="embeddings", status=401, times=0), Reply(text="40 metres [1]."))
        got = await office.answer(ENGLISH)
    assert got.turn.status == status
    if status == "failed":
        assert got.turn.error is not None and got.turn.error["code"] == "model_unauthorized" and got.of(events.Open) == []
    else:
        assert got.outcome["degraded"] == ["words_only"]


async def test_a_shorter_answer_is_asked_for_in_the_instructions(docs: Desk, fake: FakeProvider) -> None:
    await docs.add(DEEP)
    fake.script.add(Reply(text="40 [1].", times=2))
    await docs.answer(ENGLISH, style="shorter")
    await docs.answer(ENGLISH, style="longer")
    assert "at most two sentences" in asked_of(fake, 0).messages[0]["content"] and "in detail" in asked_of(fake).messages[0]["content"]


# help


async def test_without_a_model_a_help_desk_shows_cards_under_a_line_no_surer_than_the_search(help_desk: Desk) -> None:
    # S2-31, S2-54, S2-37.
    meta = {"url": "https://help.example.org/lakes", "anchors": {"Depth": "depth of lakes"}}
    await add(help_desk, DEEP, meta=meta, heading="Lakes > Depth", title="Lakes")
    await add(help_desk, TOWN, title="Town", meta={"url": "javascript:alert(1)"})
    got = await help_desk.answer("How deep is the lake at its southern end, where boats are not allowed?")
    kind, (card, *_) = got.outcome["reply_kind"], got.outcome["cards"]
    assert card["rank"] == 1 and card["title"] == "Lakes" and card["heading"] == "Lakes > Depth" and card["preview"] == DEEP
    assert card["address"] == "https://help.example.org/lakes#depth%20of%20lakes" and card["is_winner"] is (kind == "clear")
    assert (card["passage"], card["start"], card["end"]) == (0, 0, len(DEEP))
    assert got.joined == got.turn.answer and "[" not in got.turn.answer and got.citations == []
    assert got.outcome["degraded"] == ["words_only", "no_chat_model"] and got.outcome["route"]["by"] == "cards"
    none = await help_desk.answer("Wie heißt der Bürgermeister von Augsburg?")
    assert none.outcome["reply_kind"] == "none" and none.outcome["cards"] == []
    assert none.turn.answer in lines.load("de")["cards_none"]
    town = await help_desk.answer("Who built the town hall with the green roof and two towers?")
    assert [one["address"] for one in town.outcome["cards"]] == [None]


async def test_a_help_desk_whose_model_finds_no_answer_says_so_and_shows_the_closest(
    environment: dict[str, str], fake: FakeProvider
) -> None:
    # S2-49: four sections, the model's own words are never seen, the miss is kept.
    async with profile_desk(environment, fake, "help") as office:
        texts = [f"{DEEP} Section {place} is on boats and lakes." for place in range(6)]
        for place, text in enumerate(texts):
            await add(office, text, title=f"Section {place}", heading=f"Part {place}")
        fake.script.add(Reply(text="NOT_COVERED\nI secretly know that it is 99 metres."))
        got = await office.answer(ENGLISH)
        async with office.db.transaction() as conn:
            missed = await conn.fetchval("select count(*) from misses where turn_id = $1", got.turn.id)
    asked = asked_of(fake).messages[-1]["content"]
    assert "[4]" in asked and "[5]" not in asked
    assert "secretly" not in str(got.events) and "secretly" not in got.turn.answer and got.joined == got.turn.answer
    assert (
        got.outcome["reply_kind"] == "none" and len(got.outcome["cards"]) == 5 and not any(one["is_winner"] for one in got.outcome["cards"])
    )
    assert missed == 1 and got.outcome["usage"]["llm_calls"] == 1 and got.outcome["checks"]["total"] == 0  # a fixed line states nothing


async def test_a_help_desk_whose_model_fails_falls_back_to_cards(environment: dict[str, str], fake: FakeProvider) -> None:
    # S2-50: ask, else search by meaning, else by words.
    async with profile_desk(environment, fake, "help") as office:
        await add(office, DEEP, title="Lakes")
        fake.script.add(Reply(status=401, times=1), Reply(text="Deep [1].", broken="cut", after=0))
        refused = await office.answer(ENGLISH)
        assert refused.turn.status == "done" and [one["title"] for one in refused.outcome["cards"]] == ["Lakes"]
        assert refused.outcome["degraded"] == ["no_chat_model"] and refused.turn.in_history
        async with office.db.transaction() as conn:
            assert await conn.fetchval("select count(*) from calls where turn_id = $1 and step = 'answer'", refused.turn.id) == 1
        fake.script.add(Reply(kind="embeddings", status=401, times=0), Reply(status=401, times=0))
        words = await office.answer(ENGLISH)
    assert words.outcome["degraded"] == ["words_only", "no_chat_model"] and [one["title"] for one in words.outcome["cards"]] == ["Lakes"]


# persona


async def test_small_talk_with_a_persona_tells_the_model_nothing_of_documents(persona: Desk, fake: FakeProvider) -> None:
    # S3-17, S3-21, S3-25, S3-07.
    await persona.add(DEEP, title="CANARY-TITLE")
    for question in ("❤️", "Good morning, how are you today?"):
        fake.script.pins.pin(question, DEEP, 0.2)
        fake.script.add(Reply(text="Fine, thank you!"))
        got = await persona.answer(question)
        request = asked_of(fake)
        assert request.messages[-1]["content"] == f"Question: {question}" and "<<" not in request.messages[-1]["content"]
        assert got.turn.answer == "Fine, thank you!" and got.outcome["sources"] == [] and got.outcome["degraded"] == []
        assert got.outcome["reply_kind"] is None and "CANARY" not in str(fake.script.requests("chat"))
    async with persona.db.transaction() as conn:
        assert await conn.fetchval("select count(*) from misses") == 0


async def test_a_persona_that_was_given_nothing_answers_all_the_same(persona: Desk, fake: FakeProvider) -> None:
    # S3-14, S3-25: no fixed text.
    fake.script.add(Reply(text="Hello there!"))
    got = await persona.answer("Hello, who are you?")
    assert got.turn.answer == "Hello there!" and len(fake.script.requests("chat")) == 1


async def test_a_persona_whose_search_is_refused_answers_without_documents_and_only_the_log_knows(
    persona: Desk, fake: FakeProvider
) -> None:
    # S3-19, C15, decisions "Over the ledger": the right of the search's role is taken away.
    await persona.add(DEEP)
    async with persona.db.transaction() as conn:
        await conn.execute("revoke select on all tables in schema corpus from sourcebook_search")
    fake.script.add(Reply(text="I would have to guess."))
    with capture_logs() as logs:
        got = await persona.answer(ENGLISH)
    assert got.turn.status == "done" and got.turn.answer == "I would have to guess." and got.outcome["degraded"] == []
    assert "40 metres" not in asked_of(fake).said
    assert [one["log_level"] for one in logs if one["event"] == "search.failed"] == ["error"]
    await use(persona, "notebook")
    refused = await persona.answer(ENGLISH)
    assert refused.turn.status == "failed" and refused.turn.error is not None and refused.turn.error["code"] == "search_away"


async def test_a_persona_whose_search_takes_too_long_answers_without_documents(
    environment: dict[str, str], fake: FakeProvider, database: str
) -> None:
    other = await asyncpg.connect(database)
    try:
        name = await other.fetchval("select current_database()")
        await other.execute(f"alter database {name} set lock_timeout = '300ms'")
        async with profile_desk(environment, fake, "persona") as office:
            await office.add(DEEP)
            locked = other.transaction()
            await locked.start()
            await other.execute("lock table corpus.chunk_vec in access exclusive mode")
            fake.script.add(Reply(text="I would have to guess."))
            got = await office.answer(ENGLISH)
            await locked.rollback()
        assert got.turn.status == "done" and got.turn.answer == "I would have to guess." and got.outcome["degraded"] == []
    finally:
        await other.close()


async def test_the_same_turn_gets_the_same_line(help_desk: Desk) -> None:
    # S2-37: variants by turn, not by chance.
    told = {(await help_desk.answer(f"What is a {uuid4().hex}?")).turn.answer for _ in range(2)}
    assert all(told)


@pytest.mark.parametrize("hides", [True, False])
async def test_quotes_without_a_model_show_neither_marks_nor_titles_where_sources_are_hidden(
    environment: dict[str, str], fake: FakeProvider, hides: bool
) -> None:
    # S0-73, C4: a documentation without a writing model.
    async with profile_desk(
        environment, fake, "docs", chat=False, citations={"sources": "hidden"} if hides else {"sources": "citations"}
    ) as office:
        await office.add(f"# CANARY heading\n\n{DEEP}", title="CANARY-TITLE")
        got = await office.answer(ENGLISH)
    assert "It is 40 metres deep at its southern end." in got.turn.answer == got.joined
    assert ("[1]" in got.turn.answer) is not hides and ("CANARY" in str(got.events)) is not hides
    assert bool(got.of(events.CitationSeen)) is not hides

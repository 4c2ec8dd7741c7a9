"""What a reader may see of an answer's sources: none, or one line that names them; and a second look by an entailment model."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from sourcebook_core import events
from sourcebook_core import settings as core_settings
from sourcebook_core.store import trash, turns
from tests.fakes.provider import FakeProvider
from tests.fakes.script import Reply
from tests.rag_rig import Answered, Desk, chat_settings, desk, embedding_settings, vector_desk

DEEP = "The lake was measured in spring. It is 40 metres deep at its southern end. Boats are not allowed there."
GARDEN = "The pear trees stand behind the chapel. Grandmother planted forty of them in the spring of 1961."
CANARY = "Zebrafish ledger"


@pytest.fixture
async def office(environment: dict[str, str], fake: FakeProvider) -> AsyncIterator[Desk]:
    async with vector_desk(environment | chat_settings(fake) | embedding_settings(fake), fake) as made:
        yield made


async def answers_as(made: Desk, profile: str, **citations: Any) -> None:
    """Give the notebook a profile, with fields of its section `citations` set otherwise."""
    settings = {"profile": {"version": 1, "citations": citations}} if citations else {}
    async with made.db.transaction() as conn:
        await conn.execute("update notebooks set profile = $2, settings = $3 where id = $1", made.notebook.id, profile, settings)


def told(got: Answered) -> str:
    """Everything that a reader was sent, and what the row keeps to send again."""
    sent = [events.payload(event) for event in got.events]
    return json.dumps([sent, got.turn.answer, dict(got.outcome), [one.model_dump(mode="json") for one in got.citations]], default=str)


async def rows_of(made: Desk, got: Answered) -> list[Any]:
    async with made.db.transaction() as conn:
        return list(await conn.fetch("select source_id, hidden from citations where turn_id = $1 order by n", got.turn.id))


async def test_hidden_sources_leave_the_server_in_no_form_and_stay_known_to_it(office: Desk, fake: FakeProvider) -> None:
    await answers_as(office, "notebook", sources="hidden")
    source = await office.add(DEEP, title=CANARY)
    pieces = ("The lake is 40 metres ", "deep at its southern end", " [", "1", "]", ". It has 9 fish 【", "7】.")
    fake.script.add(Reply(pieces=pieces, text="".join(pieces)))
    got = await office.answer("How deep is the lake at its southern end?")
    assert got.turn.answer == got.joined == "The lake is 40 metres deep at its southern end. It has 9 fish."
    assert got.of(events.CitationSeen) == [] and got.citations == []
    assert got.outcome["sources"] == [] and got.outcome["closest"] == []
    checks = got.outcome["checks"]
    assert checks["citations_valid"] and checks["statements"] == [] and checks["ungrounded_numbers"] == ["9"]
    everything = told(got)
    assert CANARY not in everything and "Boats are not" not in everything and "[" not in got.turn.answer
    assert [(row["source_id"], row["hidden"]) for row in await rows_of(office, got)] == [(source.id, True)]


async def test_hiding_sources_changes_nothing_that_a_model_is_asked(office: Desk, fake: FakeProvider) -> None:
    await office.add(DEEP, title=CANARY)
    fake.script.add(Reply(text="The lake is 40 metres deep [1].", times=2))
    await office.answer("How deep is the lake?")
    await answers_as(office, "notebook", sources="hidden")
    await office.answer("How deep is the lake?")
    first, second = ([message["content"] for message in asked.messages] for asked in fake.script.requests("chat"))
    assert first[0] == second[0] and len(first) == len(second) and CANARY in second[-1]


async def test_a_hidden_answer_that_finds_nothing_shows_no_closest_passage(office: Desk, fake: FakeProvider) -> None:
    await answers_as(office, "notebook", sources="hidden")
    await office.add(DEEP, title=CANARY)
    fake.script.add(Reply(text="NOT_COVERED\nThat is not told."))
    got = await office.answer("How deep is the lake at its southern end?")
    assert got.outcome["reply_kind"] == "none" and CANARY not in told(got) and "southern end." not in told(got)


async def test_the_program_writes_the_line_and_no_title_ever_reaches_a_model(office: Desk, fake: FakeProvider) -> None:
    await answers_as(office, "persona")
    await office.add(GARDEN, title=CANARY)
    text = "The pear trees stand behind the chapel.\n\n📄 From what you gave me: my own words\nUSED: 1"
    fake.script.add(Reply(text=text))
    first = await office.answer("Where do the pear trees stand?")
    line = f"\n\n📄 From what you gave me: {CANARY}"
    assert first.turn.answer == first.joined == f"The pear trees stand behind the chapel.{line}"
    assert [one["title"] for one in first.outcome["sources"]] == [CANARY] and first.citations == []
    fake.script.add(Reply(text="Forty of them.\nUSED: none"))
    second = await office.answer("How many pear trees are there?", conversation_id=first.turn.conversation_id)
    assert second.turn.answer == "Forty of them." and second.outcome["sources"] == []
    asked = json.dumps([request.body for request in fake.script.requests("chat")], ensure_ascii=False)
    assert CANARY not in asked and "From what you gave me" not in asked and "Forty" not in asked.split("USED")[0]
    assert "The pear trees stand behind the chapel." in asked


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("Mercury melts at minus 39 degrees.\nUSED: 1", "Mercury melts at minus 39 degrees."),
        ("NOT_COVERED\nWhat I was given does not say where the pear trees stand.\nUSED: 1", None),
        ("Die Birnbäume stehen hinter der Kapelle, gepflanzt 1961.\nUSED: 1, 7", None),
    ],
)
async def test_no_line_stands_under_what_no_passage_carries(office: Desk, fake: FakeProvider, reply: str, answer: str | None) -> None:
    await answers_as(office, "persona")
    await office.add(GARDEN, title=CANARY)
    fake.script.add(Reply(text=reply))
    got = await office.answer("Where do the pear trees behind the chapel stand?")
    assert CANARY not in got.turn.answer and "USED" not in got.turn.answer and got.outcome["sources"] == []
    assert answer is None or got.turn.answer == answer


async def test_a_german_conversation_has_a_german_line(office: Desk, fake: FakeProvider) -> None:
    await answers_as(office, "persona")
    await office.add("Der Teig ruht über Nacht im Keller. Gebacken wird er bei 240 Grad im Steinofen.", title="Brotbuch")
    fake.script.add(Reply(text="Der Teig ruht über Nacht im Keller.\nUSED: 1"))
    got = await office.answer("Wo ruht der Teig über Nacht?")
    assert got.turn.answer == "Der Teig ruht über Nacht im Keller.\n\n📄 Aus dem, was ich bekommen habe: Brotbuch"


async def test_a_source_deleted_for_good_is_named_by_no_line_and_in_no_list_of_sources(office: Desk, fake: FakeProvider) -> None:
    await answers_as(office, "persona")
    source = await office.add(GARDEN, title=f"{CANARY}: part  2")
    fake.script.add(Reply(text="The pear trees stand behind the chapel.\nUSED: 1"))
    got = await office.answer("Where do the pear trees stand?")
    assert CANARY in got.turn.answer and CANARY in told(got)
    async with office.db.transaction() as conn:
        await trash.erase_source(conn, source.id)
        left = await turns.get(conn, got.turn.id)
    assert left.answer == "The pear trees stand behind the chapel." and CANARY not in json.dumps(left.outcome)
    assert [(one["n"], one["title"]) for one in (left.outcome or {})["sources"]] == [(1, "")]


async def test_an_entailment_model_takes_a_mark_away_and_is_in_the_ledger(environment: dict[str, str], fake: FakeProvider) -> None:
    more = chat_settings(fake) | fake.settings("ENTAILMENT", API_KEY="k")
    async with desk(core_settings.load(environment | more)) as made:
        await made.add(DEEP)
        fake.script.add(Reply(match="fake-chat", text="It is 40 metres deep at its southern end [1]. Boats are not allowed there [1]."))
        fake.script.add(Reply(match="Statement:\n", text="No.", prompt_tokens=50, completion_tokens=1))
        fake.script.add(Reply(match="Statement:\n", text="yes", prompt_tokens=60, completion_tokens=1))
        got = await made.answer("How deep is the lake at its southern end?")
        async with made.db.transaction() as conn:
            row = await conn.fetchrow("select state, units from calls where turn_id = $1 and role = 'entailment'", got.turn.id)
    (citation,) = got.citations
    verdicts = sorted((use.evidence.entailed, use.verdict) for use in citation.uses)
    assert verdicts == [(False, "partly"), (True, "found")]
    assert sorted(one["status"] for one in got.outcome["checks"]["statements"]) == ["found", "partly"]
    assert got.outcome["checks"]["found"] == 1
    assert row is not None and row["state"] == "done" and (row["units"]["tokens_in"], row["units"]["tokens_out"]) == (110, 2)


async def test_an_entailment_model_that_is_away_changes_nothing(environment: dict[str, str], fake: FakeProvider) -> None:
    more = chat_settings(fake) | fake.settings("ENTAILMENT", API_KEY="k")
    async with desk(core_settings.load(environment | more)) as made:
        await made.add(DEEP)
        fake.script.add(Reply(match="fake-chat", text="Boats are not allowed there [1]."))
        fake.script.add(Reply(match="Statement:\n", status=400, times=0))
        got = await made.answer("Are boats allowed at the lake?")
        async with made.db.transaction() as conn:
            state = await conn.fetchval("select state from calls where turn_id = $1 and role = 'entailment'", got.turn.id)
    assert got.citations[0].verdict == "found" and got.citations[0].uses[0].evidence.entailed is None
    assert state == "failed"


async def test_a_model_that_does_nothing_but_cite_is_left_early(office: Desk, fake: FakeProvider) -> None:
    await office.add(DEEP)
    fake.script.add(Reply(text="stone [1] " * 4000))
    got = await office.answer("How deep is the lake?")
    assert got.turn.status == "done" and got.turn.answer.count("[1]") == 1000
    statuses = {row["status"] for row in got.outcome["checks"]["statements"]}
    assert statuses <= {"partly", "not_found", "not_checked", "uncited"}

"""What a source is about: one paid call over the head of its text, or its own sentences; never in an answer's prompt."""

from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from sourcebook_core import jobs
from sourcebook_core import settings as core_settings
from sourcebook_core.jobs import ReadSource
from sourcebook_core.settings import Settings
from sourcebook_core.store import sources
from sourcebook_ingest.summary import HEAD_CHARS
from tests.fakes.provider import FakeProvider
from tests.fakes.script import SUMMARY, Reply, Request
from tests.ingest_rig import Library, library
from tests.rag_rig import chat_settings, desk, embedding_settings
from tests.rig import PATIENT, Processes, until

WRITTEN = "A report about the lakes of the north and how deep they are."
LAKES = (
    "Lake Baikal is the deepest lake of the world and lies in the south of Siberia. "
    "Its water is so clear that a white plate can be seen forty metres below. "
    "The lake holds a fifth of all the fresh water of the world that is not ice. "
    "In winter the lake freezes and lorries drive over the ice of the lake. "
    "A cook of the station once wrote that the soup was always too thin. "
)
LONG = "".join(f"Chapter {number}. {LAKES}\n\n" for number in range(80))


def prices(folder: Path) -> dict[str, str]:
    path = folder / "prices.toml"
    path.write_text(
        'currency = "EUR"\n[models."fake-chat"]\ntokens_in = "1000"\ntokens_out = "2000"\n[models."fake-embed"]\ntokens_in = "0"\n'
    )
    return {"SOURCEBOOK_PRICES": str(path)}


async def summarised(lib: Library, source_id: UUID, kind: str = "written") -> dict[str, Any]:
    """The source's row once no work is left, which must have a summary of this kind."""

    async def row() -> dict[str, Any] | None:
        left = await lib.all("select 1 from jobs where queue = 'ingest' and state in ('queued', 'running')")
        found = await lib.row(source_id)
        return found if found["summary_reading_id"] == found["reading_id"] and not left else None

    found = await until(row, 60, "the summary") or {}
    assert found["summary_kind"] == kind, (found["summary"], found["report"])
    return found


async def test_one_paid_call_over_the_head_of_the_text_writes_the_summary(
    environment: dict[str, str], fake: FakeProvider, tmp_path: Path
) -> None:
    fake.script.rules.answer = f"  {WRITTEN}\n"
    settings = core_settings.load(environment | chat_settings(fake) | embedding_settings(fake) | prices(tmp_path))
    async with library(settings) as lib:
        source_id = await lib.add("text", LONG.encode(), name="lakes.txt")
        row = await summarised(lib, source_id)
        assert row["summary"] == WRITTEN
        (asked,) = fake.script.requests("chat")
        assert HEAD_CHARS <= len(asked.said) < HEAD_CHARS + 2500 < len(LONG)
        assert "Chapter 0." in asked.said and "Chapter 79." not in asked.said
        assert "language of the text (its ISO 639-1 code is en)" in asked.said
        (call,) = await lib.all("select * from calls where step = 'summary'")
        assert (call["state"], call["source_id"], call["possibly_billed"]) == ("done", source_id, 0)
        assert call["cost"] == Decimal(row["report"]["cost"]) > 0
        assert row["report"]["currency"] == "EUR"


async def test_the_same_source_in_two_notebooks_is_summarised_once_and_a_new_reading_anew(
    environment: dict[str, str], fake: FakeProvider
) -> None:
    fake.script.rules.answer = WRITTEN
    async with library(core_settings.load(environment | chat_settings(fake))) as lib:
        source_id = await lib.add("text", LAKES.encode(), name="lakes.txt")
        first = await summarised(lib, source_id)
        fake.script.rules.answer = "Quite another summary."
        async with lib.deps.db.transaction() as conn:
            await sources.queue_again(conn, source_id)
            await jobs.insert(conn, ReadSource(source_id=source_id), owner_id=lib.owner_id, subject=source_id, once=source_id)

        async def is_new() -> bool:
            return bool((await lib.row(source_id))["reading_id"] != first["reading_id"])

        await until(is_new, 60)
        row = await summarised(lib, source_id)
        assert (row["summary"], len(fake.script.requests("chat"))) == ("Quite another summary.", 2)


async def test_without_a_chat_model_its_own_central_sentences_stand_there_word_for_word(
    environment: dict[str, str], fake: FakeProvider
) -> None:
    async with library(core_settings.load(environment | embedding_settings(fake))) as lib:
        source_id = await lib.add("text", LAKES.encode(), name="lakes.txt")
        row = await summarised(lib, source_id, "quoted")
        kept = [sentence for sentence in LAKES.split(". ") if sentence.strip(". ") and sentence.strip(". ") in row["summary"]]
        assert len(kept) >= 3 and "fifth of all the fresh water" in row["summary"]
        assert await lib.all("select 1 from calls where step = 'summary'") == []


async def test_without_any_model_its_first_sentences_stand_there_and_a_table_has_none(settings: Settings) -> None:
    async with library(settings) as lib:
        text = await lib.add("text", f"CONTENTS\n1 2 3\n\n{LAKES}".encode(), name="lakes.txt")
        table = await lib.add("text", b"depth 1 2 3 4\nwidth 5 6 7 8\n", name="numbers.txt")
        row = await summarised(lib, text, "quoted")
        assert row["summary"].startswith("Lake Baikal is the deepest lake")

        async def is_done() -> bool:
            return not await lib.all("select 1 from jobs where queue = 'ingest' and state in ('queued', 'running')")

        await until(is_done, 30)
        assert ((await lib.row(table))["summary"], (await lib.row(table))["status"]) == (None, "ready")


@pytest.mark.parametrize("why", ["local_only", "local"])
async def test_a_local_only_notebook_and_a_local_writing_model_get_quoted_sentences(
    environment: dict[str, str], fake: FakeProvider, why: str
) -> None:
    role = chat_settings(fake) if why == "local_only" else chat_settings(fake, PROVIDER="local")
    async with library(core_settings.load(environment | role)) as lib:
        if why == "local_only":
            async with lib.deps.db.transaction() as conn:
                await conn.execute("update notebooks set settings = '{\"local_only\": true}'")
        await summarised(lib, await lib.add("text", LAKES.encode(), name="lakes.txt"), "quoted")
        assert fake.script.requests("chat") == []


async def test_a_summary_that_cannot_be_written_fails_nothing_and_says_so(environment: dict[str, str], fake: FakeProvider) -> None:
    fake.script.add(Reply(match=SUMMARY, status=401, times=0))
    async with library(core_settings.load(environment | chat_settings(fake))) as lib:
        source_id = await lib.add("text", LAKES.encode(), name="lakes.txt")

        async def is_told() -> bool:
            report = (await lib.row(source_id))["report"] or {}
            return "summary_not_written" in [warning["code"] for warning in report.get("warnings", [])]

        await until(is_told, 60)
        row = await summarised(lib, source_id, "quoted")
        assert (row["status"], row["error_code"]) == ("ready", None)
        assert [one["code"] for one in row["report"]["warnings"]].count("summary_not_written") == 1


async def test_a_summary_with_characters_that_no_column_holds_is_kept_without_them(environment: dict[str, str], fake: FakeProvider) -> None:
    fake.script.rules.answer = "The lakes\x00 freeze in winter."
    async with library(core_settings.load(environment | chat_settings(fake))) as lib:
        row = await summarised(lib, await lib.add("text", LAKES.encode(), name="lakes.txt"))
        assert row["status"] == "ready" and row["summary_kind"] == "written"
        assert "\0" not in row["summary"] and row["summary"].startswith("The lakes")
        assert len(fake.script.requests("chat")) == 1  # it was not refused by the database and asked for, and paid, again


async def test_a_summary_delays_no_reading_and_no_indexing(environment: dict[str, str], fake: FakeProvider) -> None:
    fake.script.add(Reply(match=SUMMARY, text=WRITTEN, hold="the model", times=0))
    one_slot = environment | {"SOURCEBOOK_SLOTS_INGEST": "1"} | chat_settings(fake) | embedding_settings(fake)
    async with library(core_settings.load(one_slot)) as lib:
        first = await lib.add("text", LAKES.encode(), name="lakes.txt")
        await until(lambda: bool(fake.script.requests("chat")), 40, "the first summary to be asked for")
        others = [await lib.add("text", f"{LAKES} {number}".encode(), name=f"{number}.txt") for number in range(3)]
        assert {(await lib.ended(one))["status"] for one in (first, *others)} == {"ready"}
        assert len(fake.script.requests("chat")) == 1
        fake.script.release("the model")
        for one in (first, *others):
            await summarised(lib, one)


async def test_a_worker_killed_with_the_summary_in_its_hand_pays_once_more_at_most_and_says_so(
    environment: dict[str, str], processes: Processes, fake: FakeProvider
) -> None:
    fake.script.rules.answer = WRITTEN
    processes.environment |= chat_settings(fake)
    async with library(core_settings.load(environment | chat_settings(fake)), working=False) as lib:
        source_id = await lib.add("text", LAKES.encode(), name="lakes.txt")
        waiting = processes.start("ingest", FAULT_AT="summary.written")
        await until(waiting.is_at, 60, "the worker to hold the reply")
        waiting.kill()
        processes.start("ingest", **PATIENT)
        row = await summarised(lib, source_id)
        assert (row["status"], row["summary"]) == ("ready", WRITTEN)
        calls = await lib.all("select state, possibly_billed from calls where step = 'summary'")
        assert calls == [{"state": "done", "possibly_billed": 1}]
        assert len(fake.script.requests("chat")) == 2


async def test_a_summary_never_reaches_the_prompt_of_an_answer(environment: dict[str, str], fake: FakeProvider) -> None:
    canary = "Zanzibarquark"

    def write(request: Request) -> str:
        return "The lake is forty metres deep [1]."

    fake.script.write_with(write)
    settings = core_settings.load(environment | chat_settings(fake) | embedding_settings(fake))
    async with desk(settings) as made:
        await made.use_vectors(fake)
        source = await made.add("The lake is forty metres deep at its southern end.")
        async with made.db.transaction() as conn:
            await conn.execute(
                "update sources set summary = $2, summary_kind = 'written' where id = $1", source.id, f"{canary} lake, 9999 metres deep."
            )
        for question in ("How deep is the lake?", f"What is {canary}?", "What is this source about?"):
            answered = await made.answer(question)
            assert answered.turn.status == "done"
        said = [request.said for request in fake.script.requests() if f"What is {canary}?" not in request.said]
        assert said and not any(canary in one or "9999" in one for one in said)
        asked = [request.said for request in fake.script.requests() if f"What is {canary}?" in request.said]
        assert not any("9999" in one for one in asked)

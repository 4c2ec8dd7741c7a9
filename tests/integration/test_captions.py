"""Captions stand before chunks in what is indexed and nowhere else: written once, kept by what they are about."""

from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from sourcebook_core import jobs
from sourcebook_core import settings as core_settings
from sourcebook_core.jobs import ReadSource
from sourcebook_core.store import sources
from sourcebook_core.text import lexemes
from tests.fakes.provider import FakeProvider
from tests.fakes.script import Reply, Request
from tests.ingest_rig import Library, library
from tests.rag_rig import chat_settings, embedding_settings, vector_desk
from tests.rig import PATIENT, Processes, until

CAPTIONED = "token_window-300-40-c-a2"
CANARY = "Zanzibarquark"
MARKDOWN = "".join(
    f"# Part {number}\n\n## Ice of lake {number}\n\n" + f"In winter lake {number} freezes over. " * 40 + "\n\n" for number in range(8)
)


@pytest.fixture
def fake(fake: FakeProvider) -> FakeProvider:
    fake.script.write_with(lambda request: f'"About {CANARY}{len(fake.script.requests("chat"))}."')
    return fake


def captioning(fake: FakeProvider, **more: str) -> dict[str, str]:
    return fake.settings("CAPTION", **{"API_KEY": "k", **more})


async def use_captions(lib: Library) -> None:
    async with lib.deps.db.transaction() as conn:
        await conn.execute("update notebooks set recipe_id = $1", CAPTIONED)


async def reread(lib: Library, source_id: UUID) -> dict[str, Any]:
    before = await lib.row(source_id)
    async with lib.deps.db.transaction() as conn:
        await sources.queue_again(conn, source_id)
        await jobs.insert(conn, ReadSource(source_id=source_id), owner_id=lib.owner_id, subject=source_id, once=source_id)

    async def row() -> dict[str, Any] | None:
        found = await lib.row(source_id)
        return found if found["status"] == "ready" and found["reading_id"] != before["reading_id"] else None

    return await until(row, 60, "the new reading") or {}


async def test_title_and_caption_go_before_the_chunk_in_words_and_vectors_and_into_no_stored_text(
    environment: dict[str, str], fake: FakeProvider, tmp_path: Path
) -> None:
    path = tmp_path / "prices.toml"
    path.write_text('[models."fake-caption"]\ntokens_in = "1000"\ntokens_out = "1000"\n[models."fake-embed"]\ntokens_in = "0"\n')
    async with library(
        core_settings.load(environment | captioning(fake) | embedding_settings(fake) | {"SOURCEBOOK_PRICES": str(path)})
    ) as lib:
        await use_captions(lib)
        source_id = await lib.add("markdown", MARKDOWN.encode(), name="lakes.md")
        row = await lib.ended(source_id)
        assert (row["status"], row["report"]["warnings"]) == ("ready", [])
        chunks = await lib.chunks(source_id)
        kept = await lib.all("select caption from corpus.captions where source_id = $1 and model = 'fake-caption'", source_id)
        assert len(kept) == len(chunks) == len(fake.script.requests("chat")) > 6
        assert all(one["caption"].startswith(f"About {CANARY}") for one in kept), "quotation marks around it are not its own"
        embedded = [text for request in fake.script.requests("embeddings") for text in request.texts if CANARY in text]
        assert len(embedded) == len(chunks)
        for chunk in chunks:
            (text,) = [one for one in embedded if one.endswith("\n" + chunk["text"].rstrip())] or [
                one for one in embedded if chunk["text"] in one
            ]
            assert text.startswith(f"{chunk['heading'].rpartition(' > ')[2]}\nAbout {CANARY}")
        word = lexemes.dimension(lexemes.words(kept[0]["caption"])[-1])
        assert await lib.all("select 1 from corpus.chunk_lex where sv::text like $1", f"%{word + 1}:%")
        assert not await lib.all("select 1 from corpus.passages where text like $1 or lead like $1", f"%{CANARY}%")
        calls = await lib.all("select cost from calls where step = 'caption' and state = 'done'")
        assert len(calls) == len(chunks) and Decimal(row["report"]["cost"]) == sum(call["cost"] for call in calls) > 0


async def test_reading_again_and_a_new_embedding_model_cost_no_caption(environment: dict[str, str], fake: FakeProvider) -> None:
    env = environment | captioning(fake) | embedding_settings(fake)
    async with library(core_settings.load(env)) as lib:
        await use_captions(lib)
        source_id = await lib.add("markdown", MARKDOWN.encode(), name="lakes.md")
        await lib.ended(source_id)
        first_hash, asked = await lib.chunk_hash(source_id), len(fake.script.requests("chat"))
        await reread(lib, source_id)
        assert (await lib.chunk_hash(source_id), len(fake.script.requests("chat"))) == (first_hash, asked)
        owner, notebook = lib.owner_id, lib.notebook_id
    fake.script.forget_requests()
    async with library(core_settings.load(env | {"SOURCEBOOK_EMBEDDING_MODEL": "second"}), begin=False) as lib:
        lib.owner_id, lib.notebook_id = owner, notebook
        await lib.ended(await lib.add("text", b"Words that only the second model ever saw.", name="b.txt"))

        async def is_swapped() -> bool:
            return bool(await lib.all("select 1 from spaces where state = 'in_use' and model = 'second'"))

        await until(is_swapped, 60)
        texts = [text for request in fake.script.requests("embeddings") for text in request.texts]
        assert sum(CANARY in text for text in texts) >= asked, "the new vectors know the captions"
        assert len(fake.script.requests("chat")) == 1, "only the new source's own chunk is asked about"


async def test_a_worker_killed_amid_captions_pays_only_for_those_in_flight_again(
    environment: dict[str, str], processes: Processes, fake: FakeProvider
) -> None:
    processes.environment |= captioning(fake) | embedding_settings(fake)
    fake.script.add(Reply(match="Ice of lake 5", hold="here", times=0, text=f"About {CANARY}."))
    async with library(core_settings.load(processes.environment), working=False) as lib:
        await use_captions(lib)
        source_id = await lib.add("markdown", MARKDOWN.encode(), name="lakes.md")
        worker = processes.start("ingest")

        async def is_held() -> bool:
            kept = await lib.all("select 1 from corpus.captions")
            return len(kept) >= 4 and any("Ice of lake 5" in request.said for request in fake.script.requests("chat"))

        await until(is_held, 60, "the worker to wait for a caption")
        indexes = await lib.all("select state from corpus.indexes")
        assert [index["state"] for index in indexes] == ["words"], "found by its words meanwhile"
        worker.kill()
        fake.script.release("here")
        processes.start("ingest", **PATIENT)
        row = await lib.ended(source_id)
        assert row["status"] == "ready"
        calls = await lib.all("select state, possibly_billed from calls where step = 'caption'")
        assert {call["state"] for call in calls} == {"done"} and len(calls) == row["chunks"]
        again = sum(call["possibly_billed"] for call in calls)
        assert 1 <= again <= 4 and len(fake.script.requests("chat")) == row["chunks"] + again


@pytest.mark.parametrize("why", ["no model", "local only"])
async def test_without_a_model_that_may_be_asked_it_is_indexed_without_captions_and_says_so(
    environment: dict[str, str], fake: FakeProvider, why: str
) -> None:
    env = environment | (captioning(fake) if why == "local only" else {})
    async with library(core_settings.load(env)) as lib:
        await use_captions(lib)
        if why == "local only":
            async with lib.deps.db.transaction() as conn:
                await conn.execute("update notebooks set settings = '{\"local_only\": true}'")
        row = await lib.ended(await lib.add("markdown", MARKDOWN.encode(), name="lakes.md"))
        assert row["status"] == "ready"
        assert [warning["code"] for warning in row["report"]["warnings"]] == ["no_captions", "words_only"]
        assert fake.script.requests("chat") == []


async def test_a_passage_whose_caption_is_refused_is_indexed_without_it(environment: dict[str, str], fake: FakeProvider) -> None:
    fake.script.add(Reply(match="Ice of lake 5", status=400, message="not allowed", times=0))
    async with library(core_settings.load(environment | captioning(fake))) as lib:
        await use_captions(lib)
        row = await lib.ended(await lib.add("markdown", MARKDOWN.encode(), name="lakes.md"))
        assert row["status"] == "ready"
        codes = [warning["code"] for warning in row["report"]["warnings"]]
        assert codes == ["captions_missing", "words_only"]
        kept = await lib.all("select count(*) as n from corpus.captions")
        assert 0 < kept[0]["n"] < row["chunks"]


async def test_answers_call_no_caption_model_and_no_caption_reaches_a_prompt_or_the_check_of_numbers(
    environment: dict[str, str], fake: FakeProvider
) -> None:
    def write(request: Request) -> str:
        return "The lake is forty metres deep [1]. It is 9876 metres wide [1]."

    fake.script.write_with(write)
    text = "The lake is forty metres deep at its southern end."
    async with vector_desk(environment | chat_settings(fake) | captioning(fake) | embedding_settings(fake), fake) as made:
        source = await made.add(text)
        async with made.db.transaction() as conn:
            await conn.execute(
                "insert into corpus.captions (source_id, chunk_hash, model, caption) values ($1, sha256(convert_to($2, 'UTF8')), 'm', $3)",
                source.id, text, f"{CANARY}: the lake is 9876 metres wide.",
            )  # fmt: skip
        for _ in range(5):
            answered = await made.answer("How deep is the lake?")
            assert answered.turn.status == "done"
            assert "9876" in answered.outcome["checks"]["ungrounded_numbers"]
        requests = fake.script.requests()
        assert not any(request.model == "fake-caption" for request in requests)
        assert not any(CANARY in request.said for request in requests)

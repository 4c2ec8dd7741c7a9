"""F1: the ingest worker is killed at each of its stages; what is there in the end is as if it had never been."""

from pathlib import Path

import pytest
from reportlab.pdfgen import canvas

from sourcebook_core import settings as core_settings
from sourcebook_core.settings import Settings
from tests.fakes.provider import FakeProvider
from tests.ingest_rig import Library, library
from tests.integration.test_captions import CAPTIONED, captioning
from tests.rag_rig import chat_settings, embedding_settings
from tests.rig import PATIENT, Processes, until

STAGES = ["read.accepted", "read.stored", "read.parsed", "index.chunked", "index.embedded", "index.indexed", "source.ready"]
# One on each side of every commit always; what lies between them with the long tests.
QUICK = ("read.parsed", "index.embedded", "source.ready")
PAGES = 40


def book(path: Path, pages: int = PAGES) -> bytes:
    """A PDF whose every page has words of its own."""
    drawn = canvas.Canvas(str(path), invariant=True)
    for page in range(1, pages + 1):
        for line in range(12):
            drawn.drawString(60, 760 - 20 * line, f"Page {page} line {line} tells of lake number {page * 31 + line} and its depth.")
        drawn.showPage()
    drawn.save()
    return path.read_bytes()


async def whole(lib: Library, source_id: object) -> tuple[str, int, int]:
    """What must be equal: the chunks with their words, and how many vectors and passages there are."""
    digest = await lib.chunk_hash(source_id)  # type: ignore[arg-type]
    vectors = await lib.all("select count(*) as n from corpus.chunk_vec where source_id = $1", source_id)
    pages = await lib.all("select count(*) as n, count(distinct page) as d from corpus.passages where source_id = $1", source_id)
    assert pages[0]["n"] == pages[0]["d"]
    return digest, vectors[0]["n"], pages[0]["n"]


@pytest.mark.timeout(300)
@pytest.mark.parametrize("stage", [pytest.param(stage, marks=() if stage in QUICK else pytest.mark.long) for stage in STAGES])
async def test_a_worker_killed_at_a_stage_leaves_the_same_chunks_in_the_end(
    environment: dict[str, str], processes: Processes, fake: FakeProvider, tmp_path: Path, stage: str
) -> None:
    content = book(tmp_path / "book.pdf")
    processes.environment |= embedding_settings(fake)
    async with library(core_settings.load(processes.environment), working=False) as lib:
        plain = await lib.add("pdf", content, name="undisturbed.pdf")
        async with lib.run():
            assert (await lib.ended(plain))["status"] == "ready"
        wanted = await whole(lib, plain)
        assert wanted[1:] == (PAGES, PAGES)
        source_id = await lib.add("pdf", content + b"\n% again", name="killed.pdf")
        waiting = processes.start("ingest", FAULT_AT=stage)
        await until(waiting.is_at, 90, f"the worker to wait at {stage}")
        waiting.kill()
        processes.start("ingest", **PATIENT)
        row = await lib.ended(source_id, 90)
        assert row["status"] == "ready", row["error_message"]
        await until(lambda: _all_done(lib), 60, "every job to end")
        assert await whole(lib, source_id) == wanted
        assert {call["state"] for call in await lib.all("select state from calls")} == {"done"}


async def _all_done(lib: Library) -> bool:
    left = await lib.all("select 1 from jobs where queue = 'ingest' and state in ('queued', 'running')")
    return not left


@pytest.mark.timeout(300)
async def test_killed_three_times_while_it_reads_a_long_file_every_page_is_read_once(
    settings: Settings, processes: Processes, tmp_path: Path
) -> None:
    content = book(tmp_path / "book.pdf", 200)
    async with library(settings, working=False) as lib:
        source_id = await lib.add("pdf", content, name="long.pdf")
        for share in (1, 5, 10):
            worker = processes.start("ingest")

            async def has_read(count: int = share * 16) -> bool:
                found = await lib.all("select count(*) as n from corpus.passages where source_id = $1", source_id)
                return bool(found[0]["n"] >= count) or ((await lib.row(source_id))["status"] != "reading" and found[0]["n"] > 0)

            await until(has_read, 60)
            worker.kill()
        processes.start("ingest", **PATIENT)
        row = await lib.ended(source_id)
        assert row["status"] == "ready"
        assert (await whole(lib, source_id))[2] == 200
        pages = await lib.all("select page, text from corpus.passages where source_id = $1 order by ordinal", source_id)
        assert all(f"Page {found['page']} line 0 " in found["text"] for found in pages)


LAKES = "".join(f"# Lake {number}\n\n" + f"Lake {number} freezes over in winter and thaws in May. " * 30 + "\n\n" for number in range(12))


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize("stage", [*STAGES, "caption.written", "summary.written"])
@pytest.mark.parametrize("kind", ["markdown", "text"])
async def test_a_worker_killed_at_a_stage_with_captions_and_summary_leaves_the_same_in_the_end(
    processes: Processes, fake: FakeProvider, kind: str, stage: str
) -> None:
    fake.script.write_with(lambda request: "Words of a model about a lake in winter.")
    processes.environment |= embedding_settings(fake) | captioning(fake) | chat_settings(fake)
    async with library(core_settings.load(processes.environment), working=False) as lib:
        async with lib.deps.db.transaction() as conn:
            await conn.execute("update notebooks set recipe_id = $1", CAPTIONED)
        plain = await lib.add(kind, LAKES.encode(), name=f"plain.{kind}")
        async with lib.run():
            assert (await lib.ended(plain))["status"] == "ready"
            await until(lambda: _all_done(lib), 60, "every job to end")
        source_id = await lib.add(kind, LAKES.encode() + b"\n", name=f"killed.{kind}")
        waiting = processes.start("ingest", FAULT_AT=stage)
        await until(waiting.is_at, 90, f"the worker to wait at {stage}")
        waiting.kill()
        processes.start("ingest", **PATIENT)
        row = await lib.ended(source_id, 90)
        await until(lambda: _all_done(lib), 90, "every job to end")
        row = await lib.row(source_id)
        assert (row["status"], row["summary"], row["chunks"]) == (
            "ready",
            "Words of a model about a lake in winter.",
            (await lib.row(plain))["chunks"],
        )
        assert await lib.chunk_hash(source_id) == await lib.chunk_hash(plain)
        calls = await lib.all("select state, possibly_billed from calls where source_id = $1", source_id)
        assert {call["state"] for call in calls} == {"done"} and sum(call["possibly_billed"] for call in calls) <= 5

"""F1 for every other kind than PDF: a document, a workbook, a picture, a recording and a page, their worker killed at every stage."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from uuid import UUID

import pytest

from sourcebook_core import kinds
from sourcebook_core import settings as core_settings
from tests.fakes import office_files, recordings
from tests.fakes.pictures import file_of, sheet
from tests.fakes.provider import FakeProvider
from tests.fakes.script import Reply
from tests.fakes.website import ARTICLE, Answer, Website
from tests.ingest_rig import Library, library
from tests.rig import PATIENT, Processes, until

KINDS = ["document", "workbook", "picture", "recording", "page"]
SAID = tuple((10.0 * place, 10.0 * place + 10.0, f" Sentence {place} tells of lakes.") for place in range(6))
BOOK = office_files.workbook({"Lakes": [["Lake", "Depth"], *([f"Lake number {row}", row] for row in range(400))]})


@dataclass
class Rig:
    """A library, the processes that read for it, the model and the website that they ask."""

    lib: Library
    processes: Processes
    fake: FakeProvider
    site: Website
    added: list[UUID] = field(default_factory=list)

    async def add(self, edition: int) -> dict[str, UUID]:
        """One source of each kind; every edition has bytes of its own and the same words."""
        self.site.pages[f"/{edition}"] = Answer(ARTICLE.encode())
        more = b"<more>%d</more>" % edition
        made = {
            "document": ("office", office_files.changed(office_files.document(), more=more), kinds.DOCX.media_type),
            "workbook": ("office", office_files.changed(BOOK, more=more), kinds.XLSX.media_type),
            "picture": ("image", file_of(sheet(7), "PNG") + more, "image/png"),
            "recording": ("audio", recordings.made("flac", seconds=60.0 + edition), "audio/flac"),
        }
        ids = {
            what: await self.lib.add(kind, content, name=f"{what}-{edition}", media_type=media_type)
            for what, (kind, content, media_type) in made.items()
        }
        return ids | {"page": await self.lib.add("url", url=self.site.url(f"/{edition}"))}

    async def whole(self, source_id: UUID) -> tuple[object, ...]:
        """What must be equal: the chunks with their words, the passages with their places, how many vectors there are."""
        passages = await self.lib.all(
            "select p.ordinal, p.text, p.page, p.heading, p.sheet, p.row_from, p.row_to, p.start_ms, p.end_ms, p.lead"
            " from corpus.passages p where p.source_id = $1 order by p.ordinal",
            source_id,
        )
        vectors = await self.lib.all("select count(*) as n from corpus.chunk_vec where source_id = $1", source_id)
        return await self.lib.chunk_hash(source_id), [tuple(row.values()) for row in passages], vectors[0]["n"]


@pytest.fixture
def fake(fake: FakeProvider) -> FakeProvider:
    fake.script.write_with(lambda request: "Sheet 7 of the mill book.\n=== DESCRIPTION ===\nA grey field on white paper.")
    fake.script.add(Reply(kind="transcriptions", segments=SAID, times=0))
    return fake


@pytest.fixture
async def rig(processes: Processes, fake: FakeProvider) -> AsyncIterator[Rig]:
    for role in ("EMBEDDING", "VISION", "SPEECH"):
        processes.environment |= fake.settings(role)
    with Website() as site:
        more = {"EMBEDDING_DIMENSION": "64", "URL_ALLOW": site.place, "SLOTS_INGEST": str(len(KINDS)), "ATTEMPTS": "50"}
        processes.environment |= {f"SOURCEBOOK_{name}": value for name, value in more.items()}
        async with library(core_settings.load(processes.environment), working=False) as lib:
            yield Rig(lib, processes, fake, site)


async def killed_at(rig: Rig, stage: str) -> None:
    """Start a worker, wait until every source waits at the stage, kill it."""
    worker = rig.processes.start("ingest", FAULT_AT=stage)
    await until(lambda: worker.said().count('"place": "' + stage) == len(KINDS), 90, f"every source to wait at {stage}")
    worker.kill()


async def the_same_in_the_end(rig: Rig, *stages: str) -> None:
    plain = await rig.add(1)
    async with rig.lib.run():
        for source_id in plain.values():
            row = await rig.lib.ended(source_id, 90)
            assert row["status"] == "ready", row["error_message"]
    wanted = {what: await rig.whole(source_id) for what, source_id in plain.items()}
    rig.fake.script.forget_requests()
    disturbed = await rig.add(2)
    for stage in stages:
        await killed_at(rig, stage)
    rig.processes.start("ingest", **PATIENT)
    for what, source_id in disturbed.items():
        row = await rig.lib.ended(source_id, 90)
        assert row["status"] == "ready", (what, row["error_message"])
        assert await rig.whole(source_id) == wanted[what], what
    paid = await rig.lib.all(
        "select role, count(*) as n from calls where state = 'done' and source_id = any($1) and role <> 'embedding' group by role",
        list(disturbed.values()),
    )
    assert {row["role"]: row["n"] for row in paid} == {"vision": 1, "speech": 1}
    assert (len(rig.fake.script.requests("chat")), len(rig.fake.script.requests("transcriptions"))) == (1, 1)  # what came is kept


@pytest.mark.timeout(300)
async def test_sources_of_every_kind_whose_worker_is_killed_twice_end_as_if_undisturbed(rig: Rig) -> None:
    await the_same_in_the_end(rig, "read.parsed", "index.embedded")


# Not more than one kill of each job: what crashed twice runs alone.
@pytest.mark.long
@pytest.mark.timeout(300)
@pytest.mark.parametrize("stages", [("read.accepted", "index.chunked"), ("read.stored", "index.indexed"), ("source.ready",)])
async def test_sources_of_every_kind_killed_at_any_other_stage_end_as_if_undisturbed(rig: Rig, stages: tuple[str, ...]) -> None:
    await the_same_in_the_end(rig, *stages)

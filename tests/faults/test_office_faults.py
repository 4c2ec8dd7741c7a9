"""A worker killed in the middle of a big table: every row is read once in the end."""

import pytest

from sourcebook_core import kinds
from sourcebook_core.settings import Settings
from tests.fakes import office_files
from tests.ingest_rig import library
from tests.rig import Processes, until

ROWS = 12_000


@pytest.mark.timeout(300)
async def test_killed_in_the_midst_of_a_big_workbook_no_row_is_lost_or_doubled(settings: Settings, processes: Processes) -> None:
    rows = [
        ["Lake", "Depth", "Note"],
        *([f"Lake number {row}", row, f"measured by boat in the year {row % 90 + 1900}"] for row in range(2, ROWS + 1)),
    ]
    content = office_files.workbook({"Lakes": rows})
    async with library(settings, working=False) as lib:
        source_id = await lib.add("office", content, name="lakes.xlsx", media_type=kinds.XLSX.media_type)
        for least in (1, 30):
            worker = processes.start("ingest")

            async def has_read(least: int = least) -> bool:
                found = await lib.all("select count(*) as n from corpus.passages where source_id = $1", source_id)
                return bool(found[0]["n"] >= least)

            await until(has_read, 90)
            worker.kill()
        processes.start("ingest")
        row = await lib.ended(source_id, 120)
        assert row["status"] == "ready", row["error_message"]
        found = await lib.all("select row_from, row_to, text from corpus.passages where source_id = $1 order by ordinal", source_id)
    place = 1
    for passage in found:
        assert passage["row_from"] == place
        for line in passage["text"].split("\n"):
            assert line.startswith(f"Lake number {place} | {place} |") or place == 1
            place += 1
    assert place == ROWS + 1

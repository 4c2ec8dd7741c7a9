"""A worker killed in the middle of a big table, a gateway killed over an archive: each row and each file is there once in the end."""

import httpx2
import pytest

from sourcebook_core import kinds
from sourcebook_core.settings import Settings
from tests.fakes import office_files
from tests.ingest_rig import library
from tests.integration.gateway_rig import Api, killed_amid, owner_api
from tests.rig import PATIENT, Processes, until

ROWS = 5_000


@pytest.mark.timeout(300)
async def test_killed_in_the_midst_of_a_big_workbook_no_row_is_lost_or_doubled(settings: Settings, processes: Processes) -> None:
    rows = [
        ["Lake", "Depth", "Note"],
        *([f"Lake number {row}", row, f"measured by boat in the year {row % 90 + 1900}"] for row in range(2, ROWS + 1)),
    ]
    content = office_files.workbook({"Lakes": rows})
    async with library(settings, working=False) as lib:
        source_id = await lib.add("office", content, name="lakes.xlsx", media_type=kinds.XLSX.media_type)
        for least in (1, 15):
            worker = processes.start("ingest")

            async def has_read(least: int = least) -> bool:
                found = await lib.all("select count(*) as n from corpus.passages where source_id = $1", source_id)
                return bool(found[0]["n"] >= least)

            await until(has_read, 90)
            worker.kill()
        processes.start("ingest", **PATIENT)
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


def upload(api: Api, notebook: str) -> httpx2.Response:
    content = office_files.packed({"a.txt": "words of the first", "b.csv": "Mill,Opened\nHall,1901\n"})
    parts = [("file", ("both.zip", content, "application/zip"))]
    return api.http.post(f"/notebooks/{notebook}/sources", files=parts, headers={"Idempotency-Key": "one archive"})


def test_a_gateway_killed_over_an_archive_leaves_each_of_its_files_once_after_the_retry(processes: Processes, owner_token: str) -> None:
    place = "upload.before_commit"
    with owner_api(processes, owner_token, FAULT_AT=place) as (waiting, api):
        notebook = api.notebook()
        killed_amid(waiting, place, lambda: upload(api, notebook), 60)
        processes.start("gateway")
        answer = upload(api, notebook)
        assert answer.status_code == 202, answer.text
        sources = api.get(f"/notebooks/{notebook}/sources").json()["items"]
        assert sorted(source["title"] for source in sources) == ["a.txt", "b.csv"]
        assert {source["id"] for source in sources} == {item["source"]["id"] for item in answer.json()["items"]}
        assert api.get(f"/sources/{answer.json()['items'][1]['source']['id']}/file").content == b"Mill,Opened\nHall,1901\n"

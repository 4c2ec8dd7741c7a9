"""Archives at the door, and tables by their rows."""

import asyncio
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import asyncpg
import pytest

from sourcebook_core import kinds
from tests.fakes import office_files
from tests.integration.gateway_rig import Api, refused, whole_gateway
from tests.rig import TestPostgres

LIMITS = {
    "ARCHIVE_FILES": "6",
    "ARCHIVE_BYTES": "12000000",
    "ARCHIVE_ENTRIES": "50",
    "TEXT_BYTES": "1000000",
}


@pytest.fixture(scope="module")
def gateway(postgres: TestPostgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Api, str, Path]]:
    """A running gateway for these tests: the owner's client, the database's address, the folder of its blobs."""
    folder = tmp_path_factory.mktemp("tables")
    with whole_gateway(postgres, folder, **LIMITS) as (_, api, url):
        yield api, url, folder / "blobs"


def archive(**files: bytes | str) -> bytes:
    return office_files.packed({name.replace("__", "/").replace("_dot_", "."): content for name, content in files.items()})


def stored(folder: Path) -> int:
    return sum(1 for path in folder.rglob("*") if path.is_file())


def shown(items: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(i["source"]["title"], i["source"]["media_type"]) if "source" in i else (i["name"], i["error"]["code"]) for i in items]


def test_the_files_of_an_archive_are_items_of_their_own(gateway: tuple[Api, str, Path]) -> None:
    api, _, blobs = gateway
    book = api.notebook()
    before = stored(blobs)
    inner = office_files.packed({"deep.txt": "words"})
    packed = office_files.packed({
        "folder/": "", "folder/notes.txt": "The weir holds.", "../../etc/passwd": "root of all words",
        "/abs.md": "# A\n", "__MACOSX/._x": "x",
        ".DS_Store": "x", "report.docx": office_files.document(), "inner.zip": inner, "tool.exe": b"MZ\x90\x00\x01" * 10,
    })  # fmt: skip
    answer = api.upload(book, ("all.zip", packed))
    assert answer.status_code == 207, answer.text
    assert shown(answer.json()["items"]) == [
        ("notes.txt", "text/plain"), ("passwd", "text/plain"), ("abs.md", "text/markdown"), ("report.docx", kinds.DOCX.media_type),
        ("all.zip › inner.zip", "unsupported_kind"), ("all.zip › tool.exe", "unsupported_kind"),
    ]  # fmt: skip
    assert stored(blobs) == before + 4  # neither the archive nor what was refused
    again = api.upload(book, ("again.zip", packed))
    assert [i["source"]["id"] for i in again.json()["items"] if "source" in i] == [
        i["source"]["id"] for i in answer.json()["items"] if "source" in i
    ]
    assert stored(blobs) == before + 4
    content = api.get(f"/sources/{answer.json()['items'][0]['source']['id']}/file")
    assert content.content == b"The weir holds."


def test_a_file_of_an_archive_that_is_the_same_as_another_is_told_with_its_twin(gateway: tuple[Api, str, Path]) -> None:
    api, _, blobs = gateway
    book, before = api.notebook(), stored(blobs)
    packed = office_files.packed({"a/report.txt": "Twins of a weir.", "other.txt": "No twin.", "b/copy.txt": "Twins of a weir."})
    answer = api.upload(book, ("twins.zip", packed))
    assert answer.status_code == 202, answer.text
    first, other, twin = answer.json()["items"]
    assert "same_as" not in first and "same_as" not in other and "name" not in other
    assert (twin["name"], twin["same_as"]) == ("twins.zip › copy.txt", "twins.zip › report.txt")
    assert twin["source"]["id"] == first["source"]["id"] and stored(blobs) == before + 2
    loose = api.upload(book, ("x.txt", b"Twins outside of archives."), ("y.txt", b"Twins outside of archives.")).json()["items"]
    assert [one.get("same_as") for one in loose] == [None, "x.txt"]


def test_the_same_key_gives_the_same_items_for_an_archive(gateway: tuple[Api, str, Path]) -> None:
    api, _, _ = gateway
    book = api.notebook()
    parts = [("file", ("k.zip", archive(a_dot_txt="one of it", b_dot_txt="two of it"), "application/zip"))]
    first = api.http.post(f"/notebooks/{book}/sources", files=parts, headers={"Idempotency-Key": "zip-1"})
    second = api.http.post(f"/notebooks/{book}/sources", files=parts, headers={"Idempotency-Key": "zip-1"})
    assert first.status_code == second.status_code == 202 and first.json() == second.json()
    other = [("file", ("k.zip", archive(a_dot_txt="another"), "application/zip"))]
    refused(api.http.post(f"/notebooks/{book}/sources", files=other, headers={"Idempotency-Key": "zip-1"}), 409, "idempotency_conflict")


def test_an_archive_is_bounded_and_its_refusals_name_it(gateway: tuple[Api, str, Path]) -> None:
    api, _, blobs = gateway
    book = api.notebook()
    before = stored(blobs)
    many = api.upload(book, ("many.zip", office_files.packed({f"{n}.txt": f"file number {n}" for n in range(9)})))
    assert [name for name, _ in shown(many.json()["items"])] == [*(f"{n}.txt" for n in range(6)), "many.zip"]
    assert many.json()["items"][-1]["error"]["code"] == "too_large" and "3 files more" in many.json()["items"][-1]["error"]["message"]
    bomb = office_files.packed({"good.txt": "words before", "bomb.txt": b" " * 11_000_000, "after.txt": "words after"})
    assert shown(api.upload(book, ("bomb.zip", bomb)).json()["items"]) == [
        ("good.txt", "text/plain"), ("bomb.zip › bomb.txt", "resource_limit"), ("after.txt", "text/plain"),
    ]  # fmt: skip
    over = office_files.packed({f"{n}.csv": b"1,2,3\n" * 600_000 for n in range(4)}, zipfile.ZIP_STORED)
    listed = refused(api.upload(book, ("over.zip", over)), 415, "unsupported_kind")["detail"]["items"]
    assert [(item["name"], item["code"]) for item in listed[:3]] == [(f"over.zip › {n}.csv", "too_large") for n in range(3)]
    assert listed[-1]["code"] == "resource_limit"
    for name, content, status, code in (
        ("entries.zip", office_files.packed({f"{n}": "x" for n in range(51)}), 422, "resource_limit"),
        ("half.zip", bomb[: len(bomb) // 2], 422, "damaged_file"),
        ("empty.zip", office_files.packed({}), 422, "empty_file"),
    ):
        refused(api.upload(book, (name, content)), status, code)
    assert stored(blobs) == before + 6 + 2


def test_a_table_is_given_by_its_rows_and_cells(gateway: tuple[Api, str, Path]) -> None:
    api, url, _ = gateway
    book = api.notebook()
    added = api.upload(book, ("mills.csv", b"never read here")).json()["items"][0]["source"]["id"]
    reading = uuid4()
    asyncio.run(_read(url, UUID(added), reading))
    table = api.get(f"/sources/{added}/table").json()
    assert table["sheets"] == [{"name": "Mills", "rows": 4}, {"name": "Old", "rows": 900}]
    assert (table["sheet"], table["header"], table["from"], table["total"]) == ("Mills", ["Mill", "", "Opened"], 1, 4)
    assert [(r["row"], r["passage"], r["start"], r["end"], r["cells"]) for r in table["rows"]] == [
        (1, 0, 0, 16, ["Mill", "", "Opened"]), (2, 1, 0, 14, ["Hall", "", "1901"]), (4, 1, 16, 26, ["", "Mühle 2"]),
    ]  # fmt: skip
    some = api.get(f"/sources/{added}/table", params={"sheet": "Mills", "from": 3, "to": 4, "reading": str(reading)}).json()
    assert [r["row"] for r in some["rows"]] == [4]
    old = api.get(f"/sources/{added}/table", params={"sheet": "Old", "from": 900, "to": 2_000_000_000}).json()
    assert (old["to"], old["header"], [r["cells"] for r in old["rows"]]) == (1399, None, [["x"]])
    refused(api.get(f"/sources/{added}/table", params={"sheet": "Nowhere"}), 404, "not_found")
    refused(api.get(f"/sources/{api.text(book)['id']}/table"), 404, "not_found")


def test_an_answer_of_very_long_rows_stops_early_and_says_where(gateway: tuple[Api, str, Path]) -> None:
    api, url, _ = gateway
    added = api.upload(api.notebook(), ("long.csv", b"not read here, long")).json()["items"][0]["source"]["id"]
    asyncio.run(_read(url, UUID(added), uuid4(), [(n, "word " * 40_000, "", n + 1, n + 1, "") for n in range(25)]))
    table = api.get(f"/sources/{added}/table").json()
    assert (table["to"], [row["row"] for row in table["rows"]], table["total"]) == (20, list(range(1, 21)), 25)
    rest = api.get(f"/sources/{added}/table", params={"from": table["to"] + 1, "to": 25}).json()
    assert (rest["to"], [row["row"] for row in rest["rows"]]) == (25, list(range(21, 26)))


ROWS = [
    (0, "Mill |  | Opened", "Mills", 1, 1, ""), (1, "Hall |  | 1901\n\n | Mühle 2", "Mills", 2, 4, "Mill |  | Opened"),
    (2, "x", "Old", 900, 900, ""),
]  # fmt: skip


async def _read(url: str, source_id: UUID, reading_id: UUID, rows: Sequence[tuple[int, str, str, int, int, str]] = ROWS) -> None:
    conn = await asyncpg.connect(url)
    try:
        await conn.execute(
            "insert into corpus.readings (id, source_id, number, state, fingerprint, closed_at)"
            " values ($1, $2, 1, 'closed', 'test', now())",
            reading_id,
            source_id,
        )
        await conn.executemany(
            "insert into corpus.passages (reading_id, source_id, ordinal, text, characters, sheet, row_from, row_to, lead)"
            " values ($1, $2, $3, $4, length($4), $5, $6, $7, $8)",
            [(reading_id, source_id, *row) for row in rows],
        )
        await conn.execute("update sources set reading_id = $2 where id = $1", source_id, reading_id)
    finally:
        await conn.close()

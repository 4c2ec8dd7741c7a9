"""Useful early and fair: found by words as soon as read, by meaning as vectors come; many files of one person block nobody else."""

from uuid import UUID, uuid4

import pytest

from sourcebook_core import settings as core_settings
from tests.fakes.provider import FakeProvider
from tests.fakes.script import Reply
from tests.ingest_rig import Library, library
from tests.rag_rig import embedding_settings
from tests.rig import until

MANY = 80
LONG = " ".join(f"word{number % 500}" for number in range(9000))


async def searchable(lib: Library, source_id: UUID) -> str:
    rows = await lib.all("select state from corpus.indexes where source_id = $1", source_id)
    states = {row["state"] for row in rows}
    return "full" if "full" in states else "words" if "words" in states else "none"


async def test_a_source_is_found_by_words_as_soon_as_it_is_read_and_by_meaning_as_vectors_come(
    environment: dict[str, str], fake: FakeProvider
) -> None:
    fake.script.add(Reply(kind="embeddings", times=3), Reply(kind="embeddings", hold="the rest", times=0))
    async with library(core_settings.load(environment | embedding_settings(fake))) as lib:
        source_id = await lib.add("text", LONG.encode(), name="long.txt")

        async def is_partly_there() -> bool:
            return bool(await lib.all("select 1 from corpus.chunk_vec")) and (await lib.row(source_id))["progress_done"] > 0

        await until(is_partly_there, 60, "the first vectors")
        row = await lib.row(source_id)
        assert (row["status"], await searchable(lib, source_id)) == ("indexing", "words")
        vectors = (await lib.all("select count(*) as n from corpus.chunk_vec"))[0]["n"]
        words = (await lib.all("select count(*) as n from corpus.chunk_lex"))[0]["n"]
        assert 0 < vectors < words == row["progress_total"]
        fake.script.release("the rest")
        assert (await lib.ended(source_id))["status"] == "ready"
        assert await searchable(lib, source_id) == "full"


@pytest.mark.parametrize("slots", [pytest.param("1", marks=pytest.mark.long), "2"])
async def test_eighty_files_of_one_person_do_not_block_one_file_of_another(environment: dict[str, str], slots: str) -> None:
    async with library(core_settings.load(environment | {"SOURCEBOOK_SLOTS_INGEST": slots}), working=False) as lib:
        for number in range(MANY):
            await lib.add("text", f"The mill number {number} closed.".encode(), name=f"{number}.txt")
        other = Library(lib.deps, uuid4(), uuid4())
        await other.begin()
        one = await other.add("text", b"The bridge opened in 1932.", name="bridge.txt")
        async with lib.run():
            assert (await other.ended(one))["status"] == "ready"
            before = await lib.all(
                "select count(*) as n from sources m join sources o on o.id = $2 where m.owner_id = $1 and m.ready_at < o.ready_at",
                lib.owner_id,
                one,
            )
            assert before[0]["n"] < MANY / 4


async def test_the_first_of_many_files_is_found_before_the_last_is_read(environment: dict[str, str]) -> None:
    async with library(core_settings.load(environment | {"SOURCEBOOK_SLOTS_INGEST": "1"}), working=False) as lib:
        first, *_, last = [await lib.add("text", f"The mill number {number} closed.".encode(), name=f"{number}.txt") for number in range(6)]
        async with lib.run():
            await lib.ended(last)
        ended = await lib.all("select subject, kind from jobs where queue = 'ingest' and state = 'done' order by fence")
        order = [(row["subject"], row["kind"]) for row in ended]
        assert order.index((first, "index_reading")) < order.index((last, "read_source"))

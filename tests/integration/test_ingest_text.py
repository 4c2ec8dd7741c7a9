"""Plain text and Markdown sources, read word for word and made searchable by their words."""

from collections.abc import AsyncIterator
from uuid import uuid4

import pytest

from sourcebook_core.settings import Settings
from sourcebook_core.store import passages, readings
from sourcebook_core.store.passages import Passage
from tests.ingest_rig import Library, library

GERMAN = "Die Donaudampfschifffahrtsgesellschaft fährt\r\nan der Straße vorbei.\u00a0 \r\n\r\nTrailing  \u200b\n"


@pytest.fixture
async def lib(settings: Settings) -> AsyncIterator[Library]:
    """A library with a working runtime and no models."""
    async with library(settings) as made:
        yield made


async def stored_text(lib: Library, reading_id: object) -> str:
    async with lib.deps.db.transaction() as conn:
        text = ""
        for passage in await passages.list_from(conn, reading_id, 0, 10_000):  # type: ignore[arg-type]
            text += passages.placed(passage, len(text))
        return text


async def test_a_plain_text_is_stored_character_by_character_and_its_chunks_are_slices_of_it(lib: Library) -> None:
    source_id = await lib.add("text", GERMAN.encode(), name="donau.txt")
    row = await lib.ended(source_id)
    assert (row["status"], row["error_code"]) == ("ready", None)
    assert await stored_text(lib, row["reading_id"]) == GERMAN
    chunks = await lib.chunks(source_id)
    assert [chunk["text"] for chunk in chunks] == [GERMAN.rstrip(" \u200b\n") + "  \u200b"] or chunks[0]["text"] in GERMAN
    assert row["language"] == "de"
    assert row["report"]["words"] == row["words"] > 5
    assert [warning["code"] for warning in row["report"]["warnings"]] == ["words_only"]
    assert (await lib.all("select state from corpus.indexes")) == [{"state": "words"}]


async def test_a_markdown_text_is_tiled_by_sections_that_know_their_heading_path(lib: Library) -> None:
    text = "intro\n\n# Lakes\n\n## Depth\n\nBaikal is 1,642 m deep.\n\n## Names\n\n### Old\n\nNone.\n"
    source_id = await lib.add("markdown", text.encode(), name="lakes.md")
    row = await lib.ended(source_id)
    assert await stored_text(lib, row["reading_id"]) == text
    found = await lib.passages(source_id)
    assert [passage["heading"] for passage in found] == [None, "Lakes > Depth", "Lakes > Names > Old"]
    assert [passage["offset_at"] for passage in found] == [text.index(passage["text"]) for passage in found]
    outline = (await lib.all("select outline from corpus.readings"))[0]["outline"]
    assert [(entry["title"], entry["level"], entry["passage"]) for entry in outline] == [
        ("Lakes", 1, 1), ("Depth", 2, 1), ("Names", 2, 2), ("Old", 3, 2),
    ]  # fmt: skip
    assert row["title"] == "Lakes"


async def test_long_passages_come_a_few_at_a_time_and_none_is_left_out(lib: Library) -> None:
    reading_id, source_id = uuid4(), await lib.add("text", b"Words.", name="long.txt")
    async with lib.deps.db.transaction() as conn:
        await readings.insert(conn, reading_id, source_id, "made by hand")
        await passages.insert_many(conn, reading_id, source_id, [Passage(at, "a" * 200_000) for at in range(25)])
        first = await passages.list_from(conn, reading_id, 0, 500)
        rest = await passages.list_from(conn, reading_id, first[-1].ordinal + 1, 500)
        assert await passages.next_ordinal(conn, reading_id, first[-1].ordinal) == rest[0].ordinal
        assert await passages.next_ordinal(conn, reading_id, rest[-1].ordinal) is None
    assert sum(len(one.text) for one in first) == passages.TOGETHER_CHARS
    assert [one.ordinal for one in (*first, *rest)] == list(range(25))

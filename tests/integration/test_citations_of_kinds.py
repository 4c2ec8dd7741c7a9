"""S1-53 for every kind: a citation names chunk, source and place, and its quote is a slice of the chunk with its cosine."""

from typing import Any

import pytest

from sourcebook_core import kinds
from sourcebook_core import settings as core_settings
from tests import rows
from tests.fakes import office_files, pdf_files, recordings
from tests.fakes.pictures import file_of, sheet
from tests.fakes.provider import FakeProvider
from tests.fakes.script import Reply
from tests.fakes.website import ARTICLE, Answer, Website
from tests.ingest_rig import library
from tests.rag_rig import desk

SAID = ((0.0, 40.0, "The weather was fair on that day and nobody spoke of it."), (40.0, 70.0, "The ferry of Wincham sank in a storm."))
PLACES = ("page", "heading", "sheet", "rows", "start_ms", "end_ms")


@pytest.fixture
def fake(fake: FakeProvider) -> FakeProvider:
    fake.script.write_with(lambda request: "The brewery of Byron burnt down.\n=== DESCRIPTION ===\nA grey field.")
    fake.script.add(Reply(kind="transcriptions", segments=SAID, times=0))
    return fake


def sources(site: Website) -> dict[str, tuple[dict[str, Any], str, dict[str, Any]]]:
    """For each kind what is added, the sentence that is asked for, and the place that its citation must name."""
    lines = ["Words of a page that tell about nothing in particular, in a long line.", "The weir of Lindow was mended in May."]
    site.pages["/baikal"] = Answer(ARTICLE.encode())
    table = [["Mill", "Opened"], ["Hall", 1901], ["Quarry Bank", 1784]]
    return {
        "pdf": ({"content": pdf_files.pages_of([pdf_files.words(line) for line in lines])}, lines[1], {"page": 2}),
        "markdown": (
            {"content": b"# Lakes\n\nNo word of it.\n\n## Bridges\n\nThe bridge of Dane has seven arches.\n"},
            "The bridge of Dane has seven arches.", {"heading": "Lakes > Bridges"},
        ),
        "text": ({"content": b"The tower of Hulme leans to the north."}, "The tower of Hulme leans to the north.", {}),
        "slides": (
            {"kind": "office", "content": office_files.slides(3), "media_type": kinds.PPTX.media_type},
            "Say that the listed one is of 1851.", {"page": 1, "heading": "Weirs of the Dane"},
        ),
        "table": (
            {"kind": "office", "content": office_files.workbook({"Mills": table}), "media_type": kinds.XLSX.media_type},
            "Quarry Bank | 1784", {"sheet": "Mills", "rows": (3, 3)},
        ),
        "image": ({"content": file_of(sheet(7), "PNG"), "media_type": "image/png"}, "The brewery of Byron burnt down.", {}),
        "audio": (
            {"content": recordings.tone(70.0), "media_type": "audio/wav"},
            "The ferry of Wincham sank in a storm.", {"start_ms": 40_000, "end_ms": 70_000},
        ),
        "url": ({"url": site.url("/baikal")}, "At its deepest place it is 1,642 metres deep", {"heading": "Lakes > Depth"}),
    }  # fmt: skip


async def test_a_citation_of_every_kind_names_its_chunk_and_place_and_quotes_its_words(
    environment: dict[str, str], fake: FakeProvider
) -> None:
    for role in ("EMBEDDING", "VISION", "SPEECH"):
        environment |= fake.settings(role)
    with Website() as site:
        settings = core_settings.load(environment | {"SOURCEBOOK_EMBEDDING_DIMENSION": "64", "SOURCEBOOK_URL_ALLOW": site.place})
        async with library(settings) as lib, desk(settings) as answering:
            answering.notebook = rows.Notebook(lib.notebook_id, lib.owner_id)
            asked = sources(site)
            ids = {}
            for what, (more, _, _) in asked.items():
                asked_for: dict[str, Any] = {"kind": what, **({} if "url" in more else {"name": f"{what}.file"}), **more}
                ids[what] = await lib.add(**asked_for)
            for what, source_id in ids.items():
                row = await lib.ended(source_id, 90)
                assert row["status"] == "ready", (what, row["error_message"])
            for what, (_, sentence, place) in asked.items():
                answered = await answering.answer(f"What is said of this: {sentence}", source_ids=[str(ids[what])])
                assert answered.citations, (what, answered.turn.answer)
                cited = next((one for one in answered.citations if sentence.split(",")[0] in (one.quote or "")), None)
                assert cited is not None, (what, [one.quote for one in answered.citations])
                chunks = {chunk["id"]: chunk for chunk in await lib.chunks(ids[what])}
                assert cited.source_id == ids[what] and cited.chunk_id in chunks, what
                assert cited.quote and cited.quote in chunks[cited.chunk_id]["text"], (what, cited.quote)
                assert cited.similarity is not None and -1 <= cited.similarity <= 1, what
                named = {name: getattr(cited, name) for name in PLACES if getattr(cited, name) is not None}
                assert named == place, what

"""HTML whose words the main text leaves out: said twice in a row, in no paragraph, in a footer. A file's words are all kept."""

from collections.abc import AsyncIterator

import pytest

from sourcebook_core import kinds
from sourcebook_core import settings as core_settings
from tests.fakes.website import Answer, Website
from tests.ingest_rig import Library, library

CLAUSE = "The operator keeps the wheel clear of ice, and whoever finds it frozen tells the owner on the same day. "
LOOSE = "".join(f"Sentence {number} tells of the mill at Lindow and of its owners.<br><br>" for number in range(40))
FILES = {
    "repeated.html": (f"<article><h1>Duties</h1>{f'<p>{CLAUSE * 3}</p>' * 5}</article>", "keeps the wheel", 15),
    "loose.html": (LOOSE, "tells of the mill", 40),
    "rows.html": ("<h1>Rain</h1><table>" + "<tr><td>rain at Lindow</td><td>1</td></tr>" * 9 + "</table>", "rain at Lindow", 9),
    "list.html": ("<h1>Terms</h1><dl>" + "<dt>Weir</dt><dd>see the mill above</dd>" * 9 + "</dl>", "see the mill above", 9),
}


@pytest.fixture
async def lib(environment: dict[str, str], site: Website) -> AsyncIterator[Library]:
    async with library(core_settings.load(environment | {"SOURCEBOOK_URL_ALLOW": site.place})) as made:
        yield made


async def words(lib: Library, source_id: object) -> str:
    return " ".join("".join(passage["text"] for passage in await lib.passages(source_id)).split())  # type: ignore[arg-type]


async def test_an_html_file_loses_no_word_that_it_says_again_or_in_no_paragraph(lib: Library) -> None:
    ids = {
        name: await lib.add("office", f"<html><body>{body}</body></html>".encode(), name=name, media_type=kinds.HTML.media_type)
        for name, (body, _, _) in FILES.items()
    }
    for name, source_id in ids.items():
        row = await lib.ended(source_id)
        assert row["status"] == "ready", (name, row["error_message"])
        _, said, times = FILES[name]
        assert (await words(lib, source_id)).count(said) == times, name


async def test_a_saved_page_is_read_without_its_menus(lib: Library) -> None:
    menu = "<nav><ul>" + "".join(f"<li><a href='/{n}'>Shop number {n}</a></li>" for n in range(40)) + "</ul></nav>"
    article = f"<article><h1>Duties</h1><p>{CLAUSE}</p><p>The weir is mended in May, when the water is low.</p></article>"
    page = f"<html><body>{menu}{article}</body></html>"
    source_id = await lib.add("office", page.encode(), name="saved.html", media_type=kinds.HTML.media_type)
    assert (await lib.ended(source_id))["status"] == "ready"
    text = await words(lib, source_id)
    assert "keeps the wheel" in text and "Shop number" not in text


async def test_an_old_page_whose_words_stand_in_no_paragraph_is_read(lib: Library, site: Website) -> None:
    site.pages["/old"] = Answer(f"<html><head><title>The mill</title></head><body><font>{LOOSE}</font></body></html>".encode())
    source_id = await lib.add("url", url=site.url("/old"))
    row = await lib.ended(source_id)
    assert (row["status"], row["title"]) == ("ready", "The mill"), row["error_message"]
    assert (await words(lib, source_id)).count("tells of the mill") == 40

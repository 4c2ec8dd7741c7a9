"""What a person keeps on the page: notes with live marks, the guide of a notebook, and files to take along."""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Locator, Page, expect

from tests.e2e.page_rig import Site, Visit, ask, names_of, number_of, plain
from tests.fakes.script import Request
from tests.rig import until

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

LAKE = "# Lake report\n\n## Depth\n\nThe lake is 40 metres deep at its middle. Divers measured it in 1968.\n"
MILL = "# The mill\n\n## Closing\n\nThe mill closed in 1931. It employed 212 people in its best year.\n"


@pytest.fixture(scope="module")
def at(writing_site: Site) -> Site:
    """The stack of this module."""
    return writing_site


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def lake(at: Site) -> str:
    """A notebook with two sources, read."""
    return await at.notebook("What is kept of the lake", ("Lake report", LAKE), ("The mill", MILL))


def two_sentences(request: Request) -> str:
    """A sentence that is found and one whose number differs."""
    return (
        f"The lake is 40 metres deep at its middle [{number_of(request, '40 metres')}]. "
        f"The mill closed in 1941 [{number_of(request, 'closed in 1931')}]."
    )


async def until_named(note: Locator, expected: list[str]) -> None:
    """Wait until the marks of a note have these names."""

    async def are_named() -> bool:
        return await names_of(note) == expected

    await until(are_named, what=f"the marks {expected}")


async def saved(at: Site, visit: Visit, lake: str) -> Page:
    """An answer kept as a note, which is open beside the chat."""
    at.fake.script.write_with(two_sentences)
    page = await visit.chat(lake)
    turn = await ask(page, "How deep is the lake at its middle, and when did the mill close?")
    await page.wait_for_url("**/c/*")
    await turn.get_by_test_id("save-note").click()
    await page.get_by_test_id("toast").get_by_role("button", name="Open").click()
    await page.get_by_test_id("note-text").wait_for()
    return page


async def test_an_answer_is_kept_as_a_note_with_the_same_marks_and_a_card_and_a_way_to_the_passage(
    at: Site, visit: Visit, lake: str
) -> None:
    """State 29."""
    page = await saved(at, visit, lake)
    note = page.get_by_test_id("note-text")
    expected = await names_of(page.get_by_test_id("answer").last)
    assert [name.split(", ", 1)[1] for name in expected] == ["found in source", "number differs"], expected
    await until_named(note, expected)
    mark = note.get_by_test_id("mark").first
    await mark.hover()
    card = page.get_by_test_id("citation-card")
    assert "40 metres deep" in plain(await card.get_by_test_id("quote").inner_text())
    await page.keyboard.press("Escape")
    await card.wait_for(state="hidden")
    await page.reload()
    await mark.wait_for()
    await until_named(note, expected)
    await page.get_by_test_id("note-text").get_by_test_id("mark").first.click()
    await page.get_by_test_id("highlight").first.wait_for()
    await page.get_by_test_id("reader-back").click()
    await page.get_by_test_id("note-text").wait_for()
    visit.watched.assert_calm()


async def test_sentences_that_were_changed_are_marked_as_yours_and_what_is_written_is_kept_by_itself(
    at: Site, visit: Visit, lake: str
) -> None:
    """State 29: rich text, edited sentences *yours*."""
    page = await saved(at, visit, lake)
    await page.get_by_test_id("note-edit").click()
    area = page.get_by_test_id("note-area")
    text = await area.input_value()
    assert "[^1]" in text, text
    await area.fill(f"{text}\n\nAsk Ada about the **shore**.")
    await page.get_by_test_id("note-title").fill("Depth and closing")
    await page.get_by_test_id("note-edit").click()
    own = page.get_by_test_id("yours")
    await own.first.wait_for()
    said = plain(" ".join(await own.all_inner_texts()))
    assert "Ask Ada about the" in said and "yours" in said and "40 metres" not in said, said
    await page.reload()
    await page.get_by_role("heading", name="Depth and closing").wait_for()
    await own.first.wait_for()
    visit.watched.assert_calm()


async def test_a_note_becomes_a_source_and_a_deleted_one_comes_back(at: Site, visit: Visit, lake: str) -> None:
    """State 29."""
    page = await saved(at, visit, lake)
    more = page.get_by_test_id("note").get_by_role("button", name="More for")
    await more.click()
    await page.get_by_role("menuitem", name="Turn into source").click()
    await page.get_by_test_id("note").get_by_text("This note is a source of the notebook.").wait_for()
    await until(lambda: len(at.sources(lake)) == 3, what="the note among the sources")
    await at.read(lake)
    await more.click()
    await page.get_by_role("menuitem", name="Delete").click()
    await page.get_by_test_id("note").wait_for(state="hidden")
    await page.get_by_test_id("toast").get_by_role("button", name="Undo").click()
    await page.get_by_test_id("note-row").first.wait_for()


async def test_a_note_of_ones_own_is_begun_in_the_studio_and_words_of_a_source_are_kept_with_a_mark(
    at: Site, visit: Visit, lake: str
) -> None:
    """States 25 and 29."""
    page = await visit.chat(lake)
    await page.get_by_test_id("new-note").click()
    await page.get_by_test_id("note-area").fill("Only mine.")
    await page.get_by_test_id("note-edit").click()
    await page.get_by_test_id("note-text").get_by_text("Only mine.").wait_for()
    source = next(one for one in at.sources(lake) if one["title"] == "Lake report")
    await page.goto(f"{at.address}/n/{lake}/s/{source['id']}")
    words = page.get_by_text("Divers measured it in 1968").first
    await words.wait_for()
    await page.evaluate(
        """() => { const walk = document.createTreeWalker(document.querySelector("[data-stored]"), NodeFilter.SHOW_TEXT);
        for (let node = walk.nextNode(); node; node = walk.nextNode()) { const at = node.data.indexOf("Divers measured it in 1968.");
          if (at < 0) continue; const range = document.createRange(); range.setStart(node, at); range.setEnd(node, at + 27);
          getSelection().removeAllRanges(); getSelection().addRange(range); return; } }"""
    )
    await page.get_by_test_id("save-selection").click()
    await page.get_by_test_id("toast").get_by_text("Saved to your notes.").wait_for()
    kept = at.api.get(f"/notebooks/{lake}/notes").json()["items"]
    assert any(cited["quote"] == "Divers measured it in 1968." for one in kept for cited in one["citations"]), kept
    visit.watched.assert_calm()


async def test_the_guide_of_a_notebook_fills_the_box_and_sends_nothing(at: Site, visit: Visit, lake: str) -> None:
    """State 10."""
    page = await visit.chat(lake)
    guide = page.get_by_test_id("guide")
    await guide.wait_for(timeout=60_000)
    await until(lambda: at.api.get(f"/notebooks/{lake}/guide").json()["state"] == "ready", 60, "the guide")
    whose = re.compile("Written by the model from your sources|Quoted from your sources")
    await expect(guide).to_contain_text(whose, timeout=60_000)
    questions = guide.get_by_test_id("guide-question")
    if await questions.count() > 0:
        asked = len(at.asked())
        text = plain(await questions.first.inner_text())
        await questions.first.click()
        await expect(page.get_by_test_id("composer")).to_have_value(text)
        assert await page.get_by_test_id("turn").count() == 0 and len(at.asked()) == asked


async def test_a_notebook_its_bibliography_and_a_conversation_are_taken_along_as_files(at: Site, visit: Visit, lake: str) -> None:
    """K10 on the page."""
    at.fake.script.write_with(two_sentences)
    page = await visit.chat(lake)
    await ask(page, "How deep is the lake?")
    await page.wait_for_url("**/c/*")

    async def file_of(item: str) -> tuple[str, bytes]:
        async with page.expect_download() as begun:
            await page.get_by_role("menuitem", name=item).click()
        kept = await begun.value
        return kept.suggested_filename, Path(await kept.path()).read_bytes()

    await page.get_by_role("button", name="Export", exact=True).click()
    name, raw = await file_of("Export the notebook")
    assert name.endswith(".zip") and zipfile.ZipFile(io.BytesIO(raw)).namelist()
    await page.get_by_role("button", name="Export", exact=True).click()
    assert b"Lake report" in (await file_of("Sources as BibTeX"))[1]
    await page.get_by_test_id("open-conversations").click()
    await page.get_by_test_id("conversation-row").first.get_by_role("button").click()
    name, raw = await file_of("Export as Word document")
    assert name.endswith(".docx") and raw[:2] == b"PK"
    visit.watched.assert_calm()

"""From a mark to the words of the source and back: PDF pages, hyphenated words, texts with emoji, passages without a quote."""

from __future__ import annotations

from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Locator, Page, expect

from tests.e2e.page_files import filler, pdf
from tests.e2e.page_rig import PATIENCE_MS, Site, Visit, ask, has_focus, number_of, plain
from tests.rig import until

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

SPRINGS = "The hydrological survey of 1987 counted 4,711 springs in the upper valley."
EMOJI = (
    "👩‍🔬🏔️ e\u0301tude A\u030angstro\u0308m 𝔸. The summit of 🏔️ Cafe\u0301berg lies at 2,410 metres. " + "Snow falls on the ridge. " * 300
)

IN_VIEW = """boxes => boxes.map(box => {
    const own = box.getBoundingClientRect(), page = box.closest("[data-page]").getBoundingClientRect();
    const view = box.closest("[data-testid=reader-scroller]").getBoundingClientRect();
    const inside = own.left >= view.left - 1 && own.right <= view.right + 1 && own.top >= view.top - 1 && own.bottom <= view.bottom + 1
      && own.top >= 0 && own.bottom <= innerHeight;
    return { inside, page: Number(box.closest("[data-page]").dataset.page),
      x0: (own.left - page.left) / page.width, x1: (own.right - page.left) / page.width,
      y0: (own.top - page.top) / page.height, y1: (own.bottom - page.top) / page.height };
})"""


@pytest.fixture(scope="module")
def at(writing_site: Site) -> Site:
    """The stack of this module."""
    return writing_site


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def survey(at: Site) -> str:
    """A notebook with one PDF of eight pages; near the top of the sixth stands a sentence over two lines with a parted word."""
    pages = [filler(page) for page in range(1, 9)]
    pages[5][1:1] = ["", "The hydro-", "logical survey of 1987 counted 4,711 springs in the upper valley.", ""]
    notebook = at.api.notebook("Survey")
    assert at.api.upload(notebook, ("survey.pdf", pdf(pages, title="Survey"))).status_code == 202
    read = await at.read(notebook)
    assert [one["status"] for one in read] == ["ready"], read
    return notebook


def share(shown: list[dict[str, Any]], wanted: list[dict[str, Any]]) -> float:
    """How much of the wanted boxes' area the shown ones cover (boxes of one line do not overlap each other)."""

    def overlap(a: dict[str, Any], b: dict[str, Any]) -> float:
        wide, high = min(a["x1"], b["x1"]) - max(a["x0"], b["x0"]), min(a["y1"], b["y1"]) - max(a["y0"], b["y0"])
        return float(wide * high) if wide > 0 and high > 0 else 0.0

    area = sum((box["x1"] - box["x0"]) * (box["y1"] - box["y0"]) for box in wanted)
    return sum(overlap(box, other) for box in wanted for other in shown) / float(area)


async def until_marked(highlight: Locator, words: str) -> None:
    """Wait until these words, and no others, are marked."""

    async def are_marked() -> bool:
        return "".join(await highlight.all_text_contents()) == words

    await until(are_marked, what=f"the mark of {words!r}")


async def scroll_of(page: Page) -> float:
    """How far the conversation is scrolled."""
    return float(await page.get_by_test_id("messages").evaluate("box => box.scrollTop"))


async def test_a_click_opens_the_right_page_with_the_words_marked_in_view_and_back_restores_scroll_and_focus(
    at: Site, visit: Visit, survey: str
) -> None:
    """Check 12 for a PDF, with a word that is parted at the line's end."""
    at.fake.script.write_with(
        lambda request: "\n\n".join([*filler(3), f"{SPRINGS[:-1]} [{number_of(request, '4,711')}].", *filler(4)])  # a long answer
    )
    page = await visit.chat(survey)
    turn = await ask(page, "How many springs did the survey count?")
    mark = turn.get_by_test_id("mark").first
    assert "found in source" in (await mark.get_attribute("aria-label") or "")
    await mark.scroll_into_view_if_needed()
    await page.get_by_test_id("messages").evaluate("box => box.scrollBy({ top: 37, behavior: 'instant' })")
    before = await scroll_of(page)
    assert before > 100
    await mark.click()
    boxes = page.locator("[data-testid=highlight] [data-box]")
    await boxes.first.wait_for()
    citation = at.last_turn(survey)["citations"][0]
    assert citation["page"] == 6
    assert plain(citation["quote"]) == SPRINGS
    query = f"start={citation['start']}&end={citation['end']}&reading={citation['reading_id']}"
    wanted = at.api.get(f"/sources/{citation['source_id']}/pages/6/boxes?{query}").json()
    assert wanted["highlight"]
    assert len(wanted["items"]) == 2, "the sentence stands on two lines"

    async def in_view() -> list[dict[str, Any]] | None:
        shown: list[dict[str, Any]] = await boxes.evaluate_all(IN_VIEW)
        return shown if shown and all(one["inside"] for one in shown) else None

    shown = await until(in_view, PATIENCE_MS / 1000, "the highlight to be in view")
    assert {one["page"] for one in shown} == {6}
    assert share(shown, wanted["items"]) >= 0.9, (shown, wanted)
    await expect(page.get_by_test_id("reader-page")).to_have_value("6")
    await page.get_by_test_id("reader-back").click()
    await page.get_by_test_id("reader").wait_for(state="hidden")
    await until(lambda: has_focus(mark), what="focus on the mark")

    async def is_back() -> bool:
        return abs(await scroll_of(page) - before) <= 2

    await until(is_back, what="the conversation to be scrolled as before")
    visit.watched.assert_calm()


async def test_a_text_that_begins_with_emoji_and_combining_marks_is_marked_at_the_very_words(at: Site, visit: Visit) -> None:
    """Check 14."""
    notebook = await at.notebook("Summit", ("Emoji", EMOJI))
    at.fake.script.write_with(lambda request: f"The summit of Cafe\u0301berg lies at 2,410 metres [{number_of(request, '2,410')}].")
    page = await visit.chat(notebook)
    turn = await ask(page, "How high is the summit?")
    mark = turn.get_by_test_id("mark").first
    await mark.click()
    highlight = page.get_by_test_id("highlight")
    await highlight.first.wait_for()
    quote = at.last_turn(notebook)["citations"][0]["quote"]
    assert quote.startswith("👩‍🔬🏔️ e\u0301tude A\u030a") and quote.endswith("lies at 2,410 metres.")
    await until_marked(highlight, quote)
    whole = "one => { const r = one.getBoundingClientRect(); return r.top >= 0 && r.bottom <= innerHeight }"
    await until(lambda: highlight.first.evaluate(whole), what="the marked words in view")
    await page.keyboard.press("Backspace")
    await page.get_by_test_id("reader").wait_for(state="hidden")
    await until(lambda: has_focus(mark), what="focus on the mark")
    visit.watched.assert_calm()


async def test_a_citation_that_was_not_found_opens_its_passage_without_a_highlight(at: Site, visit: Visit, survey: str) -> None:
    """Check 13."""
    at.fake.script.write_with(lambda request: f"Elephants dance on purple mountains every Tuesday [{number_of(request, '4,711')}].")
    page = await visit.chat(survey)
    turn = await ask(page, "What do elephants do about springs and the survey?")
    mark = turn.get_by_test_id("mark").first
    assert "not found in source" in (await mark.get_attribute("aria-label") or "")
    await mark.click()
    await page.get_by_test_id("beside").first.wait_for()
    assert await page.get_by_test_id("highlight").count() == 0
    assert "Not found in source." in plain(await page.get_by_test_id("reader-verdict").inner_text())
    passage = at.last_turn(survey)["citations"][0]["page"]
    shown = page.locator(f"[data-page='{passage}']")
    partly = "one => { const r = one.getBoundingClientRect(); return r.top < innerHeight && r.bottom > 0 }"
    await until(lambda: shown.evaluate(partly), what="the passage in view")
    visit.watched.assert_calm()


async def test_the_mark_of_a_source_that_left_the_notebook_is_struck_through_and_opens_no_reader(at: Site, visit: Visit) -> None:
    """Check 16, first half."""
    notebook = await at.notebook("Owls", ("Owl", "# Owl\n\nThe eagle owl hunts at dusk."), ("Heron", "# Heron\n\nThe heron eats fish."))
    at.fake.script.write_with(lambda request: f"The eagle owl hunts at dusk [{number_of(request, 'eagle owl')}].")
    page = await visit.chat(notebook)
    await ask(page, "When does the eagle owl hunt?")
    await page.wait_for_url("**/c/*")
    source = at.last_turn(notebook)["citations"][0]["source_id"]
    assert at.api.delete(f"/notebooks/{notebook}/sources/{source}").status_code == 204
    await page.reload()
    mark = page.get_by_test_id("mark").first
    await expect(mark).to_have_attribute("aria-label", "Source 1, source removed")
    await mark.click()
    assert "Source removed. It is no longer in this notebook." in plain(await page.get_by_test_id("citation-card").inner_text())
    assert await page.get_by_test_id("reader").count() == 0
    visit.watched.assert_calm()


async def test_a_quote_of_an_earlier_reading_is_shown_in_that_reading_with_a_word_about_the_new_one(at: Site, visit: Visit) -> None:
    """Check 16, second half."""
    notebook = await at.notebook("Storks", ("Stork", "# Stork\n\nThe white stork nests on chimneys."))
    at.fake.script.write_with(lambda request: f"The white stork nests on chimneys [{number_of(request, 'stork nests')}].")
    page = await visit.chat(notebook)
    await ask(page, "Where does the white stork nest?")
    await page.wait_for_url("**/c/*")
    citation = at.last_turn(notebook)["citations"][0]
    assert at.api.post(f"/sources/{citation['source_id']}/reread").status_code in (200, 202)
    await until(lambda: at.sources(notebook)[0]["reading_id"] != citation["reading_id"], 60, "another reading")
    await at.read(notebook)
    await page.reload()
    await page.get_by_test_id("mark").first.click()
    earlier = page.get_by_test_id("earlier-reading")
    await earlier.get_by_text("This quote is from the reading of").wait_for()
    highlight = page.get_by_test_id("highlight")
    await highlight.first.wait_for()
    await until_marked(highlight, citation["quote"])
    await earlier.get_by_role("button").click()
    await earlier.wait_for(state="hidden")
    await highlight.first.wait_for()
    await until_marked(highlight, citation["quote"])
    visit.watched.assert_calm()

"""Find, how it was found, and what was not: from the words to the passage, and from a question without an answer to a test question."""

from __future__ import annotations

import pytest
import pytest_asyncio
from playwright.async_api import Page, expect

from tests.e2e.page_rig import Site, Visit, ask, has_focus, number_of, plain
from tests.fakes.script import Reply
from tests.rig import until

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

LAKE = (
    "# Lake report\n\n## Depth\n\n👩‍🔬 The lake is 40 metres deep at its middle.\n\n## Fish\n\n"
    "Perch and pike live in the lake; the pike were counted in 1987.\n"
)
# Words that no other module has: on their stack the same text would be the same source, under the name of another notebook.
MILL = "# The mill\n\nThe paper mill of Seebach closed in 1931. It employed 212 vatmen in its best year.\n"
UNKNOWN = "Who owns the ferry across the lake?"
NONSENSE = "xyzzy plugh frobnicate"


@pytest.fixture(scope="module")
def at(writing_site: Site) -> Site:
    """The stack of this module."""
    return writing_site


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def lake(at: Site) -> str:
    """A notebook with the lake; nothing in it is near the nonsense."""
    for words in ("deep at its middle", "Perch and pike"):
        at.fake.script.pins.pin(NONSENSE, words, 0.0)
    return await at.notebook("The lake to search", ("Lake report", LAKE))


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def mill(at: Site) -> str:
    """Another notebook, with the mill."""
    return await at.notebook("The mill to search", ("Mill report", MILL))


async def marked(page: Page) -> str:
    """The words that the reader marks."""
    await page.get_by_test_id("highlight").first.wait_for()
    return plain("".join(await page.get_by_test_id("highlight").all_inner_texts()))


async def test_find_opens_the_reader_on_the_words_and_back_leads_to_the_result(visit: Visit, lake: str) -> None:
    """The address holds the query; arrows, j and Enter do all of it."""
    page = await visit.tab(f"/find?n={lake}")
    await page.get_by_test_id("find-words").press_sequentially("deep middle")
    result = page.get_by_test_id("find-result").first
    await result.wait_for()
    await page.wait_for_url("**/find?*q=deep+middle*")
    await expect(result.locator("mark")).to_have_text(["deep", "middle"], use_inner_text=True)
    await page.keyboard.press("ArrowDown")
    await until(lambda: has_focus(result.get_by_role("link")), what="the arrow to lead from the field to the results")
    await page.keyboard.press("Enter")
    assert await marked(page) == "deep at its middle"
    await page.get_by_role("button", name="Back to the results").click()
    await result.wait_for()
    await expect(page.get_by_test_id("find-words")).to_have_value("deep middle")
    await until(lambda: has_focus(page.get_by_test_id("find-result").first.get_by_role("link")), 30, "the focus to be where it was")
    visit.watched.assert_calm()


async def test_find_in_all_notebooks_names_each_and_a_phrase_finds_only_its_words(visit: Visit, lake: str, mill: str) -> None:
    """What finds nothing says what to do, and leads from one notebook to all."""
    page = await visit.tab(f"/find?n={lake}&q=%22Seebach+closed%22")
    await page.get_by_test_id("find-nothing").get_by_role("button", name="Search in all my notebooks").click()
    result = page.get_by_test_id("find-result").filter(has_text="The mill to search")
    await result.first.wait_for()
    await expect(result.first.locator("mark").first).to_have_text("Seebach closed")
    await expect(result).to_have_count(1)
    await expect(page.get_by_test_id("find")).to_contain_text("by words only")
    await page.get_by_test_id("find-words").fill("vatm*")
    await expect(result.first.locator("mark").last).to_have_text("vatmen")
    await page.go_back()
    await expect(page.get_by_test_id("find-words")).to_have_value('"Seebach closed"')


async def test_how_it_was_found_tells_words_and_places_and_opens_a_passage(at: Site, visit: Visit, lake: str) -> None:
    """State 27 after an answer; back from the reader it is there again, closed it gives the focus back."""
    at.fake.script.write_with(lambda request: f"The pike were counted in 1987 [{number_of(request, 'pike')}].")
    page = await visit.chat(lake)
    turn = await ask(page, "When were the pike counted?")
    await turn.get_by_test_id("how-found").click()
    why = page.get_by_test_id("why")
    candidate = why.get_by_test_id("why-candidate").first
    await candidate.wait_for()
    words = plain(await why.get_by_test_id("why-words").inner_text())
    assert "pike in 1" in words and "counted in 1" in words, words
    told = plain(await why.inner_text())
    assert "In 1 source with" in told and "The mark on it is what is needed: 0.05." in told, told
    await expect(candidate).to_contain_text("Given to the answer")
    await candidate.get_by_role("button").click()
    await candidate.get_by_test_id("why-open").click()
    assert "pike were counted in 1987" in await marked(page)
    await page.get_by_test_id("reader-back").click()
    await why.get_by_test_id("why-candidate").first.wait_for()
    await page.keyboard.press("Escape")
    await why.wait_for(state="detached")
    await until(lambda: has_focus(page.get_by_test_id("how-found").last), 30, "the focus to be at what opened it")
    visit.watched.assert_calm()


async def test_a_question_that_found_nothing_says_why_and_becomes_a_test_question(at: Site, visit: Visit, lake: str) -> None:
    """From the answer that is none to the list of its owner, to a test, and back."""
    at.fake.script.add(Reply(text="NOT_COVERED\nThe sources do not say it."))
    page = await visit.chat(lake)
    turn = await ask(page, NONSENSE)
    await turn.get_by_test_id("why-nothing").click()
    why = page.get_by_test_id("why")
    await why.get_by_test_id("why-words").wait_for()
    told = plain(await why.inner_text())
    assert "frobnicate in none" in told and "None of 2 passages was near enough. These came closest:" in told, told
    assert "Left out: too far in meaning" in await why.get_by_test_id("why-candidate").first.inner_text()
    await page.keyboard.press("Escape")

    await page.get_by_role("button", name="Settings of this notebook").click()
    await expect(page.get_by_test_id("notebook-settings")).to_contain_text("1 open")
    await page.get_by_test_id("to-misses").click()
    miss = page.get_by_test_id("miss").filter(has_text=NONSENSE)
    await expect(miss).to_contain_text("Sources do not say it")
    await miss.get_by_role("button", name="Make it a test").click()
    await page.get_by_label("Nothing should be found").check()
    await page.get_by_role("button", name="Save").click()
    await page.get_by_test_id("misses-empty").wait_for()
    await page.get_by_role("tab", name="Test questions").click()
    await expect(page.get_by_test_id("test-question")).to_contain_text("Nothing should be found")
    assert await page.get_by_test_id("eval-command").inner_text() == f"sourcebook eval run --notebook {lake}"
    assert [one["kind"] for one in at.api.get(f"/notebooks/{lake}/questions").json()["items"]] == ["unanswerable"]
    visit.watched.assert_calm()


async def test_a_question_the_sources_do_not_cover_is_solved_opened_again_and_leads_to_its_answer(
    at: Site, visit: Visit, lake: str
) -> None:
    """The filter keeps the solved ones apart."""
    at.fake.script.add(Reply(text="NOT_COVERED\nThe sources do not say who owns the ferry."))
    page = await visit.chat(lake)
    await ask(page, UNKNOWN)
    await page.goto(f"{at.address}/n/{lake}/questions")
    miss = page.get_by_test_id("miss").filter(has_text=UNKNOWN)
    await expect(miss).to_contain_text("Sources do not say it")
    await miss.get_by_role("button", name="Solved").click()
    await miss.wait_for(state="detached")
    await page.get_by_label("Solved").check()
    await miss.get_by_role("button", name="Open again").click()
    await miss.wait_for(state="detached")
    await page.get_by_label("Open", exact=True).check()
    await miss.get_by_role("button", name="See the answer").click()
    await expect(page.get_by_test_id("question").last).to_have_text(UNKNOWN)
    visit.watched.assert_calm()

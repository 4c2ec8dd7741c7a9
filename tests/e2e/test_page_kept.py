"""What stands under an answer and what a person keeps of it: versions, lengths, reasons, each source by itself, other profiles, usage."""

from __future__ import annotations

import pytest
import pytest_asyncio
from playwright.async_api import expect

from tests.e2e.page_rig import Site, Visit, ask, number_of, plain, send
from tests.fakes.script import Reply, Request
from tests.rig import until

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

# Not the text of another module, whose name for the same source would stand on the stack that they share.
LAKE = "# Lake report\n\nThe lake is 40 metres deep at its middle. Divers measured it with a rope in 1968.\n"
MILL = "# The mill\n\nThe mill at the lake closed in 1931. It employed 212 people in its best year.\n"
FERRY = "# The ferry\n\nThe ferry crosses the lake four times a day in summer.\n"


@pytest.fixture(scope="module")
def at(writing_site: Site) -> Site:
    """The stack of this module."""
    return writing_site


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def lake(at: Site) -> str:
    """A notebook with three sources, read."""
    return await at.notebook("The lake and its shore", ("Lake report", LAKE), ("The mill", MILL), ("The ferry", FERRY))


def depth(request: Request) -> str:
    """One sentence of the lake report."""
    return f"The lake is 40 metres deep at its middle [{number_of(request, '40 metres')}]."


async def test_versions_of_an_answer_are_kept_and_can_be_gone_through_also_after_a_reload(at: Site, visit: Visit, lake: str) -> None:
    """State 14: Ask again and Shorter make versions of one question; none is in the prompt of the next."""
    at.fake.script.write_with(lambda request: f"First version. {depth(request)}")
    page = await visit.chat(lake)
    turn = await ask(page, "How deep is the lake at its middle?")
    await page.wait_for_url("**/c/*")
    at.fake.script.write_with(lambda request: f"Second version. {depth(request)}")
    await turn.get_by_test_id("ask-again").click()
    versions = page.get_by_test_id("versions")
    await versions.get_by_text("2/2").wait_for()
    at.fake.script.write_with(lambda request: f"Third, in few words. {depth(request)}")
    await page.get_by_test_id("turn").last.get_by_test_id("shorter").click()
    await versions.get_by_text("3/3").wait_for()
    answer = page.get_by_test_id("answer")
    await expect(answer).to_contain_text("Third, in few words")
    assert "First version" not in at.asked()[-1].said, "an earlier version is no history"
    for _ in range(2):
        await expect(answer).to_have_count(1)
        await expect(answer).to_contain_text("Third, in few words")
        await versions.get_by_role("button", name="Earlier version").click()
        await expect(answer).to_contain_text("Second version")
        await versions.get_by_role("button", name="Earlier version").click()
        await expect(answer).to_contain_text("First version")
        await page.reload()
        await versions.wait_for()
    visit.watched.assert_calm()


async def test_the_last_question_is_edited_with_the_arrow_key_and_its_first_answer_stays_a_version(
    at: Site, visit: Visit, lake: str
) -> None:
    """State 14 and B4: ↑ in the empty box."""
    at.fake.script.write_with(depth)
    page = await visit.chat(lake)
    await ask(page, "How deep is the lake?")
    await page.wait_for_url("**/c/*")
    box = page.get_by_test_id("composer")
    await box.press("ArrowUp")
    await expect(box).to_have_value("How deep is the lake?")
    await box.fill("How deep is the lake at its middle?")
    await box.press("Enter")
    await page.get_by_test_id("versions").get_by_text("2/2").wait_for()
    await expect(page.get_by_test_id("question")).to_have_text(["How deep is the lake at its middle?"], use_inner_text=True)
    await page.get_by_role("button", name="Earlier version").click()
    await expect(page.get_by_test_id("question")).to_have_text(["How deep is the lake?"], use_inner_text=True)


async def test_a_thumb_down_asks_why_and_the_reason_is_kept(at: Site, visit: Visit, lake: str) -> None:
    """State 14: thumbs with a reason, which may be left out."""
    at.fake.script.write_with(depth)
    page = await visit.chat(lake)
    turn = await ask(page, "How deep is it at its middle, the lake?")
    await turn.get_by_role("button", name="This did not help").click()
    await turn.get_by_label("What was wrong or missing?").fill("It leaves out the shore.")
    await page.keyboard.press("Enter")
    await page.get_by_test_id("toast").get_by_text("The owner of this notebook sees it").wait_for()
    assert at.last_turn(lake)["feedback"] == {"value": -1, "note": "It leaves out the shore."}
    await turn.get_by_role("button", name="This helped").click()
    await expect(turn.get_by_test_id("thumbs-reason")).to_have_count(0)
    await until(lambda: at.last_turn(lake)["feedback"] == {"value": 1, "note": None}, 30, "the thumb to be kept")
    visit.watched.assert_calm()


async def test_each_source_is_asked_by_itself_one_after_another_and_the_list_is_kept_as_a_conversation(
    at: Site, visit: Visit, lake: str
) -> None:
    """M28: none of the questions knows of another's answer."""
    at.fake.script.write_with(depth)
    page = await visit.chat(lake)
    turn = await ask(page, "What is told of the lake?")
    assert plain(await turn.get_by_test_id("drew-on").inner_text()) == "Drew on 1 of 3 sources"
    before = len(at.asked())

    def one(request: Request) -> str:
        said = str(request.messages[-1]["content"])
        words = next(words for words in ("40 metres", "closed in 1931", "four times a day") if words in said)
        assert sum(text in said for text in ("40 metres", "closed in 1931", "four times a day")) == 1, "one source at a time"
        return f"It says {words} [{number_of(request, words)}]."

    at.fake.script.write_with(one)
    await turn.get_by_test_id("ask-each").click()
    ahead = page.get_by_test_id("each-ahead")
    await ahead.get_by_text("3 sources are asked one by one: 3 answers").wait_for()
    await page.get_by_test_id("each-cost").get_by_text("What they cost is not known.").wait_for()  # the fake has no price
    picks = page.get_by_test_id("each-choice").get_by_role("checkbox")
    await picks.first.uncheck()
    await ahead.get_by_text("2 sources are asked one by one: 2 answers").wait_for()
    assert len(at.asked()) == before, "nothing is asked without a yes"
    await picks.first.check()
    await page.get_by_test_id("each-ask").click()
    rows = page.get_by_test_id("each-row")
    await page.get_by_text("3 of 3 sources asked").wait_for()
    await expect(rows).to_have_count(3)
    said = plain(" ".join(await rows.all_inner_texts()))
    assert all(words in said for words in ("40 metres", "closed in 1931", "four times a day")), said
    asked = at.asked()[before:]
    assert len(asked) == 3 and not any("It says" in request.said for request in asked), "no answer is in another's prompt"
    await rows.first.get_by_test_id("mark").hover()
    await page.get_by_test_id("citation-card").get_by_test_id("quote").wait_for()
    await page.keyboard.press("Escape")
    await page.get_by_role("button", name="Open as a conversation").click()
    await page.get_by_test_id("versions").get_by_text("3/3").wait_for()
    await expect(page.get_by_test_id("open-conversations")).to_contain_text("Each source: What is told of the lake?")
    visit.watched.assert_calm()


async def test_asking_each_is_stopped_and_goes_on_where_it_was(at: Site, visit: Visit, lake: str) -> None:
    """M28: stoppable; what was answered stays, what was not asked waits."""
    at.fake.script.write_with(depth)
    page = await visit.chat(lake)
    turn = await ask(page, "How deep is the lake, and its shore?")
    at.fake.script.write_with(lambda request: Reply(text="The shore tells a long story" + " and on" * 30, hold="shore", after=20))
    await turn.get_by_test_id("ask-each").click()
    await page.get_by_test_id("each-ask").click()
    await page.get_by_test_id("each-row").get_by_text("The shore tells").wait_for()
    await page.get_by_test_id("each-stop").click()
    await page.locator("[data-testid=each-row][data-state=stopped]").wait_for()
    at.fake.script.release("shore")
    await page.get_by_test_id("each-go-on").wait_for()
    await expect(page.locator("[data-testid=each-row][data-state=waiting]")).to_have_count(2)
    at.fake.script.write_with(lambda request: "Nothing is said.")
    await page.get_by_test_id("each-go-on").click()
    await page.get_by_text("3 of 3 sources asked").wait_for()
    await expect(page.locator("[data-testid=each-row][data-state=nothing]")).to_have_count(2)


async def test_a_product_expert_tells_its_mode_and_evidence_as_words_and_never_a_percentage(at: Site, visit: Visit) -> None:
    """State 14, other profiles."""
    notebook = await at.notebook("Instrument", ("Lake report", LAKE))
    changed = at.api.patch(f"/notebooks/{notebook}", {"profile": "product"})
    assert changed.status_code == 200, changed.text
    at.fake.script.write_with(lambda request: "The lake is deep.")
    page = await visit.chat(notebook)
    turn = await ask(page, "How deep is the lake at its middle?")
    chips = await turn.get_by_test_id("answer-chips").get_by_role("listitem").all_inner_texts()
    assert any(chip.startswith("evidence: ") for chip in chips), chips
    assert "not sure" in chips or "from the product’s own pages" in chips, chips
    assert "%" not in plain(await turn.get_by_test_id("answer-summary").inner_text())


async def test_where_sources_are_hidden_only_numbers_that_stand_nowhere_are_warned_about(at: Site, visit: Visit) -> None:
    """State 14, other profiles: hidden sources."""
    notebook = await at.notebook("Hidden", ("Lake report", LAKE))
    changed = at.api.patch(f"/notebooks/{notebook}", {"profile_settings": {"citations": {"sources": "hidden"}}})
    assert changed.status_code == 200, changed.text
    at.fake.script.write_with(lambda request: "The lake is 40 metres deep and 77 metres wide [1].")
    page = await visit.chat(notebook)
    turn = await ask(page, "How deep and how wide is the lake?")
    assert plain(await turn.get_by_test_id("numbers-warning").inner_text()) == "This number stands in none of the passages used: 77"
    assert await turn.get_by_test_id("mark").count() == 0
    assert await turn.get_by_test_id("marks-meaning").count() == 0


async def test_usage_tells_a_months_calls_by_what_for_and_by_notebook_and_unknown_costs_as_a_dash(
    at: Site, visit: Visit, lake: str
) -> None:
    """State 32."""
    at.fake.script.write_with(depth)
    page = await visit.chat(lake)
    await send(page, "How deep is the lake?")
    await page.get_by_test_id("answer-summary").wait_for()
    await page.get_by_role("button", name="Account").click()
    await page.get_by_role("menuitem", name="Usage").click()
    calls = page.get_by_test_id("usage-calls")
    row = calls.get_by_role("row").filter(has_text="fake-chat").filter(has_text="Writing").filter(has_text="The lake and its shore").first
    said = plain(await row.inner_text())
    assert said.endswith("–"), said
    await expect(page.locator("main")).to_contain_text("Meaning search")
    visit.watched.assert_calm()

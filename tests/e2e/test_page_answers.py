"""The page with a writing model: streaming, marks, cards, stopping, coming back, conversations, copying."""

from __future__ import annotations

import json

import pytest
import pytest_asyncio
from playwright.async_api import Locator, expect

from tests.e2e.page_rig import Site, Visit, ask, has_focus, names_of, number_of, plain, send
from tests.fakes.script import Reply, Request
from tests.rig import until

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

LAKE = """# Lake report

## Depth

The lake is 40 metres deep at its middle. Divers measured it in 1968.

## Water

The water may become warmer in summer. The village of Lindow takes its drinking water from the lake.
"""
MILL = "# The mill\n\nThe mill closed in 1931. It employed 212 people in its best year.\n"
VERDICTS = ["found in source", "number differs", "partly found", "not found in source"]


@pytest.fixture(scope="module")
def at(writing_site: Site) -> Site:
    """The stack of this module."""
    return writing_site


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def lake(at: Site) -> str:
    """A notebook with the lake and the mill, read."""
    return await at.notebook("Lindow", ("Lake report", LAKE), ("The mill", MILL))


def every_verdict(request: Request) -> str:
    """An answer with every verdict, a lost "may" and a sentence without a source."""
    depth, water, mill = (number_of(request, words) for words in ("40 metres", "may become", "closed in 1931"))
    return (
        f"The lake is 40 metres deep at its middle [{depth}]. "
        f"The mill closed in 1941 [{mill}]. "
        f"The water becomes warmer in summer [{water}]. "
        f"Elephants dance on purple mountains every Tuesday [{depth}]. "
        "Nobody knows the name of the first miller."
    )


def divers(request: Request) -> str:
    """One sentence that stands in the lake report."""
    return f"Divers measured it in 1968 [{number_of(request, 'Divers')}]."


def fetched_for_the_card(requests: list[str]) -> list[str]:
    """Requests that tell of a source or a turn; an answer's end lets the lists of the page catch up, whatever is pointed at."""
    return [url for url in requests if "/v1/sources/" in url or "/v1/turns/" in url]


async def test_every_verdict_has_its_mark_word_and_name_and_the_summary_equals_the_checks(at: Site, visit: Visit, lake: str) -> None:
    """Check 10."""
    at.fake.script.write_with(every_verdict)
    page = await visit.chat(lake)
    turn = await ask(page, "Tell me about the lake, its depth, its water and the mill")
    names = await names_of(turn)
    assert [name.split(", ", 1)[1] for name in names] == VERDICTS, names
    for mark in await turn.get_by_test_id("mark").all():
        assert await mark.locator("svg").count() == 1, "a verdict is an icon too, never colour alone"
    assert await turn.get_by_test_id("uncited").count() == 1
    checks = at.last_turn(lake)["checks"]
    summary = plain(await turn.get_by_test_id("answer-summary").inner_text())
    assert f"{checks['found']} of {checks['total']} statements found" in summary, summary
    assert f"{checks['total'] - checks['found']} to check" in summary, summary
    await turn.get_by_test_id("mark").nth(2).hover()
    said = plain(await page.get_by_test_id("citation-card").inner_text())
    assert "Partly found." in said and "“may”" in said, said
    visit.watched.assert_calm()


async def test_the_card_opens_by_pointer_and_focus_without_a_request_and_quotes_the_stored_text(at: Site, visit: Visit, lake: str) -> None:
    """Check 11, after the answer."""
    at.fake.script.write_with(divers)
    page = await visit.chat(lake)
    mark = (await ask(page, "When did divers measure the lake?")).get_by_test_id("mark").first
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    card = page.get_by_test_id("citation-card")
    await mark.hover()
    quote = plain(await card.get_by_test_id("quote").inner_text())
    await page.keyboard.press("Escape")
    await card.wait_for(state="hidden")
    await page.mouse.move(5, 5)
    await mark.focus()
    await card.wait_for()
    await page.keyboard.press("Escape")
    await card.wait_for(state="hidden")
    await until(lambda: has_focus(mark), what="the focus to be on the mark still")
    assert not fetched_for_the_card(requests), requests
    citation = at.last_turn(lake)["citations"][0]
    text = at.api.get(f"/sources/{citation['source_id']}/text").text
    passages = at.api.get(f"/sources/{citation['source_id']}/passages").json()["items"]
    offset = next(one["offset"] for one in passages if one["passage"] == citation["passage"])
    assert text[offset + citation["start"] : offset + citation["end"]] == citation["quote"]
    assert plain(citation["quote"]) in quote
    visit.watched.assert_calm()


async def test_the_card_of_an_answer_that_still_grows_opens_and_says_that_it_is_not_checked(at: Site, visit: Visit, lake: str) -> None:
    """Check 11, while the answer streams."""
    at.fake.script.write_with(lambda request: Reply(text=divers(request) + " And" * 30, hold="rest", after=20))
    page = await visit.chat(lake)
    await send(page, "When did divers measure the lake?")
    mark = page.get_by_test_id("mark").first
    await mark.wait_for()
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    await mark.hover()
    card = page.get_by_test_id("citation-card")
    await expect(card).to_contain_text("Not checked yet")
    assert not fetched_for_the_card(requests), requests
    at.fake.script.release("rest")
    await page.get_by_test_id("answer-summary").wait_for()
    await card.get_by_text("Found in source").wait_for()
    visit.watched.assert_calm()


async def test_stop_stands_where_ask_stood_and_what_was_stopped_is_in_no_later_prompt(at: Site, visit: Visit, lake: str) -> None:
    """Check 7."""
    at.fake.script.add(
        Reply(text="The lake is deep and the canary word is zanzibar and it goes on" + " and on" * 20, hold="more", after=20)
    )
    page = await visit.chat(lake)
    before = await page.get_by_test_id("ask").bounding_box()
    await send(page, "How deep is the lake?")
    stop = page.get_by_test_id("stop")
    await page.get_by_text("zanzibar").wait_for()
    after = await stop.bounding_box()
    assert before and after
    assert all(abs(before[side] - after[side]) <= 1 for side in ("x", "width", "height")), (before, after)
    await page.keyboard.press("Escape")
    stopped = page.get_by_test_id("stopped")
    await stopped.wait_for()
    assert plain(await stopped.inner_text()) == "Stopped. This part stays here and is not used for later questions."
    at.fake.script.release("more")
    at.fake.script.add(Reply(text="It is 40 metres deep [1]."))
    await ask(page, "And in metres?")
    assert "zanzibar" not in at.asked()[-1].said
    await expect(page.get_by_text("zanzibar")).to_have_count(1)
    visit.watched.assert_calm()


async def test_after_a_reload_and_a_closed_tab_in_mid_stream_the_answer_is_whole_and_no_word_stands_twice(
    at: Site, visit: Visit, lake: str
) -> None:
    """Checks 8 and 9."""
    words = [f"word{n}" for n in range(60)]
    at.fake.script.add(Reply(text=" ".join(words) + " [1].", hold="half", after=30))
    page = await visit.chat(lake)
    await send(page, "Say many words about the lake")
    await page.get_by_text("word10").first.wait_for()
    await page.wait_for_url("**/c/*")
    await page.reload()
    await page.get_by_text("word10").first.wait_for()
    address = page.url
    await page.close()
    at.fake.script.release("half")
    again = await visit.tab(address.removeprefix(at.address))
    await again.get_by_test_id("answer-summary").wait_for()
    shown = plain(await again.get_by_test_id("answer").last.inner_text())
    stored = at.last_turn(lake)
    assert stored["status"] == "done"
    assert [word for word in shown.replace(".", " ").split() if word.startswith("word")] == words
    assert [word for word in stored["answer"].replace(".", " ").split() if word.startswith("word")] == words


async def test_a_hostile_answer_reaches_no_other_origin_and_breaks_no_policy(at: Site, visit: Visit, lake: str) -> None:
    """Check 22: while it streams, after it, with its cards, and when it is copied."""
    text = (
        "<script>fetch('http://evil.invalid/a')</script> ![x](http://evil.invalid/b.png) [go](javascript:alert(1)) "
        "<img src=http://evil.invalid/c onerror=alert(2)> <style>@import 'http://evil.invalid/d'</style> "
        "<form action=http://evil.invalid/e><button>ok</button></form> [ref][1]\n\n[1]: http://evil.invalid/f\n\n"
        "<svg onload=alert(3)></svg> <iframe src=http://evil.invalid/g></iframe> The lake is 40 metres deep [1]. "
    )
    at.fake.script.add(Reply(text=text + "More words " * 20, hold="rest", after=60))
    page = await visit.chat(lake)
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: dialogs.append(dialog.message))
    await send(page, "How deep is the lake?")
    await page.get_by_text("metres deep").wait_for()
    at.fake.script.release("rest")
    await page.get_by_test_id("answer-summary").wait_for()
    answer = page.get_by_test_id("answer").last
    text_of = answer.locator("p")
    assert await text_of.locator("script, img, a, form, style, iframe").count() == 0
    assert await text_of.locator("svg").count() == await answer.get_by_test_id("mark").count(), "the only drawings are our signs"
    for mark in await answer.get_by_test_id("mark").all():
        await mark.hover()
        await page.get_by_test_id("citation-card").wait_for()
        await page.keyboard.press("Escape")
    await answer.get_by_test_id("copy-answer").click()
    await page.get_by_text("Copied with its sources as footnotes.").wait_for()
    copied = await clipboard(page.locator("body"))
    assert "<script" not in copied["text/html"] and "<img" not in copied["text/html"]
    assert not dialogs
    visit.watched.assert_calm()


async def test_an_answer_that_the_sources_do_not_give_is_said_so_with_the_closest_quotes_and_no_mark(
    at: Site, visit: Visit, lake: str
) -> None:
    """State 17, and the way from there to how it was found."""
    at.fake.script.add(Reply(text="NOT_COVERED\nThe sources do not say who owns the lake."))
    page = await visit.chat(lake)
    turn = await ask(page, "Who owns the lake at its middle?")
    said = plain(await turn.get_by_test_id("answer").inner_text())
    assert said.startswith("The sources do not say who owns the lake. Closest, but not an answer"), said
    assert await turn.get_by_test_id("mark").count() == 0
    assert "NOT_COVERED" not in said and "##" not in said, said
    closest = turn.get_by_test_id("closest")
    assert 1 <= await closest.get_by_test_id("quote").count() <= 3
    await turn.get_by_test_id("how-found").click()
    await page.get_by_test_id("why").get_by_text("Given to the answer").first.wait_for()
    await page.keyboard.press("Escape")
    await closest.get_by_role("link").first.click()
    await page.get_by_test_id("highlight").first.wait_for()
    visit.watched.assert_calm()


async def clipboard(anything: Locator) -> dict[str, str]:
    """What lies on the clipboard, by type."""
    read = await anything.evaluate(
        """async () => { const found = {}; for (const item of await navigator.clipboard.read())
           for (const type of item.types) found[type] = await (await item.getType(type)).text(); return JSON.stringify(found) }"""
    )
    return dict(json.loads(read))


async def test_copy_gives_markdown_with_footnotes_and_an_html_twin(at: Site, visit: Visit, lake: str) -> None:
    """Check 19, as far as conversations go."""
    at.fake.script.write_with(divers)
    page = await visit.chat(lake)
    turn = await ask(page, "When was the lake measured by divers?")
    await turn.get_by_test_id("copy-answer").click()
    await page.get_by_text("Copied with its sources as footnotes.").wait_for()
    copied = await clipboard(page.locator("body"))
    text, note = copied["text/plain"].split("\n\n")
    assert text == "Divers measured it in 1968 [^1]."
    assert note.startswith("[^1]: Lake report, ") and note.strip().endswith("“Divers measured it in 1968.”"), note
    assert "Lake report" in copied["text/html"] and "<sup>[1]</sup>" in copied["text/html"]


async def test_a_renamed_deleted_and_restored_conversation_shows_the_same_marks_numbers_and_verdicts(
    at: Site, visit: Visit, lake: str
) -> None:
    """Check 18."""
    at.fake.script.write_with(every_verdict)
    page = await visit.chat(lake)
    turn = await ask(page, "What about the lake, its water and the mill?")
    before = await names_of(turn), await turn.get_by_test_id("answer").inner_text()
    await page.wait_for_url("**/c/*")
    await page.get_by_test_id("open-conversations").click()
    row = page.get_by_test_id("conversation-row").filter(has=page.locator("[aria-current=page]"))
    await row.get_by_role("button").click()
    await page.get_by_role("menuitem", name="Rename").click()
    await page.get_by_role("textbox", name="Name").fill("The drowned mill")
    await page.keyboard.press("Enter")
    renamed = page.get_by_test_id("conversation-row").filter(has_text="The drowned mill")
    await renamed.get_by_role("button").click()
    await page.get_by_role("menuitem", name="Delete").click()
    await renamed.wait_for(state="hidden")
    await until(lambda: page.evaluate("document.activeElement !== document.body"), what="the focus to be somewhere after a delete")
    await page.get_by_test_id("toast").get_by_role("button", name="Undo").click()
    await page.wait_for_url("**/c/*")
    await page.reload()
    turn = page.get_by_test_id("turn").last
    await turn.get_by_test_id("answer-summary").wait_for()
    assert (await names_of(turn), await turn.get_by_test_id("answer").inner_text()) == before
    await expect(page.get_by_test_id("open-conversations")).to_contain_text("The drowned mill")
    visit.watched.assert_calm()

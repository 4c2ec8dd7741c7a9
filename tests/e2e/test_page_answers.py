"""The page with a writing model: streaming, marks, cards, the reader, stopping and coming back."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page

from tests.e2e.page_rig import Site, ask, browser, plain, signed_in, site
from tests.fakes.script import Reply
from tests.rig import TestPostgres, until

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

LAKE = """# Lake report

## Depth

The lake is 40 metres deep at its middle. Divers measured it in 1968.

## Water

The water may become warmer in summer. The village of Lindow takes its drinking water from the lake.
"""
MILL = "# The mill\n\nThe mill closed in 1931. It employed 212 people in its best year.\n"


@pytest.fixture(scope="module")
def at(postgres: TestPostgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """One stack with a writing model for this module."""
    with site(postgres, tmp_path_factory.mktemp("answers"), writes=True) as started:
        yield started


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def chromium() -> AsyncIterator[Browser]:
    """One browser for this module."""
    async with browser() as started:
        yield started


@pytest.fixture(autouse=True)
def _fresh_script(at: Site) -> Iterator[None]:
    yield
    at.fake.script.reset()


async def lake(at: Site) -> str:
    """A notebook with the lake and the mill, ready."""
    notebook = at.notebook("Lindow", ("Lake report", LAKE), ("The mill", MILL))
    await at.ready(notebook)
    return notebook


async def open_notebook(page: Page, at: Site, notebook: str) -> None:
    """Open a notebook's workspace."""
    await page.goto(f"{at.address}/n/{notebook}")
    await page.get_by_test_id("composer").wait_for()


def number_of(at: Site, words: str) -> int:
    """The number under which the passage with these words was handed to the model in the last chat request."""
    said = at.fake.script.requests("chat")[-1].said
    before = said[: said.index(words)]
    return max(int(part.split("]")[0]) for part in before.split("[")[1:] if part.split("]")[0].isdigit())


async def test_every_verdict_shows_its_mark_word_and_name_and_the_summary_equals_the_checks(at: Site, chromium: Browser) -> None:
    """Check 10."""
    notebook = await lake(at)

    def write(request: object) -> str:
        depth, water = number_of(at, "40 metres"), number_of(at, "may become")
        mill = number_of(at, "closed in 1931")
        return (
            f"The lake is 40 metres deep at its middle [{depth}]. "
            f"The mill closed in 1941 [{mill}]. "
            f"The water will become warmer in summer [{water}]. "
            f"Elephants dance on purple mountains every Tuesday [{depth}]. "
            "Nobody knows the name of the first miller."
        )

    at.fake.script.write_with(write)
    async with signed_in(chromium, at) as (_, page, watched):
        await open_notebook(page, at, notebook)
        turn = await ask(page, "Tell me about the lake, its depth, its water and the mill")
        marks = turn.get_by_test_id("mark")
        names = [await mark.get_attribute("aria-label") for mark in await marks.all()]
        verdicts = [(name or "").split(", ", 1)[1].lower() for name in names]
        assert verdicts == ["found in source", "number differs", "partly found", "not found in source"], names
        assert await turn.get_by_test_id("uncited").count() == 1
        conversation = at.api.get(f"/notebooks/{notebook}/conversations").json()["items"][0]["id"]
        stored = at.api.get(f"/conversations/{conversation}").json()["turns"][-1]
        summary = plain(await turn.get_by_test_id("answer-summary").inner_text())
        assert f"{stored['checks']['found']} of {stored['checks']['total']} statements" in summary
        watched.assert_calm()


async def test_the_card_opens_by_pointer_and_focus_without_a_request_and_quotes_the_stored_text(at: Site, chromium: Browser) -> None:
    """Check 11."""
    notebook = await lake(at)
    at.fake.script.write_with(lambda request: f"Divers measured it in 1968 [{number_of(at, 'Divers')}].")
    async with signed_in(chromium, at) as (_, page, watched):
        await open_notebook(page, at, notebook)
        turn = await ask(page, "When did divers measure the lake?")
        mark = turn.get_by_test_id("mark").first
        requests: list[str] = []
        page.on("request", lambda request: requests.append(request.url))
        await mark.hover()
        card = page.get_by_test_id("citation-card")
        await card.wait_for()
        quote = plain(await card.get_by_test_id("quote").inner_text())
        await page.keyboard.press("Escape")
        await card.wait_for(state="hidden")
        await page.mouse.move(5, 5)
        await mark.focus()
        await card.wait_for()
        await page.keyboard.press("Escape")
        await card.wait_for(state="hidden")
        assert await mark.evaluate("element => element === document.activeElement"), "focus stays on the mark"
        assert not [url for url in requests if "/events" not in url], requests
        conversation = at.api.get(f"/notebooks/{notebook}/conversations").json()["items"][0]["id"]
        citation = at.api.get(f"/conversations/{conversation}").json()["turns"][-1]["citations"][0]
        passages = at.api.get(f"/sources/{citation['source_id']}/passages").json()["items"]
        passage = next(one for one in passages if one["passage"] == citation["passage"])
        assert passage["text"][citation["start"] : citation["end"]] == citation["quote"]
        assert plain(citation["quote"]) in quote
        watched.assert_calm()


async def test_stop_stands_where_ask_stood_and_what_was_stopped_is_in_no_later_prompt(at: Site, chromium: Browser) -> None:
    """Check 7."""
    notebook = await lake(at)
    at.fake.script.add(Reply(text="The lake is very deep and the canary word is zanzibar and it goes on", hold="more", after=9))
    async with signed_in(chromium, at) as (_, page, watched):
        await open_notebook(page, at, notebook)
        ask_box = await page.get_by_test_id("ask").bounding_box()
        box = page.get_by_test_id("composer")
        await box.fill("How deep is the lake?")
        await box.press("Enter")
        stop = page.get_by_test_id("stop")
        await stop.wait_for()
        stop_box = await stop.bounding_box()
        assert ask_box and stop_box
        assert abs(ask_box["x"] - stop_box["x"]) <= 1 and abs(ask_box["width"] - stop_box["width"]) <= 1
        await page.get_by_text("zanzibar").wait_for()
        await page.keyboard.press("Escape")
        await page.get_by_text("This part stays here and is not used for later questions").wait_for()
        at.fake.script.release("more")
        at.fake.script.add(Reply(text="It is 40 metres deep [1]."))
        await ask(page, "And in metres?")
        assert "zanzibar" not in at.fake.script.requests("chat")[-1].said
        assert await page.get_by_text("zanzibar").count() == 1
        watched.assert_calm()


async def test_a_reload_in_mid_stream_goes_on_without_a_repeated_word(at: Site, chromium: Browser) -> None:
    """Checks 8 and 9."""
    notebook = await lake(at)
    words = [f"word{n}" for n in range(40)]
    at.fake.script.add(Reply(text=" ".join(words) + " [1].", hold="half", after=20))
    async with signed_in(chromium, at) as (context, page, _watched):
        await open_notebook(page, at, notebook)
        box = page.get_by_test_id("composer")
        await box.fill("Say many words about the lake")
        await box.press("Enter")
        await page.get_by_text("word10").first.wait_for()
        await page.reload()
        await page.get_by_text("word10").first.wait_for()
        await page.close()
        at.fake.script.release("half")
        again = await context.new_page()
        await again.goto(f"{at.address}/n/{notebook}")
        await again.get_by_test_id("answer-summary").wait_for()
        shown = plain(await again.get_by_test_id("answer").last.inner_text())
        conversation = at.api.get(f"/notebooks/{notebook}/conversations").json()["items"][0]["id"]
        stored = at.api.get(f"/conversations/{conversation}").json()["turns"][-1]
        assert stored["status"] == "done"
        assert [word for word in shown.split() if word.startswith("word")] == words


async def test_a_click_opens_the_words_and_back_returns_to_the_mark(at: Site, chromium: Browser) -> None:
    """Checks 12 and 14, for a text that begins with emoji and combining marks."""
    text = "👩‍🔬🏔️ e\u0301tude A\u030angstro\u0308m. The summit lies at 2,410 metres. " + "Snow falls. " * 300
    notebook = at.notebook("Summit", ("Emoji", text))
    await at.ready(notebook)
    at.fake.script.write_with(lambda request: f"The summit lies at 2,410 metres [{number_of(at, 'summit lies')}].")
    async with signed_in(chromium, at) as (_, page, watched):
        await open_notebook(page, at, notebook)
        turn = await ask(page, "How high is the summit?")
        mark = turn.get_by_test_id("mark").first
        await mark.click()
        await page.get_by_test_id("reader").first.wait_for()
        highlight = page.get_by_test_id("highlight").first
        await highlight.wait_for()
        shown = "".join([await part.inner_text() for part in await page.get_by_test_id("highlight").all()])
        assert plain(shown) == "The summit lies at 2,410 metres."
        assert await highlight.evaluate(
            "element => { const r = element.getBoundingClientRect(); return r.top >= 0 && r.bottom <= innerHeight }"
        )
        await page.get_by_test_id("reader-back").click()
        await until(lambda: mark.evaluate("element => element === document.activeElement"), what="focus on the mark")
        watched.assert_calm()


async def test_a_not_found_citation_opens_its_passage_without_a_highlight(at: Site, chromium: Browser) -> None:
    """Check 13."""
    notebook = await lake(at)
    at.fake.script.write_with(lambda request: f"Elephants dance on purple mountains every Tuesday [{number_of(at, '40 metres')}].")
    async with signed_in(chromium, at) as (_, page, _watched):
        await open_notebook(page, at, notebook)
        turn = await ask(page, "How deep is the lake?")
        await turn.get_by_test_id("mark").first.click()
        await page.get_by_test_id("beside").first.wait_for()
        assert await page.get_by_test_id("highlight").count() == 0


async def test_a_hostile_answer_reaches_no_other_origin_and_breaks_no_policy(at: Site, chromium: Browser) -> None:
    """Check 22."""
    notebook = await lake(at)
    at.fake.script.add(
        Reply(
            text="<script>fetch('http://evil.invalid/a')</script> ![x](http://evil.invalid/b.png) [go](javascript:alert(1)) "
            "<img src=http://evil.invalid/c onerror=alert(2)> <style>@import 'http://evil.invalid/d'</style> "
            "<form action=http://evil.invalid/e><button>ok</button></form> [ref][1]\n\n[1]: http://evil.invalid/f\n\n"
            "<svg onload=alert(3)></svg> The lake is 40 metres deep [1]."
        )
    )
    async with signed_in(chromium, at) as (_, page, watched):
        dialogs: list[str] = []
        page.on("dialog", lambda dialog: dialogs.append(dialog.message))
        await open_notebook(page, at, notebook)
        turn = await ask(page, "How deep is the lake?")
        answer = turn.get_by_test_id("answer")
        assert await answer.locator("script, img, a, form, style, svg:not([aria-hidden]), iframe").count() == 0
        for mark in await turn.get_by_test_id("mark").all():
            await mark.hover()
        assert not dialogs
        watched.assert_calm()


async def test_copy_gives_markdown_with_footnotes_and_an_html_twin(at: Site, chromium: Browser) -> None:
    """Check 19, as far as conversations go."""
    notebook = await lake(at)
    at.fake.script.write_with(lambda request: f"Divers measured it in 1968 [{number_of(at, 'Divers')}].")
    async with signed_in(chromium, at, permissions=["clipboard-read", "clipboard-write"]) as (_, page, _watched):
        await open_notebook(page, at, notebook)
        turn = await ask(page, "When was the lake measured?")
        await turn.get_by_test_id("copy-answer").click()
        copied = json.loads(
            await page.evaluate(
                """async () => { const found = {}; for (const item of await navigator.clipboard.read())
                   for (const type of item.types) found[type] = await (await item.getType(type)).text(); return JSON.stringify(found) }"""
            )
        )
        assert "[^1]" in copied["text/plain"] and "[^1]: " in copied["text/plain"]
        assert "Lake report" in copied["text/plain"] and "Divers measured it in 1968." in copied["text/plain"]
        assert "Lake report" in copied["text/html"]

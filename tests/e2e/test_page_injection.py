"""The page with the answers of a model that obeys hostile documents: no request leaves, no policy is broken, everything stays words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from playwright.async_api import Locator, Page

from tests.e2e.page_rig import Site, Visit, send
from tests.fakes.script import Reply
from tests.fakes.website import Website
from tests.injection.documents import ALL
from tests.injection.hostile import SECRET, Hostile
from tests.injection.viewer import live_in

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

TOGETHER = 9  # replies in one answer: a turn for each would take a minute
FLOOD_CHARS = 12_000  # of an endless reply: the worker cuts those, and the page has its own bench
NEVER = "a[href], img, picture, video, audio, source, track, script, style, link, meta, base, iframe, object, embed, form, input, image, use, foreignObject, [onerror], [onload], [style]"  # noqa: E501


@pytest.fixture(scope="module")
def at(writing_site: Site) -> Site:
    """The stack of this module."""
    return writing_site


@pytest.fixture(scope="module")
def outside() -> Iterator[Website]:
    """The host that the documents want to be asked."""
    with Website() as started:
        yield started


def groups_of(documents: Sequence[Hostile]) -> list[str]:
    """What the model writes, turn by turn: the replies of some documents with a rule between them."""
    filled = [one.obeyed.replace("@n@", "1").replace("@secret@", SECRET).replace("@all@", ALL[0].content.decode()) for one in documents]
    whole = [
        (text * one.times)[:FLOOD_CHARS].replace("<think>", "<thin>").replace("</think>", "</thin>")
        for text, one in zip(filled, documents, strict=True)
    ]
    return ["\n\n---\n\n".join(whole[place : place + TOGETHER]) for place in range(0, len(whole), TOGETHER)]


async def assert_words_alone(answers: Locator) -> None:
    """No element in the text of these answers that could ask for anything or run; the only drawings are our own signs."""
    found = await answers.evaluate_all(
        "(answers, never) => answers.flatMap(one => [...one.querySelectorAll('p, li, td, th, pre, blockquote')])"
        ".flatMap(one => [...one.querySelectorAll(never)]).map(one => one.outerHTML.slice(0, 200))",
        NEVER,
    )
    assert found == [], found[:5]


async def conversation_with(at: Site, notebook: str, groups: Sequence[str]) -> str:
    """A conversation that holds one answer for each group, as the API was asked; its id."""
    conversation = ""
    for place, text in enumerate(groups):
        at.fake.script.add(Reply(text=text))
        more = {"conversation_id": conversation} if conversation else {}
        body = {"question": f"What is said of the bridge, number {place}?", **more}
        answered = at.api.post(f"/notebooks/{notebook}/ask", body, headers={"Accept": "application/json"}, timeout=90)
        assert answered.status_code == 200, (place, answered.text[:500])
        conversation = answered.json()["conversation_id"]
    return conversation


async def notebook_of(at: Site, documents: Sequence[Hostile]) -> str:
    """A notebook that holds the documents which hide their order in titles, names and texts."""
    notebook = at.api.notebook("Bridges")
    sent = at.api.upload(notebook, *((one.name, one.content) for one in documents))
    assert sent.status_code in (200, 202), sent.text
    assert {one["status"] for one in await at.read(notebook)} == {"ready"}
    return notebook


async def open_reader(page: Page) -> None:
    """Open the card of the first mark, then its source: a hostile document's own words."""
    await page.get_by_test_id("mark").first.hover()
    await page.get_by_test_id("citation-card").wait_for()
    await page.keyboard.press("Escape")
    await page.get_by_test_id("mark").first.click()
    scroller = page.get_by_test_id("reader-scroller")
    await scroller.wait_for()
    assert await scroller.locator("img[src^=http], script, iframe, form, a[href^=http]").count() == 0


async def test_answers_that_obey_hostile_documents_reach_no_other_origin_and_break_no_policy(
    at: Site, visit: Visit, outside: Website
) -> None:
    """Check 22, for the whole set: stored answers, one that streams, their cards, copies, sources and the reader."""
    documents = [one.toward(outside.place) for one in ALL]
    groups = groups_of(documents)
    notebook = await notebook_of(at, [one for one in documents if one.family in ("title", "file name", "heading", "page")])
    conversation = await conversation_with(at, notebook, groups[:-1])
    page = await visit.tab(f"/n/{notebook}/c/{conversation}")
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: dialogs.append(dialog.message))
    answers = page.get_by_test_id("answer")
    await answers.nth(len(groups) - 2).wait_for()
    assert await answers.count() == len(groups) - 1
    at.fake.script.add(Reply(text=groups[-1] + " and so on" * 10, hold="rest", after=60))
    await send(page, "What is said of the bridge at last?")
    await answers.nth(len(groups) - 1).wait_for()
    await assert_words_alone(answers)
    at.fake.script.release("rest")
    await page.get_by_test_id("answer-summary").nth(len(groups) - 1).wait_for()
    await assert_words_alone(answers)
    assert SECRET in await answers.first.inner_text()
    await open_reader(page)
    assert not dialogs and outside.seen == []
    visit.watched.assert_calm()


async def test_what_is_copied_of_such_answers_holds_no_picture_and_no_script(at: Site, visit: Visit, outside: Website) -> None:
    """Check 22, where the words leave the page."""
    documents = [one.toward(outside.place) for one in ALL if one.family in ("picture", "html", "svg", "link")]
    notebook = await notebook_of(at, documents[:1])
    page = await visit.tab(f"/n/{notebook}/c/{await conversation_with(at, notebook, groups_of(documents)[:1])}")
    await page.get_by_test_id("copy-answer").first.click()
    await page.get_by_test_id("toast").get_by_text("Copied").wait_for()
    copied = await page.evaluate(
        "async () => { const [one] = await navigator.clipboard.read(); const text = async type => (await one.getType(type)).text();"
        " return [await text('text/html'), await text('text/plain')] }"
    )
    assert all(SECRET in text for text in copied)
    assert not any(tag in copied[0] for tag in ("<img", "<a ", "<script", "<svg", "<iframe"))
    assert live_in(copied[1]) == []
    visit.watched.assert_calm()

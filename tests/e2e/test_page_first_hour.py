"""A new server without a writing model: everything by keyboard, the sample with its answer, quotes only, and connecting a model."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.async_api import Browser, Locator, Page

from sourcebook import ask as command_line
from sourcebook import sample
from sourcebook.client import Client
from tests.e2e.page_looks import assert_looks
from tests.e2e.page_rig import TOKEN, Site, Visit, ask, has_focus, plain, signed_in, site
from tests.rig import TestPostgres, until

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

QUOTES_ONLY = "Quotes only: no writing model is connected, so these are your sources’ own sentences."
HERON = "# Heron\n\nThe grey heron stands up to 102 centimetres tall. It eats fish, frogs and voles.\n"
MOST_TABS = 60
EXPORTING = "# Export a report\n\n## Export as PDF\n\nTo export a report as PDF, choose Export in the File menu and then PDF.\n"
SHARING = "# Sharing\n\n## Share a folder\n\nTo share a folder with others, choose Share and enter their addresses.\n"


@pytest.fixture(scope="module")
def at(postgres: TestPostgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A stack of its own, with nothing in it and no writing model."""
    with site(postgres, tmp_path_factory.mktemp("first-hour"), writes=False) as started:
        yield started


class Keyboard:
    """Someone who has no pointer. After every key the focus must be on something."""

    def __init__(self, page: Page) -> None:
        self.page = page

    async def press(self, *keys: str) -> None:
        """Press these keys one after the other."""
        for key in keys:
            await self.page.keyboard.press(key)
            await self.stands(f"after {key}")

    async def stands(self, when: str) -> None:
        """The focus is on an element, not lost."""
        is_somewhere = "document.activeElement !== null && document.activeElement !== document.body"
        await until(lambda: self.page.evaluate(is_somewhere), 30, f"the focus to be on something {when}")

    async def write(self, text: str) -> None:
        """Type a text."""
        await self.page.keyboard.type(text)
        await self.stands("after typing")

    async def go_to(self, element: Locator, key: str = "Tab") -> None:
        """Tab until this element has the focus."""
        await element.wait_for()
        for _ in range(MOST_TABS):
            if await has_focus(element):
                return
            await self.press(key)
        raise AssertionError(f"{element} cannot be reached with {key}")

    async def focus_is_on(self, element: Locator) -> None:
        """The focus comes to this element by itself."""
        await until(lambda: has_focus(element), 30, f"the focus on {element}")


async def test_the_first_hour_goes_by_keyboard_alone_and_the_focus_is_never_lost(at: Site, visit: Visit) -> None:
    """Check 20: a notebook, a source, a question, its mark, its card, the reader and back, dialogs, removing, another place."""
    page = await visit.tab()
    keys = Keyboard(page)
    await page.get_by_test_id("no-notebooks").wait_for()
    await assert_looks(page)
    await keys.go_to(page.get_by_test_id("no-notebooks").get_by_role("button", name="New notebook"))
    await keys.press("Enter")
    await page.get_by_test_id("empty").wait_for()
    await keys.stands("in the new notebook")
    await keys.go_to(page.get_by_role("tab", name="Files"))
    await keys.press("ArrowRight", "ArrowRight")
    await keys.focus_is_on(page.get_by_role("tab", name="Text"))
    await keys.go_to(page.get_by_role("textbox", name="Title"))
    await keys.write("Heron")
    await keys.press("Tab")
    await page.keyboard.insert_text(HERON)
    await keys.go_to(page.get_by_role("tabpanel").get_by_role("button", name="Add"))
    await keys.press("Enter")
    row = page.get_by_test_id("source-row").filter(has_text="Heron")
    await row.get_by_text("Ready").wait_for()
    await keys.stands("after adding")
    await keys.press("/")
    await keys.focus_is_on(page.get_by_test_id("composer"))
    await keys.write("How tall is the grey heron?")
    await keys.press("Enter")
    await page.get_by_test_id("answer-summary").wait_for()
    mark = page.get_by_test_id("mark").first
    await keys.go_to(mark, "Shift+Tab")
    card = page.get_by_test_id("citation-card")
    await card.wait_for()
    await keys.press("ArrowDown")
    assert await card.evaluate("card => card.contains(document.activeElement)")
    await keys.press("Escape")
    await keys.focus_is_on(mark)
    await keys.press("Enter")
    await page.get_by_test_id("highlight").first.wait_for()
    await keys.stands("in the reader")
    await keys.press("Backspace")
    await page.get_by_test_id("reader").wait_for(state="hidden")
    await keys.focus_is_on(mark)
    await dialogs(keys)
    await conversations(keys)
    await remove(keys, row)
    await keys.press("Control+k")
    await page.get_by_test_id("palette").wait_for()
    await keys.write("Models")
    await keys.press("Enter")
    await page.get_by_test_id("models").wait_for()
    await keys.stands("on another screen")
    visit.watched.assert_calm()


async def dialogs(keys: Keyboard) -> None:
    """Dialogs open by a key, take the focus and give it back."""
    for key, name in (("a", "add-dialog"), ("?", "keys")):
        await keys.press(key)
        dialog = keys.page.get_by_test_id(name)
        await dialog.wait_for()
        assert await dialog.evaluate("dialog => dialog.contains(document.activeElement)")
        await keys.press("Escape")
        await dialog.wait_for(state="hidden")


async def conversations(keys: Keyboard) -> None:
    """The list of conversations opens, renames and closes."""
    page = keys.page
    button = page.get_by_test_id("open-conversations")
    await keys.go_to(button, "Shift+Tab")
    await keys.press("Enter")
    entry = page.get_by_test_id("conversation-row").first
    await keys.go_to(entry.get_by_role("button"))
    await keys.press("Enter")
    await page.get_by_role("menu").wait_for()
    await keys.press("r", "Enter")
    await keys.write("Tall birds")
    await keys.press("Enter")
    await entry.filter(has_text="Tall birds").wait_for()
    await keys.press("Escape")
    await keys.focus_is_on(button)


async def remove(keys: Keyboard, row: Locator) -> None:
    """A source is moved to the trash from its menu, and brought back from the message."""
    page = keys.page
    await keys.press("j")
    await keys.go_to(row.get_by_role("button", name="Actions for Heron"))
    await keys.press("Enter")
    await page.get_by_role("menu").wait_for()
    await keys.press("m", "Enter")
    await row.wait_for(state="hidden")
    undo = page.get_by_test_id("toast").get_by_role("button", name="Undo")
    await undo.wait_for()
    await keys.stands("after the row is gone")
    await keys.go_to(undo)
    await keys.press("Enter")
    await row.wait_for()


async def test_the_link_of_a_demo_leads_to_the_samples_answer_and_three_steps(at: Site, chromium: Browser) -> None:
    """Check 1, with the sample loaded and asked as `up --demo` does."""
    with Client(at.address, TOKEN) as client:
        notebook = sample.load(client)
        read = sample.wait_until_read(client, notebook["id"])
        assert [one["status"] for one in read] == ["ready"] * 3, read
        command_line.print_answer(client, sample.QUESTION, notebook["id"], lambda _: None)
    async with signed_in(chromium, at) as visit:
        page = await visit.tab()
        await page.get_by_test_id("notebook-card").filter(has_text="Sample").get_by_role("link").click()
        strip = page.get_by_test_id("first-run")
        await strip.wait_for()
        assert await strip.get_by_role("listitem").count() == 3
        await page.locator("[data-testid=mark][data-verdict=found]").first.wait_for()
        await assert_looks(page)
        await strip.get_by_role("button", name="Close").click()
        await strip.wait_for(state="hidden")
        visit.watched.assert_calm()


async def test_a_help_shows_its_cards_and_the_winner_first(at: Site, visit: Visit) -> None:
    """State 14, other profiles, without a writing model: the sections that fit, each a way to where it stands."""
    notebook = await at.notebook("Help", ("Export a report", EXPORTING), ("Sharing", SHARING))
    changed = at.api.patch(f"/notebooks/{notebook}", {"profile": "help"})
    assert changed.status_code == 200, changed.text
    page = await visit.chat(notebook)
    turn = await ask(page, "How do I export a report as PDF?")
    cards = turn.get_by_test_id("help-card")
    await cards.first.wait_for()
    told = at.last_turn(notebook)["cards"]
    assert await cards.count() == len(told)
    assert "Export" in plain(await cards.first.inner_text())
    if any(card["is_winner"] for card in told):
        assert await cards.first.get_attribute("data-winner") == "true"
    await cards.first.get_by_role("link").click()
    await page.get_by_test_id("reader").wait_for()
    visit.watched.assert_calm()


async def test_without_a_writing_model_answers_are_quotes_until_one_is_connected_and_tested(at: Site, visit: Visit) -> None:
    """Check 17: no restart in between."""
    notebook = await at.notebook("Birds", ("Heron", HERON), ("Stork", "# Stork\n\nThe white stork stands up to 115 centimetres tall."))
    page = await visit.chat(notebook)
    turn = await ask(page, "How tall is the heron?")
    assert QUOTES_ONLY in plain(await turn.get_by_test_id("quoted").inner_text())
    stored = at.last_turn(notebook)
    quotes = re.findall(r"“(.*?)” \[\d+\]", stored["answer"], re.DOTALL)
    texts = [at.api.get(f"/sources/{one['id']}/text").text for one in at.sources(notebook)]
    assert quotes
    assert all(any(quote in text for text in texts) for quote in quotes), quotes
    assert await turn.locator("[data-testid=mark]:not([data-verdict=found])").count() == 0
    await turn.get_by_test_id("quoted").get_by_role("link", name="Connect one").click()
    await connect(page, at)
    at.fake.script.rules.answer = "The heron is 102 centimetres tall [1]."
    await page.goto(f"{at.address}/n/{notebook}?chat=new")
    turn = await ask(page, "How tall does a heron become?")
    assert await turn.get_by_test_id("quoted").count() == 0
    assert "The heron is 102 centimetres tall" in plain(await turn.get_by_test_id("answer").inner_text())
    visit.watched.assert_calm()


async def connect(page: Page, at: Site) -> None:
    """Connect the fake as the writing model on the models screen, and test it before and after it is kept."""
    writing = page.get_by_test_id("model-chat")
    await writing.get_by_role("button", name="Connect").click()
    dialog = page.get_by_test_id("connect")
    await dialog.get_by_label("Another address").check()
    await dialog.get_by_role("textbox", name="Address").fill(at.fake.base_url)
    await dialog.get_by_role("textbox", name="Model").fill("fake-chat")
    await dialog.get_by_role("button", name="Test").click()
    await dialog.get_by_text("answers in").wait_for()
    await dialog.get_by_role("button", name="Save").click()
    await dialog.wait_for(state="hidden")
    await writing.get_by_text("fake-chat").wait_for()
    await writing.get_by_role("button", name="Test").click()
    await writing.get_by_text("answers in").wait_for()

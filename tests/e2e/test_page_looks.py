"""What every state of the page keeps to: WCAG 2.2 AA in both themes and three widths, no sideways scroll, large enough targets."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from uuid import uuid4

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Locator, Page

from tests.e2e.page_files import filler, mixed_pdf, pdf
from tests.e2e.page_looks import assert_looks
from tests.e2e.page_rig import Site, Visit, ask, number_of, send, signed_in
from tests.fakes.script import Reply, Request
from tests.rig import until

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

LAKE = "# Lake report\n\n## Depth\n\nThe lake is 40 metres deep at its middle.\n\n## Water\n\nThe water may become warmer in summer.\n"
QUESTION = "How deep is the lake, and how warm is its water?"
LONG_TITLE = "A very long title of a source that takes more than the two lines it may have in a narrow column, and goes on and on"


@dataclass(frozen=True)
class Place:
    """Where states are built: the site, the signed-in profile, the notebook they show; `held` names the rest of a growing answer."""

    at: Site
    visit: Visit
    notebook: str
    held: str


@pytest.fixture(scope="module")
def at(writing_site: Site) -> Site:
    """The stack of this module."""
    return writing_site


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def notebook(at: Site) -> str:
    """A notebook with sources in several states."""
    made = at.api.notebook("The lake of Lindow")
    at.api.text(made, LAKE, title="Lake report", format="markdown")
    at.api.text(made, "The mill closed in 1931.", title=LONG_TITLE)
    at.api.upload(made, ("survey.pdf", pdf([filler(1), ["The survey counted 4,711 springs."], filler(3)])))
    at.api.upload(made, ("mixed.pdf", mixed_pdf()), ("broken.pdf", b"%PDF-1.7\nnothing more"))
    await at.read(made)
    return made


@pytest.fixture
def place(at: Site, visit: Visit, notebook: str) -> Place:
    """Where a test builds its states."""
    return Place(at, visit, notebook, uuid4().hex)


def every_verdict(request: Request) -> str:
    """An answer with marks of every kind, a table, a list and code."""
    n, water = number_of(request, "40 metres"), number_of(request, "may become")
    return (
        f"## In short\n\nThe lake is 40 metres deep [{n}]. The lake is 60 metres deep at its middle [{n}]. "
        f"The water becomes warmer in summer [{water}]. Elephants dance on purple mountains [{n}]. Nobody knows the miller.\n\n"
        f"| What | How much |\n|---|--:|\n| Depth | 40 metres [{n}] |\n\n- One point [{n}]\n- Another\n\n```\nx = 1\n```\n"
    )


async def answered(place: Place) -> Page:
    """An answer with marks of every kind."""
    place.at.fake.script.write_with(every_verdict)
    page = await place.visit.chat(place.notebook)
    turn = await ask(page, QUESTION)
    await turn.get_by_test_id("marks-meaning").click()
    return page


async def card(place: Place) -> Page:
    """The card of a mark, opened by keyboard so that it stays."""
    page = await answered(place)
    await page.locator("body").press("]")
    await page.get_by_test_id("citation-card").wait_for()
    return page


async def streaming(place: Place) -> Page:
    """An answer that still grows."""
    place.at.fake.script.write_with(lambda request: Reply(text=every_verdict(request), hold=place.held, after=25))
    page = await place.visit.chat(place.notebook)
    await send(page, QUESTION)
    await page.get_by_test_id("mark").first.wait_for()
    return page


async def reader_of_text(place: Place) -> Page:
    """The reader at a highlight in a text."""
    place.at.fake.script.write_with(lambda request: f"The lake is 40 metres deep at its middle [{number_of(request, '40 metres')}].")
    page = await place.visit.chat(place.notebook)
    turn = await ask(page, "How deep is the lake at its middle?")
    await turn.get_by_test_id("mark").first.click()
    await page.get_by_test_id("highlight").first.wait_for()
    return page


async def reader_of_pdf(place: Place) -> Page:
    """The reader at a highlight on a page."""
    place.at.fake.script.write_with(lambda request: f"The survey counted 4,711 springs [{number_of(request, '4,711')}].")
    page = await place.visit.chat(place.notebook)
    turn = await ask(page, "How many springs did the survey count?")
    await turn.get_by_test_id("mark").first.click()
    await page.locator("[data-box]").first.wait_for()
    return page


async def workspace(place: Place) -> Page:
    """The workspace before a question, with rows that are ready, ready with warnings and failed."""
    page = await place.visit.chat(place.notebook)
    await page.get_by_test_id("source-error").first.wait_for()
    return page


def opened(by: Callable[[Page], Awaitable[object]], shows: str) -> Callable[[Place], Awaitable[Page]]:
    """The workspace with something opened over it."""

    async def build(place: Place) -> Page:
        page = await workspace(place)
        await by(page)
        await page.get_by_test_id(shows).first.wait_for()
        return page

    return build


def screen(path: str, shows: Callable[[Page], Locator]) -> Callable[[Place], Awaitable[Page]]:
    """A screen of its own."""

    async def build(place: Place) -> Page:
        page = await place.visit.tab(path)
        await shows(page).first.wait_for()
        return page

    return build


async def empty_notebook(place: Place) -> Page:
    """A notebook without sources: the add box in the chat column."""
    page = await place.visit.tab(f"/n/{place.at.api.notebook('Empty')}")
    await page.get_by_test_id("empty").wait_for()
    return page


async def connecting(place: Place) -> Page:
    """The dialog that connects a model."""
    page = await place.visit.tab("/admin/models")
    await page.get_by_test_id("model-vision").get_by_role("button", name="Connect").click()
    await page.get_by_test_id("connect").wait_for()
    return page


async def how_found(place: Place) -> Page:
    """How the passages of an answer were found."""
    page = await answered(place)
    await page.get_by_test_id("how-found").click()
    await page.get_by_test_id("why").get_by_text("by words").first.wait_for()
    await page.get_by_test_id("why-candidate").first.get_by_role("button").click()
    await page.get_by_test_id("why-open").wait_for()
    return page


def finding(words: str, shows: str) -> Callable[[Place], Awaitable[Page]]:
    """The search in the notebook."""
    return lambda place: screen(f"/find?n={place.notebook}&q={words}", lambda page: page.get_by_test_id(shows))(place)


async def unanswered(place: Place) -> Page:
    """The questions that found no answer."""
    place.at.fake.script.add(Reply(text="NOT_COVERED\nThe sources do not say it."))
    asked = place.at.api.post(f"/notebooks/{place.notebook}/ask", {"question": "Who owns the ferry across the lake?"})
    assert asked.status_code == 200, asked.text
    page = await place.visit.tab(f"/n/{place.notebook}/questions")
    await page.get_by_test_id("miss").first.wait_for()
    return page


async def making_a_test(place: Place) -> Page:
    """The dialog that keeps a question as a test, with what is missing said."""
    page = await unanswered(place)
    await page.get_by_role("button", name="Make it a test").first.click()
    await page.get_by_role("button", name="Save").click()
    await page.get_by_role("alert").wait_for()
    return page


async def tests_of_a_notebook(place: Place) -> Page:
    """The test questions with their command."""
    made = place.at.api.post(f"/notebooks/{place.notebook}/questions", {"question": "How deep is the sea?", "source_ids": []})
    assert made.status_code == 201, made.text
    page = await place.visit.tab(f"/n/{place.notebook}/questions?tab=tests")
    await page.get_by_test_id("eval-command").wait_for()
    return page


async def conversations(place: Place) -> Page:
    """The list of conversations with one in it."""
    page = await answered(place)
    await page.get_by_test_id("open-conversations").click()
    await page.get_by_test_id("conversation-row").first.wait_for()
    return page


async def stopped(place: Place) -> Page:
    """An answer that was stopped."""
    page = await streaming(place)
    await page.get_by_test_id("stop").click()
    await page.get_by_test_id("stopped").wait_for()
    return page


async def broken(place: Place) -> Page:
    """An answer that broke off."""
    place.at.fake.script.write_with(lambda request: Reply(text=every_verdict(request), broken="cut", after=15))
    page = await place.visit.chat(place.notebook)
    await send(page, QUESTION)
    await page.get_by_test_id("broken").wait_for()
    return page


async def nothing_found(place: Place) -> Page:
    """An answer that the sources do not give, with what comes closest."""
    place.at.fake.script.add(Reply(text="NOT_COVERED\nThe sources do not say it."))
    page = await place.visit.chat(place.notebook)
    await ask(page, QUESTION)
    await page.get_by_test_id("closest").wait_for()
    return page


async def note(place: Place) -> Page:
    """A note with live marks and a sentence of one's own, and the list it is in."""
    page = await answered(place)
    await page.get_by_test_id("save-note").click()
    await page.get_by_test_id("toast").get_by_role("button", name="Open").click()
    await page.get_by_test_id("note-edit").click()
    area = page.get_by_test_id("note-area")
    await area.fill(f"{await area.input_value()}\n\nTo be asked of Ada.")
    await page.get_by_test_id("note-edit").click()
    await page.get_by_test_id("yours").first.wait_for()
    return page


async def editing_a_note(place: Place) -> Page:
    """A note while it is written."""
    page = await place.visit.chat(place.notebook)
    await page.get_by_test_id("new-note").click()
    await page.get_by_test_id("note-area").wait_for()
    return page


async def guide(place: Place) -> Page:
    """The guide in a new chat."""
    page = await place.visit.chat(place.notebook)
    await page.get_by_test_id("guide").wait_for(timeout=60_000)
    return page


async def choosing_each(place: Place) -> Page:
    """The question before each source is asked: which, how many calls, what cost."""
    page = await answered(place)
    await page.get_by_test_id("ask-each").click()
    await page.get_by_test_id("each-cost").wait_for()
    return page


async def asking_each(place: Place) -> Page:
    """The list of what each source says, one of them growing."""
    page = await answered(place)
    place.at.fake.script.write_with(lambda request: Reply(text=every_verdict(request), hold=place.held, after=25))
    await page.get_by_test_id("ask-each").click()
    await page.get_by_test_id("each-ask").click()
    await page.get_by_test_id("each-row").get_by_test_id("mark").first.wait_for()
    return page


async def telling_why(place: Place) -> Page:
    """The reason of a thumb down."""
    page = await answered(place)
    await page.get_by_role("button", name="This did not help").click()
    await page.get_by_test_id("thumbs-reason").wait_for()
    return page


async def press(page: Page, key: str) -> None:
    """Press a key when nothing is being typed."""
    await page.get_by_role("heading", name="The lake of Lindow").focus()
    await page.locator("body").press(key)


STATES: dict[str, Callable[[Place], Awaitable[Page]]] = {
    "home": screen("/", lambda page: page.get_by_test_id("notebook-card")),
    "empty notebook": empty_notebook,
    "workspace": workspace,
    "adding": opened(lambda page: press(page, "a"), "add-dialog"),
    "keys": opened(lambda page: press(page, "?"), "keys"),
    "commands": opened(lambda page: press(page, "Control+k"), "palette"),
    "report": opened(lambda page: page.get_by_role("button", name="Ready with warnings").click(), "report"),
    "conversations": conversations,
    "streaming": streaming,
    "stopped": stopped,
    "broken off": broken,
    "nothing found": nothing_found,
    "answered": answered,
    "card": card,
    "how it was found": how_found,
    "note": note,
    "editing a note": editing_a_note,
    "guide": guide,
    "choosing whom to ask": choosing_each,
    "asking each source": asking_each,
    "telling why": telling_why,
    "purpose of a notebook": opened(lambda page: page.get_by_role("button", name="Settings of this notebook").click(), "notebook-settings"),
    "usage": screen("/usage", lambda page: page.get_by_test_id("usage-calls")),
    "find": finding("lake", "find-result"),
    "find nothing": finding("xyzzy*", "find-nothing"),
    "unanswered questions": unanswered,
    "making a test question": making_a_test,
    "test questions": tests_of_a_notebook,
    "reader of a text": reader_of_text,
    "reader of a PDF": reader_of_pdf,
    "models": screen("/admin/models", lambda page: page.get_by_test_id("model-chat")),
    "connecting": connecting,
    "health": screen("/admin/health", lambda page: page.get_by_text("Queues")),
    "settings": screen("/settings", lambda page: page.get_by_text("Language of the page")),
    "library": screen("/library", lambda page: page.get_by_text("Lake report")),
    "not here": screen("/nowhere", lambda page: page.get_by_role("heading")),
}


@pytest.mark.parametrize("name", STATES)
async def test_a_state_of_the_page_keeps_to_wcag_in_both_themes_at_every_width(name: str, place: Place) -> None:
    """Check 21."""
    page = await STATES[name](place)
    await assert_looks(page)
    place.at.fake.script.release(place.held)


async def test_the_sign_in_page_keeps_to_wcag_in_both_themes_at_every_width(at: Site, chromium: Browser) -> None:
    """Check 21, before anyone is signed in; used and old links end here."""
    context = await chromium.new_context()
    page = await context.new_page()
    await page.goto(f"{at.address}/sign-in?reason=link_used")
    await page.get_by_test_id("sign-in").wait_for()
    await assert_looks(page)
    await context.close()


FIRST_PAINT = """() => { window.paints = []; const look = () => {
    if (document.body) window.paints.push(getComputedStyle(document.body).backgroundColor);
    if (window.paints.length < 30) requestAnimationFrame(look); };
    requestAnimationFrame(look); }"""


def is_dark(colour: str) -> bool:
    """Whether "rgb(r, g, b)" is a dark colour; a page that has no colour yet is not."""
    parts = [float(part) for part in colour.removeprefix("rgba(").removeprefix("rgb(").removesuffix(")").split(",")]
    return len(parts) == 3 and max(parts) < 80


async def _is_kept(visit: Visit, theme: str) -> bool:
    return any(one.get("name") == "sourcebook_theme" and one.get("value") == theme for one in await visit.context.cookies())


@pytest.mark.parametrize("by", ["computer", "person"])
async def test_the_first_paint_of_a_dark_page_is_dark(by: str, at: Site, chromium: Browser) -> None:
    """Check 24: the preference of the computer, and the person's own choice against a light computer."""
    async with signed_in(chromium, at, color_scheme="dark" if by == "computer" else "light") as visit:
        if by == "person":
            page = await visit.tab("/settings")
            await page.get_by_label("Dark").check()
            await until(lambda: _is_kept(visit, "dark"), 30, "the theme to be kept")  # shown at once, kept when the gateway has it
            await page.close()
        page = await visit.context.new_page()
        await page.add_init_script(f"({FIRST_PAINT})()")
        await page.goto(at.address)
        await until(lambda: page.evaluate("window.paints.length >= 3"), 30, "some frames")
        paints = await page.evaluate("window.paints")
        assert all(is_dark(colour) for colour in paints), paints

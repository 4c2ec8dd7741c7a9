"""The widget on a page of another origin: keyboard, streams, marks, cards, reset, hostile answers, sites that are not on the list."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
import pytest_asyncio
from playwright.async_api import Locator, Page, expect

from tests.e2e.page_looks import faults
from tests.e2e.page_rig import Site, Visit, Watched, number_of, plain
from tests.e2e.test_page_injection import NEVER, groups_of
from tests.fakes.script import Reply, Request
from tests.fakes.website import Answer, Website
from tests.injection.documents import ALL
from tests.injection.hostile import SECRET
from tests.rig import until

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

# Its last sentence is of this module alone: the text of another one would be the same source, under the name it has there.
LAKE = "# Lake report\n\nThe lake is 40 metres deep at its middle. Divers measured it in 1968. The shop stands on its shore.\n"
PUMP = "# The pump\n\n## Cleaning\n\nRinse the filter of the pump once a month.\n\n## Noise\n\nA rattling pump has air in it.\n"
TOGETHER = 4  # groups of hostile replies in one answer


@dataclass
class Hosting:
    """A website that embeds assistants of a stack, under a policy that lets it load nothing else."""

    at: Site
    site: Website
    allowed: str
    watched: Watched

    def embed(self, path: str, slug: str, more: str = "", language: str = "en") -> str:
        """A page at `path` with the tag in it; its address."""
        body = (
            f"<!doctype html><html lang={language}><title>A shop</title><main><h1>A shop</h1><a href='#'>Back</a></main>"
            f'<script src="{self.at.address}/public/widget.js" data-assistant="{slug}" {more} async></script></html>'
        )
        policy = f"default-src 'none'; script-src {self.at.address}; connect-src 'self' {self.at.address}"
        headers = {"Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": policy}
        self.site.pages[path] = Answer(body.encode(), headers=headers)
        return f"{self.allowed}{path}"


@pytest.fixture(scope="module")
def at(writing_site: Site) -> Site:
    """The stack of this module."""
    return writing_site


@pytest.fixture(scope="module")
def hosting(at: Site) -> Iterator[Hosting]:
    """The shop's website."""
    with Website() as site:
        yield Hosting(at, site, f"http://{site.place}", Watched(at.address))


async def assistant(at: Site, hosting: Hosting, name: str, *texts: tuple[str, str], profile: str = "notebook", **more: object) -> str:
    """A published assistant with these sources, for the shop's site; its slug."""
    notebook = at.api.notebook(name)
    for title, text in texts:
        at.api.text(notebook, text, title=title, format="markdown")
    sources = await at.read(notebook)
    publication = {"mode": "public", "origins": [hosting.allowed]}
    made = at.api.post("/assistants", {"name": name, "profile": profile, "publication": publication, **more}).json()
    path = f"/assistants/{made['id']}"
    at.api.put(f"{path}/sources", {"source_ids": [one["id"] for one in sources]})
    await until(lambda: at.api.get(path).json()["sources"]["pending"] == 0, 60, "the assistant's sources to be searchable")
    assert at.api.post(f"{path}/publish", {}).json()["published"]
    return str(made["slug"])


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def lake(at: Site, hosting: Hosting) -> str:
    """An assistant that quotes the lake report."""
    return await assistant(at, hosting, "Lake desk", ("Lake report", LAKE))


async def opened(visit: Visit, hosting: Hosting, address: str) -> Page:
    """A tab of the shop, its widget there."""
    page = await visit.context.new_page()
    hosting.watched.watch(page)
    await page.goto(address)
    await part(page, "launcher").wait_for()
    return page


def part(page: Page, name: str) -> Locator:
    """A part of the widget; Playwright looks into open shadow roots."""
    return page.locator(f"[data-part={name}]")


async def ask(page: Page, question: str) -> Locator:
    """Ask by keyboard; the turn once it has ended."""
    before = await page.locator(".thumbs").count()
    await part(page, "box").fill(question)
    await part(page, "box").press("Enter")
    await page.locator(".thumbs").nth(before).wait_for()
    return part(page, "turn").last


async def until_focused(page: Page, name: str) -> None:
    """Wait until this part of the widget has the keyboard."""
    has_it = "name => (document.activeElement?.shadowRoot?.activeElement?.dataset.part ?? '') === name"
    await until(lambda: page.evaluate(has_it, name), what=f"the keyboard at the {name}")


def assert_calm(hosting: Hosting) -> None:
    """No console error, no refusal of the policy, no request but to the shop and to the stack."""
    watched = hosting.watched
    foreign = [one for one in watched.foreign if not one.startswith(hosting.allowed)]
    assert not watched.errors and not foreign, (watched.errors, foreign)


def depth(request: Request) -> str:
    """Right, and with a number that the source does not have."""
    n = number_of(request, "40 metres")
    return f"The lake is **40 metres** deep at its middle [{n}]. Divers measured it in 1986 [{n}]."


async def test_the_widget_is_opened_asked_and_closed_by_keyboard_and_shows_what_each_mark_is_worth(
    at: Site, visit: Visit, hosting: Hosting, lake: str
) -> None:
    """Streams, marks with their words, the card, the order of Esc, and axe in both themes; nothing of it needs an inline style."""
    page = await opened(visit, hosting, hosting.embed("/lake", lake))
    await page.keyboard.press("Tab")
    await page.keyboard.press("Tab")
    await until_focused(page, "launcher")
    await page.keyboard.press("Enter")
    await part(page, "panel").wait_for()
    await until_focused(page, "box")
    at.fake.script.write_with(lambda request: Reply(text=depth(request), hold="rest", after=4))
    await page.keyboard.type("How deep is the lake at its middle?")
    await page.keyboard.press("Enter")
    await page.get_by_text("The lake is").wait_for()
    assert "1986" not in await part(page, "answer").inner_text() and await part(page, "send").get_attribute("aria-label") == "Stop"
    at.fake.script.release("rest")
    marks = part(page, "mark")
    await page.locator(".thumbs").wait_for()
    await expect(marks).to_have_count(2)
    names = [await marks.nth(n).get_attribute("aria-label") for n in range(2)]
    assert names == ["Source 1: Found in source", "Source 1: Number differs"]
    await marks.last.focus()
    await page.keyboard.press("Enter")
    card = part(page, "card")
    said = plain(await card.inner_text())
    assert "Number differs" in said and "1986" in said and "Lake report" in said
    for scheme in ("light", "dark"):
        await page.emulate_media(color_scheme=scheme)
        assert await faults(page) == []
    await page.keyboard.press("Escape")
    await expect(card).to_have_count(0)
    await until_focused(page, "mark")
    await page.keyboard.press("Escape")
    await expect(part(page, "panel")).to_be_hidden()
    await until_focused(page, "launcher")
    assert await page.locator("[style]").count() == 0
    assert_calm(hosting)


async def test_a_conversation_survives_a_reload_takes_thumbs_and_is_gone_after_begin_anew(
    at: Site, visit: Visit, hosting: Hosting, lake: str
) -> None:
    """The visitor's own, and only until Reset."""
    at.fake.script.write_with(depth)
    address = hosting.embed("/reload", lake)
    page = await opened(visit, hosting, address)
    await page.evaluate("() => localStorage.clear()")
    await page.reload()  # as a visitor who was never here
    await part(page, "launcher").click()
    await ask(page, "How deep is the lake?")
    up = page.get_by_role("button", name="Helpful", exact=True)
    async with page.expect_response("**/feedback"):
        await up.last.click()
    await page.get_by_text("Thank you").last.wait_for()
    await page.reload()
    await part(page, "launcher").click()
    await part(page, "mark").first.wait_for()
    assert "How deep is the lake?" in plain(await part(page, "question").last.inner_text())
    await expect(up.last).to_have_attribute("aria-pressed", "true")
    await part(page, "reset").click()
    await page.get_by_role("button", name="Remove").click()
    await part(page, "turn").first.wait_for(state="detached")
    await until_focused(page, "box")
    await page.reload()
    await part(page, "launcher").click()
    await page.get_by_text("How can we help?").wait_for()
    await expect(part(page, "turn")).to_have_count(0)
    assert_calm(hosting)


async def test_answers_that_obey_hostile_documents_stay_words_in_the_widget(at: Site, visit: Visit, hosting: Hosting, lake: str) -> None:
    """Check 22, for the widget and the whole set: no request leaves, and no element outside the small set is made."""
    page = await opened(visit, hosting, hosting.embed("/hostile", lake))
    await part(page, "launcher").click()
    with Website() as outside:
        groups = groups_of([one.toward(outside.place) for one in ALL])
        together = ["\n\n---\n\n".join(groups[place : place + TOGETHER]) for place in range(0, len(groups), TOGETHER)]
        for text in together:
            at.fake.script.add(Reply(text=text))
            await ask(page, "What is said of the lake?")
        answers = part(page, "answer")
        assert await answers.count() >= len(together)
        found = await answers.evaluate_all(
            "(answers, never) => answers.flatMap(one => [...one.querySelectorAll(never)]).map(one => one.outerHTML.slice(0, 200))",
            NEVER,
        )
        names = await answers.evaluate_all(
            "answers => [...new Set(answers.flatMap(one => [...one.querySelectorAll('*')].map(one => one.localName)))]"
        )
        assert [one for one in found if 'class="icon"' not in one] == [], found[:5]
        assert set(names) <= {"p", "ul", "ol", "li", "strong", "em", "code", "br", "button", "s", "span", "svg", "path"}, names
        assert SECRET in " ".join(await answers.all_inner_texts())
        assert outside.seen == []
    assert_calm(hosting)


async def test_a_site_that_is_not_on_the_list_gets_a_sentence_and_no_answer(at: Site, visit: Visit, hosting: Hosting, lake: str) -> None:
    """The browser lets the page read nothing; the widget still says what is so and who can change it."""
    del at
    address = hosting.embed("/strange", lake).replace("127.0.0.1", "localhost")  # another origin to the browser
    page = await visit.context.new_page()
    await page.goto(address)
    await part(page, "launcher").click()
    said = await part(page, "trouble").inner_text()
    assert "not available on this page" in said and "localhost" in said and "Publish" in said
    assert await part(page, "box").count() == 0 and await page.evaluate("() => Object.keys(localStorage)") == []


async def test_a_signed_in_person_of_the_host_gets_the_sections_of_a_help_in_german(at: Site, visit: Visit, hosting: Hosting) -> None:
    """The token comes from the host's own server; cards stand in the place of an answer, the winner first."""
    slug = await assistant(
        at, hosting, "Pumpenhilfe", ("The pump", PUMP), profile="help", language="de", look={"colour": "#7a5200", "position": "left"}
    )
    made = next(one for one in at.api.get("/assistants").json()["items"] if one["slug"] == slug)
    at.api.patch(f"/assistants/{made['id']}", {"publication": {"mode": "signed_in", "origins": [hosting.allowed]}})

    def token(head: str) -> Answer:
        assert head.startswith("POST ") and "x-requested-with: sourcebook" in head.lower()
        given = at.api.post(f"/assistants/{made['id']}/token", {"subject": "person-7"}).json()
        return Answer(json.dumps(given).encode(), headers={"Content-Type": "application/json"})

    hosting.site.pages["/assistant-token"] = token
    at.fake.script.write_with(lambda _: "NOT_COVERED")
    page = await opened(visit, hosting, hosting.embed("/pump", slug, 'data-token-url="/assistant-token"'))
    box = await part(page, "launcher").bounding_box()
    assert box and box["x"] < 100, "its corner is the left one"
    await part(page, "launcher").click()
    await expect(part(page, "box")).to_have_attribute("placeholder", "Eine Frage stellen")
    await ask(page, "How do I rinse the filter of the pump?")
    cards = part(page, "cards").locator("li")
    assert "Rinse the filter" in plain(await cards.first.inner_text())
    assert hosting.site.asked("/assistant-token") == 1
    assert await faults(page) == []
    assert_calm(hosting)


async def test_who_is_anonymous_says_where_they_are_reached_before_a_person_is_asked_for(at: Site, visit: Visit, hosting: Hosting) -> None:
    """The form asks in the widget's words, by keyboard; nothing is sent before there is an address or a number."""
    desk = {"kind": "webhook", "to": "https://desk.invalid/hook"}  # a name that never is one: nobody is told
    texts = ("Ferry desk", "# Ferry desk\n\nThe ferry desk of this module opens at nine.\n")
    page = await opened(visit, hosting, hosting.embed("/desk", await assistant(at, hosting, "Ferry desk", texts, handover=desk)))
    await part(page, "launcher").click()
    at.fake.script.write_with(lambda request: Reply(text=f"It opens at nine [{number_of(request, 'opens at nine')}]."))
    await ask(page, "When does the ferry desk open?")
    await part(page, "person").click()
    contact = part(page, "contact")
    await until_focused(page, "contact")
    await page.keyboard.press("Enter")
    why = "element => [element.matches(':invalid'), element.validationMessage]"
    assert await contact.evaluate(why) == [True, "Enter an e-mail address or a phone number, so that a person can answer you."]
    await contact.fill("ask me")
    await page.keyboard.press("Enter")
    assert (await contact.evaluate(why))[0] and await part(page, "led").count() == 0
    await contact.fill("+44 20 7946 0958")
    await page.keyboard.press("Enter")
    await expect(part(page, "led")).to_contain_text("Sent. A person will look at this conversation.")
    assert_calm(hosting)

"""The page of assistants: from a name to a published widget, each part in both themes and at every width."""

from __future__ import annotations

import httpx2
import pytest
from playwright.async_api import Page, expect

from tests.e2e.page_looks import NARROWEST, TOO_WIDE, faults
from tests.e2e.page_rig import Site, Visit, number_of, plain
from tests.fakes.script import Request
from tests.rig import until

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

LAKE = "# Lake report\n\nThe lake is 40 metres deep at its middle. Divers measured it in 1968.\n"
MILL = "# The mill\n\nThe mill at the lake closed in 1931.\n"


@pytest.fixture(scope="module")
def at(writing_site: Site) -> Site:
    """The stack of this module."""
    return writing_site


def depth(request: Request) -> str:
    """One sentence of the lake report."""
    return f"The lake is 40 metres deep at its middle [{number_of(request, '40 metres')}]."


async def go(page: Page, part: str) -> None:
    """To another part of the assistant."""
    await page.get_by_role("link", name=part, exact=True).click()
    await page.locator("[aria-current=page]", has_text=part).wait_for()


async def save(page: Page) -> None:
    """Save what was changed; the form is as before afterwards."""
    async with page.expect_response(lambda response: response.request.method == "PATCH"):
        await page.get_by_role("button", name="Save", exact=True).click()


async def made(page: Page, name: str) -> str:
    """A new assistant for a notebook's purpose, made on the page; its id."""
    await page.get_by_role("button", name="New assistant").click()
    await page.get_by_role("textbox", name="Name").fill(name)
    await page.get_by_role("radio", name="Research notebook").check()
    await page.get_by_role("button", name="Make it").click()
    await page.wait_for_url("**/assistants/*/sources")
    return page.url.split("/")[-2]


async def test_an_assistant_is_made_given_sources_tried_and_published_for_a_site(at: Site, visit: Visit) -> None:
    """State 31, from its beginning to the line that a site embeds."""
    notebook = await at.notebook("The lake", ("Deep lake report", LAKE), ("The old mill", MILL))
    page = await visit.tab("/assistants")
    assistant = await made(page, "Lake desk")
    path = f"/assistants/{assistant}"
    await page.get_by_role("searchbox", name="Search sources").fill("deep lake")
    rows = page.get_by_test_id("assistant-source")
    await expect(rows).to_have_count(1)
    await expect(rows).to_contain_text("Deep lake report")
    await rows.get_by_role("radio", name="Given", exact=True).check()
    await until(lambda: at.api.get(path).json()["sources"]["given"] == 1, 30, "the source to be given")
    await until(lambda: at.api.get(path).json()["sources"]["pending"] == 0, 60, "the source to be searchable")

    await go(page, "Try it")
    at.fake.script.write_with(depth)
    await page.locator("[data-part=box]").fill("How deep is the lake at its middle?")
    await page.locator("[data-part=box]").press("Enter")
    mark = page.locator("[data-part=mark]")
    await mark.wait_for()
    await page.locator("[data-part=mark].found").click()
    assert "Found in source" in plain(await page.locator("[data-part=card]").inner_text())
    how = page.get_by_test_id("try-how")
    await how.get_by_test_id("why-candidate").first.wait_for()
    assert "Deep lake report" in await how.inner_text()

    source = next(one["id"] for one in at.sources(notebook) if one["title"] == "Deep lake report")
    assert at.api.post(f"{path}/questions", {"question": "How deep is the lake?", "source_ids": [source]}).status_code == 201
    await go(page, "Publish")
    await page.get_by_role("button", name="Publish the draft").click()
    outcome = page.get_by_test_id("publish-outcome")
    await outcome.wait_for()
    assert "find what they should: 1 of 1" in plain(await outcome.inner_text()) and "It is published." in plain(await outcome.inner_text())
    await page.get_by_role("radio", name="Public site").check()
    await page.get_by_role("textbox", name="Sites that may embed it").fill("help.example.org")
    await page.get_by_text("no beginning of a web address").wait_for()
    await page.get_by_role("textbox", name="Sites that may embed it").fill("https://help.example.org/start")
    await save(page)
    snippet = page.get_by_test_id("snippet")
    await snippet.wait_for()
    row = at.api.get(path).json()
    assert row["publication"]["origins"] == ["https://help.example.org"]
    assert f'data-assistant="{row["slug"]}"' in await snippet.inner_text()
    met = httpx2.get(f"{at.address}/public/v1/assistants/{row['slug']}", headers={"Origin": "https://help.example.org"}, timeout=60)
    assert met.status_code == 200
    await page.reload()
    await page.get_by_test_id("last-seen").wait_for()
    assert "Last seen on help.example.org" in plain(await page.get_by_test_id("last-seen").inner_text())
    visit.watched.assert_calm()


async def test_what_differs_from_the_purpose_is_saved_and_taken_back(at: Site, visit: Visit) -> None:
    """Answers, Limits, Look and Hand over are a draft until it is published."""
    page = await visit.tab("/assistants")
    assistant = await made(page, "Draft desk")
    path = f"/assistants/{assistant}"
    await go(page, "Answers")
    await page.get_by_role("combobox", name="When nothing fits").select_option("canned")
    advanced, section = page.get_by_test_id("advanced"), page.get_by_test_id("section-answer")
    await advanced.locator("summary").first.click()
    await section.locator("summary").click()
    await section.get_by_role("spinbutton", name="Total s").fill("70")
    await save(page)
    await until(lambda: at.api.get(path).json()["profile_settings"] == {"answer": {"on_empty": "canned", "total_s": 70}}, 30, "the draft")
    await advanced.locator("summary").first.get_by_text("1 differs").wait_for()
    await page.get_by_text("Differs from the purpose’s own: The model says so and names the documents.").wait_for()
    await advanced.locator("summary").first.click()
    await section.locator("summary").click()
    await section.get_by_role("spinbutton", name="Total s").fill("")
    await save(page)
    await until(lambda: at.api.get(path).json()["profile_settings"] == {"answer": {"on_empty": "canned"}}, 30, "one field to be taken back")
    await go(page, "Limits")
    await page.get_by_role("spinbutton", name="Messages of one person in an hour").fill("30")
    await save(page)
    await go(page, "Look")
    await page.get_by_label("Colour of its buttons").fill("#ffe8a3")
    assert "hardly stands out" in plain(await page.get_by_test_id("colour-weak").inner_text())
    await page.get_by_role("textbox", name="Greeting").fill("Ask about the lake.")
    await save(page)
    await go(page, "Hand over")
    await page.get_by_role("radio", name="A page").check()
    await page.get_by_role("textbox", name="Web address").fill("https://example.org/contact")
    await save(page)
    row = at.api.get(path).json()
    assert row["limits"]["per_person_hour"] == 30 and row["look"] == {"greeting": "Ask about the lake.", "colour": "#ffe8a3"}
    assert row["handover"]["to"] == "https://example.org/contact" and row["published"] is None
    await go(page, "Try it")
    await page.get_by_text("Ask about the lake.").wait_for()
    await page.locator("[data-part=person]").click()
    assert await page.locator("[data-part=led] a").get_attribute("href") == "https://example.org/contact"
    visit.watched.assert_calm()


async def test_questions_asked_in_vain_become_tests_and_every_part_looks_right(at: Site, visit: Visit) -> None:
    """Questions, and WCAG 2.2 AA of all eleven parts in both themes; no part scrolls sideways at 320 px."""
    assistant = at.api.post("/assistants", {"name": "Bare desk", "profile": "notebook"}).json()["id"]
    page = await visit.tab(f"/assistants/{assistant}/questions")
    await page.get_by_test_id("misses-empty").wait_for()
    await page.get_by_role("tab", name="Test questions").click()
    await page.get_by_role("button", name="New test question").click()
    await page.get_by_role("dialog").get_by_role("textbox").first.fill("What is the weather?")
    await page.get_by_role("radio", name="Nothing").check()
    await page.get_by_role("button", name="Save", exact=True).click()
    await page.get_by_test_id("questions").get_by_text("What is the weather?").wait_for()
    assert [one["question"] for one in at.api.get(f"/assistants/{assistant}/questions").json()["items"]] == ["What is the weather?"]
    wrong: list[str] = []
    for part in ("Start", "Sources", "Answers", "Try it", "Look", "Hand over", "Limits", "Host data", "People", "Publish", "Questions"):
        await go(page, part)
        await page.emulate_media(color_scheme="light", reduced_motion="reduce")
        wrong += [f"{part}: {fault}" for fault in await faults(page)]
        await page.emulate_media(color_scheme="dark", reduced_motion="reduce")
        wrong += [f"{part} dark: {fault}" for fault in await faults(page, only_colours=True)]
        await page.set_viewport_size({"width": NARROWEST, "height": 900})
        if too_wide := await page.evaluate(TOO_WIDE):
            wrong.append(f"{part}: {too_wide} px wide")
        await page.set_viewport_size({"width": 1440, "height": 900})
    assert not wrong, "\n".join(wrong)
    visit.watched.assert_calm()

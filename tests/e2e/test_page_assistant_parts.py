"""The page of an assistant, what it had by API only: people, host data, listed people, secrets, another purpose, models on this server."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest
from playwright.async_api import Page

from tests.e2e.page_looks import assert_looks
from tests.e2e.page_rig import Site, Visit, has_focus, plain
from tests.integration.gateway_rig import person
from tests.rig import until

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

# Of these tests alone: a source is one for all that add the same text, and what is kept from hosted models here would be so for them.
WEIR = "# Weir report\n\nThe weir of Changing Street is 4 metres high. Masons built it in 1903.\n"
GAUGE = "# Gauge\n\nThe gauge of the product stands beside the sluice and is read at noon.\n"


@pytest.fixture(scope="module")
def at(writing_site: Site) -> Site:
    """The stack of this module."""
    return writing_site


def made(at: Site, name: str, **more: Any) -> str:
    """A new assistant; its id."""
    return str(at.api.post("/assistants", {"name": name, "profile": "notebook", **more}).json()["id"])


async def save(page: Page, status: int = 200) -> None:
    """Save what was changed."""
    async with page.expect_response(lambda response: response.request.method == "PATCH") as answered:
        await page.get_by_role("button", name="Save", exact=True).click()
    assert (await answered.value).status == status


async def test_people_are_let_in_given_another_role_and_taken_out(at: Site, visit: Visit) -> None:
    """Who may see and who may edit it."""
    assistant = made(at, "Shared desk")
    _, mail = await person(at.processes.environment["SOURCEBOOK_DATABASE_URL"], "Vera Lind")
    page = await visit.tab(f"/assistants/{assistant}/people")
    await page.get_by_test_id("members-empty").wait_for()
    field = page.get_by_role("textbox", name="E-mail address")
    await field.fill("nobody@example.org")
    await field.press("Enter")
    await page.get_by_role("alert").get_by_text("Nobody else signs in here").wait_for()
    assert await field.get_attribute("aria-invalid") == "true"
    await field.fill(mail)
    await page.get_by_role("radio", name="Can edit").check()
    await field.press("Enter")
    row = page.get_by_test_id("member")
    await row.get_by_text(mail).wait_for()
    role = row.get_by_role("combobox", name="What Vera Lind may do")
    assert await role.input_value() == "editor"
    await role.select_option("viewer")
    path = f"/assistants/{assistant}/members"
    await until(lambda: at.api.get(path).json()["items"][0]["role"] == "viewer", 30, "the other role")
    await assert_looks(page)
    await row.get_by_role("button", name="Take Vera Lind out").click()
    await row.wait_for(state="detached")
    assert at.api.get(path).json()["items"] == []
    visit.watched.errors = [error for error in visit.watched.errors if "422" not in error]  # Chromium logs the refused address
    visit.watched.assert_calm()


async def test_host_data_is_declared_as_json_with_what_is_wrong_beside_it(at: Site, visit: Visit) -> None:
    """The line is named and the keyboard is there; the documentation opens over the page."""
    assistant = made(at, "Planner desk")
    page = await visit.tab(f"/assistants/{assistant}/hosts")
    await page.get_by_role("button", name="Put an example in").click()
    box = page.get_by_role("textbox", name="Host applications, as JSON")
    good = await box.input_value()
    await box.fill(good.replace('"reads": [', '"reads": [['))
    await page.get_by_role("button", name="Save", exact=True).click()
    await page.get_by_role("alert").get_by_text("it is no JSON").wait_for()
    assert await has_focus(box)
    await box.fill(good.replace('"/projects/{project_id}"', '"projects"'))
    await save(page, 422)
    told = page.get_by_role("alert").get_by_text("Line 9: 0.reads.0")
    await told.wait_for()
    assert "`path` must begin with /" in plain(await told.inner_text()) and await has_focus(box)
    assert await box.get_attribute("aria-invalid") == "true"
    await assert_looks(page)
    await box.fill(good)
    await save(page)
    declared = page.get_by_test_id("declared")
    await declared.get_by_text("GET https://planner.example.org/api/projects/{project_id}").wait_for()
    assert "Reads name, description, result.value" in plain(await declared.inner_text())
    assert at.api.get(f"/assistants/{assistant}").json()["hosts"][0]["name"] == "planner"
    await page.get_by_role("button", name="How to declare it").click()
    docs = page.get_by_test_id("host-docs")
    await docs.get_by_role("heading", name="Declaring it").wait_for()
    await page.keyboard.press("Escape")
    await docs.wait_for(state="detached")
    visit.watched.errors = [error for error in visit.watched.errors if "422" not in error]
    visit.watched.assert_calm()


async def test_a_secret_is_shown_once_and_lets_in_whom_the_list_names(at: Site, visit: Visit) -> None:
    """From the choice of a signed-in application to its server's first request."""
    assistant = made(at, "Staff desk")
    assert at.api.post(f"/assistants/{assistant}/publish").status_code == 200
    page = await visit.tab(f"/assistants/{assistant}/publish")
    await page.get_by_role("radio", name="Signed-in application").check()
    await page.get_by_role("radio", name="Only those listed").check()
    await page.get_by_text("no signed-in person gets in").wait_for()
    listed = page.get_by_role("textbox", name="Their ids in your application")
    await listed.fill("anonymous:1")
    await page.get_by_role("alert").get_by_text("may not begin so").wait_for()
    await listed.fill("employee-7\nemployee-8")
    await save(page)
    assert at.api.get(f"/assistants/{assistant}").json()["publication"]["subjects"] == ["employee-7", "employee-8"]
    await page.get_by_role("button", name="Make a secret").click()
    secret = await page.get_by_role("textbox", name="The new secret").input_value()
    await page.get_by_test_id("secret").wait_for()
    await assert_looks(page)

    def asks(subject: str) -> int:
        address = f"{at.address}/api/v1/assistants/{assistant}/token"
        return httpx2.post(address, json={"subject": subject}, headers={"Authorization": f"Bearer {secret}"}, timeout=60).status_code

    assert (asks("employee-7"), asks("employee-9")) == (200, 403)
    await page.reload()
    row = page.get_by_test_id("secret")
    await row.wait_for()
    assert secret not in await page.content() and secret.startswith((await row.locator("code").inner_text()).rstrip("…"))
    await row.get_by_role("button", name="End the secret").click()
    await row.wait_for(state="detached")
    assert asks("employee-7") == 401
    await page.get_by_role("radio", name="Everybody whom it vouches for").check()
    await save(page)
    assert at.api.get(f"/assistants/{assistant}").json()["publication"]["subjects"] is None
    visit.watched.assert_calm()


async def test_another_purpose_says_what_is_to_be_indexed_anew_and_does_it(at: Site, visit: Visit) -> None:
    """As a notebook with another recipe; and models on this server only, kept with the same Save."""
    notebook = await at.notebook("The weir", ("Weir report", WEIR))
    assistant = made(at, "Changing desk")
    path = f"/assistants/{assistant}"
    assert at.api.put(f"{path}/sources", {"source_ids": [at.sources(notebook)[0]["id"]]}).status_code == 200
    page = await visit.tab(f"{path}/start")
    await page.get_by_role("radio", name="Documentation").check()
    await page.get_by_role("checkbox", name="Only models on this server").check()
    await save(page)
    recut = page.get_by_test_id("recut")
    await recut.get_by_text("1 source is still cut as before").wait_for()
    row = at.api.get(path).json()
    assert row["local_only"] and row["wanted_recipe"] and not row["reindexing"]
    await recut.get_by_role("button", name="Index them anew").click()
    await until(lambda: at.api.get(path).json()["recipe"] == row["wanted_recipe"], 60, "the swap")
    await recut.wait_for(state="detached")
    await page.get_by_text("Its sources are indexed as its purpose asks.").wait_for()
    visit.watched.assert_calm()


async def test_purposes_fields_and_what_a_product_says_of_its_sources_are_in_the_language_of_the_page(at: Site, visit: Visit) -> None:
    """German, with the values that a corpus invents as they are."""
    source = at.api.text(at.api.notebook("Geräte"), GAUGE, title="Pegel am Wehr")["id"]
    meta = {"evidence": "reference", "technology": "ring resonance", "claim": "folklore", "transfer": "analogy"}
    assert at.api.patch(f"/sources/{source}", {"meta": meta}).status_code == 200
    assistant = made(at, "Gerätekunde", profile="product")
    page = await visit.tab(f"/assistants/{assistant}/start")
    await page.evaluate("localStorage.setItem('sourcebook.language', 'de')")
    try:
        await page.reload()
        await page.get_by_role("radio", name="Produktfachmann").wait_for()
        await page.get_by_role("link", name="Antworten").click()
        mode = page.get_by_role("combobox", name="Wer nachschlägt")
        assert "Erst wird gesucht" in await mode.inner_text()
        await page.get_by_role("link", name="Quellen", exact=True).click()
        row = page.get_by_test_id("assistant-source").filter(has_text="Pegel am Wehr")
        await row.get_by_role("listitem").first.wait_for()
        told = await row.get_by_role("listitem").all_inner_texts()
        assert told == ["Hintergrund", "Technik: ring resonance", "Art der Aussage: folklore", "übertragbar: nur eine Analogie"]
    finally:
        await page.evaluate("localStorage.setItem('sourcebook.language', 'en')")
    visit.watched.assert_calm()

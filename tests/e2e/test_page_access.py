"""Settings: tokens and webhooks for a person's own programs; and what sources are for a product expert."""

from __future__ import annotations

import httpx2
import pytest
from playwright.async_api import expect

from tests.e2e.page_looks import assert_looks
from tests.e2e.page_rig import Site, Visit, has_focus, plain
from tests.rig import until

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

# Of these tests alone: a source is one for all that add the same text.
CRANE = "# Crane manual\n\nThe crane of Access Quay lifts 12 tonnes at its shortest reach.\n"
ROPE = "# Rope study\n\nRopes of Access Quay stretch by 2 per cent in their first year.\n"


@pytest.fixture(scope="module")
def at(writing_site: Site) -> Site:
    """The stack of this module."""
    return writing_site


async def test_a_token_is_made_shown_once_and_revoked_after_a_question(at: Site, visit: Visit) -> None:
    """It can do what was ticked, as often as was said; the keyboard is never lost."""
    page = await visit.tab("/settings")
    card = page.get_by_test_id("tokens")
    await card.get_by_role("button", name="Make a token").click()
    form = page.get_by_test_id("new-token")
    await form.get_by_role("button", name="Make it").click()
    await form.get_by_role("alert").get_by_text("Say what it is for.").wait_for()
    await form.get_by_role("textbox", name="Name").fill("Night import")
    await form.get_by_role("checkbox", name="Ask").uncheck()
    await form.get_by_role("combobox", name="It ends").select_option("30")
    await form.get_by_role("textbox", name="Requests in a minute").fill("6")
    await assert_looks(page)
    await form.get_by_role("button", name="Make it").click()
    box = card.get_by_role("textbox", name="The new token")
    secret = await box.input_value()
    await until(lambda: has_focus(box), 30, "the keyboard to be at the token")
    row = card.get_by_test_id("token").filter(has_text="Night import")
    said = plain(await row.inner_text())
    assert "Read · at most 6 a minute" in said and "never used" in said and "ends on" in said and "Ask" not in said, said
    assert secret not in said
    await assert_looks(page)
    bearer = {"Authorization": f"Bearer {secret}"}
    async with httpx2.AsyncClient(base_url=at.address, headers=bearer) as program:
        assert (await program.get("/api/v1/notebooks")).status_code == 200
        assert (await program.post("/api/v1/notebooks", json={"title": "Not allowed"})).status_code == 403
        await row.get_by_role("button", name="Revoke “Night import”").click()
        asking = page.get_by_test_id("end-access")
        await assert_looks(page)
        await asking.get_by_role("button", name="Cancel").click()
        assert (await program.get("/api/v1/notebooks")).status_code == 200
        await row.get_by_role("button", name="Revoke “Night import”").click()
        await asking.get_by_role("button", name="Revoke", exact=True).click()
        await row.wait_for(state="detached")
        assert (await program.get("/api/v1/notebooks")).status_code == 401
    await box.wait_for(state="detached")  # the text of a token that is gone
    assert await page.evaluate("() => document.activeElement !== document.body")
    visit.watched.assert_calm()


async def test_a_webhook_is_added_with_its_secret_and_removed(at: Site, visit: Visit) -> None:
    """Events in words; an address that is not public is refused with a reason."""
    page = await visit.tab("/settings")
    card = page.get_by_test_id("webhooks")
    await card.get_by_role("button", name="Add a webhook").click()
    form = page.get_by_test_id("new-webhook")
    address = form.get_by_role("textbox", name="Address")
    await address.fill("https://10.0.0.7/told")
    await form.get_by_role("button", name="Make it").click()
    await form.get_by_role("alert").wait_for()
    await address.fill("https://hooks.example.org/sourcebook")
    await form.get_by_role("checkbox", name="An answer ended").check()
    await assert_looks(page)
    await form.get_by_role("button", name="Make it").click()
    assert (await card.get_by_role("textbox", name="Secret of its signatures").input_value()).startswith("whsec_")
    row = card.get_by_test_id("webhook").filter(has_text="hooks.example.org")
    said = plain(await row.inner_text())
    assert "An answer ended" in said and "no message arrived yet" in said, said
    await row.get_by_role("button", name="Remove https://hooks.example.org/sourcebook").click()
    await page.get_by_test_id("end-access").get_by_role("button", name="Remove", exact=True).click()
    await row.wait_for(state="detached")
    assert not [one for one in at.api.get("/webhooks").json()["items"] if "hooks.example.org" in one["url"]]
    visit.watched.errors = [error for error in visit.watched.errors if "422" not in error]  # Chromium logs the refused address
    visit.watched.assert_calm()


async def test_sources_are_given_together_and_told_what_they_are(at: Site, visit: Visit) -> None:
    """A product expert finds no source that does not say what it is: that is said, and set for several at once."""
    await at.notebook("Access Quay", ("Access crane manual", CRANE), ("Access rope study", ROPE))
    assistant = str(at.api.post("/assistants", {"name": "Quay expert", "profile": "product"}).json()["id"])
    page = await visit.tab(f"/assistants/{assistant}/sources")
    await page.get_by_role("searchbox", name="Search sources").fill("access")
    rows = page.get_by_test_id("assistant-source")
    await expect(rows).to_have_count(2)
    chosen = page.get_by_test_id("chosen")
    await chosen.get_by_role("checkbox").check()
    await chosen.get_by_role("button", name="Give").click()
    await page.get_by_test_id("no-evidence").wait_for()
    await assert_looks(page)
    await chosen.get_by_role("button", name="Say what these 2 are").click()
    form = page.get_by_test_id("evidence-dialog")
    await form.get_by_role("combobox", name="Kind of evidence").select_option("product")
    await form.get_by_role("combobox", name="Technology").fill("cranes, ropes")
    await assert_looks(page)
    await form.get_by_role("button", name="Save").click()
    await form.wait_for(state="detached")
    await page.get_by_test_id("no-evidence").wait_for(state="detached")
    await rows.filter(has_text="rope study").get_by_role("button", name="What “Access rope study” is").click()
    await form.get_by_role("combobox", name="Kind of evidence").select_option("reference")
    await form.get_by_role("combobox", name="Kind of claim").select_option("mechanism")
    await form.get_by_role("button", name="Save").click()
    await form.wait_for(state="detached")
    await rows.filter(has_text="rope study").get_by_text("kind of claim: how it works").wait_for()
    meta = {one["title"]: one["meta"] for one in at.api.get(f"/assistants/{assistant}/sources").json()["items"] if one["state"] == "given"}
    assert meta == {
        "Access crane manual": {"evidence": "product", "technology": ["cranes", "ropes"]},
        "Access rope study": {"evidence": "reference", "technology": ["cranes", "ropes"], "claim": "mechanism"},
    }
    visit.watched.assert_calm()

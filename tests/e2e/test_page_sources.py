"""Adding sources on the page: dropped files, rows that live, passwords, pictures, readers that are away, many tabs."""

from __future__ import annotations

import asyncio
import base64

import pytest
from playwright.async_api import JSHandle, Locator, Page, Route

from tests.e2e.page_files import filler, long_pdf, mixed_pdf, pdf, with_password
from tests.e2e.page_rig import Site, Visit, plain

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

TABS = 9
PAGES = 240
FEED = "**/api/v1/events"

CARRY = """files => { const carried = new DataTransfer();
    for (const [name, bytes] of files) carried.items.add(new File([Uint8Array.from(atob(bytes), sign => sign.charCodeAt(0))], name));
    return carried; }"""
# Every status line a row ever shows, however briefly.
RECORD = """() => { window.seen = []; const look = () => { for (const line of document.querySelectorAll("[data-testid=source-status]"))
    if (window.seen.at(-1) !== line.innerText) window.seen.push(line.innerText); };
    new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true }); look(); }"""


@pytest.fixture(scope="module")
def at(writing_site: Site) -> Site:
    """The stack of this module."""
    return writing_site


async def carried(page: Page, *files: tuple[str, bytes]) -> JSHandle:
    """Files as a drag carries them."""
    return await page.evaluate_handle(CARRY, [[name, base64.b64encode(raw).decode()] for name, raw in files])


def row(page: Page, title: str) -> Locator:
    """The row of a source that is not failed."""
    return page.get_by_test_id("source-row").filter(has_text=title)


def by_name(at: Site, notebook: str, name: str) -> dict[str, object]:
    """A source of the notebook by (a part of) its title."""
    return next(one for one in at.sources(notebook) if name in str(one["title"]))


async def test_files_dropped_on_any_column_have_rows_at_once_and_a_refused_one_stops_no_other(at: Site, visit: Visit) -> None:
    """Check 2."""
    notebook = at.api.notebook("Dropped")
    page = await visit.tab(f"/n/{notebook}")
    await page.get_by_test_id("empty").wait_for()
    go_on = asyncio.Event()

    async def hold(route: Route) -> None:
        if route.request.method == "POST":
            await go_on.wait()
        await route.continue_()

    await page.route("**/api/v1/notebooks/*/sources", hold)
    files = await carried(page, ("harvest.md", b"# Harvest\n\nThe harvest of 1911 was poor."), ("tool.exe", b"MZ\x90\x00\x03"))
    column = page.get_by_role("complementary", name="Studio")
    await column.dispatch_event("dragenter", {"dataTransfer": files})
    await page.get_by_test_id("drop-target").wait_for()
    await column.dispatch_event("drop", {"dataTransfer": files})
    for name in ("harvest.md", "tool.exe"):
        await page.get_by_test_id("upload-row").filter(has_text=name).wait_for()
    assert at.sources(notebook) == [], "the rows stand there before anything was sent"
    go_on.set()
    refused = page.locator("[data-testid=upload-row][data-state=refused]")
    await refused.wait_for()
    said = plain(await refused.inner_text())
    assert "tool.exe" in said and "Not added:" in said and "cannot be read" in said, said
    await row(page, "harvest").get_by_text("Ready").wait_for()
    await page.unroute_all(behavior="wait")


async def test_a_row_goes_from_waiting_over_its_pages_to_ready_without_a_reload(at: Site, visit: Visit) -> None:
    """Check 3. Each state stands as long as the test wants: no reader, one that waits behind the last page, one that finishes.

    A warm reader needs 150 ms for all the pages, less than the page gathers hints for: nothing that races with it is seen surely.
    """
    notebook = at.api.notebook("Long")
    page = await visit.tab(f"/n/{notebook}")
    await page.get_by_test_id("empty").wait_for()
    await page.evaluate(RECORD)
    at.running["ingest"].terminate()
    at.running["ingest"].wait()
    at.running["ingest"] = at.processes.start("ingest", FAULT_AT="read.parsed", LEASE_S="2", RENEW_S="0.5")
    try:
        at.running["ingest"].pause()
        await page.get_by_test_id("file-input").set_input_files(
            {"name": "long.pdf", "mimeType": "application/pdf", "buffer": long_pdf(PAGES)}
        )
        await row(page, "long").get_by_text("Waiting").wait_for()
        at.running["ingest"].resume()
        await row(page, "long").get_by_text("Reading page").wait_for()
    finally:
        at.running["ingest"].kill()
        at.restart("ingest")
    await row(page, "long").get_by_text(f"Ready · {PAGES} pages").wait_for(timeout=90_000)
    seen = [plain(line) for line in await page.evaluate("window.seen")]
    steps = [next(at for at, line in enumerate(seen) if word in line) for word in ("Waiting", "Reading page", "Ready")]
    assert steps == sorted(steps), seen
    visit.watched.assert_calm()


async def test_with_the_feed_cut_a_source_still_arrives(at: Site, visit: Visit) -> None:
    """Check 3, where the live feed cannot be reached."""
    notebook = at.api.notebook("Cut")
    page = await visit.tab()
    await page.route(FEED, lambda route: route.abort())
    await page.goto(f"{at.address}/n/{notebook}")
    await page.get_by_test_id("empty").wait_for()
    at.api.text(notebook, "The heron waits.", title="Heron")
    await row(page, "Heron").get_by_text("Ready").wait_for()


async def test_a_protected_file_says_so_and_opens_with_the_right_password_while_its_neighbours_stay(at: Site, visit: Visit) -> None:
    """Check 4."""
    notebook = await at.notebook("Locked", ("Neighbour", "# Neighbour\n\nThe neighbour stays as it is."))
    before = by_name(at, notebook, "Neighbour")
    at.api.upload(notebook, ("locked.pdf", with_password(pdf([["The vault holds 17 letters of the mayor."]]), "swordfish")))
    page = await visit.tab(f"/n/{notebook}")
    locked = page.get_by_test_id("source-error").filter(has_text="locked")
    await locked.get_by_text("this file needs a password").wait_for()
    await locked.get_by_role("button", name="Enter it").click()
    await page.keyboard.type("not this one")
    await page.keyboard.press("Enter")
    await locked.get_by_text("that password does not open it").wait_for()
    await locked.get_by_label("Password of").fill("swordfish")
    await page.keyboard.press("Enter")
    await row(page, "locked").get_by_text("Ready").wait_for()
    after = by_name(at, notebook, "Neighbour")
    assert (after["reading_id"], after["ready_at"]) == (before["reading_id"], before["ready_at"])


async def test_pages_that_are_pictures_are_named_in_the_report_and_a_blank_page_is_empty_not_unread(at: Site, visit: Visit) -> None:
    """Check 5."""
    notebook = at.api.notebook("Mixed")
    at.api.upload(notebook, ("mixed.pdf", mixed_pdf()))
    page = await visit.tab(f"/n/{notebook}")
    await row(page, "mixed").get_by_role("button", name="Ready with warnings · 2 of 6 pages not read").click()
    said = plain(await page.get_by_test_id("report").inner_text())
    assert "Read as text 3" in said and "Empty 1" in said and "Page 6" in said, said
    assert "Not read 2" in said and "Pages 4, 5" in said.replace("–", ", ").replace(" and ", ", "), said
    visit.watched.assert_calm()


async def test_while_nobody_reads_the_page_says_so_and_after_a_start_the_files_are_read(at: Site, visit: Visit) -> None:
    """Check 6."""
    notebook = at.api.notebook("Nobody reads")
    page = await visit.tab(f"/n/{notebook}")
    at.running["ingest"].terminate()
    at.running["ingest"].wait()
    try:
        at.api.text(notebook, "The owl sleeps by day.", title="Owl")
        note = page.get_by_test_id("no-worker")
        await note.wait_for(timeout=60_000)
        assert "Nothing is being read just now. Your files are safe and wait." in plain(await note.inner_text())
        assert "Waiting" in await row(page, "Owl").inner_text()
    finally:
        at.restart("ingest")
    await row(page, "Owl").get_by_text("Ready").wait_for(timeout=60_000)
    await note.wait_for(state="hidden")
    visit.watched.assert_calm()


async def test_the_ninth_tab_of_a_notebook_loads_and_sees_a_source_become_ready(at: Site, visit: Visit) -> None:
    """Check 23: six open connections to one origin would block the seventh tab."""
    notebook = await at.notebook("Tabs", ("First", "# First\n\n" + " ".join(filler(1, 3))))
    pages = [await visit.tab(f"/n/{notebook}") for _ in range(TABS)]
    ninth = pages[-1]
    await row(ninth, "First").get_by_text("Ready").wait_for()
    at.api.text(notebook, "The ninth tab sees this.", title="Late")
    await row(ninth, "Late").get_by_text("Ready").wait_for()
    visit.watched.assert_calm()

"""Adding what costs, what is packed, what is a whole site; what a source shows of how it was read, and what can be done about it."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator

import pytest
from playwright.async_api import Locator, Page, expect

from tests.e2e.page_files import pdf, with_password
from tests.e2e.page_looks import assert_looks
from tests.e2e.page_rig import Site, Visit, plain, role, site
from tests.fakes import pdf_files
from tests.fakes.pictures import asked
from tests.fakes.provider import FakeProvider
from tests.fakes.website import Website
from tests.integration.gateway_rig import OWNER
from tests.rig import TestPostgres
from tests.site_rig import serve

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

PRICES = """currency = "EUR"
[models."fake-vision"]
page = "0.01"
[models."fake-embedding"]
tokens_in = "0"
[models."fake-caption"]
tokens_in = "0"
tokens_out = "0"
"""


@pytest.fixture(scope="module")
def web() -> Iterator[Website]:
    """A website on this machine."""
    with Website() as started:
        yield started


@pytest.fixture(scope="module")
def at(postgres: TestPostgres, tmp_path_factory: pytest.TempPathFactory, web: Website) -> Iterator[Site]:
    """A stack whose picture reader costs a cent a page and is asked about from two pages on."""
    folder = tmp_path_factory.mktemp("adding")
    tariff = folder / "prices.toml"
    tariff.write_text(PRICES)
    with FakeProvider() as paid:
        paid.script.write_with(lambda request: f"Sheet {asked(request)} tells of the mill." if request.pictures else "About the mill.")
        more = {"ACCOUNTING": "true", "PRICES": str(tariff), "VISION_CONFIRM_PAGES": "1", "URL_ALLOW": web.place, "SITE_PAUSE_S": "0.01"}
        with site(postgres, folder, writes=False, **more, **role("VISION", paid), **role("CAPTION", paid)) as started:
            assert started.api.post(f"/admin/users/{OWNER}/credit", {"amount": "10"}).status_code == 201
            yield started


def scan(*sheets: int, texts: int = 1) -> bytes:
    """A PDF with so many pages of text and then a picture for each number."""
    return pdf_files.pages_of([*(pdf_files.words() for _ in range(texts)), *(pdf_files.drawn(number) for number in sheets)])


def row(page: Page, title: str) -> Locator:
    """The row of a source, whatever its state."""
    return page.locator("li[data-source]").filter(has_text=title)


async def chosen(page: Page, *files: tuple[str, bytes]) -> None:
    """Files chosen in the dialog, which must be open, or in the box of an empty notebook."""
    given = [{"name": name, "mimeType": "application/octet-stream", "buffer": raw} for name, raw in files]
    await page.get_by_test_id("file-input").set_input_files(given)  # type: ignore[arg-type]


async def from_menu(page: Page, title: str, item: str) -> None:
    """Choose from the menu of a source."""
    await row(page, title).hover()
    await row(page, title).get_by_role("button", name="Actions for").click()
    await page.get_by_role("menuitem", name=item).click()


async def test_pages_that_cost_wait_for_a_yes_with_their_sum_and_the_report_says_what_they_cost(at: Site, visit: Visit) -> None:
    """M10, before and after."""
    notebook = at.api.notebook("Dear")
    page = await visit.tab(f"/n/{notebook}")
    await chosen(page, ("survey.pdf", scan(1, 2)), ("atlas.pdf", scan(3, 4, 5)))
    await row(page, "survey").get_by_text("2 pages need the picture reader: at most €0.02.").wait_for()
    note = page.get_by_test_id("approve-all")
    await note.get_by_text("2 sources wait for a yes. 5 pages need the picture reader, at most €0.05 in all.").wait_for()
    await assert_looks(page)
    await row(page, "survey").get_by_role("button", name="Read them").click()
    await row(page, "survey").get_by_text("Ready · 3 pages").wait_for()
    await note.wait_for(state="detached")
    await row(page, "atlas").get_by_role("button", name="Only the text pages").click()
    await row(page, "atlas").get_by_role("button", name="Ready with warnings · 3 of 4 pages not read").click()
    report = page.get_by_test_id("report")
    said = plain(await report.inner_text())
    assert "Read as text 1" in said and "Not read 3 Pages 2–4:" in said, said
    await report.get_by_role("button", name="Read the pictures too").wait_for()
    await page.keyboard.press("Escape")
    await from_menu(page, "survey", "What was read")
    said = plain(await report.inner_text())
    assert "Read from a picture 2" in said and "Cost €0.02" in said, said
    visit.watched.assert_calm()


async def test_a_scan_added_by_its_text_only_says_so_and_is_read_when_told_to(at: Site, visit: Visit) -> None:
    """The capture mode of one upload, and reading again with another."""
    notebook = at.api.notebook("Capture")
    page = await visit.tab(f"/n/{notebook}")
    await page.get_by_test_id("capture").select_option("text")
    await page.get_by_text("Fast and free.").wait_for()
    await chosen(page, ("minutes.pdf", scan(7, texts=0)))
    await row(page, "minutes").get_by_text("its pages are pictures, and only their text was looked for.").wait_for()
    await from_menu(page, "minutes", "Read again with")
    dialog = page.get_by_test_id("reread")
    await expect(dialog.get_by_label("By their text")).to_be_checked()
    await assert_looks(page)  # other widths have other columns: the dialog of a row closes with it
    await page.reload()
    await from_menu(page, "minutes", "Read again with")
    await dialog.get_by_label("Text, and pictures where there is none").check()
    await dialog.get_by_role("button", name="Read again").click()
    await row(page, "minutes").get_by_text("Ready · 1 page").wait_for()
    visit.watched.assert_calm()


async def test_a_password_given_with_the_upload_opens_the_file_and_is_not_asked_for_again(at: Site, visit: Visit) -> None:
    """Check 4, before the first try."""
    notebook = at.api.notebook("Known password")
    page = await visit.tab(f"/n/{notebook}")
    await page.get_by_role("button", name="The PDFs need a password").click()
    await page.get_by_label("Password of the PDFs").fill("swordfish")
    await chosen(page, ("vault.pdf", with_password(pdf([["The vault holds 17 letters of the mayor."]]), "swordfish")))
    await row(page, "vault").get_by_text("Ready · 1 page").wait_for()
    visit.watched.assert_calm()


async def test_an_archive_is_unpacked_and_what_is_refused_of_it_stands_beside_the_rest(at: Site, visit: Visit) -> None:
    """A zip becomes a source for each file; each refused one is a row with its own name and reason."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("river.md", "# River\n\nThe river is 12 metres wide at the mill.")
        archive.writestr("counts.csv", "town,cars\n" + "".join(f"Town {n},{n * 7}\n" for n in range(1, 30)))
        archive.writestr("copies/stream.md", "# River\n\nThe river is 12 metres wide at the mill.")
        archive.writestr("tool.exe", b"MZ\x90\x00\x03" + bytes(60))
    notebook = at.api.notebook("Packed")
    page = await visit.tab(f"/n/{notebook}")
    await chosen(page, ("all.zip", packed.getvalue()))
    await row(page, "river").get_by_text("Ready").wait_for()
    await row(page, "counts").get_by_text("Ready").wait_for()
    refused = page.locator("[data-testid=upload-row][data-state=refused]")
    said = plain(await refused.inner_text())
    assert "tool.exe" in said and "Not added: this cannot be read here: it is a program; programs are not read." in said, said
    assert "Table" in await row(page, "counts").inner_text(), "the kind is there for ears"
    same = plain(await page.locator("[data-testid=upload-row][data-state=same]").inner_text())
    assert "stream.md" in same and "The same content as all.zip › river.md: both are one source." in same, same


async def test_a_whole_site_is_added_its_pages_come_and_it_can_be_looked_at_again_or_no_more(at: Site, visit: Visit, web: Website) -> None:
    """The sites of a notebook, over the list of their pages."""
    serve(web, "weir", "mill")
    notebook = at.api.notebook("Site")
    at.api.text(notebook, "The heron waits.", title="Heron")
    page = await visit.tab(f"/n/{notebook}")
    await page.get_by_test_id("add-sources").click()
    await page.get_by_role("tab", name="Links").click()
    await page.get_by_label("A whole site").check()
    await page.get_by_label("Address of the site").fill("no address")
    await page.get_by_role("button", name="Add the site").click()
    await page.get_by_text("This is not an address.").wait_for()
    await assert_looks(page)
    await page.get_by_label("Address of the site").fill(web.url("/sitemap.xml"))
    await page.get_by_label("At most so many pages").fill("5")
    await page.get_by_label("Look again").select_option(label="Every day")
    await page.get_by_role("button", name="Add the site").click()
    panel = page.get_by_test_id("site")
    await panel.get_by_text("2 pages · looked").wait_for()
    await expect(page.locator("li[data-source]")).to_have_count(3)
    await panel.get_by_role("button", name="sitemap.xml", exact=False).first.click()
    await expect(page.locator("li[data-source]")).to_have_count(2)
    await page.get_by_role("button", name="Show all sources").click()
    await expect(page.locator("li[data-source]")).to_have_count(3)
    await panel.get_by_role("button", name="Actions for").click()
    await page.get_by_role("menuitem", name="What was found").click()
    said = plain(await page.get_by_test_id("site-report").inner_text())
    assert "Pages found 2" in said and "Added 2" in said and "At most 5 pages" in said, said
    await assert_looks(page)
    await page.keyboard.press("Escape")
    await panel.get_by_role("button", name="Actions for").click()
    await page.get_by_role("menuitem", name="Stop looking").click()
    await panel.wait_for(state="detached")
    await expect(page.locator("li[data-source]")).to_have_count(3)
    visit.watched.assert_calm()


async def test_captions_are_switched_on_for_a_notebook_and_what_was_read_before_is_read_again(at: Site, visit: Visit) -> None:
    """Settings of a notebook; stale sources are counted and read again when told to."""
    notebook = await at.notebook("Described", ("Mill", "# Mill\n\nThe mill closed in 1968."), ("Weir", "# Weir\n\nThe weir is old."))
    page = await visit.tab(f"/n/{notebook}")
    await page.get_by_role("button", name="Settings of this notebook").click()
    dialog = page.get_by_test_id("notebook-settings")
    await dialog.get_by_text("Every source was read with the settings of now.").wait_for()
    await dialog.get_by_label("Describe passages").click()  # it shows what the server says, a moment later
    await dialog.get_by_text("2 sources were read with older settings.").wait_for()
    await assert_looks(page)
    await dialog.get_by_role("button", name="Read again").click()
    await page.get_by_text("They are being read again.").wait_for()
    await expect(page.get_by_text("Read with older settings")).to_have_count(0, timeout=60_000)
    await expect(row(page, "Mill")).to_contain_text("Ready")
    visit.watched.assert_calm()

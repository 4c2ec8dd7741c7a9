"""From a mark to the cell, the second, the words of a scan and the picture they were read from: the reader of every kind of source."""

from __future__ import annotations

import csv
import io
import wave
from collections.abc import Callable, Iterator

import pytest
from playwright.async_api import Locator, Page, expect

from tests.e2e.page_files import filler, mixed_pdf, pdf
from tests.e2e.page_looks import assert_looks
from tests.e2e.page_rig import Site, Visit, ask, number_of, plain, site
from tests.fakes.office_files import slides, workbook
from tests.fakes.pictures import file_of, sheet
from tests.fakes.script import Reply, Request
from tests.rig import TestPostgres, until

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

BOARD = "BATHING PLACE\n\nSwimming is allowed from 1 June to 30 September.\nDogs stay on the lead."
SWIMMING = "Swimming is allowed from 1 June to 30 September."
SCANNED = "Station 14 was moved 80 metres to the north in March 1994."
SPRINGS = "The hydrological survey of 1987 counted 4,711 springs in the upper valley."
SPOKEN = "We measured 57 decibels at night beside the river."
SECONDS = 160
PARTS = (
    (0.0, 38.0, "Welcome to this talk about the noise of towns and what can be done about it."),
    (38.0, 79.0, SPOKEN),
    (79.0, 120.0, "The harbour was louder than anybody had expected before the survey began."),
    (120.0, 158.0, "Thank you, and now to the questions from the hall."),
)


@pytest.fixture(scope="module")
def at(postgres: TestPostgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A stack that also reads pictures and listens."""
    with site(postgres, tmp_path_factory.mktemp("kinds"), writes=True, roles=("VISION", "SPEECH")) as started:
        yield started


def placed(text: str) -> Reply:
    """A text read from a picture, with its words one under the other down the sheet."""
    words, at = [], 0
    for place, word in enumerate(text.split()):
        at = text.index(word, at)
        words.append((at, at + len(word), 0.2, 0.02 + place * 0.03, 0.5, 0.04 + place * 0.03))
        at += len(word)
    return Reply(text=text, words=tuple(words))


def writes(at: Site, said: str, statement: str, *, picture: str = "") -> None:
    """Let the fake read `picture` from every picture, and answer every question with `statement`, citing the passage with `said`."""

    def write(request: Request) -> str | Reply:
        if request.pictures:
            return placed(picture)
        return f"{statement} [{number_of(request, said)}]." if said in request.said else "Nothing to say."

    at.fake.script.write_with(write)


async def added(at: Site, title: str, name: str, raw: bytes, **fields: str) -> str:
    """A notebook with this file, ready; its id."""
    notebook = at.api.notebook(title)
    answer = at.api.upload(notebook, (name, raw), **fields)
    assert answer.status_code == 202, answer.text
    read = await at.read(notebook)
    assert [one["status"] for one in read] == ["ready"], read
    return notebook


async def opened(visit: Visit, notebook: str, question: str) -> Page:
    """The reader at the first mark of the answer to a question; the mark is found in its source."""
    page = await visit.chat(notebook)
    turn = await ask(page, question)
    mark = turn.get_by_test_id("mark").first
    assert "found in source" in (await mark.get_attribute("aria-label") or "")
    await mark.click()
    await page.get_by_test_id("highlight").first.wait_for()
    return page


INSIDE = """one => {
    const own = one.getBoundingClientRect(), view = one.closest("[data-testid=reader-scroller]").getBoundingClientRect();
    return own.top >= view.top - 1 && own.bottom <= view.bottom + 1 && own.left >= view.left - 1 && own.left < view.right;
}"""


def until_in_view(element: Locator) -> Callable[[], object]:
    """A condition: the element lies within the reader's view."""
    return lambda: element.evaluate(INSIDE)


async def pages_are_there(page: Page, count: int) -> None:
    """Wait until words and pictures of so many pages have come: none is asked for after its file was replaced."""
    for number in range(1, count + 1):
        await page.locator(f"section[data-page='{number}'][data-passage]").wait_for()
        picture = page.locator(f"section[data-page='{number}'] img")
        await until(lambda picture=picture: picture.evaluate("one => one.complete && one.naturalWidth > 0"), what="the picture of a page")  # type: ignore[misc]


def recording(seconds: int = SECONDS) -> bytes:
    """A WAV file of so many silent seconds."""
    out = io.BytesIO()
    with wave.open(out, "wb") as made:
        made.setnchannels(1)
        made.setsampwidth(1)
        made.setframerate(8000)
        made.writeframes(b"\x80" * 8000 * seconds)
    return out.getvalue()


def register(rows: int) -> list[list[object]]:
    """A header and so many rows; in row 41 stands what is asked for."""
    lines: list[list[object]] = [["Place", "Vehicles", "Remark"]]
    lines += [[f"Street {row}", row * 3, ""] for row in range(2, rows + 2)]
    lines[40] = ["Inner ring", 4711, "counted by hand in the rain"]
    return lines


async def test_a_click_opens_the_sheet_at_the_cited_row_with_its_cells_outlined(at: Site, visit: Visit) -> None:
    """Check 15: a workbook with two sheets and many rows."""
    raw = workbook({"Walkers": [["Place", "Walkers"], ["Bridge", 12], ["Market", 30]], "Sheet 2": register(400)})
    notebook = await added(at, "Counts", "counts.xlsx", raw)
    writes(at, "4711", "The inner ring had 4711 vehicles, counted by hand in the rain")
    page = await opened(visit, notebook, "How many vehicles did the inner ring have, counted by hand?")
    citation = at.last_turn(notebook)["citations"][0]
    assert citation["sheet"] == "Sheet 2"
    assert await page.get_by_role("tab", selected=True).inner_text() == "Sheet 2"
    cell = page.locator("td[data-testid=highlight]", has_text="4711")
    await until(until_in_view(cell), what="the cell in view")
    assert await cell.locator("xpath=..").get_attribute("data-row") == "41"
    style = await cell.evaluate("one => { const how = getComputedStyle(one); return [how.outlineStyle, how.backgroundColor] }")
    assert style[0] == "solid" and style[1] != "rgb(255, 255, 255)"
    assert await page.locator("tbody tr[data-row]").count() < 120, "rows are built where they are seen"
    await assert_looks(page)
    visit.watched.assert_calm()


async def test_a_row_of_a_plain_table_is_marked_and_its_card_names_it(at: Site, visit: Visit) -> None:
    """A table without sheets: the locator is the row."""
    out = io.StringIO()
    csv.writer(out).writerows(register(60))
    notebook = await added(at, "Register", "register.csv", out.getvalue().encode())
    writes(at, "4711", "The inner ring had 4711 vehicles, counted by hand in the rain")
    page = await opened(visit, notebook, "How many vehicles did the inner ring have, counted by hand?")
    assert await page.locator("td[data-testid=highlight]").count() >= 1
    await page.locator("body").press("Backspace")
    await page.get_by_test_id("reader").wait_for(state="hidden")
    await page.mouse.move(0, 0)
    await page.get_by_test_id("mark").first.hover()
    first, last = at.last_turn(notebook)["citations"][0]["rows"]
    assert first <= 41 <= last
    assert (f"Rows {first}–{last}" if first < last else f"Row {first}") in await page.get_by_test_id("citation-card").inner_text()
    visit.watched.assert_calm()


async def test_a_click_sets_the_player_to_the_second_and_marks_what_was_said(at: Site, visit: Visit) -> None:
    """Check 15: a recording."""
    at.fake.script.add(Reply(kind="transcriptions", segments=PARTS))
    notebook = await added(at, "Talk", "talk.wav", recording())
    writes(at, SPOKEN, SPOKEN[:-1])
    page = await opened(visit, notebook, "How many decibels did they measure at night beside the river?")
    citation = at.last_turn(notebook)["citations"][0]
    assert citation["start_ms"] == 38_000
    sound = page.get_by_test_id("sound")

    async def is_there() -> bool:
        place = float(await sound.evaluate("one => one.readyState >= 1 ? one.currentTime : -1"))
        return abs(place * 1000 - int(citation["start_ms"])) <= 250

    await until(is_there, what="the player at the second")
    assert "".join(await page.get_by_test_id("highlight").all_text_contents()) == citation["quote"]
    assert await sound.evaluate("one => one.paused")
    await assert_looks(page)
    part = page.locator("[data-part='2'] button")
    await part.click()
    await until(lambda: sound.evaluate("one => !one.paused && one.currentTime >= 79"), what="the next part to be heard")
    await expect(page.locator("[data-part='2']")).to_have_attribute("data-heard", "true")
    await page.get_by_test_id("transcript").click(position={"x": 2, "y": 2})
    await page.keyboard.press("Space")
    await until(lambda: sound.evaluate("one => one.paused"), what="a pause")
    visit.watched.assert_calm()


async def test_a_recording_without_times_says_so(at: Site, visit: Visit) -> None:
    """The model told a text only."""
    at.fake.script.add(Reply(kind="transcriptions", text=SPOKEN, timeless=True))
    notebook = await added(at, "Memo", "memo.wav", recording(12))
    writes(at, SPOKEN, SPOKEN[:-1])
    page = await opened(visit, notebook, "How many decibels did they measure at night beside the river?")
    assert "No times are known for this recording" in await page.get_by_test_id("transcript").inner_text()
    visit.watched.assert_calm()


async def test_a_picture_is_opened_with_its_words_marked_in_the_text_and_on_it(at: Site, visit: Visit) -> None:
    """A photo of a notice board."""
    writes(at, SWIMMING, SWIMMING[:-1], picture=BOARD)
    notebook = await added(at, "Board", "board.png", file_of(sheet(3), "PNG"))
    page = await opened(visit, notebook, "When is swimming allowed?")
    text = page.locator("mark[data-testid=highlight]")
    assert plain("".join(await text.all_text_contents())) == SWIMMING
    await page.locator("[data-box]").first.wait_for()
    picture = page.locator("[data-page] img")
    await until(lambda: picture.evaluate("one => one.complete && one.naturalWidth > 0"), what="the picture")
    assert "may contain reading mistakes" in await page.get_by_test_id("from-picture").first.inner_text()
    await assert_looks(page)
    visit.watched.assert_calm()


async def test_a_scanned_page_among_pages_of_text_has_its_text_beside_it(at: Site, visit: Visit) -> None:
    """Check 15: a scan inside a PDF; the other pages are shown as before."""
    writes(at, SCANNED, SCANNED[:-1], picture=SCANNED)
    notebook = await added(at, "Survey", "survey.pdf", mixed_pdf(), capture="auto")
    page = await opened(visit, notebook, "How far was station 14 moved in March 1994?")
    mark = page.locator("mark[data-testid=highlight]")
    assert plain("".join(await mark.all_text_contents())) == SCANNED
    await until(until_in_view(mark.first), what="the marked text in view")
    number = at.last_turn(notebook)["citations"][0]["page"]
    shown = page.locator(f"section[data-page='{number}']")
    assert number in (4, 5)
    await expect(shown.get_by_test_id("from-picture")).to_have_count(1)
    await page.get_by_test_id("reader-page").fill("2")
    await page.get_by_test_id("reader-page").press("Enter")
    await page.locator("section[data-page='2'] img").wait_for()
    assert await page.locator("section[data-page='2']").get_by_test_id("from-picture").count() == 0
    visit.watched.assert_calm()


async def test_on_a_narrow_screen_a_scan_opens_on_its_text_and_the_picture_is_one_tap_away(at: Site, visit: Visit) -> None:
    """A page picture cannot be read at 390 px."""
    writes(at, SWIMMING, SWIMMING[:-1], picture=BOARD)
    notebook = await added(at, "Board on a phone", "board.png", file_of(sheet(5), "PNG"))
    page = await opened(visit, notebook, "When is swimming allowed?")
    await page.set_viewport_size({"width": 390, "height": 844})
    await page.get_by_test_id("text-view").locator("mark").wait_for()
    await page.get_by_test_id("reader-view").click()
    await page.locator("[data-page] img").wait_for()
    await page.set_viewport_size({"width": 1440, "height": 900})
    visit.watched.assert_calm()


async def test_a_quote_from_a_file_that_was_replaced_is_shown_as_stored_text_and_looked_for_in_the_new_one(at: Site, visit: Visit) -> None:
    """State 24 where pictures of the old bytes are gone: once the quote stands in the new file too, once it does not."""
    notebook = await added(at, "Springs", "springs.pdf", pdf([filler(1), [SPRINGS]], title="Springs"), external_id="springs")
    writes(at, "4,711", SPRINGS[:-1])
    page = await opened(visit, notebook, "How many springs did the survey count?")
    await page.wait_for_url("**/s/**")
    address = page.url
    await pages_are_there(page, 2)
    old = at.last_turn(notebook)["citations"][0]["reading_id"]
    again = at.api.upload(notebook, ("springs.pdf", pdf([filler(2), filler(3), [SPRINGS]], title="Springs")), external_id="springs")
    assert again.status_code in (200, 202), again.text
    await until(lambda: at.sources(notebook)[0]["reading_id"] != old, 60, "another reading")
    await at.read(notebook)
    await page.goto(address)
    earlier = page.get_by_test_id("earlier-reading")
    await page.get_by_text("Its file was replaced since").wait_for()
    assert "This quote is from the reading of" in await earlier.inner_text()
    assert plain("".join(await page.get_by_test_id("text-view").locator("mark").all_text_contents())) == SPRINGS
    assert await page.get_by_test_id("reader-view").count() == 0, "there is no picture to switch to"
    await assert_looks(page)
    await earlier.get_by_role("button").click()
    await earlier.wait_for(state="hidden")
    await page.locator("section[data-page='3'] [data-box]").first.wait_for()
    await pages_are_there(page, 3)
    second = at.sources(notebook)[0]["reading_id"]
    third = at.api.upload(notebook, ("springs.pdf", pdf([filler(4)], title="Springs")), external_id="springs")
    assert third.status_code in (200, 202), third.text
    await until(lambda: at.sources(notebook)[0]["reading_id"] not in (old, second), 60, "a third reading")
    await at.read(notebook)
    await page.goto(address)
    await earlier.get_by_role("button").click()
    await page.get_by_text("The quote does not stand in the new text.").wait_for()
    visit.watched.assert_calm()


async def test_slides_are_named_in_the_reader_and_on_the_card(at: Site, visit: Visit) -> None:
    """A slide is a page of its own."""
    notebook = await added(at, "Slides", "talk.pptx", slides())
    passages = at.api.get(f"/sources/{at.sources(notebook)[0]['id']}/passages").json()["items"]
    assert [one["page"] for one in passages] == [1, 2, 3]
    page = await visit.tab(f"/n/{notebook}/s/{at.sources(notebook)[0]['id']}?at=1:0-5")
    await page.get_by_test_id("highlight").wait_for()
    assert "Slide 2" in await page.get_by_test_id("text-view").inner_text()
    visit.watched.assert_calm()

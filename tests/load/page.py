"""The page in a real browser: a card beside its mark, the words behind a mark, keys in a long conversation and while an answer comes."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

from playwright.async_api import Locator, Page

from sourcebook_core.store.people import LOCAL_OWNER
from tests import rows
from tests.e2e.page_files import filler, pdf
from tests.e2e.page_rig import WEB, Site, Visit, browser, handed_over, send, signed_in, site
from tests.fakes.script import Reply, Request
from tests.load import painted
from tests.load.bench import Bench
from tests.load.figures import Figure, median, ms, percentile

TURNS, MARKS_EACH = 60, 20
HOVERS, CLICKS, KEYS, QUESTIONS = 40, 10, 60, 6
CARD, CARD_S, CARD_DELAY_MS = "[data-testid=citation-card]", 0.15, 80
WORDS_S, LIFE_S, KEY_S, TASK_S = 0.4, 0.1, 0.2, 0.1  # bounds of the page: warm reader, first sign of life, a key, a task
# The words marked in the reader: boxes over a page's picture, a range of a text.
SEEN = {"pdf": "[data-testid=highlight] [data-box]", "markdown": "[data-testid=text-view] [data-testid=highlight]"}
WATCHED = "/admin/health"  # looked at all the time, whatever is pointed at
CHARS, TOKENS_PER_S, TOKEN_CHARS, SOURCES = 20_000, 100, 6, 300
_SENTENCE = re.compile(r"[A-Z][^.]+\.")


@dataclass
class _Desk:
    """A signed-in browser on a stack with one notebook, and its conversations: a short one and a long one."""

    at: Site
    visit: Visit
    notebook: str
    short: str
    long: str

    async def open(self, conversation: str) -> Page:
        """A tab at the end of a conversation, when the page has come to rest."""
        page = await self.visit.tab(f"/n/{self.notebook}/c/{conversation}")
        await page.get_by_test_id("answer-summary").last.wait_for()
        await page.wait_for_load_state("networkidle")
        return page


def marked(request: Request) -> Reply:
    """An answer in the sources' own sentences, about twenty marks in four paragraphs."""
    found = [(n, sentence) for n, text in handed_over(request) for sentence in _SENTENCE.findall(text)[:3]]
    told = [f"{' '.join(sentence.split())[:-1]} [{n}]." for n, sentence in found[:MARKS_EACH]]
    return Reply(text="\n\n".join(" ".join(told[at : at + 5]) for at in range(0, len(told), 5)))


def _text(number: int) -> tuple[str, str]:
    lines = filler(number * 11, 40)
    return f"Report {number}", "\n\n".join(f"## Part {at // 8}\n\n{' '.join(lines[at : at + 8])}" for at in range(0, 40, 8))


async def waits(bench: Bench) -> list[Figure]:
    """Card, words and keys in conversations of one answer and of sixty; then keys while a long answer comes in beside 300 sources."""
    assert (WEB / "index.html").is_file(), f"the page is not built: no index.html in {WEB}"
    async with _opened(bench) as desk:
        page = await desk.open(desk.short)
        figures = [await _cards(page, "one answer"), *await _words(desk, page)]
        await desk.visit.close_tabs()  # a page in the background is drawn once a second
        page = await desk.open(desk.long)
        figures += [await _cards(page, f"{TURNS} answers"), *await _typing(page, f"{TURNS} answers"), await _signs_of_life(page)]
        await desk.visit.close_tabs()
        figures += await _while_it_comes(desk)
    return figures


@asynccontextmanager
async def _opened(bench: Bench) -> AsyncIterator[_Desk]:
    folder = bench.folder / "page"
    folder.mkdir()
    with site(bench.postgres, folder, writes=True) as at:
        at.fake.script.write_with(marked)
        notebook = await at.notebook("Bench", *(_text(number) for number in (1, 2)))
        assert at.api.upload(notebook, ("pages.pdf", pdf([filler(page) for page in range(1, 9)], title="Pages"))).status_code == 202
        await at.read(notebook)
        short, long = _asked(at, notebook, 1), _asked(at, notebook, TURNS)
        async with browser() as chromium, signed_in(chromium, at) as visit:
            yield _Desk(at, visit, notebook, short, long)


def _asked(at: Site, notebook: str, turns: int) -> str:
    """A conversation of so many turns; its id."""
    conversation: dict[str, Any] = {}
    for number in range(turns):
        words = filler(number + 3, 1)[0]
        told = at.api.post(f"/notebooks/{notebook}/ask", {"question": f"What stands where: {words}", **conversation})
        assert told.status_code == 200 and len(told.json()["citations"]) > 2, told.text
        conversation = {"conversation_id": told.json()["conversation_id"]}
    return str(conversation["conversation_id"])


async def _cards(page: Page, what: str) -> Figure:
    """From the pointer on a mark to its card, which asks the server nothing."""
    marks = await page.get_by_test_id("turn").last.get_by_test_id("mark").all()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    took, bare = [], []
    for number in range(HOVERS + 2):
        bare.append(await painted.bare_seconds(page, CARD_DELAY_MS))
        mark = marks[number % len(marks)]
        await mark.scroll_into_view_if_needed()
        await page.mouse.move(3, 3)
        await page.locator(CARD).wait_for(state="hidden")
        took.append(await painted.seconds(page, "pointerover", "[data-testid=mark]", CARD, _point(page, mark)))
    await page.mouse.move(3, 3)
    assert all(address.endswith(WATCHED) for address in asked), asked
    of = f"{what}, {len(marks)} marks in the last"
    told = f"p50 {ms(median(took[2:]))}", f"a bare timer and two frames: p50 {ms(median(bare))}, p95 {ms(percentile(bare, 0.95))}"
    return Figure("CARD", f"seconds from the pointer to the card, p95, {of}", percentile(took[2:], 0.95), CARD_S, "<=", *told)


async def _point(page: Page, mark: Locator) -> None:
    box = await mark.bounding_box()
    assert box is not None
    await page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


async def _words(desk: _Desk, page: Page) -> list[Figure]:
    """From the click on a mark to its words marked in the reader: the first time of all, and again."""
    cited = {one["kind"]: one["n"] for one in _last_turn(desk, desk.short)["citations"]}
    figures = []
    for kind, seen in SEEN.items():
        mark = page.locator(f'[data-mark$=".{cited[kind]}"]').first
        took = []
        for _ in range(CLICKS):
            await mark.scroll_into_view_if_needed()
            took.append(await painted.seconds(page, "click", "[data-testid=mark]", seen, mark.click()))
            await page.get_by_test_id("reader-back").click()
            await page.get_by_test_id("reader").wait_for(state="hidden")
        first, warm = took[0], took[1:]
        told = f"p50 {ms(median(warm))}, the first {ms(first)}"
        figures.append(
            Figure("WORDS", f"seconds from a click to the words of a {kind} source, warm, p95", percentile(warm, 0.95), WORDS_S, "<=", told)
        )
    return figures


def _last_turn(desk: _Desk, conversation: str) -> dict[str, Any]:
    return dict(desk.at.api.get(f"/conversations/{conversation}").json()["turns"][-1])


async def _typing(page: Page, beside: str) -> list[Figure]:
    """From a key to the frame after it, and the longest task meanwhile."""
    tools = await painted.watch(page)
    await page.get_by_test_id("composer").click()
    await painted.longest_task(page)
    before = await painted.spent(tools)
    await page.keyboard.type("a long question that is typed as quickly as anybody can " * 2, delay=40)
    took = await painted.keys(page, KEYS)
    each = (await painted.spent(tools) - before) / len(took)
    await page.get_by_test_id("composer").fill("")
    return [
        Figure(
            "KEYS",
            f"seconds from a key to its letter, p95, {beside}",
            percentile(took, 0.95),
            KEY_S,
            "<=",
            f"p50 {ms(median(took))}",
            f"{ms(each)} of processor time a key",
        ),
        Figure("TASK", f"seconds of the longest task meanwhile, {beside}", await painted.longest_task(page), TASK_S, "<="),
    ]


async def _signs_of_life(page: Page) -> Figure:
    """From Enter to the question standing in the conversation."""
    took = []
    for number in range(QUESTIONS):
        count = await page.get_by_test_id("turn").count()
        await page.get_by_test_id("composer").fill(f"And what stands where in part {number}?")
        seen = f"[data-testid=messages] > div > [data-testid=turn]:nth-of-type({count + 1})"
        took.append(await painted.seconds(page, "keydown", "[data-testid=composer]", seen, page.keyboard.press("Enter")))
        await page.get_by_test_id("answer-summary").nth(count).wait_for()
    what = f"seconds from Enter to the question in a conversation of {TURNS}, the slowest of {QUESTIONS}"
    return Figure("LIFE", what, max(took), LIFE_S, "<=", f"p50 {ms(median(took))}")


async def _while_it_comes(desk: _Desk) -> list[Figure]:
    """Keys while 100 tokens a second arrive in an answer of 20,000 characters, in a notebook of 300 sources."""
    async with rows.opened(desk.at.processes.environment["SOURCEBOOK_DATABASE_URL"]) as conn:
        for _ in range(SOURCES - 3):
            await rows.bare_source(conn, rows.Notebook(UUID(desk.notebook), LOCAL_OWNER), uuid4(), uuid4(), 1)
    lines = [f"{line[:-1]} [1]." for line in filler(5, 600)]
    text = "\n\n".join(" ".join(lines[at : at + 6]) for at in range(0, len(lines), 6))[:CHARS]
    pieces = tuple(text[at : at + TOKEN_CHARS] for at in range(0, len(text), TOKEN_CHARS))
    desk.at.fake.script.write_with(lambda _: Reply(text=text, pieces=pieces, piece_delay_s=1 / TOKENS_PER_S))
    page = await desk.visit.chat(desk.notebook)
    await send(page, "Tell everything that stands anywhere")
    await page.wait_for_function("chars => document.querySelector('[data-testid=answer]')?.innerText.length > chars", arg=CHARS // 2)
    return await _typing(page, f"{TOKENS_PER_S} tokens/s, 300 sources")

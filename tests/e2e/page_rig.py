"""A whole stack with scripted models, and a browser that is signed in to it."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.async_api import Browser, BrowserContext, Locator, Page, TimeoutError, async_playwright, expect
from playwright.async_api import Request as PageRequest

from sourcebook.stack.bell import Bell
from tests.fakes.provider import FakeProvider
from tests.fakes.script import Request
from tests.integration.gateway_rig import Api
from tests.rig import Processes, Running, TestPostgres, free_port, until

BROWSERS = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
ARGUMENTS = (
    "--no-sandbox",  # the tests may run as root
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
# TEST_WEB_DIR names another build of the page, so that one can be tested while the checkout's own is being built.
WEB = Path(os.environ.get("TEST_WEB_DIR") or Path(__file__).parents[2] / "web" / "dist")
DIMENSION = 64
PATIENCE_MS = 30_000  # a bound for one state of the page on a busy machine, not a measure
expect.set_options(timeout=PATIENCE_MS)  # its own bound is 5 s
TOKEN = "owner-token-of-the-page-tests-0123456789"
_SETTLED = ("ready", "failed")
_PASSAGE = re.compile(r"^\[(\d+)\][^\n]*\n(\S+)\n(.*?)\n\2$", re.MULTILINE | re.DOTALL)


@dataclass
class Site:
    """A running stack: gateway, one ingest and one rag worker, and the fake provider as its models."""

    processes: Processes
    running: dict[str, Running]
    api: Api
    fake: FakeProvider
    address: str

    async def notebook(self, title: str, *texts: tuple[str, str]) -> str:
        """A notebook with these (title, Markdown text) sources, each ready; its id."""
        notebook = self.api.notebook(title)
        for name, text in texts:
            self.api.text(notebook, text, title=name, format="markdown")
        if texts:
            await self.read(notebook)
        return notebook

    async def read(self, notebook: str, timeout_s: float = 90.0) -> list[dict[str, Any]]:
        """The notebook's sources once all are ready or failed."""

        def settled() -> list[dict[str, Any]] | None:
            for name, one in self.running.items():
                assert one.is_alive, f"{name} ended:\n{one.said()[-2000:]}"
            items = self.sources(notebook)
            return items if items and all(one["status"] in _SETTLED for one in items) else None

        return await until(settled, timeout_s, "all sources to be read") or []

    def sources(self, notebook: str) -> list[dict[str, Any]]:
        """The notebook's sources as they are."""
        return list(self.api.get(f"/notebooks/{notebook}/sources").json()["items"])

    def last_turn(self, notebook: str) -> dict[str, Any]:
        """The newest turn of the notebook's newest conversation."""
        newest = max(self.api.get(f"/notebooks/{notebook}/conversations").json()["items"], key=lambda one: str(one["updated_at"]))
        return dict(self.api.get(f"/conversations/{newest['id']}").json()["turns"][-1])

    def asked(self) -> list[Request]:
        """What the writing model was asked for answers, oldest first; guides and summaries are made beside them."""
        return self.fake.script.asked()

    def link(self) -> str:
        """A one-time sign-in link."""
        return str(self.api.post("/auth/links", {}).json()["url"])

    def restart(self, name: str) -> None:
        """Start a worker that was ended."""
        self.running[name] = self.processes.start(name)


@contextlib.contextmanager
def site(postgres: TestPostgres, folder: Path, *, writes: bool, roles: Sequence[str] = (), **more: str) -> Iterator[Site]:
    """Start a stack in `folder`; `writes`: with a writing model (the fake), which is also each of `roles` (VISION, SPEECH)."""
    data = folder / "data"
    data.mkdir()
    (data / "owner-token").touch(mode=0o600)
    (data / "owner-token").write_text(TOKEN)
    bell = Bell(folder / "redis.log")
    bell.start()
    port = free_port()
    database = postgres.new_migrated()
    with FakeProvider() as fake:
        environment = {
            "DATABASE_URL": postgres.url(database),
            "REDIS_URL": bell.url(),
            "BLOBS_URL": (folder / "blobs").as_uri(),
            "DATA_DIR": str(data),
            "SECRET_KEY": "a-secret-key-for-the-page-tests-0123456789",
            "PORT": str(port),
            "WEB_DIR": str(WEB),
            "POLL_S": "0.2",
            "URL_ALLOW": f"127.0.0.1:{port}",  # as `up --demo` does, for the sample's page
            "ASKS_PER_MINUTE": "0",
            "FLOOR": "0.05",
            **role("EMBEDDING", fake, DIMENSION=str(DIMENSION)),
            **(role("CHAT", fake) if writes else {}),
            **{name: value for one in roles for name, value in role(one, fake).items()},
            **more,
        }
        processes = Processes({f"SOURCEBOOK_{name}": value for name, value in environment.items()}, folder)
        try:
            running = {name: processes.start(name) for name in ("ingest", "rag", "gateway")}
            address = f"http://127.0.0.1:{port}"
            api = Api(address, TOKEN)
            with contextlib.closing(api.http):
                yield Site(processes, running, api, fake, address)
        finally:
            processes.kill_all()
            bell.stop()
            postgres.drop(database)


def role(name: str, fake: FakeProvider, **more: str) -> dict[str, str]:
    """The environment of a role that is the fake."""
    given = {"PROVIDER": "api", "BASE_URL": fake.base_url, "MODEL": f"fake-{name.lower()}", "API_KEY": "k", **more}
    return {f"{name}_{field}": value for field, value in given.items()}


@dataclass
class Watched:
    """What pages did that they should not: errors in the console, refusals of the policy, requests to other origins."""

    address: str
    errors: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)

    def watch(self, page: Page) -> None:
        """Listen to a page."""
        page.on("console", lambda message: self.errors.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", self._requested)

    def _requested(self, request: PageRequest) -> None:
        parts = urlsplit(request.url)
        if parts.scheme in ("http", "https", "ws", "wss") and f"{parts.scheme}://{parts.netloc}" != self.address:
            self.foreign.append(request.url)

    def assert_calm(self) -> None:
        """No console error and no request to another origin."""
        assert not self.errors, self.errors
        assert not self.foreign, self.foreign


@contextlib.asynccontextmanager
async def browser() -> AsyncIterator[Browser]:
    """A headless Chromium of the machine."""
    program = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    assert program, "the browser tests need Chromium: sudo apt-get install -y chromium"
    async with async_playwright() as playwright:
        started = await playwright.chromium.launch(executable_path=program, args=list(ARGUMENTS))
        yield started
        await started.close()


@dataclass
class Visit:
    """A browser profile signed in to a site; its tabs are watched."""

    at: Site
    context: BrowserContext
    watched: Watched

    async def tab(self, path: str = "/") -> Page:
        """A new tab at a path of the site."""
        page = await self.context.new_page()
        self.watched.watch(page)
        await page.goto(f"{self.at.address}{path}")
        return page

    async def chat(self, notebook: str) -> Page:
        """A new tab with a new conversation of a notebook, its box ready for a question."""
        page = await self.tab(f"/n/{notebook}?chat=new")
        try:
            await page.get_by_test_id("composer").wait_for()
        except TimeoutError as late:
            seen = await page.locator("body").inner_text()
            raise AssertionError(f"no chat at {page.url}; the page shows {seen!r}; errors: {self.watched.errors}") from late
        return page

    async def close_tabs(self) -> None:
        """Close what a test opened."""
        for page in self.context.pages:
            await page.close()
        self.watched.errors.clear()
        self.watched.foreign.clear()


@contextlib.asynccontextmanager
async def signed_in(started: Browser, at: Site, *, width: int = 1440, height: int = 900, **more: Any) -> AsyncIterator[Visit]:
    """A new browser profile, signed in by a link."""
    context = await started.new_context(viewport={"width": width, "height": height}, **more)
    context.set_default_timeout(PATIENCE_MS)
    visit = Visit(at, context, Watched(at.address))
    try:
        page = await context.new_page()
        await page.goto(at.link())
        await page.get_by_role("heading", name="Notebooks").wait_for()
        await page.close()
        yield visit
    finally:
        await context.close()


async def ask(page: Page, question: str) -> Locator:
    """Ask in the open notebook; the turn's element once its summary is there."""
    before = await page.get_by_test_id("answer-summary").count()
    await send(page, question)
    await page.get_by_test_id("answer-summary").nth(before).wait_for()
    return page.get_by_test_id("turn").last


async def send(page: Page, question: str) -> None:
    """Ask in the open notebook, without waiting for the answer."""
    box = page.get_by_test_id("composer")
    await box.fill(question)
    await box.press("Enter")


async def has_focus(element: Locator) -> bool:
    """Whether the keyboard is at this element."""
    return bool(await element.evaluate("element => element === document.activeElement"))


async def names_of(inside: Locator) -> list[str]:
    """The accessible names of the marks inside."""
    return [await mark.get_attribute("aria-label") or "" for mark in await inside.get_by_test_id("mark").all()]


def number_of(request: Request, words: str) -> int:
    """The number under which the passage with these words was handed to the model."""
    found = [n for n, text in handed_over(request) if words in text]
    assert found, f"no passage with {words!r} was handed over:\n{request.messages[-1]['content']}"
    return found[0]


def handed_over(request: Request) -> list[tuple[int, str]]:
    """The passages that were handed to the model, each with its number."""
    return [(int(n), text) for n, _, text in _PASSAGE.findall(str(request.messages[-1]["content"]))]


def plain(text: str) -> str:
    """A text with each run of white space as one blank, soft hyphens gone."""
    return re.sub(r"\s+", " ", re.sub(r"\u00ad\s*", "", text)).strip()

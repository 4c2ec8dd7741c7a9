"""A whole stack with scripted models, and a browser that is signed in to it."""

from __future__ import annotations

import contextlib
import re
import shutil
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.async_api import Browser, BrowserContext, Locator, Page, Request, async_playwright

from sourcebook.stack.bell import Bell
from tests.fakes.provider import FakeProvider
from tests.integration.gateway_rig import Api
from tests.rig import Processes, TestPostgres, free_port, until

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
WEB = Path(__file__).parents[2] / "web" / "dist"
DIMENSION = 64


@dataclass
class Site:
    """A running stack: gateway, one ingest and one rag worker, and the fake provider as its models."""

    processes: Processes
    api: Api
    fake: FakeProvider
    address: str

    def notebook(self, title: str, *texts: tuple[str, str]) -> str:
        """A notebook with these (title, text) sources, each ready; its id."""
        notebook = self.api.notebook(title)
        for name, text in texts:
            self.api.text(notebook, text, title=name, format="markdown")
        return notebook

    async def ready(self, notebook: str, timeout_s: float = 60.0) -> list[dict[str, Any]]:
        """The notebook's sources once all are ready or failed."""

        def settled() -> list[dict[str, Any]] | None:
            items = self.api.get(f"/notebooks/{notebook}/sources").json()["items"]
            return items if items and all(one["status"] in ("ready", "failed") for one in items) else None

        return await until(settled, timeout_s, "all sources to be read") or []

    def link(self) -> str:
        """A one-time sign-in link."""
        return str(self.api.post("/auth/links", {}).json()["url"])


@contextlib.contextmanager
def site(postgres: TestPostgres, folder: Path, *, writes: bool, **more: str) -> Iterator[Site]:
    """Start a stack in `folder`; `writes`: with a writing model (the fake)."""
    data = folder / "data"
    data.mkdir()
    (data / "owner-token").write_text("owner-token-of-the-page-tests-0123456789")
    (data / "owner-token").chmod(0o600)
    bell = Bell(folder / "redis.log")
    bell.start()
    port = free_port()
    with FakeProvider() as fake:
        environment = {
            "DATABASE_URL": postgres.url(postgres.new_migrated()),
            "REDIS_URL": bell.url(),
            "BLOBS_URL": (folder / "blobs").as_uri(),
            "DATA_DIR": str(data),
            "SECRET_KEY": "a-secret-key-for-the-page-tests-0123456789",
            "PORT": str(port),
            "WEB_DIR": str(WEB),
            "POLL_S": "0.2",
            "LEASE_S": "4",
            "RENEW_S": "1",
            "ASKS_PER_MINUTE": "0",
            "FLOOR": "0.05",
            **role("EMBEDDING", fake, DIMENSION=str(DIMENSION)),
            **(role("CHAT", fake) if writes else {}),
            **more,
        }
        processes = Processes({f"SOURCEBOOK_{name}": value for name, value in environment.items()}, folder)
        try:
            for name in ("gateway", "ingest", "rag"):
                processes.start(name)
            address = f"http://127.0.0.1:{port}"
            api = Api(address, (data / "owner-token").read_text())
            with contextlib.closing(api.http):
                yield Site(processes, api, fake, address)
        finally:
            processes.kill_all()
            bell.stop()


def role(name: str, fake: FakeProvider, **more: str) -> dict[str, str]:
    """The environment of a role that is the fake."""
    given = {"PROVIDER": "api", "BASE_URL": fake.base_url, "MODEL": f"fake-{name.lower()}", "API_KEY": "k", **more}
    return {f"{name}_{field}": value for field, value in given.items()}


@dataclass
class Watched:
    """What a page did that it should not: errors in its console, refusals of its policy, requests to other origins."""

    address: str
    errors: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)

    def watch(self, page: Page) -> None:
        """Listen to a page."""
        page.on("console", lambda message: self.errors.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", self._requested)

    def _requested(self, request: Request) -> None:
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


@contextlib.asynccontextmanager
async def signed_in(
    started: Browser, at: Site, *, width: int = 1440, height: int = 900, scheme: Any = "light", **more: Any
) -> AsyncIterator[tuple[BrowserContext, Page, Watched]]:
    """A new browser profile, signed in, on the notebooks page."""
    context = await started.new_context(viewport={"width": width, "height": height}, color_scheme=scheme, **more)
    context.set_default_timeout(15_000)
    page = await context.new_page()
    watched = Watched(at.address)
    watched.watch(page)
    await page.goto(at.link())
    await page.get_by_test_id("notebooks").wait_for()
    yield context, page, watched
    await context.close()


async def ask(page: Page, question: str) -> Locator:
    """Ask in the open notebook; the turn's element once its summary is there."""
    before = await page.get_by_test_id("answer-summary").count()
    box = page.get_by_test_id("composer")
    await box.fill(question)
    await box.press("Enter")
    await page.get_by_test_id("answer-summary").nth(before).wait_for()
    return page.get_by_test_id("turn").last


def code_points(text: str, start: int, end: int) -> str:
    """The slice of a text by code points, as the contract counts."""
    return text[start:end]


def plain(text: str) -> str:
    """A text with each run of white space as one blank, soft hyphens gone."""
    return re.sub(r"\s+", " ", text.replace("\u00ad", "")).strip()

"""What the page tests share: one stack with a writing model, one without, a browser and a signed-in profile per module."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio
from playwright.async_api import Browser

from tests.e2e.examples_rig import ExampleStack, example_stack
from tests.e2e.page_rig import Site, Visit, browser, signed_in, site
from tests.rig import TestPostgres


@pytest.fixture(scope="package")
def writing_site(postgres: TestPostgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A stack whose writing model is the fake."""
    with site(postgres, tmp_path_factory.mktemp("writing"), writes=True) as started:
        yield started


@pytest.fixture(scope="package")
def examples(postgres: TestPostgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ExampleStack]:
    """The stack on which the five examples are played."""
    with example_stack(postgres, tmp_path_factory.mktemp("examples")) as started:
        yield started


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def chromium() -> AsyncIterator[Browser]:
    """One browser for the module."""
    async with browser() as started:
        yield started


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def profile(chromium: Browser, at: Site) -> AsyncIterator[Visit]:
    """One signed-in browser profile for the module; `at` is the module's stack."""
    async with signed_in(chromium, at, permissions=["clipboard-read", "clipboard-write"]) as visit:
        yield visit


@pytest_asyncio.fixture(loop_scope="module")
async def visit(profile: Visit, at: Site) -> AsyncIterator[Visit]:
    """The module's profile without tabs; afterwards its tabs are closed and the script of the fake is empty."""
    yield profile
    await profile.close_tabs()
    at.fake.script.reset()

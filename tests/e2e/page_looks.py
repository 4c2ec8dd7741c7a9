"""What every state of the page must keep to, and how it is measured: axe by WCAG 2.2 AA, both themes, three widths, no sideways scroll."""

from __future__ import annotations

from typing import Any

from axe_playwright_python.base import AXE_SCRIPT
from playwright.async_api import Page

HEIGHT = 900
WIDTHS = (1440, 1024, 390)
DARK_WIDTHS = (1440, 390)  # between them lie no other colours
NARROWEST = 320
RULES = {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}
LARGE_ENOUGH = {"target-size": {"enabled": True}}  # at least 24 px, or as far apart
# Sideways scrolling is left to tables and page pictures, which scroll inside their own box.
TOO_WIDE = "() => document.scrollingElement.scrollWidth > innerWidth ? document.scrollingElement.scrollWidth : 0"

# A page is as tall as its window, or scrolls by what it has to show: a hand's breadth, not by what is only for ears.
TOO_TALL = "() => { const over = document.scrollingElement.scrollHeight - innerHeight; return over > 0 && over < 8 ? over : 0 }"

# What a new width or theme has the page do is done.
NEXT_FRAME = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


async def faults(page: Page, *, only_colours: bool = False) -> list[str]:
    """What axe finds wrong in the page as it is."""
    options: dict[str, Any] = {"runOnly": RULES, "rules": LARGE_ENOUGH, "resultTypes": ["violations"]}
    if only_colours:
        options = {"runOnly": ["color-contrast"], "resultTypes": ["violations"]}
    if not await page.evaluate("() => 'axe' in window"):  # half a megabyte: once a page, not once a look
        await page.evaluate(AXE_SCRIPT)
    await page.evaluate(NEXT_FRAME)
    found = await page.evaluate("options => axe.run(document, options).then((found) => found.violations)", options)
    return [f"{one['id']}: {node['html'][:160]} {node['failureSummary'][:300]}" for one in found for node in one["nodes"]]


async def assert_looks(page: Page) -> None:
    """The state the page is in holds in both themes at every width; the window is as wide as before afterwards.

    The dark theme changes colours only, so there only contrast is measured anew.
    """
    before = page.viewport_size
    wrong: list[str] = []
    for width in WIDTHS:
        await page.set_viewport_size({"width": width, "height": HEIGHT})
        await page.emulate_media(color_scheme="light", reduced_motion="reduce")
        wrong += [f"{width} light: {fault}" for fault in await faults(page)]
        if too_tall := await page.evaluate(TOO_TALL):
            wrong.append(f"{width}: the window scrolls by {too_tall} px")
        if width in DARK_WIDTHS:
            await page.emulate_media(color_scheme="dark", reduced_motion="reduce")
            wrong += [f"{width} dark: {fault}" for fault in await faults(page, only_colours=True)]
    await page.set_viewport_size({"width": NARROWEST, "height": HEIGHT})
    if too_wide := await page.evaluate(TOO_WIDE):
        wrong.append(f"{NARROWEST}: the page is {too_wide} px wide")
    await page.emulate_media(color_scheme="light", reduced_motion="no-preference")
    if before:
        await page.set_viewport_size(before)
    assert not wrong, "\n".join(wrong)

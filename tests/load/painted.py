"""What a person waits for in a page, measured inside it: from the moment of a key, click or pointer to the frame that shows the result."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable

from playwright.async_api import CDPSession, Page

# `shown` holds the moments at which what is waited for is on the screen: some of it inside the window and not transparent. A frame is
# painted when a message that was posted in its last callback arrives.
_ARM = """([event, within, seen]) => {
    const painted = given => new Promise(resolve => {
        const look = () => {
            const one = document.querySelector(seen), box = one?.getBoundingClientRect();
            const isThere = box && box.width > 0 && box.height > 0 && box.bottom > 0 && box.top < innerHeight && box.right > 0
                && box.left < innerWidth && Number(getComputedStyle(one).opacity) > 0;
            if (!isThere) return requestAnimationFrame(look);
            const channel = new MessageChannel();
            channel.port1.onmessage = () => resolve(performance.now() - given.timeStamp);
            channel.port2.postMessage(0);
        };
        requestAnimationFrame(look);
    });
    window.timed = new Promise(resolve => {
        const heard = given => {
            if (!given.target.closest?.(within)) return;
            removeEventListener(event, heard, true);
            resolve(painted(given));
        };
        addEventListener(event, heard, true);
    });
}"""
# Every key from its own time to the frame after it, and the tasks that took longer than 50 ms.
_WATCH = """() => {
    window.keys = []; window.tasks = [];
    new PerformanceObserver(list => window.tasks.push(...list.getEntries().map(one => one.duration))).observe({ type: "longtask" });
    addEventListener("keydown", given => requestAnimationFrame(() => {
        const channel = new MessageChannel();
        channel.port1.onmessage = () => window.keys.push(performance.now() - given.timeStamp);
        channel.port2.postMessage(0);
    }), true);
}"""
# What the browser takes by itself: a timer, the frame in which a box could appear and the one in which it is no longer transparent.
_BARE = """delay => new Promise(resolve => {
    const began = performance.now();
    setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(() => {
        const channel = new MessageChannel();
        channel.port1.onmessage = () => resolve(performance.now() - began);
        channel.port2.postMessage(0);
    })), delay);
})"""
PATIENCE_S = 60.0


async def seconds(page: Page, event: str, within: str, seen: str, act: Awaitable[None]) -> float:
    """From `event` on an element inside the selector `within`, which `act` brings about, to the frame in which `seen` is there."""
    await page.evaluate(_ARM, [event, within, seen])
    await act
    async with asyncio.timeout(PATIENCE_S):
        return float(await page.evaluate("window.timed")) / 1000


async def bare_seconds(page: Page, delay_ms: int) -> float:
    """What a page that does nothing takes for a box that fades in after a delay: what a busy machine adds is in it too."""
    return float(await page.evaluate(_BARE, delay_ms)) / 1000


async def watch(page: Page) -> CDPSession:
    """Note every key and every long task of the page from now on; what comes back tells what the page has `spent`."""
    await page.evaluate(_WATCH)
    tools = await page.context.new_cdp_session(page)
    await tools.send("Performance.enable", {"timeDomain": "threadTicks"})
    return tools


async def spent(tools: CDPSession) -> float:
    """Seconds of processor time that the page's main thread has taken since it was watched, whatever else the machine does."""
    told = await tools.send("Performance.getMetrics")
    return float(next(one["value"] for one in told["metrics"] if one["name"] == "TaskDuration"))


async def keys(page: Page, count: int) -> list[float]:
    """Seconds from each of the `count` keys pressed since the last call to the frame after it."""
    async with asyncio.timeout(PATIENCE_S):
        await page.wait_for_function("count => window.keys.length >= count", arg=count)
    return [one / 1000 for one in await page.evaluate("window.keys.splice(0)")]


async def longest_task(page: Page) -> float:
    """Seconds of the longest task since the last call; 0 where none took 50 ms."""
    return float(await page.evaluate("Math.max(0, ...window.tasks.splice(0))")) / 1000

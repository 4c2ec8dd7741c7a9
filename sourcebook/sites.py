"""A web site from the command line: added as one, told as many sources."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from sourcebook import ask as asking
from sourcebook.client import Client

_POLL_S = 0.5


def add(client: Client, notebook_id: str, url: str, hours: int | None) -> dict[str, Any]:
    """Add a site (a sitemap, feed, robots.txt or page); its row. Raises Refused."""
    site: dict[str, Any] = client.post(f"/notebooks/{notebook_id}/sites", {"url": url, "refresh_hours": hours})
    return site


def wait(client: Client, site_id: str, say: Callable[[str], None]) -> bool:
    """Wait until the site is looked at and its pages are read, saying what became of them; True when every page is ready."""
    while (site := client.get(f"/sites/{site_id}"))["status"] in ("queued", "looking"):
        time.sleep(_POLL_S)
    if site["error"]:
        say(f"{site['url']}: {site['error']['message']} ({site['error']['code']})")
        return False
    report = site["report"]
    refused = ", ".join(f"{count} {why}" for why, count in report["refused"].items())
    say(f"{site['url']}: {report['found']} addresses, {report['added']} added, {report['known']} known{f'; {refused}' if refused else ''}")
    return asking.wait_until_read(client, [item["source_id"] for item in report["items"] if item["source_id"]], say)

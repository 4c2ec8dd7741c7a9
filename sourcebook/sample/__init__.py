"""The sample notebook: three sources about Sourcebook itself, so that the first question has something to answer it."""

import time
from pathlib import Path
from typing import Any

from sourcebook.client import Client

TITLE = "Sourcebook, in its own words"
QUESTION = "How does Sourcebook check that a citation is right?"
PAGE = "/sample/keeping-sourcebook.html"
_FOLDER = Path(__file__).parent
_POLL_S = 0.5
_SETTLED = {"ready", "failed", "stopped", "paused", "needs_approval"}


def load(client: Client) -> dict[str, Any]:
    """The sample notebook, made with its three sources when there is none; one that has sources is left as its owner keeps it.

    The web page is served by the gateway itself, which the URL guard lets pass only under `--demo`. Safe to run twice:
    a source that is there already is linked, not read again. Raises Unreachable or Refused.
    """
    samples = [notebook for notebook in client.everything("/notebooks") if notebook["is_sample"]]
    found: dict[str, Any] = samples[0] if samples else client.post("/notebooks", {"title": TITLE, "is_sample": True})
    if found["source_counts"]["total"]:
        return found
    sources = f"/notebooks/{found['id']}/sources"
    for name in ("welcome.md", "How answers are checked.pdf"):
        client.upload(sources, _FOLDER / name)
    client.post(sources, {"url": client.url + PAGE})
    return found


def wait_until_read(client: Client, notebook_id: str, timeout_s: float = 180.0) -> list[dict[str, Any]]:
    """The notebook's sources once each is ready or has failed, or as they are after `timeout_s`."""
    deadline = time.monotonic() + timeout_s
    while True:
        sources = list(client.everything(f"/notebooks/{notebook_id}/sources"))
        if all(source["status"] in _SETTLED for source in sources) or time.monotonic() > deadline:
            return sources
        time.sleep(_POLL_S)

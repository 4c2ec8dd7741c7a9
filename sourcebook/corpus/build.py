"""Building a corpus: its pages become sources beside those in use, and take their place in one step when all are ready."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sourcebook.client import Client, Refused
from sourcebook.corpus.plan import Page, Plan
from sourcebook.stack.errors import StackError

Say = Callable[[str], None]
POLL_S = 0.3
_SETTLED = ("ready", "failed", "stopped", "paused", "needs_approval")


@dataclass(frozen=True)
class Built:
    """What a build came to: sources in use now, those that were added for it, those that went, and chunks without a caption."""

    in_use: int
    added: int
    removed: int
    uncaptioned: list[dict[str, str]]


def build(client: Client, plan: Plan, say: Say, *, patience_s: float) -> Built:
    """Build and swap. Until the swap, and after a failure, the assistant answers from what it had.

    Safe to run again: pages that are there in this version are neither sent nor indexed again.
    Raises StackError `corpus_failed` when a page cannot be read, a file of captions is about no chunk of its page, there is no such
    assistant, or it takes longer than `patience_s`.
    """
    assistant = _assistant(client, plan.assistant)
    recipe = str(assistant["recipe"])
    notebook = _staging(client, plan, recipe)
    before = {one["external_id"]: one for one in client.everything(f"/notebooks/{notebook['id']}/sources", limit=200)}
    known = {external_id: one for external_id, one in before.items() if one["status"] not in ("failed", "stopped")}
    ids: dict[str, Page] = {}
    for page in plan.pages:
        source = known.get(page.external_id(plan.name)) or _add(client, notebook["id"], plan, page)
        ids[source["id"]] = page
        if source["meta"] != page.meta:
            client.patch(f"/sources/{source['id']}", {"meta": page.meta})
    added = len(ids) - len(ids.keys() & {one["id"] for one in known.values()})
    say(f"{len(ids)} pages, {added} of them new or changed")
    end = time.monotonic() + patience_s
    late = [source_id for source_id, page in ids.items() if page.captions and not _bring(client, source_id, page)]
    _wait(client, notebook["id"], ids, end, say)
    for source_id in late:  # were being indexed when their captions came
        _bring(client, source_id, ids[source_id])
    if late:
        _wait(client, notebook["id"], ids, end, say)
    chunks = {source_id: client.get(f"/sources/{source_id}/captions", recipe=recipe)["items"] for source_id in ids}
    _captions_are_of_chunks(ids, chunks)
    client.put(f"/assistants/{assistant['id']}/sources", {"source_ids": list(ids)})
    say(f"{assistant['slug']} answers from {len(ids)} sources now")
    gone = [one["id"] for one in before.values() if one["id"] not in ids]
    for source_id in gone:
        client.delete(f"/sources/{source_id}")
    return Built(len(ids), added, len(gone), _uncaptioned(ids, chunks))


def _assistant(client: Client, slug: str) -> dict[str, Any]:
    found = next((one for one in client.everything("/assistants") if one["slug"] == slug), None)
    if found is None:
        raise StackError("corpus_failed", f'There is no assistant "{slug}": make it first, or name another in corpus.toml.')
    whole: dict[str, Any] = client.get(f"/assistants/{found['id']}")
    return whole


def _staging(client: Client, plan: Plan, recipe: str) -> dict[str, Any]:
    """The notebook that holds the corpus while it is built, cutting as the assistant does, so that the swap is at once."""
    title = f"Corpus: {plan.name}"
    found = next((one for one in client.everything("/notebooks") if one["title"] == title), None)
    notebook: dict[str, Any] = found or client.post("/notebooks", {"title": title})
    if notebook["recipe"]["id"] != recipe:
        client.patch(f"/notebooks/{notebook['id']}", {"settings": {"recipe": recipe}})
        if found:
            client.post(f"/notebooks/{notebook['id']}/reindex")
    return notebook


def _add(client: Client, notebook_id: str, plan: Plan, page: Page) -> dict[str, Any]:
    body = {"title": page.title[:300], "text": page.text, "format": "markdown", "external_id": page.external_id(plan.name)}
    source: dict[str, Any] = client.post(f"/notebooks/{notebook_id}/sources", body)["items"][0]["source"]
    return source


def _bring(client: Client, source_id: str, page: Page) -> bool:
    """Give a source its captions; False when it is being indexed just now."""
    try:
        client.put(f"/sources/{source_id}/captions", {"captions": dict(page.captions)})
    except Refused as refused:
        if refused.code != "conflict":
            raise
        return False
    return True


def _wait(client: Client, notebook_id: str, ids: dict[str, Page], end: float, say: Say) -> None:
    """Until every page is ready. Raises StackError that names the first page that is not."""
    told = -1
    while True:
        states = {one["id"]: one for one in client.everything(f"/notebooks/{notebook_id}/sources", limit=200) if one["id"] in ids}
        for one in states.values():
            if one["status"] in _SETTLED and one["status"] != "ready":
                why = (one.get("error") or {}).get("message", one["status"])
                raise StackError("corpus_failed", f"{ids[one['id']].name} cannot be read: {why} The assistant keeps what it had.")
        ready = sum(one["status"] == "ready" for one in states.values())
        if ready == len(ids):
            return
        if ready != told:
            told = ready
            say(f"{ready} of {len(ids)} pages are ready")
        if time.monotonic() > end:
            raise StackError("corpus_failed", f"Only {ready} of {len(ids)} pages were ready in time. The assistant keeps what it had.")
        time.sleep(POLL_S)


def _captions_are_of_chunks(ids: dict[str, Page], chunks: dict[str, list[dict[str, Any]]]) -> None:
    """Raises StackError that names the first page none of whose captions is of a chunk: they were written for other words (N-21)."""
    for source_id, page in ids.items():
        own = chunks[source_id]
        if page.captions and not page.captions.keys() & {chunk["hash"] for chunk in own}:
            why = f"None of the captions of {page.name} is of one of its {len(own)} chunks: write them anew."
            raise StackError("corpus_failed", f"{why} The assistant keeps what it had.")


def _uncaptioned(ids: dict[str, Page], chunks: dict[str, list[dict[str, Any]]]) -> list[dict[str, str]]:
    """Chunks that no caption is kept for: page, hash, heading and words, as who writes captions needs them."""
    lacking = []
    for source_id, page in ids.items():
        for chunk in chunks[source_id]:
            if chunk["caption"] is None:
                told = {"page": page.name, "hash": chunk["hash"], "heading": chunk["heading"] or "", "text": chunk["text"]}
                lacking.append(told)
    return lacking

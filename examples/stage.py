"""Where an example is played: the server, what is lent to it for the time, and what was expected and came."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from examples.api import Api, Refused
from examples.scripted_model import CHAT, TRANSLATE, ScriptedModel

POLL_S = 0.15
PATIENCE_S = 120.0
SETTLED = ("ready", "failed", "stopped", "paused", "needs_approval")
JSON, SSE, NDJSON = "application/json", "text/event-stream", "application/x-ndjson"
# The ports of what an example starts itself; the server lets its own fetches pass to these (SOURCEBOOK_URL_ALLOW, SOURCEBOOK_HOST_ALLOW).
WEB_PORT, HOST_PORT = 8601, 8602


@dataclass
class Stage:
    """One run of one example."""

    api: Api
    web_port: int = WEB_PORT
    host_port: int = HOST_PORT
    stop_store: Callable[[], None] | None = None  # takes the search its rights; only who runs the server can
    start_store: Callable[[], None] | None = None
    say: Callable[[str], None] = print
    wrong: list[str] = field(default_factory=list)

    def part(self, title: str) -> None:
        """Begin a part of the show."""
        self.say(f"\n== {title}")

    def show(self, question: str, answer: str) -> None:
        """A question and what was answered."""
        self.say(f"   ? {question}")
        for line in answer.strip().splitlines() or ["(nothing)"]:
            self.say(f"     {line}")

    def expect(self, sentence: str, is_so: object, came: object = None) -> None:
        """Say whether this is so; what is not makes the run fail, and tells what came instead."""
        if is_so:
            self.say(f"   ok  {sentence}")
            return
        self.wrong.append(sentence)
        self.say(f"   NOT {sentence}" + ("" if came is None else f"\n       came: {_short(came)}"))

    def refusal(self, call: Callable[[], Any]) -> Refused | None:
        """How a call was refused; None when it was not."""
        try:
            call()
        except Refused as refused:
            return refused
        return None

    def until(self, what: str, found: Callable[[], Any], patience_s: float = PATIENCE_S) -> Any:
        """What `found` gives once it is something. Raises TimeoutError that names what was waited for."""
        end = time.monotonic() + patience_s
        while time.monotonic() < end:
            if value := found():
                return value
            time.sleep(POLL_S)
        raise TimeoutError(f"waited {patience_s:.0f} s for {what}")

    @contextlib.contextmanager
    def lent(self, model: ScriptedModel, *roles: str) -> Iterator[None]:
        """The scripted model in these roles (chat, translate; embedding is only passed through it) until the block ends."""
        before = {one["role"]: one for one in self.api.get("/admin/models")["items"]}
        for role in roles:
            if before[role]["locked"] or before[role]["has_key"]:
                raise RuntimeError(f"The role {role} is set up here with a key or by the environment: run `python -m examples.run NAME`.")
        if "embedding" in roles:
            if before["embedding"]["provider"] != "local":
                raise RuntimeError("This example needs the local embedding model: run `python -m examples.run NAME`.")
            model.upstream = before["embedding"]["base_url"]
        try:
            for role in roles:
                same = before[role]
                name = {"chat": CHAT, "translate": TRANSLATE, "embedding": same["model"]}[role]
                given = {"provider": "local", "base_url": model.base_url, "model": name}
                self.api.put(f"/admin/models/{role}", given | ({"options": same["options"]} if role == "embedding" else {"options": {}}))
            yield
        finally:
            for role in roles:
                held = {name: before[role][name] for name in ("provider", "base_url", "model", "options")}
                self.api.put(f"/admin/models/{role}", held)

    def read(self, path: str, patience_s: float = PATIENCE_S) -> list[dict[str, Any]]:
        """The sources of a holder once every one is ready or failed."""

        items: list[dict[str, Any]] = []

        def settled() -> bool:
            items[:] = self.api.everything(f"{path}/sources")
            return bool(items) and all(one["status"] in SETTLED for one in items)

        try:
            self.until("every source to be read", settled, patience_s)
        except TimeoutError as late:
            left = [(one["title"], one["status"], one["error"]) for one in items if one["status"] not in SETTLED]
            raise TimeoutError(f"{late}: {_short(left)}") from None
        return items

    def cut(self, assistant: str) -> None:
        """Wait until the sources of the assistant at this path are cut as it wants them, so that it answers from all of them."""
        self.until("its sources to be cut for it", lambda: not self.api.get(assistant)["sources"]["pending"])

    def ask(self, path: str, question: str, headers: Mapping[str, str] | None = None, **more: Any) -> dict[str, Any]:
        """The whole answer of the notebook or assistant at this path, shown as well."""
        answer: dict[str, Any] = self.api.post(f"{path}/ask", {"question": question, **more}, Accept=JSON, **(headers or {}))
        self.show(question, answer["answer"])
        return answer

    @contextlib.contextmanager
    def notebook(self, title: str, **more: Any) -> Iterator[dict[str, Any]]:
        """A new notebook, deleted with its sources afterwards."""
        made = self.api.post("/notebooks", {"title": title, **more})
        try:
            yield made
        finally:
            self.forget_notebook(made["id"])

    def forget_notebook(self, notebook_id: str) -> None:
        """Delete a notebook with its sources."""
        ids = [one["id"] for one in self.api.everything(f"/notebooks/{notebook_id}/sources")]
        self.remove(ids, notebooks=[notebook_id])

    @contextlib.contextmanager
    def assistant(self, slug: str, profile: str, **more: Any) -> Iterator[dict[str, Any]]:
        """A new assistant, deleted afterwards; one that an earlier run has left under this slug goes first."""
        for old in self.api.everything("/assistants"):
            if old["slug"] == slug:
                self.remove([], assistants=[old["id"]])
        made = self.api.post("/assistants", {"slug": slug, "profile": profile, **more})
        try:
            yield made
        finally:
            self.remove([], assistants=[made["id"]])

    def remove(self, sources: Sequence[str], *, notebooks: Sequence[str] = (), assistants: Sequence[str] = ()) -> None:
        """Delete these; sources stay in the trash, so that no purge works beside the next example."""
        for kind, ids in (("assistants", assistants), ("notebooks", notebooks), ("sources", sources)):
            for one in ids:
                for path in (f"/{kind}/{one}", *((f"/trash/{one}",) if kind != "sources" else ())):
                    with contextlib.suppress(Refused):
                        self.api.delete(path)

    def add_text(
        self, notebook_id: str, title: str, text: str, meta: Mapping[str, Any] | None = None, external_id: str | None = None
    ) -> str:
        """A Markdown text in a notebook; the id of the source."""
        body = {"title": title, "text": text, "format": "markdown"} | ({"external_id": external_id} if external_id else {})
        source = self.api.post(f"/notebooks/{notebook_id}/sources", body)["items"][0]["source"]
        if meta:
            self.api.patch(f"/sources/{source['id']}", {"meta": dict(meta)})
        return str(source["id"])

    def reader(self, notebook_id: str, answer: Mapping[str, Any], citation: Mapping[str, Any]) -> str:
        """The address at which the page opens on what a citation quotes."""
        at = f"{citation['passage']}:{citation['start'] or 0}-{citation['end'] or 0}"
        query = urlencode({"at": at, "r": citation["reading_id"], "turn": answer["turn_id"]}, safe=":")
        return f"{self.api.url}/n/{notebook_id}/s/{citation['source_id']}?{query}"


def _short(came: object) -> str:
    text = came if isinstance(came, str) else json.dumps(came, ensure_ascii=False, default=str)
    return text if len(text) <= 600 else f"{text[:600]}…"


def run(play: Callable[[Stage], None]) -> None:
    """Play against `SOURCEBOOK_URL` with `SOURCEBOOK_TOKEN` (an owner's) and end the program: 0 when all was as expected."""
    url, token = os.environ.get("SOURCEBOOK_URL"), os.environ.get("SOURCEBOOK_TOKEN")
    if not url or not token:
        sys.exit("Set SOURCEBOOK_URL and SOURCEBOOK_TOKEN, or run `python -m examples.run NAME`, which starts a server of its own.")
    with Api(url, f"Bearer {token}") as api:
        stage = Stage(api)
        stage.web_port = int(os.environ.get("EXAMPLE_WEB_PORT", WEB_PORT))
        stage.host_port = int(os.environ.get("EXAMPLE_HOST_PORT", HOST_PORT))
        sys.exit(played(play, stage))


def played(play: Callable[[Stage], None], stage: Stage) -> int:
    """Play; the exit code: 0 when all was as expected, else 1 after a list of what was not."""
    began = time.monotonic()
    try:
        play(stage)
    except (Refused, TimeoutError, RuntimeError) as stopped:
        stage.expect(f"the example goes on to its end ({stopped})", False)
    seconds = time.monotonic() - began
    if stage.wrong:
        stage.say(f"\n{len(stage.wrong)} things were not as expected ({seconds:.0f} s):")
        for sentence in stage.wrong:
            stage.say(f"  - {sentence}")
        return 1
    stage.say(f"\nEverything was as expected ({seconds:.0f} s).")
    return 0

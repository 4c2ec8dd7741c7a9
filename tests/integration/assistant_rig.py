"""An assistant in a running stack, its owner, and visitors who talk to it from a page of another site."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

from tests.integration.gateway_rig import Api, person, working_gateway
from tests.rig import Processes, TestPostgres, until_sync

SITE = "https://help.example.org"


@dataclass
class Visitor:
    """Somebody on a page of `site` with a visitor's token, or none."""

    address: str
    slug: str
    token: str | None = None
    site: str | None = SITE

    def send(self, method: str, path: str, body: Any = None, **headers: str) -> httpx2.Response:
        """A request to the assistant's part of the public tree."""
        given = {"Origin": self.site} if self.site else {}
        given |= {"Authorization": f"Visitor {self.token}"} if self.token else {}
        url = f"{self.address}/public/v1/assistants/{self.slug}{path}"
        return httpx2.request(method, url, json=body, headers=given | headers, timeout=60)

    def get(self, path: str = "", **headers: str) -> httpx2.Response:
        return self.send("GET", path, **headers)

    def post(self, path: str, body: Any = None, **headers: str) -> httpx2.Response:
        return self.send("POST", path, body, **headers)

    def ask(self, question: str, **more: Any) -> dict[str, Any]:
        """The whole answer."""
        answered = self.post("/ask", {"question": question, **more})
        assert answered.status_code == 200, answered.text
        return dict(answered.json())

    def said(self, session: str = "") -> list[str]:
        """The questions of the visitor's conversation."""
        found = self.get(f"/conversation?session_id={session}" if session else "/conversation")
        assert found.status_code == 200, found.text
        return [turn["question"] for turn in found.json()["turns"]]


@dataclass
class Booth:
    """The owner's client, the stack's processes and the database's address."""

    api: Api
    processes: Processes
    database: str

    def source(self, text: str, title: str = "Manual") -> str:
        """A source of the library that is read."""
        notebook = self.api.notebook()
        made = str(self.api.text(notebook, text, title=title)["id"])
        self.api.ready(made)
        return made

    def assistant(self, *sources: str, publication: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
        """A published assistant that holds these sources, each cut for it."""
        given = publication or {"mode": "public", "origins": [SITE]}
        made = self.api.post("/assistants", {"name": "Helper", "profile": "notebook", "publication": given, **more})
        assert made.status_code == 201, made.text
        found: dict[str, Any] = made.json()
        self.give(found["id"], *sources)
        self.publish(found["id"])
        return found

    def give(self, assistant: str, *sources: str) -> None:
        """Swap its sources for these, and wait until each is found."""
        swapped = self.api.put(f"/assistants/{assistant}/sources", {"source_ids": list(sources)})
        assert swapped.status_code == 200, swapped.text
        until_sync(lambda: self.api.get(f"/assistants/{assistant}").json()["sources"]["pending"] == 0, 60, "its sources to be cut")

    def publish(self, assistant: str, when: str = "always") -> dict[str, Any]:
        """What publishing told."""
        told = self.api.post(f"/assistants/{assistant}/publish", {"when": when})
        assert told.status_code == 200, told.text
        return dict(told.json())

    def anonymous(self, slug: str) -> Visitor:
        """Somebody who opened the page."""
        visitor = Visitor(self.api.address, slug)
        visitor.token = visitor.post("/session").json()["token"]
        return visitor

    def signed_in(self, assistant: dict[str, Any], subject: str) -> Visitor:
        """Somebody whom the host application signed in."""
        told = self.api.post(f"/assistants/{assistant['id']}/token", {"subject": subject})
        assert told.status_code == 200, told.text
        return Visitor(self.api.address, assistant["slug"], told.json()["token"])

    async def person(self, name: str) -> tuple[str, str]:
        """A new person's token and mail address."""
        return await person(self.database, name)


@contextmanager
def booth(postgres: TestPostgres, folder: Path, **extra: str) -> Iterator[Booth]:
    """A stack that answers with quoted sentences."""
    more = {"ASKS_PER_MINUTE": "0", "VISITOR_ASKS_PER_HOUR": "0", "VISITOR_ASKS_PER_ADDRESS_MINUTE": "0", **extra}
    with working_gateway(postgres, folder, **more) as (processes, api, url):
        yield Booth(api, processes, url)

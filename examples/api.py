"""The HTTP of the examples: JSON calls, answers in all three forms, and what a refusal said."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import httpx2

READ_S = 200.0  # the server itself ends a turn that takes longer


class Refused(Exception):
    """The server said no: HTTP status, code, sentence, and the headers of the reply."""

    def __init__(self, reply: httpx2.Response) -> None:
        try:
            error = reply.json()["error"]
            self.code, self.message = str(error["code"]), str(error["message"])
        except (ValueError, KeyError, TypeError):
            self.code, self.message = "unknown", reply.text[:300]
        self.status, self.headers = reply.status_code, dict(reply.headers)
        super().__init__(f"{self.status} {self.code}: {self.message}")


@dataclass(frozen=True)
class Event:
    """One event of an answer: its name and its object."""

    name: str
    said: dict[str, Any]


@dataclass(frozen=True)
class Frames:
    """An answer as it came: media type, whether there was a keep-alive, and its events."""

    media_type: str
    events: list[Event]

    @property
    def last(self) -> dict[str, Any]:
        """What the event that ended it said."""
        return self.events[-1].said

    def of(self, name: str) -> list[dict[str, Any]]:
        """Every event of a name."""
        return [event.said for event in self.events if event.name == name]


class Api:
    """One server with one token. `api.under("/public/v1")` speaks to another tree of the same server."""

    def __init__(self, url: str, authorization: str | None, *, tree: str = "/api/v1") -> None:
        self.url = url.rstrip("/")
        self.token = (authorization or "").partition(" ")[2]
        headers = {"Authorization": authorization} if authorization else {}
        self._http = httpx2.Client(
            base_url=f"{self.url}{tree}", headers=headers, timeout=httpx2.Timeout(READ_S, connect=5.0), trust_env=False
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def under(self, tree: str, authorization: str | None) -> Api:
        """The same server, another tree, somebody else."""
        return Api(self.url, authorization, tree=tree)

    def get(self, path: str, **params: Any) -> Any:
        """The JSON of a GET. Raises Refused, as all methods here."""
        return self._json("GET", path, params=params)

    def post(self, path: str, body: Any = None, **headers: str) -> Any:
        """The JSON that a POST of JSON answers with."""
        return self._json("POST", path, json={} if body is None else body, headers=headers)

    def put(self, path: str, body: Any) -> Any:
        """The JSON that a PUT answers with."""
        return self._json("PUT", path, json=body)

    def patch(self, path: str, body: Any) -> Any:
        """The JSON that a PATCH answers with."""
        return self._json("PATCH", path, json=body)

    def delete(self, path: str) -> None:
        """DELETE."""
        self._json("DELETE", path)

    def upload(self, path: str, file: Path) -> Any:
        """The JSON that a form with one file answers with."""
        with open(file, "rb") as content:
            return self._json("POST", path, files={"file": (file.name, content)})

    def text(self, path: str) -> str:
        """The body of a GET as text."""
        return self._checked(self._http.get(path)).text

    def everything(self, path: str) -> Iterator[dict[str, Any]]:
        """All items of a list."""
        cursor: str | None = None
        while True:
            page = self.get(path, **({"cursor": cursor} if cursor else {}))
            yield from page["items"]
            cursor = page.get("next_cursor")
            if not cursor:
                return

    def stream(self, path: str, body: Mapping[str, Any], accept: str, headers: Mapping[str, str] | None = None) -> Frames:
        """The whole answer, read as server-sent events or as NDJSON."""
        told = {"Accept": accept, **(headers or {})}
        with self._http.stream("POST", path, json=dict(body), headers=told) as reply:
            if reply.is_error:
                reply.read()
                raise Refused(reply)
            media_type = reply.headers["content-type"].partition(";")[0]
            lines = list(reply.iter_lines())
        return Frames(media_type, list(_lines(lines) if media_type == "application/x-ndjson" else _frames(lines)))

    def _json(self, method: str, path: str, **options: Any) -> Any:
        reply = self._checked(self._http.request(method, path, **options))
        return reply.json() if reply.content else None

    def _checked(self, reply: httpx2.Response) -> httpx2.Response:
        if reply.is_error:
            raise Refused(reply)
        return reply


def _lines(lines: list[str]) -> Iterator[Event]:
    for line in lines:
        if line.strip():
            said = json.loads(line)
            yield Event(said.pop("type"), said)


def _frames(lines: list[str]) -> Iterator[Event]:
    name = ""
    for line in lines:
        field, _, value = line.partition(": ")
        if field == "event":
            name = value
        elif field == "data":
            yield Event(name, json.loads(value))

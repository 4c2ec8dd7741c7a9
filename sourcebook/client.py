"""The one HTTP client of the command line: the gateway's API with errors turned into sentences."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import httpx2

# An answer may be queued behind others; the server itself ends a turn that takes too long.
_READ_S = 200.0
_CONNECT_S = 5.0


class Unreachable(Exception):
    """No server answered at the address."""


class Refused(Exception):
    """The server answered with an error: its code, its sentence, its HTTP status."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status, self.code, self.message = status, code, message


@dataclass(frozen=True)
class Event:
    """One event of an answer stream: its name and its object."""

    name: str
    data: dict[str, Any]


def answers(url: str, timeout_s: float = 2.0) -> int | None:
    """The HTTP status that `url` answers with, or None when nobody answers (for health checks)."""
    try:
        return httpx2.get(url, timeout=timeout_s).status_code
    except httpx2.TransportError:
        return None


class Client:
    """Speaks to one gateway with one token. Use it as a context manager."""

    def __init__(self, url: str, token: str) -> None:
        self.url = url.rstrip("/")
        self._http = httpx2.Client(
            base_url=f"{self.url}/api/v1",
            headers={"Authorization": f"Bearer {token}"},
            timeout=httpx2.Timeout(_READ_S, connect=_CONNECT_S),
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def get(self, path: str, **params: str | int) -> Any:
        """The JSON that GET answers with. Raises Unreachable or Refused, as all methods here."""
        return self._send("GET", path, params=params)

    def post(self, path: str, body: Mapping[str, Any] | None = None, headers: Mapping[str, str] | None = None) -> Any:
        """POST a JSON body; the JSON of the reply, None when it has no body."""
        return self._send("POST", path, json=dict(body or {}), headers=dict(headers or {}))

    def patch(self, path: str, body: Mapping[str, Any]) -> Any:
        """PATCH with a JSON body; the JSON of the reply."""
        return self._send("PATCH", path, json=dict(body))

    def put(self, path: str, body: Mapping[str, Any]) -> Any:
        """PUT a JSON body; the JSON of the reply."""
        return self._send("PUT", path, json=dict(body))

    def delete(self, path: str) -> None:
        """DELETE; nothing comes back."""
        self._send("DELETE", path)

    def upload(self, path: str, file: Path, fields: Mapping[str, str] | None = None) -> Any:
        """POST one file as multipart, streamed from the disk; the JSON of the reply."""
        with open(file, "rb") as source:
            return self._send("POST", path, files={"file": (file.name, source)}, data=dict(fields or {}))

    def download(self, path: str, file: Path) -> int:
        """GET a file, streamed to the disk; its size in bytes. What broke off is removed again."""
        try:
            with self._http.stream("GET", path) as reply:
                if reply.is_error:
                    reply.read()
                    raise _refusal(reply)
                with open(file, "wb") as kept:
                    for piece in reply.iter_bytes():
                        kept.write(piece)
                    return kept.tell()
        except httpx2.TransportError as away:
            file.unlink(missing_ok=True)
            raise Unreachable(self.url) from away

    def everything(self, path: str, **params: str | int) -> Iterator[dict[str, Any]]:
        """All items of a list, page by page."""
        cursor: str | None = None
        while True:
            page = self.get(path, **params, **({"cursor": cursor} if cursor else {}))
            yield from page["items"]
            cursor = page.get("next_cursor")
            if not cursor:
                return

    def events(self, path: str, body: Mapping[str, Any]) -> Iterator[Event]:
        """POST and read the answer as it is written (NDJSON)."""
        try:
            with self._http.stream("POST", path, json=dict(body), headers={"Accept": "application/x-ndjson"}) as reply:
                if reply.is_error:
                    reply.read()
                    raise _refusal(reply)
                for line in reply.iter_lines():
                    if line.strip():
                        data = json.loads(line)
                        yield Event(data.pop("type"), data)
        except httpx2.TransportError as away:
            raise Unreachable(self.url) from away

    def _send(self, method: str, path: str, **options: Any) -> Any:
        try:
            reply = self._http.request(method, path, **options)
        except httpx2.TransportError as away:
            raise Unreachable(self.url) from away
        if reply.is_error:
            raise _refusal(reply)
        return reply.json() if reply.content else None


def _refusal(reply: httpx2.Response) -> Refused:
    try:
        error = reply.json()["error"]
        return Refused(reply.status_code, error["code"], error["message"])
    except (ValueError, KeyError, TypeError):
        return Refused(reply.status_code, "unknown", f"The server answered {reply.status_code} and no reason: look into its log.")

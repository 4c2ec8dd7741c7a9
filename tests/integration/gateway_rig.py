"""One gateway process of a test and a client that is signed in as the owner."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID

import httpx2

from sourcebook_core.store.people import LOCAL_OWNER
from tests.rig import Processes, Running

OWNER: UUID = LOCAL_OWNER


class Api:
    """The gateway's API with one token: `get("/notebooks")` is under /api/v1."""

    def __init__(self, address: str, token: str | None) -> None:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        self.address = address
        self.http = httpx2.Client(base_url=f"{address}/api/v1", headers=headers, timeout=30)

    @contextmanager
    def other(self, token: str | None) -> Iterator["Api"]:
        """The same gateway with another token, or none."""
        api = Api(self.address, token)
        try:
            yield api
        finally:
            api.http.close()

    def get(self, path: str, **options: Any) -> httpx2.Response:
        return self.http.get(path, **options)

    def post(self, path: str, body: Any = None, **options: Any) -> httpx2.Response:
        return self.http.post(path, json=body, **options) if body is not None else self.http.post(path, **options)

    def patch(self, path: str, body: Any) -> httpx2.Response:
        return self.http.patch(path, json=body)

    def put(self, path: str, body: Any) -> httpx2.Response:
        return self.http.put(path, json=body)

    def delete(self, path: str) -> httpx2.Response:
        return self.http.delete(path)

    def notebook(self, title: str = "Lindow") -> str:
        made = self.post("/notebooks", {"title": title})
        assert made.status_code == 201, made.text
        return str(made.json()["id"])

    def text(self, notebook: str, text: str = "The mill closed in 1968.", **more: Any) -> dict[str, Any]:
        added = self.post(f"/notebooks/{notebook}/sources", {"text": text, **more})
        assert added.status_code in (200, 202), added.text
        return dict(added.json()["items"][0]["source"])

    def upload(self, notebook: str, *files: tuple[str, bytes], **fields: str) -> httpx2.Response:
        parts = [("file", (name, raw, "application/octet-stream")) for name, raw in files]
        return self.http.post(f"/notebooks/{notebook}/sources", files=parts, data=fields)


def refused(response: httpx2.Response, status: int, code: str) -> dict[str, Any]:
    """The error of a refusal, which must have the one shape."""
    assert response.status_code == status, (response.status_code, response.text[:500])
    error: dict[str, Any] = response.json()["error"]
    assert error["code"] == code, error
    assert error["message"] and error["request_id"], error
    return error


@contextmanager
def owner_api(processes: Processes, token: str, **extra: str) -> Iterator[tuple[Running, Api]]:
    """A started gateway and the owner's client."""
    running = processes.start("gateway", **extra)
    assert running.address is not None
    api = Api(running.address, token)
    try:
        yield running, api
    finally:
        api.http.close()

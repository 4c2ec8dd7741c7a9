"""One gateway process of a test and a client that is signed in as the owner."""

import secrets
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import httpx2

from sourcebook.stack.bell import Bell
from sourcebook_core.store import people, tokens
from sourcebook_core.store.people import LOCAL_OWNER
from sourcebook_gateway.access import SCOPES, digest, new_token
from tests import rows
from tests.rig import Processes, Running, TestPostgres, free_port, until_sync

OWNER: UUID = LOCAL_OWNER


def killed_amid(waiting: Running, place: str, send: Callable[[], object], timeout_s: float = 30.0) -> None:
    """Kill a gateway in the midst of a request, while it waits at `place`: the request ends without an answer."""
    with ThreadPoolExecutor(1) as pool:
        sent = pool.submit(send)
        until_sync(lambda: waiting.is_at(place), timeout_s, f"the gateway to wait at {place}")
        waiting.kill()
        assert isinstance(sent.exception(30), httpx2.TransportError)


class Api:
    """The gateway's API with one token: `get("/notebooks")` is under /api/v1."""

    def __init__(self, address: str, token: str | None) -> None:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        self.address, self.token = address, token
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

    def ready(self, source: str) -> None:
        """Wait until a source is ready."""
        until_sync(lambda: self.get(f"/sources/{source}").json()["status"] == "ready", 60, "the source to be ready")

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


async def person(url: str, name: str, *scopes: str) -> tuple[str, str]:
    """A token of a new person (with every scope, unless some are given) and their mail address."""
    person_id, secret = uuid4(), new_token()
    mail = f"{person_id}@example.org"
    async with rows.opened(url) as conn:
        await people.insert(conn, person_id, name, mail, False)
        await tokens.insert(conn, person_id, name, secret[:8], digest(secret), list(scopes or SCOPES))
    return secret, mail


@contextmanager
def owner_api(processes: Processes, token: str, **extra: str) -> Iterator[tuple[Running, Api]]:
    """A started gateway and the owner's client."""
    running = processes.start("gateway", wait=True, **extra)
    assert running.address is not None
    api = Api(running.address, token)
    try:
        yield running, api
    finally:
        api.http.close()


@contextmanager
def whole_gateway(postgres: TestPostgres, folder: Path, **extra: str) -> Iterator[tuple[Processes, Api, str]]:
    """A database, a Redis, a folder of blobs and a gateway for a whole test module: processes, the owner's client, database URL."""
    bell = Bell(folder / "redis.log")
    bell.start()
    name = postgres.new_migrated()
    (folder / "data").mkdir()
    (folder / "blobs").mkdir()
    token = secrets.token_urlsafe(32)
    (folder / "data" / "owner-token").write_text(token)
    environment = {
        "SOURCEBOOK_DATABASE_URL": postgres.url(name),
        "SOURCEBOOK_REDIS_URL": bell.url(),
        "SOURCEBOOK_BLOBS_URL": (folder / "blobs").as_uri(),
        "SOURCEBOOK_DATA_DIR": str(folder / "data"),
        "SOURCEBOOK_SECRET_KEY": secrets.token_urlsafe(32),
        "SOURCEBOOK_HOST": "127.0.0.1",
        "SOURCEBOOK_PORT": str(free_port()),
        "SOURCEBOOK_LEASE_S": "30",  # who kills a worker starts it with a short one: a busy machine must not look like that
        "SOURCEBOOK_RENEW_S": "5",
        "SOURCEBOOK_POLL_S": "0.2",
    }
    started = Processes(environment, folder)
    try:
        with owner_api(started, token, **extra) as (_, api):
            yield started, api, postgres.url(name)
    finally:
        started.kill_all()
        bell.stop()
        postgres.drop(name)


@contextmanager
def working_gateway(postgres: TestPostgres, folder: Path, **extra: str) -> Iterator[tuple[Processes, Api, str]]:
    """`whole_gateway` with an ingest and a rag worker, which have the `extra` settings too."""
    with whole_gateway(postgres, folder, **extra) as (processes, api, url):
        processes.environment |= {f"SOURCEBOOK_{name}": value for name, value in extra.items()}
        for worker in ("ingest", "rag"):
            processes.start(worker)
        yield processes, api, url


def as_extra(environment: Mapping[str, str]) -> dict[str, str]:
    """Settings by their whole names as `extra` has them."""
    return {name.removeprefix("SOURCEBOOK_"): value for name, value in environment.items()}

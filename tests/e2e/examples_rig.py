"""A whole stack with the local models for the examples, which talk to it from outside as a person's own program would."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from examples.api import Api
from examples.run import right
from examples.stage import Stage, played
from sourcebook.stack.bell import Bell
from sourcebook.stack.plan import LOCAL_EMBEDDING, LOCAL_SPEECH, LOCAL_VISION
from tests.rig import Processes, TestPostgres, free_port

TOKEN = "owner-token-of-the-example-tests-0123456789"


@dataclass
class ExampleStack:
    """A running stack and the ports it lets its own fetches pass to."""

    address: str
    web_port: int
    host_port: int
    sql: Callable[[str], str]
    processes: Processes

    def play(self, example: Callable[[Stage], None]) -> None:
        """Play an example; fails with everything it said when something was not as expected."""
        lines: list[str] = []
        with Api(self.address, f"Bearer {TOKEN}") as api:
            stage = Stage(api, self.web_port, self.host_port, self._stop_store, self._start_store, lines.append)
            code = played(example, stage)
        for one in self.processes.running:
            assert one.is_alive, f"{one.name} ended:\n{one.said()[-2000:]}"
        logs = "\n".join(f"-- {one.name}\n{one.said()[-4000:]}" for one in self.processes.running)
        assert code == 0, "\n".join([*lines, logs])

    def _stop_store(self) -> None:
        self.sql(right("revoke"))

    def _start_store(self) -> None:
        self.sql(right("grant"))


@contextlib.contextmanager
def example_stack(postgres: TestPostgres, folder: Path) -> Iterator[ExampleStack]:
    """Start gateway, workers and local models in `folder`; what an example lends to the roles is not locked."""
    data = folder / "data"
    data.mkdir()
    (data / "owner-token").touch(mode=0o600)
    (data / "owner-token").write_text(TOKEN)
    bell = Bell(folder / "redis.log")
    bell.start()
    database = postgres.new_migrated()
    port, models_port, web_port, host_port = (free_port() for _ in range(4))
    environment = {
        "DATABASE_URL": postgres.url(database), "REDIS_URL": bell.url(), "BLOBS_URL": (folder / "blobs").as_uri(), "DATA_DIR": str(data),
        "SECRET_KEY": "a-secret-key-for-the-example-tests-0123456789", "PORT": str(port), "MODELS_PORT": str(models_port),
        "POLL_S": "0.2", "ASKS_PER_MINUTE": "0",
        "URL_ALLOW": f"127.0.0.1:{web_port}", "HOST_ALLOW": f"127.0.0.1:{host_port}", "FILLED_IN": "embedding,vision,speech",
        **_local("EMBEDDING", models_port, LOCAL_EMBEDDING), **_local("VISION", models_port, LOCAL_VISION),
        **_local("SPEECH", models_port, LOCAL_SPEECH),
    }  # fmt: skip
    processes = Processes({f"SOURCEBOOK_{name}": value for name, value in environment.items()}, folder)
    try:
        for name in ("models", "ingest", "rag", "gateway"):
            processes.start(name)
        sql = postgres.server.sql
        yield ExampleStack(f"http://127.0.0.1:{port}", web_port, host_port, lambda text: sql(text, database), processes)
    finally:
        processes.kill_all()
        bell.stop()
        postgres.drop(database)


def _local(role: str, port: int, facts: dict[str, str]) -> dict[str, str]:
    given = {"PROVIDER": "local", "BASE_URL": f"http://127.0.0.1:{port}/v1", **facts}
    return {f"{role}_{name}": value for name, value in given.items()}

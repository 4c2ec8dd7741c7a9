"""A whole stack with the local models for the examples, which talk to it from outside as a person's own program would."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from examples.api import Api
from examples.run import right
from examples.stage import Stage, played
from sourcebook.stack.plan import LOCAL_EMBEDDING, LOCAL_SPEECH, LOCAL_VISION
from tests.integration.gateway_rig import working_gateway
from tests.rig import Processes, TestPostgres, free_port, name_of


@dataclass
class ExampleStack:
    """A running stack and the ports it lets its own fetches pass to."""

    address: str
    token: str
    web_port: int
    host_port: int
    sql: Callable[[str], str]
    processes: Processes

    def play(self, example: Callable[[Stage], None]) -> None:
        """Play an example; fails with everything it said when something was not as expected."""
        lines: list[str] = []
        with Api(self.address, f"Bearer {self.token}") as api:
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
    models_port, web_port, host_port = (free_port() for _ in range(3))
    extra = {
        "MODELS_PORT": str(models_port), "ASKS_PER_MINUTE": "0", "LEASE_S": "30", "RENEW_S": "5",
        "URL_ALLOW": f"127.0.0.1:{web_port}", "HOST_ALLOW": f"127.0.0.1:{host_port}", "FILLED_IN": "embedding,vision,speech",
        **_local("EMBEDDING", models_port, LOCAL_EMBEDDING), **_local("VISION", models_port, LOCAL_VISION),
        **_local("SPEECH", models_port, LOCAL_SPEECH),
    }  # fmt: skip
    with working_gateway(postgres, folder, **extra) as (processes, api, url):
        processes.start("models")
        yield ExampleStack(
            api.address, str(api.token), web_port, host_port, lambda text: postgres.server.sql(text, name_of(url)), processes
        )


def _local(role: str, port: int, facts: dict[str, str]) -> dict[str, str]:
    given = {"PROVIDER": "local", "BASE_URL": f"http://127.0.0.1:{port}/v1", **facts}
    return {f"{role}_{name}": value for name, value in given.items()}

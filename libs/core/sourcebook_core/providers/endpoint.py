"""What this process has learnt about each model endpoint: refused parameters, limits, and whether it is away."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import monotonic

from sourcebook_core.errors import TransientError
from sourcebook_core.settings import RoleSettings

ROLE_WORDS = {
    "chat": "writing answers",
    "embedding": "search by meaning",
    "vision": "reading pictures",
    "speech": "listening",
    "voice": "speaking",
    "translate": "translation",
    "caption": "captions",
    "entailment": "checking",
}

OPEN_AFTER = 5  # calls that failed in a row, each after its own retries, until calls are held off
OPEN_FOR_S = 15.0  # short: a model that is back should be used soon


@dataclass
class Endpoint:
    """Facts about one model at one address, kept for the life of the process."""

    refused: set[str] = field(default_factory=set)  # optional parameters it does not take
    thinks_aloud: bool = False  # mixes its reasoning into the answer without an opening tag
    batch_texts: int | None = None  # what it took after refusing more
    context_tokens: int | None = None
    ask_again_at: float = 0.0  # when its /models may be read (again); infinite once it was
    failed_in_row: int = 0
    open_until: float = 0.0

    def check(self, role: RoleSettings) -> None:
        """Raise TransientError at once while the endpoint is held to be away, so that no slot waits for it."""
        left = self.open_until - monotonic()
        if left > 0:
            raise TransientError("model_unavailable", retry_after_s=left, role=ROLE_WORDS[role.name])

    def try_now(self) -> None:
        """Hold no call off: a person wants to see whether it works."""
        self.failed_in_row, self.open_until = 0, 0.0

    def worked(self) -> None:
        """Note that it answered."""
        self.failed_in_row = 0

    def failed(self) -> None:
        """Note that a call failed for good because it was away or too slow."""
        self.failed_in_row += 1
        if self.failed_in_row >= OPEN_AFTER:
            self.open_until = monotonic() + OPEN_FOR_S
            self.failed_in_row = OPEN_AFTER - 1  # one more failure afterwards holds calls off again


_known: dict[tuple[str | None, str | None], Endpoint] = {}


def endpoint(role: RoleSettings) -> Endpoint:
    """What is known about the role's model; the same object for every role that uses it."""
    return _known.setdefault((role.base_url, role.model), Endpoint())


def forget() -> None:
    """Forget everything learnt (after the settings of a role changed, and in tests)."""
    _known.clear()

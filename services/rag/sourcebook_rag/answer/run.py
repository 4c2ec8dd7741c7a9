"""One run of one turn: its job, what it works with, and what it had to do without."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import monotonic

from sourcebook_core.events import Degraded
from sourcebook_core.jobs import Work
from sourcebook_rag.deps import Deps


@dataclass(slots=True)
class Run:
    """The job under its claim; `began` is when the worker took it (monotonic seconds)."""

    work: Work
    deps: Deps
    began: float = field(default_factory=monotonic)
    degraded: list[Degraded] = field(default_factory=list)

    def without(self, what: Degraded) -> None:
        """Note once what this answer is missing."""
        if what not in self.degraded:
            self.degraded.append(what)

    def ms(self, at: float | None = None) -> int:
        """Milliseconds from the beginning until `at` (monotonic), or until now."""
        return int(1000 * ((monotonic() if at is None else at) - self.began))

"""One measured figure, how it is printed, and small statistics."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """A ratio (or a value with a unit), what it was held against, and the bound it should keep (None: only told)."""

    name: str
    what: str
    value: float
    bound: float | None
    keeps: str  # "<=" or ">="
    ours: str = ""
    other: str = ""

    @property
    def is_kept(self) -> bool:
        """Whether the figure is within its bound."""
        if self.bound is None:
            return True
        return self.value <= self.bound if self.keeps == "<=" else self.value >= self.bound

    def as_row(self) -> dict[str, object]:
        """For the JSON report."""
        return {**asdict(self), "is_kept": self.is_kept}

    def line(self) -> str:
        """For a terminal."""
        mark = "   " if self.bound is None else "ok " if self.is_kept else "NOT"
        bound = "" if self.bound is None else f"{self.keeps} {self.bound:g}"
        beside = f"  ({self.ours} beside {self.other})" if self.other else f"  ({self.ours})" if self.ours else ""
        return f"{mark} {self.name:6} {self.value:9.3f} {bound:8} {self.what}{beside}"


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which `share` (0..1) of the values lie."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def ms(seconds: float) -> str:
    """Seconds as milliseconds for a terminal."""
    return f"{seconds * 1000:.1f} ms"


def median(values: Sequence[float]) -> float:
    """The middle value."""
    return statistics.median(values)


def ratio(ours: Sequence[float], other: Sequence[float]) -> float:
    """The middle of the ratios of runs made one right after the other: what slows the machine for a while slows both."""
    return statistics.median(mine / theirs for mine, theirs in zip(ours, other, strict=True))

"""One measured figure with what it is held against."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """A number, its unit, its bound, and how it came about.

    `id` is the row of the performance page (R10) or a short name. `at_most`/`at_least` say which side of `bound` is good.
    """

    id: str
    name: str
    value: float
    unit: str
    bound: float | None = None
    at_most: bool = True
    note: str = ""

    @property
    def is_met(self) -> bool | None:
        """Whether the bound holds; None without one."""
        if self.bound is None:
            return None
        return self.value <= self.bound if self.at_most else self.value >= self.bound

    def line(self) -> str:
        """The figure as a line of the report."""
        sign = "" if self.bound is None else f" ({'at most' if self.at_most else 'at least'} {self.bound:g})"
        verdict = {None: "    ", True: "ok  ", False: "MISS"}[self.is_met]
        return f"{verdict} {self.id:<8} {self.name}: {self.value:.3g} {self.unit}{sign}{'  ' + self.note if self.note else ''}"

"""Where the floor of an embedding model lies: between what noise reaches and what real questions do."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from sourcebook.client import Client
from sourcebook.evaluation import run as runs
from sourcebook.evaluation.sets import EvalSet, Question
from sourcebook_core import noise

MARGIN = 0.02  # above the highest noise, so that its like of tomorrow stays out too


@dataclass(frozen=True, slots=True)
class Measured:
    """The best cosine of each noise question, and that of its document for each real one."""

    noise: list[float]
    real: list[float]

    @property
    def proposal(self) -> float:
        """The floor to set: a little above the highest noise, to two places."""
        return round(max(self.noise, default=0.0) + MARGIN, 2)

    @property
    def kept(self) -> float:
        """The share of real questions that stay at the proposed floor."""
        return sum(one >= self.proposal for one in self.real) / len(self.real) if self.real else 0.0


def measure(client: Client, of: EvalSet, say: Callable[[str], None], *, limit: int | None) -> Measured:
    """Search the set's questions and the noise in the set's notebook."""
    names = [f"noise-{number}" for number, _ in enumerate(noise.QUESTIONS)]
    # A language of its own each: `limit` counts by kind and language.
    asked = [Question(name, text, name, "unanswerable", frozenset()) for name, text in zip(names, noise.QUESTIONS, strict=True)]
    report = runs.run(client, EvalSet(of.name, of.documents, [*of.questions, *asked]), say, limit=limit)
    return Measured(
        _sorted(row.best_similarity for row in report.rows if row.qid.startswith("noise-")),
        _sorted(row.relevant_similarity for row in report.rows if row.kind != "unanswerable"),
    )


def _sorted(cosines: Iterable[float | None]) -> list[float]:
    return sorted(one for one in cosines if one is not None)


def lines(of: Measured) -> list[str]:
    """What was measured, and the setting that follows."""
    if not of.noise or not of.real:
        return ["No cosine came back: is an embedding model connected, and are the documents indexed?"]
    low, middle = of.real[len(of.real) // 10], of.real[len(of.real) // 2]
    return [
        f"noise: {len(of.noise)} questions, highest {of.noise[-1]:.3f}, middle {of.noise[len(of.noise) // 2]:.3f}",
        f"real:  {len(of.real)} questions, middle {middle:.3f}, a tenth lies below {low:.3f}",
        f"proposed floor: SOURCEBOOK_FLOOR={of.proposal:.2f} keeps {of.kept:.0%} of the real questions and none of the noise",
    ]


def put(client: Client, profile: str, of: Measured) -> str:
    """Set the proposed floor for a profile in the space in use; what holds now, in words. Raises as the client does."""
    found = client.put(f"/admin/floors/{profile}", {"floor": of.proposal})
    now = next(one for one in found["items"] if one["profile"] == profile and one["space"]["state"] == "in_use")
    return f"set: {now['floor']:.2f} for {profile} with {now['space']['model']}"

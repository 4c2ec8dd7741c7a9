"""Where the floor of an embedding model lies: between what noise reaches and what real questions do."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from sourcebook.client import Client
from sourcebook.evaluation import run as runs
from sourcebook.evaluation import score
from sourcebook.evaluation.sets import EvalSet, Question
from sourcebook_core import noise

# Of the noise, so much may pass: small talk of which a word happens to stand in the sources lies as near as real questions, and a
# floor above the last of it would refuse every other one of those.
PASSES = 0.05


@dataclass(frozen=True, slots=True)
class Measured:
    """The best cosine of each noise question, and that of its document for each real one."""

    noise: list[float]
    real: list[float]

    @property
    def proposal(self) -> float:
        """The floor to set: above all noise but a twentieth, to two places, rounded up."""
        return math.ceil(round(score.percentile(self.noise, 1 - PASSES) * 100, 4)) / 100

    @property
    def passed(self) -> int:
        """How many noise questions reach the proposed floor."""
        return sum(one >= self.proposal for one in self.noise)

    @property
    def weak(self) -> float:
        """How near a passage must lie for the line above a quote not to say that it may not be the answer."""
        return round(self.proposal + noise.WEAK * (1 - self.proposal), 2)

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
        f"proposed floor: {of.proposal:.2f} keeps {of.kept:.0%} of the real questions by meaning alone, and {of.passed} of the noise;"
        f" quotes under {of.weak:.2f} are called weak (--set, or SOURCEBOOK_FLOOR={of.proposal:.2f})",
    ]


def put(client: Client, profile: str, of: Measured) -> str:
    """Set the proposed floor for a profile in the space in use; what holds now, in words. Raises as the client does."""
    found = client.put(f"/admin/floors/{profile}", {"floor": of.proposal, "weak_similarity": of.weak})
    now = next(one for one in found["items"] if one["profile"] == profile and one["space"]["state"] == "in_use")
    return f"set: {now['floor']:.2f} for {profile} with {now['space']['model']}"

"""Where the floor of an embedding model lies: between what noise reaches and what real questions do."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from sourcebook.client import Client
from sourcebook.evaluation import run as runs
from sourcebook.evaluation.sets import EvalSet, Question

# Nothing in any corpus answers these: no words, nonsense, small talk, things of the day. In the five languages of the page.
NOISE = (
    "xyzzy plugh frobnicate", "asdf qwer zxcv", "❤️", "hello there", "what should I eat tonight?", "is it going to rain tomorrow?",
    "tell me a joke", "lorem ipsum dolor sit amet", "who won the match last night?", "wie geht es dir heute?",
    "was läuft heute Abend im Fernsehen?", "jak se dnes máš?", "kde je nejlepší pizza ve městě?", "¿qué tal el fin de semana?",
    "cuéntame un chiste", "quel temps fera-t-il demain ?", "bonjour, ça va ?", "blorptang vix morno quell",
)  # fmt: skip
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
    noise = [Question(f"noise-{number}", text, "", "unanswerable", frozenset()) for number, text in enumerate(NOISE)]
    report = runs.run(client, EvalSet(of.name, of.documents, [*of.questions, *noise]), say, limit=limit)
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

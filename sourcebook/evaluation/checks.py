"""How often the checks of answers are wrong: labelled pairs through the product's own checker, by kind and pair of languages."""

from __future__ import annotations

import json
import math
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from sourcebook.client import answers
from sourcebook.stack import ports, surroundings
from sourcebook.stack.errors import StackError
from sourcebook.stack.plan import FRUGAL, LOCAL_EMBEDDING
from sourcebook_core import settings as core_settings
from sourcebook_core.published import ChecksFigure

HALVES = {"tuning": "tuning.jsonl", "sealed": "sealed.jsonl"}
FOLDER = Path("evals/checks")
START_S = 120.0  # the local models load from a cold disk
RUN_S = 900.0
Z = 1.96  # of a 95 % interval


@dataclass(frozen=True, slots=True)
class Judged:
    """A labelled pair with the status that the checker gave its statement."""

    id: str
    kind: str
    languages: str
    is_right: bool
    accepted: bool
    status: str


@dataclass(frozen=True, slots=True)
class Share:
    """How many of how many."""

    hits: int
    total: int

    def __str__(self) -> str:
        low, high = wilson(self.hits, self.total)
        return f"{self.hits:>3}/{self.total:<3} {self.share:5.3f} [{low:.3f}, {high:.3f}]" if self.total else "  –"

    @property
    def share(self) -> float:
        """Between 0 and 1; 0 of none."""
        return self.hits / self.total if self.total else 0.0


def wilson(hits: int, total: int) -> tuple[float, float]:
    """The 95 % interval of a share. Source: Wilson 1927; for few pairs and shares near 0, where a bootstrap gives no width."""
    if not total:
        return 0.0, 1.0
    share, spread = hits / total, Z * Z / total
    middle = (share + spread / 2) / (1 + spread)
    half = Z * math.sqrt(share * (1 - share) / total + spread / (4 * total)) / (1 + spread)
    return max(0.0, middle - half), min(1.0, middle + half)


def run(half: str, folder: Path = FOLDER) -> list[Judged]:
    """Every pair of a half (`tuning`, `sealed`) with what the checker says; languages are compared by the embedding role.

    That role is the environment's, or the local model, which is started for it. Raises StackError.
    """
    text = (folder / HALVES[half]).read_text("utf-8")
    rows = [json.loads(line) for line in text.splitlines() if line.strip()]
    with _embedding() as environment:
        command = [sys.executable, "-m", "sourcebook_rag.pair_checks"]
        ended = subprocess.run(command, input=text, capture_output=True, text=True, env=environment, timeout=RUN_S, check=False)
    statuses = ended.stdout.split()
    if ended.returncode or len(statuses) != len(rows):
        raise StackError("checks_failed", f"The checker did not answer for every pair. {ended.stderr.strip()[-500:]}")
    return [_judged(row, status) for row, status in zip(rows, statuses, strict=True)]


def _judged(row: Mapping[str, object], status: str) -> Judged:
    accepted = row["accept"]
    assert isinstance(accepted, list)
    spoken = f"{row['passage_language']}>{row['language']}"
    return Judged(str(row["id"]), str(row["kind"]), spoken, "found" in accepted, status in accepted, status)


@contextmanager
def _embedding() -> Iterator[dict[str, str]]:
    """An environment with an embedding role: the one that is set, else the local model for as long as this lasts."""
    env = surroundings.environment()
    if core_settings.load(env).role("embedding").is_on:
        yield env
        return
    port = ports.any_free()
    env = FRUGAL | env | {"SOURCEBOOK_MODELS_PORT": str(port)}
    server = subprocess.Popen([sys.executable, "-m", "sourcebook_models"], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _wait_for(f"http://127.0.0.1:{port}/healthz", server)
        role = LOCAL_EMBEDDING | {"PROVIDER": "local", "BASE_URL": f"http://127.0.0.1:{port}/v1"}
        yield env | {f"SOURCEBOOK_EMBEDDING_{name}": value for name, value in role.items()}
    finally:
        server.terminate()
        server.wait(timeout=30)


def _wait_for(url: str, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline and server.poll() is None:
        if answers(url, 2.0) == 200:
            return
        time.sleep(0.2)
    raise StackError("models_not_started", "The local models did not start. `sourcebook doctor` says what is missing.")


def false_found(judged: Sequence[Judged]) -> Share:
    """The share of wrong statements that are called found."""
    wrong = [one for one in judged if not one.is_right]
    return Share(sum(one.status == "found" for one in wrong), len(wrong))


def right_found(judged: Sequence[Judged]) -> Share:
    """The share of right statements that are called found; the rest are false alarms."""
    right = [one for one in judged if one.is_right]
    return Share(sum(one.status == "found" for one in right), len(right))


def lines(judged: Sequence[Judged]) -> list[str]:
    """The table: for each kind and each pair of languages how many wrong ones are found, and how many right ones are."""
    told = [f"{'':24} {'wrong, called found':32} {'right, called found':32} status accepted"]
    groups: dict[str, list[Judged]] = {"all": list(judged)}
    for one in judged:
        groups.setdefault(one.languages if ">" in one.languages else "", []).append(one)
    for one in judged:
        groups.setdefault(one.kind, []).append(one)
    for name, rows in groups.items():
        wrong, right = false_found(rows), right_found(rows)
        accepted = Share(sum(one.accepted for one in rows), len(rows))
        told.append(f"{name:24} {wrong!s:32} {right!s:32} {accepted.hits}/{accepted.total}")
    found = [one for one in judged if one.status == "found"]
    told.append(f"of {len(found)} found marks {sum(not one.is_right for one in found)} stand at a wrong statement")
    return told


def figure(judged: Sequence[Judged]) -> ChecksFigure:
    """What may be published of these pairs."""
    found = [one for one in judged if one.status == "found"]
    wrong = false_found(judged)
    return ChecksFigure(
        date=datetime.now(UTC).date().isoformat(),
        pairs=len(judged),
        found=len(found),
        found_wrong=wrong.hits,
        wrong_pairs=wrong.total,
        wrong_of_100=round(100 * wrong.hits / len(found), 1) if found else 0.0,
        false_found_of_100=round(100 * wrong.share, 1),
        right_found_of_100=round(100 * right_found(judged).share, 1),
    )


def publish(made: ChecksFigure, path: Path) -> None:
    """Write the figure where the product reads it."""
    path.write_text(made.model_dump_json(indent=2) + "\n", "utf-8")

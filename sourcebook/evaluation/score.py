"""What a run's ranks are worth: recall, reciprocal rank, refusals, and whether a difference is more than chance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

CUTS = (1, 3, 5)
MRR_DEPTH = 10
SAMPLES = 10_000
SEED = 20_261_130
INTERVAL = 0.95


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with the interval in which 95 of 100 resamplings lie."""

    mean: float
    low: float
    high: float

    @property
    def excludes_zero(self) -> bool:
        """Whether a difference of this kind counts (S0-96)."""
        return self.low > 0 or self.high < 0


def first_hit(ranked: Sequence[str], relevant: frozenset[str]) -> int | None:
    """The place, from 1, of the first relevant document; a document counts at its best chunk."""
    seen = list(dict.fromkeys(ranked))
    return next((place for place, one in enumerate(seen, 1) if one in relevant), None)


def of_ranks(ranks: Sequence[int | None]) -> dict[str, float]:
    """recall@1, @3, @5 and the mean reciprocal rank (10 deep) of the first hits of answerable questions; empty for none."""
    if not ranks:
        return {}
    scores = {f"recall@{cut}": float(np.mean([is_hit(rank, cut) for rank in ranks])) for cut in CUTS}
    return scores | {"mrr": float(np.mean([1 / rank if rank and rank <= MRR_DEPTH else 0.0 for rank in ranks]))}


def is_hit(rank: int | None, cut: int) -> bool:
    """Whether the first hit stands among the first `cut`."""
    return rank is not None and rank <= cut


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which `share` (0..1) of the values lie."""
    return float(np.quantile(np.asarray(values), share)) if values else 0.0


def interval(values: Sequence[float], *, seed: int = SEED) -> Interval:
    """The mean of per-question values with its bootstrap interval; the same values and seed give the same interval."""
    sample = np.asarray(values, dtype=np.float64)
    if not len(sample):
        return Interval(0.0, 0.0, 0.0)
    means = _resampled(sample, seed)
    low, high = np.quantile(means, [(1 - INTERVAL) / 2, (1 + INTERVAL) / 2])
    return Interval(float(sample.mean()), float(low), float(high))


def difference(ours: Mapping[str, float], other: Mapping[str, float], *, seed: int = SEED) -> Interval:
    """Ours minus other over the questions that both have, paired: each resampling takes a question with both its values."""
    shared = sorted(set(ours) & set(other))
    return interval([ours[qid] - other[qid] for qid in shared], seed=seed)


def _resampled(sample: NDArray[np.float64], seed: int) -> NDArray[np.float64]:
    rng = np.random.default_rng(seed)
    means = np.empty(SAMPLES)
    step = max(1, 2_000_000 // len(sample))  # bounds the memory of a large set
    for start in range(0, SAMPLES, step):
        count = min(step, SAMPLES - start)
        means[start : start + count] = sample[rng.integers(0, len(sample), (count, len(sample)))].mean(axis=1)
    return means

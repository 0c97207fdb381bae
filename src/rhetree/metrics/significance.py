"""Whether one system is better than another, or only luckier.

The paper uses the paired t-test. The paired bootstrap assumes no distribution of the differences,
and resamples the score that is reported: micro-F1 over documents.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np
import numpy.typing as npt

from rhetree.errors import MismatchError
from rhetree.metrics.counts import Counts
from rhetree.metrics.report import Evaluation

N_SAMPLES = 10_000


@dataclass(frozen=True, slots=True)
class Runs:
    """The scores of one system in runs with different seeds."""

    values: tuple[float, ...]

    def __post_init__(self) -> None:
        if not self.values:
            raise ValueError("a system needs at least one run")

    @property
    def mean(self) -> float:
        return math.fsum(self.values) / len(self.values)

    @property
    def deviation(self) -> float | None:
        """The sample standard deviation (divided by n-1); None for a single run."""
        if len(self.values) < 2:
            return None
        mean = self.mean
        return math.sqrt(math.fsum((value - mean) ** 2 for value in self.values) / (len(self.values) - 1))

    def to_dict(self) -> dict[str, object]:
        """``mean``, ``deviation`` and the value of each run, for JSON."""
        return {"mean": self.mean, "deviation": self.deviation, "runs": list(self.values)}


@dataclass(frozen=True, slots=True)
class TTest:
    """A paired t-test, two-sided."""

    t: float | None
    """Above 0 if the second system is better. None for fewer than two pairs, or if all pairs differ
    by the same amount and there is no variance."""
    df: int
    p: float | None
    """None for fewer than two pairs; 1 if no pair differs, 0 if all differ by the same amount."""

    def to_dict(self) -> dict[str, object]:
        """``t``, ``df`` and ``p``, for JSON."""
        return {"t": self.t, "df": self.df, "p": self.p}


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """A paired bootstrap, two-sided."""

    p: float | None
    """How often chance alone gives a difference this large. ``p``, ``low`` and ``high`` are None if
    fewer than two documents have any item, since resampling them shows nothing."""
    low: float | None
    """The 2.5th percentile of the resampled differences."""
    high: float | None
    """Their 97.5th percentile."""
    n_samples: int
    seed: int

    def to_dict(self) -> dict[str, object]:
        """``p``, ``low``, ``high``, ``samples`` and ``seed``, for JSON."""
        return {
            "p": self.p,
            "low": self.low,
            "high": self.high,
            "samples": self.n_samples,
            "seed": self.seed,
        }


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two systems, compared by one metric."""

    a: Runs
    b: Runs
    t_test: TTest
    bootstrap: Bootstrap

    @property
    def difference(self) -> float:
        """The score of B minus that of A."""
        return self.b.mean - self.a.mean

    def to_dict(self) -> dict[str, object]:
        """``a``, ``b``, ``difference``, ``t_test`` and ``bootstrap``, for JSON."""
        return {
            "a": self.a.to_dict(),
            "b": self.b.to_dict(),
            "difference": self.difference,
            "t_test": self.t_test.to_dict(),
            "bootstrap": self.bootstrap.to_dict(),
        }


def compare(
    a: Sequence[Evaluation],
    b: Sequence[Evaluation],
    metric: str,
    *,
    n_samples: int = N_SAMPLES,
    seed: int = 0,
) -> Comparison | None:
    """Compare two systems by one of ``METRICS``, given one or several runs of each on the same documents.

    None if the metric was not measured, as parsing is not if gold has no trees.
    """
    names = {tuple(document.name for document in run.documents) for run in (*a, *b)}
    if len(names) > 1:
        raise MismatchError("the runs to compare are not over the same documents in the same order")
    if any(run.total.counts(metric) is None for run in (*a, *b)):
        return None
    table_a, table_b = _table(a, metric), _table(b, metric)
    for number, counts in enumerate(zip(*table_a, *table_b, strict=True)):
        n_gold = sorted({count.gold for count in counts})
        if len(n_gold) > 1:
            raise MismatchError(
                f"{a[0].documents[number].name or 'document'}: the runs were not scored against the same gold, "
                f"which has {' or '.join(map(str, n_gold))} items for {metric}; score them on the same sentences"
            )
    return compare_counts(table_a, table_b, n_samples=n_samples, seed=seed)


CountsTable = Sequence[Sequence[Counts]]
"""The counts of each document in each run."""


def compare_counts(
    a: CountsTable, b: CountsTable, *, n_samples: int = N_SAMPLES, seed: int = 0
) -> Comparison:
    """Compare two systems, given each run's counts for the same documents in the same order.

    The pairs of the t-test are documents, each with the mean F1 of A's runs and that of B's: runs on the same
    documents are not independent of each other. A document in which nothing was to be found and neither system
    predicted anything in any run is left out.
    """
    if len(a) != len(b):
        raise MismatchError(
            f"A has {len(a)} run{'s' * (len(a) != 1)} and B has {len(b)}; "
            "run k of A is compared with run k of B, so give the same number of runs"
        )
    pairs = [
        (fmean(counts.f1 for counts in of_a), fmean(counts.f1 for counts in of_b))
        for of_a, of_b in zip(zip(*a, strict=True), zip(*b, strict=True), strict=True)
        if not all(counts.is_empty for counts in (*of_a, *of_b))
    ]
    return Comparison(
        Runs(tuple(sum(run, Counts()).f1 for run in a)),
        Runs(tuple(sum(run, Counts()).f1 for run in b)),
        paired_t_test([first for first, _ in pairs], [second for _, second in pairs]),
        paired_bootstrap(a, b, n_samples=n_samples, seed=seed),
    )


def paired_t_test(a: Sequence[float], b: Sequence[float]) -> TTest:
    """Student's t-test on the differences ``b - a`` of paired scores, two-sided."""
    differences = [second - first for first, second in zip(a, b, strict=True)]
    n = len(differences)
    if n < 2:
        return TTest(None, max(0, n - 1), None)
    mean = math.fsum(differences) / n
    variance = math.fsum((difference - mean) ** 2 for difference in differences) / (n - 1)
    if all(difference == differences[0] for difference in differences):
        return TTest(None, n - 1, 0.0 if mean else 1.0)
    t = mean / math.sqrt(variance / n)
    return TTest(t, n - 1, t_distribution_p(t, n - 1))


def t_distribution_p(t: float, df: int) -> float:
    """The probability that Student's t with ``df`` degrees of freedom is at least as far from 0 as ``t``."""
    return incomplete_beta(df / 2, 0.5, df / (df + t * t))


def incomplete_beta(a: float, b: float, x: float) -> float:
    """The regularised incomplete beta function I_x(a, b).

    By its continued fraction (DLMF 8.17.22), evaluated by Lentz's method.
    """
    if not 0 <= x <= 1:
        raise ValueError(f"x lies between 0 and 1, got {x}")
    if x in (0, 1):
        return float(x)
    if x > (a + 1) / (a + b + 2):  # the fraction converges slowly here, but fast for 1 - x
        return 1 - incomplete_beta(b, a, 1 - x)
    log_front = (
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    ) - math.log(a)
    return math.exp(log_front) * _beta_fraction(a, b, x)


def paired_bootstrap(
    a: CountsTable, b: CountsTable, *, n_samples: int = N_SAMPLES, seed: int = 0
) -> Bootstrap:
    """Resample documents with replacement, the same for both systems and all runs.

    For each resample, the micro-F1 of every run is computed and their mean taken. ``p`` is the share
    of resamples whose difference is at least as far from the observed difference as that is from 0:
    the resampled differences are shifted to a mean of 0, as in Efron & Tibshirani (1993). The
    observed sample counts as one of them, so ``p`` is never 0.
    """
    if n_samples < 1:
        raise ValueError(f"a bootstrap needs at least one sample, got {n_samples}")
    table_a, table_b = _as_array(a), _as_array(b)
    observed = float(_mean_f1(table_b.sum(axis=0)) - _mean_f1(table_a.sum(axis=0)))
    n_documents = len(table_a)
    if np.count_nonzero((table_a + table_b).any(axis=(1, 2))) < 2:
        return Bootstrap(None, None, None, n_samples, seed)
    random = np.random.default_rng(seed)
    differences = np.empty(n_samples)
    chunk = max(1, 4_000_000 // n_documents)  # bounds memory; fixed, so that a seed gives one result
    for start in range(0, n_samples, chunk):
        size = min(chunk, n_samples - start)
        # How often each document was drawn: sums weighted by this are sums over the resample.
        picks = random.integers(n_documents, size=(size, n_documents))
        picks += n_documents * np.arange(size)[:, None]  # each resample has a row of its own
        drawn = np.bincount(picks.ravel(), minlength=size * n_documents).reshape(size, n_documents)
        sums_a, sums_b = np.tensordot(drawn, table_a, axes=1), np.tensordot(drawn, table_b, axes=1)
        differences[start : start + size] = _mean_f1(sums_b) - _mean_f1(sums_a)
    # Floating point: differences that are equal on paper may differ in the last bits.
    n_as_far = int(np.count_nonzero(np.abs(differences - observed) >= abs(observed) - 1e-12))
    low, high = np.quantile(differences, [0.025, 0.975])
    return Bootstrap((n_as_far + 1) / (n_samples + 1), float(low), float(high), n_samples, seed)


def _table(runs: Sequence[Evaluation], metric: str) -> list[list[Counts]]:
    # A document without a gold tree has no counts and adds nothing.
    return [[document.scores.counts(metric) or Counts() for document in run.documents] for run in runs]


def _beta_fraction(a: float, b: float, x: float) -> float:
    tiny = 1e-300
    c, d = 1.0, 1 - (a + b) * x / (a + 1)
    d = 1 / (d if abs(d) > tiny else tiny)
    value = d
    for m in range(1, 10_000):
        for numerator in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 + numerator * d
            c = 1 + numerator / c
            d = 1 / (d if abs(d) > tiny else tiny)
            c = c if abs(c) > tiny else tiny
            value *= c * d
        if abs(c * d - 1) < 1e-15:
            return value
    raise ArithmeticError(f"the incomplete beta function did not converge for a={a}, b={b}, x={x}")


def _as_array(table: CountsTable) -> npt.NDArray[np.float64]:
    """Matched, predicted and gold, ``(documents, runs, 3)``."""
    rows = [[(count.matched, count.predicted, count.gold) for count in run] for run in table]
    shape = len(table), len(table[0]), 3
    return np.asarray(np.array(rows, dtype=np.float64).reshape(shape).transpose(1, 0, 2))


def _mean_f1(sums: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The mean F1 over runs, from sums of counts ``(..., runs, 3)``; 1 if all are empty."""
    matched, predicted, gold = sums[..., 0], sums[..., 1], sums[..., 2]
    items = predicted + gold
    f1 = np.where(items > 0, 2 * matched / np.maximum(items, 1), 1.0)
    return np.asarray(f1.mean(axis=-1))

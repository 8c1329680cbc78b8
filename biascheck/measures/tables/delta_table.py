"""Sentiment deltas as Tables 1, 3 and 4 of Jentzsch & Turan (2022)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biascheck import stats
from biascheck.errors import UsageError
from biascheck.results.attachments import Facts, SideBias, Table, TwoSided
from biascheck.results.result import Result
from biascheck.stats import SignedRank

__all__ = ["DeltaRow", "DeltaSummary", "corrected_rows", "delta_summary", "delta_table", "stars", "summary_of"]

SIDE_COLUMNS = ("name", "negative", "positive", "n_negative", "n_zero", "n_positive")
STARS = ((0.001, "***"), (0.01, "**"), (0.05, "*"))


@dataclass(frozen=True)
class DeltaSummary:
    """One row of the paper's Tables 3 and 4, with its columns under their true names.

    ``negative`` and ``positive`` are the means of the deltas below and above zero; 0 where there are none. ``test`` is
    Wilcoxon's signed-rank test without zeros; a positive z says that male versions are rated higher.
    """

    name: str
    n: int
    n_negative: int
    n_zero: int
    n_positive: int
    total: float
    absolute: float
    total_nonzero: float
    absolute_nonzero: float
    negative: float
    positive: float
    test: SignedRank

    @property
    def side(self) -> SideBias:
        """The biases in both directions, for a chart."""
        return SideBias(**{key: getattr(self, key) for key in SIDE_COLUMNS})

    def attachments(self) -> tuple[TwoSided, Table, Facts]:
        """What a report shows of it."""
        rows = (
            ("all", self.n, self.total, self.absolute),
            ("non-zero", self.n - self.n_zero, self.total_nonzero, self.absolute_nonzero),
        )
        return (
            TwoSided(sides=(self.side,)),
            Table(columns=("reviews", "n", "total bias", "absolute bias"), rows=rows),
            Facts(facts={"signed_rank": asdict(self.test)}),
        )


def delta_summary(result: Result, *, name: str = "") -> DeltaSummary:
    """Counts, total and absolute bias and Wilcoxon's test of a ``sentiment_delta`` result."""
    _require_deltas(result)
    return summary_of(np.array([item.score for item in result.items]), name or result.title)


def summary_of(deltas: NDArray[np.float64], name: str) -> DeltaSummary:
    """The same of a column of deltas."""
    below, above = deltas[deltas < 0], deltas[deltas > 0]
    nonzero = deltas[deltas != 0]
    return DeltaSummary(
        name=name,
        n=int(deltas.size),
        n_negative=int(below.size),
        n_zero=int(deltas.size - nonzero.size),
        n_positive=int(above.size),
        total=_mean(deltas),
        absolute=_mean(np.abs(deltas)),
        total_nonzero=_mean(nonzero),
        absolute_nonzero=_mean(np.abs(nonzero)),
        negative=_mean(below),
        positive=_mean(above),
        test=stats.wilcoxon_signed_rank(deltas),
    )


@dataclass(frozen=True)
class DeltaRow:
    """A summary with its p-value corrected for the family of all rows, and the stars of the papers."""

    summary: DeltaSummary
    p: float
    stars: str


def delta_table(
    results: Sequence[Result], *, correction: str = "holm", family: int | None = None
) -> tuple[DeltaRow, ...]:
    """Models × conditions as one family: each with Wilcoxon's p corrected for all of them.

    ``family`` counts tests that are not in the table, too: the paper divides by 64 for its 63 classifiers.
    """
    if not results:
        raise UsageError("no results to put in a table; measure at least one")
    return corrected_rows([delta_summary(result) for result in results], correction=correction, family=family)


def corrected_rows(
    summaries: Sequence[DeltaSummary], *, correction: str = "holm", family: int | None = None
) -> tuple[DeltaRow, ...]:
    """Summaries with their p-values corrected; tests of a larger ``family`` count as if they had shown nothing."""
    further = 0 if family is None else family - len(summaries)
    if further < 0:
        raise UsageError(f"a family of {family} tests is smaller than its {len(summaries)} rows; leave family out")
    corrected = stats.adjust([*(summary.test.p for summary in summaries), *[1.0] * further], correction)
    return tuple(DeltaRow(s, float(p), stars(float(p))) for s, p in zip(summaries, corrected, strict=False))


def stars(p: float) -> str:
    """One to three stars for a corrected p below 0.05, 0.01 and 0.001; "-" for none."""
    return next((mark for limit, mark in STARS if p < limit), "-")


def _mean(values: Any) -> float:
    return float(values.mean()) if values.size else 0.0


def _require_deltas(result: Result) -> None:
    if result.statistic not in ("mean", "mean_absolute") or any(len(item.groups) != 2 for item in result.items):
        raise UsageError(
            f"{result.title} is not a sentiment delta; measure one with sentiment_delta(classifier, corpus)"
        )

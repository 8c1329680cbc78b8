"""Coverage of the interval of a mean: how often it misses the truth, and its section of the page."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from biascheck.calibration.simulation import Rate
from biascheck.core.errors import UsageError
from biascheck.core.files import write_atomically
from biascheck.core.wording import interval_text
from biascheck.stats.intervals import NOTEWORTHY_SKEW, arms, student_t
from biascheck.stats.vectors import Vector

if TYPE_CHECKING:
    from numpy.typing import NDArray


# How often the interval of a mean misses the truth, below and above, for clusters of known and skewed
# distributions.
#
# The interval states that each end misses with (1 − level) / 2. Data sets of normal, exponential and lognormal
# clusters, the latter with either sign, are drawn, one item a cluster, and the misses counted. All data sets of
# a cell are judged at once by :func:`~biascheck.stats.intervals.arms`, which is what
# :func:`biascheck.stats.mean_interval` uses for one.

DATA_SETS = 20_000
CLUSTERS = (5, 8, 20, 60)
LEVELS = (0.95, 0.9875)
"""The level of a single gate, and the strictest of a family of four."""
MOST_MISSES = 1.5
"""The largest acceptable multiple of the stated rate of misses."""
ClusterDraw = Callable[[np.random.Generator, tuple[int, int]], "NDArray[np.float64]"]
DISTRIBUTIONS: Mapping[str, tuple[ClusterDraw, float]] = MappingProxyType(
    {
        "normal": (lambda rng, shape: rng.normal(size=shape), 0.0),
        "exponential": (lambda rng, shape: rng.exponential(size=shape), 1.0),
        "lognormal": (lambda rng, shape: rng.lognormal(size=shape), math.exp(0.5)),
        "−lognormal": (lambda rng, shape: -rng.lognormal(size=shape), -math.exp(0.5)),
    }
)
"""The distribution of clusters, with its mean; lognormal: the logarithm has mean 0 and standard deviation 1."""


@dataclass(frozen=True)
class CoverageCell:
    """The misses of the interval of a mean for one distribution, number of clusters and level.

    ``below`` counts truths below the lower end, ``above`` truths above the upper end, ``lengthened`` the data sets
    whose clusters were too few to rule out skewness. ``width`` is the mean width over that of Student's t.
    """

    distribution: str
    clusters: int
    level: float
    below: Rate
    above: Rate
    lengthened: Rate
    width: float

    @property
    def stated(self) -> float:
        """The rate at which each end may miss."""
        return (1 - self.level) / 2

    @property
    def worst(self) -> float:
        """The misses of the worse end, as a multiple of the stated rate."""
        return max(self.below.share, self.above.share) / self.stated


def coverage(
    *,
    data_sets: int = DATA_SETS,
    seed: int = 0,
    clusters: Sequence[int] = CLUSTERS,
    levels: Sequence[float] = LEVELS,
) -> tuple[CoverageCell, ...]:
    """Draw ``data_sets`` of each distribution and number of clusters, and count the misses at each level."""
    rng = np.random.default_rng(seed)
    cells: list[CoverageCell] = []
    for count in clusters:
        for name, (draw, truth) in DISTRIBUTIONS.items():
            values = draw(rng, (data_sets, count))
            cells.extend(_cell(name, values, truth, level) for level in levels)
    return tuple(cells)


def worst_cell(cells: Sequence[CoverageCell], level: float | None = None) -> CoverageCell:
    """The cell with the most misses for its level, of all levels or of one."""
    return max((cell for cell in cells if level in (None, cell.level)), key=lambda cell: cell.worst)


def ends_of_rows(values: NDArray[np.float64], level: float) -> tuple[Vector, Vector]:
    """The ends of the interval of the mean of each row, one value a cluster."""
    means, errors, skewness = _moments(values)
    below, above = arms(skewness, values.shape[1] - 1, level)
    return means - below * errors, means + above * errors


def _moments(values: NDArray[np.float64]) -> tuple[Vector, Vector, Vector]:
    """Mean, standard error and skewness of each row."""
    n = values.shape[1]
    means = values.mean(axis=1)
    deviations = values - means[:, None]
    squares = (deviations**2).sum(axis=1)
    cubes = (deviations**3).sum(axis=1)
    return means, np.sqrt(squares / (n * (n - 1))), cubes * math.sqrt(n) / squares**1.5


def _cell(name: str, values: NDArray[np.float64], truth: float, level: float) -> CoverageCell:
    _, _, skewness = _moments(values)
    freedom = values.shape[1] - 1
    student = student_t(freedom, level)
    reach = np.stack(arms(skewness, freedom, level)) / student
    low, high = ends_of_rows(values, level)
    return CoverageCell(
        distribution=name,
        clusters=values.shape[1],
        level=level,
        below=_rate(truth < low),
        above=_rate(truth > high),
        lengthened=_rate((reach >= NOTEWORTHY_SKEW).any(axis=0)),
        width=float(reach.mean()),
    )


def _rate(hits: NDArray[np.bool_]) -> Rate:
    return Rate.of(hits.tolist())


# The table of coverage, and its place in an existing calibration.

TITLE = "Intervals of means on skewed clusters"
COLUMNS = (
    "clusters",
    "level",
    "distribution",
    "stated per end",
    "truth below",
    "truth above",
    "worse end / stated",
    "longer arm",
    "width / Student's t",
)


def coverage_rows(cells: Sequence[CoverageCell]) -> tuple[tuple[str, ...], ...]:
    """One row a cell."""
    return tuple(
        (
            str(cell.clusters),
            f"{100 * cell.level:g} %",
            cell.distribution,
            f"{100 * cell.stated:.2f} %",
            _rate_text(cell.below),
            _rate_text(cell.above),
            f"{cell.worst:.2f}",
            f"{100 * cell.lengthened.share:.0f} %",
            f"{cell.width:.2f}",
        )
        for cell in cells
    )


def coverage_note(cells: Sequence[CoverageCell]) -> str:
    """The caption of the table, with its worst cell."""
    return (
        f"{cells[0].below.trials:,} simulated data sets per row, one item a cluster, Wilson's interval beside each "
        f"rate. The goal is at most {MOST_MISSES:g} times the stated rate. {worst_sentence(cells)} *Longer arm* counts "
        "the data sets whose clusters were too few to rule out strong skewness, so that an end lies further out than "
        "Student's t."
    )


def worst_sentence(cells: Sequence[CoverageCell]) -> str:
    """The worst cell at each level, in words."""
    levels = sorted({cell.level for cell in cells})
    return f"Worst: {'; '.join(_worst(worst_cell(cells, level)) for level in levels)}."


def renew_coverage(cells: Sequence[CoverageCell], folder: Path) -> tuple[Path, ...]:
    """Replace the coverage in ``calibration.md`` and ``calibration.json``, and leave the rest of both unchanged."""
    page, data = folder / "calibration.md", folder / "calibration.json"
    try:
        text, document = page.read_text(encoding="utf-8"), json.loads(data.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise UsageError(f"no calibration in {folder}; write one with biascheck calibrate --out {folder}") from error
    write_atomically(page, _with_section(text, _section(cells)))
    document["coverage"] = [asdict(cell) for cell in cells]
    write_atomically(data, json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n")
    return page, data


def _with_section(text: str, section: str) -> str:
    head = f"## {TITLE}\n"
    before, _, after = text.partition(head)
    _, heading, rest = after.partition("\n## ")
    return f"{before.rstrip()}\n\n{section}\n{heading}{rest}"


def _section(cells: Sequence[CoverageCell]) -> str:
    header = [f"| {' | '.join(COLUMNS)} |", f"|{'---|' * len(COLUMNS)}"]
    rows = [f"| {' | '.join(row)} |" for row in coverage_rows(cells)]
    return "\n".join([f"## {TITLE}", "", coverage_note(cells), "", *header, *rows])


def _worst(cell: CoverageCell) -> str:
    share = max(cell.below.share, cell.above.share)
    return (
        f"{100 * share:.2f} % where {100 * cell.stated:.2f} % are stated ({cell.worst:.2f} times), "
        f"{cell.clusters} {cell.distribution} clusters"
    )


def _rate_text(rate: Rate) -> str:
    in_percent = replace(rate, low=100 * rate.low, high=100 * rate.high)
    return f"{100 * rate.share:.2f} % {interval_text(in_percent, 2)}"

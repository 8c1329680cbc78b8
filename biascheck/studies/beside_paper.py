"""The figures of a grid beside those that Jentzsch & Turan (2022) printed for the same architecture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

from biascheck.errors import ScoreError
from biascheck.results.attachments import Table
from biascheck.results.published_figures import PublishedFigures
from biascheck.studies.grid_overview import FIGURES, correlations_of
from biascheck.studies.grid_rows import GridRow
from biascheck.studies.paper_grid import paper_row

__all__ = ["beside_paper"]

PAPER_BIASES = {"total": "total", "absolute": "absolute", "total-nonzero": "total_nonzero"}
PAPER_BIASES |= {"absolute-nonzero": "absolute_nonzero"}


def beside_paper(rows: Sequence[GridRow], figures: PublishedFigures) -> Iterator[Table]:
    """A table of biases and one of correlations, each figure with the printed one after it.

    Biases over all reviews have Tables 3 and 4 beside them, those over reviews with a delta Table 1; the row is that of
    the same architecture. Correlations have Table 2, which is over 63 classifiers.
    """
    biases = tuple(_biases(row, figures) for row in rows if row.cell.matched and not row.cell.batch)
    if any(value is not None for row in biases for value in row[2::2]):
        columns = [name for kind in PAPER_BIASES for name in (kind.replace("-", " "), "printed")]
        title = "Beside Tables 1 (non-zero reviews), 3 and 4 (all reviews)"
        yield Table(columns=("classifier", *columns), rows=biases, title=title)
    with suppress(ScoreError):  # too few classifiers, or a figure that does not vary, correlate with nothing
        yield _correlations(rows, figures)


def _biases(row: GridRow, figures: PublishedFigures) -> tuple[str | float | None, ...]:
    model, condition = paper_row(row.result), row.cell.condition
    name = f"{condition.treatment}-{condition.terms or row.cell.terms}"
    found: list[str | float | None] = [str(row.cell)]
    for kind, field in PAPER_BIASES.items():
        printed = figures.get(f"jentzsch2022.{kind}.{model}.{name}")
        found += [float(getattr(row.summary, field)), None if printed is None else printed.value]
    return tuple(found)


def _correlations(rows: Sequence[GridRow], figures: PublishedFigures) -> Table:
    found = correlations_of([row.figures for row in rows])
    body = []
    for i, first in enumerate(FIGURES):
        for j, second in enumerate(FIGURES[:i]):
            printed = figures.get(f"jentzsch2022.correlation.{first}.{second}")
            pair = f"{first}, {second}"
            body.append((pair, found["matrix"][i][j], found["p"][pair], None if printed is None else printed.value))
    return Table(columns=("figures", "Pearson's r", "p (Holm)", "printed"), rows=tuple(body), title="Beside Table 2")
